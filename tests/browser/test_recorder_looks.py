"""How the live recorder looks: accessible, whole with large text, every control large enough."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.looks import with_soak
from tests.browser.recorders import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


Faults = Callable[[Page], list[str]]
SHEETS = ["menu", "log", "note", "tests", "turn-sheet", "end-sheet", "unsent"]
LOOKS = [
    ("dark", 320),
    pytest.param("light", 390, marks=pytest.mark.soak),
    pytest.param("dark", 390, marks=pytest.mark.soak),
    pytest.param("light", 1280, marks=pytest.mark.soak),
    pytest.param("dark", 1280, marks=pytest.mark.soak),
]


@pytest.mark.parametrize("scheme, width", LOOKS)
def test_axe_finds_nothing_on_any_screen(table, faults, scheme, width):
    page = table.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 844})
    found = faults(page)
    table.begin("The Ferrymen")
    for who in ("a1", "a2", "a3"):
        table.tap(who, 3)
    table.tap("a4", 2)
    found += faults(page)
    table.tap("a3")  # against the rules: told in the dock
    found += faults(page)
    table.button("Open: Rout test due").click()
    found += faults(page)
    for sheet in SHEETS:
        table.button("More: tests").click()
        if sheet != "menu":
            page.get_by_role("dialog").locator(f"[data-do={sheet}]").click()
        found += faults(page)
        page.keyboard.press("Escape")
    page.locator(".rout").get_by_role("button", name="Type dice").click()
    found += faults(page)
    assert found == []


@pytest.mark.parametrize("width", with_soak([320, 390]))
def test_twice_the_text_still_fits(table: Recorder, width: int) -> None:
    page = table.page
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    table.begin("The Ferrymen")
    table.tap("a1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cut = page.eval_on_selector_all(
        ".rec *",
        "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 "
        "&& !['hidden', 'auto'].includes(getComputedStyle(one).overflowX)).map((one) => "
        "one.outerHTML.slice(0, 80))",
    )
    assert cut == []


def test_every_control_is_large_enough_and_apart(table: Recorder) -> None:
    """56 pixels, and 8 between any two, on the board, in the dock and on each sheet."""
    page = table.page
    table.begin("The Ferrymen")
    table.tap("a1", 3)
    table.button("More of Model 1").click()
    small = page.evaluate(SMALL, ".rec")
    for sheet in SHEETS:
        table.button("More: tests").click()
        if sheet != "menu":
            page.get_by_role("dialog").locator(f"[data-do={sheet}]").click()
        small += page.evaluate(SMALL, "#sheet")
        page.keyboard.press("Escape")
    assert small == []


SMALL = """(where) => {
  const controls = [...document.querySelectorAll(`${where} :is(button, a, select, input, textarea)`)];
  const boxes = controls.map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => box.width && box.height && one.checkVisibility());
  const name = (one) => one.ariaLabel || one.innerText || one.outerHTML;
  const small = boxes.filter(([, box]) => box.width < 55.5 || box.height < 55.5).map(([one]) => name(one));
  for (const [index, [one, a]] of boxes.entries()) {
    for (const [other, b] of boxes.slice(index + 1)) {
      const part = "#dock, #board, header, #sheet, #banner";
      if (one.closest(part) !== other.closest(part)) continue;
      const across = Math.max(a.left, b.left) - Math.min(a.right, b.right);
      const down = Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom);
      if (across < 7.5 && down < 7.5) small.push(`${name(one)} touches ${name(other)}`);
    }
  }
  return small;
}"""
