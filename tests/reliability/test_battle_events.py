"""R1, R2, R3, R5 and R27 of battles: phones recording at once, twice, while others read, while the
server dies.
"""

import http.client
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Barrier, Condition, Thread
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, close_old_connections, connection
from django.db.models import QuerySet
from django.test import Client

from accounts.owner import NOBODY
from battles.models import Battle
from battles.operations import log as recording
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide
from battles.queries.battles import load_battle
from tests.battles.ledger import faults
from tests.battles.steps import append_events
from tests.conftest import Soak, is_postgres
from tests.factories import battle_owner, make_battle, make_duel, make_event
from tests.reliability.nursery import FORGETFUL
from tests.reliability.server import SECONDS as SERVER_SECONDS
from tests.reliability.server import Server, serving
from tests.reliability.threads import SECONDS, at_once

pytestmark = pytest.mark.django_db(transaction=True)
TIMES = 12
Send = Callable[[Callable[[int], Any]], Sequence[Any]]


def in_series(work: Callable[[int], Any]) -> Sequence[Any]:
    return [work(number) for number in range(TIMES)]


def together(work: Callable[[int], Any]) -> Sequence[Any]:
    return at_once(TIMES, work)


SENDS = [pytest.param(in_series, marks=pytest.mark.soak), together]


def post(battle: Battle, part: str, body: dict[str, Any], **headers: str) -> Any:
    client = Client(raise_request_exception=False)
    address = f"/api/v1/battles/{battle.token}/{part}"
    sent = {"X-Battle-Key": battle.key, **headers}
    return client.post(
        address, json.dumps(body), content_type="application/json", headers=sent
    )


def batch(device: str, count: int) -> list[dict[str, Any]]:
    """What a phone would send: turns, falls and notes, some of them undone."""
    chance = random.Random(device)
    events: list[dict[str, Any]] = []
    for seq in range(1, count + 1):
        kind = chance.choice(["state", "state", "mark", "note", "turn", "undo"])
        if kind == "state":
            payload = {
                "combatant": f"b{chance.randint(1, 8)}",
                "to": "out_of_action",
                "by": f"a{chance.randint(1, 8)}",
            }
        elif kind == "mark":
            payload = {
                "combatant": f"a{chance.randint(1, 8)}",
                "mark": "has_shot",
                "on": True,
            }
        elif kind == "turn":
            payload = {"number": chance.randint(1, 9), "side": chance.choice("ab")}
        elif kind == "undo" and events:
            payload = {"event": chance.choice(events)["id"]}
        else:
            kind, payload = "note", {"text": f"{device} {seq}"}
        events.append(make_event(kind, seq=seq, device=device, **payload))
    return events


@pytest.mark.parametrize("send", SENDS)
def test_batch_sent_twelve_times_counts_once(send: Send) -> None:
    battle, events = make_duel(), batch("phone", 20)
    answers = send(lambda _: post(battle, "events/", {"events": events}))
    assert {answer.status_code for answer in answers} == {200}
    outcomes = Counter(
        (told["id"], told["status"])
        for answer in answers
        for told in answer.json()["events"]
        if told["stored"]
    )
    first = {
        event["id"]: outcomes[event["id"], "accepted"] + outcomes[event["id"], "refused"]
        for event in events
    }
    assert set(first.values()) == {1}
    assert sum(outcomes[event["id"], "duplicate"] for event in events) == len(events) * (
        TIMES - 1
    )
    assert battle.events.count() == len(events)
    assert faults(battle) == []


def test_same_id_for_something_else_at_once_is_stored_once() -> None:
    battle, event = make_duel(), make_event()
    answers = together(
        lambda n: post(
            battle, "events/", {"events": [{**event, "payload": {"text": f"No. {n}"}}]}
        )
    )
    outcomes = Counter(answer.json()["events"][0]["status"] for answer in answers)
    assert outcomes == {"accepted": 1, "refused": TIMES - 1}
    assert faults(battle) == []


@pytest.mark.parametrize("send", SENDS)
def test_step_sent_twelve_times_is_taken_once(send: Send) -> None:
    battle = make_duel()
    said = {"winner": "a", "how": "conceded"}
    answers = send(
        lambda _: post(battle, "result/propose/", said, **{"Idempotency-Key": "k1"})
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert battle.results.count() == 1
    assert (
        post(
            battle, "result/propose/", {**said, "winner": "b"}, **{"Idempotency-Key": "k1"}
        ).status_code
        == 422
    )
    assert faults(battle) == []


def test_without_a_key_one_of_twelve_steps_is_taken() -> None:
    battle = make_duel()
    answers = together(
        lambda n: post(
            battle, "result/propose/", {"winner": "ab"[n % 2], "how": "conceded"}
        )
    )
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: TIMES - 1}
    assert (battle.results.count(), faults(battle)) == (1, [])


def test_battle_asked_for_twelve_times_at_once_is_made_once() -> None:
    owner = battle_owner(make_battle())
    draft = BattleDraft("warhammer-skirmish", (QuickSide("One", 3), QuickSide("Two", 3)))
    made = together(lambda _: open_battle(owner, draft, request_key="k1"))
    assert len({(one.token, one.key) for one in made}) == 1
    assert Battle.objects.count() == 2


def test_phones_that_record_at_once_lose_nothing(soak: Soak) -> None:
    phones, each = soak(6, 12), soak(20, 40)
    battle = make_duel()
    sent = [batch(f"phone {number}", each) for number in range(phones)]

    def record(number: int) -> int:
        events, chance, stored = list(sent[number]), random.Random(number), 0
        chance.shuffle(events)
        while events:
            part = [events.pop() for _ in range(min(len(events), chance.randint(1, 3)))]
            answers = append_events(NOBODY, battle.token, battle.key, part).answers
            stored += sum(answer.stored for answer in answers)
            close_old_connections()  # as a request ends: what the pool lent goes back to it
        return stored

    assert sum(at_once(phones, record)) == phones * each
    assert battle.events.count() == phones * each
    assert faults(battle) == []
    # Another battle told the same in another order comes to the same.
    other = make_duel(ada=battle_owner(battle))
    everything = [event for events in sent for event in events]
    random.Random(1).shuffle(everything)
    for start in range(0, len(everything), 500):
        append_events(NOBODY, other.token, other.key, everything[start : start + 500])
    one, two = (Battle.objects.get(pk=each.pk).state for each in (battle, other))
    assert one["combatants"] == two["combatants"]
    assert one["end"] == two["end"]


def test_without_the_lock_two_phones_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    battle = make_duel()
    both_have_read = Barrier(2, timeout=SECONDS)
    load_log = recording.load_log

    def wait_for_the_other(row: Battle) -> Any:
        log = load_log(row)
        both_have_read.wait()
        return log

    def record(number: int) -> str:
        connection.ensure_connection()
        if not is_postgres():
            connection.transaction_mode = None  # as Django has it unless told otherwise
        try:
            append_events(
                NOBODY, battle.token, battle.key, [make_event(device=str(number))]
            )
        except (IntegrityError, OperationalError):
            return "collided"
        return "stored"

    monkeypatch.setattr(recording, "load_log", wait_for_the_other)
    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, **_: self)
    assert sorted(at_once(2, record)) == ["collided", "stored"]
    assert faults(battle) == []


def test_recording_and_reading_never_meet_a_locked_database(soak: Soak) -> None:
    writers, readers, each = soak(4, 32), soak(2, 8), soak(10, 50, on_postgres=20)
    battles = [make_battle() for _ in range(writers)]
    busy = [True] * writers

    def work(number: int) -> None:
        if number < writers:
            battle = battles[number]
            try:
                for seq in range(1, each + 1):
                    append_events(NOBODY, battle.token, battle.key, [make_event(seq=seq)])
                    close_old_connections()
            finally:
                busy[number] = False
            return
        while any(busy):
            battle = battles[number % writers]
            record = load_battle(NOBODY, battle.token)
            assert record is not None
            # What is read is of one moment, though events come between its statements.
            assert len(record.events) == record.position
            close_old_connections()

    at_once(writers + readers, work)
    for battle in battles:
        assert (battle.events.count(), faults(battle)) == (each, [])


# A server that dies


class Phone:
    """A phone that sends one event after the other, and knows which were acknowledged."""

    def __init__(self, server: Server, battle: Battle, number: int) -> None:
        self.server, self.battle, self.device = server, battle, f"phone {number}"
        self.sent: list[dict[str, Any]] = []
        self.acknowledged: list[str] = []

    def record(self) -> bool:
        self.sent.append(make_event(seq=len(self.sent) + 1, device=self.device))
        return self.send(self.sent[-1])

    def send(self, event: dict[str, Any]) -> bool:
        line = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=SERVER_SECONDS
        )
        headers = {"Content-Type": "application/json", "X-Battle-Key": self.battle.key}
        try:
            address = f"/api/v1/battles/{self.battle.token}/events/"
            line.request("POST", address, json.dumps({"events": [event]}), headers)
            answer = line.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            line.close()
        assert answer.status == 200, body
        self.acknowledged += [
            told["id"] for told in json.loads(body)["events"] if told["stored"]
        ]
        return True


def kill_again_and_again(kills: int, folder: Path, *options: str) -> None:
    battle, heard = make_duel(), Condition()
    with serving(folder, *options) as server:
        phones = [Phone(server, battle, number) for number in range(3)]

        def record_until_it_dies(phone: Phone) -> None:
            while phone.record():
                with heard:
                    heard.notify_all()

        def acknowledged() -> int:
            return sum(len(phone.acknowledged) for phone in phones)

        for _ in range(kills):
            goal = acknowledged() + 5
            recorders = [
                Thread(target=record_until_it_dies, args=(phone,)) for phone in phones
            ]
            for each in recorders:
                each.start()
            with heard:
                assert heard.wait_for(
                    lambda goal=goal: acknowledged() >= goal, timeout=SERVER_SECONDS
                )
            server.kill()
            for each in recorders:
                each.join()
            look_over(battle, phones)
            server.start()
        # Back again, every phone sends all it has once more.
        for phone in phones:
            for event in phone.sent:
                assert phone.send(event)
    look_over(battle, phones)
    assert battle.events.count() == sum(len(phone.sent) for phone in phones)


def look_over(battle: Battle, phones: Sequence[Phone]) -> None:
    """All that was acknowledged is there, once, and counted."""
    stored = {str(uuid) for uuid in battle.events.values_list("uuid", flat=True)}
    lost = {name for phone in phones for name in phone.acknowledged} - stored
    assert not lost, f"acknowledged and lost: {lost}"
    assert faults(battle) == []


def test_nothing_acknowledged_is_lost(soak: Soak, tmp_path: Path) -> None:
    kill_again_and_again(soak(1, 40, on_postgres=20), tmp_path)


@pytest.mark.soak
def test_server_that_acknowledges_what_it_has_not_stored_is_found_out(tmp_path):
    with pytest.raises(AssertionError, match="acknowledged and lost"):
        kill_again_and_again(1, tmp_path, FORGETFUL)
