"""Campaigns in which warbands grow, for programs."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Versioned,
    choice_in_query,
)
from accounts.api_tokens.http import expected, page_of_rows
from campaigns.api.views import FIXTURES, LEAGUES, WRITING
from campaigns.growth.api import serializers as shapes
from campaigns.growth.operations import acts, answers, setup
from campaigns.growth.operations.results import FieldChoice
from campaigns.growth.queries.lineups import load_fielded_battle
from campaigns.growth.queries.reports import GrowthReport, difference_json, load_growth
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture
from campaigns.queries.fixtures import load_scheduled
from engine.growth.differences import GrowthDifference
from engine.records import JsonObject

PREVIEW = choice_in_query(
    "preview", FLAG, "1 answers what it would change, as {preview}, and changes nothing."
)
AT = OpenApiParameter(
    "at", {"type": "integer", "minimum": 1}, description="A position of the past."
)
POSTED: Any = {**WRITING, "refusals": (*WRITING["refusals"], 412), "takes_key": True}
AT_DIGITS = 9


@Endpoint("GET", shapes.GrowthAnswer, parameters=(AT,))
def read_growth(call: ApiCall, token: str) -> Versioned:
    """Read a campaign: its warbands, what is open, and what is set aside."""
    text = call.text("at")
    is_number = text.isascii() and text.isdigit() and len(text) <= AT_DIGITS
    if text and not (is_number and int(text)):
        raise exceptions.ValidationError({"at": ["at must be a whole number from 1."]})
    return _growth(load_growth(call.actor, token, at=int(text) if text else None))


@Endpoint(
    "PUT",
    shapes.GrowthAnswer,
    shapes.GrowthRulesBody,
    **POSTED,
    parameters=(PREVIEW,),
    needs_version=True,
)
def set_growth(call: ApiCall, token: str) -> Any:
    """Choose the rules by which warbands of a campaign grow, as an organiser.

    The version is the event's. Once somebody has founded, say from when on they hold, and why.
    """
    body = {**call.body}
    reason, since = body.pop("reason", ""), body.pop("from", "")
    request = ChangeRequest(call.actor, token, call.version, reason, call.key)
    return _set_rules(call, request, setup.RulesDraft(**body, since=since))


@Endpoint(
    "PATCH", shapes.GrowthAnswer, shapes.GrowthChangesBody, **POSTED, parameters=(PREVIEW,)
)
def change_growth(call: ApiCall, token: str) -> Any:
    """Change some of the rules of a campaign, as an organiser.

    Objects are merged key by key, lists replaced.
    """
    body = call.body
    draft = setup.RulesDraft(changes=body.get("changes", {}), since=body.get("from", ""))
    return _set_rules(call, _build_request(call, token, body.get("reason", "")), draft)


def _set_rules(call: ApiCall, request: ChangeRequest, draft: setup.RulesDraft) -> Any:
    """Set the campaign rules and return the growth; with ``preview`` only compare."""
    if call.flag("preview"):
        # Organisers read every roster, and the first rules are of no campaign yet.
        return {"preview": difference_json(setup.preview_growth_rules(request, draft))}
    setup.set_growth_rules(request, draft)
    return _growth(load_growth(call.actor, request.token))


@Endpoint(
    "POST",
    shapes.FoundedAnswer,
    shapes.FoundingBody,
    status=201,
    **POSTED,
    parameters=(PREVIEW,),
)
def found_warband(call: ApiCall, token: str) -> Any:
    """Found a warband in a campaign: a copy of a roster, which grows there alone."""
    draft = setup.FoundingDraft(**call.body)
    request = _build_request(call, token)
    if call.flag("preview"):
        return _preview(call, token, setup.preview_founding(request, draft))
    return _warband(call, token, setup.found_warband(request, draft))


@Endpoint("GET", shapes.WarbandGrowthAnswer)
def read_campaign_warband(call: ApiCall, token: str, warband: str) -> Versioned:
    """Read a warband of a campaign as it has grown."""
    return _warband(call, token, warband)


@Endpoint("GET", shapes.DuesAnswer)
def list_dues(call: ApiCall, token: str, warband: str) -> Versioned:
    """List the rolls and choices that a warband owes."""
    report = load_growth(call.actor, token)
    row = report.find(warband)
    return Versioned({"results": report.dues(warband=row.token)}, report.ledger.position)


@Endpoint("GET", shapes.LedgerRowAnswer, is_paged=True)
def list_ledger(call: ApiCall, token: str, warband: str) -> Any:
    """List what was written down about a warband of a campaign, the latest first."""
    report = load_growth(call.actor, token)
    return page_of_rows(tuple(report.ledger_rows(report.find(warband))), **call.page)


@Endpoint(
    "POST", shapes.AnsweredAnswer, shapes.AnswersBody, **POSTED, parameters=(PREVIEW,)
)
def answer_dues(call: ApiCall, token: str, warband: str) -> Any:
    """Answer dues of a warband, all of them or none. Without faces the site throws the dice."""
    sent = [answers.GivenAnswer(**_without_nulls(row)) for row in call.body["answers"]]
    request = _build_request(call, token)
    if call.flag("preview"):
        return _preview(call, token, answers.preview_answers(request, warband, sent))
    return _answered(call, token, warband, answers.answer_dues(request, warband, sent))


@Endpoint(
    "POST", shapes.ActAnswer, shapes.ActBody, status=201, **POSTED, parameters=(PREVIEW,)
)
def take_act(call: ApiCall, token: str, warband: str) -> Any:
    """Let a warband act between its battles.

    It recruits, buys, searches, sells, gives, dismisses or disbands; organisers adjust and rule.
    """
    act, request = acts.GivenAct(**_without_nulls(call.body)), _build_request(call, token)
    if call.flag("preview"):
        return _preview(call, token, acts.preview_act(request, warband, act))
    number = acts.take_act(request, warband, act)
    # Read anew: what came of it is in the fold of what was written.
    report = load_growth(call.actor, token)
    answer = report.act_json(number)
    answer["warband"] = report.warband_json(report.find(warband))
    return Versioned(answer, report.ledger.position)


@Endpoint(
    "POST", shapes.AnsweredAnswer, shapes.TakeBackBody, **POSTED, parameters=(PREVIEW,)
)
def take_back(call: ApiCall, token: str, warband: str) -> Any:
    """Take back an answer or an act. Dice are kept: answering again counts the same faces."""
    body = {**call.body}
    request = _build_request(call, token, body.pop("reason", ""))
    what = answers.Withdrawal(**body)
    if call.flag("preview"):
        return _preview(call, token, answers.preview_take_back(request, warband, what))
    answers.take_back(request, warband, what)
    return _answered(call, token, warband, (what.due,) if what.due else ())


@Endpoint("POST", shapes.FieldedAnswer, shapes.FieldBody, status=201, **POSTED)
def field_warbands(call: ApiCall, fixture: str) -> JsonObject:
    """Lock the battle of a campaign's game with those who fight."""
    event, _ = load_scheduled(call.actor, fixture)
    field_fixture(_build_request(call, event.token), fixture, FieldChoice(**call.body))
    return load_fielded_battle(load_growth(call.actor, event.token), fixture)


def _build_request(call: ApiCall, token: str, reason: str = "") -> ChangeRequest:
    """Return what is asked for, by somebody who has seen the campaign as far as If-Match says."""
    # A campaign is seen by its position, its event by a version of its own.
    has_seen = bool(call.request.headers.get("If-Match"))
    position = expected(call.request) if has_seen else None
    return ChangeRequest(call.actor, token, reason=reason, key=call.key, position=position)


def _without_nulls(body: JsonObject) -> JsonObject:
    """Return what is said; null is as good as left out."""
    return {key: value for key, value in body.items() if value is not None}


def _growth(report: GrowthReport) -> Versioned:
    """Return the campaign with its ETag."""
    return Versioned(report.to_json(), report.ledger.position)


def _preview(call: ApiCall, token: str, moved: GrowthDifference) -> JsonObject:
    """Return what a change would move, as the caller may know it."""
    return {"preview": load_growth(call.actor, token).change_json(moved)}


def _warband(call: ApiCall, token: str, warband: str) -> Versioned:
    """Return a warband as it is now. Raises NotFound."""
    report = load_growth(call.actor, token)
    return Versioned(report.warband_json(report.find(warband)), report.ledger.position)


def _answered(call: ApiCall, token: str, warband: str, dues: Any) -> Versioned:
    """Return what became of answers, and what the warband still owes."""
    report = load_growth(call.actor, token)
    row = report.find(warband)
    answer = {
        "position": report.ledger.position,
        "answers": report.answers_json(row, dues),
        "warband": report.warband_json(row),
        "dues": report.dues(warband=row.token),
    }
    return Versioned(answer, report.ledger.position)


EVENT_GROWTH = "events/<str:token>/growth/"
OF_WARBAND = f"{EVENT_GROWTH}warbands/<str:warband>/"
urlpatterns = [
    LEAGUES.address(
        EVENT_GROWTH, read_growth, set_growth, change_growth, name="api-growth"
    ),
    LEAGUES.address(f"{EVENT_GROWTH}warbands/", found_warband, name="api-growth-warbands"),
    LEAGUES.address(OF_WARBAND, read_campaign_warband, name="api-growth-warband"),
    LEAGUES.address(f"{OF_WARBAND}dues/", list_dues, name="api-growth-dues"),
    LEAGUES.address(f"{OF_WARBAND}ledger/", list_ledger, name="api-growth-ledger"),
    LEAGUES.address(f"{OF_WARBAND}answers/", answer_dues, name="api-growth-answers"),
    LEAGUES.address(f"{OF_WARBAND}acts/", take_act, name="api-growth-acts"),
    LEAGUES.address(f"{OF_WARBAND}take-back/", take_back, name="api-growth-take-back"),
    FIXTURES.address(
        "fixtures/<str:fixture>/field/", field_warbands, name="api-fixture-field"
    ),
]
