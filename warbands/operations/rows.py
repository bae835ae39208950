"""Writes a roster over the rows it came from: only what differs, in a handful of statements
whatever its size.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import F

from engine.records import Fields, NamedValues, Numbers, frozen_dataclass, named_values
from engine.roster import Roster, RosterEntry, RosterGrowth
from engine.selection import Selection
from warbands.models import Warrior, WarriorOption
from warbands.queries.warbands import Holding, WarriorRows
from warbands.roster_fields import (
    columns_of,
    entry_from_snapshot,
    entry_snapshot,
    growth_json,
    read_growth,
)


@frozen_dataclass
class PaidPrices:
    """What one miniature of an entry paid, and each of its holdings in order."""

    each: int
    holdings: Numbers = ()


# What the JSON of an undo holds besides the warriors, by the field of a roster. System and army
# never change.
_SNAPSHOT_FIELDS = (
    "variant",
    "name",
    "points_limit",
    "scenario",
    "house_rules",
    "rulings",
    "note",
    "tags",
)


def make_snapshot(roster: Roster, rows: WarriorRows) -> Fields:
    """The roster as plain JSON, with ids and prices paid."""
    paid = rows.paid
    values = named_values(roster, *_SNAPSHOT_FIELDS)
    values["growth"] = growth_json(roster.growth)
    return {**values, "warriors": [_entry(entry, rows, paid) for entry in roster.warriors]}


def _entry(entry: RosterEntry, rows: WarriorRows, paid: Mapping[int, int]) -> Fields:
    number = entry.id or 0
    holdings = [holding.paid for holding in rows.holdings.get(number, ())]
    return {**entry_snapshot(entry), "paid": paid[number], "paid_options": holdings}


def restore_snapshot(
    now: Roster, before: NamedValues
) -> tuple[Roster, dict[int, PaidPrices]]:
    """The roster a snapshot holds, and what was paid by warrior id."""
    warriors = before["warriors"]
    # Snapshots of an earlier release hold no tags and no rulings.
    values = {
        "tags": (),
        "rulings": {},
        **{name: before[name] for name in _SNAPSHOT_FIELDS if name in before},
    }
    values["tags"] = tuple(values["tags"])
    values["growth"] = read_growth(before.get("growth"), RosterGrowth)
    roster = replace(now, **values, warriors=tuple(map(entry_from_snapshot, warriors)))
    return roster, {
        w["id"]: PaidPrices(w["paid"], tuple(w["paid_options"])) for w in warriors
    }


# A statement for each is put together faster than one for all as long as there are no more than
# this.
_FEW = 3


@frozen_dataclass
class StoredRows:
    """The rows of a warband as they are in the database."""

    warband_id: int
    rows: WarriorRows
    warriors: dict[int, Warrior]


@frozen_dataclass
class _Line:
    """One entry on its way to its row.

    ``had`` is what the row has bought until now, ``restored`` the prices an undo puts back.
    """

    row: Warrior
    entry: RosterEntry
    selection: Selection
    had: Sequence[Holding]
    restored: PaidPrices | None
    is_new: bool

    @property
    def buys_the_same(self) -> bool:
        return tuple(holding.key for holding in self.had) == self.entry.options

    @property
    def price(self) -> int:
        """What one miniature has paid: restored, or left alone where nothing about it changed, or
        today's price.
        """
        row, entry = self.row, self.entry
        if self.restored is not None:
            return self.restored.each
        is_same = (row.count, row.profile) == (entry.count, entry.profile)
        if is_same and self.buys_the_same and not self.is_new:
            return row.paid_each
        return self.selection.points_each

    @property
    def holding_prices(self) -> Sequence[int]:
        """What each holding paid: restored, else as before where the entry already had it, else
        today's price.
        """
        options = self.entry.options
        if self.restored and len(self.restored.holdings) == len(options):
            return self.restored.holdings
        receipt = self.selection.receipt
        paid = {line.key: line.each for line in receipt if line.key}
        paid |= {holding.key: holding.paid for holding in self.had}
        return [paid.get(key, 0) for key in options]


@frozen_dataclass
class _Change:
    """The columns of a row that differ, and how many places it moves."""

    row: Warrior
    columns: Fields
    places: int


def write_rows(
    stored: StoredRows,
    roster: Roster,
    selections: tuple[Selection, ...],
    paid: Mapping[int, PaidPrices],
) -> Roster:
    """Make the rows say what the roster says; returns the roster with every entry's id.

    ``paid`` are prices to put back as they were (an undo); everything else newly bought or changed
    pays today's price.
    """
    # Removed entries first: what an undo brings back takes the id it had.
    _delete(stored, {entry.id for entry in roster.warriors})
    lines = []
    for entry, selection in zip(roster.warriors, selections, strict=True):
        number = entry.id or 0
        known = stored.warriors.get(number)
        row = known or Warrior(pk=entry.id, warband_id=stored.warband_id)
        had = stored.rows.holdings.get(number, ())
        lines.append(
            _Line(row, entry, selection, had, paid.get(number), is_new=known is None)
        )
    _write_warriors(lines, _positions(stored, roster.warriors))
    _write_holdings([line for line in lines if not line.buys_the_same])
    with_ids = tuple(replace(line.entry, id=line.row.pk) for line in lines)
    return replace(roster, warriors=with_ids)


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
    known = [stored.warriors[e.id] for e in entries if e.id in stored.warriors]
    # The positions there are, given out again to the entries that stay.
    had = sorted((row.position for row in known), reverse=True)
    found: list[int] = []
    for entry in entries:
        least = found[-1] + 1 if found else 0
        found.append(max(had.pop(), least) if entry.id in stored.warriors else least)
    return found


def _write_warriors(lines: Sequence[_Line], positions: Sequence[int]) -> None:
    """Write the rows of the entries themselves: the new ones, then what moves, then what differs."""
    new: list[Warrior] = []
    known: list[_Change] = []
    for line, position in zip(lines, positions, strict=True):
        change = _fill(line, position)
        if line.is_new:
            new.append(line.row)
        else:
            known.append(change)
    if new:
        Warrior.objects.bulk_create(new)
    _move([change for change in known if change.places])
    _update([change for change in known if change.columns])


def _fill(line: _Line, position: int) -> _Change:
    """Put an entry's values on its row; returns what differs."""
    row, entry = line.row, line.entry
    values = columns_of(entry)
    values |= {"paid_each": line.price, "keeps_price": entry.kept is not None}
    columns = {
        column: value for column, value in values.items() if getattr(row, column) != value
    }
    # Places moved are told apart from columns: neighbours that move alike share a statement.
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
        rows = [change.row for change in changes]
        Warrior.objects.bulk_update(rows, ("position",), batch_size=50)
        return
    for places, ids in ways.items():
        Warrior.objects.filter(pk__in=ids).update(position=F("position") + places)


def _update(changes: Sequence[_Change]) -> None:
    if len(changes) > _FEW:
        columns = set().union(*(change.columns for change in changes))
        rows = [change.row for change in changes]
        Warrior.objects.bulk_update(rows, sorted(columns), batch_size=50)
        return
    for change in changes:
        Warrior.objects.filter(pk=change.row.pk).update(**change.columns)


def _write_holdings(lines: Sequence[_Line]) -> None:
    """Replace what these entries have bought."""
    emptied = [line.row.pk for line in lines if line.had]
    bought: list[WarriorOption] = []
    for line in lines:
        bought.extend(
            WarriorOption(warrior_id=line.row.pk, position=place, key=key, paid=paid)
            for place, (key, paid) in enumerate(
                zip(line.entry.options, line.holding_prices, strict=True)
            )
        )
    # All holdings of an entry are written anew: their order is part of what they say.
    if emptied:
        WarriorOption.objects.filter(warrior_id__in=emptied).delete()
    if bought:
        WarriorOption.objects.bulk_create(bought, batch_size=200)
