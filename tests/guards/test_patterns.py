"""No line that somebody sends takes a pattern more than its length.

Outside `engine/` texts meet RE2 alone, which is linear by construction. What is left to `re` is tried
on long lines, and its steps are counted.
"""

import ast
import re
from collections.abc import Iterator
from types import ModuleType

import pytest
import re2
from django.urls.converters import get_converters

from tests.guards.limits import product_modules, text_of
from tests.guards.pattern_steps import is_linear

pytestmark = pytest.mark.one_database

NEVER_FOREIGN = {"config.sqlite3.base": "reads SQL that Django wrote, before every query"}
"""Modules outside the engine that may use `re`, each with the reason."""
EDGES = (
    "api", "views", "forms", "exchange", "interchange", "foreign", "intake", "requests",
)  # fmt: skip
SLOW = (
    r"\s*[\[(]\s*\+?(?:[^\[\]()]*?\s)?(\d{1,6})\s*(?:pts?\.?|points?)\s*[\])]",
    r"[,;](?![^()\[\]]*[)\]])",
    r"[\s,]+(\d{1,6})\s*(?:pts|gc)\s*$",
    r"^(a+)+$",
    r"(?:a|a)*$",
    r"(?:[a-z]+, )*!",
)
LINEAR = (r"^\d{1,6}x", r"[^a-z0-9]+", r"(\d?)D(\d+)", r"[\w.+'-]{1,64}@[\w-]+")


def uses_of_re(module: ModuleType) -> Iterator[ast.AST]:
    for node in ast.walk(ast.parse(text_of(module))):
        if isinstance(node, ast.Import) and any(one.name == "re" for one in node.names):
            yield node
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            yield node


def patterns_within(value: object, kind: type) -> Iterator[object]:
    """Yield the patterns that a value is, holds, or is a method of."""
    if isinstance(value, kind):
        yield value
    elif isinstance(owner := getattr(value, "__self__", None), kind):
        yield owner
    elif isinstance(value, dict | list | tuple | set | frozenset):
        for part in value.values() if isinstance(value, dict) else value:
            yield from patterns_within(part, kind)


def patterns_of(module: ModuleType, kind: type) -> dict[str, object]:
    """The patterns of a module and of its classes, by the name and the place where they stand."""
    classes = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__
    ]
    return {
        f"{name}[{place}]": pattern
        for where in (module, *classes)
        for name, value in vars(where).items()
        if not name.startswith("__")
        for place, pattern in enumerate(patterns_within(value, kind))
    }


def calls_within(module: ModuleType) -> list[str]:
    """Return the calls of `re` that make no pattern of the module itself, which nobody would find.

    A name of `re` that is imported alone is none of its calls any more.
    """
    calls = [
        ast.unparse(node) for node in uses_of_re(module) if isinstance(node, ast.ImportFrom)
    ]
    for statement in ast.parse(text_of(module)).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                is_named = isinstance(statement, ast.Assign) and node.func.attr == "compile"
                calls += [] if is_named else [ast.unparse(node)]
    return calls


@pytest.fixture(scope="module")
def standard() -> dict[str, ModuleType]:
    """The modules that use `re`."""
    return {one.__name__: one for one in product_modules() if any(uses_of_re(one))}


def test_outside_the_engine_patterns_are_those_of_re2(standard):
    outside = {name for name in standard if not name.startswith("engine.")}
    assert outside == set(NEVER_FOREIGN)
    assert not [name for name in NEVER_FOREIGN if set(name.split(".")) & set(EDGES)]
    linear = sum(len(patterns_of(one, re2._Regexp)) for one in product_modules())
    assert linear > 60


def test_patterns_of_the_engine_are_linear(standard: dict[str, ModuleType]) -> None:
    patterns = [
        (f"{name}.{key}", pattern)
        for name, module in standard.items()
        for key, pattern in patterns_of(module, re.Pattern).items()
        if name not in NEVER_FOREIGN
    ]
    assert len(patterns) > 10
    assert not [name for name, pattern in patterns if not is_linear(pattern)]
    assert not [call for module in standard.values() for call in calls_within(module)]


def test_parts_of_addresses_are_linear() -> None:
    parts = {name: re.compile(one.regex) for name, one in get_converters().items()}
    assert len(parts) > 10
    assert not [name for name, pattern in parts.items() if not is_linear(pattern)]


def test_patterns_are_found_wherever_a_module_keeps_them() -> None:
    module = ModuleType("made_up")
    holder = type("Holder", (), {"__module__": "made_up", "SIGN": re.compile("a")})
    values = {"NAME": re.compile("b").fullmatch, "FORMS": ({"x": re.compile("c")},)}
    vars(module).update(values, Holder=holder)
    found = patterns_of(module, re.Pattern)
    assert set(found) == {"SIGN[0]", "NAME[0]", "FORMS[0]"}


@pytest.mark.parametrize("pattern", SLOW)
def test_a_pattern_that_goes_back_too_often_is_noticed(pattern: str) -> None:
    assert not is_linear(re.compile(pattern, re.IGNORECASE))


@pytest.mark.parametrize("pattern", LINEAR)
def test_a_plain_pattern_passes(pattern: str) -> None:
    assert is_linear(re.compile(pattern))
