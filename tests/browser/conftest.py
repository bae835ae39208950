"""What the journeys share: signing in without typing, and what axe and the eye would object to."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.browser.looks import violations
from tests.browser.recorders import Recorder, a_battle, hold_key


@pytest.fixture
def faults() -> Callable[[Page], list[str]]:
    """What is wrong with the page in front of us: what axe finds, and whether it is wider than its
    window.
    """

    def look(page: Page) -> list[str]:
        found = [
            f"{page.url} {fault['id']}: {[node['html'][:120] for node in fault['nodes'][:3]]}"
            for fault in violations(page)
        ]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{page.url} is wider than {page.viewport_size}")
        return found

    return look


@pytest.fixture(autouse=True)
def _site_address(settings: Settings, live_server: LiveServer) -> None:
    """Let absolute addresses lead to the server of the tests."""
    settings.SITE_URL = live_server.url


@pytest.fixture
def sign_in(page: Page, live_server: LiveServer) -> Callable[[User], None]:
    """Put somebody's session into the browser."""

    def put(user: User) -> None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies(
            [{"name": cookie.key, "value": cookie.value, "url": live_server.url}]
        )

    return put


@pytest.fixture
def table(page: Page, live_server: LiveServer) -> Recorder:
    """A battle in front of somebody who may record it."""
    battle = a_battle()
    hold_key(page.context, live_server.url, battle)
    return Recorder(page, live_server.url, battle.token).open()
