"""A sheet as plain JSON and back, exactly: what a battle locks is what it shows ever after.

Nothing here knows the fields of a sheet. They are read off the dataclasses, so that a new one is
frozen with the rest. A sheet that an earlier release froze may lack fields (their defaults stand)
or hold some that are gone (left out).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

T = TypeVar("T")


class SnapshotMismatch(ValueError):
    """The JSON is not what these dataclasses freeze to: another shape, or a field without which
    nothing can be made.
    """


def to_json(value: Any) -> Any:
    """Dataclasses as objects, tuples and sets as lists (sets sorted), days as ISO text,
    prices of other tools as text.

    Raises TypeError for others.
    """
    if isinstance(value, str | int | float | None):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return list(map(to_json, value))
    if isinstance(value, frozenset | set):
        return sorted(map(to_json, value))
    if isinstance(value, date | Decimal):
        return str(value)  # of a day its ISO text
    raise TypeError(f"A sheet holds a {type(value).__name__}, which cannot be frozen.")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(
            f"A sheet holds a mapping by {type(key).__name__}; only text comes back the same."
        )
    return key


def from_json(data: Any, of: type[T]) -> T:
    """The value of type ``of`` out of what ``to_json`` made of it. Raises SnapshotMismatch."""
    try:
        # As text, because a strict reader takes lists for tuples and sets only where it reads JSON.
        value: T = _reader_of(cast(Any, of)).validate_json(json.dumps(data), strict=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise SnapshotMismatch(f"{of.__name__}: {error}") from error
    return value


@cache
def _reader_of(kind: type[Any]) -> TypeAdapter[Any]:
    """What reads a type, put together once."""
    return TypeAdapter(kind)


def sha256_of(*parts: Any) -> str:
    """The SHA-256 of JSON values, whatever the order of their keys, as hexadecimal text."""
    # Digests are stored with battles: this form may never change.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
