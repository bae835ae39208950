"""Founding a club, changing what it says, roles, removing, handing over and leaving, through the
pages.
"""

import html

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import NotAllowed
from accounts.models import Club, Membership, Role, User
from accounts.operations.clubs import add_member
from accounts.owner import NOBODY
from clubs.operations import found_club
from tests.factories import make_club, make_person, make_user

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def ben() -> User:
    return make_user(name="Ben")


@pytest.fixture
def club(hanna: User, ben: User) -> Club:
    return make_club(
        owner=make_person(user=hanna), members=[make_person(user=ben)], name="River Club"
    )


def place(club: Club, user: User) -> Membership:
    return Membership.objects.get(club=club, user=user)


def said(answer: object) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def test_double_click_founds_one_club(as_hanna: Client, hanna: User) -> None:
    sent = {
        "name": "River Club",
        "description": "Wednesdays.",
        "is_public": "on",
        "key": "page-1",
    }
    first, second = (as_hanna.post(reverse("club-new"), sent) for _ in range(2))
    club = Club.objects.get()
    assert (
        first["Location"] == second["Location"] == reverse("club-invite", args=[club.slug])
    )
    values = (club.name, club.description, club.is_public)
    assert values == ("River Club", "Wednesdays.", True)
    assert place(club, hanna).role == Role.OWNER


def test_nobody_founds_a_club_without_an_account() -> None:
    with pytest.raises(NotAllowed, match="Sign in"):
        found_club(NOBODY, name="River Club", request_key="page-1")
    assert not Club.objects.exists()


@pytest.mark.parametrize("fields", [
    {"name": ""}, {"name": "\u200b"}, {"name": "x" * 81}, {"name": "a\u202eb"},
    {"name": "Quay", "description": "x" * 2001},
    {"name": "Quay", "description": "a\u202eb"},
])  # fmt: skip
@pytest.mark.parametrize("name", ["club-new", "club-edit"])
def test_text_that_cannot_be_shown_is_sent_back_with_words(as_hanna, club, name, fields):
    before = list(Club.objects.values())
    answer = as_hanna.post(
        reverse(name, args=[club.slug] if name == "club-edit" else []), fields
    )
    assert answer.status_code == 422
    assert "_error" in answer.content.decode()
    assert answer.context["form"].data["name"] == fields["name"]
    assert list(Club.objects.values()) == before


def test_edit_keeps_the_address(as_hanna: Client, club: Club) -> None:
    sent = {"name": "Harbour Club", "description": "Thursdays.\n\nBring dice."}
    answer = as_hanna.post(reverse("club-edit", args=[club.slug]), sent, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("club-read", args=["river-club"])
    club.refresh_from_db()
    values = (club.name, club.description, club.is_public)
    assert values == ("Harbour Club", "Thursdays.\n\nBring dice.", False)


def test_late_edit_is_told_what_the_club_says_now_and_may_be_sent_again(as_hanna, club):
    url = reverse("club-edit", args=[club.slug])
    seen = club.text_hash
    Club.objects.filter(pk=club.pk).update(description="Fridays.")
    sent = {"name": "Harbour Club", "description": "Thursdays.", "seen": seen}
    answer = as_hanna.post(url, sent)
    page = html.unescape(answer.content.decode())
    values = (answer.status_code, "says: “Fridays.”" in page, "Thursdays." in page)
    assert values == (409, True, True)
    assert Club.objects.get().description == "Fridays."
    club.refresh_from_db()
    assert f'value="{club.text_hash}"' in page
    assert as_hanna.post(url, {**sent, "seen": club.text_hash}).status_code == 302
    assert Club.objects.get().description == "Thursdays."


def test_roles_are_changed_from_the_list_of_members(as_hanna, club, ben):
    url = reverse("member-role", args=[club.slug, place(club, ben).pk])
    page = as_hanna.get(reverse("club-members", args=[club.slug])).content.decode()
    assert url in page
    assert said(as_hanna.post(url, {"role": "organiser"}, follow=True)) == [
        "Ben is now an organiser."
    ]
    assert place(club, ben).role == Role.ORGANISER
    for role in ("", "king"):
        assert said(as_hanna.post(url, {"role": role}, follow=True)) == [
            "Choose a role: owner, organiser, member."
        ]
    mine = reverse("member-role", args=[club.slug, place(club, user_of(as_hanna)).pk])
    assert (
        "Hand over the club"
        in said(as_hanna.post(mine, {"role": "member"}, follow=True))[0]
    )
    nobody = reverse("member-role", args=[club.slug, 10**17])
    assert as_hanna.post(nobody, {"role": "member"}).status_code == 404


def user_of(client: Client) -> User:
    return User.objects.get(pk=client.session["_auth_user_id"])


def test_handing_over_is_looked_at_first(as_hanna, club, hanna, ben):
    url = reverse("member-hand-over", args=[club.slug, place(club, ben).pk])
    assert "Ben" in as_hanna.get(url).content.decode()
    assert place(club, hanna).role == Role.OWNER
    assert said(as_hanna.post(url, follow=True)) == [
        "Ben now owns the club. You are an organiser."
    ]
    assert (place(club, hanna).role, place(club, ben).role) == (Role.ORGANISER, Role.OWNER)
    assert as_hanna.post(url).status_code == 403
    mine = reverse("member-hand-over", args=[club.slug, place(club, ben).pk])
    answer = signed_in(ben).post(mine)
    assert answer.status_code == 422
    assert "Choose another member" in answer.content.decode()


def test_removing_is_looked_at_first(as_hanna, club, hanna, ben):
    url = reverse("member-remove", args=[club.slug, place(club, ben).pk])
    assert "Ben" in as_hanna.get(url).content.decode()
    assert said(as_hanna.post(url, follow=True)) == [
        "Ben is no longer a member of the club."
    ]
    assert as_hanna.post(url).status_code == 404
    mine = reverse("member-remove", args=[club.slug, place(club, hanna).pk])
    assert as_hanna.get(mine)["Location"] == reverse("club-leave", args=[club.slug])


def test_organisers_remove_members_and_no_organiser(as_hanna, club, hanna, ben):
    cleo = make_user(name="Cleo")
    add_member(club.pk, cleo.pk)
    Membership.objects.filter(club=club, user=ben).update(role=Role.ORGANISER)
    as_ben = signed_in(ben)
    page = as_ben.get(reverse("club-members", args=[club.slug])).content.decode()
    theirs, owners = (
        reverse("member-remove", args=[club.slug, place(club, user).pk])
        for user in (cleo, hanna)
    )
    assert theirs in page
    assert owners not in page
    assert [as_ben.get(owners).status_code, as_ben.post(owners).status_code] == [403, 403]
    assert as_ben.post(theirs).status_code == 302
    assert not Membership.objects.filter(user=cleo).exists()


def test_leaving(as_hanna: Client, club: Club, hanna: User, ben: User) -> None:
    url = reverse("club-leave", args=[club.slug])
    answer = as_hanna.post(url)
    assert answer.status_code == 422
    assert "Hand over the club first" in answer.content.decode()
    assert said(signed_in(ben).post(url, follow=True)) == ["You have left River Club."]
    assert list(Membership.objects.values_list("user", flat=True)) == [hanna.pk]


def test_list_of_clubs_says_what_to_do(as_hanna: Client, club: Club) -> None:
    stranger = signed_in(make_user())
    empty = stranger.get(reverse("club-list")).content.decode()
    assert "You are not in a club yet" in empty
    assert reverse("club-find") in empty
    assert "River Club" not in empty
    mine = as_hanna.get(reverse("club-list"))
    assert [row.name for row in mine.context["mine"]] == ["River Club"]
    Club.objects.update(is_public=True)
    assert [
        row.name for row in Client().get(reverse("club-list")).context["page"].rows
    ] == ["River Club"]
    for search, found in (("ver c", True), ("quay", False)):
        answer = Client().get(reverse("club-list"), {"search": search})
        assert bool(answer.context["page"].rows) == found
        assert ("No listed club" in answer.content.decode()) != found
    for asked in ({"page": "x"}, {"search": "x" * 81}, {"search": "a\x01b\x00"}):
        assert Client().get(reverse("club-list"), asked).status_code == 400, asked
