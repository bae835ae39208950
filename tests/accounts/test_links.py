"""One-time sign-in links and the demo club."""

from datetime import timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Club, OneTimeLink, Role, User
from accounts.operations.clubs import create_club
from accounts.operations.people import (
    DEMO_EMAIL,
    DEMO_SLUG,
    make_demo_club,
    make_link,
    use_link,
)
from engine.errors import Refusal

pytestmark = pytest.mark.django_db


def address(user: User) -> str:
    return f"/accounts/link/{make_link(user.pk)}/"


def test_reading_the_page_does_not_use_the_link_up(client: Client, ada: User) -> None:
    link = address(ada)
    assert [client.get(link).status_code, client.head(link).status_code] == [200, 200]
    assert OneTimeLink.objects.get().used_at is None
    assert "_auth_user_id" not in client.session


def test_link_signs_in_and_leads_to_a_password(client: Client, ada: User) -> None:
    response = client.post(address(ada))
    assert response.headers["Location"] == "/accounts/password/set/"
    assert client.session["_auth_user_id"] == str(ada.pk)
    client.post(
        "/accounts/password/set/",
        {"password1": "banner-in-the-wind", "password2": "banner-in-the-wind"},
    )
    ada.refresh_from_db()
    assert ada.check_password("banner-in-the-wind")


def test_link_works_once(client: Client, ada: User) -> None:
    link = address(ada)
    client.post(link)
    second = Client()
    assert [second.get(link).status_code, second.post(link).status_code] == [410, 410]
    assert "_auth_user_id" not in second.session


def test_link_ends_after_a_week(client: Client, ada: User) -> None:
    link = address(ada)
    OneTimeLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.post(link).status_code == 410
    assert OneTimeLink.objects.get().used_at is None


def test_link_lasts_a_week(ada: User) -> None:
    make_link(ada.pk)
    left = OneTimeLink.objects.get().expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


def test_newer_link_ends_the_older_and_nobody_elses(client, ada, ben):
    old, bens = address(ada), address(ben)
    address(ada)
    assert client.post(old).status_code == 410
    assert client.post(bens).status_code == 302


def test_link_ends_the_old_password(ada: User, password: str) -> None:
    use_link(make_link(ada.pk))
    ada.refresh_from_db()
    assert not ada.check_password(password)


def test_link_of_a_switched_off_account_is_refused(ada: User) -> None:
    token = make_link(ada.pk)
    User.objects.update(is_active=False)
    with pytest.raises(Refusal, match="has expired"):
        use_link(token)


def test_token_is_not_in_the_database(ada: User) -> None:
    token = make_link(ada.pk)
    assert token not in str(OneTimeLink.objects.values().get())


def test_link_still_asks_for_the_second_step(client: Client, ada: User) -> None:
    Authenticator.objects.create(
        user=ada, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DPEHPK3PXP"}
    )
    response = client.post(address(ada))
    assert response.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("token", ["x", "%00", "é" * 40, "a" * 3000])
def test_nonsense_link_is_told_so(client: Client, token: str) -> None:
    assert client.get(f"/accounts/link/{token}/").status_code in {400, 410}


def test_demo_club_is_made_once(ben: User) -> None:
    create_club(name="Another", owner_id=ben.pk)
    club, organiser, is_new = make_demo_club()
    assert is_new
    assert make_demo_club() == (club, organiser, False)
    assert club == Club.objects.get(slug=DEMO_SLUG)
    assert not organiser.has_usable_password()
    address = EmailAddress.objects.get(user=organiser)
    assert (address.email, address.primary, address.verified) == (DEMO_EMAIL, True, True)
    assert club.memberships.get().role == Role.OWNER


def test_organiser_link_prints_a_link_that_works(client: Client) -> None:
    make_demo_club()
    out = StringIO()
    call_command("organiser_link", stdout=out)
    link = "/accounts/link/" + out.getvalue().split("/accounts/link/")[1].strip()
    assert client.post(link).status_code == 302


def test_organiser_link_names_an_unknown_address() -> None:
    with pytest.raises(CommandError, match=r"nobody@example\.org"):
        call_command("organiser_link", email="nobody@example.org")
