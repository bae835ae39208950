"""Campaign rules for programs: the sets, one of them, and the faults of a document."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import ApiCall, Endpoint, Section
from accounts.api.serializers import (
    Answer,
    AnyObject,
    Body,
    Text,
    Texts,
    Whole,
    WholeDocument,
)
from accounts.api_tokens.authentication import BearerToken, StoresNothing
from accounts.api_tokens.http import page_of_rows
from engine.growth.faults import RulesFault
from rulesdata.models import KEY_MAX
from rulesdata.queries.campaign_rules import (
    CampaignRulesRecord,
    campaign_rules_faults,
    load_campaign_rules,
    load_campaign_sets,
)

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
    summary = Text(allow_blank=True)
    systems = Texts(help_text="Keys of the rule systems it is for; empty is all.")
    club = Text(allow_null=True, help_text="Whose own it is; null for the site's.")


class CampaignRulesAnswer(CampaignRulesRowAnswer):
    """A set of campaign rules."""

    document: Any = AnyObject(help_text="The rules in the format campaign-rules/1.")


class CampaignRulesBody(Body):
    """Campaign rules. Any other key is refused."""

    document = WholeDocument(help_text="Rules in the format campaign-rules/1.")


class CampaignRulesCheckBody(CampaignRulesBody):
    """Campaign rules to check. Any other key is refused."""

    system = Text(
        required=False,
        max_length=KEY_MAX,
        help_text="Key of the rule system whose characteristics they may name.",
    )
    variant = Text(required=False, allow_null=True, max_length=KEY_MAX)


class RulesFaultAnswer(Answer):
    """One thing that is wrong in a document."""

    path = Text(help_text="Such as tables.lasting.rows[3].effect.")
    message = Text()


class CampaignRulesCheckAnswer(Answer):
    """What is wrong with a document: nothing, or all of it."""

    problems = RulesFaultAnswer(many=True)

    def to_representation(self, faults: tuple[RulesFault, ...]) -> Any:
        """Return the faults in their order."""
        shown = RulesFaultAnswer()
        return {"problems": [shown.to_representation(one) for one in faults]}


@Endpoint("GET", CampaignRulesRowAnswer, is_paged=True)
def list_campaign_rules(call: ApiCall) -> Any:
    """List the sets of campaign rules that you may choose: the site's, then your clubs' own."""
    asked = call.page
    return page_of_rows(load_campaign_sets(call.actor), **asked)


@Endpoint("GET", CampaignRulesAnswer, parameters=(ID,))
def read_campaign_rules(call: ApiCall, rules: str) -> CampaignRulesRecord:
    """Read a set of campaign rules with its document, in its latest version."""
    return load_campaign_rules(call.actor, rules)


@Endpoint("POST", CampaignRulesCheckAnswer, CampaignRulesCheckBody)
def check_campaign_rules(call: ApiCall) -> Any:
    """Check a document of campaign rules. It tells every fault at once, and stores nothing."""
    body = call.body
    return campaign_rules_faults(
        body["document"], body.get("system", ""), body.get("variant", "")
    )


urlpatterns = [
    RULES.address("campaign-rules/", list_campaign_rules, name="api-campaign-rules"),
    # Before the address of a set: no set is called so.
    CHECK.address(
        "campaign-rules/check/", check_campaign_rules, name="api-campaign-rules-check"
    ),
    RULES.address(
        "campaign-rules/<path:rules>/",
        read_campaign_rules,
        name="api-campaign-rules-read",
    ),
]
