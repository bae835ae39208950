"""Frozen values made from other values that share their field names."""

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
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


@cache
def _field_names(record_class: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record_class) if field.init)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_dataclass(record_class: type[T]) -> type[T]:
    """Make a dataclass whose values cannot change and take no fields beyond those declared."""
    return dataclass(frozen=True, slots=True)(record_class)
