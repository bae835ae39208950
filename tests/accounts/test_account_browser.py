"""The account pages in a browser: nothing for axe to find, and nothing wider than a small phone."""

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from accounts.operations.clubs import create_club
from accounts.operations.people import make_link
from tests.browser.looks import in_every_look, violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OPEN = ["login/", "signup/", "password/reset/", "password/reset/done/", "link/spent/"]
OWN = [
    "profile/", "email/", "password/change/", "delete/", "logout/", "2fa/",
    "2fa/totp/activate/", "2fa/recovery-codes/generate/", "sessions/",
]  # fmt: skip


def faults(page: Page) -> list[str]:
    """What axe finds, and whether the page is wider than its window."""
    found = [f"{page.url} {fault['id']}: {fault['help']}" for fault in violations(page)]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(f"{page.url} is wider than {page.viewport_size}")
    return found


def sign_in(page: Page, live_server: LiveServer, email: str, password: str) -> None:
    page.goto(
        f"{live_server.url}/accounts/login/?next=/accounts/reauthenticate/?next=/accounts/profile/"
    )
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password").fill(password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/accounts/profile/")


@in_every_look
def test_axe_finds_nothing(page, live_server, ada, password, share, scheme, width):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    found: list[str] = []
    for name in share(OPEN, 2, scheme == "light"):
        page.goto(f"{live_server.url}/accounts/{name}")
        found += faults(page)
    create_club(name="The Quay", owner_id=ada.pk)
    sign_in(page, live_server, ada.email, password)
    for name in share(OWN, 2, scheme == "dark"):
        page.goto(f"{live_server.url}/accounts/{name}")
        found += faults(page)
    assert found == []


def test_form_sent_back_is_announced_and_axe_finds_nothing(page, live_server, ada):
    page.goto(f"{live_server.url}/accounts/login/")
    page.get_by_label("Email address").fill(ada.email)
    page.get_by_label("Password").fill("wrong-password")
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").get_by_text("Wrong email or password").wait_for()
    assert faults(page) == []


def test_second_step_at_the_door(page, live_server, ada, password):
    Authenticator.objects.create(
        user=ada, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DPEHPK3PXP"}
    )
    page.goto(f"{live_server.url}/accounts/login/")
    page.get_by_label("Email address").fill(ada.email)
    page.get_by_label("Password").fill(password)
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Code").wait_for()
    assert faults(page) == []


def test_one_time_link_leads_to_a_password(page, live_server, ada):
    page.goto(f"{live_server.url}/accounts/link/{make_link(ada.pk)}/")
    assert faults(page) == []
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("New password", exact=True).fill("banner-in-the-wind")
    assert faults(page) == []
