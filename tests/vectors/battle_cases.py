"""The shared cases of battles, written out: what both the server's and the browser's fold are held
to.

A file names a system (and variant), ``fields`` of sides, ``cases`` and ``checks``. A side lists its
``combatants``, or says how many ``models`` it has and what the ``leader`` and the ``others`` are
like. An event is ``[kind, payload]`` (the device "p" records it, its place is its id and seq) or
whole. A case may name the ``scenario``, the ``rulings``, ``house_rules`` and the ``edition`` it is
played by. In a
payload ``{"repeat": [text, times]}`` stands for a long text. A case ``expect``s the
parts of the state that it names; every verdict it does not name is "".
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.battles.rules import BattleRules
from engine.battles.types import Combatant, Event, Field, Side
from engine.roster import EDITION, Agreement
from rulesdata import registry

FOLDER = Path(__file__).parent / "battles"
AT = "2026-03-01T19:30:00Z"
CHECKED_ID = "00000000-0000-4000-8000-000000000001"


@dataclass(frozen=True)
class Case:
    """One case: what happened, and what it must come to.

    ``suggests`` and ``likely_end`` are None where unsaid.
    """

    name: str
    rules: BattleRules
    field: Field
    events: tuple[Event, ...]
    expect: dict[str, Any]
    suggests: list[Any] | None
    likely_end: Any

    def verdicts(self) -> dict[str, str]:
        return {event.id: "" for event in self.events} | self.expect.get("verdicts", {})


@dataclass(frozen=True)
class Check:
    """One event by itself and what is said against it."""

    name: str
    rules: BattleRules
    field: Field
    event: Event
    says: str


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.json"))


def cases() -> Iterator[Case]:
    for path in files():
        data = json.loads(path.read_text())
        fields = {name: field_of(sides) for name, sides in data["fields"].items()}
        for case in data["cases"]:
            agreed = Agreement(
                scenario=case.get("scenario", ""),
                rulings=tuple(map(tuple, case.get("rulings", ()))),
                house_rules=tuple(case.get("house_rules", ())),
                edition=case.get("edition", EDITION),
            )
            yield Case(
                name=f"{path.stem}: {case['name']}",
                rules=registry.battle_rules(data["system"], data["variant"], agreed),
                field=fields[case["field"]],
                events=tuple(
                    event_of(given, place) for place, given in enumerate(case["events"], 1)
                ),
                expect=case["expect"],
                suggests=case.get("suggests"),
                likely_end=case.get("likely_end", "unsaid"),
            )


def checks() -> Iterator[Check]:
    for path in files():
        data = json.loads(path.read_text())
        rules = registry.battle_rules(data["system"], data["variant"])
        fields = {name: field_of(sides) for name, sides in data["fields"].items()}
        for place, check in enumerate(data.get("checks", []), 1):
            kind, payload = check["event"]
            around = {"id": CHECKED_ID, "device": "p", "seq": 1, "at": AT} | check.get(
                "with", {}
            )
            field = (
                fields[check["field"]] if "field" in check else next(iter(fields.values()))
            )
            event = Event(**around, kind=kind, payload=long_texts(payload))
            yield Check(
                f"{path.stem} {place}: {kind} {str(payload)[:60]}",
                rules,
                field,
                event,
                check["says"],
            )


def field_of(sides: list[dict[str, Any]]) -> Field:
    return Field(tuple(side_of(side) for side in sides))


def side_of(data: dict[str, Any]) -> Side:
    listed = data.get("combatants") or list(_many(data))
    words = ("kinds", "traits")
    combatants = tuple(
        Combatant(
            side=data["id"], **{**one, **{key: tuple(one.get(key, ())) for key in words}}
        )
        for one in listed
    )
    return Side(
        data["id"],
        data["name"],
        data.get("size", len(combatants)),
        data.get("leadership"),
        combatants,
        data.get("part", ""),
    )


def _many(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number in range(1, data["models"] + 1):
        is_leader = number == 1 and "leader" in data
        figures = data["leader"] if is_leader else data.get("others", {})
        name = f"{data['name']} {number}"
        yield {
            "id": f"{data['id']}{number}",
            "name": name,
            "is_leader": is_leader,
            **figures,
        }


def event_of(given: Any, place: int) -> Event:
    if isinstance(given, list):
        kind, payload = given
        return Event(str(place), "p", place, AT, kind, long_texts(payload))
    return Event(
        given["id"],
        given["device"],
        given["seq"],
        given.get("at", AT),
        given["kind"],
        given["payload"],
    )


def long_texts(payload: Any) -> Any:
    if not isinstance(payload, dict):
        return payload
    return {key: _repeated(value) for key, value in payload.items()}


def _repeated(value: Any) -> Any:
    return (
        value["repeat"][0] * value["repeat"][1]
        if isinstance(value, dict) and "repeat" in value
        else value
    )


def falls_short(expected: Any, found: Any, place: str = "") -> list[str]:
    """Where a state differs from the parts of it that were expected."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            fault
            for key, value in expected.items()
            for fault in (
                falls_short(value, found[key], f"{place}/{key}")
                if key in found
                else [f"{place}/{key}: missing"]
            )
        ]
    return [] if expected == found else [f"{place}: {found!r}, expected {expected!r}"]
