"""What came after battles: the ledger of an entry's steps, and what is still to be rolled, paid and
recruited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from battles.models import BattleCombatant
from campaigns.fixture_totals import SIDES
from campaigns.models import CareerStep
from campaigns.queries.records import EntryRecord, FixtureRecord
from engine.tournament.campaign_steps import FATE, PAY, RECRUITS, Steps

NAMES = {FATE: "Fate", PAY: "Pay", RECRUITS: "Recruit"}


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step as it was taken.

    ``revoked`` is why it counts no more; ``is_stale``: its result says otherwise now.
    """

    id: int
    kind: str
    kind_name: str
    words: str
    amount: int
    fixture: str
    round: int
    by: str
    at: datetime
    is_revoked: bool
    revoked: str
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class DueSteps:
    """What a battle still asks for: the fallen whose fate is not rolled as (key, name), pay, places
    for recruits.
    """

    fixture: str
    round: int
    opponents: str
    fallen: tuple[tuple[str, str], ...]
    pay: int | None
    recruits: int

    def __bool__(self) -> bool:
        return bool(self.fallen or self.recruits or self.pay is not None)


@dataclass(frozen=True, slots=True)
class StepLedger:
    """The steps of an entry, the latest first, what they come to, and what is due."""

    rows: tuple[StepRow, ...]
    unit: str
    total: int
    gone: tuple[str, ...]
    due: tuple[DueSteps, ...]


def load_ledger(
    steps: Steps,
    entry: EntryRecord,
    played: Sequence[FixtureRecord],
    names: Mapping[int, str],
    *,
    may_take: bool,
) -> StepLedger:
    """The ledger of an entry, ``played`` being its fixtures; what is due only where the reader
    ``may_take`` a step.

    Two queries.
    """
    by_token = {one.token: one for one in played}
    taken = list(
        CareerStep.objects.filter(entry=entry.id)
        .select_related("author", "fixture")
        .order_by("-pk")
        .defer("entry__name")
    )
    held = [row for row in taken if row.revoked_at is None]
    return StepLedger(
        rows=tuple(_row(row, entry, by_token) for row in taken),
        unit=steps.pay.unit if steps.pay else _unit_of(taken),
        total=sum(row.amount for row in held if row.kind == PAY),
        gone=_gone(held),
        due=_due(steps, entry, played, names, held) if may_take else (),
    )


def _gone(held: Sequence[CareerStep]) -> tuple[str, ...]:
    """The names of those who are gone for good."""
    return tuple(row.what.get("who", "") for row in held if row.what.get("is_gone"))


def _unit_of(taken: Sequence[CareerStep]) -> str:
    """What was paid last, where nothing is paid any more."""
    return next((row.what.get("unit", "") for row in taken if row.kind == PAY), "")


def result_words(one: FixtureRecord, entry_id: int) -> str:
    """What a fixture that stands is to one of its entries."""
    if one.winner_id is None:
        return "drawn"
    return "won" if one.winner_id == entry_id else "lost"


def _row(row: CareerStep, entry: EntryRecord, by_token: Mapping[str, FixtureRecord]) -> StepRow:
    token = row.fixture.token if row.fixture else ""
    one = by_token.get(token)
    is_stale = one is not None and (
        not one.is_final or (row.kind == PAY and _is_other(one, entry.id, row))
    )
    return StepRow(
        id=row.pk,
        kind=row.kind,
        kind_name=NAMES.get(row.kind, row.kind),
        words=row.what.get("words", ""),
        amount=row.amount,
        fixture=token if one else "",
        round=one.round_number if one else 0,
        by=row.author.display_name if row.author else "",
        at=row.at,
        is_revoked=row.revoked_at is not None,
        revoked=row.what.get("revoked", ""),
        is_stale=is_stale and row.revoked_at is None,
    )


def _is_other(one: FixtureRecord, entry_id: int, row: CareerStep) -> bool:
    """Whether the result is another one than was paid for."""
    return bool(row.what.get("result")) and result_words(one, entry_id) != row.what["result"]


def _due(
    steps: Steps,
    entry: EntryRecord,
    played: Sequence[FixtureRecord],
    names: Mapping[int, str],
    held: Sequence[CareerStep],
) -> tuple[DueSteps, ...]:
    """One for each battle that stands and still asks for something, the latest first.

    One query, none where nothing comes after a battle.
    """
    if not steps:
        return ()
    fought = [one for one in played if one.is_final and one.is_game]
    fallen = _fallen(fought, entry.id) if steps.fate else {}
    taken = _steps_by_fixture(held)
    due = (
        DueSteps(
            fixture=one.token,
            round=one.round_number,
            opponents=one.opponents(entry.id, names),
            fallen=_open_fates(fallen.get(one.battle_id or 0, ()), taken[one.token]),
            pay=_open_pay(steps, result_words(one, entry.id), taken[one.token]),
            recruits=_open_recruits(steps, taken[one.token]),
        )
        for one in reversed(fought)
    )
    return tuple(filter(None, due))


def _steps_by_fixture(held: Sequence[CareerStep]) -> Mapping[str, Sequence[CareerStep]]:
    """By the token of the fixture, "" for those that belong to none."""
    found: defaultdict[str, list[CareerStep]] = defaultdict(list)
    for row in held:
        found[row.fixture.token if row.fixture else ""].append(row)
    return found


def _open_fates(
    fallen: Iterable[tuple[str, str]], taken: Sequence[CareerStep]
) -> tuple[tuple[str, str], ...]:
    """Of those who fell, whose fate is not rolled."""
    rolled = {row.what.get("combatant") for row in taken if row.kind == FATE}
    return tuple(pair for pair in fallen if pair[0] not in rolled)


def _open_pay(steps: Steps, result: str, taken: Sequence[CareerStep]) -> int | None:
    """What this result pays; None where nothing is paid, or it was."""
    is_paid = any(row.kind == PAY for row in taken)
    return steps.pay.of(result) if steps.pay and not is_paid else None


def _open_recruits(steps: Steps, taken: Sequence[CareerStep]) -> int:
    """How many may still be recruited."""
    return max(0, steps.recruits - sum(row.kind == RECRUITS for row in taken))


def _fallen(fought: Sequence[FixtureRecord], entry_id: int) -> dict[int, list[tuple[str, str]]]:
    """By battle, those of the entry's side that were put out of action. One query."""
    sides = {one.battle_id: SIDES[one.ids.index(entry_id)] for one in fought if one.battle_id}
    rows = BattleCombatant.objects.filter(battle__in=list(sides), is_out=True)
    found: dict[int, list[tuple[str, str]]] = {}
    for battle, side, key, name in rows.order_by("position").values_list(
        "battle_id", "side__key", "key", "name"
    ):
        if sides.get(battle) == side:
            found.setdefault(battle, []).append((key, name))
    return found
