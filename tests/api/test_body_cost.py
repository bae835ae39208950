"""R36: every list and text of a body at ten times its limit is refused before a lock is taken, in a
short answer.

The places are found in the recorded document of the API.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from battles.operations import log
from tests.api.refusals import Json, Path, World, dotted, places, with_value
from tests.api.test_refusal_snapshot import GOOD, addresses, good, schema_of
from tests.guards.watching import fault_of, locks_taken, taken_back

pytestmark = pytest.mark.django_db

TIMES = 10
UNLIMITED = 2_000  # letters or items, where the document names no limit


def too_much(known: Json, value: Any) -> Iterator[tuple[str, Any]]:
    """What is ten times too much for one place of a body."""
    kinds = known.get("type", ())
    is_text = "string" in kinds or isinstance(value, str)
    if is_text and "enum" not in known:
        yield "letters", "x" * TIMES * known.get("maxLength", UNLIMITED)
    if "array" in kinds or isinstance(value, list):
        item = value[0] if value else "x"
        yield "items", [item] * (TIMES * known.get("maxItems", UNLIMITED))
    if "object" in kinds and "properties" not in known:
        names = range(TIMES * known.get("maxProperties", UNLIMITED // 10))
        yield "names", {f"name-{number}": 1 for number in names}


def value_at(body: Any, path: Path) -> Any:
    for key in path:
        is_there = isinstance(body, list) or (isinstance(body, dict) and key in body)
        if not is_there:
            return None
        body = body[key]
    return body


def bodies(operation: str, body: Any) -> Iterator[tuple[str, Any]]:
    """The good body with too much in one place, for each place that can hold much."""
    for path, known in places(schema_of(operation), body):
        # A bad event is refused by itself, beside those that are taken.
        if path[0] == "events" and len(path) > 1:
            continue
        for what, value in too_much(known, value_at(body, path)):
            yield f"{operation} {dotted(path)}: {what}", with_value(body, path, value)


def api_faults(operation: str, world: World) -> tuple[list[str], int]:
    """What is wrong with the answers of one operation, and how much was sent."""
    address = next(
        address
        for word, address in addresses(operation, world)
        if word not in ("close", "confirm")  # which the state refuses first
    )
    call = good(operation, world, address)
    headers = {**world.headers[call.caller], **call.headers}
    faults, sent = [], 0
    for name, body in bodies(operation, call.body):
        cache.clear()
        with taken_back(), locks_taken() as locks:
            answer = Client(raise_request_exception=False).generic(
                call.method, address, json.dumps(body), call.content_type, headers=headers
            )
        sent += 1
        if fault := fault_of(answer, locks):
            faults.append(f"{name}: {fault}")
    return faults, sent


@pytest.mark.parametrize("operation", sorted(GOOD))
def test_too_much_in_a_body_is_refused_early(world: World, operation: str) -> None:
    faults, sent = api_faults(operation, world)
    assert sent or operation.endswith(("/{step}/", "/print/", "/{member}/", "/screen/"))
    assert not faults, "\n".join(faults)


def test_control_a_batch_that_is_not_checked_first_falls(world, monkeypatch):
    monkeypatch.setattr(log, "check_batch", lambda *args, **kwargs: None)
    faults, _ = api_faults("POST /api/v1/battles/{token}/events/", world)
    assert any("events: items" in fault for fault in faults)
