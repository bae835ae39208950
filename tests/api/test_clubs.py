"""Clubs for programs: joined by their code, their members, and the lists they have written."""

from collections.abc import Callable

import pytest
from django.core.cache import cache

from accounts.models import Club, Membership
from accounts.owner import Owner
from clubs.codes import RATES
from tests.api.conftest import Call
from tests.factories import make_club, make_person, make_user
from tests.rulesdata.own_lists import make_list, make_profile

pytestmark = pytest.mark.django_db

Caller = Callable[[Owner], Call]
TRIES = int(RATES["club_code"].partition("/")[0])


@pytest.fixture
def olga() -> Owner:
    return make_person(user=make_user(name="Olga"))


@pytest.fixture
def ada() -> Owner:
    return make_person(user=make_user(name="Ada"))


@pytest.fixture
def club(olga: Owner, ada: Owner) -> Club:
    return make_club(owner=olga, members=[ada], name="The Quay")


def test_code_lets_a_person_in_once(caller: Caller, club: Club) -> None:
    call = caller(make_person())
    for _ in range(2):
        told = call("POST", "clubs/join/", {"code": f" {club.code.lower()} "}).json()
        assert (told["slug"], told["role"], told["code"]) == (club.slug, "member", None)
        assert told["members"] == 3


@pytest.mark.parametrize("code", ["", "x", "OOOOOO", "C" * 7, "x" * 1000, "CCCCCC"])
def test_code_that_is_none_is_named(caller: Caller, club: Club, code: str) -> None:
    told = caller(make_person())("POST", "clubs/join/", {"code": code}, 400).json()
    assert [one["field"] for one in told["errors"]] == ["code"]
    assert Membership.objects.count() == 2


def test_codes_are_not_tried_out(caller: Caller, club: Club) -> None:
    cache.clear()
    call = caller(make_person())
    for _ in range(TRIES):
        call("POST", "clubs/join/", {"code": "CCCCCC"}, 400)
    answer = call("POST", "clubs/join/", {"code": club.code}, 429)
    assert "Too many wrong codes" in answer.json()["detail"]
    assert answer.headers["Retry-After"] == "300"


def test_members_are_told_in_their_order(caller: Caller, club: Club, ada: Owner) -> None:
    call, address = caller(ada), f"clubs/{club.slug}/members/"
    told = call("GET", address).json()["results"]
    assert [(one["name"], one["role"], one["is_me"]) for one in told] == [
        ("Olga", "owner", False),
        ("Ada", "member", True),
    ]
    assert call("GET", f"{address}{told[1]['id']}/").json() == told[1]
    call("GET", f"{address}?page=2", status=404)
    call("GET", f"{address}?page_size=201", status=400)


def test_member_changes_hands_by_owners_alone(caller, club, olga, ada):
    address = f"clubs/{club.slug}/members/"
    mine, theirs = (
        f"{address}{Membership.objects.get(user_id=one.user_id).pk}/" for one in (olga, ada)
    )
    caller(ada)("PATCH", theirs, {"role": "owner"}, 403)
    call = caller(olga)
    assert call("PATCH", theirs, {}).json()["role"] == "member"
    assert call("PATCH", theirs, {"role": "owner"}).json()["role"] == "owner"
    assert call("PATCH", mine, {"role": "organiser"}).json()["role"] == "organiser"
    for wrong in ({"role": "king"}, {"role": None}, {"name": "Ada"}):
        told = caller(ada)("PATCH", mine, wrong, 400).json()
        assert [one["field"] for one in told["errors"]] == [*wrong]


def test_member_is_taken_out_and_the_last_owner_stays(caller, club, olga, ada):
    address = f"clubs/{club.slug}/members/"
    mine, theirs = (
        f"{address}{Membership.objects.get(user_id=one.user_id).pk}/" for one in (olga, ada)
    )
    caller(ada)("DELETE", mine, status=403)
    call = caller(olga)
    assert call("DELETE", theirs, status=204).content == b""
    call("DELETE", theirs, status=404)
    told = call("DELETE", mine, status=400).json()
    assert "no other member to hand it over to" in told["detail"]
    assert Membership.objects.count() == 1


def test_member_leaves(caller: Caller, club: Club, ada: Owner) -> None:
    call = caller(ada)
    (me,) = [
        one
        for one in call("GET", f"clubs/{club.slug}/members/").json()["results"]
        if one["is_me"]
    ]
    call("DELETE", f"clubs/{club.slug}/members/{me['id']}/", status=204)
    call("GET", f"clubs/{club.slug}/members/", status=404)


def test_stranger_learns_of_no_member(caller: Caller, club: Club) -> None:
    call, pk = caller(make_person()), Membership.objects.first().pk
    address = f"clubs/{club.slug}/members/"
    for one in (address, f"{address}{pk}/", f"clubs/{club.slug}/lists/"):
        call("GET", one, status=404)
    call("DELETE", f"{address}{pk}/", status=404)
    # A listed club is seen, so its members are refused and not denied.
    Club.objects.update(is_public=True)
    call("GET", address, status=403)
    call("DELETE", f"{address}{pk}/", status=403)


def test_own_lists_are_told_with_their_version(caller, club, olga, ada):
    own = make_list(club=club, actor=olga, name="River Empire")
    address = f"clubs/{club.slug}/lists/"
    call = caller(ada)
    (row,) = call("GET", address).json()["results"]
    assert (row["id"], row["name"], row["profiles"]) == (own.token, "River Empire", 0)
    empty = call("GET", f"{address}{own.token}/")
    assert empty.json()["name"] == "River Empire"
    make_profile(own=own, actor=olga, name="Boatman")
    whole = call("GET", f"{address}{own.token}/")
    assert [one["name"] for one in whole.json()["units"]] == ["Boatman"]
    assert whole.headers["ETag"] != empty.headers["ETag"]
    call("GET", f"{address}own-nothing/", status=404)
    caller(make_person())("GET", f"{address}{own.token}/", status=404)


def test_list_of_another_club_is_not_there(caller: Caller, club: Club, olga: Owner) -> None:
    other = make_club(owner=olga, name="The Mole")
    own = make_list(club=other, actor=olga)
    caller(olga)("GET", f"clubs/{club.slug}/lists/{own.token}/", status=404)


def test_lists_of_a_club_ask_as_often_for_one_as_for_three(
    caller, club, olga, django_assert_num_queries
):
    call = caller(olga)
    call("GET", "clubs/")  # notes the token's use
    for number in range(3):
        make_list(club=club, actor=olga, name=f"List {number}")
        caller(olga)
        with django_assert_num_queries(3):
            call("GET", f"clubs/{club.slug}/lists/")
        with django_assert_num_queries(3):
            call("GET", f"clubs/{club.slug}/members/")
