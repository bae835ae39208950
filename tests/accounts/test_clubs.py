"""Clubs: how they are made and who may see and run them."""

import pytest
from django.db import IntegrityError, transaction

from accounts import access
from accounts.models import Club, Membership, Role, User
from accounts.operations.clubs import add_member, create_club
from accounts.owner import NOBODY, Owner
from accounts.queries import load_clubs_of
from accounts.tokens import CODE_ALPHABET, new_code
from engine.errors import Refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def club(ada: User, ben: User) -> Club:
    made = create_club(name="The Quay", owner_id=ada.pk)
    add_member(made.pk, ben.pk)
    return made


def test_owner_member_and_stranger(club: Club, ada: User, ben: User) -> None:
    stranger = User.objects.create_user("cleo@example.org")
    rules = [access.may_see_club, access.is_club_member, access.may_organise_club]
    answers = {
        user.email[0]: [rule(Owner(user.pk), club.pk) for rule in rules]
        for user in (ada, ben, stranger)
    }
    assert answers == {
        "a": [True, True, True],
        "b": [True, True, False],
        "c": [False, False, False],
    }


def test_listed_club_is_seen_by_all_and_joined_by_none(club: Club) -> None:
    Club.objects.update(is_public=True)
    for owner in (NOBODY, Owner(key="anonymous")):
        assert access.may_see_club(owner, club.pk)
        assert not access.is_club_member(owner, club.pk)
        assert not access.may_organise_club(owner, club.pk)


def test_no_club_is_nobodys(ada: User) -> None:
    assert not access.may_see_club(Owner(ada.pk), None)


def test_lists_hold_each_club_once(club: Club, ada: User) -> None:
    Club.objects.update(is_public=True)
    for listing in (
        access.clubs_visible_to, access.clubs_joined_by, access.clubs_organised_by,
    ):  # fmt: skip
        assert list(listing(Owner(ada.pk))) == [club]


def test_member_keeps_the_role_when_added_again(club: Club, ada: User) -> None:
    add_member(club.pk, ada.pk, Role.MEMBER)
    assert Membership.objects.get(user=ada).role == Role.OWNER


def test_database_refuses_a_second_membership(club: Club, ada: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(club=club, user=ada)


def test_clubs_of_equal_name_get_own_addresses_and_codes(club: Club, ada: User) -> None:
    other = create_club(name="The Quay", owner_id=ada.pk)
    assert (club.slug, club.code) != (other.slug, other.code)
    assert other.slug.startswith("the-quay-")


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "x" * 81, "a\u202eb"])
def test_club_name_that_cannot_be_shown_is_refused(ada: User, name: str) -> None:
    with pytest.raises(Refusal, match="name"):
        create_club(name=name, owner_id=ada.pk)
    assert not Club.objects.exists()


def test_code_has_no_look_alikes() -> None:
    assert not set("01258BILOSUVZ") & set(CODE_ALPHABET)
    assert set(new_code(200)) <= set(CODE_ALPHABET)


def test_clubs_of_a_person_take_one_query(club, ada, django_assert_num_queries):
    create_club(name="The Ferry", owner_id=ada.pk)
    with django_assert_num_queries(1):  # memberships with their clubs
        clubs = load_clubs_of(ada.pk)
    assert [(entry.name, entry.role_label) for entry in clubs] == [
        ("The Ferry", "Owner"),
        ("The Quay", "Owner"),
    ]
