"""Bodies of the API read into what the operations take. Every fault is told with its place and its limit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from rest_framework.exceptions import ValidationError

from campaigns.models import SIDES_LEAST, SIDES_MOST
from campaigns.operations import QuickSide, RosterSide, SideChoice, WarbandSide

OPENING = (
    "system",
    "variant",
    "scenario",
    "sides",
    "attacker",
    "first",
    "house_rules",
    "note",
    "visibility",
    "fought_date",
    "confirm_days",
)
NOT_NULL = ("note", "visibility", "house_rules", "fought_date", "confirm_days")
FORMS = ("roster", "warband", "quick")
QUICK = ("name", "models", "leadership")
TEXT_MAX = 10_000  # what no text of a body needs; each has its own, lower limit


def opening(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``open_battle``; raises 400."""
    read: dict[str, Any] = {"system": text(body, "system"), "sides": _sides(body["sides"])}
    for name in ("variant", "scenario"):
        read[name] = text(body, name) or None
    for name in ("attacker", "first"):
        read[name] = parse_int(body, name)
    given = {name: body[name] for name in NOT_NULL if name in body}
    if nothing := [name for name, value in given.items() if value is None]:
        raise ValidationError(
            {name: [f"{name} must not be null: leave it out."] for name in nothing}
        )
    read |= {name: text(body, name) for name in ("note", "visibility") if name in given}
    if "confirm_days" in given:
        read["confirm_days"] = parse_int(body, "confirm_days")
    if "house_rules" in given:
        read["house_rules"] = _rules(given["house_rules"])
    if "fought_date" in given:
        read["fought_date"] = _day(text(body, "fought_date"))
    return read


def text(body: Mapping[str, Any], name: str) -> str:
    """A text of the body, "" where it is left out or null; raises 400."""
    value = body.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValidationError({name: [f"{name} must be a text."]})
    if len(value) > TEXT_MAX:
        raise ValidationError(
            {name: [f"{name} must have at most {TEXT_MAX:,} characters, not {len(value):,}."]}
        )
    return value


def parse_int(body: Mapping[str, Any], name: str) -> int | None:
    """A whole number of the body, None where it is left out or null; raises 400."""
    value = body.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValidationError({name: [f"{name} must be a whole number, or null."]})
    return value


def events(body: Mapping[str, Any]) -> list[Any]:
    """The list of events of the body, [] where it is left out; raises 400."""
    value = body.get("events", [])
    if not isinstance(value, list):
        raise ValidationError({"events": ["events must be a list of events."]})
    return value


def _sides(value: Any) -> list[SideChoice]:
    if not isinstance(value, list) or not SIDES_LEAST <= len(value) <= SIDES_MOST:
        raise ValidationError(
            {"sides": [f"sides must be a list of {SIDES_LEAST} to {SIDES_MOST} sides."]}
        )
    return [_side(f"sides[{place}]", one) for place, one in enumerate(value)]


def _side(path: str, value: Any) -> SideChoice:
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in FORMS:
        raise ValidationError(
            {path: [f"{path} must be an object with one of the keys {', '.join(FORMS)}."]}
        )
    form, inner = next(iter(value.items()))
    if form == "roster":
        return RosterSide(inner)
    if form == "warband":
        if not isinstance(inner, str):
            raise ValidationError(
                {f"{path}.warband": [f"{path}.warband must be the id of a warband, a text."]}
            )
        return WarbandSide(inner)
    return _quick(f"{path}.quick", inner)


def _quick(path: str, value: Any) -> QuickSide:
    if not isinstance(value, Mapping):
        raise ValidationError(
            {path: [f"{path} must be an object with the keys {', '.join(QUICK)}."]}
        )
    for key in value:
        if key not in QUICK:
            raise ValidationError(
                {path: [f"{path} has another key; its keys are {', '.join(QUICK)}."]}
            )
    for key in QUICK[:2]:
        if key not in value:
            raise ValidationError({f"{path}.{key}": [f"{path}.{key} is missing."]})
    if not isinstance(value["name"], str):
        raise ValidationError({f"{path}.name": [f"{path}.name must be a text."]})
    return QuickSide(value["name"], value["models"], value.get("leadership"))


def _rules(value: Any) -> dict[str, bool]:
    if not isinstance(value, Mapping):
        raise ValidationError({"house_rules": ["house_rules must be an object of true and false."]})
    return dict(value)


def _day(value: str) -> date:
    try:
        if len(value) != 10:
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise ValidationError(
            {"fought_date": ["fought_date must be a day such as 2025-05-01."]}
        ) from None
