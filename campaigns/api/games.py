"""Single games for programs: added, changed, removed, opened, reported, decided; and challenges."""

from dataclasses import replace
from typing import Any

from django.http import JsonResponse
from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Versioned,
    choice_in_path,
    choice_in_query,
)
from accounts.api.serializers import Joined
from accounts.errors import Refusal
from battles.results import TableChange
from campaigns.api import round_serializers
from campaigns.api.views import FIXTURES, LEAGUES, WRITING
from campaigns.growth.queries.reports import load_growth
from campaigns.models import Decision
from campaigns.operations import challenges, decisions, fixtures, results
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.log import ChangeRequest
from campaigns.queries.fixture_page import load_fixture
from campaigns.queries.fixtures import load_schedule, load_scheduled
from campaigns.queries.records import Outcome
from campaigns.queries.standings import preview_decision
from engine.records import Fields

# The page of a new game has two fields where a body has one list.
GAMES = replace(LEAGUES, fields={"other": "entries"})
ANSWER = choice_in_path("answer", challenges.ANSWERS)
REVERSED = "none"
DECISION = choice_in_query(
    "decision",
    (*Decision.values, REVERSED),
    f"What would be decided; {REVERSED} reverses a decision.",
)
DECIDED_FOR = OpenApiParameter(
    "decided_for", str, description="Id of the entry that would get the walkover."
)
PREVIEW = choice_in_query(
    "preview", FLAG, "1 answers the new pairings, and changes nothing."
)
PREVIEW_RESULT = choice_in_query(
    "preview", FLAG, "1 answers what it would change in a campaign, and changes nothing."
)


@Endpoint("GET", round_serializers.FixtureAnswer)
def read_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Read a game: its players, table, scenario and result."""
    return _answer(call, fixture)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.GameBody,
    status=201,
    **WRITING,
    takes_key=True,
)
def add_fixture(call: ApiCall, token: str, number: int) -> Versioned:
    """Add a game to a round as an organiser.

    Whoever had a bye and plays now has none any more.
    """
    change = ChangeRequest(call.actor, token, key=call.key)
    return _answer(call, fixtures.add_fixture(change, number, FixtureDraft(**call.body)))


@Endpoint(
    "PATCH",
    round_serializers.FixtureAnswer,
    round_serializers.GameChange,
    **WRITING,
    needs_version=True,
)
def change_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Change the table, scenario, attacker or moment of a game as an organiser, or lock it.

    Two games whose tables would be the same exchange them. The ETag is the game's.
    """
    change, values = _change_request(call, fixture)
    # The version sent is the game's, which the event does not know.
    change, draft = replace(change, expected=None), FixtureDraft(**values)
    fixtures.change_fixture(change, fixture, draft, seen=call.version)
    return _answer(call, fixture)


@Endpoint(
    "POST",
    None,
    round_serializers.GameRemovalBody,
    status=204,
    **WRITING,
    needs_version=True,
)
def remove_fixture(call: ApiCall, fixture: str) -> None:
    """Take a game that has not begun out of its round as an organiser."""
    change, _ = _change_request(call, fixture)
    fixtures.remove_fixture(replace(change, expected=None), fixture, seen=call.version)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.DecisionBody,
    **WRITING,
    needs_version=True,
)
def decide_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Decide a game as an organiser: a walkover, or not played. Null reverses the decision."""
    change, values = _change_request(call, fixture)
    decisions.decide_fixture(change, fixture, **values)
    return _answer(call, fixture)


@Endpoint(
    "GET",
    round_serializers.StandingsChangeAnswer,
    parameters=(DECISION, DECIDED_FOR),
)
def preview_fixture_decision(call: ApiCall, fixture: str) -> TableChange:
    """Read what a decision of a game would change in the standings."""
    event, record = load_scheduled(call.actor, fixture)
    decision = call.choice("decision", (*Decision.values, REVERSED))
    players = [entry.token for entry in record.sides]
    if len(players) < 2:
        raise Refusal("A bye has no result to set.", field="decision")
    winner = call.text("decided_for") if decision == Decision.WALKOVER else ""
    if decision == Decision.WALKOVER and winner not in players:
        raise Refusal("Name the player of this game who wins.", field="decided_for")
    if decision == REVERSED:
        decision = ""
    return preview_decision(
        call.actor, event.token, fixture, decision=decision, decided_for=winner
    )


@Endpoint(
    "POST", round_serializers.GameBattleAnswer, round_serializers.GameSizesBody, **WRITING
)
def open_fixture_battle(call: ApiCall, fixture: str) -> Versioned:
    """Set up the battle of a game that you play or organise, to record it live.

    Each side is the list handed in, else the warband it brings, else so many models. Where the
    battle is set up already, the answer is that battle.
    """
    change, _ = _change_request(call, fixture)
    battle = results.open_fixture(change, fixture, sizes=call.body.get("sizes", {}))
    page = load_fixture(call.actor, change.token, fixture)
    answer = {"id": fixture, "battle": battle, "key": page.key}
    return Versioned(answer, page.record.version)


@Endpoint(
    "POST",
    round_serializers.ReportAnswer,
    round_serializers.ReportBody,
    **WRITING,
    parameters=(PREVIEW_RESULT,),
    needs_version=True,
    takes_key=True,
)
def report_fixture(call: ApiCall, fixture: str) -> Any:
    """Report how a game ended.

    A player's report waits for the opponent. The report of an organiser who does not play is final.
    """
    change, values = _change_request(call, fixture)
    outcome = _read_outcome(values)
    if call.flag("preview"):
        difference = results.preview_result(change, fixture, outcome)
        report = load_growth(call.actor, change.token)
        return JsonResponse({"preview": report.change_json(difference)})
    reported = results.report_result(change, fixture, outcome)
    # The report made a new version, which the ETag must name.
    event, record = load_scheduled(call.actor, fixture)
    growth = load_growth(call.actor, event.token) if event.growth_position else None
    answer = Joined(
        reported,
        winner=record.winner.token if record.winner else None,
        position=growth.ledger.position if growth else None,
        dues=growth.dues(fixture=fixture) if growth else [],
    )
    return Versioned(answer, record.record.version)


@Endpoint(
    "POST",
    round_serializers.RoundReportsAnswer,
    round_serializers.RoundReportsBody,
    **WRITING,
)
def report_round(call: ApiCall, token: str, number: int) -> Fields:
    """Report how games of a round ended as an organiser, each by itself.

    What is refused holds up no other. Each report names its game and the version that was seen.
    Sent again it changes nothing.
    """
    reports = []
    for values in call.body["results"]:
        names = {name: values.pop(name) for name in ("fixture", "version")}
        reason = values.pop("reason", "")
        outcome = _read_outcome(values)
        reports.append(results.RoundReport(**names, reason=reason, outcome=outcome))
    answers = results.report_round(ChangeRequest(call.actor, token), number, reports)
    schedule = load_schedule(call.actor, token, number)
    games = {game.record.token: game for game in schedule.fixtures}
    view: Any = call.request.parser_context["view"]
    handle, rows = view.get_exception_handler(), []
    for report, answer in zip(reports, answers, strict=True):
        refusal = None
        if isinstance(answer, Exception):
            refusal = handle(answer, {"view": view}).data
        game = games.get(report.fixture)
        rows.append({"id": report.fixture, "game": game, "refusal": refusal})
    return {"results": rows}


def _read_outcome(values: Fields) -> Outcome:
    """Return how a game ended; a program may send both names of the winner, as it reads them."""
    values = dict(values)
    winner = values.pop("winner_entry", None)
    if winner and values.setdefault("winner", winner) != winner:
        raise Refusal(
            "winner and winner_entry must name the same entry.", field="winner_entry"
        )
    return Outcome(**values)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.AcceptBody,
    **WRITING,
    needs_version=True,
)
def accept_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Accept the reported result of a game as an organiser, also a disputed one.

    Accepting does what confirming does. A final result stays final.
    """
    change, _ = _change_request(call, fixture)
    results.accept_result(change, fixture)
    return _answer(call, fixture)


@Endpoint(
    "POST",
    round_serializers.SwapAnswer,
    round_serializers.SwapBody,
    **WRITING,
    parameters=(PREVIEW,),
    needs_version=True,
)
def swap_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Swap two players of a round as an organiser: opponents, tables, attackers.

    A published round needs a reason. Games that have begun stay.
    """
    change, values = _change_request(call, fixture)
    is_preview = call.flag("preview")
    swap = fixtures.swap_in_fixture(
        change, fixture, values["one"], values["other"], is_preview=is_preview
    )
    _, record = load_scheduled(call.actor, fixture)
    return Versioned(Joined(swap, is_preview=is_preview), record.record.version)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.ChallengeBody,
    status=201,
    **WRITING,
)
def add_challenge(call: ApiCall, token: str) -> Versioned:
    """Challenge another player of a campaign, in the round that is open.

    The same challenge again is the same game, and challenging back accepts it.
    """
    change = ChangeRequest(call.actor, token)
    return _answer(call, challenges.create_challenge(change, **call.body))


@Endpoint(
    "POST",
    round_serializers.ChallengeAnswer,
    round_serializers.ChallengeReasonBody,
    **WRITING,
    parameters=(ANSWER,),
)
def answer_challenge(call: ApiCall, token: str, fixture: str, answer: str) -> Any:
    """Accept or decline a challenge, or withdraw your own.

    Organisers answer for guests, and can withdraw any challenge.
    """
    reason = call.body.get("reason", "")
    change = ChangeRequest(call.actor, token, reason=reason)
    challenges.answer_challenge(change, fixture, answer)
    return {"id": fixture, "status": round_serializers.ANSWERED[answer]}


def _answer(call: ApiCall, fixture: str) -> Versioned:
    """Return a game with its event, and its version."""
    event, record = load_scheduled(call.actor, fixture)
    return Versioned(Joined(record, event=event), record.record.version)


def _change_request(call: ApiCall, fixture: str) -> tuple[ChangeRequest, Fields]:
    """Return the change of a game, whose event is found by its id, and the body but for the reason.

    The version is the game's.
    """
    event, _ = load_scheduled(call.actor, fixture)
    values = dict(call.body or {})
    reason = values.pop("reason", "")
    return ChangeRequest(call.actor, event.token, call.version, reason, call.key), values


urlpatterns = [
    GAMES.address(
        "events/<str:token>/rounds/<int:number>/fixtures/",
        add_fixture,
        name="api-event-round-fixtures",
    ),
    LEAGUES.address(
        "events/<str:token>/rounds/<int:number>/results/",
        report_round,
        name="api-event-round-results",
    ),
    LEAGUES.address(
        "events/<str:token>/challenges/", add_challenge, name="api-event-challenges"
    ),
    FIXTURES.address(
        "events/<str:token>/challenges/<str:fixture>/<str:answer>/",
        answer_challenge,
        name="api-event-challenge-answer",
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/", read_fixture, change_fixture, name="api-fixture"
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/remove/", remove_fixture, name="api-fixture-remove"
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/decide/",
        preview_fixture_decision,
        decide_fixture,
        name="api-fixture-decide",
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/battle/", open_fixture_battle, name="api-fixture-battle"
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/result/", report_fixture, name="api-fixture-result"
    ),
    FIXTURES.address(
        "fixtures/<str:fixture>/accept/", accept_fixture, name="api-fixture-accept"
    ),
    FIXTURES.address("fixtures/<str:fixture>/swap/", swap_fixture, name="api-fixture-swap"),
]
