"""Numbers that are declared once stay what they are: limits, sizes, times, and what a record has
where nothing is said.

A change that is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/guards/test_constants.py
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.guards.limits import product_modules, text_of
from tests.vectors.recorded import check_recorded

pytestmark = pytest.mark.one_database


def is_figure(value: object) -> bool:
    """Return whether a value is a number, or a collection of texts and numbers with a number in it."""
    if isinstance(value, Mapping):
        return is_figure([*value.keys(), *value.values()])
    if isinstance(value, tuple | list | set | frozenset):
        parts = list(value)
        is_plain = all(is_figure(one) or isinstance(one, str) for one in parts)
        return is_plain and any(map(is_figure, parts))
    return isinstance(value, int | float)


def names_assigned(module: ModuleType) -> Iterator[str]:
    """Yield the names of a module that it gives a value itself."""
    for statement in ast.parse(text_of(module)).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            found = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            yield from (node.id for node in found if isinstance(node.ctx, ast.Store))


def constants_of(module: ModuleType) -> dict[str, Any]:
    held = {name: getattr(module, name, None) for name in names_assigned(module)}
    return {
        name: shown(value)
        for name, value in held.items()
        if name.isupper() and is_figure(value)
    }


def defaults_of(module: ModuleType) -> dict[str, Any]:
    """The numbers and flags that the records of a module have where nothing is said."""
    records = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__ and is_dataclass(one)
    ]
    return {
        f"{record.__name__}.{one.name}": shown(one.default)
        for record in records
        for one in fields(record)
        if is_figure(one.default)
    }


def shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): shown(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return [shown(one) for one in value] if isinstance(value, tuple | list) else value


def test_numbers_that_are_declared_stay_what_they_are() -> None:
    found = {
        module.__name__: {**constants_of(module), **defaults_of(module)}
        for module in product_modules()
        # Settings come from the environment.
        if not module.__name__.startswith("config.settings")
    }
    told = {name: held for name, held in found.items() if held}
    assert len(told) > 100
    check_recorded("constants.json", told)
