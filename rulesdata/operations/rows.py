"""Rows of packs and clubs' lists: their columns, and how they are made equal to a file."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import filterfalse
from typing import Any

from django.db import models as django_models
from django.utils import timezone

from engine.records import frozen_dataclass, named_values
from rulesdata.models import Armour, Army, MagicItem, Profile, Scenario, Weapon
from rulesdata.own_lists import dump
from rulesdata.schema.equipment import MOUNT
from rulesdata.schema.lists import OwnListFile

# SQLite takes a limited number of values in one statement.
BATCH = 200

Model = type[django_models.Model]
Values = Mapping[str, Any]
Key = tuple[Any, ...]
Wanted = Mapping[Key, Values]


# Columns


@frozen_dataclass
class Listed:
    """A record of a file, with its plain data, its place in the file and the name of its army."""

    record: Any
    data: Any
    position: int = 0
    army: str = ""


def listed(records: Iterable[Any], data: Iterable[Any], army: str = "") -> list[Listed]:
    """Records of a file in their order. Raises ValueError where the plain data does not match."""
    pairs = zip(records, data, strict=True)
    return [Listed(record, raw, place, army) for place, (record, raw) in enumerate(pairs)]


def _army(entry: Listed) -> Values:
    file = entry.record
    data = {"edition": file.edition, "army_rules": list(file.army_rules)}
    return {"name": file.name, "data": data}


def _weapon(entry: Listed) -> Values:
    """Return the columns of a weapon's row, with range and Strength as printed."""
    weapon = entry.record
    return {
        **named_values(weapon, "name", "type"),
        "range": _printed(weapon.range),
        "strength": _printed(weapon.strength),
        "data": entry.data,
    }


def _printed(figure: object) -> str:
    return "" if figure is None else str(figure)


def _armour(entry: Listed) -> Values:
    """Return the columns of the row of a piece of armour."""
    piece = entry.record
    return {
        "name": piece.name,
        "save_value": piece.save,
        "improves": piece.improves or 0,
        "data": entry.data,
    }


def _magic_item(entry: Listed) -> Values:
    """Return the columns of a magic item's row, with its price in points."""
    item = entry.record
    return {
        **named_values(item, "name", "type", "points"),
        "is_unique": bool(item.one_per_army),
        "data": entry.data,
    }


def _profile(entry: Listed) -> Values:
    """Return the columns of a unit's row, with its price in points."""
    unit = entry.record
    is_mount = unit.category == MOUNT
    champion = unit.champion.name if unit.champion else ""
    parts = [
        unit.name,
        unit.model_name,
        entry.army,
        champion,
        *unit.special_rules,
        *unit.lores,
    ]
    parts += [option.name for option in unit.options]
    return {
        **named_values(unit, "name", "category", "troop_type", "points"),
        "model_name": unit.model_name or "",
        "miniatures": unit.miniatures or 1,
        "position": entry.position,
        "is_offered": unit.offered is None and not is_mount,
        "is_mount": is_mount,
        "is_special_character": bool(unit.special_character),
        "is_wizard": bool(unit.wizard),
        # The source leaves a wizard without a level open.
        "is_incomplete": bool(
            unit.incomplete or (unit.wizard and unit.wizard_level is None)
        ),
        "has_doubts": any((unit.doubts, unit.incomplete, unit.corrected)),
        "search": " ".join(dict.fromkeys(filter(None, parts))).lower(),
        "data": entry.data,
    }


def _scenario(entry: Listed) -> Values:
    # What a battle of it changes is read from the files, as everything else of its rules.
    columns = entry.record.model_dump(exclude={"id", "sets", "sides"})
    sides = [side.model_dump(exclude_defaults=True) for side in entry.record.sides]
    return {**columns, "sides": sides, "position": entry.position}


COLUMNS: Mapping[Model, Callable[[Listed], Values]] = {
    Army: _army,
    Weapon: _weapon,
    Armour: _armour,
    MagicItem: _magic_item,
    Profile: _profile,
    Scenario: _scenario,
}
"""What each table says of a record, in packs and in clubs' lists alike."""


def build_rows(model: Model, records: Iterable[Listed], *before: Any) -> dict[Key, Values]:
    """The rows that records want, by key; ``before`` are the parts of a key before the id."""
    columns = COLUMNS[model]
    return {(*before, entry.record.id): columns(entry) for entry in records}


# What a load did


@dataclass(slots=True)
class RowCounts:
    """How many rows of one kind were created, updated, retired and left alone."""

    created: int = 0
    updated: int = 0
    retired: int = 0
    unchanged: int = 0

    def add(self, *, is_new: bool) -> None:
        """Count a single row that was made or written anew."""
        self.created += is_new
        self.updated += not is_new

    @property
    def has_any(self) -> bool:
        return bool(self.created or self.updated or self.retired or self.unchanged)


@dataclass(slots=True)
class Report:
    """What a load did, by kind of row, and when.

    ``unchanged_packs`` were not looked at because no file of theirs changed.
    """

    tallies: dict[str, RowCounts] = field(default_factory=dict)
    unchanged_packs: list[str] = field(default_factory=list)
    at: datetime = field(default_factory=timezone.now)

    def tally(self, model: Model) -> RowCounts:
        return self.tallies.setdefault(str(model._meta.verbose_name_plural), RowCounts())

    def lines(self) -> list[str]:
        """The report for people, one line for each kind of row."""
        lines = [
            (
                f"{name}: {t.created} created, {t.updated} updated, {t.retired} retired, "
                f"{t.unchanged} unchanged"
            )
            for name, t in self.tallies.items()
            if t.has_any
        ]
        return lines + [f"{name}: nothing has changed" for name in self.unchanged_packs]


# Writing


@frozen_dataclass
class RowScope:
    """The rows that a file decides about: those of ``model`` with these values in ``where``.

    A scope says whose rows it means by ``club``: None for the packs'. ``by`` names the columns of
    a key; ``created`` are values only a new row gets.
    """

    model: type[Any]
    where: Values
    by: tuple[str, ...] = ("key",)
    created: Values = field(default_factory=dict)

    def row_key(self, row: Any) -> Key:
        return tuple(getattr(row, column) for column in self.by)

    def new_row(self, key: Key, values: Values) -> Any:
        fixed = {name: value for name, value in self.where.items() if "__" not in name}
        return self.model(
            **fixed, **self.created, **dict(zip(self.by, key, strict=True)), **values
        )


@frozen_dataclass
class Changes:
    """What has to be written for a scope to hold what is wanted."""

    new: list[Any]
    changed: list[Any]
    gone: list[Any]
    unchanged: int


def sync(scope: RowScope, wanted: Wanted, report: Report) -> dict[Key, Any]:
    """Make the rows of a scope what is wanted, and return them by key.

    New ones are made, changed ones updated, missing ones retired. One query, and those that write.
    """
    existing = find_rows(scope)
    changes = compare_rows(scope, existing, wanted, report.at)
    write_rows(scope.model, changes, next(iter(wanted.values()), {}))
    tally = report.tally(scope.model)
    tally.created += len(changes.new)
    tally.updated += len(changes.changed)
    tally.retired += len(changes.gone)
    tally.unchanged += changes.unchanged
    live = {key: row for key, row in existing.items() if key in wanted}
    return live | {scope.row_key(row): row for row in changes.new}


def find_rows(scope: RowScope) -> dict[Key, Any]:
    """The rows that are there by key, the retired among them."""
    rows = scope.model._default_manager.filter(**scope.where)
    return {scope.row_key(row): row for row in rows}


def compare_rows(
    scope: RowScope, existing: Mapping[Key, Any], wanted: Wanted, at: datetime
) -> Changes:
    """What differs; the rows hold the new values already. A row that comes back is not retired."""
    remaining = [key for key in existing if key in wanted]
    changed = [existing[key] for key in remaining if _fill(existing[key], wanted[key])]
    others = map(existing.__getitem__, filterfalse(wanted.__contains__, existing))
    gone = [row for row in others if row.retired_at is None]
    # Nothing is deleted: a warband may still have it.
    for row in gone:
        row.retired_at = at
    new = [
        scope.new_row(key, values) for key, values in wanted.items() if key not in existing
    ]
    return Changes(new, changed, gone, unchanged=len(remaining) - len(changed))


def _fill(row: Any, values: Values) -> bool:
    """Set the columns of a row that is wanted; whether one of them was another."""
    fresh = {**values, "retired_at": None}
    different = {
        name: value for name, value in fresh.items() if getattr(row, name) != value
    }
    for name, value in different.items():
        setattr(row, name, value)
    return bool(different)


def write_rows(model: type[Any], changes: Changes, columns: Iterable[str]) -> None:
    model._default_manager.bulk_create(changes.new, batch_size=BATCH)
    # Rows that nothing changed in are not written, which is most of them at most loads.
    if old := [*changes.changed, *changes.gone]:
        model._default_manager.bulk_update(old, [*columns, "retired_at"], batch_size=BATCH)


# Clubs' lists

OWN_TABLES: tuple[tuple[str, Model], ...] = (
    ("weapons", Weapon),
    ("armour", Armour),
    ("magic_items", MagicItem),
    ("units", Profile),
)
"""The parts of a club's list that have rows, and their table."""
HEAD = ("name", "collection", "base")
"""Keys of a list's file that are columns; what has neither rows nor a column is in ``data``."""


def project(row: Army, file: OwnListFile) -> None:
    """Write the list's row and the rows of its records; those that left the file are put away.

    Within a transaction.
    """
    report, elsewhere = Report(), {*HEAD, *(part for part, _ in OWN_TABLES)}
    row.name = file.name
    row.data = {key: value for key, value in dump(file).items() if key not in elsewhere}
    row.save()
    for part, model in OWN_TABLES:
        where: dict[str, Any] = {"army": row, "club_id": row.club_id}
        if model in (Weapon, Armour):
            where["collection"] = row.collection
        records = getattr(file, part)
        wanted = build_rows(model, listed(records, map(dump, records), file.name))
        sync(RowScope(model, where), wanted, report)
