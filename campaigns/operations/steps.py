"""What a campaign does after a battle: which steps there are, taking one, and taking one back.

Rows are only added.
"""

import secrets
from typing import Any

from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Refusal
from battles.models import REASON_MAX, BattleCombatant
from campaigns import access
from campaigns.fixture_totals import side_entries
from campaigns.models import (
    CareerStep,
    Decision,
    Entry,
    EventKind,
    Fixture,
    FixtureStatus,
)
from campaigns.operations.conflicts import SETTINGS
from campaigns.operations.entries import own_or_organised_entry
from campaigns.operations.log import (
    ChangeRequest,
    LockedEvent,
    lock_event,
    organised_event,
    readable_event,
)
from campaigns.queries.entries import result_words
from campaigns.queries.fixtures import status_now
from engine.growth.tables import dice_of, roll_of
from engine.records import Fields, NamedValues, frozen_dataclass
from engine.tournament.campaign_steps import (
    FATE,
    PAY,
    RECRUITS,
    Steps,
    read_steps,
    to_json,
)
from warbands.exchange.document import clean_text
from warbands.models import NAME_MAX
from warbands.operations import request_keys

REVOKED = "revoked"


@frozen_dataclass
class StepTaken:
    """A step that was taken: its row's id, and what came of it in words."""

    id: int
    words: str


@frozen_dataclass
class _EntryBattle:
    """One entry after one of its battles."""

    change: LockedEvent
    entry: Entry
    fixture: Fixture
    steps: Steps

    def taken(self, kind: str) -> list[CareerStep]:
        """The steps of a kind taken after this battle that count."""
        return list(
            CareerStep.objects.filter(
                entry=self.entry, fixture=self.fixture, kind=kind, revoked_at=None
            )
        )


def set_steps(asked: ChangeRequest, steps: NamedValues) -> None:
    """What a campaign does after a battle from now on, {} for nothing; what was taken stays.

    Raises Refusal for what the schema does not hold or an event that is no campaign, NotFound,
    NotAllowed, Stale.
    """
    with organised_event(asked, f"{SETTINGS}/steps") as change:
        event = change.event
        if event.kind != EventKind.CAMPAIGN:
            raise Refusal("Only campaigns have after-battle rules.", field="steps")
        kept = to_json(read_steps(steps))
        if kept == event.steps:
            return
        changes = {"steps": [event.steps, kept]}
        words = (
            "Changed the after-battle rules." if kept else "Removed the after-battle rules."
        )
        change.write("change", words, changes=changes, steps=kept)


def roll_fate(
    asked: ChangeRequest,
    fixture: str,
    entry: str,
    combatant: str,
    *,
    typed: int | None = None,
) -> StepTaken:
    """The fate of one who was put out of action: rolled here, or ``typed`` from the table.

    By the entry's own player or an organiser, once for each. Raises Refusal naming the field,
    NotFound, NotAllowed.
    """
    with readable_event(asked) as change:
        case = _entry_battle(change, fixture, entry)
        fate = case.steps.fate
        if fate is None:
            raise Refusal("This campaign has no injury table.", field="steps")
        fallen = next((one for one in _fallen(case) if one.key == combatant), None)
        if fallen is None:
            raise Refusal(
                "No model of this name was taken out of action in this battle.",
                field="combatant",
            )
        if any(row.what.get("combatant") == combatant for row in case.taken(FATE)):
            raise Refusal(
                f"The injury of {fallen.name} is already rolled. Reverse it first.",
                field="combatant",
            )
        # Faces are kept where the site rolled; of a roll at the table only the sum is known.
        count, sides = dice_of(fate.dice)
        faces = [secrets.randbelow(sides) + 1 for _ in range(count if typed is None else 0)]
        roll = roll_of(fate.dice, faces) if typed is None else typed
        row = fate.row(roll)
        what = {
            "who": fallen.name,
            "combatant": combatant,
            "number": fallen.number,
            "dice": fate.dice,
            "faces": faces,
            "roll": roll,
            "name": row.name,
            "is_gone": row.is_gone,
            "is_typed": typed is not None,
        }
        words = f"{fallen.name} of {case.entry.name}: {row.name} (rolled {roll} on {fate.dice})."
        return _write_step(case, words, kind=FATE, what=what, warrior_id=fallen.warrior_id)


def collect_pay(asked: ChangeRequest, fixture: str, entry: str) -> StepTaken:
    """What the result earns, once. By the entry's own player or an organiser. Raises as above."""
    with readable_event(asked) as change:
        case = _entry_battle(change, fixture, entry)
        pay = case.steps.pay
        if pay is None:
            raise Refusal("This campaign has no income.", field="steps")
        if case.taken(PAY):
            raise Refusal(
                f"{case.entry.name} already has the income of this battle.", field="fixture"
            )
        result = result_words(case.fixture, case.entry.pk)
        amount = pay.of(result)
        words = f"{case.entry.name} earned {amount} {pay.unit} for a battle {result}."
        what = {"unit": pay.unit, "result": result}
        return _write_step(case, words, kind=PAY, what=what, amount=amount)


def add_recruit(asked: ChangeRequest, fixture: str, entry: str, name: str) -> StepTaken:
    """Somebody who joins after a battle, by name; the player adds them to the warband.

    At most as many as agreed.

    The same ``key`` takes one. Raises as above, and KeyReused.
    """
    printed = request_keys.fingerprint("add_recruit", asked.token, fixture, entry, name)

    def recruit() -> Fields:
        case = _entry_battle(lock_event(asked), fixture, entry)
        if not case.steps.recruits:
            raise Refusal("This campaign has no recruits.", field="steps")
        if len(case.taken(RECRUITS)) >= case.steps.recruits:
            raise Refusal(
                f"At most {case.steps.recruits} can be recruited after a battle.",
                field="name",
            )
        called = clean_text("name", name, NAME_MAX)
        if not called:
            raise Refusal("Enter the name of the recruit.", field="name")
        words = f"{called} joined {case.entry.name}."
        done = _write_step(case, words, kind=RECRUITS, what={"who": called}, amount=1)
        return {"id": done.id, "words": words}

    answer, _ = request_keys.answer_once(asked.actor, asked.key, printed, recruit)
    return StepTaken(**answer)


def revoke_step(asked: ChangeRequest, entry: str, step: int) -> None:
    """A step that counts no more; its row stays, with the reason.

    By the entry's own player or an organiser.

    Raises Refusal without a reason or for one taken back already, NotFound, NotAllowed.
    """
    with readable_event(asked) as change:
        row = own_or_organised_entry(change, entry)
        found = (
            CareerStep.objects.select_for_update(of=("self",))
            .filter(entry=row, pk=step)
            .first()
        )
        if found is None:
            raise NotFound("step")
        if found.revoked_at is not None:
            raise Refusal("This is already reversed.", field="step")
        why = clean_text("reason", " ".join(asked.reason.split()), REASON_MAX)
        change = change.with_reason(
            why, "Reason: give a reason. All players of the campaign can read it."
        )
        CareerStep.objects.filter(pk=found.pk).update(
            revoked_at=timezone.now(), what={**found.what, REVOKED: why}
        )
        words = f"Reversed: {found.what.get('words', found.kind)}"
        change.log("revoke_step", words, subject=row.token)


def _entry_battle(change: LockedEvent, fixture: str, entry: str) -> _EntryBattle:
    """A battle of an entry of the locked event that stands.

    Raises NotFound, NotAllowed, Refusal.
    """
    event, row = change.event, own_or_organised_entry(change, entry)
    rows = Fixture.objects.filter(round__event=event, token=fixture).select_related(
        "battle"
    )
    played = rows.order_by().first()
    if played is None or row.pk not in side_entries(played).values():
        raise NotFound("fixture")
    if played.other_id is None or played.decision == Decision.UNPLAYED:
        raise Refusal(
            "This game has no battle, so there are no after-battle rules.", field="fixture"
        )
    # Silence may have confirmed the result before a row says so.
    if status_now(played.status, played.waits_until, timezone.now()) != FixtureStatus.FINAL:
        raise Refusal("The result is not confirmed. Confirm it first.", field="fixture")
    if event.archived_at is not None and not access.may_organise(change.actor, event):
        raise NotAllowed("This event is archived.")
    return _EntryBattle(change, row, played, read_steps(event.steps))


def _fallen(case: _EntryBattle) -> list[BattleCombatant]:
    """Those of the entry's side that were put out of action."""
    key = next(key for key, pk in side_entries(case.fixture).items() if pk == case.entry.pk)
    rows = BattleCombatant.objects.filter(
        battle=case.fixture.battle_id, side__key=key, is_out=True
    )
    return list(rows.order_by("position")) if case.fixture.battle_id else []


def _write_step(case: _EntryBattle, words: str, **columns: Any) -> StepTaken:
    """Store a step, whose ``what`` keeps the words too, and log it under its kind."""
    columns["what"] = {**columns["what"], "words": words}
    author_id = case.change.actor.user_id
    row = CareerStep.objects.create(
        entry=case.entry, fixture=case.fixture, author_id=author_id, **columns
    )
    case.change.log(row.kind, words, subject=case.entry.token)
    return StepTaken(row.pk, words)
