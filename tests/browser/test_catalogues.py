"""A made-up game becomes a club's list: its files, the preview, the list and a newer version."""

import pytest
from playwright.sync_api import expect

from tests.browser.looks import in_every_look
from tests.browser.test_lists import picture
from tests.factories import make_club, make_person, make_user
from tests.foreign.lantern_gangs import MADE
from tests.foreign.test_catalogues import NAMES
from tests.rulesdata.own_lists import make_books

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@in_every_look
def test_a_game_comes_in_and_is_brought_up_to_date(
    page, live_server, sign_in, faults, tmp_path, scheme, width
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    make_books()
    user = make_user(name="Hanna")
    club = make_club(owner=make_person(user=user))
    sign_in(user)
    page.goto(f"{live_server.url}/rules/clubs/{club.slug}/")
    page.get_by_role("link", name="Catalogue of another app").click()
    picture(page, "catalogue")
    page.locator("#id_file").set_input_files([MADE / name for name in NAMES])
    page.locator("#id_collection").select_option("whfb6")
    page.locator("#id_may_use").check()
    page.get_by_role("button", name="Read files").click()
    expect(page.locator("main")).to_contain_text("4 units")
    picture(page, "catalogue-preview")
    assert faults(page) == []
    page.get_by_role("button", name="Create list").click()
    expect(page.locator("h1")).to_have_text("The Wardens")
    newer = tmp_path / NAMES[2]
    text = (MADE / NAMES[2]).read_text()
    newer.write_text(text.replace('value="60"/>', 'value="45"/>'))
    page.goto(f"{page.url}catalogue/")
    page.locator("#id_file").set_input_files([*(MADE / name for name in NAMES[:2]), newer])
    page.locator("#id_may_use").check()
    page.get_by_role("button", name="Read files").click()
    expect(page.locator("main")).to_contain_text("Lamp Captain, 45 gc")
    picture(page, "catalogue-newer")
    page.get_by_role("button", name="Save changes").click()
    expect(page.locator("h1")).to_have_text("Old prices")
    assert faults(page) == []
