"""The edges of what may be recorded, and the order of what was."""

import uuid
from typing import Any

import pytest

from engine.battles.event_fold import fold, sort_events
from engine.battles.payloads import check_event, event_key
from engine.battles.sentences import LIMITS, SENTENCES, message
from engine.battles.types import Combatant, Event, Field, Side
from rulesdata import registry

RULES = registry.battle_rules("warhammer-skirmish")
FIELD = Field(
    tuple(
        Side(key, key.upper(), 1, None, (Combatant(f"{key}1", key, "One", 1, 7, True),))
        for key in "ab"
    )
)
NOTE = {"text": "x"}


def event(**changes: object) -> Event:
    given = {
        "id": str(uuid.UUID(int=1)),
        "device": "p",
        "seq": 1,
        "at": "2026-03-01T19:30:00Z",
        "kind": "note",
    }
    return Event(**{**given, "payload": NOTE, **changes})


@pytest.mark.parametrize("at", [
    "2026-03-01T19:30:00Z",
    "2026-03-01T19:30:00.123+02:00",
    "2026-03-01 19:30", "1970-01-01T00:00Z", "2099-12-31T23:59:59Z",
])  # fmt: skip
def test_any_time_is_told(at: str) -> None:
    assert check_event(RULES, FIELD, event(at=at)) == ""


@pytest.mark.parametrize("at", [
    "", "now", "2026-02-30T10:00:00Z", "2026-03-01", "2026-13-01T10:00:00Z", 7, None,
    "٢٠٢٦-03-01T10:00",
])  # fmt: skip
def test_no_time_is_refused(at: object) -> None:
    assert check_event(RULES, FIELD, event(at=at)) == SENTENCES["at"]


@pytest.mark.parametrize("id_", [
    "", "1",
    str(uuid.UUID(int=10**30)).upper(),
    str(uuid.UUID(int=10**30)) + "\n",
    7, None,
])  # fmt: skip
def test_id_is_a_uuid_as_it_is_kept(id_: object) -> None:
    assert check_event(RULES, FIELD, event(id=id_)) == SENTENCES["id"]


@pytest.mark.parametrize(
    "seq", [-1, LIMITS["seq"] + 1, 10**400, 1.0, True, "1", None, float("nan")]
)
def test_seq_is_a_number_every_client_can_hold(seq: object) -> None:
    assert check_event(RULES, FIELD, event(seq=seq)) == message("seq", most=LIMITS["seq"])


@pytest.mark.parametrize("ends", [
    {"seq": 0}, {"seq": LIMITS["seq"]}, {"device": "p"},
    {"device": "p" * LIMITS["device"]},
    {"payload": {"text": "x"}},
    {"payload": {"text": "x" * LIMITS["text"]}},
])  # fmt: skip
def test_both_ends_of_a_limit_are_within_it(ends: dict[str, object]) -> None:
    assert check_event(RULES, FIELD, event(**ends)) == ""


@pytest.mark.parametrize("device", ["", "p" * (LIMITS["device"] + 1), "a\x00", 7, None])
def test_device_is_named_within_its_limit(device: object) -> None:
    assert check_event(RULES, FIELD, event(device=device)) == message(
        "device", most=LIMITS["device"]
    )


@pytest.mark.parametrize(
    "name, of", [("text", "x"), ("dice", [1]), ("text", "é"), ("é", "x"), (b"", {1: 1})]
)
@pytest.mark.parametrize("more", [0, 1])
def test_payload_weighs_its_texts_and_lists(name: object, of: Any, more: int) -> None:
    left = LIMITS["payload"] - (len(name.encode()) if isinstance(name, str) else 0) + more
    if isinstance(of, dict):
        value: object = dict.fromkeys(range(left))
    elif of == "é":
        value = "é" * (left // 2) + "x" * (left % 2)
    else:
        value = of * left
    told = check_event(RULES, FIELD, event(payload={name: value}))
    assert (told == message("payload_large", most=LIMITS["payload"])) is bool(more)


@pytest.mark.parametrize("payload", [
    None, [], "x", 7, {"text": {"deep": 1}}, {"text": ["x"]}, {1: 2},
    {"text": float("inf")},
])  # fmt: skip
def test_payload_of_the_wrong_shape_is_refused(payload: object) -> None:
    assert check_event(RULES, FIELD, event(payload=payload)).startswith("payload")


def test_deep_payload_is_refused_at_its_first_step() -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert check_event(RULES, FIELD, event(payload={"text": deep})).startswith(
        "payload.text"
    )


def test_answers_do_not_repeat_long_words() -> None:
    answer = check_event(RULES, FIELD, event(kind="phase", payload={"phase": "y" * 3000}))
    assert len(answer) < 200


def test_order_is_seq_then_device_then_id() -> None:
    places = [(2, "a", "1"), (1, "b", "2"), (1, "a", "4"), (1, "a", "3"), (1, "B", "5")]
    events = [event(seq=seq, device=device, id=id_) for seq, device, id_ in places]
    assert [one.id for one in sort_events(events)] == ["5", "3", "4", "2", "1"]


def test_event_key_is_how_a_uuid_is_kept() -> None:
    key = uuid.uuid4()
    assert event_key(str(key).upper()) == event_key(key.hex) == str(key)
    assert event_key("a-b") == "a-b"


def test_ten_thousand_undos_of_undos_fold() -> None:
    """A chain of undos costs no more than its length: it may not be used to keep a server busy."""
    chain = [
        event(id="0", kind="state", payload={"combatant": "a1", "to": "stunned"}, seq=0)
    ]
    chain += [
        event(id=str(n), kind="undo", payload={"event": str(n - 1)}, seq=n)
        for n in range(1, 10_000)
    ]
    verdicts = fold(RULES, FIELD, chain).verdicts
    most = LIMITS["undo_depth"]
    assert {verdicts[str(n)] for n in range(most + 1, 10_000, most + 1)} == {
        SENTENCES["undo_deep"],
        "undone",
    }
    assert {verdicts[str(n)] for n in range(1, most + 1)} == {"", "undone"}
