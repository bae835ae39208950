"""Rule systems by what they have, with the smallest one that there can be (tests/packs)."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest

from engine.types.systems import System
from rulesdata import registry
from rulesdata.builders.system import build_system
from rulesdata.pack_files.folders import PACKS, read_system

TEST_PACKS = Path(__file__).parent / "packs"
SMALLEST = "five-rules"


def systems_with(*parts: str) -> list[System]:
    """Every system, in each variant, whose pack has all these parts, the smallest included.

    A part is a field of System that is not empty, or ``battle``: the file battle.yaml.
    """
    return [one for one in _systems() if all(_has(one, part) for part in parts)]


def keys_with(*parts: str) -> list[str]:
    """The same without the smallest, each of several variants once, in the site's order."""
    found = {one.key for one in systems_with(*parts)}
    return [key for key in registry.systems() if key in found]


def each_system(*parts: str) -> pytest.MarkDecorator:
    """Run a test for ``key`` and ``variant`` of each system that has these parts."""
    keys = [(one.key, one.variant) for one in systems_with(*parts)]
    return pytest.mark.parametrize("key,variant", keys)


@cache
def _systems() -> tuple[System, ...]:
    return (
        *registry.rulesets(),
        build_system(read_system(TEST_PACKS / "systems" / SMALLEST)),
    )


def _has(one: System, part: str) -> bool:
    if part != "battle":
        return bool(getattr(one, part))
    packs = TEST_PACKS if one.key == SMALLEST else PACKS
    return any((packs / "systems" / one.key).rglob("battle.yaml"))


def some_of(books: Sequence[System], of: int, start: int = 0) -> pytest.MarkDecorator:
    """Run a test for each ``book``: for one of so many in the plain run, for all under --soak."""
    ids = [book.address for book in books]
    return pytest.mark.parametrize("book", in_turn(books, of, start), ids=ids)


def in_turn(cases: Iterable[Any], of: int, start: int = 0) -> list[Any]:
    """Return cases to parametrize with, of which one in so many is run without --soak."""
    return [
        pytest.param(case, marks=() if number % of == start else pytest.mark.soak)
        for number, case in enumerate(cases)
    ]


def is_about_smallest(values: dict[str, Any]) -> bool:
    """Return whether a parameter of a case is the smallest system, its key, name or address."""
    return any(_key(value) in (SMALLEST, "Five Rules") for value in values.values())


def _key(value: object) -> object:
    return value.key if isinstance(value, System) else value


@contextmanager
def smallest_packs() -> Iterator[None]:
    """Put the packs of tests/packs in the place of the site's, and beside what was read of these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "PACKS", TEST_PACKS)
        empty = {cached.__name__: _emptied(cached) for cached in registry._CACHED}
        for name, cached in empty.items():
            patch.setattr(registry, name, cached)
        patch.setattr(registry, "_CACHED", tuple(empty.values()))
        yield


def _emptied(cached: Any) -> Any:
    return lru_cache(cached.cache_parameters()["maxsize"])(cached.__wrapped__)
