"""Entering an event by programs: places, guests, lists before the first round, messages."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.owner import Owner
from campaigns.models import Round
from tests.api.conftest import Call
from tests.campaigns.leagues import League, make_league
from tests.factories import make_legal_warband, make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    """Two places, and a list that each player owes."""
    return make_league(
        players=2, capacity=2, needs_list=True, has_one_list=True, visibility="public"
    )


@pytest.fixture
def organiser(league: League, caller: Callable[[Owner], Call]) -> Call:
    return at(caller(league.organiser), league)


@pytest.fixture
def ada(league: League, caller: Callable[[Owner], Call]) -> Call:
    return at(caller(league.player("Ada")), league)


def at(call: Call, league: League) -> Call:
    def ask(method: str, address: str, body: Any = None, **more: Any) -> Any:
        return call(method, f"events/{league.token}/{address}", body, **more)

    return ask


def test_who_comes_when_places_are_taken_waits(league, organiser, ada, caller):
    newcomer = at(caller(make_person()), league)
    assert (
        newcomer("POST", "entries/", {"me": True}, status=201).json()["status"] == "waiting"
    )
    guests = organiser("POST", "guests/", {"names": ["Gwen", "Hugo"]}, status=201).json()
    assert [(row["name"], row["status"]) for row in guests["results"]] == [
        ("Gwen", "waiting"),
        ("Hugo", "waiting"),
    ]
    organiser("POST", "guests/", {"names": ["Ines", "Gwen"]}, status=400)
    organiser("POST", "guests/", {"names": ["x"] * 129}, status=400)
    rows = organiser("GET", "entries/").json()["results"]
    assert [row["status"] for row in rows] == ["active"] * 2 + ["waiting"] * 3
    mine = league.entry("Ada").token
    ada("POST", f"entries/{mine}/withdraw/")
    assert ada("POST", f"entries/{mine}/rejoin/").json()["status"] == "waiting"
    gwen = guests["results"][0]["id"]
    organiser("POST", f"entries/{gwen}/admit/", status=409)
    ada("POST", f"entries/{gwen}/admit/", status=403)


def test_who_has_paid_is_told_to_organisers_and_the_player(league, organiser, ada):
    mine, other = (league.entry(name).token for name in ("Ada", "Ben"))
    answer = organiser("PATCH", f"entries/{mine}/", {"is_paid": True}).json()
    assert (answer["is_paid"], answer["status"]) == (True, "active")
    ada("PATCH", f"entries/{mine}/", {"is_paid": False}, status=403)
    assert ada("GET", f"entries/{mine}/").json()["is_paid"] is True
    assert ada("GET", f"entries/{other}/").json()["is_paid"] is None


def test_a_list_before_the_first_round_is_checked(league, organiser, ada, caller):
    warband = make_legal_warband(actor=league.player("Ada")).token
    ada("POST", "lists/", {"warband": warband})
    mine = league.entry("Ada").token
    sent = {"check": "sent_back", "check_reason": "Two halberds too many."}
    for body in ({"check_reason": "One bow"}, {"check": "sent_back"}):
        organiser("PATCH", f"lists/{mine}/", body, status=400)
    organiser("PATCH", f"lists/{mine}/", sent | {"check_reason": "Too many."})
    organiser("PATCH", f"lists/{mine}/", {"check_reason": sent["check_reason"]})
    answer = organiser("PATCH", f"lists/{mine}/", {}).json()
    assert sent.items() <= answer.items()
    ada("PATCH", f"lists/{mine}/", {"check": "checked"}, status=403)

    def row(call: Call) -> Any:
        rows = call("GET", "lists/").json()["results"]
        return next(row for row in rows if row["entry"] == mine)

    assert sent.items() <= row(ada).items()
    ben = row(at(caller(league.player("Ben")), league))
    assert (ben["check"], ben["check_reason"], ben["has_list"]) == ("none", "", True)
    ada("POST", "lists/", {"warband": warband})
    assert row(organiser)["check"] == "none"
    assert organiser("POST", "rounds/", {}, status=201).json()["number"] == 1
    assert Round.objects.count() == 1


def test_messages(league: League, organiser: Call, ada: Call) -> None:
    text = {"text": "Bring dice."}
    answer = organiser("POST", "messages/", {"to": "lists_missing", **text}, status=201)
    assert answer.json() == {"recipients": 2}
    organiser("POST", "messages/", {"to": "round", **text}, status=409)
    organiser("POST", "messages/", {"to": "some", **text}, status=400)
    organiser("POST", "messages/", {"to": "all", "text": "x" * 401}, status=400)
    ada("POST", "messages/", {"to": "all", **text}, status=403)
    for _ in range(19):
        organiser("POST", "messages/", {"to": "all", **text}, status=201)
    organiser("POST", "messages/", {"to": "all", **text}, status=429)
