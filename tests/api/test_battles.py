"""Battles over the API: set up and read."""

from typing import Any

import pytest
from django.test import Client

from battles import exports
from battles.models import Battle
from tests.api.battles import BATTLES, QUICK, ROSTER, SETUP, Ask, get
from tests.api.conftest import document, is_refusal, warrior
from tests.factories import make_event, make_legal_warband, make_person, make_user

pytestmark = pytest.mark.django_db


def test_battle_is_set_up_as_the_document_says(post: Any) -> None:
    answer = post(SETUP, BATTLES)
    assert answer.status_code == 201
    assert not answer.cookies
    body = answer.json()
    assert list(body) == ["id", "key", "sides"]
    assert [list(side) for side in body["sides"]] == [["id", "name", "combatants"]] * 2
    first, second = body["sides"]
    assert first["combatants"] == [
        {"id": "a1", "name": "Ostwin", "profile": "captain"},
        {"id": "a2", "name": "Halberdier 1", "profile": "halberdiers"},
        {"id": "a3", "name": "Halberdier 2", "profile": "halberdiers"},
        {"id": "a4", "name": "Halberdier 3", "profile": "halberdiers"},
    ]
    assert (second["name"], len(second["combatants"])) == ("Night Watch", 8)
    assert second["combatants"][7] == {"id": "b8", "name": "Model 8", "profile": ""}
    assert Battle.objects.get().token == body["id"]


def test_every_system_is_played(post: Any) -> None:
    for system, variant, army, profile in (
        ("warhammer-skirmish", None, "dwarfs", "thane"),
        ("mordheim-draft", None, "the-empire", "captain"),
        ("mordheim-rulings", "B", "the-empire", "captain"),
        ("d10-skirmish", None, "starter-list", None),
        ("english-civil-war", None, "royalists", None),
    ):
        sides: list[dict[str, Any]] = [QUICK, QUICK]
        if profile:
            roster = {
                **document(warrior(profile), army=army),
                "system": system,
                "variant": variant,
            }
            sides = [{"roster": roster}, QUICK]
        answer = post({"system": system, "variant": variant, "sides": sides}, BATTLES)
        assert answer.status_code == 201, answer.content


def test_warband_is_taken_by_its_id_where_the_caller_may_open_it(program, post):
    user = make_user()
    mine = make_legal_warband(actor=make_person(user=user), name="The Ferrymen")
    linked = make_legal_warband(actor=make_person(), visibility="link")
    body = {**SETUP, "sides": [{"warband": linked.token}, {"warband": mine.token}]}
    refused = post(body, BATTLES)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["field"] == "sides[1].warband"
    program.force_login(user)
    answer = post(body, BATTLES)
    assert answer.status_code == 201
    row = Battle.objects.get()
    assert (row.owner_id, answer.json()["sides"][1]["name"]) == (user.pk, "The Ferrymen")
    assert [side.owner_id for side in row.sides.order_by("position")] == [
        linked.owner_id,
        user.pk,
    ]


def test_what_was_agreed_is_kept(program: Client, post: Any) -> None:
    agreed = {
        "scenario": "border-skirmish",
        "attacker": 1,
        "first": 0,
        "note": "No magic.",
        "visibility": "private",
    }
    battle = post(
        {**SETUP, **agreed, "fought_date": "2024-05-01", "confirm_days": 7}, BATTLES
    ).json()
    assert program.get(f"{BATTLES}{battle['id']}/").status_code == 404
    found = get(program, battle, **{"X-Battle-Key": battle["key"]})
    assert (found["scenario"], found["attacker"], found["first"]) == (
        "border-skirmish", "b", "a",
    )  # fmt: skip
    row = Battle.objects.get()
    assert (row.fought_date.isoformat(), row.confirm_days, row.note) == (
        "2024-05-01", 7, "No magic.",
    )  # fmt: skip


# What the snapshot of refusals does not ask: values of the right type that the rules refuse.
# What is refused is tested in tests/battles/test_opening.py; here how a field is named.
FAULTY: list[tuple[dict[str, Any], str]] = [
    ({"system": "mordheim-rulings"}, "variant"), ({"sides": [QUICK]}, "sides"),
    ({"sides": [QUICK] * 9}, "sides"), ({"sides": [QUICK, {}]}, "sides[1]"),
    ({"sides": [QUICK, {**QUICK, "warband": "x"}]}, "sides[1]"),
    ({"sides": [QUICK, {"army": "x"}]}, "sides[1]"),
    ({"sides": [QUICK, {"warband": "x\u0000"}]}, "sides[1].warband"),
    ({"sides": [QUICK, {"quick": {"models": 3}}]}, "sides[1].quick.name"),
    ({"sides": [QUICK, {"quick": {"name": "x", "models": 201}}]}, "sides[1].quick.models"),
    ({"sides": [QUICK, {"quick": {"name": "x", "models": 3, "leadership": 11}}]},
     "sides[1].quick.leadership"),
    ({"sides": [QUICK, {"quick": {"name": "x", "models": 3, "save": 4}}]}, "sides[1].quick"),
    ({"sides": [QUICK, {"roster": {**ROSTER, "army": "elves"}}]}, "sides[1].roster.army"),
    ({"sides": [QUICK, {"roster": document()}]}, "sides[1]"),
    ({"scenario": "nowhere"}, "scenario"), ({"attacker": 2}, "attacker"),
    ({"house_rules": {"magic": True}}, "house_rules"), ({"note": "a\u202eb"}, "note"),
    ({"visibility": "public"}, "visibility"), ({"fought_date": "2025-02-31"}, "fought_date"),
    ({"confirm_days": 61}, "confirm_days"),
]  # fmt: skip


@pytest.mark.parametrize(
    "fields,field", FAULTY, ids=[f"{n}-{field}" for n, (_, field) in enumerate(FAULTY)]
)
def test_faulty_setup_is_refused_with_its_field(post, fields, field):
    answer = post({**SETUP, **fields}, BATTLES)
    assert answer.status_code == 400
    assert is_refusal(answer)
    assert field in [error["field"] for error in answer.json()["errors"]], answer.json()
    assert Battle.objects.count() == 0


def test_setup_without_what_it_needs_is_refused(post):
    for name in ("system", "sides"):
        answer = post({key: value for key, value in SETUP.items() if key != name}, BATTLES)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, name)


# Reading


def test_state_as_the_document_says(program, ask, battle):
    ask(
        battle,
        "events/",
        {
            "events": [
                make_event("turn", seq=1, number=1, side="b"),
                make_event("state", seq=2, combatant="b1", to="out_of_action", by="a1"),
                make_event("state", seq=3, combatant="b2", to="out_of_action"),
            ]
        },
    )
    state = get(program, battle, "state/")
    assert {"turn", "phase", "combatants", "sides", "end"} <= set(state)
    assert (state["turn"], state["side"], state["end"]) == (1, "b", None)
    fallen = state["combatants"]["b1"]
    assert {"state", "wounds", "marks"} <= set(fallen)
    assert (fallen["state"], fallen["put_out_by"], state["combatants"]["a1"]["kills"]) == (
        "out_of_action", "a1", 1,
    )  # fmt: skip
    side = state["sides"]["b"]
    assert (side["out"], side["size"]) == (2, 8)
    assert (side["rout"]["due"], side["rout"]["leadership"]) == (True, 7)
    assert "taken_on" in side["rout"]
    assert "verdicts" not in state


def test_whole_battle_for_the_recorder(program, ask, battle):
    event = make_event("note", seq=4, text="Rain.")
    ask(battle, "events/", {"events": [event], "author": "Jost"})
    found = get(program, battle)
    assert {
        "id", "system", "variant", "rules", "phases", "states", "sides", "events",
        "position", "result",
    } <= set(found)  # fmt: skip
    assert (found["id"], found["position"], found["may_record"]) == (battle["id"], 1, False)
    assert "key" not in found
    (told,) = found["events"]
    assert {name: told[name] for name in ("id", "device", "seq", "kind", "payload")} == {
        name: event[name] for name in ("id", "device", "seq", "kind", "payload")
    }
    assert (told["position"], told["author"]) == (1, "Jost")
    assert {state["id"] for state in found["states"]} >= {"standing", "out_of_action"}
    assert found["result"] == {
        "status": "open",
        "winner": None,
        "how": "",
        "confirm_by": None,
        "number": 0,
        "steps": [],
    }
    assert get(program, battle, **{"X-Battle-Key": battle["key"]})["may_record"]


def test_events_after_a_position(program: Client, ask: Ask, battle: dict[str, Any]) -> None:
    events = [make_event(seq=seq) for seq in (3, 1, 2)]
    ask(battle, "events/", {"events": events})
    assert [e["id"] for e in get(program, battle, "events/")["events"]] == [
        e["id"] for e in events
    ]
    later = get(program, battle, "events/?after=2")
    assert ([e["id"] for e in later["events"]], later["position"]) == ([events[2]["id"]], 3)
    nothing = {"events": [], "position": 3, "more": False}
    assert get(program, battle, "events/?after=99") == nothing
    for after in ("-1", "x", "1.5", "9" * 30, "٣"):
        answer = program.get(f"{BATTLES}{battle['id']}/events/", {"after": after})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "after")


def test_long_battle_comes_in_parts(program, ask, battle, monkeypatch):
    """Whoever asks on from the position of each answer gets every event once."""
    events = [make_event(seq=seq) for seq in range(1, 6)]
    ask(battle, "events/", {"events": events})
    monkeypatch.setattr(exports, "EVENTS_BYTES", 500)
    told = get(program, battle, "")
    assert (told["more"], told["position"]) == (True, len(told["events"]))
    found, answers = told["events"], 1
    while told["more"]:
        told = get(program, battle, f"events/?after={told['position']}")
        found, answers = found + told["events"], answers + 1
    assert [one["id"] for one in found] == [one["id"] for one in events]
    assert answers > 2
    assert told["position"] == 5


def test_private_battle_is_read_with_its_key_alone(program, battle):
    Battle.objects.update(visibility="private")
    for part in ("", "state/", "events/"):
        address = f"{BATTLES}{battle['id']}/{part}"
        assert is_refusal(program.get(address))
        assert program.get(address).status_code == 404
        assert (
            program.get(address, headers={"X-Battle-Key": battle["key"]}).status_code == 200
        )
        assert program.get(f"{BATTLES}{'x' * 16}/{part}").status_code == 404
