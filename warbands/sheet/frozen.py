"""A sheet as plain JSON and back, exactly: what a battle locks is what it shows ever after.

Nothing here knows the fields of a sheet. They are read off the dataclasses, so that a new one is
frozen with the rest. A sheet that an earlier release froze may lack fields (their defaults stand)
or hold some that are gone (left out).
"""

import hashlib
import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
JsonReader = Callable[[Any], Any]
PLAIN_TYPES = (str, int, float, bool, type(None))


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
        return {_key(key): to_json(one) for key, one in value.items()}
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
        thawed: T = _reader_of(cast(Any, of))(data)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise SnapshotMismatch(f"{of.__name__}: {error}") from error
    return thawed


def sha256_of(*parts: Any) -> str:
    """The SHA-256 of JSON values, whatever the order of their keys, as hexadecimal text."""
    # Digests are stored with battles: this form may never change.
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _reader_of(kind: Any) -> JsonReader:
    """The function that thaws this type, put together once."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _dataclass_reader(kind)
    if origin in (Union, types.UnionType):
        return _union_reader(inner)
    if origin is tuple:
        return _tuple_reader(inner)
    if origin is frozenset:
        member = _reader_of(inner[0])
        return lambda data: frozenset(map(member, _checked_type(list, data)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        value = _reader_of(inner[1])
        return lambda data: {
            key: value(one) for key, one in _checked_type(dict, data).items()
        }
    return _plain_reader(kind)


def _plain_reader(kind: Any) -> JsonReader:
    if kind is date:
        return lambda data: date.fromisoformat(_checked_type(str, data))
    if kind is Decimal:
        return lambda data: Decimal(_checked_type(str, data))
    if kind is Any or get_origin(kind) is Literal:
        return lambda data: data
    if kind in PLAIN_TYPES:
        return lambda data: _plain(kind, data)
    raise TypeError(f"A sheet declares {kind}, which cannot be thawed.")


def _dataclass_reader(kind: Any) -> JsonReader:
    hints = get_type_hints(kind)
    known = [
        (f.name, hints[f.name], f.default is MISSING and f.default_factory is MISSING)
        for f in fields(kind)
    ]

    def run(data: Any) -> Any:
        given = _checked_type(dict, data)
        for name, _, is_needed in known:
            if is_needed and name not in given:
                raise ValueError(f"{name} is missing")
        return kind(
            **{
                name: _reader_of(hint)(given[name])
                for name, hint, _ in known
                if name in given
            }
        )

    return run


def _union_reader(kinds: tuple[Any, ...]) -> JsonReader:
    """None, one of the plain types, or the one other type. Two others could not be told apart."""
    plain = tuple(kind for kind in kinds if kind in PLAIN_TYPES)
    others = [kind for kind in kinds if kind not in plain]
    if len(others) > 1:
        raise TypeError(f"A sheet declares one of {others}, which cannot be told apart.")

    def run(data: Any) -> Any:
        if type(data) in plain:
            return data
        if not others:
            raise ValueError(
                f"{data!r:.40} is none of {', '.join(kind.__name__ for kind in plain)}"
            )
        return _reader_of(others[0])(data)

    return run


def _tuple_reader(inner: tuple[Any, ...]) -> JsonReader:
    if len(inner) == 2 and inner[1] is Ellipsis:
        member = inner[0]
        return lambda data: tuple(
            _reader_of(member)(one) for one in _checked_type(list, data)
        )
    return lambda data: tuple(
        _reader_of(kind)(one)
        for kind, one in zip(inner, _checked_type(list, data), strict=True)
    )


def _checked_type(kind: type[T], data: Any) -> T:
    if not isinstance(data, kind):
        raise ValueError(f"{data!r:.40} is no {kind.__name__}")
    return data


def _plain(kind: type, data: Any) -> Any:
    if type(data) is not kind and not (kind is float and type(data) is int):
        raise ValueError(f"{data!r:.40} is no {kind.__name__}")
    return data
