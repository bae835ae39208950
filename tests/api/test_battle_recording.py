"""Events over the API: each answered by itself, from a program, a phone with the key, or a browser
that joined.
"""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from battles import request_keys
from battles.models import Battle
from tests.api.battles import BATTLES, SETUP, Ask
from tests.battles.ledger import faults
from tests.factories import make_duel, make_event, make_person, make_user

pytestmark = pytest.mark.django_db


def test_events_are_answered_one_by_one(ask: Ask, battle: dict[str, Any]) -> None:
    down = make_event("state", combatant="a2", to="out_of_action", by="b1")
    illegal = make_event("state", seq=2, combatant="a3", to="left_table")
    told = ask(battle, "events/", {"events": [down, down, make_event("dance"), illegal, 5]})
    assert list(told) == ["events", "position"]
    assert [(e["id"], e["status"], e["stored"]) for e in told["events"]] == [
        (down["id"], "accepted", True),
        (down["id"], "duplicate", True),
        (told["events"][2]["id"], "refused", False),
        (illegal["id"], "refused", True),
        ("", "refused", False),
    ]
    assert all(bool(e["reason"]) is (e["status"] == "refused") for e in told["events"])
    assert told["position"] == 2
    assert faults(Battle.objects.get()) == []


def test_key_comes_in_a_header_as_a_bearer_or_in_the_body(ask, battle):
    key = battle["key"]
    typed = f"{key[:4]}-{key[4:8]} {key[8:]}".lower()
    for seq, (headers, body) in enumerate(
        [
            ({"X-Battle-Key": key}, {}),
            ({"Authorization": f"Bearer {key}"}, {}),
            ({"Authorization": f"bearer {key}"}, {}),
            ({"X-Battle-Key": typed}, {}),
            ({"Accept": "*/*"}, {"key": key}),
            ({"X-Battle-Key": "CDFGHJKMNPQR"}, {"key": typed}),
        ],
        1,
    ):
        told = ask(
            battle,
            "events/",
            {"events": [make_event(seq=seq)], "author": "Jost", **body},
            **headers,
        )
        assert told["events"][0]["status"] == "accepted"
    assert set(Battle.objects.get().events.values_list("author_name", flat=True)) == {
        "Jost"
    }


def test_stranger_records_nothing(ask: Ask, battle: dict[str, Any]) -> None:
    events = {"events": [make_event()]}
    for headers, body in (
        ({"Accept": "*/*"}, {}),
        ({"X-Battle-Key": "CDFGHJKMNPQR"}, {}),
        ({"Authorization": f"Basic {battle['key']}"}, {}),
        ({"Accept": "*/*"}, {"key": ""}),
        ({"X-Battle-Key": battle["key"]}, {"key": "CDFGHJKMNPQR"}),
    ):
        ask(battle, "events/", {**events, **body}, 403, **headers)
    ask({**battle, "id": "x" * 16}, "events/", events, 404)
    ask(battle, "events/", {**events, "key": 5}, 400)
    Battle.objects.update(visibility="private")
    ask(battle, "events/", events, 404, Accept="*/*")
    assert Battle.objects.get().events_count == 0


def test_more_than_a_batch_is_refused_whole(ask: Ask, battle: dict[str, Any]) -> None:
    refused = ask(battle, "events/", {"events": [1] * 10_000}, 400)["errors"]
    assert [error["field"] for error in refused] == ["events"]
    assert refused[0]["message"].startswith("At most 500 events in a batch, not 10,000.")
    assert Battle.objects.get().events_count == 0
    events = [make_event(seq=seq) for seq in range(1, 501)]
    told = ask(battle, "events/", {"events": events})["events"]
    assert [e["status"] for e in told] == ["accepted"] * 500


def test_payloads_of_a_megabyte_are_refused_and_the_rest_stored(ask, battle):
    large = [make_event(seq=n, text="x" * 1_048_576) for n in (2, 3)]
    told = ask(
        battle, "events/", {"events": [make_event(seq=1), *large, make_event(seq=4)]}
    )["events"]
    assert [e["status"] for e in told] == ["accepted", "refused", "refused", "accepted"]
    assert "4,096" in told[1]["reason"] or "4096" in told[1]["reason"]


def test_body_beyond_four_megabytes_is_a_413(program, battle):
    body = json.dumps({"events": [make_event(text="x" * 4_194_304)]})
    address = f"{BATTLES}{battle['id']}/events/"
    answer = program.post(
        address,
        body,
        content_type="application/json",
        headers={"X-Battle-Key": battle["key"]},
    )
    assert answer.status_code == 413
    assert "4,194,304 bytes" in answer.json()["detail"]


def test_one_bad_sign_spoils_no_other_event(program, battle):
    bad = [
        make_event(seq=2, text="a\u0000b"),
        make_event(seq=3, text="\ud800"),
        {**make_event(), "\u0000": 1},
    ]
    body = json.dumps({"events": [make_event(seq=1), *bad, make_event(seq=4)]})
    address = f"{BATTLES}{battle['id']}/events/"
    answer = program.post(
        address,
        body,
        content_type="application/json",
        headers={"X-Battle-Key": battle["key"]},
    )
    assert answer.status_code == 200
    assert [e["status"] for e in answer.json()["events"]] == [
        "accepted", "refused", "refused", "refused", "accepted",
    ]  # fmt: skip


@pytest.mark.parametrize("logged_in", [False, True])
@pytest.mark.parametrize("count", [1, 500])
def test_appending_takes_at_most_eight_statements(program, logged_in, count):
    user = make_user()
    row = make_duel(ben=make_person(user=user))
    if logged_in:
        program.force_login(user)
    headers = {} if logged_in else {"X-Battle-Key": row.key}

    def send(*events: dict[str, Any]) -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = program.post(
                f"{BATTLES}{row.token}/events/",
                json.dumps({"events": events}),
                content_type="application/json",
                headers=headers,
            )
        assert {e["status"] for e in answer.json()["events"]} == {"accepted"}
        return len(captured)

    send(*[make_event(seq=seq) for seq in range(1, count)], make_event(seq=count))
    assert (
        send(
            make_event("state", seq=count + 1, combatant="a2", to="out_of_action", by="b1")
        )
        <= 8
    )
    assert send(make_event(seq=count + 2)) <= 7


# Sessions


def test_joined_browser_records_by_its_session(program, ask, battle):
    session = program.session
    session[request_keys.SESSION_NAME] = {battle["id"]: battle["key"]}
    session.save()
    own = {"Origin": "http://testserver"}
    assert (
        ask(battle, "events/", {"events": [make_event()]}, **own)["events"][0]["status"]
        == "accepted"
    )
    ask(
        {"id": Battle.objects.get().token, "key": ""},
        "events/",
        {"events": []},
        Accept="*/*",
    )


def test_page_of_another_site_has_no_part_in_a_session(program: Client, ask: Ask) -> None:
    user: User = make_user()
    row = make_duel(ada=make_person(user=user), visibility="private")
    program.force_login(user)
    session = program.session
    session[request_keys.SESSION_NAME] = {row.token: row.key}
    session.save()
    battle = {"id": row.token, "key": row.key}
    for origin in ("https://elsewhere.example", "null", "http://testserver.example"):
        ask(battle, "events/", {"events": [make_event()]}, 404, Origin=origin)
        told = ask(
            battle, "events/", {"events": []}, **{"Origin": origin, "X-Battle-Key": row.key}
        )
        assert told == {"events": [], "position": 0}
    assert (
        ask(battle, "events/", {"events": []}, Origin="http://testserver")["position"] == 0
    )


def test_calls_are_counted_for_each_battle(program, post, monkeypatch):
    from battles.api.views import PerBattle

    tokens = [post(SETUP, BATTLES).json()["id"] for _ in range(2)]
    monkeypatch.setattr(PerBattle, "THROTTLE_RATES", {"address": "2/min"})
    assert [program.get(f"{BATTLES}{tokens[0]}/state/").status_code for _ in range(3)] == [
        200, 200, 429,
    ]  # fmt: skip
    assert program.get(f"{BATTLES}{tokens[0]}/").status_code == 429
    assert program.get(f"{BATTLES}{tokens[1]}/").status_code == 200
    assert program.get(f"{BATTLES}{uuid4()}/").status_code == 404
