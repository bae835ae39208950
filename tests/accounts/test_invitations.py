"""An invitation survives signing up with a confirmation by mail, on another device too."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.entrance import kept_path
from accounts.models import PATH_MAX, Club, User
from campaigns.models import ClubEvent
from tests.campaigns.leagues import make_league

pytestmark = pytest.mark.django_db
PASSWORD = "halberd-and-lantern"
NEW = {
    "email": "new@example.org",
    "name": "Newcomer",
    "password1": PASSWORD,
    "password2": PASSWORD,
}


@pytest.fixture
def event(settings: Any) -> ClubEvent:
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    return make_league(players=2, visibility="link").event


def invitations(event: ClubEvent) -> dict[str, str]:
    club = Club.objects.get(pk=event.club_id)
    return {
        "club": reverse("club-join", args=[club.code]),
        "event": reverse("event-enter", args=[event.token]),
    }


def sign_up(path: str) -> Client:
    """Somebody opens the link and follows the page's own way to an account."""
    client = Client()
    page = client.get(path).content.decode()
    link = re.search(r'href="(/accounts/signup/[^"]*)"', page)
    assert link
    signup = link[1].replace("&amp;", "&")
    form = client.get(signup).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(next)" value="([^"]*)"', form))
    assert client.post(signup, {**NEW, **hidden}).status_code == 302
    return client


def confirm(client: Client, mail: Any) -> Any:
    """Press the button of the page to which the first address of the mail leads."""
    first = re.search(r"https?://[^/\s]+(\S*)", mail.body)
    assert first
    assert first[1].startswith("/accounts/confirm-email/")
    client.get(first[1])
    return client.post(first[1])


@pytest.mark.parametrize("kind", ["club", "event"])
def test_other_device_leads_back_to_the_invitation(event, mailoutbox, kind):
    path = invitations(event)[kind]
    sign_up(path)
    phone = Client()
    confirm(phone, mailoutbox[-1])
    answer = phone.post("/accounts/login/", {"login": NEW["email"], "password": PASSWORD})
    assert answer.headers["Location"] == path
    assert "Newcomer" not in phone.get(path).headers
    assert User.objects.get(email=NEW["email"]).goes_to == ""
    # Once they have been there, signing in leads where it always does.
    phone.post("/accounts/logout/")
    answer = phone.post("/accounts/login/", {"login": NEW["email"], "password": PASSWORD})
    assert answer.headers["Location"] != path


def test_same_device_leads_back_too(event: ClubEvent, mailoutbox: list[Any]) -> None:
    path = invitations(event)["club"]
    client = sign_up(path)
    answer = confirm(client, mailoutbox[-1])
    where = answer.headers["Location"]
    if where != path:
        login = {"login": NEW["email"], "password": PASSWORD}
        where = client.post(where, login).headers["Location"]
    assert where == path


def test_only_pages_of_this_site_are_kept(event: ClubEvent, mailoutbox: list[Any]) -> None:
    client = Client()
    client.post("/accounts/signup/", {**NEW, "next": "https://example.com/away"})
    assert User.objects.get(email=NEW["email"]).goes_to == ""
    assert kept_path("/" + "a" * (PATH_MAX - 1))
    assert kept_path("/" + "a" * PATH_MAX) == ""
    assert kept_path("//example.com") == ""
