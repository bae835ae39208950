"""Who may make an account: anybody, those with an invitation, nobody (`REGISTRATION`)."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from campaigns.models import ClubEvent
from tests.campaigns.leagues import make_league

pytestmark = pytest.mark.django_db
FORM = {"email": "new@example.org", "password1": "halberd-and-lantern", "name": "New"}
OFFER = "/accounts/signup/"


def signs_up(client: Client) -> bool:
    client.post("/accounts/signup/", FORM)
    return User.objects.filter(email=FORM["email"]).exists()


@pytest.mark.parametrize(
    "mode, is_open", [("open", True), ("invited", False), ("closed", False)]
)
def test_stranger_makes_an_account_only_where_it_is_open(
    client: Client, settings: Any, mode: str, *, is_open: bool
) -> None:
    settings.REGISTRATION = mode
    assert (OFFER in client.get("/accounts/login/").content.decode()) is is_open
    page = client.get("/accounts/signup/").content.decode()
    assert ('name="password1"' in page) is is_open
    assert ("need an invitation" in page) is (mode == "invited")
    assert signs_up(client) is is_open


@pytest.mark.parametrize("mode, is_open", [("invited", True), ("closed", False)])
def test_link_of_a_club_invites(client, settings, mode, *, is_open):
    settings.REGISTRATION = mode
    club = ClubEvent.objects.get(token=make_league(players=2).token).club
    page = client.get(f"/clubs/join/{club.code}/").content.decode()
    assert (OFFER in page) is is_open
    assert signs_up(client) is is_open


@pytest.mark.parametrize(
    "visibility, is_open", [("link", True), ("public", False), ("club", False)]
)
def test_link_of_an_event_invites_unless_anybody_finds_it(
    client: Client, settings: Any, visibility: str, *, is_open: bool
) -> None:
    settings.REGISTRATION = "invited"
    token = make_league(players=2).token
    ClubEvent.objects.filter(token=token).update(visibility=visibility)
    client.get(f"/leagues/{token}/enter/")
    assert signs_up(client) is is_open


def test_wrong_code_invites_nobody(client: Client, settings: Any) -> None:
    settings.REGISTRATION = "invited"
    assert client.get("/clubs/join/AAAAAA/").status_code == 404
    assert not signs_up(client)


def test_site_that_is_open_starts_no_session_for_an_invitation(client, settings):
    club = ClubEvent.objects.get(token=make_league(players=2).token).club
    answer = client.get(f"/clubs/join/{club.code}/")
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
