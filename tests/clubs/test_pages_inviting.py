"""Invitations: the code, its link and picture; joining with or without an account; guessing is
slowed down.
"""

from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Club, Membership
from accounts.operations.clubs import new_code
from clubs import views
from clubs.codes import RATES
from tests.factories import make_club, make_person, make_user

pytestmark = pytest.mark.django_db

TRIES = int(RATES["club_code"].partition("/")[0])


def join_url(code: str) -> str:
    return reverse("club-join", args=[code])


def test_invitation_holds_code_link_and_picture(as_hanna: Client, club: Club) -> None:
    page = as_hanna.get(reverse("club-invite", args=[club.slug])).content.decode()
    assert f"{club.code[:3]} {club.code[3:]}" in page
    assert f"{settings.SITE_URL}{join_url(club.code)}" in page
    assert "QR code to join this club" in page


def test_new_code_makes_the_old_one_void(as_hanna: Client, club: Club) -> None:
    assert as_hanna.post(reverse("club-renew", args=[club.slug])).status_code == 302
    fresh = Club.objects.get().code
    assert fresh != club.code
    old, new = (Client().get(join_url(code)) for code in (club.code, fresh))
    assert (old.status_code, new.status_code) == (404, 200)
    assert "No club has this code" in old.content.decode()
    assert "River Club" not in old.content.decode()


def test_newcomer_signs_up_and_comes_back_to_join(club: Club) -> None:
    client, url = Client(), join_url(club.code)
    page = client.get(url).content.decode()
    assert "River Club" in page
    assert f"{reverse('account_signup')}?next={quote(url, safe='')}" in page
    assert client.post(url)["Location"] == f"{reverse('account_login')}?next={url}"
    sent = {
        "email": "new@example.org",
        "password1": "halberd-and-lantern",
        "name": "Newcomer",
        "next": url,
    }
    answer = client.post(reverse("account_signup"), sent)
    assert answer["Location"] == url
    assert client.post(url)["Location"] == reverse("club-read", args=[club.slug])
    assert client.post(url, follow=True).redirect_chain[-1][0] == reverse(
        "club-read", args=[club.slug]
    )
    assert (
        Membership.objects.filter(club=club, user__name="Newcomer", role="member").count()
        == 1
    )


@pytest.mark.parametrize(
    "typed", ["{code}", " {low} ", "{low_spelt}", "http://testserver/clubs/join/{low}/"]
)
def test_typed_code_leads_to_its_club(club: Club, typed: str) -> None:
    low = club.code.lower()
    typed = typed.format(code=club.code, low=low, low_spelt=f"{low[:3]}-{low[3:]}")
    answer = Client().post(reverse("club-find"), {"code": typed})
    assert answer["Location"] == join_url(club.code)


@pytest.mark.parametrize(
    "typed", ["", "0", "CDFGH", "CDFGHJK", "c\u202ed", "x" * 300, "a\x00b"]
)
def test_odd_codes_are_sent_back_with_words_and_count_for_nothing(club, typed):
    client = Client()
    for _ in range(TRIES + 1):
        answer = client.post(reverse("club-find"), {"code": typed})
    assert answer.status_code == 422
    assert "_error" in answer.content.decode()


def test_guessing_is_refused_after_so_many_wrong_codes(club: Club) -> None:
    wrong = "CCCCCC" if club.code != "CCCCCC" else "DDDDDD"
    guesser = Client()
    asked = [
        guesser.get(join_url(wrong)),
        *(guesser.post(reverse("club-find"), {"code": wrong}) for _ in range(TRIES)),
    ]
    assert [answer.status_code for answer in asked] == [404, *[422] * (TRIES - 1), 429]
    for answer in (
        guesser.get(join_url(club.code)),
        guesser.post(reverse("club-find"), {"code": club.code}),
    ):
        assert answer.status_code == 429  # the right one tells no more than a wrong one
        assert "River Club" not in answer.content.decode()
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    assert elsewhere.get(join_url(club.code)).status_code == 200


def test_guessing_goes_no_further_when_posted(as_hanna: Client, club: Club) -> None:
    """Joining asks the same limit as looking."""
    other = make_club(name="Other")
    wrong = "CCCCCC" if other.code != "CCCCCC" else "DDDDDD"
    for _ in range(TRIES):
        assert as_hanna.post(join_url(wrong)).status_code == 404
    assert as_hanna.post(join_url(other.code)).status_code == 429
    assert not Membership.objects.filter(club=other, user__name="Hanna").exists()


def test_whole_club_may_join_behind_one_router(club: Club) -> None:
    for _ in range(TRIES + 2):
        assert Client().get(join_url(club.code)).status_code == 200


def test_code_changed_between_looking_and_joining(club, hanna, monkeypatch):
    client = Client()
    client.force_login(make_user())
    found = views.find_club

    def changed_meanwhile(*arguments: object) -> object:
        answer = found(*arguments)
        new_code(make_person(user=hanna), club.slug)
        return answer

    monkeypatch.setattr(views, "find_club", changed_meanwhile)
    answer = client.post(join_url(club.code), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("club-find")
    assert "No club has this code" in answer.content.decode()
    assert Membership.objects.filter(club=club).count() == 1
