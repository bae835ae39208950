"""Catalogues for programs: read into a list of a club, and read again when they are newer."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Club
from accounts.owner import Owner
from rulesdata import registry
from rulesdata.models import Army, SentCatalogue
from tests.api.conftest import Call
from tests.factories import EMPIRE, SYSTEM, make_club, make_person
from tests.foreign.lantern_gangs import CATALOGUE_FILES, MADE
from tests.rulesdata.own_lists import COLLECTION, make_books

# The job begins once the request's transaction is committed.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]

Caller = Callable[[Owner], Call]


@pytest.fixture
def olga() -> Owner:
    return make_person()


@pytest.fixture
def club(olga: Owner) -> Club:
    make_books()
    return make_club(owner=olga)


def files(*changes: tuple[str, str], names: tuple[str, ...] = CATALOGUE_FILES) -> list[Any]:
    """The files of the game as a call sends them, texts of them replaced."""
    made = {name: (MADE / name).read_text() for name in names}
    for old, new in changes:
        made = {name: text.replace(old, new) for name, text in made.items()}
    return [
        {"name": name, "content": b64encode(text.encode()).decode()}
        for name, text in made.items()
    ]


def body(*changes: tuple[str, str], **said: Any) -> dict[str, Any]:
    sent = {"files": files(*changes), "collection": COLLECTION, "may_use": True}
    return {**sent, **said}


def test_a_preview_makes_nothing_and_a_call_one_list(caller, olga, club):
    call, address = caller(olga), f"clubs/{club.slug}/catalogues/"
    told = call("POST", f"{address}?preview=1", body()).json()
    assert told["catalogue"]["name"] == "The Wardens (1a)"
    assert told["counts"]["units"] == 4
    captain = told["units"][0]
    assert (captain["id"], captain["points"]) == ("lamp-captain", 60)
    assert captain["options"][0].keys() >= {"id", "name", "points", "origins"}
    assert not Army.objects.filter(club=club).exists()
    twice = [
        call("POST", address, body(), 201, Idempotency_Key="one").json() for _ in range(2)
    ]
    assert twice[0] == twice[1]
    assert SentCatalogue.objects.count() == 2
    token = twice[0]["token"]
    rows = call("GET", f"clubs/{club.slug}/lists/").json()["results"]
    assert [row["id"] for row in rows] == [token]
    other = body(catalogue="x")
    call("POST", address, other, 422, Idempotency_Key="one")


def test_a_newer_catalogue_is_taken_where_its_body_says_so(caller, olga, club):
    call = caller(olga)
    token = call("POST", f"clubs/{club.slug}/catalogues/", body(), 201).json()["token"]
    address = f"clubs/{club.slug}/lists/{token}/"
    stamp = call("GET", address).headers["ETag"]
    newer = {"files": files(('value="60"/>', 'value="45"/>')), "may_use": True}
    told = call("POST", f"{address}catalogue/", newer, If_Match=stamp).json()
    assert told["difference"] == {}
    assert (told["kept_edits"], told["warbands"]) == ([], 0)
    points = registry.load_army(SYSTEM, token).profiles["lamp-captain"].points
    assert points == 60
    other = {**newer, "take": ["lamplighters"]}
    call("POST", f"{address}catalogue/", other, If_Match=stamp)
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 60
    stamp = call("GET", address).headers["ETag"]
    call("POST", f"{address}catalogue/", {**newer, "take": "all"}, If_Match=stamp)
    assert registry.load_army(SYSTEM, token).profiles["lamp-captain"].points == 45
    call("POST", f"{address}catalogue/", newer, 412, If_Match=stamp)
    call("POST", f"{address}catalogue/", newer, 428)


def test_a_list_over_an_army_compares_prices(caller, olga, club):
    call, address = caller(olga), f"clubs/{club.slug}/catalogues/"
    name = registry.load_army(SYSTEM, EMPIRE).profiles["captain"].name
    sent = body(("Lamp Captain", name), base=EMPIRE, take=["captain"])
    told = call("POST", address, sent, 201).json()
    assert [one["key"] for one in told["report"]["places"]] == ["captain"]
    army = registry.load_army(SYSTEM, told["token"])
    assert army.profiles["captain"].points == 60


def test_what_is_wrong_is_named(caller: Caller, olga: Owner, club: Club) -> None:
    call, address = caller(olga), f"clubs/{club.slug}/catalogues/"
    for wrong in (
        {"may_use": False},
        {"files": []},
        {"files": [{"name": "a.cat"}]},
        {"files": [{"name": "a.cat", "content": "%"}]},
        {"files": [{"name": "a.cat", "content": "PGE="}]},
        {"collection": "x"},
        {"catalogue": "x"},
        {"price_type": "x"},
        {"also": ["x"]},
    ):
        told = call("POST", address, body(**wrong), 400).json()
        assert [one["field"] for one in told["errors"]] == [*wrong], wrong
    assert not Army.objects.filter(club=club).exists()


def test_missing_files_are_named(caller: Caller, olga: Owner, club: Club) -> None:
    sent = body(files=files(names=CATALOGUE_FILES[2:]))
    call, address = caller(olga), f"clubs/{club.slug}/catalogues/"
    told = call("POST", f"{address}?preview=1", sent).json()
    assert told["missing"] == ["Armoury", "the game system (.gst)"]
    assert told["units"] == []
    assert "Armoury" in call("POST", address, sent, 409).json()["detail"]


def test_others_learn_nothing(caller: Caller, club: Club) -> None:
    stranger = make_person()
    make_club(owner=stranger)
    caller(stranger)("POST", f"clubs/{club.slug}/catalogues/", body(), 404)
    assert not SentCatalogue.objects.exists()


def test_a_long_reading_answers_its_job(caller, olga, club, monkeypatch):
    monkeypatch.setattr("clubs.api.own_lists.WAIT_SECONDS", 0.0)
    monkeypatch.setattr("jobs.queue.dispatch", lambda token: None)
    call, address = caller(olga), f"clubs/{club.slug}/catalogues/"
    job = call("POST", address, body(), 202, Idempotency_Key="one").json()
    assert (job["kind"], job["status"]) == ("read-catalogue", "waiting")
    from jobs.runner import run_job

    run_job(job["id"])
    assert call("GET", f"jobs/{job['id']}/").json()["status"] == "done"
    call("POST", address, body(), 201, Idempotency_Key="one")
