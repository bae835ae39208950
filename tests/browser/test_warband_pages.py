"""Every warband page in a browser: nothing for axe to find, nothing wider than the window, light
and dark.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.browser.looks import in_every_look
from tests.conftest import Share
from tests.factories import make_legal_warband, make_person, make_user, make_warband
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, import_document
from warbands.operations.warriors import WarriorDraft, add_warrior, change_warrior

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Faults = Callable[[Page], list[str]]

LISTS = [
    "", "?archived=1", "public/", "public/?page=0", "club/", "starters/?army=the-empire",
    "new/", "import/",
]  # fmt: skip
PAGES = [
    "", "?pane=army", "details/", "share/", "delete/", "export/", "history/", "sheet/",
    "sheet/reference/", "sheet/cards/", "sheet/opponent/", "sheet/blank/",
]  # fmt: skip


@pytest.fixture
def hanna() -> User:
    return make_user(name="Hanna")


@pytest.fixture
def warband(hanna: User) -> Warband:
    """Two findings, a wizard, a group, names and notes."""
    person = make_person(user=hanna)
    warband = make_legal_warband(
        actor=person, name="The Ferrymen of Altwasser", visibility="public"
    )
    done = add_warrior(
        WriteContext(person, warband.token), WarriorDraft("battle-wizard", name="Balthasar")
    )
    change_warrior(
        WriteContext(person, warband.token), done.warrior_id or 0, note="Knows the river."
    )
    add_warrior(
        WriteContext(person, warband.token),
        WarriorDraft("halberdiers", options=["musician"]),
    )
    return warband


@in_every_look
def test_axe_finds_nothing(
    page: Page,
    live_server: LiveServer,
    sign_in: Callable[[User], None],
    faults: Faults,
    hanna: User,
    warband: Warband,
    share: Share,
    scheme: str,
    width: int,
) -> None:
    """The plain run looks at one page of nine."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 844})
    root, found = f"{live_server.url}/warbands/", []
    page.goto(f"{root}{warband.token}/")
    found += faults(page)  # as a reader sees it
    sign_in(hanna)
    empty = make_warband(actor=make_person(user=hanna), name="Empty")
    warriors = Warrior.objects.filter(warband=warband).order_by("position")
    paths = [
        *LISTS,
        f"{empty.token}/",
        f"{empty.token}/sheet/",
        *(f"{warband.token}/{path}" for path in PAGES),
    ]
    paths += [
        f"{warband.token}/warrior/{warrior.pk}/"
        for warrior in (warriors[0], warriors[1], warriors[3])
    ]
    for path in share(paths, 9, 4 * (scheme == "dark")):
        page.goto(root + path)
        found += faults(page)
    assert found == []


@pytest.mark.soak
def test_two_hundred_entries_stay_usable(
    page: Page, live_server: LiveServer, sign_in: Callable[[User], None], hanna: User
) -> None:
    document = {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "warriors": [{"profile": "halberdiers", "count": 200, "name": "W" * 200}] * 200,
    }
    done = import_document(WriteContext(make_person(user=hanna)), document)
    sign_in(hanna)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{live_server.url}/warbands/{done.token}/")
    expect(page.locator(".roll > li")).to_have_count(200)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.goto(f"{live_server.url}/warbands/{done.token}/sheet/")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_change_made_elsewhere_is_shown_and_can_be_made_all_the_same(
    page: Page,
    live_server: LiveServer,
    sign_in: Callable[[User], None],
    hanna: User,
    warband: Warband,
) -> None:
    sign_in(hanna)
    captain = Warrior.objects.filter(warband=warband).earliest("position")
    page.goto(f"{live_server.url}/warbands/{warband.token}/warrior/{captain.pk}/")
    page.locator("summary", has_text="Give a name or a note").click()
    page.get_by_label("Name", exact=True).fill("Ostwin")
    change_warband(WriteContext(make_person(user=hanna), warband.token), points_limit=200)
    page.get_by_role("button", name="Save name and note").click()
    notice = page.locator(".notice")
    expect(notice).to_contain_text("Ostwin")
    expect(page.locator("#points")).to_contain_text("/ 200")
    notice.get_by_role("button", name="Make my change anyway").click()
    expect(page.locator(f"#w{captain.pk} .nm")).to_contain_text("Ostwin")
