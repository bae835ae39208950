"""Battles in a list for programs, and an example of every kind of event that a battle records."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.owner import Owner
from battles.models import Battle
from config.api.docs import groups
from config.api.schema import PAYLOADS
from engine.battles.types import KINDS
from tests.api.battles import BATTLES, ROSTER, SETUP
from tests.api.conftest import Call
from tests.factories import make_duel, make_event, make_person, make_user

pytestmark = pytest.mark.django_db

Caller = Callable[[Owner], Call]
EXAMPLES: dict[str, Any] = {
    name.removesuffix("Payload").lower(): shape["example"]
    for name, shape in json.loads(PAYLOADS.read_text(encoding="utf-8")).items()
}
GUIDE = Path(__file__).parents[2] / "docs" / "api.md"


def test_own_battles_are_told_as_they_stand(caller: Caller) -> None:
    ada, ben = make_person(user=make_user(name="Ada")), make_person()
    battle, other = make_duel(ada=ada, ben=ben), make_duel(ada=ben, ben=make_person())
    call = caller(ada)
    (row,) = call("GET", "battles/").json()["results"]
    assert (row["id"], row["status"], row["winner"]) == (battle.token, "open", None)
    assert [(one["id"], one["is_mine"]) for one in row["sides"]] == [
        ("a", True),
        ("b", False),
    ]
    assert row["sides"][0]["player"] == "Ada"
    said = {"winner": "a", "how": "conceded"}
    call("POST", f"battles/{battle.token}/result/propose/", said)
    assert call("GET", "battles/?status=open").json()["results"] == []
    (row,) = caller(ben)("GET", "battles/?status=proposed").json()["results"]
    assert (row["winner"], row["waits_for_me"]) == ("a", True)
    assert row["confirm_by"]
    Battle.objects.filter(pk=other.pk).update(visibility="public")
    (row,) = call("GET", "battles/?show=public").json()["results"]
    assert (row["id"], row["is_mine"]) == (other.token, False)


def test_list_is_a_persons_and_its_filters_are_known(caller, program):
    assert program.get(BATTLES).status_code == 401
    assert program.get(f"{BATTLES}?show=public").status_code == 200
    call = caller(make_person())
    assert call("GET", "battles/").json()["results"] == []
    for wrong in ("show=all", "status=won", "page=0", "page_size=201"):
        call("GET", f"battles/?{wrong}", status=400)
    call("GET", "battles/?page=2", status=404)


def test_list_asks_as_often_for_one_as_for_three(caller, django_assert_num_queries):
    ada = make_person()
    call = caller(ada)
    call("GET", "clubs/")  # notes the token's use
    for _ in range(3):
        make_duel(ada=ada, ben=make_person())
        with django_assert_num_queries(3):
            assert call("GET", "battles/?page_size=2").status_code == 200


# Events by example


def of_game(program: Client, system: str) -> dict[str, Any]:
    """A battle of two sides, the first with a roster where the examples name its models."""
    quick = {"quick": {"name": "Night Watch", "models": 8}}
    roster = {"roster": ROSTER} if system == SETUP["system"] else quick
    setup = {"system": system, "sides": [roster, quick]}
    answer = program.post(BATTLES, json.dumps(setup), content_type="application/json")
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


@pytest.mark.parametrize("system", [SETUP["system"], "d10-skirmish"])
def test_examples_of_events_are_taken(program: Client, system: str) -> None:
    battle = of_game(program, system)
    # The first system counts nothing, so the second one shows what a counter says.
    kinds = ["turn", "counter"] if system == "d10-skirmish" else [*KINDS]
    kinds = [kind for kind in kinds if kind != "counter" or system == "d10-skirmish"]
    events = []
    for seq, kind in enumerate(kinds, 1):
        own = {"id": EXAMPLES["undo"]["event"]} if kind == "note" else {}
        events.append(make_event(kind, seq=seq, **own, **EXAMPLES[kind]))
    if system == "d10-skirmish":
        events.insert(1, make_event("phase", seq=1, device="z", phase="command"))
    answer = program.post(
        f"{BATTLES}{battle['id']}/events/",
        json.dumps({"events": events}),
        content_type="application/json",
        headers={"X-Battle-Key": battle["key"]},
    ).json()
    assert [(one["status"], one["reason"]) for one in answer["events"]] == [
        ("accepted", "")
    ] * len(events)


def test_guide_shows_the_example_of_each_kind() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\{.*\})` \|$", text, re.MULTILINE)
    assert {kind: json.loads(example) for kind, example in rows} == EXAMPLES
    assert sorted(EXAMPLES) == sorted(KINDS)


def test_guide_shows_sides_that_are_taken(program: Client) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    quick = [json.loads(one) for one in re.findall(r'`(\{"quick":.*?\}\})`', text)]
    assert quick
    setup = {"system": SETUP["system"], "sides": [quick[0], {"roster": ROSTER}]}
    answer = program.post(BATTLES, json.dumps(setup), content_type="application/json")
    assert answer.status_code == 201, answer.content
    name = quick[0]["quick"]["name"]
    assert answer.json()["sides"][0]["name"] == name


def test_page_shows_each_kind_with_its_payload(program: Client) -> None:
    operations = [one for _, group in groups() for one in group]
    (append,) = [one for one in operations if one["anchor"] == "append-events"]
    told = {case["name"]: case for case in append["cases"]}
    assert list(told) == list(KINDS)
    assert {kind: json.loads(told[kind]["example"]) for kind in KINDS} == EXAMPLES
    fields = [field.name for field in told["phase"]["fields"]]
    assert fields == ["payload.phase", "payload.forced", "payload.note"]
    (opened,) = [one for one in operations if one["anchor"] == "open-battle"]
    names = {field.name for field in opened["body"]}
    assert {
        "sides[].quick.name", "sides[].quick.models", "sides[].quick.leadership",
    } <= names  # fmt: skip
