"""What organisers decide about games: they accept reported results, or decide in place of
one.
"""

from django.utils import timezone

from accounts.errors import NotFound, Refusal, WrongState
from battles.access import BattleCall
from battles.models import REASON_MAX, Battle, ResultVerb
from battles.operations.results import confirm_by_silence, take_step
from battles.result_rules import Claim
from campaigns.growth.operations.results import record_result
from campaigns.models import SHOWN, Decision, Entry, Fixture, FixtureStatus
from campaigns.operations.fixture_battles import write_fixture
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    check_organises,
    organised_event,
    readable_event,
    round_area,
)
from campaigns.operations.notify import notify_decided
from campaigns.operations.rounds import close_locked_round
from campaigns.operations.rows import find_round, playable_fixture
from warbands.exchange.document import clean_text, shown

# An organiser accepts reported results: one, or all of a round, which may then be closed.
#
# Accepting does what confirming does: it is the same step of a result, taken for no side.
# A disputed result is accepted by itself, so that somebody looks at it.
#
# Events are locked before battles and battles before fixtures, as results lock them. What
# silence has confirmed already is written down as such, and nothing is added to it.

TO_ACCEPT = (FixtureStatus.WAITING, FixtureStatus.DISPUTED)


def accept_result(asked: ChangeRequest, fixture: str) -> None:
    """Confirm the reported result of a game, a disputed one too; by organisers.

    The version expected is the fixture's. What is confirmed already stays so. Raises NotFound,
    NotAllowed, Refusal where nothing was reported, Stale.
    """
    with readable_event(asked) as change:
        check_organises(change)
        row = playable_fixture(change, fixture)
        # Two organisers may accept at once: the second one finds it done.
        if row.status == FixtureStatus.FINAL and not row.decision:
            return
        asked.check_version(row)
        if row.status not in TO_ACCEPT:
            raise WrongState(f"{row.title} has no reported result to accept.")
        _accept(change, row)


def accept_round(asked: ChangeRequest, number: int, *, closes: bool = False) -> int:
    """Confirm every reported result of a round that is not disputed; by organisers.

    Returns how many.

    With ``closes`` the round is closed too, or nothing is accepted.

    Raises Refusal naming the games that keep it open, NotFound, NotAllowed, Stale.
    """
    with organised_event(asked, round_area(number)) as change:
        row = find_round(change.event, number)
        if row.status not in SHOWN:
            raise WrongState(f"{row} is not published yet.")
        games = Fixture.objects.filter(round=row, status=FixtureStatus.WAITING)
        waiting = list(games.select_related("battle").order_by("position"))
        for one in waiting:
            _accept(change, one)
        if closes:
            close_locked_round(change, row)
        return len(waiting)


def _accept(change: LockedEvent, row: Fixture) -> None:
    """One more step of the result, which silence may be due to take instead."""
    battle = Battle.objects.select_for_update().get(fixture=row)
    if not confirm_by_silence(battle, timezone.now()):
        call = BattleCall(change.actor, battle.token)
        take_step(call, ResultVerb.CONFIRM, Claim(reason=change.asked.reason))


# An organiser's decision in place of a battle's result: not played, or a walkover.
#
# It can be taken back.


def decide_fixture(
    asked: ChangeRequest, fixture: str, *, decision: str, decided_for: str = ""
) -> None:
    """Decide a fixture: "unplayed", or "walkover" for the entry ``decided_for``.

    What was told of it before stays.

    By organisers, who say why. The version expected is the fixture's. Raises NotFound, NotAllowed,
    Refusal, Stale.
    """
    with readable_event(asked) as change:
        row = _lock_decided(change, fixture)
        winner = _checked_winner(row, decision, decided_for)
        if (row.decision, row.decided_for_id) == (decision, winner.pk if winner else None):
            return
        words = f"wins by walkover: {winner.name}" if winner else "not played"
        _write_decision(change, row, decision, winner, words)


def undecide_fixture(asked: ChangeRequest, fixture: str) -> None:
    """Take a decision back; the fixture is again what its battle came to. As ``decide_fixture``."""
    with readable_event(asked) as change:
        row = _lock_decided(change, fixture)
        if not row.decision:
            raise Refusal(
                "There is no decision on this game to reverse.",
                field="decision",
            )
        _write_decision(change, row, "", None, "the decision was reversed")


def _lock_decided(change: LockedEvent, fixture: str) -> Fixture:
    """A fixture of an event that the actor runs, locked with its battle.

    They are locked in the order in which results lock them. Raises NotFound, NotAllowed, Stale.
    """
    check_organises(change)
    row = playable_fixture(change, fixture)
    change.asked.check_version(row)
    if row.battle_id is not None:
        row.battle = Battle.objects.select_for_update().get(pk=row.battle_id)
    if Fixture.objects.select_for_update().filter(pk=row.pk).order_by().first() is None:
        raise NotFound("fixture")
    return row


def _checked_winner(fixture: Fixture, decision: str, decided_for: str) -> Entry | None:
    """Whom a walkover is for, None for a fixture that was not played.

    Raises Refusal naming the field.
    """
    if decision not in Decision.values:
        known = " or ".join(Decision.values)
        raise Refusal(
            f"A game can be decided as {known}, not {shown(decision)}.", field="decision"
        )
    if fixture.round.status not in SHOWN:
        raise Refusal(
            f"Round {fixture.round.number} is not published yet. Change the draft instead.",
            field="decision",
        )
    if fixture.other is None:
        raise Refusal("A bye has no result to set.", field="decision")
    # Only games of two count in a table.
    if fixture.third is not None:
        raise Refusal(
            "A three-player game does not count in the standings, so it has no result to set.",
            field="decision",
        )
    if fixture.status == FixtureStatus.ASKED:
        raise Refusal(
            "This challenge is not accepted yet. Withdraw it instead.", field="decision"
        )
    if decision == Decision.UNPLAYED:
        return None
    winner = next((entry for entry in fixture.sides if entry.token == decided_for), None)
    if winner is None:
        raise Refusal(
            "Choose who wins by walkover: one of the two players of this game.",
            field="decided_for",
        )
    return winner


def _write_decision(
    change: LockedEvent, row: Fixture, decision: str, winner: Entry | None, words: str
) -> None:
    """The decision, what the fixture comes to with it, and the line of the log that says why."""
    reason = " ".join(clean_text("reason", change.asked.reason, REASON_MAX).split())
    change = change.with_reason(
        reason, f"Give a reason of at most {REASON_MAX} characters."
    )
    before = {"decision": [row.decision, decision]}
    row.decision, row.decided_for = decision, winner
    Fixture.objects.filter(pk=row.pk).update(decision=decision, decided_for=winner)
    write_fixture(row, row.battle)
    record_result(row, row.battle, change.actor.user_id)
    sentence = f"Decided: {row.title}, round {row.round.number}, {words}."
    change.write("decide", sentence, subject=row.token, changes=before)
    notify_decided(change, row)
