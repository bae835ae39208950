"""The fields of a roster's entry, and where each is kept: row, snapshot of an undo, document.

Row, undo and document loop over `ENTRY_FIELDS`. What else a new field needs: docs/testing.md.
"""

from collections.abc import Iterable
from typing import Any, Literal, TypeVar

from engine.records import Fields, NamedValues, frozen_dataclass
from engine.roster import MAX_COUNT, EntryGrowth, RosterEntry, RosterGrowth
from warbands.models import KEY_MAX, NAME_MAX, WARRIOR_NOTE_MAX, Warband, Warrior
from warbands.sheet.frozen import from_json, to_json

MAX_OPTIONS = 100
GROWTH_MAX = 20_000
"""Characters of the JSON of what a campaign made of a warband or one of its entries."""

G = TypeVar("G", EntryGrowth, RosterGrowth)
Form = Literal["", "key", "text", "lines", "count", "flag", "keys", "growth"]


@frozen_dataclass
class EntryField:
    """Where one field of `RosterEntry` is kept; "" where it has no place of its own.

    ``column`` is one of `Warrior`, ``snapshot`` a key in the JSON of an undo, ``document`` a key
    in the roster document. ``form`` says what the document may hold there and ``limit`` how much:
    characters, miniatures or options. An ``is_optional`` field is left out of a document while it
    is empty. An ``is_edited`` field is changed by `change_warrior` and the builder's form.
    """

    field: str
    column: str = ""
    snapshot: str = ""
    document: str = ""
    form: Form = ""
    limit: int = 0
    is_optional: bool = False
    is_edited: bool = False


def _stored(
    field: str, form: Form, limit: int = 0, key: str = "", **more: bool
) -> EntryField:
    """A field with a column of its name, and with one key in undo and document."""
    key = key or field
    return EntryField(field, field, key, key, form, limit, **more)


# In the order of the document's keys.
ENTRY_FIELDS = (
    _stored("profile", "key", KEY_MAX),
    _stored("name", "text", NAME_MAX, is_edited=True),
    _stored("count", "count", MAX_COUNT, is_edited=True),
    _stored("is_leader", "flag", key="leader"),
    # Options are rows of their own: see `WarriorOption`.
    EntryField("options", "", "options", "options", "keys", MAX_OPTIONS),
    _stored("lore", "text", KEY_MAX, is_optional=True, is_edited=True),
    _stored("note", "lines", WARRIOR_NOTE_MAX, is_optional=True, is_edited=True),
    _stored("growth", "growth", GROWTH_MAX, is_optional=True),
    EntryField("id", snapshot="id"),
    # The row says whether its `paid_each` is kept. A document is bought anew, at today's prices.
    EntryField("kept", snapshot="kept"),
)
COLUMN_FIELDS = tuple(field for field in ENTRY_FIELDS if field.column)
SNAPSHOT_FIELDS = tuple(field for field in ENTRY_FIELDS if field.snapshot)
DOCUMENT_FIELDS = {field.document: field for field in ENTRY_FIELDS if field.document}
EDITED_FIELDS = {field.field: field for field in ENTRY_FIELDS if field.is_edited}


def build_entry(row: Warrior, options: Iterable[str]) -> RosterEntry:
    """The entry of a row and the keys it has bought."""
    values: Fields = {field.field: getattr(row, field.column) for field in COLUMN_FIELDS}
    values["growth"] = read_growth(row.growth, EntryGrowth)
    price = row.paid_each if row.keeps_price else None
    return RosterEntry(**values, options=tuple(options), id=row.pk, kept=price)


def entry_columns(entry: RosterEntry) -> Fields:
    """The values of an entry by the column of its row."""
    values = {field.column: getattr(entry, field.field) for field in COLUMN_FIELDS}
    return {**values, "growth": growth_json(entry.growth)}


def entry_snapshot(entry: RosterEntry) -> Fields:
    """An entry as the JSON of an undo."""
    return {
        field.snapshot: _to_json(getattr(entry, field.field)) for field in SNAPSHOT_FIELDS
    }


def entry_from_snapshot(data: NamedValues) -> RosterEntry:
    """The entry of an undo's JSON; a key that it was written without has its default."""
    values: Fields = {}
    for field in SNAPSHOT_FIELDS:
        if field.snapshot in data:
            value = data[field.snapshot]
            if field.form == "growth":
                value = read_growth(value, EntryGrowth)
            values[field.field] = tuple(value) if isinstance(value, list) else value
    return RosterEntry(**values)


def entry_document(entry: RosterEntry) -> Fields:
    """An entry as the roster document has it."""
    values = {key: getattr(entry, field.field) for key, field in DOCUMENT_FIELDS.items()}
    return {
        key: _to_json(value)
        for key, value in values.items()
        if value or not DOCUMENT_FIELDS[key].is_optional
    }


def warband_growth(row: Warband) -> RosterGrowth | None:
    """What a campaign made of the warband of a row, None outside campaigns."""
    return read_growth(row.growth, RosterGrowth)


def read_growth(data: Any, of: type[G]) -> G | None:
    """Growth out of its JSON; None for none. Raises SnapshotMismatch for what is no growth."""
    return from_json(data, of) if data else None


def growth_json(growth: EntryGrowth | RosterGrowth | None) -> Fields:
    """Growth as the JSON of a row, empty for none."""
    return to_json(growth) if growth else {}


def _to_json(value: Any) -> Any:
    if isinstance(value, EntryGrowth):
        return to_json(value)
    return list(value) if isinstance(value, tuple) else value
