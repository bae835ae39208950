"""What the API says to faulty calls stays: the status and every sentence, for each key of each body
and much more.

The calls are found in the recorded document of the API (`tests/vectors/openapi.json`, which
`test_document_snapshot.py` compares with the real one); only a good call of each operation stands
here. What is accepted counts too: a reader that takes more or less than before shows. A change that
is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/api/test_refusal_snapshot.py
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.api.battles import SETUP
from tests.api.conftest import document, warrior
from tests.api.refusals import (
    FEW,
    RAW,
    TYPES,
    WRONG,
    Before,
    Call,
    Json,
    World,
    event_of,
    faulty_bodies,
    first,
    make_world,
    put,
    send,
    steady,
)
from tests.conftest import Share
from tests.factories import SYSTEM
from tests.vectors.recorded import check_recorded, is_recording, recorded

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

REFUSALS = "refusals.json"
# Calls of growing campaigns and of catalogues are not recorded here yet: tests/campaigns/test_growth.py
# and tests/api/test_catalogues.py have theirs.
GROWTH = ("/growth/", "/campaign-rules/", "/field/", "/catalogue")
OPERATIONS: Mapping[str, Json] = {
    name: one
    for name, one in recorded("openapi.json").items()
    if not any(part in name for part in GROWTH)
}
SUBJECTS_AT_LEAST = 1000
EXAMPLES = yaml.safe_load(
    (Path(__file__).parents[1] / "engine" / "examples.yaml").read_text(encoding="utf-8")
)

# --- A good call of each operation ----------------------------------------------------------------------------------

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
        "other": world.league.entry("Ben").token,
    },
    "POST /api/v1/events/{token}/challenges/{fixture}/{answer}/": lambda world: {
        "reason": "Thursday",
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
    "POST /api/v1/sheet/",
    "POST /api/v1/warbands/",
    "PUT /api/v1/warbands/{token}/",
    "PATCH /api/v1/clubs/{slug}/",
    "PATCH /api/v1/events/{token}/",
    "POST /api/v1/roll/",
    "POST /api/v1/battles/{token}/result/{verb}/",
}
"""Their bodies are those of others, or read once for each step: fewer faults will do."""
STEPS = {"draw": "2"}
"""The round that a step is for, where it is not the first."""


def question(case: Mapping[str, Any]) -> Json:
    """One of the worked examples as a body of odds/."""
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


# --- Faulty calls ---------------------------------------------------------------------------------------------------

Case = tuple[str, Call, Before | None]
VALUES = ("", "x", "0", "-1", "1.5", "99999", "٣", "%00", "a,b", "x" * 300)
SHOWN = 20
"""Letters of a value that a case is named by."""


def cases(operation: str, world: World) -> Iterator[Case]:
    """Everything that is asked of an operation: a name for the call, the call, and what is done
    before.
    """
    for number, (word, address) in enumerate(addresses(operation, world)):
        call = good(operation, world, address)
        for name, one, before in of_call(operation, call, world):
            yield f"{word}: {name}" if word else name, one, before
        if not number:
            yield from of_parcel(operation, call)


def of_call(operation: str, call: Call, world: World) -> Iterator[Case]:
    yield "as it should be", call, None
    yield from of_callers(call, world)
    yield from of_address(operation, call)
    yield from of_headers(operation, call)
    if operation in GOOD:
        yield from of_body(operation, call)
    yield from of_states(operation, call)


def of_callers(call: Call, world: World) -> Iterator[Case]:
    keyless = {name: value for name, value in (call.body or {}).items() if name != "key"}
    for caller in world.headers:
        yield f"by {caller}", call.changed(caller=caller), None
        if call.body is not None and "key" in call.body:
            without = call.changed(caller=caller, body=keyless)
            yield f"by {caller} without the key", without, None


def of_address(operation: str, call: Call) -> Iterator[Case]:
    """Names of nothing, words that are no name, other methods, and wrong filters."""
    _, template = operation.split(" ")
    places = [part for part in template.split("/") if part.startswith("{")]
    parts = call.address.split("/")
    for place in places:
        index = template.split("/").index(place)
        for value in ("AAAAAAAAAAAAAAAA", "x", "0", "99999", "%F0%9F%8E%B2"):
            other = [*parts[:index], value, *parts[index + 1 :]]
            yield f"{place} is {value}", call.changed(address="/".join(other)), None
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        if f"{method} {template}" not in OPERATIONS:
            yield f"method {method}", call.changed(method=method), None
    for name in parameters(operation, "query"):
        for value in VALUES:
            asked = call.changed(address=f"{call.address}?{name}={value}")
            yield f"?{name} is {value[:SHOWN]}", asked, None


def of_headers(operation: str, call: Call) -> Iterator[Case]:
    known = parameters(operation, "header")
    values = {
        "If-Match": (None, "", '"0"', '"99"', "0", "W/1", "x", '"1", "2"'),
        "Idempotency-Key": ("", "k", "k" * 101, "a b"),
        "X-Battle-Key": ("", "x", "AAAAAAAAAAAAAAAAAAAAAA"),
    }
    for name in known:
        for value in values[name]:
            headers = {key: one for key, one in call.headers.items() if key != name}
            sent = headers if value is None else {**headers, name: value}
            yield f"{name} is {value and value[:SHOWN]}", call.changed(headers=sent), None
    if "Idempotency-Key" in known:
        keyed = call.changed(headers={**call.headers, "Idempotency-Key": "k"})
        yield "the same again", keyed, tolerant(keyed)
        if call.body is None:
            return
        texts = (name for name in ("reason", "name", "scenario") if name in call.body)
        text = next(texts)
        other = keyed.changed(body={**call.body, text: "Other"})
        yield "another with the same key", other, tolerant(keyed)


def tolerant(call: Call) -> Before:
    """The call, if the state lets it be: a result that is not proposed cannot be confirmed."""
    return lambda world: send_and_keep(call, world)


def send_and_keep(call: Call, world: World) -> None:
    try:
        first(lambda _: call)(world)
    except AssertionError:
        return


def of_body(operation: str, call: Call) -> Iterator[Case]:
    labels = FEW if operation in ALIKE else tuple(WRONG)
    for name, body in faulty_bodies(schema_of(operation), call.body, labels, FEW):
        yield name, call.changed(body=body), None
    for name, body in more_bodies(operation):
        yield name, call.changed(body=body), None


def more_bodies(operation: str) -> Iterator[tuple[str, Any]]:
    """Bodies whose inside the document leaves open: questions of odds, and what is recorded of a
    battle.
    """
    path = operation.split(" ")[1]
    if path in ("/api/v1/odds/", "/api/v1/roll/"):
        seen: set[str] = set()
        for case in EXAMPLES:
            if case["call"] in seen:
                continue
            seen.add(case["call"])
            body = question(case)
            yield f"{case['call']} as it should be", body
            if path == "/api/v1/odds/":
                for name, wrong in faulty_bodies({}, body, FEW, FEW):
                    if name.startswith("inputs."):
                        yield f"{case['call']} {name}", wrong
    if path == "/api/v1/battles/{token}/events/":
        for kind, payload in LOG.items():
            yield f"{kind} as it should be", {"events": [event_of(kind, payload)]}


def of_parcel(operation: str, call: Call) -> Iterator[Case]:
    """Bodies that are no JSON of ours, sent as what is none."""
    if operation not in GOOD:
        return
    for name, raw in RAW.items():
        yield f"body of {name}", call.changed(body=raw), None
    for kind in TYPES:
        yield f"sent as {kind or 'nothing'}", call.changed(content_type=kind), None


# --- States ---------------------------------------------------------------------------------------------------------


def the_event(world: World) -> Json:
    return {"pk": world.league.event.pk}


def its_rounds(world: World) -> Json:
    return {"event_id": world.league.event.pk}


def the_fixture(world: World) -> Json:
    return {"pk": world.fixture.pk}


EVENT, ROUND, FIXTURE = "campaigns.ClubEvent", "campaigns.Round", "campaigns.Fixture"
LONG_AGO = "2020-01-01T00:00:00Z"
EVENT_STATES: Mapping[str, Before] = {
    "the event is finished": put(EVENT, the_event, status="finished"),
    "the event is running": put(EVENT, the_event, status="running"),
    "the event is in the archive": put(EVENT, the_event, archived_at=LONG_AGO),
    "the event is public": put(EVENT, the_event, visibility="public"),
    "the event is a round robin": put(EVENT, the_event, method="robin"),
    "the event needs lists": put(EVENT, the_event, needs_list=True),
    **{
        f"the rounds are {status}": put(ROUND, its_rounds, status=status)
        for status in ("planned", "draft", "published", "closed")
    },
    **{
        f"the fixture is {status}": put(FIXTURE, the_fixture, status=status)
        for status in ("asked", "open", "final", "void")
    },
    "the fixture is decided": put(
        FIXTURE, the_fixture, decision="unplayed", status="final"
    ),
    "the fixture is a bye": put(FIXTURE, the_fixture, other=None, status="final"),
}
WARBAND_STATES: Mapping[str, Before] = {
    "it is in the archive": put(
        "warbands.Warband", lambda world: {"pk": world.warband.pk}, archived_at=LONG_AGO
    ),
    "it is private": put(
        "warbands.Warband", lambda world: {"pk": world.warband.pk}, visibility="private"
    ),
    "it is of another system": put(
        "warbands.Warband", lambda world: {"pk": world.warband.pk}, system="mordheim-draft"
    ),
}


def decide(verb: str, caller: str, **body: Any) -> Callable[[World], Call]:
    """A step of the battle's result."""
    return lambda world: Call(
        "POST", f"/api/v1/battles/{world.battle.token}/result/{verb}/", body, {}, caller
    )


PROPOSED = decide("propose", "player", winner="a", how="conceded")
CONFIRMED = decide("confirm", "opponent")
DISPUTED = decide("dispute", "opponent", winner="b", how="conceded", reason="No")
BATTLE_STATES: Mapping[str, Before] = {
    "it is proposed": first(PROPOSED),
    "it is confirmed": first(PROPOSED, CONFIRMED),
    "it is disputed": first(PROPOSED, DISPUTED),
    "it is void": first(PROPOSED, CONFIRMED, decide("void", "player", reason="A test")),
}


def of_states(operation: str, call: Call) -> Iterator[Case]:
    """The good call where things stand otherwise, by everybody whom that may concern."""
    for state, before in states_of(operation).items():
        for caller in ("organiser", "player", "opponent", "stranger", "nobody"):
            yield f"{state}, by {caller}", call.changed(caller=caller), before


def states_of(operation: str) -> Mapping[str, Before]:
    if operation.startswith("GET "):
        return {}
    address = operation.split(" ")[1]
    known = {"events/{": EVENT_STATES, "fixtures/": EVENT_STATES, "warbands/{": WARBAND_STATES,
             "battles/{": BATTLE_STATES}  # fmt: skip
    found = (states for part, states in known.items() if f"/v1/{part}" in address)
    return next(found, {})


# --- The answers ----------------------------------------------------------------------------------------------------


def by_subject(operation: str, world: World) -> dict[str, list[Case]]:
    """The calls of an operation by what they are about: a key of the body, a header, a caller."""
    found: dict[str, list[Case]] = defaultdict(list)
    for name, call, before in cases(operation, world):
        subject, _, fault = steady(name, world).rpartition(" is ")
        found[subject or name].append((fault if subject else "so", call, before))
    return found


def answers(about: list[Case], world: World) -> dict[str, str]:
    """By answer: which calls got it."""
    found: dict[str, list[str]] = defaultdict(list)
    for fault, call, before in about:
        found[send(call, world, before)].append(fault)
    return {answer: "; ".join(faults) for answer, faults in found.items()}


@pytest.fixture
def world(loaded_books: None, db: None) -> World:
    return make_world()


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_refusals_of_an_operation_are_what_they_were(
    operation: str, world: World, share: Share
) -> None:
    calls = by_subject(operation, world)
    assert sum(map(len, calls.values())) >= 13
    subjects = list(calls)
    if not is_recording():
        assert calls.keys() == recorded(REFUSALS)[operation].keys()
        subjects = share(subjects, 3, len(operation))
    found = {subject: answers(calls[subject], world) for subject in subjects}
    check_recorded(REFUSALS, found, part=operation, only=subjects)


LATER = {
    "POST /api/v1/fixtures/{fixture}/accept/",
    "POST /api/v1/events/{token}/rounds/plan/",
    "POST /api/v1/events/{token}/challenges/",
    "POST /api/v1/events/{token}/challenges/{fixture}/{answer}/",
}
"""What this league has no good call of by itself: a result has to be reported, an event be another."""


def test_every_operation_with_a_body_has_a_good_call(world: World) -> None:
    bodies = {name for name, one in OPERATIONS.items() if "requestBody" in one}
    assert bodies == set(GOOD)
    assert set(recorded(REFUSALS)) == set(OPERATIONS)
    assert sum(map(len, recorded(REFUSALS).values())) >= SUBJECTS_AT_LEAST
    for operation in sorted(bodies):
        word, address = next(addresses(operation, world))
        if word not in ("close", "confirm") and operation not in LATER:
            assert send(good(operation, world, address), world).startswith("2"), operation
