"""How a rule system is played, for programs: its rulings, guidelines and charts, and
campaign rules.
"""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import ListField

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Anything,
    Body,
    Flag,
    OneOf,
    Text,
    Texts,
    Whole,
    WholeDocument,
)
from accounts.api_tokens.http import BearerToken, StoresNothing, page_of_rows
from engine.records import JsonObject
from engine.types.mechanics import LEVELS
from rulesdata.api.catalogue import (
    BOOKS,
    SYSTEM,
    VARIANT,
    book_asked,
    listing,
    page_asked,
    system_asked,
)
from rulesdata.models import KEY_MAX
from rulesdata.queries.campaign_rules import (
    CampaignRulesRecord,
    campaign_rules_faults,
    load_campaign_rules,
    load_campaign_sets,
)
from rulesdata.queries.catalogue import mechanics_rows

# Campaign rules for programs: the sets, one of them, and the faults of a document.

RULES = Section("campaign rules", noun="rules")
CHECK = Section("campaign rules", authentication=BearerToken, permission=StoresNothing)
ID = OpenApiParameter(
    "rules",
    {"type": "string", "maxLength": 60},
    OpenApiParameter.PATH,
    description="The id of a set: of a pack, or own/ and the token of a club's own.",
)


class CampaignRulesRowAnswer(Answer):
    """A set of campaign rules in a list."""

    id = Text()
    version = Whole()
    name = Text()
    summary = Text()
    systems = Texts("Keys of the rule systems it is for; empty is all.")
    club = Text("Whose own it is; null for the site's.", allow_null=True)


class CampaignRulesAnswer(CampaignRulesRowAnswer):
    """A set of campaign rules."""

    document: Any = AnyObject("The rules in the format campaign-rules/1.")


class CampaignRulesBody(Body):
    """Campaign rules. Any other key is refused."""

    document = WholeDocument("Rules in the format campaign-rules/1.")


class CampaignRulesCheckBody(CampaignRulesBody):
    """Campaign rules to check. Any other key is refused."""

    system = Text(
        "Key of the rule system whose characteristics they may name.",
        required=False,
        max_length=KEY_MAX,
    )
    variant = Text(required=False, allow_null=True, max_length=KEY_MAX)


class RulesFaultAnswer(Answer):
    """One thing that is wrong in a document."""

    path = Text("Such as tables.lasting.rows[3].effect.")
    message = Text()


class CampaignRulesCheckAnswer(Answer):
    """What is wrong with a document: nothing, or all of it."""

    problems = RulesFaultAnswer(many=True)


@Endpoint("GET", CampaignRulesRowAnswer, is_paged=True)
def list_campaign_rules(call: ApiCall) -> Any:
    """List the sets of campaign rules that you may choose: the site's, then your clubs' own."""
    return page_of_rows(load_campaign_sets(call.actor), **call.page)


@Endpoint("GET", CampaignRulesAnswer, parameters=(ID,))
def read_campaign_rules(call: ApiCall, rules: str) -> CampaignRulesRecord:
    """Read a set of campaign rules with its document, in its latest version."""
    return load_campaign_rules(call.actor, rules)


@Endpoint("POST", CampaignRulesCheckAnswer, CampaignRulesCheckBody)
def check_campaign_rules(call: ApiCall) -> Any:
    """Check a document of campaign rules. It tells every fault at once, and stores nothing."""
    body = call.body
    names = (body.get("system", ""), body.get("variant", ""))
    return {"problems": campaign_rules_faults(body["document"], *names)}


urlpatterns = [
    RULES.address("campaign-rules/", list_campaign_rules, name="api-campaign-rules"),
    # Before the address of a set: no set is called so.
    CHECK.address(
        "campaign-rules/check/", check_campaign_rules, name="api-campaign-rules-check"
    ),
    RULES.address(
        "campaign-rules/<path:rules>/", read_campaign_rules, name="api-campaign-rules-read"
    ),
]


# How a rule system is played, for programs: its rulings, guidelines and charts.


class MechanicsAnswer(Answer):
    """What a row says of the system it is of, beside its record."""

    system = Text()
    variant = Text("Null for what the variants share.", allow_null=True)


class RulingAnswer(MechanicsAnswer):
    """How a gap or contradiction of the text is settled, and what else it could be."""

    ref = Text("Its number, by which odds/ may name it.")
    title = Text()
    default = Text("How it is played here.")
    alternatives = Texts()
    kind = Text()
    key = Text("By which odds/ takes it; empty where no chance depends on it.")
    values = ListField(
        child=Anything(),
        help_text="What odds/ takes under the key, the default first; null where it takes none.",
    )
    is_outside_texts = Flag()

    def get_default(self, row: JsonObject) -> str:  # type: ignore[override]  # a key of ours
        """Return how it is played; a field of the framework has a method of this name."""
        return row["default"]


class GuidelineAnswer(MechanicsAnswer):
    """One thing that a roster is checked for."""

    code = Text("By which findings name it.")
    title = Text()
    kind = Text()
    level = OneOf(choices=list(LEVELS))
    message = Text("With figures to fill in.")
    parameters = AnyObject()
    strength = Text()
    is_waivable = Flag()
    source = Text()  # type: ignore[assignment]
    refs = Texts()


class ChartRowAnswer(Answer):
    """A row of a chart."""

    name = Text()
    figures = ListField(
        child=Anything(), help_text="One for each column; null where nothing does."
    )


class ChartAnswer(MechanicsAnswer):
    """A table to look up."""

    key = Text()
    name = Text()
    row_label = Text()
    column_label = Text()
    columns = Texts()  # type: ignore[assignment]
    rows = ChartRowAnswer(many=True)
    figures = Text("score, modifier or number; empty is scores to reach.")
    ruling = Text("The ref of one.")
    note = Text()
    source = Text()  # type: ignore[assignment]
    borrowed_from = Text()

    def get_rows(self, row: JsonObject) -> list[JsonObject]:
        """Return the rows in their order."""
        rows = row["rows"]
        return [{"name": name, "figures": rows[name]} for name in rows]


def _rows(call: ApiCall, part: str) -> JsonObject:
    book: Any = book_asked(call.request, system_asked(call.request))
    return page_asked(call, mechanics_rows(part, book))


@listing(RulingAnswer, SYSTEM, VARIANT)
def list_rulings(call: ApiCall) -> JsonObject:
    """List rulings: what the text of a system leaves open, and how it is played here."""
    return _rows(call, "rulings")


@listing(GuidelineAnswer, SYSTEM, VARIANT)
def list_guidelines(call: ApiCall) -> JsonObject:
    """List guidelines: what a roster is checked for, and at which level."""
    return _rows(call, "guidelines")


@listing(ChartAnswer, SYSTEM, VARIANT)
def list_charts(call: ApiCall) -> JsonObject:
    """List charts, row by row."""
    return _rows(call, "charts")


urlpatterns += [
    BOOKS.address("rulings/", list_rulings, name="api-ruling-list"),
    BOOKS.address("guidelines/", list_guidelines, name="api-guideline-list"),
    BOOKS.address("charts/", list_charts, name="api-chart-list"),
]
