"""The page of a club: what its members see, what is shown of a listed one, and how much it asks of
the database.
"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Club, Role, User
from accounts.operations.clubs import add_member
from accounts.owner import Owner
from campaigns.models import Round
from clubs.queries import ClubPage
from tests.campaigns.leagues import make_event
from tests.factories import (
    make_battle,
    make_legal_warband,
    make_person,
    make_user,
    make_warband,
)

pytestmark = pytest.mark.django_db

PAGE_QUERIES = 8
"""The person; the club; its events and their dates; battles and their sides; members; warbands."""


@pytest.fixture
def person(hanna: User) -> Owner:
    return make_person(user=hanna)


def page_of(answer: Any) -> ClubPage:
    page: ClubPage = answer.context["page"]
    return page


def names(answer: Any) -> list[str]:
    warbands = page_of(answer).warbands
    assert warbands is not None
    return [row.name for row in warbands.rows]


def address(club: Club) -> str:
    return reverse("club-read", args=[club.slug])


def test_members_find_warbands_by_army_points_and_findings(as_hanna, club):
    mate = make_person()
    add_member(club.pk, mate.user_id or 0)
    shared = make_legal_warband(
        actor=mate, name="Shared", visibility="club", club_id=club.pk
    )
    make_legal_warband(actor=mate, name="Kept", visibility="private")
    make_warband(actor=mate, army="skaven", name="Rats", visibility="club", club_id=club.pk)
    assert sorted(names(as_hanna.get(address(club)))) == ["Rats", "Shared"]
    for asked, found in (
        ({"army": "warhammer-skirmish/skaven"}, ["Rats"]),
        ({"points_from": shared.points}, ["Shared"]),
        ({"points_to": "0"}, ["Rats"]),
        ({"findings": "clear"}, ["Shared"]),
        ({"findings": "error"}, ["Rats"]),
        ({"findings": "warning", "army": "warhammer-skirmish/the-empire"}, []),
    ):
        assert names(as_hanna.get(address(club), asked)) == found, asked


@pytest.mark.parametrize("asked", [
    {"points_to": "many"}, {"findings": "all"}, {"army": "x/y"}, {"page": "0"},
    {"points_from": "9" * 40},
])  # fmt: skip
def test_odd_questions_are_told_what_is_wrong_with_them(as_hanna, club, asked):
    answer = as_hanna.get(address(club), asked)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_nights_stand_with_the_next_date_first(as_hanna, club, person):
    later, sooner, undated, past = (
        make_event(organiser=person, club=club, name=name)
        for name in ("Later", "Sooner", "Undated", "Past")
    )
    now = timezone.now()
    for event, number, days in (
        (later, 1, 9),
        (sooner, 1, -7),
        (sooner, 2, 2),
        (sooner, 3, 5),
        (past, 1, -3),
    ):
        Round.objects.create(
            event=event, number=number, starts_at=now + timedelta(days=days)
        )
    shown = page_of(as_hanna.get(address(club))).events
    assert [row.name for row, _ in shown[:2]] == ["Sooner", "Later"]
    assert shown[0][1] == now + timedelta(days=2)
    assert {row.name for row, next_at in shown[2:] if next_at is None} == {
        "Undated",
        "Past",
    }
    assert undated.name in as_hanna.get(address(club)).content.decode()


def test_listed_club_shows_others_what_is_public_alone(as_hanna, club, person):
    for visibility in ("club", "public"):
        make_legal_warband(
            actor=person, name=f"Band {visibility}", visibility=visibility, club_id=club.pk
        )
        make_event(
            organiser=person, club=club, name=f"Cup {visibility}", visibility=visibility
        )
    make_battle(actor=person, club_id=club.pk, visibility="link")
    make_battle(actor=person, club_id=club.pk, visibility="public")
    assert Client().get(address(club)).status_code == 404
    Club.objects.update(is_public=True)
    mine, theirs = (
        page_of(as_hanna.get(address(club))),
        page_of(Client().get(address(club))),
    )
    assert (len(mine.events), len(mine.battles), len(mine.members)) == (2, 2, 1)
    assert (len(theirs.events), len(theirs.battles), len(theirs.members)) == (1, 1, 0)
    assert names(Client().get(address(club))) == ["Band public"]
    text = " ".join(Client().get(address(club)).content.decode().split())
    assert "Hanna" not in text.replace("by Hanna", "")
    assert club.code not in text
    for name in ("club-members", "club-edit", "club-invite", "club-leave"):
        assert Client().get(reverse(name, args=[club.slug])).status_code == 403, name


def test_page_asks_as_often_for_one_of_each_as_for_three(as_hanna, club, person):
    counts = []
    for number in (1, 2, 3):
        make_legal_warband(
            actor=person, name=f"Band {number}", visibility="club", club_id=club.pk
        )
        event = make_event(organiser=person, club=club, name=f"Cup {number}")
        Round.objects.create(
            event=event, number=1, starts_at=timezone.now() + timedelta(days=number)
        )
        make_battle(actor=person, club_id=club.pk)
        add_member(club.pk, make_user().pk)
        as_hanna.get(address(club))
        with CaptureQueriesContext(connection) as queries:
            as_hanna.get(address(club))
        counts.append(len(queries))
    assert counts == [PAGE_QUERIES] * 3


def test_two_hundred_members_take_no_more_queries(as_hanna: Client, club: Club) -> None:
    members = reverse("club-members", args=[club.slug])

    def counts() -> list[int]:
        found = []
        for url in (address(club), members, f"{members}?page=4"):
            with CaptureQueriesContext(connection) as queries:
                assert as_hanna.get(url).status_code == 200
            found.append(len(queries))
        return found

    as_hanna.get(members)  # reads the session, which the cache keeps from then on
    few = counts()
    users = User.objects.bulk_create(
        User(email=f"m{n}@example.org", name=f"Member {n}") for n in range(200)
    )
    for user in users:
        add_member(
            club.pk, user.pk, Role.ORGANISER if user.name == "Member 7" else Role.MEMBER
        )
    # No events, so that nobody asks for their dates; no battles, so that none has sides.
    assert counts() == few == [6, 3, 3]
    first = as_hanna.get(members)
    assert [row.name for row in first.context["page"].rows[:2]] == ["Hanna", "Member 7"]
    assert len(as_hanna.get(members, {"page": "5"}).context["page"].rows) == 1
    assert as_hanna.get(members, {"page": "x"}).status_code == 400
