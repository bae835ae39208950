"""A list of another app on a small phone without script: each step is a plain form."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.test_lists import TEXT, picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}
    )
    yield context.new_page()
    context.close()


def is_too_wide(page: Page) -> bool:
    """Whether the page is wider than its window; the page's own scripts do not run."""
    found: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return found


@pytest.mark.soak
def test_a_list_is_imported_a_suggestion_taken_and_a_warband_made(
    phone: Page, live_server: LiveServer
) -> None:
    phone.goto(f"{live_server.url}/warbands/import/")
    phone.locator("#id_text").fill(TEXT.replace("River folk", "Crosbowmen"))
    assert not is_too_wide(phone)
    phone.get_by_role("button", name="Import", exact=True).click()
    main = phone.locator("main")
    expect(main).to_contain_text("2 of 4 lines matched")
    picture(phone, "plain-preview")
    assert not is_too_wide(phone)
    phone.get_by_label("Unit for Crosbowmen").select_option("crossbowmen")
    phone.get_by_role("button", name="Update preview").click()
    expect(main).to_contain_text("3 of 4 lines matched")
    phone.get_by_role("button", name="Create warband").click()
    expect(phone.locator("h1")).to_contain_text("The Watch")
    expect(phone.locator(".roll > li")).to_have_count(3)
    expect(main).to_contain_text("Crossbowmen")
    assert not is_too_wide(phone)
