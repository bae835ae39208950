"""An organiser's decision in place of a battle's result: not played, or a walkover. It can be taken
back.

Events are locked before battles and battles before fixtures, as for results.
"""

from accounts.errors import Refusal
from battles.models import Battle
from campaigns.growth.operations.results import record_result
from campaigns.models import SHOWN, Decision, Entry, Fixture, FixtureStatus
from campaigns.operations.fixture_battles import write_fixture
from campaigns.operations.log import (
    ChangeRequest,
    check_organises,
    readable_event,
)
from campaigns.operations.notify import fixture_path, list_users, tell
from campaigns.operations.rows import playable_fixture
from warbands.exchange.document import shown


def decide_fixture(
    request: ChangeRequest, fixture: str, *, decision: str, decided_for: str = ""
) -> None:
    """Decide a fixture: "unplayed", or "walkover" for the entry ``decided_for``.

    "" takes a decision back: the fixture is again what its battle came to. What was reported stays.

    By organisers, who say why. The version expected is the fixture's. Raises NotFound, NotAllowed,
    Refusal, Stale.
    """
    with readable_event(request) as change:
        check_organises(change)
        row = playable_fixture(change, fixture)
        request.check_version(row)
        if row.battle_id is not None:
            row.battle = Battle.objects.select_for_update().get(pk=row.battle_id)
        Fixture.objects.select_for_update().get(pk=row.pk)
        winner, outcome = None, "the decision was reversed"
        if decision:
            winner = _check_decision(row, decision, decided_for)
            outcome = f"wins by walkover: {winner.name}" if winner else "not played"
        elif not row.decision:
            raise Refusal("There is no decision on this game to reverse.", field="decision")
        if (row.decision, row.decided_for_id) == (decision, winner and winner.pk):
            return
        change = change.with_reason("Give a reason. The other players read it.")
        changes = {"decision": [row.decision, decision]}
        row.decision, row.decided_for = decision, winner
        Fixture.objects.filter(pk=row.pk).update(decision=decision, decided_for=winner)
        write_fixture(row, row.battle)
        record_result(row, row.battle, request.actor.user_id)
        sentence = f"Decided: {row.title}, round {row.round.number}, {outcome}."
        change.write("decide", sentence, subject=row.token, changes=changes)
        event, label = change.event, "the decision was reversed"
        if decision:
            label = Decision(decision).label.lower()
        sentence = f"{event.name}, {row.title}: {label}. {change.why}"
        tell(change, list_users(row), "decided", sentence, fixture_path(event, row))


def _check_decision(fixture: Fixture, decision: str, decided_for: str) -> Entry | None:
    """Return whom a walkover is for, None for a fixture that was not played.

    Raises Refusal naming the field.
    """
    problem = ""
    if decision not in Decision.values:
        decisions = " or ".join(Decision.values)
        problem = f"A game can be decided as {decisions}, not {shown(decision)}."
    elif fixture.round.status not in SHOWN:
        number = fixture.round.number
        problem = f"Round {number} is not published yet. Change the draft instead."
    elif fixture.other is None:
        problem = "A bye has no result to set."
    elif fixture.status == FixtureStatus.ASKED:
        problem = "This challenge is not accepted yet. Withdraw it instead."
    if problem:
        raise Refusal(problem, field="decision")
    if decision == Decision.UNPLAYED:
        return None
    for entry in fixture.sides:
        if entry.token == decided_for:
            return entry
    raise Refusal(
        "Choose who wins by walkover: one of the players of this game.",
        field="decided_for",
    )
