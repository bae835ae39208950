"""An organiser's word in the place of a battle's result: not played, or won without a battle. It can be taken back."""

from __future__ import annotations

from django.db import transaction

from accounts.owner import Owner
from campaigns.errors import NotFound, Refusal, StaleEvent
from campaigns.models import REASON_MAX, Battle, ClubEvent, Decision, Entry, Fixture, FixtureStatus
from campaigns.operations.events.counting import title_of, write_fixture
from campaigns.operations.events.ledger import lock_organised_event, write_event, write_log
from campaigns.operations.events.playing import SHOWN, entries_of, lock_fixture
from campaigns.operations.events.telling import notify_decided
from warbands.exchange.limits import clean_text, shown


def decide_fixture(
    actor: Owner,
    token: str,
    fixture: str,
    *,
    decision: str,
    decided_for: str = "",
    reason: str,
    expected: int | None = None,
) -> None:
    """Decide a fixture: "unplayed", or "walkover" for the entry ``decided_for``. What was told of it before stays.

    By organisers, who say why. ``expected`` is the fixture's version. Raises NotFound, NotAllowed, Refusal, StaleEvent.
    """
    with transaction.atomic():
        event, row = _lock_fixture(actor, token, fixture, expected)
        winner = _checked_winner(row, decision, decided_for)
        if (row.decision, row.decided_for_id) == (decision, winner.pk if winner else None):
            return
        words = f"wins without a battle: {winner.name}" if winner else "not played"
        _write_decision(actor, event, row, decision, winner, reason, words)


def undecide_fixture(
    actor: Owner, token: str, fixture: str, *, reason: str, expected: int | None = None
) -> None:
    """Take a decision back; the fixture is again what its battle came to. As ``decide_fixture``."""
    with transaction.atomic():
        event, row = _lock_fixture(actor, token, fixture, expected)
        if not row.decision:
            raise Refusal(
                "Nothing was decided about this fixture, so there is nothing to take back.",
                field="decision",
            )
        _write_decision(actor, event, row, "", None, reason, "the decision was taken back")


def _lock_fixture(
    actor: Owner, token: str, fixture: str, expected: int | None
) -> tuple[ClubEvent, Fixture]:
    """The event and the fixture, both locked, and its battle with them, in the order in which results lock them."""
    event = lock_organised_event(actor, token)
    _, row = lock_fixture(actor, token, fixture)
    if expected is not None and expected != row.version:
        raise StaleEvent(row.version, expected)
    if row.battle_id is not None:
        row.battle = Battle.objects.select_for_update().get(pk=row.battle_id)
    if Fixture.objects.select_for_update().filter(pk=row.pk).order_by().first() is None:
        raise NotFound("fixture")
    return event, row


def _checked_winner(fixture: Fixture, decision: str, decided_for: str) -> Entry | None:
    """Whom a walkover is for, None for a fixture that was not played. Raises Refusal naming the field."""
    if decision not in Decision.values:
        known = " or ".join(Decision.values)
        raise Refusal(f"A fixture is decided as {known}, not {shown(decision)}.", field="decision")
    if fixture.round.status not in SHOWN:
        raise Refusal(
            f"Round {fixture.round.number} is not published yet: change the draft instead.",
            field="decision",
        )
    if fixture.other is None:
        raise Refusal("A bye counts as it is; there is nothing to decide.", field="decision")
    if fixture.third is not None:
        raise Refusal(
            "A table of three counts in no table, so there is nothing to decide.", field="decision"
        )
    if fixture.status == FixtureStatus.ASKED:
        raise Refusal(
            "This challenge was not answered yet. Take it back instead.", field="decision"
        )
    if decision == Decision.UNPLAYED:
        return None
    winner = next((entry for entry in entries_of(fixture) if entry.token == decided_for), None)
    if winner is None:
        raise Refusal(
            "Say who wins without a battle: one of the two who should have met.",
            field="decided_for",
        )
    return winner


def _write_decision(
    actor: Owner,
    event: ClubEvent,
    row: Fixture,
    decision: str,
    winner: Entry | None,
    reason: str,
    words: str,
) -> None:
    """The decision, what the fixture comes to with it, and the line of the log that says why."""
    reason = " ".join(clean_text("reason", reason, REASON_MAX).split())
    if not reason:
        raise Refusal(f"Say why, in at most {REASON_MAX} characters.", field="reason")
    before = {"decision": [row.decision, decision]}
    row.decision, row.decided_for = decision, winner
    Fixture.objects.filter(pk=row.pk).update(decision=decision, decided_for=winner)
    write_fixture(row, row.battle)
    write_event(event)
    sentence = f"Decided: {title_of(row)}, round {row.round.number}, {words}."
    write_log(event, actor, "decide", sentence, subject=row.token, reason=reason, changes=before)
    notify_decided(event, row, actor, reason)
