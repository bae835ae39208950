"""Frozen values made from other values that share their field names."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeGuard, TypeVar, dataclass_transform

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
JsonObject = dict[str, Any]
"""An object of JSON: its values by key."""
Fields = dict[str, Any]
"""Values by name: fields of a form, columns of a row, what a template draws."""
NamedValues = Mapping[str, Any]
"""Values of any type by name, which whoever is given them only reads."""
TextByKey = dict[str, str]
"""A text for each key."""
NumberByKey = Mapping[str, int]
"""A whole number for each key, which whoever is given them only reads."""
Numbers = tuple[int, ...]
"""Whole numbers in an order that means something: scores, faces, cuts."""
TextPairs = tuple[tuple[str, str], ...]
"""Keys or figures, each with the words or the value that stand beside it."""
ChoiceList = list[tuple[str, str]]
"""What may be chosen in a form: keys, each with the words that stand for it."""
Texts = tuple[str, ...]
"""Keys, names or sentences of a record, in the order of their source."""


def copy_fields(record_class: type[T], source: object, /, **others: Any) -> T:
    """Return a record whose fields are the attributes of ``source``, but for those in ``others``.

    A field that ``source`` lacks takes its default; raises TypeError where it has none.
    """
    kind: Any = record_class
    shared = {
        name: getattr(source, name)
        for name in _field_names(kind)
        if name not in others and hasattr(source, name)
    }
    return record_class(**shared, **others)


def named_values(source: object, *names: str) -> dict[str, Any]:
    """Return these attributes of ``source`` by name, in this order."""
    return {name: getattr(source, name) for name in names}


def grouped(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Return the values of each key; keys and values stay in their order."""
    found: dict[K, list[T]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def is_int_within(value: object, least: float, most: float) -> TypeGuard[int]:
    """Return whether it is a whole number from ``least`` to ``most``."""
    # To Python true and false are whole numbers, to JSON and to people they are not.
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


@cache
def _field_names(record_class: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record_class) if field.init)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(record_class: type[T]) -> type[T]:
    """Make a dataclass whose values cannot change and take no fields beyond those declared."""
    return dataclass(frozen=True, slots=True)(record_class)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_dataclass(record_class: type[T]) -> type[T]:
    """Make the same whose values are given by name alone.

    So a class that inherits from it may add values without a default.
    """
    return dataclass(frozen=True, slots=True, kw_only=True)(record_class)
