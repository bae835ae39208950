"""What a call may be given: names, kinds, ranges and defaults, and the checking of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from engine.errors import Refusal
from engine.records import (
    Fields,
    NamedValues,
    Numbers,
    Texts,
    is_int_within,
    keyword_dataclass,
)


class _Required:
    """The default of an input that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()

ATTACKS_MAX = 20
ALL_ATTACKS_MAX = 30
UNIT_ATTACKS_MAX = 200
MODELS_MAX = 200
GROUPS_MAX = 10
VALUES_MAX = 20
HEIGHT_MAX = 100


@keyword_dataclass
class Input:
    """One input of a call.

    ``kind``: number, height, flag, choice, numbers (a list), group (inputs of its own) or groups (a
    list of those). ``low`` and ``high`` bound a number or each number of a list; ``least`` and
    ``most`` the length of a list. A default of None also lets None be given. ``is_counted`` flags
    may be given as 0 or 1.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    low: int = 0
    high: int = 0
    least: int = 0
    most: int = 0
    choices: Texts = ()
    fields: tuple[Input, ...] = ()
    is_counted: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is REQUIRED


def number(name: str, low: int, high: int, default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="number", low=low, high=high, default=default)


def characteristic(name: str, default: Any = REQUIRED) -> Input:
    """A characteristic as it is put in: 1 to 10.

    Only sums made on the way may go beyond, and are held to 10.
    """
    return number(name, 1, 10, default)


def flag(name: str, *, default: bool = False, is_counted: bool = False) -> Input:
    return Input(name=name, kind="flag", default=default, is_counted=is_counted)


def choice(name: str, choices: Sequence[str], default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="choice", choices=tuple(choices), default=default)


def numbers(each: Input, least: int, most: int, default: Any = REQUIRED) -> Input:
    """Return an input for a list of so many numbers, each of them as ``each`` may be."""
    return replace(each, kind="numbers", least=least, most=most, default=default)


def group(name: str, fields: Sequence[Input], default: Any = REQUIRED) -> Input:
    return Input(name=name, kind="group", fields=tuple(fields), default=default)


def groups(
    name: str, fields: Sequence[Input], least: int, most: int, default: Any = REQUIRED
) -> Input:
    """Return an input that takes ``least`` to ``most`` groups of these fields."""
    return Input(
        name=name,
        kind="groups",
        fields=tuple(fields),
        least=least,
        most=most,
        default=default,
    )


HEIGHT: Final = Input(name="height", kind="height", high=HEIGHT_MAX)
SAVE: Final = number("save", 1, 6, None)
WOUNDS: Final = characteristic("wounds", 1)


def checked(fields: Sequence[Input], given: object, where: str = "") -> Fields:
    """Every input with its value, defaults filled in.

    Raises Refusal naming the input and what it may be.

    Lists come back as tuples, groups as dictionaries.
    """
    if not isinstance(given, Mapping):
        raise Refusal(
            f"{where or 'inputs'}: give an object with names and values.",
            field=where or "inputs",
        )
    known = {field.name: field for field in fields}
    for name in given:
        if not isinstance(name, str) or name not in known:
            path = _path(where, str(name)[:80])
            names = ", ".join(known) or "none"
            raise Refusal(
                f"{path}: there is no such input; there may be {names}.", field=path
            )
    return {name: _value(field, given, where) for name, field in known.items()}


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _value(field: Input, given: NamedValues, where: str) -> Any:
    """Return the checked value of an input, or its default; Refusal if missing."""
    path = _path(where, field.name)
    if field.name not in given:
        if field.is_required:
            raise missing(path)
        return (
            checked(field.fields, {}, path)
            if field.kind == "group" and field.default is not None
            else field.default
        )
    # A default of None says that the input may be left open by giving None, too.
    value = given[field.name]
    if value is None and field.default is None:
        return None
    return _KINDS[field.kind](field, value, path)


def missing(path: str) -> Refusal:
    """The refusal for an input that is needed and was not given."""
    return Refusal(f"{path}: this is needed.", field=path)


def _number(field: Input, value: Any, path: str) -> int:
    """Return a whole number within the bounds; raise Refusal for anything else."""
    if not is_int_within(value, field.low, field.high):
        raise Refusal(
            f"{path}: give a whole number from {field.low} to {field.high}.", field=path
        )
    return value


def _height(field: Input, value: Any, path: str) -> float:
    """Return inches above 0 and within the bound; raise Refusal for others."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value <= field.high
    ):
        raise Refusal(
            f"{path}: give inches, more than 0 and at most {field.high}.", field=path
        )
    return value


def _flag(field: Input, value: Any, path: str) -> bool:
    """Return true or false, 1 and 0 too where counted; raise Refusal for others."""
    if isinstance(value, bool):
        return value
    if field.is_counted and isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise Refusal(f"{path}: give true or false.", field=path)


def _choice(field: Input, value: Any, path: str) -> str:
    if not isinstance(value, str) or value not in field.choices:
        raise Refusal(f"{path}: give one of {', '.join(field.choices)}.", field=path)
    return value


def _list(field: Input, value: Any, path: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or not field.least <= len(value) <= field.most:
        raise Refusal(f"{path}: give a list of {field.least} to {field.most}.", field=path)
    return value


def _numbers(field: Input, value: Any, path: str) -> Numbers:
    return tuple(
        _number(field, item, f"{path}.{place}")
        for place, item in enumerate(_list(field, value, path))
    )


def _group(field: Input, value: Any, path: str) -> Fields:
    return checked(field.fields, value, path)


def _groups(field: Input, value: Any, path: str) -> tuple[Fields, ...]:
    items = _list(field, value, path)
    return tuple(
        checked(field.fields, item, f"{path}.{place}") for place, item in enumerate(items)
    )


_KINDS = {
    "number": _number,
    "height": _height,
    "flag": _flag,
    "choice": _choice,
    "numbers": _numbers,
    "group": _group,
    "groups": _groups,
}
