"""The names of the fields that are written into rows: of a frozen sheet, its findings and a
battle's sides.

`tests/vectors/frozen_fields.json` lists them from the root down, with their types, and no name of a
class: classes may be renamed, fields may not, for rows of every age are read by them. A field more
is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/warbands/test_frozen_fields.py
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from engine.battles.types import Combatant, Field, Side
from engine.findings.case import Finding
from tests.vectors.recorded import check_recorded
from warbands.sheet.structure import RosterSheet

ROOTS = {
    "sheet": RosterSheet,
    "finding": Finding,
    "combatant": Combatant,
    "side": Side,
    "field": Field,
}
FIELDS_AT_LEAST = 250


def shape(kind: Any, above: tuple[Any, ...] = ()) -> Any:
    """A type as JSON: an object for a dataclass, [member] for many alike, its name for a plain one."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return "itself" if kind in above else _fields(kind, (*above, kind))
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    if origin in (Union, types.UnionType):
        return _either([shape(one, above) for one in inner])
    if origin is tuple and inner[-1] is not Ellipsis:
        return {f"place {number}": shape(one, above) for number, one in enumerate(inner)}
    if origin in (tuple, list):
        return [shape(inner[0], above)]
    if origin in (frozenset, set):
        return {"sorted": shape(inner[0], above)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"by text": shape(inner[1], above)}
    return "anything" if kind is Any else "null" if kind is type(None) else kind.__name__


def _fields(kind: Any, above: tuple[Any, ...]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {_label(field): shape(hints[field.name], above) for field in fields(kind)}


def _label(field: Any) -> str:
    """A field with a question mark behind it has a default: rows without it can be read."""
    is_needed = field.default is MISSING and field.default_factory is MISSING
    return field.name if is_needed else f"{field.name}?"


def _either(shapes: list[Any]) -> Any:
    plain = [one for one in shapes if isinstance(one, str)]
    whole = [one for one in shapes if not isinstance(one, str)]
    return {"one of": [*sorted(plain), *whole]} if whole else " or ".join(sorted(plain))


def count(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(count, value.values()))
    return sum(map(count, value)) if isinstance(value, list) else 0


def test_fields_written_into_rows_keep_their_names() -> None:
    found = {name: shape(root) for name, root in ROOTS.items()}
    assert count(found) >= FIELDS_AT_LEAST
    check_recorded("frozen_fields.json", found)
