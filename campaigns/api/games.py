"""Single games for programs: added, changed, removed, decided, opened; and challenges."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from accounts.api.endpoints import ApiCall, Endpoint, Versioned, choice_in_query, found
from accounts.api.serializers import Joined
from accounts.errors import Refusal
from accounts.owner import Owner
from battles.results import TableChange
from campaigns.api import round_serializers, serializers
from campaigns.api.views import FIXTURES, LEAGUES, WRITING
from campaigns.models import Decision
from campaigns.operations import challenges, fixtures
from campaigns.operations.decisions import decide_fixture as op_decide_fixture
from campaigns.operations.decisions import undecide_fixture
from campaigns.operations.fixtures import FixtureDraft
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.queries.fixture_page import load_fixture
from campaigns.queries.schedule import load_scheduled
from campaigns.queries.standings import preview_decision

# The page of a new game has two fields where a body has one list.
GAMES = replace(LEAGUES, fields={"other": "entries"})
ANSWERS = {
    "accept": challenges.accept_challenge,
    "decline": challenges.decline_challenge,
    "withdraw": challenges.withdraw_challenge,
}
ANSWER = OpenApiParameter(
    "answer", {"type": "string", "enum": list(ANSWERS)}, OpenApiParameter.PATH
)
REVERSED = "none"
DECISION = choice_in_query(
    "decision",
    (*Decision.values, REVERSED),
    f"What would be decided; {REVERSED} reverses a decision.",
)
DECIDED_FOR = OpenApiParameter(
    "decided_for", str, description="Id of the entry that would get the walkover."
)
OF_GAME: Any = {**WRITING, "parameters": (serializers.FIXTURE,)}


@Endpoint("GET", round_serializers.FixtureAnswer, parameters=(serializers.FIXTURE,))
def read_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Read a game: its players, table, scenario and result."""
    return shown_fixture(call.actor, fixture)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.GameBody,
    status=201,
    **WRITING,
    parameters=(serializers.EVENT, serializers.NUMBER),
    takes_key=True,
)
def add_fixture(call: ApiCall, token: str, number: int) -> Versioned:
    """Add a game to a round as an organiser.

    Whoever had a bye and plays now has none any more.
    """
    asked = ChangeRequest(call.actor, token, key=call.key)
    added = fixtures.add_fixture(asked, number, FixtureDraft(**call.body))
    return shown_fixture(call.actor, added)


@Endpoint(
    "PATCH",
    round_serializers.FixtureAnswer,
    round_serializers.GameChange,
    **OF_GAME,
    needs_version=True,
)
def change_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Change the table, scenario, attacker or moment of a game as an organiser, or lock it.

    Two games whose tables would be the same exchange them. The ETag is the game's.
    """
    said = {**call.body}
    # The version sent is the game's, which the event does not know.
    asked = replace(_asked(call, fixture, said.pop("reason", "")), expected=None)
    draft = FixtureDraft(**said)
    fixtures.change_fixture(asked, fixture, draft, seen=call.version)
    return shown_fixture(call.actor, fixture)


@Endpoint(
    "POST",
    None,
    round_serializers.GameRemovalBody,
    status=204,
    **OF_GAME,
    needs_version=True,
)
def remove_fixture(call: ApiCall, fixture: str) -> None:
    """Take a game that has not begun out of its round as an organiser."""
    asked = replace(_asked(call, fixture, call.body.get("reason", "")), expected=None)
    fixtures.remove_fixture(asked, fixture, seen=call.version)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.DecisionBody,
    **OF_GAME,
    needs_version=True,
)
def decide_fixture(call: ApiCall, fixture: str) -> Versioned:
    """Decide a game as an organiser: a walkover, or not played. Null reverses the decision."""
    said = call.body
    asked = _asked(call, fixture, said.get("reason", ""))
    if said["decision"]:
        chosen = {"decision": said["decision"], "decided_for": said.get("decided_for", "")}
        op_decide_fixture(asked, fixture, **chosen)
    else:
        undecide_fixture(asked, fixture)
    return shown_fixture(call.actor, fixture)


@Endpoint(
    "GET",
    round_serializers.StandingsChangeAnswer,
    parameters=(serializers.FIXTURE, DECISION, DECIDED_FOR),
)
def preview_fixture_decision(call: ApiCall, fixture: str) -> TableChange:
    """Read what a decision of a game would change in the standings."""
    event, record = found("fixture", load_scheduled(call.actor, fixture))
    decision = call.choice("decision", (*Decision.values, REVERSED))
    players = [one.token for one in record.sides]
    if len(players) != 2:
        raise Refusal("Only a game of two has a result to set.", field="decision")
    winner = call.text("decided_for") if decision == Decision.WALKOVER else ""
    if decision == Decision.WALKOVER and winner not in players:
        raise Refusal("Name the player of this game who wins.", field="decided_for")
    chosen = {"decision": "" if decision == REVERSED else decision, "decided_for": winner}
    return preview_decision(call.actor, event.token, fixture, **chosen)


@Endpoint(
    "POST",
    round_serializers.GameBattleAnswer,
    round_serializers.GameSizesBody,
    **OF_GAME,
)
def open_fixture_battle(call: ApiCall, fixture: str) -> Versioned:
    """Set up the battle of a game that you play or organise, to record it live.

    Each side is the list handed in, else the warband it brings, else so many models. Where the
    battle is set up already, the answer is that battle.
    """
    asked = _asked(call, fixture)
    battle = open_fixture(asked, fixture, sizes=call.body.get("sizes", {}))
    page = found("fixture", load_fixture(call.actor, asked.token, fixture))
    told = {"id": fixture, "battle": battle, "key": page.key}
    return Versioned(told, page.record.version)


@Endpoint(
    "POST",
    round_serializers.FixtureAnswer,
    round_serializers.ChallengeBody,
    status=201,
    **WRITING,
    parameters=(serializers.EVENT,),
)
def add_challenge(call: ApiCall, token: str) -> Versioned:
    """Challenge another player of a campaign, in the round that is open.

    The same challenge again is the same game, and challenging back accepts it.
    """
    asked = ChangeRequest(call.actor, token)
    return shown_fixture(call.actor, challenges.create_challenge(asked, **call.body))


@Endpoint(
    "POST",
    round_serializers.ChallengeAnswer,
    round_serializers.ChallengeReasonBody,
    **WRITING,
    parameters=(serializers.EVENT, serializers.FIXTURE, ANSWER),
)
def answer_challenge(call: ApiCall, token: str, fixture: str, answer: str) -> Any:
    """Accept or decline a challenge, or withdraw your own.

    Organisers answer for guests, and can withdraw any challenge.
    """
    reason = call.body.get("reason", "")
    ANSWERS[answer](ChangeRequest(call.actor, token, reason=reason), fixture)
    return {"id": fixture, "status": round_serializers.ANSWERED[answer]}


def shown_fixture(actor: Owner, fixture: str) -> Versioned:
    """Return a game with its event, and its version."""
    event, record = found("fixture", load_scheduled(actor, fixture))
    return Versioned(Joined(record, event=event), record.record.version)


def _asked(call: ApiCall, fixture: str, reason: str = "") -> ChangeRequest:
    """Return the change of a game, whose event is found by its id; the version is the game's."""
    event, _ = found("fixture", load_scheduled(call.actor, fixture))
    return ChangeRequest(call.actor, event.token, call.version, reason)


urlpatterns = [
    GAMES.address(
        "events/<str:token>/rounds/<int:number>/fixtures/",
        add_fixture,
        name="api-event-round-fixtures",
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
]
