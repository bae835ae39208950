"""A person's warbands for programs: list, add, read, replace with the version that was read."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.api_tokens.operations import make_token
from accounts.models import Club, Scope
from accounts.operations.clubs import add_member
from accounts.owner import Owner
from tests.api.conftest import document, is_refusal, warrior
from tests.factories import (
    make_club,
    make_legal_warband,
    make_person,
    make_user,
    make_warband,
)
from warbands.models import Warband

pytestmark = pytest.mark.django_db

WARBANDS = "/api/v1/warbands/"
ROSTER = document(
    warrior("captain", "halberd", leader=True),
    warrior("halberdiers", count=4),
    name="River patrol",
)


@pytest.fixture
def bearer() -> dict[str, str]:
    return {
        "Authorization": f"Bearer {make_token(make_user().pk, name='-', scopes=Scope.values).text}"
    }


def sent(program, method, address, body, status, headers) -> Any:
    answer = program.generic(
        method, address, json.dumps(body), "application/json", headers=headers
    )
    assert answer.status_code == status, answer.content
    assert status < 400 or is_refusal(answer)
    return answer


def test_added_read_and_replaced(program: Client, bearer: dict[str, str]) -> None:
    made = sent(program, "POST", WARBANDS, ROSTER, 201, {**bearer, "Idempotency-Key": "k"})
    again = sent(program, "POST", WARBANDS, ROSTER, 201, {**bearer, "Idempotency-Key": "k"})
    assert made.json() == again.json()
    address = f"{WARBANDS}{made.json()['id']}/"
    read = program.get(address, headers=bearer)
    assert read.headers["ETag"] == made.headers["ETag"] == '"1"'
    told = read.json()
    assert (told["is_mine"], told["visibility"], told["roster"]["name"]) == (
        True, "private", "River patrol",
    )  # fmt: skip
    assert told["check"]["points"] == Warband.objects.get().points
    new = {
        **told["roster"],
        "name": "Night patrol",
        "warriors": told["roster"]["warriors"][:1],
    }
    sent(program, "PUT", address, new, 428, bearer)
    replaced = sent(program, "PUT", address, new, 200, {**bearer, "If-Match": '"1"'})
    assert replaced.headers["ETag"] == '"2"'
    sent(program, "PUT", address, ROSTER, 412, {**bearer, "If-Match": '"1"'})
    rows = program.get(WARBANDS, headers=bearer).json()["results"]
    assert [(row["name"], row["models"]) for row in rows] == [("Night patrol", 1)]
    assert program.get(f"{WARBANDS}?archived=1", headers=bearer).json()["results"] == []


@pytest.mark.parametrize(
    "body",
    [{}, {**ROSTER, "extra": 1}, {**ROSTER, "army": "mill"}, {**ROSTER, "warriors": [1]}],
)
def test_what_is_no_roster_is_refused_and_makes_nothing(program, bearer, body):
    sent(program, "POST", WARBANDS, body, 400, bearer)
    assert not Warband.objects.exists()


def test_anothers_is_read_where_it_is_shared_and_never_changed(program, bearer):
    other = make_person()
    shared, hidden = (
        make_legal_warband(actor=other, visibility="link"),
        make_warband(actor=other),
    )
    assert program.get(f"{WARBANDS}{shared.token}/").json()["is_mine"] is False
    assert program.get(f"{WARBANDS}{hidden.token}/", headers=bearer).status_code == 404
    for warband in (shared, hidden):
        sent(
            program,
            "PUT",
            f"{WARBANDS}{warband.token}/",
            ROSTER,
            404,
            {**bearer, "If-Match": "*"},
        )
    assert program.get(WARBANDS).status_code == 401


# What it is called, who reads it, the archive, and the end of it


@pytest.fixture
def mine() -> tuple[str, Warband, dict[str, str]]:
    """A warband's address, its row, and the headers of its owner's program."""
    owner = make_person()
    warband = make_legal_warband(actor=owner, name="The Ferrymen")
    text = make_token(owner.user_id or 0, name="-", scopes=Scope.values).text
    return (
        f"{WARBANDS}{warband.token}/",
        warband,
        {"Authorization": f"Bearer {text}", "If-Match": "*"},
    )


Mine = tuple[str, Warband, dict[str, str]]


def test_visibility_is_set_with_the_club_that_reads(program: Client, mine: Mine) -> None:
    address, warband, headers = mine
    club = make_club(owner=Owner(user_id=warband.owner_id), name="The Quay")
    seen = program.get(address, headers=headers)
    assert (seen.json()["club"], seen.json()["is_archived"]) == (None, False)
    told = sent(program, "PATCH", address, {"visibility": "club"}, 400, headers)
    assert [one["field"] for one in told.json()["errors"]] == ["club"]
    shared = {"visibility": "club", "club": club.slug}
    etag = {**headers, "If-Match": seen.headers["ETag"]}
    told = sent(program, "PATCH", address, shared, 200, etag)
    assert (told.json()["visibility"], told.json()["club"]) == ("club", club.slug)
    assert told.headers["ETag"] == program.get(address, headers=headers).headers["ETag"]
    sent(program, "PATCH", address, shared, 412, etag)
    mate = make_person()
    add_member(club.pk, mate.user_id or 0)
    theirs = make_token(mate.user_id or 0, name="-", scopes=Scope.values).text
    other = {"Authorization": f"Bearer {theirs}", "If-Match": "*"}
    # Its club is the owner's to know.
    assert program.get(address, headers=other).json()["club"] is None
    sent(program, "PATCH", address, {"visibility": "public"}, 404, other)
    sent(program, "DELETE", address, {}, 404, other)
    told = sent(
        program, "PATCH", address, {"visibility": "private", "club": None}, 200, headers
    )
    assert told.json()["club"] is None
    assert program.get(address, headers=other).status_code == 404


@pytest.mark.parametrize("wrong, fields", [
    ({"archived": None}, ["archived"]),
    ({"archived": True, "name": "Other"}, ["archived"]),
    ({"roster": {}}, ["roster"]),
])  # fmt: skip
def test_change_that_cannot_be_names_its_field(program, mine, wrong, fields):
    address, warband, headers = mine
    told = sent(program, "PATCH", address, wrong, 400, headers)
    assert [one["field"] for one in told.json()["errors"]] == fields
    warband.refresh_from_db()
    assert (warband.name, warband.archived_at) == ("The Ferrymen", None)


def test_club_one_is_not_in_is_none(program: Client, mine: Mine) -> None:
    address, _, headers = mine
    listed = make_club(owner=make_person())
    Club.objects.update(is_public=True)
    told = sent(program, "PATCH", address, {"club": listed.slug}, 400, headers)
    assert [one["field"] for one in told.json()["errors"]] == ["club"]


def test_archived_and_taken_out_again(program: Client, mine: Mine) -> None:
    address, _, headers = mine
    told = sent(program, "PATCH", address, {"archived": True}, 200, headers).json()
    assert told["is_archived"] is True
    assert program.get(f"{WARBANDS}?archived=1", headers=headers).json()["results"]
    sent(program, "PATCH", address, {"name": "Other"}, 400, headers)
    told = sent(program, "PATCH", address, {"archived": False}, 200, headers).json()
    assert told["is_archived"] is False
    told = sent(program, "PATCH", address, {"name": "Other", "note": "New."}, 200, headers)
    assert told.json()["roster"]["name"] == "Other"


def test_deleted_at_the_version_that_was_seen(program: Client, mine: Mine) -> None:
    address, _, headers = mine
    without = {"Authorization": headers["Authorization"]}
    sent(program, "DELETE", address, {}, 428, without)
    sent(program, "DELETE", address, {}, 400, {**headers, "If-Match": "x"})
    sent(program, "DELETE", address, {}, 412, {**headers, "If-Match": '"99"'})
    assert program.delete(address, headers=headers).status_code == 204
    assert not Warband.objects.exists()
    sent(program, "DELETE", address, {}, 404, headers)


def test_uncertain_figures_are_acknowledged_and_withdrawn(program, bearer):
    roster = {**document(warrior("warlock-engineer")), "army": "skaven"}
    made = sent(program, "POST", WARBANDS, roster, 201, bearer).json()
    address = f"{WARBANDS}{made['id']}/"
    figures, version = f"{address}figures/", {**bearer, "If-Match": f'"{made["version"]}"'}
    sent(program, "POST", figures, None, 428, bearer)
    done = sent(program, "POST", figures, None, 200, version)

    def found(answer: Any) -> tuple[str, str | None]:
        (one,) = (
            one
            for one in answer.json()["check"]["findings"]
            if one["code"] == "profile.incomplete"
        )
        return one["level"], one["acknowledged_by"]

    level, who = found(done)
    assert level == "note"
    assert who is not None
    sent(program, "POST", figures, None, 412, version)
    back = sent(program, "DELETE", figures, None, 200, {**bearer, "If-Match": "*"})
    assert found(back) == ("warning", None)
    assert back.json()["roster"] == done.json()["roster"]
    plain = sent(program, "POST", WARBANDS, ROSTER, 201, bearer).json()
    any_version = {**bearer, "If-Match": "*"}
    told = sent(
        program, "POST", f"{WARBANDS}{plain['id']}/figures/", None, 400, any_version
    )
    assert [one["field"] for one in told.json()["errors"]] == ["figures"]
    other = make_warband(actor=make_person()).token
    sent(program, "POST", f"{WARBANDS}{other}/figures/", None, 404, any_version)
