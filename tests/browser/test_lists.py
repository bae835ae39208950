"""A list of another app, brought in and taken out again: on a phone, by plain forms."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import in_every_look
from tests.factories import make_user
from warbands.exchange.foreign.reader import read_list

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TEXT = """The Watch
The Empire
Captain, halberd, lantern - 54
4x Halberdiers - 24 pts
River folk x3, 18 pts
Dragon 300 pts"""


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("PICTURES"):
        look = f"{page.viewport_size['width']}" if page.viewport_size else ""
        page.screenshot(path=Path(folder) / f"{name}-{look}.png", full_page=True)


@in_every_look
def test_list_comes_in_by_choice_and_goes_out_as_a_file(
    page, live_server, sign_in, faults, scheme, width
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    sign_in(make_user(name="Hanna"))
    page.goto(f"{live_server.url}/warbands/import/")
    page.locator("#id_text").fill(TEXT)
    picture(page, "import")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("main")).to_contain_text("2 of 4 lines matched")
    page.get_by_label("Unit for River folk").select_option(label="Free Company")
    page.get_by_role("button", name="Update preview").click()
    expect(page.locator("main")).to_contain_text("3 of 4 lines matched")
    expect(page.locator("main")).to_contain_text("Becomes a note.")
    assert faults(page) == []
    picture(page, "preview")
    page.get_by_role("button", name="Create warband").click()
    expect(page.locator(".roll > li")).to_have_count(3)
    page.goto(f"{page.url}export/")
    picture(page, "export")
    assert faults(page) == []
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download .rosz").click()
    tree = read_list("list.rosz", Path(saved.value.path()).read_bytes())
    assert [unit.name for unit in tree.units] == ["Captain", "Halberdiers", "Free Company"]
    # The next list knows what was chosen.
    page.goto(f"{live_server.url}/warbands/import/")
    page.locator("#id_text").fill(TEXT)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("main")).to_contain_text("As you chose before")
