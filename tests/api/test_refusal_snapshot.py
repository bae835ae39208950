"""What the API answers to faulty calls stays: status, code and fields, for each key of each body and
much more.

The calls are found in the recorded document of the API (`tests/vectors/openapi.json`, which
`test_document_snapshot.py` compares with the real one); only a good call of each operation stands
here. What is accepted counts too: a reader that takes more or less than before shows. A change that
is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/api/test_refusal_snapshot.py
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.api.good_calls import (
    ALIKE,
    EXAMPLES,
    GOOD,
    LOG,
    OPERATIONS,
    addresses,
    good,
    parameters,
    question,
    schema_of,
)
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
    put,
    send,
    steady,
)
from tests.vectors.recorded import RECORD, check_recorded, is_recording, recorded

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

REFUSALS = "refusals.json"
SUBJECTS_AT_LEAST = 1000
SHARE = 13
"""One subject of so many in the plain run, each operation beginning elsewhere."""

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
        texts = (
            name for name in ("reason", "name", "scenario", "text") if name in call.body
        )
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
    found: dict[str, list[str]] = defaultdict(list)
    for fault, call, before in about:
        found[steady(send(call, world, before), world)].append(fault)
    return {answer: "; ".join(faults) for answer, faults in found.items()}


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_refusals_of_an_operation_are_what_they_were(operation, world, share):
    calls = by_subject(operation, world)
    assert sum(map(len, calls.values())) >= 13
    subjects = list(calls)
    if not is_recording():
        held = recorded(REFUSALS)[operation].keys()
        assert calls.keys() == held, (
            f"{REFUSALS} knows other faults of {operation}: {sorted(calls.keys() ^ held)}. "
            f"If that is meant, run this file alone with {RECORD}=1."
        )
        subjects = share(subjects, SHARE, len(operation))
    found = {subject: answers(calls[subject], world) for subject in subjects}
    check_recorded(REFUSALS, found, part=operation, only=subjects)


LATER = {
    "POST /api/v1/fixtures/{fixture}/accept/",
    "POST /api/v1/events/{token}/rounds/plan/",
    "POST /api/v1/events/{token}/challenges/",
    "POST /api/v1/events/{token}/challenges/{fixture}/{answer}/",
    "PATCH /api/v1/events/{token}/lists/{entry}/",
}
"""What this league has no good call of by itself: a result has to be reported, a list be handed in,
an event be another.
"""


def test_every_operation_with_a_body_has_a_good_call(world: World) -> None:
    bodies = {name for name, one in OPERATIONS.items() if "requestBody" in one}
    assert bodies == set(GOOD)
    assert set(recorded(REFUSALS)) == set(OPERATIONS)
    assert sum(map(len, recorded(REFUSALS).values())) >= SUBJECTS_AT_LEAST
    for operation in sorted(bodies):
        word, address = next(addresses(operation, world))
        if word not in ("close", "confirm") and operation not in LATER:
            assert send(good(operation, world, address), world).startswith("2"), operation
