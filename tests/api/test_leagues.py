"""Clubs and their events for programs: from founding to the table, versions, lists and what is
refused.
"""

from collections.abc import Callable

import pytest

from accounts.owner import Owner
from tests.api.conftest import API, Call
from tests.campaigns.leagues import make_event, make_league, make_round
from tests.campaigns.results import put_up
from tests.factories import SYSTEM, make_club, make_legal_warband, make_person

pytestmark = pytest.mark.django_db

LEAGUE = {"name": "Winter cup", "kind": "league", "method": "swiss", "system": SYSTEM}


def test_league_from_its_club_to_the_table(caller: Callable[[Owner], Call]) -> None:
    call = caller(make_person())
    club = call("POST", "clubs/", {"name": "The Quay", "is_public": True}, 201).json()
    assert (club["slug"], club["role"], club["members"]) == ("the-quay", "owner", 1)
    made = call(
        "POST", "events/", {**LEAGUE, "club": club["slug"], "scoring": {"win": 2}}, 201
    )
    event = f"events/{made.json()['id']}/"
    assert made.json()["scoring"] == {
        "win": 2,
        "draw": 1,
        "loss": 0,
        "bye": 3,
        "unplayed": 0,
    }
    names = ["Ada", "Ben", "Cleo"]
    entries = {
        name: call("POST", f"{event}entries/", {"name": name}, 201).json()["id"]
        for name in names
    }
    assert [
        one["name"] for one in call("GET", f"{event}entries/").json()["results"]
    ] == names
    assert (
        call(
            "POST", f"{event}rounds/", {"starts_at": "2026-05-01T19:30:00+01:00"}, 201
        ).json()["number"]
        == 1
    )
    step = f"{event}rounds/1/"
    drawn = call("POST", f"{step}draw/", {"seed": "a"}, If_Match="*").json()
    assert (drawn["status"], drawn["seed"], len(drawn["fixtures"])) == ("draft", "a", 2)
    version = call("GET", step).headers["ETag"]
    call("POST", f"{step}publish/", {}, 412, If_Match='"1"')
    shown = call("POST", f"{step}publish/", {}, If_Match=version).json()["fixtures"]
    game, bye = sorted(shown, key=lambda one: -len(one["entries"]))
    assert bye["status"] == "final"
    one, other = (side["id"] for side in game["entries"])
    fixture = f"fixtures/{game['id']}/"
    version = call("GET", fixture).headers["ETag"]
    said = {"winner": one, "how": "conceded", "figures": {other: {"out": 4}}}
    done = call("POST", f"{fixture}result/", said, If_Match=version, Idempotency_Key="k")
    assert done.json()["status"] == "confirmed"
    assert (
        call(
            "POST", f"{fixture}result/", said, If_Match=version, Idempotency_Key="k"
        ).json()
        == done.json()
    )
    again = call("POST", f"{fixture}result/", said, If_Match=version).json()
    assert again == done.json(), "the same result is one result"
    call("POST", f"{fixture}result/", {**said, "winner": other}, 412, If_Match=version)
    told = call("GET", fixture).json()
    assert (told["status"], told["winner"], told["figures"][other]["out"]) == (
        "final", one, 4,
    )  # fmt: skip
    table = call("GET", f"{event}standings/").json()["results"]
    places = {row["entry"]["id"]: (row["points"], row["put_out"]) for row in table}
    assert places == {one: (2, 4), other: (0, 0), bye["entries"][0]["id"]: (3, 0)}
    assert set(entries.values()) == set(places)
    call("POST", f"{step}draw/", {}, 409, If_Match="*")


def test_change_needs_the_version_it_was_made_from(caller: Callable[[Owner], Call]) -> None:
    organiser = make_person()
    event, call = make_event(organiser=organiser), caller(organiser)
    address = f"events/{event.token}/"
    read = call("GET", address)
    assert read.headers["ETag"] == f'"{read.json()["version"]}"'
    call("PATCH", address, {"place": "Here"}, 428)
    call("PATCH", address, {"place": "Here"}, 400, If_Match="W/1")
    changed = call("PATCH", address, {"place": "Here"}, If_Match=read.headers["ETag"])
    assert changed.json() == {
        **read.json(),
        **{k: changed.json()[k] for k in ("place", "version", "updated_at")},
    }
    assert changed.headers["ETag"] != read.headers["ETag"]
    call("PATCH", address, {"place": "There"}, 412, If_Match=read.headers["ETag"])
    assert call("GET", address).json()["place"] == "Here"
    assert (
        call("PATCH", address, {"place": "There"}, If_Match="*").json()["place"] == "There"
    )


def test_made_once_for_one_key(caller: Callable[[Owner], Call]) -> None:
    organiser = make_person()
    call, body = caller(organiser), {**LEAGUE, "club": make_club(owner=organiser).slug}
    first, again = (
        call("POST", "events/", body, 201, Idempotency_Key="k").json()["id"]
        for _ in range(2)
    )
    assert first == again
    call("POST", "events/", {**body, "name": "Other"}, 422, Idempotency_Key="k")


def test_lists_are_paged_and_filtered(caller: Callable[[Owner], Call]) -> None:
    organiser = make_person()
    club = make_club(owner=organiser)
    names = ["One", "Two", "Three"]
    for name in names:
        make_event(
            organiser=organiser,
            club=club,
            name=name,
            visibility="public" if name == "Two" else "club",
        )
    call, stranger = caller(organiser), caller(make_person())
    page = call("GET", "events/?page_size=2").json()
    assert [one["name"] for one in page["results"]] == ["Three", "Two"]
    assert page["previous"] is None
    last = call("GET", page["next"].partition(API)[2]).json()
    assert ([one["name"] for one in last["results"]], last["next"]) == (["One"], None)
    assert len(call("GET", f"events/?club={club.slug}").json()["results"]) == 3
    assert [
        one["name"] for one in stranger("GET", "events/?show=public").json()["results"]
    ] == ["Two"]
    assert stranger("GET", "events/").json()["results"] == []
    stranger("GET", f"events/?club={club.slug}", status=404)
    for wrong in ("page=0", "page_size=201", "page=x", "show=all", "archived=yes"):
        call("GET", f"events/?{wrong}", status=400)
    call("GET", "events/?page=3", status=404)


def test_somebody_enters_themselves(caller: Callable[[Owner], Call]) -> None:
    ada = make_person()
    event = make_event(visibility="link")
    warband = make_legal_warband(actor=ada)
    sent = {"me": True, "name": "Ada", "warband": warband.token}
    entry = caller(ada)("POST", f"events/{event.token}/entries/", sent, 201).json()
    assert (entry["name"], entry["is_mine"], entry["is_guest"], entry["warband"]) == (
        "Ada", True, False, warband.token,
    )  # fmt: skip
    assert caller(ada)("GET", f"events/{event.token}/").json()["entry"] == entry["id"]
    caller(ada)("POST", f"events/{event.token}/entries/", {"name": "Guest"}, 403)


def test_reading_takes_as_many_queries_for_more_players(program, django_assert_num_queries):
    counts = {"": 1, "entries/": 3, "standings/": 3, "rounds/": 2, "rounds/1/": 4}
    for players in (2, 6):
        league = make_league(players=players, visibility="public")
        make_round(league)
        names = [entry.name for entry in league.entries]
        fixtures = put_up(
            league, 1, [names[place : place + 2] for place in range(0, players, 2)]
        )
        for part, count in counts.items():
            with django_assert_num_queries(count):
                assert program.get(f"{API}events/{league.token}/{part}").status_code == 200
        with django_assert_num_queries(5):
            assert program.get(f"{API}fixtures/{fixtures[0].token}/").status_code == 200


def test_club_is_read_and_changed_by_those_who_may(caller: Callable[[Owner], Call]) -> None:
    owner, member = make_person(), make_person()
    club = make_club(owner=owner, members=[member], name="The Quay")
    mine, theirs, none = (caller(one) for one in (owner, member, make_person()))
    address = f"clubs/{club.slug}/"
    assert mine("GET", address).json()["code"] == club.code
    assert theirs("GET", address).json()["code"] is None
    none("GET", address, status=404)
    theirs("PATCH", address, {"name": "Ours"}, 403)
    none("PATCH", address, {"name": "Ours"}, 404)
    assert (
        mine("PATCH", address, {"description": "Upstairs."}).json()["description"]
        == "Upstairs."
    )
    assert [
        f["field"]
        for f in mine("PATCH", address, {"name": "\u202ex"}, 400).json()["errors"]
    ] == ["name"]
    assert [one["slug"] for one in theirs("GET", "clubs/").json()["results"]] == [club.slug]
    assert none("GET", "clubs/?show=listed").json()["results"] == []
    mine("PATCH", address, {"is_public": True})
    assert [
        one["role"]
        for one in none("GET", "clubs/?show=listed&search=quay").json()["results"]
    ] == [None]
