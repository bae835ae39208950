"""Writes a roster over the rows it came from: only what differs, in a handful of statements
whatever its size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F

from engine.roster import Roster, RosterEntry
from engine.selection import Selection
from warbands.models import Warrior, WarriorOption
from warbands.queries.warbands import WarriorRows
from warbands.roster_fields import columns_of, entry_from_snapshot, entry_snapshot


@dataclass(frozen=True, slots=True)
class PaidPrices:
    """What one miniature of an entry paid, and each of its holdings in order."""

    each: int
    holdings: tuple[int, ...] = ()


def make_snapshot(roster: Roster, rows: WarriorRows) -> dict[str, Any]:
    """The roster as plain JSON, with ids and prices paid."""
    paid = rows.paid
    return {
        "variant": roster.variant,
        "name": roster.name,
        "points_limit": roster.points_limit,
        "scenario": roster.scenario,
        "house_rules": dict(roster.house_rules),
        "note": roster.note,
        "tags": list(roster.tags),
        "warriors": [_entry(entry, rows, paid) for entry in roster.warriors],
    }


def _entry(entry: RosterEntry, rows: WarriorRows, paid: Mapping[int, int]) -> dict[str, Any]:
    number = entry.id or 0
    holdings = [holding.paid for holding in rows.holdings.get(number, ())]
    return {**entry_snapshot(entry), "paid": paid[number], "paid_options": holdings}


def restore_snapshot(
    now: Roster, before: Mapping[str, Any]
) -> tuple[Roster, dict[int, PaidPrices]]:
    """The roster a snapshot holds, and what was paid by warrior id.

    System and army never change.
    """
    warriors = before["warriors"]
    roster = Roster(
        system=now.system,
        army=now.army,
        name=before["name"],
        points_limit=before["points_limit"],
        variant=before["variant"],
        scenario=before["scenario"],
        house_rules=before["house_rules"],
        note=before["note"],
        tags=tuple(before.get("tags", ())),
        warriors=tuple(map(entry_from_snapshot, warriors)),
    )
    return roster, {w["id"]: PaidPrices(w["paid"], tuple(w["paid_options"])) for w in warriors}


# A statement for each is put together faster than one for all as long as there are no more than
# this.
_FEW = 3


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The rows of a warband as they are in the database."""

    warband_id: int
    rows: WarriorRows
    warriors: dict[int, Warrior]


@dataclass(frozen=True, slots=True)
class _Change:
    """The columns of a row that differ, and how many places it moves."""

    row: Warrior
    columns: dict[str, Any]
    places: int


def write_rows(
    stored: StoredRows,
    roster: Roster,
    selections: tuple[Selection, ...],
    paid: Mapping[int, PaidPrices],
) -> tuple[Roster, dict[int, int]]:
    """Make the rows say what the roster says.

    Returns the roster with every entry's id, and what each now has paid.

    ``paid`` are prices to put back as they were (an undo); everything else newly bought or changed
    pays today's price.
    """
    entries = roster.warriors
    _delete(stored, {entry.id for entry in entries})
    rows = [_row(stored, entry) for entry in entries]
    places = zip(rows, entries, _positions(stored, entries), selections, strict=True)
    changes = [
        _fill(row, entry, position, _price(row, entry, selection, stored, paid))
        for row, entry, position, selection in places
    ]
    _add([row for row in rows if row.pk not in stored.warriors])
    changes = [change for change in changes if change.row.pk in stored.warriors]
    _move([change for change in changes if change.places])
    _update([change for change in changes if change.columns])
    _write_holdings(stored, rows, entries, selections, paid)
    with_ids = (replace(entry, id=row.pk) for entry, row in zip(entries, rows, strict=True))
    return replace(roster, warriors=tuple(with_ids)), {row.pk: row.paid_each for row in rows}


def _row(stored: StoredRows, entry: RosterEntry) -> Warrior:
    """The row of an entry, a new one where it has none; an undo brings back the id it had."""
    return stored.warriors.get(entry.id or 0) or Warrior(pk=entry.id, warband_id=stored.warband_id)


def _add(rows: Sequence[Warrior]) -> None:
    if rows:
        Warrior.objects.bulk_create(rows)


def _delete(stored: StoredRows, kept: set[int | None]) -> None:
    gone = [row for pk, row in stored.warriors.items() if pk not in kept]
    if len(gone) == 1:
        gone[0].delete()
    elif gone:
        Warrior.objects.filter(pk__in=[row.pk for row in gone]).delete()


def _positions(stored: StoredRows, entries: Sequence[RosterEntry]) -> list[int]:
    """A place for each entry, each above the one before.

    Only the order counts, so a gap stays where an entry was removed, and the rows behind it need
    not be written.
    """
    had = sorted(
        (stored.warriors[e.id].position for e in entries if e.id in stored.warriors), reverse=True
    )
    found: list[int] = []
    for entry in entries:
        least = found[-1] + 1 if found else 0
        found.append(max(had.pop(), least) if entry.id in stored.warriors else least)
    return found


def _fill(row: Warrior, entry: RosterEntry, position: int, price: int) -> _Change:
    """Put an entry's values on its row; returns what differs."""
    values = columns_of(entry)
    values |= {"paid_each": price, "keeps_price": entry.kept is not None}
    columns = {column: value for column, value in values.items() if getattr(row, column) != value}
    change = _Change(row, columns, position - (row.position or 0))
    row.position = position
    for column, value in columns.items():
        setattr(row, column, value)
    return change


def _move(changes: Sequence[_Change]) -> None:
    """What goes up or down together moves in one statement."""
    ways: dict[int, list[int]] = defaultdict(list)
    for change in changes:
        ways[change.places].append(change.row.pk)
    if len(ways) > _FEW:
        Warrior.objects.bulk_update(
            [change.row for change in changes], ("position",), batch_size=50
        )
        return
    for places, ids in ways.items():
        Warrior.objects.filter(pk__in=ids).update(position=F("position") + places)


def _update(changes: Sequence[_Change]) -> None:
    if len(changes) > _FEW:
        columns = {column for change in changes for column in change.columns}
        Warrior.objects.bulk_update(
            [change.row for change in changes], sorted(columns), batch_size=50
        )
        return
    for change in changes:
        Warrior.objects.filter(pk=change.row.pk).update(**change.columns)


def _price(
    row: Warrior,
    entry: RosterEntry,
    selection: Selection,
    stored: StoredRows,
    paid: Mapping[int, PaidPrices],
) -> int:
    """What one miniature has paid: restored, or left alone where nothing about it changed, or
    today's price.
    """
    if (restored := paid.get(entry.id or 0)) is not None:
        return restored.each
    is_same = (
        row.pk in stored.warriors and row.count == entry.count and row.profile == entry.profile
    )
    if is_same and stored.rows.keys_of(row.pk) == entry.options:
        return row.paid_each
    return selection.points_each


def _write_holdings(
    stored: StoredRows,
    rows: list[Warrior],
    entries: tuple[RosterEntry, ...],
    selections: tuple[Selection, ...],
    paid: Mapping[int, PaidPrices],
) -> None:
    emptied: list[int] = []
    bought: list[WarriorOption] = []
    for row, entry, selection in zip(rows, entries, selections, strict=True):
        if stored.rows.keys_of(row.pk) == entry.options:
            continue
        if stored.rows.holdings.get(row.pk):
            emptied.append(row.pk)
        prices = _holding_prices(stored, row.pk, entry, selection, paid)
        bought.extend(
            WarriorOption(warrior_id=row.pk, position=place, key=key, paid=prices[place])
            for place, key in enumerate(entry.options)
        )
    if emptied:
        WarriorOption.objects.filter(warrior_id__in=emptied).delete()
    if bought:
        WarriorOption.objects.bulk_create(bought, batch_size=200)


def _holding_prices(
    stored: StoredRows,
    pk: int,
    entry: RosterEntry,
    selection: Selection,
    paid: Mapping[int, PaidPrices],
) -> list[int]:
    """What each holding paid: restored, else as before where the entry already had it, else today's
    price.
    """
    if pk in paid and len(paid[pk].holdings) == len(entry.options):
        return list(paid[pk].holdings)
    today = {line.key: line.points // line.times for line in selection.receipt if line.key}
    had = {holding.key: holding.paid for holding in stored.rows.holdings.get(pk, ())}
    return [had.get(key, today.get(key, 0)) for key in entry.options]
