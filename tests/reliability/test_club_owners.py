"""R1 for clubs: however roles are changed at once, no club is left without an owner, and no code
admits twice.
"""

from collections.abc import Callable

import pytest

from accounts.errors import NotAllowed, NotFound
from accounts.models import Club, Membership, Role
from accounts.operations.clubs import (
    add_member,
    change_role,
    join_club,
    leave_club,
    remove_member,
)
from accounts.operations.people import close_account
from accounts.owner import Owner
from engine.errors import Refusal
from tests.conftest import Soak
from tests.factories import make_club, make_person
from tests.reliability.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def shared_club(owners: int) -> tuple[Club, list[Owner], list[int]]:
    people = [make_person() for _ in range(owners)]
    club = make_club(owner=people[0])
    for person in people[1:]:
        add_member(club.pk, person.user_id or 0, Role.OWNER)
    ids = {row.user_id: row.pk for row in Membership.objects.filter(club=club)}
    return club, people, [ids[person.user_id or 0] for person in people]


WAYS: dict[str, Callable[[Club, list[Owner], list[int], int], object]] = {
    "everybody leaves": lambda club, people, ids, n: leave_club(people[n], club.slug),
    "everybody steps down": lambda club, people, ids, n: change_role(
        people[n], club.slug, ids[n], Role.MEMBER
    ),
    "each puts the next one down": lambda club, people, ids, n: change_role(
        people[n], club.slug, ids[(n + 1) % len(ids)], Role.MEMBER
    ),
    "each removes the next one": lambda club, people, ids, n: remove_member(
        people[n], club.slug, ids[(n + 1) % len(ids)]
    ),
    "everybody closes their account": lambda club, people, ids, n: close_account(
        people[n].user_id or 0
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_club_keeps_an_owner(way: str, soak: Soak) -> None:
    owners = 4
    for _ in range(soak(3, 30)):
        club, people, ids = shared_club(owners)
        last = make_person()
        add_member(club.pk, last.user_id or 0)

        def work(number: int) -> str:
            try:
                WAYS[way](club, people, ids, number)  # noqa: B023  # done before the next round
            except (Refusal, NotAllowed, NotFound) as refused:
                return type(refused).__name__
            return "done"

        answers = at_once(owners, work)
        left = Membership.objects.filter(club=club, role=Role.OWNER).count()
        assert left >= 1, answers
        if way == "everybody closes their account":
            assert list(answers) == ["done"] * owners
            assert Membership.objects.get(club=club).user_id == last.user_id
        elif way in ("everybody leaves", "everybody steps down"):
            assert sorted(answers) == ["Refusal", *["done"] * (owners - 1)]
            assert left == 1


def test_same_person_joining_at_once_is_one_member() -> None:
    club, newcomer = make_club(), make_person()
    answers = at_once(6, lambda _: join_club(newcomer, club.code)[1])
    assert sorted(answers) == [False] * 5 + [True]
    assert Membership.objects.filter(club=club, user_id=newcomer.user_id).count() == 1
