"""The limits of the site, found by walking its modules, and a row for each: a call that meets it.

A limit is a whole number named `*_MAX`, `*_LEAST`, `*_MOST` or `MAX_*`. It needs a row when code
compares something with it; one that is only declared (a field's `max_length`) or cuts a list
(`found[:MOST]`) cannot be off by one. Limits of one name and one value share a row. A row's call
gets a size and tells whether that much was taken.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = re.compile(r"^_?(MAX_[A-Z0-9_]+|[A-Z0-9_]+_(MAX|LEAST|MOST))$")
NO_SOURCE = {"tests", "script", "docs", "static", "templates", "var"}
NOW = datetime(2025, 5, 2, tzinfo=UTC)

Key = tuple[str, int]


# What there is


@cache
def product_modules() -> tuple[ModuleType, ...]:
    """Every module of the product but migrations and commands."""
    importlib.import_module(
        "config.urls"
    )  # what other addresses are made of is registered there
    found = []
    for folder in sorted(ROOT.iterdir()):
        has_code = (folder / "__init__.py").exists() or (folder / "apps.py").exists()
        if not has_code or folder.name in NO_SOURCE:
            continue
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if not {"migrations", "management"} & set(parts):
                found.append(
                    importlib.import_module(".".join(parts).removesuffix(".__init__"))
                )
    return tuple(found)


def text_of(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")


def is_limit(name: str, value: object) -> bool:
    return LIMIT.match(name) is not None and isinstance(value, int)


def all_limits() -> set[Key]:
    """Every limit of the product, by its name and value."""
    return {
        (name, value)
        for module in product_modules()
        for name, value in vars(module).items()
        if is_limit(name, value)
    }


def compared_names(tree: ast.Module) -> Iterator[str]:
    for compare in ast.walk(tree):
        if isinstance(compare, ast.Compare):
            for node in ast.walk(compare):
                if isinstance(node, ast.Name | ast.Attribute):
                    yield node.id if isinstance(node, ast.Name) else node.attr


def compared_limits() -> set[Key]:
    values: dict[str, set[int]] = {}
    for name, value in all_limits():
        values.setdefault(name, set()).add(value)
    found: set[Key] = set()
    for module in product_modules():
        for name in set(compared_names(ast.parse(text_of(module)))) & values.keys():
            held = getattr(module, name, None)
            # One that is read through another module may be any of its name.
            found |= {
                (name, value) for value in ({held} if held is not None else values[name])
            }
    return found


# The rows


@dataclass(frozen=True, slots=True)
class Row:
    """A limit and the call that meets it; `lowered` is what it is set to where its own size would
    take too long.
    """

    name: str
    value: int
    takes: Callable[[int], bool]
    lowered: int = 0
    is_least: bool = False

    @property
    def size(self) -> int:
        return self.lowered or self.value


def takes(sentence: str, call: Callable[[], Any]) -> bool:
    """Whether a call does not fail with this sentence; how it fails beyond the limit does not
    matter.
    """
    try:
        call()
    except Exception as error:
        return sentence not in f"{error} {getattr(error, 'message', '')} {_detail(error)}"
    return True


def _detail(error: Exception) -> str:
    return str(getattr(error, "detail", "")) + str(getattr(error, "faults", ""))


def names_of_so_many(size: int) -> list[str]:
    return [f"Name {n}" for n in range(size)]
