"""Bodies about clubs' events read key by key into what the operations take. Each fault names its key and limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from rest_framework.exceptions import ValidationError

from campaigns.api.events.asking import flag, mapping, moment, texts
from campaigns.api.reading import parse_int, text
from campaigns.operations.events.making import EventDraft
from campaigns.queries.events.records import ClubEventRecord
from engine.events.scores import Scoring

TEXTS = ("name", "kind", "method", "system", "description", "place", "odd", "visibility")
WHOLES = ("legs", "rounds_planned", "tables", "confirm_days")
FLAGS = ("needs_list", "is_secret", "has_core")
LISTS = ("scenarios", "tie_breaks")
POINTS = ("win", "draw", "loss", "bye", "unplayed")
EVENT_KEYS = (
    *TEXTS,
    "variant",
    "points_limit",
    *WHOLES,
    *FLAGS,
    *LISTS,
    "house_rules",
    "levels",
    "scoring",
)
ROUND_KEYS = ("name", "points_limit", "scenarios", "starts_at", "lists_due_at")
FIGURES = ("out", "destroyed")


def draft_of(record: ClubEventRecord) -> EventDraft:
    """What an event agrees on now, to be changed."""
    known = {one.name for one in fields(EventDraft)}
    return EventDraft(**{name: getattr(record, name) for name in known})


def changed(draft: EventDraft, body: Mapping[str, Any]) -> EventDraft:
    """The draft with what the body says of it; raises 400."""
    return replace(draft, **read_event_body(body, draft.scoring))


def read_event_body(body: Mapping[str, Any], scoring: Scoring | None = None) -> dict[str, Any]:
    """The keys of an event that the body holds, as a draft takes them; raises 400."""
    _no_null(body, (*TEXTS, *WHOLES))
    read: dict[str, Any] = {name: text(body, name) for name in TEXTS if name in body}
    read |= {name: parse_int(body, name) for name in (*WHOLES, "points_limit") if name in body}
    read |= {name: flag(body, name) for name in FLAGS if name in body}
    read |= {name: texts(body, name) for name in LISTS if name in body}
    if "variant" in body:
        read["variant"] = text(body, "variant")
    if "house_rules" in body:
        read["house_rules"] = mapping(body, "house_rules", bool, "true and false")
    if "levels" in body:
        read["levels"] = mapping(body, "levels", str, "texts")
    if "scoring" in body:
        read["scoring"] = _scoring(body["scoring"], scoring or Scoring())
    return read


def planned_round(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``add_round`` that the body holds; raises 400."""
    read: dict[str, Any] = {"name": text(body, "name")} if "name" in body else {}
    if "points_limit" in body:
        read["points_limit"] = parse_int(body, "points_limit")
    if "scenarios" in body:
        read["scenarios"] = texts(body, "scenarios")
    return read | {
        name: moment(body, name) for name in ("starts_at", "lists_due_at") if name in body
    }


def report(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``report_result``; raises 400."""
    read: dict[str, Any] = {name: text(body, name) for name in ("winner", "how", "reason")}
    return read | {"figures": _figures(body["figures"]) if "figures" in body else {}}


def _scoring(value: Any, before: Scoring) -> Scoring:
    if not isinstance(value, Mapping) or not all(_is_whole(one) for one in value.values()):
        raise ValidationError({"scoring": ["scoring must be an object of whole numbers."]})
    for key in value:
        if key not in POINTS:
            raise ValidationError(
                {"scoring": [f"scoring has the keys {', '.join(POINTS)}, no other."]}
            )
    return replace(before, **value)


def _figures(value: Any) -> dict[str, dict[str, int | None]]:
    words = f"figures must be an object of ids, each with {' and '.join(FIGURES)} as whole numbers or null."
    if not isinstance(value, Mapping) or not all(
        isinstance(one, Mapping) for one in value.values()
    ):
        raise ValidationError({"figures": [words]})
    for one in value.values():
        if not all(
            name in FIGURES and (figure is None or _is_whole(figure))
            for name, figure in one.items()
        ):
            raise ValidationError({"figures": [words]})
    return {token: dict(one) for token, one in value.items()}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _no_null(body: Mapping[str, Any], names: tuple[str, ...]) -> None:
    if nothing := [name for name in names if name in body and body[name] is None]:
        raise ValidationError(
            {name: [f"{name} must not be null: leave it out."] for name in nothing}
        )
