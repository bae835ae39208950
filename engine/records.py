"""Frozen values made from other values that share their field names."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def copy_fields(record_class: type[T], source: object, **others: Any) -> T:
    """Return a record whose fields are the attributes of ``source``, but for those in ``others``.

    A field that ``source`` lacks takes its default; raises TypeError where it has none.
    """
    shared = {
        name: getattr(source, name)
        for name in _field_names(record_class)
        if name not in others and hasattr(source, name)
    }
    return record_class(**shared, **others)


def named_values(source: object, *names: str) -> dict[str, Any]:
    """Return these attributes of ``source`` by name, in this order."""
    return {name: getattr(source, name) for name in names}


@cache
def _field_names(record_class: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record_class) if field.init)
