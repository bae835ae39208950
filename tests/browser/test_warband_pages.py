"""Every warband page in a browser: nothing for axe to find, nothing wider than the window, light
and dark.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browser.looks import in_every_look
from tests.factories import make_legal_warband, make_person, make_user, make_warband
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document
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
    page, live_server, sign_in, faults, hanna, warband, share, scheme, width
):
    """The plain run looks at one page of nine."""
    page.emulate_media(color_scheme=scheme)
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
def test_two_hundred_entries_stay_usable(page, live_server, sign_in, hanna):
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
    page, live_server, sign_in, hanna, warband
):
    sign_in(hanna)
    captain = Warrior.objects.filter(warband=warband).earliest("position")
    page.goto(f"{live_server.url}/warbands/{warband.token}/warrior/{captain.pk}/")
    page.locator("summary", has_text="Give a name or a note").click()
    page.get_by_label("Name", exact=True).fill("Ostwin")
    context = WriteContext(make_person(user=hanna), warband.token)
    change_warrior(context, captain.pk, name="Otto")
    page.get_by_role("button", name="Save name and note").click()
    notice = page.locator(".notice")
    expect(notice).to_contain_text("Ostwin")
    expect(page.locator(f"#w{captain.pk} .nm")).to_contain_text("Otto")
    notice.get_by_role("button", name="Make my change anyway").click()
    expect(page.locator(f"#w{captain.pk} .nm")).to_contain_text("Ostwin")


@pytest.mark.parametrize("width, height, least", [(1280, 900, 7), (390, 844, 3)])
def test_many_lines_of_a_roster_stand_above_the_fold(
    page, live_server, sign_in, hanna, width, height, least
):
    profiles = [
        "halberdiers", "archers", "spearmen", "swordsmen", "handgunners", "free-company",
    ]  # fmt: skip
    document = {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "name": "The Ferrymen of Altwasser",
        "points_limit": 250,
        "warriors": [{"profile": "captain", "leader": True}]
        + [{"profile": profile, "count": 3} for profile in (*profiles, "flagellants")],
    }
    done = import_document(WriteContext(make_person(user=hanna)), document)
    sign_in(hanna)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{live_server.url}/warbands/{done.token}/")
    fold = page.locator("#points").bounding_box()
    boxes = [line.bounding_box() for line in page.locator(".roll > li").all()]
    assert fold
    assert (
        sum(bool(box) and box["y"] + box["height"] <= fold["y"] for box in boxes) >= least
    )


LARGE_TEXT = "document.documentElement.style.fontSize = '200%'"
CUT = """[...document.querySelectorAll('main :is(a, b, button, h1, h2, h3, label, p, summary, td)')]
    .filter((part) => part.checkVisibility() && !part.closest('.vh, .scroll, .stats'))
    .filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
    .map((part) => part.textContent.trim().slice(0, 40))"""


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.soak)])
def test_nothing_is_cut_at_twice_the_size(
    page, live_server, sign_in, faults, hanna, warband, width
):
    sign_in(hanna)
    page.set_viewport_size({"width": width, "height": 800})
    wizard = Warrior.objects.get(warband=warband, profile="battle-wizard")
    others = [f"warrior/{wizard.pk}/", "../", "../starters/?army=the-empire"]
    for path in [*PAGES, *others]:
        page.goto(f"{live_server.url}/warbands/{warband.token}/{path}")
        page.evaluate(LARGE_TEXT)
        assert page.evaluate(CUT) == [], path
        assert faults(page) == []


def test_every_page_of_a_warband_prints_its_sheet(
    page, live_server, sign_in, hanna, warband
):
    sign_in(hanna)
    page.emulate_media(media="print")
    for path in ("", "history/", "share/"):
        page.goto(f"{live_server.url}/warbands/{warband.token}/{path}")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        expect(page.locator("#print .rsheet h1")).to_have_text(warband.name)
        expect(page.locator("#main")).to_be_hidden()
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        expect(page.locator("#print")).to_have_count(0)
