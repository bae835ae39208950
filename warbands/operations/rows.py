"""Writes a roster over the rows it came from: only what differs, in a handful of statements
whatever its size.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.db.models import F, Sum

from accounts.allowance import charge_visitor, json_size
from engine.errors import Refusal
from engine.records import Fields, NamedValues, Numbers, frozen_dataclass, named_values
from engine.roster import MAX_ENTRIES, Roster, RosterEntry, RosterGrowth
from engine.selection import Selection
from warbands.models import Warband, Warrior, WarriorOption
from warbands.queries.warbands import Holding, WarriorRows
from warbands.roster_fields import (
    MAX_OPTIONS,
    entry_columns,
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


SITE_KEY = "warbands:unclaimed"
EVENT_ROW_BYTES = 300  # of a version and its index, without the roster before it
ROWS_PER_JSON = 3  # a roster's rows and indexes take so many times its document


def charge(address: str, value: object, times: int = 1) -> int:
    """Count what a visitor stores, so many times its JSON; return its bytes, 0 without an address.

    Raises ShareUsed, NoRoom.
    """
    if not address:
        return 0
    size = EVENT_ROW_BYTES + times * json_size(value)
    total = Sum("stored_bytes", default=0)
    rows = Warband.objects.filter(owner=None)
    charge_visitor(address, size, SITE_KEY, lambda: rows.aggregate(total=total)["total"])
    return size


def check_size(roster: Roster) -> None:
    """Raises Refusal for more entries or options than a warband may hold."""
    if len(roster.warriors) > MAX_ENTRIES:
        raise Refusal(
            f"A warband may have at most {MAX_ENTRIES} entries. Remove one before you add another."
        )
    if any(len(entry.options) > MAX_OPTIONS for entry in roster.warriors):
        raise Refusal(
            f"A unit can have at most {MAX_OPTIONS} options. Remove one first.",
            field="option",
        )


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
    paid = {row.pk: row.paid_each for row in rows.warriors}
    warriors = []
    for entry in roster.warriors:
        holdings = rows.holdings.get(entry.id or 0, ())
        prices = {
            "paid": paid[entry.id or 0],
            "paid_options": [holding.paid for holding in holdings],
        }
        warriors.append({**entry_snapshot(entry), **prices})
    values = named_values(roster, *_SNAPSHOT_FIELDS)
    return {**values, "growth": growth_json(roster.growth), "warriors": warriors}


def restore_snapshot(
    current: Roster, before: NamedValues
) -> tuple[Roster, dict[int, PaidPrices]]:
    """The roster a snapshot holds, and what was paid by warrior id."""
    warriors = before["warriors"]
    # Snapshots of an earlier release hold no tags and no rulings.
    values: Fields = {"tags": (), "rulings": {}}
    values |= {name: before[name] for name in _SNAPSHOT_FIELDS if name in before}
    values["tags"] = tuple(values["tags"])
    values["growth"] = read_growth(before.get("growth"), RosterGrowth)
    entries = tuple(map(entry_from_snapshot, warriors))
    paid = {w["id"]: PaidPrices(w["paid"], tuple(w["paid_options"])) for w in warriors}
    return replace(current, **values, warriors=entries), paid


# A statement for each is put together faster than one for all as long as there are no more than
# this.
_FEW = 3


def write_rows(
    warband_id: int,
    rows: WarriorRows,
    roster: Roster,
    selections: tuple[Selection, ...],
    paid: Mapping[int, PaidPrices],
) -> Roster:
    """Make the rows say what the roster says; returns the roster with every entry's id.

    ``paid`` are prices to put back as they were (an undo); everything else newly bought or changed
    pays today's price.
    """
    stored: dict[int | None, Warrior] = {row.pk: row for row in rows.warriors}
    # Removed entries first: what an undo brings back takes the id it had.
    _delete(stored.values(), roster)
    new: list[Warrior] = []
    written: list[Warrior] = []
    changed: list[tuple[Warrior, Fields]] = []
    moved: dict[int, list[Warrior]] = defaultdict(list)
    bought: list[tuple[Warrior, Iterable[tuple[str, int]]]] = []
    places = _positions(stored, roster.warriors)
    for entry, selection, place in zip(roster.warriors, selections, places, strict=True):
        number = entry.id or 0
        current = stored.get(entry.id)
        row = current or Warrior(pk=entry.id, warband_id=warband_id)
        holdings, restored = rows.holdings.get(number, ()), paid.get(number)
        keeps = [key for key, _ in holdings] == list(entry.options)
        is_same = keeps and current is not None
        price = _entry_price(row, entry, selection, restored, is_same=is_same)
        columns = _fill(row, entry, price)
        if current is None:
            new.append(row)
        else:
            # Places are told apart from columns: neighbours that move alike share a statement.
            moved[place - current.position].append(row)
            changed.append((row, columns))
        row.position = place
        written.append(row)
        if not keeps:
            prices = _holding_prices(entry, selection, holdings, restored)
            bought.append((row, zip(entry.options, prices, strict=True)))
    moved.pop(0, None)
    emptied = [row.pk for row, _ in bought if row.pk in rows.holdings]
    Warrior.objects.bulk_create(new)
    _move(moved)
    _update(changed)
    _write_holdings(emptied, bought)
    pairs = zip(roster.warriors, written, strict=True)
    warriors = tuple(replace(entry, id=row.pk) for entry, row in pairs)
    return replace(roster, warriors=warriors)


def _delete(stored: Iterable[Warrior], roster: Roster) -> None:
    ids = {entry.id for entry in roster.warriors}
    gone = [row for row in stored if row.pk not in ids]
    if len(gone) == 1:
        gone[0].delete()
    elif gone:
        Warrior.objects.filter(pk__in=[row.pk for row in gone]).delete()


def _positions(
    stored: Mapping[int | None, Warrior], entries: Sequence[RosterEntry]
) -> Sequence[int]:
    """A place for each entry, each above the one before.

    Only the order counts, so a gap stays where an entry was removed, and the rows behind it need
    not be written.
    """
    present = (stored[e.id].position for e in entries if e.id in stored)
    # The positions there are, given out again to the entries that stay.
    free = sorted(present, reverse=True)
    places: list[int] = []
    for entry in entries:
        least = places[-1] + 1 if places else 0
        places.append(max(free.pop(), least) if entry.id in stored else least)
    return places


def _entry_price(
    row: Warrior,
    entry: RosterEntry,
    selection: Selection,
    restored: PaidPrices | None,
    *,
    is_same: bool,
) -> int:
    """What one miniature has paid: restored, or left alone where nothing about it changed, or
    today's price.
    """
    if restored:
        return restored.each
    if is_same and (row.count, row.profile) == (entry.count, entry.profile):
        return row.paid_each
    return selection.points_each


def _fill(row: Warrior, entry: RosterEntry, price: int) -> Fields:
    """Put an entry's values on its row; returns the columns that differ."""
    values = entry_columns(entry)
    values |= {"paid_each": price, "keeps_price": entry.kept is not None}
    columns = {name: value for name, value in values.items() if getattr(row, name) != value}
    for name, value in columns.items():
        setattr(row, name, value)
    return columns


def _holding_prices(
    entry: RosterEntry,
    selection: Selection,
    holdings: Iterable[Holding],
    restored: PaidPrices | None,
) -> Sequence[int]:
    """What each holding paid: restored, else as before where the entry already had it, else
    today's price.
    """
    if restored and len(restored.holdings) == len(entry.options):
        return restored.holdings
    paid = {line.key: line.each for line in selection.receipt if line.key}
    paid |= dict(holdings)
    return [paid.get(key, 0) for key in entry.options]


def _move(moved: Mapping[int, Sequence[Warrior]]) -> None:
    """What goes up or down together moves in one statement."""
    if len(moved) > _FEW:
        rows = [row for group in moved.values() for row in group]
        Warrior.objects.bulk_update(rows, ("position",), batch_size=50)
        return
    for places, group in moved.items():
        ids = [row.pk for row in group]
        Warrior.objects.filter(pk__in=ids).update(position=F("position") + places)


def _update(rows: Sequence[tuple[Warrior, Fields]]) -> None:
    changed = [(row, columns) for row, columns in rows if columns]
    if len(changed) > _FEW:
        names = sorted(set().union(*(columns for _, columns in changed)))
        changed_rows = [row for row, _ in changed]
        Warrior.objects.bulk_update(changed_rows, names, batch_size=50)
        return
    for row, columns in changed:
        Warrior.objects.filter(pk=row.pk).update(**columns)


def _write_holdings(
    emptied: Sequence[int], bought: Iterable[tuple[Warrior, Iterable[tuple[str, int]]]]
) -> None:
    """Replace what these entries have bought: their order is part of what they say."""
    options = [
        WarriorOption(warrior_id=row.pk, position=position, key=key, paid=paid)
        for row, holdings in bought
        for position, (key, paid) in enumerate(holdings)
    ]
    if emptied:
        WarriorOption.objects.filter(warrior_id__in=emptied).delete()
    WarriorOption.objects.bulk_create(options, batch_size=200)
