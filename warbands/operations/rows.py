"""Writes a roster over the rows it came from: only what differs, in a handful of statements whatever its size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.roster import Entry, Roster
from engine.selection import Selection
from warbands.models import Warrior, WarriorOption
from warbands.operations.snapshots import Paid

_COLUMNS = ("position", "profile", "name", "count", "is_leader", "lore", "note", "paid_each")


@dataclass(slots=True)
class Stored:
    """The rows of a warband as they are in the database."""

    warband_id: int
    warriors: dict[int, Warrior]
    holdings: dict[int, list[WarriorOption]]


def write_rows(
    stored: Stored, roster: Roster, selections: tuple[Selection, ...], paid: Mapping[int, Paid]
) -> tuple[Roster, dict[int, int]]:
    """Make the rows say what the roster says. Returns the roster with every entry's id, and what each now has paid.

    ``paid`` are prices to put back as they were (an undo); everything else newly bought or changed pays today's price.
    """
    kept = {entry.id for entry in roster.warriors}
    _delete([pk for pk in stored.warriors if pk not in kept])
    new: list[Warrior] = []
    changed: list[Warrior] = []
    rows: list[Warrior] = []
    for position, (entry, selection) in enumerate(zip(roster.warriors, selections, strict=True)):
        row = stored.warriors.get(entry.id or 0)
        if row is None:
            row = Warrior(pk=entry.id, warband_id=stored.warband_id)
            new.append(row)
        if _fill(row, entry, position, _price(row, entry, selection, stored, paid)) and row not in new:
            changed.append(row)
        rows.append(row)
    if new:
        Warrior.objects.bulk_create(new)
    if len(changed) == 1:
        # Most changes are of one row, and putting a bulk statement together takes longer than the statement.
        changed[0].save(update_fields=_COLUMNS)
    elif changed:
        Warrior.objects.bulk_update(changed, _COLUMNS, batch_size=50)
    _write_holdings(stored, rows, roster.warriors, selections, paid)
    entries = tuple(replace(entry, id=row.pk) for entry, row in zip(roster.warriors, rows, strict=True))
    return replace(roster, warriors=entries), {row.pk: row.paid_each for row in rows}


def _delete(ids: list[int]) -> None:
    if ids:
        WarriorOption.objects.filter(warrior_id__in=ids).delete()
        Warrior.objects.filter(pk__in=ids).delete()


def _price(row: Warrior, entry: Entry, selection: Selection, stored: Stored, paid: Mapping[int, Paid]) -> int:
    """What one miniature has paid: restored, or left alone where nothing about it changed, or today's price."""
    if (restored := paid.get(entry.id or 0)) is not None:
        return restored.each
    is_same = row.pk in stored.warriors and row.count == entry.count and row.profile == entry.profile
    if is_same and _keys(stored, row.pk) == entry.options:
        return row.paid_each
    return selection.points_each


def _keys(stored: Stored, pk: int) -> tuple[str, ...]:
    return tuple(holding.key for holding in stored.holdings.get(pk, ()))


def _fill(row: Warrior, entry: Entry, position: int, price: int) -> bool:
    """Put an entry's values on its row; True when that changed anything."""
    values = (position, entry.profile, entry.name, entry.count, entry.is_leader, entry.lore, entry.note, price)
    before = tuple(getattr(row, column) for column in _COLUMNS)
    for column, value in zip(_COLUMNS, values, strict=True):
        setattr(row, column, value)
    return before != values


def _write_holdings(
    stored: Stored,
    rows: list[Warrior],
    entries: tuple[Entry, ...],
    selections: tuple[Selection, ...],
    paid: Mapping[int, Paid],
) -> None:
    emptied: list[int] = []
    bought: list[WarriorOption] = []
    for row, entry, selection in zip(rows, entries, selections, strict=True):
        if _keys(stored, row.pk) == entry.options:
            continue
        if stored.holdings.get(row.pk):
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


def _holding_prices(stored: Stored, pk: int, entry: Entry, selection: Selection, paid: Mapping[int, Paid]) -> list[int]:
    """What each holding paid: restored, else as before where the entry already had it, else today's price."""
    if pk in paid and len(paid[pk].holdings) == len(entry.options):
        return list(paid[pk].holdings)
    today = {line.key: line.points // line.times for line in selection.receipt if line.key}
    had = {holding.key: holding.paid for holding in stored.holdings.get(pk, ())}
    return [had.get(key, today.get(key, 0)) for key in entry.options]
