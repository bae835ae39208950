"""Every page in a browser: nothing for axe to find in light and dark, nothing wider than a phone,
no script refused.

The plain run looks at one page of seven, light on a phone or dark on a desk by turns, and for its width at 320 pixels.
--soak looks at every combination, and at the pages of the other rule systems, which have a walk of their own.
"""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page as Browser

from tests.browser.looks import SCHEMES, USUAL, WIDTHS, violations
from tests.guards.books import book_pages, warband_pages
from tests.guards.cast import World
from tests.guards.forms import FILES
from tests.guards.pages import Page, is_html, pages_of, wrong_pages

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Who looks at what: whatever a visitor may open, and all that the owner has besides.
LOOKS = [
    ("nobody", "public"),
    ("organiser", "club"),
    # Their pages have tests of their own in tests/browser.
    *(
        pytest.param(*look, marks=pytest.mark.soak)
        for look in (("owner", "club"), ("guest", "unclaimed"))
    ),
]
LOOKED_AT: dict[str, tuple[str, ...]] = {
    "nobody": ("",),
    "owner": ("home", "warband", "warrior", "sheet", "club", "scenario", "search",
        "account", "mfa", "usersessions", "wrong"),
    "organiser": (*("club-edit", "club-rulings", "club-invite", "club-members", "member-",
        "content-", "own-", "levels-"), *("event-", "round-", "fixture-", "entry-", "list-",
        "waiver-")),
    "guest": ("warband-read", "warband-share", "warband-list"),
}  # fmt: skip
# A block narrower than so many characters in which a text breaks every few letters. Cells of tables
# are as narrow as their figures.
NARROW, LETTERS = 12, 5
NARROW_BLOCKS = """([narrow, letters]) => {
  const pen = document.createElement("canvas").getContext("2d");
  const faults = new Set();
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    let block = texts.currentNode.parentElement;
    if (text.length < letters || block.closest("th, td, svg, option, .vh") || !block.checkVisibility()) continue;
    while (/^(inline|contents)$/.test(getComputedStyle(block).display)) block = block.parentElement;
    const style = getComputedStyle(block);
    const room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const isNarrow = style.clipPath === "none" && room < narrow * pen.measureText("0").width;
    // A short name in two lines is none: its word is whole.
    const least = text.length < narrow ? letters / 2 : letters;
    if (isNarrow && lines > 1 && text.length / lines < least)
      faults.add(`${block.tagName}.${block.className} ${Math.round(room)}px: ${text.slice(0, 40)}`);
  }
  return [...faults];
}"""
STILL = "*, *::before, *::after { transition: none !important; animation: none !important }"


@pytest.fixture
def watched(page: Browser) -> list[str]:
    """What the browser itself complains about."""
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(f"{page.url}: {error}"))
    page.on(
        "console",
        lambda line: (
            said.append(f"{page.url}: {line.text}")
            if "Content Security" in line.text
            else None
        ),
    )
    return said


def pages_for(world: World, who: str, visibility: str) -> list[Page]:
    """What this person may get as a page; what a visitor sees alike is left to the visitor."""
    return [
        page
        for page in [*pages_of(world, visibility), *wrong_pages()]
        if page.name.startswith(LOOKED_AT[who]) and not re.match(FILES, page.name)
    ]


def urls_drawn(world: World, who: str, pages: Sequence[Page]) -> list[str]:
    """Those that are answered with a page, whatever its status."""
    client = world.cast[who].client()
    answers = [(page, client.get(page.url)) for page in pages]
    return [
        page.url
        for page, answer in answers
        if answer.status_code not in (302, 405) and is_html(answer)
    ]


def others_for(world: World, who: str) -> list[Page]:
    """The pages of the other rule systems: their books for a visitor, a warband of each for its
    owner.
    """
    return (
        book_pages() if who == "nobody" else warband_pages(world) if who == "owner" else []
    )


def found_by_axe(browser: Browser) -> list[str]:
    return [
        f"{fault['id']}: {[node['html'][:140] for node in fault['nodes'][:2]]}"
        for fault in violations(browser)
    ]


def look(browser: Browser, url: str, combinations: list[tuple[Any, int]]) -> list[str]:
    """What is wrong with one page in these schemes and widths."""
    browser.emulate_media(color_scheme=combinations[0][0], reduced_motion="reduce")
    browser.set_viewport_size({"width": combinations[0][1], "height": 900})
    browser.goto(url, wait_until="load")
    browser.evaluate(
        (
            "css => { const s = new CSSStyleSheet(); s.replaceSync(css); "
            "document.adoptedStyleSheets.push(s) }"
        ),
        STILL,
    )
    found = []
    for scheme, width in combinations:
        browser.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        browser.set_viewport_size({"width": width, "height": 900})
        found += [f"{scheme} {width}: {fault}" for fault in found_by_axe(browser)]
    for width in WIDTHS:
        browser.set_viewport_size({"width": width, "height": 900})
        if browser.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"wider than {width}")
        blocks = browser.evaluate(NARROW_BLOCKS, [NARROW, LETTERS])
        found += [f"narrow at {width}: {block}" for block in blocks]
    return found


@pytest.mark.parametrize("who, visibility", LOOKS)
def test_axe_finds_nothing_on_any_page(
    page, live_server, open_world, watched, soak, share, who, visibility
):
    everything: list[tuple[Any, int]] = list(product(SCHEMES, WIDTHS))
    actor = open_world.cast[who]
    if actor.session:
        cookie = {
            "name": settings.SESSION_COOKIE_NAME,
            "value": actor.session,
            "url": live_server.url,
        }
        page.context.add_cookies([cookie])
    pages = pages_for(open_world, who, visibility)
    urls = urls_drawn(open_world, who, share(pages, 7))
    least = {"guest": 2, "organiser": 15}.get(who, 30)
    assert len(urls) > (least if soak(0, 1) else least // 7)
    if soak(0, 1):
        others = [one.url for one in others_for(open_world, who)]
        assert bool(others) == (who in ("nobody", "owner"))
        looks = [(url, everything) for url in urls + others]
    else:
        looks = [(url, [USUAL[place % 2]]) for place, url in enumerate(urls)]
    faults = [
        f"{url} {fault}"
        for url, ways in looks
        for fault in look(page, live_server.url + url, ways)
    ]
    assert not faults + watched, "\n".join(faults + watched)
