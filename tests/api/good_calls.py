"""A call of each operation that is accepted, and what the recorded document says of it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.api.battles import SETUP
from tests.api.conftest import document, warrior
from tests.api.refusals import Call, Json, World, event_of
from tests.factories import SYSTEM
from tests.vectors.recorded import recorded

# Calls of growing campaigns and of catalogues are not recorded here yet: tests/campaigns/test_growth.py
# and tests/api/test_catalogues.py have theirs.
GROWTH = ("/growth/", "/campaign-rules/", "/field/", "/catalogue")
OPERATIONS: Mapping[str, Json] = {
    name: one
    for name, one in recorded("openapi.json").items()
    if not any(part in name for part in GROWTH)
}
EXAMPLES = yaml.safe_load(
    (Path(__file__).parents[1] / "engine" / "examples.yaml").read_text(encoding="utf-8")
)

ROSTER = document(
    {**warrior("captain", "halberd", leader=True), "name": "Otto", "note": "Late"},
    {**warrior("battle-wizard", "level-2"), "count": 1, "lore": "Lore of Fire"},
    name="River patrol",
    points_limit=150,
    variant=None,
    scenario="border-skirmish",
    house_rules={"swarms_no_injury_roll": True},
    note="Meet at eight",
)
LEAGUE = {"name": "Spring cup", "kind": "league", "method": "swiss", "system": SYSTEM}
CHANGE = {
    **LEAGUE,
    "points_limit": 150,
    "scenarios": ["border-skirmish"],
    "house_rules": {"swarms_no_injury_roll": True},
    "levels": {"leader.missing": "note"},
    "scoring": {"win": 3, "draw": 1, "loss": 0, "bye": 3, "unplayed": 0},
    "tie_breaks": ["wins"],
}
LOG = {
    "turn": {"number": 1, "side": "a"},
    "phase": {"phase": "movement"},
    "state": {"combatant": "a2", "to": "out_of_action", "by": "b1"},
    "wounds": {"combatant": "a1", "to": 1},
    "mark": {"combatant": "a2", "mark": "hidden"},
    "counter": {"combatant": "a1", "counter": "models", "to": 1},
    "test": {"test": "rout", "side": "a", "passed": True},
    "note": {"text": "They ran for the river."},
    "end": {"winner": "a", "how": "objective"},
    "undo": {"event": "00000000-0000-4000-8000-000000000009"},
}
Body = Callable[[World], Any]
GOOD: Mapping[str, Body] = {
    "POST /api/v1/check/": lambda world: ROSTER,
    "POST /api/v1/sheet/": lambda world: ROSTER,
    "POST /api/v1/convert/in/": lambda world: {
        "system": SYSTEM,
        "text": "Captain - 50\n4 Halberdiers - 20",
        "army": "the-empire",
        "choices": {"1": {"profile": "captain"}},
    },
    "POST /api/v1/convert/out/": lambda world: {"document": ROSTER, "to": "ros"},
    "POST /api/v1/warbands/": lambda world: ROSTER,
    "PUT /api/v1/warbands/{token}/": lambda world: ROSTER,
    "POST /api/v1/clubs/": lambda world: {
        "name": "The Quay",
        "description": "By the water.",
    },
    "PATCH /api/v1/clubs/{slug}/": lambda world: {"name": "The Quay", "is_public": True},
    "POST /api/v1/clubs/join/": lambda world: {"code": world.league.club.code},
    "PATCH /api/v1/clubs/{slug}/members/{member}/": lambda world: {"role": "organiser"},
    "POST /api/v1/clubs/{slug}/seasons/": lambda world: {
        "name": "2026",
        "best": 3,
        "place_points": [5, 3, 1],
        "events": [world.league.token],
    },
    "PATCH /api/v1/clubs/{slug}/seasons/{season}/": lambda world: {"counts": "points"},
    "POST /api/v1/events/{token}/copy/": lambda world: {
        "name": "Autumn cup",
        "players": True,
        "starts_at": "2031-09-01T19:30:00+01:00",
    },
    "POST /api/v1/events/{token}/guests/": lambda world: {"names": ["Walter", "Wilma"]},
    "POST /api/v1/events/{token}/messages/": lambda world: {
        "text": "The doors open at six.",
        "to": "all",
    },
    "POST /api/v1/events/{token}/lists/": lambda world: {
        "warband": world.warband.token,
        "entry": world.league.entry("Ada").token,
    },
    "PATCH /api/v1/events/{token}/lists/{entry}/": lambda world: {
        "check": "sent_back",
        "check_reason": "Too many bows",
    },
    "POST /api/v1/events/{token}/screen/": lambda world: {"step": "on"},
    "POST /api/v1/events/{token}/discord/": lambda world: {
        "step": "set",
        "address": "https://discord.com/api/webhooks/1234567890/Abc-_1234567890",
    },
    "PATCH /api/v1/warbands/{token}/": lambda world: {
        "visibility": "club",
        "club": world.league.club.slug,
        "name": "The Ferrymen",
        "points_limit": 150,
        "scenario": "border-skirmish",
        "house_rules": {"swarms_no_injury_roll": True},
        "note": "Meet at eight",
    },
    "POST /api/v1/events/": lambda world: {**CHANGE, "club": world.league.club.slug},
    "PATCH /api/v1/events/{token}/": lambda world: CHANGE,
    "POST /api/v1/events/{token}/entries/": lambda world: {"name": "Walter"},
    "POST /api/v1/events/{token}/rounds/": lambda world: {
        "name": "Finals",
        "points_limit": 100,
        "starts_at": "2031-05-01T19:30:00+01:00",
        "lists_due_at": "2031-04-30T19:30:00+01:00",
        "scenarios": ["border-skirmish"],
    },
    "POST /api/v1/events/{token}/rounds/{number}/{step}/": lambda world: {},
    "PATCH /api/v1/events/{token}/rounds/{number}/": lambda world: {"name": "Finals"},
    "POST /api/v1/events/{token}/rounds/plan/": lambda world: {"seed": "spring"},
    "POST /api/v1/events/{token}/rounds/{number}/fixtures/": lambda world: {
        "entries": [world.league.entry(name).token for name in ("Ada", "Cleo")],
        "table": 4,
        "scenario": "border-skirmish",
        "is_friendly": True,
    },
    "POST /api/v1/events/{token}/rounds/{number}/lists/": lambda world: {
        "warband": world.warband.token,
        "entry": world.league.entry("Ada").token,
    },
    "POST /api/v1/events/{token}/entries/{entry}/waivers/": lambda world: {
        "code": "type.cavalry",
        "reason": "They have no others",
    },
    "PATCH /api/v1/events/{token}/entries/{entry}/": lambda world: {"name": "Ada the Bold"},
    "POST /api/v1/events/{token}/challenges/": lambda world: {
        "other": world.league.entry("Ben").token
    },
    "POST /api/v1/events/{token}/challenges/{fixture}/{answer}/": lambda world: {
        "reason": "Thursday"
    },
    "PATCH /api/v1/fixtures/{fixture}/": lambda world: {"table": 3, "is_kept": True},
    "POST /api/v1/fixtures/{fixture}/remove/": lambda world: {"reason": "They are away"},
    "POST /api/v1/fixtures/{fixture}/decide/": lambda world: {
        "decision": "walkover",
        "decided_for": world.league.entry("Ada").token,
        "reason": "Ben did not come",
    },
    "POST /api/v1/fixtures/{fixture}/battle/": lambda world: {"sizes": {}},
    "POST /api/v1/events/{token}/rounds/{number}/print/": lambda world: {"paper": "a4"},
    "POST /api/v1/fixtures/{fixture}/accept/": lambda world: {"reason": "Seen"},
    "POST /api/v1/fixtures/{fixture}/swap/": lambda world: {
        "one": world.league.entry("Ben").token,
        "other": world.league.entry("Cleo").token,
        "reason": "They share a car",
    },
    "POST /api/v1/fixtures/{fixture}/result/": lambda world: {
        "winner": world.league.entry("Ada").token,
        "how": "conceded",
        "reason": "It rained",
        "figures": {world.league.entry("Ben").token: {"out": 1, "destroyed": 10}},
    },
    "POST /api/v1/events/{token}/rounds/{number}/results/": lambda world: {
        "results": [
            {"fixture": world.league.fixtures(1)[0].token, "version": 1, "how": "drawn"}
        ]
    },
    "POST /api/v1/battles/": lambda world: {
        **SETUP,
        "sides": [*SETUP["sides"], {"warband": world.warband.token}],
        "attacker": 0,
        "first": 1,
        "fought_date": "2025-05-01",
        "note": "On the bridge",
        "scenario": "border-skirmish",
        "house_rules": {"swarms_no_injury_roll": True},
    },
    "POST /api/v1/battles/{token}/events/": lambda world: {
        "events": [event_of("note", {"text": "Rain."}), event_of("turn", LOG["turn"], 2)],
        "author": "Jost",
        "key": world.battle.key,
    },
    "POST /api/v1/battles/{token}/result/{verb}/": lambda world: {
        "winner": "a",
        "how": "conceded",
        "side": "a",
        "reason": "It rained",
        "events": [event_of("end", {"winner": "a", "how": "conceded"})],
        "author": "Jost",
    },
    "POST /api/v1/odds/": lambda world: question(EXAMPLES[0]),
    "POST /api/v1/roll/": lambda world: {**question(EXAMPLES[0]), "dice": [4, 5]},
}
CALLERS = {
    "PUT /api/v1/warbands/{token}/": "player",
    "PATCH /api/v1/warbands/{token}/": "player",
    "DELETE /api/v1/warbands/{token}/": "player",
    "GET /api/v1/battles/": "player",
    "POST /api/v1/battles/{token}/events/": "player",
    "POST /api/v1/battles/{token}/result/{verb}/": "player",
}
"""Who may make the call where it is not the organiser."""
ALIKE = {
    "POST /api/v1/sheet/", "POST /api/v1/warbands/", "PUT /api/v1/warbands/{token}/",
    "PATCH /api/v1/clubs/{slug}/", "PATCH /api/v1/events/{token}/", "POST /api/v1/roll/",
    "POST /api/v1/battles/{token}/result/{verb}/",
}  # fmt: skip
"""Their bodies are those of others, or read once for each step: fewer faults will do."""
STEPS = {"draw": "2"}
"""The round that a step is for, where it is not the first."""


def question(case: Mapping[str, Any]) -> Json:
    return {
        "system": case["system"],
        "variant": case.get("variant"),
        "call": case["call"],
        "inputs": case["inputs"],
        "rulings": {},
    }


def schema_of(operation: str) -> Json:
    """What the document says of the body; of one with several forms, what is alike in them."""
    body: Json = OPERATIONS[operation]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    if "oneOf" not in body:
        return body
    first, *others = [form["properties"] for form in body["oneOf"]]
    alike = {
        key: one for key, one in first.items() if all(one == form[key] for form in others)
    }
    return {"properties": alike}


def parameters(operation: str, place: str) -> dict[str, Json]:
    return {
        one["name"]: one["schema"]
        for one in OPERATIONS[operation]["parameters"]
        if one["in"] == place
    }


def addresses(operation: str, world: World) -> Iterator[tuple[str, str]]:
    """The address of the good call, once for each word that a part of it may be; with that word."""
    _, template = operation.split(" ")
    known = world.arguments(template)
    choices = {
        name: schema["enum"]
        for name, schema in parameters(operation, "path").items()
        if "enum" in schema and name not in known
    }
    for name, words in choices.items():
        for word in words:
            number = STEPS.get(word, known["number"])
            yield word, template.format(**{**known, name: word, "number": number})
    if not choices:
        yield "", template.format(**known)


def good(operation: str, world: World, address: str) -> Call:
    """The call that is well where the state lets it be."""
    method = operation.split(" ")[0]
    headers = {"If-Match": "*"} if "If-Match" in parameters(operation, "header") else {}
    body = GOOD[operation](world) if operation in GOOD else None
    return Call(method, address, body, headers, CALLERS.get(operation, "organiser"))
