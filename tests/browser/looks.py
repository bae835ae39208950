"""The schemes and widths that pages are looked at in: one in every run, all of them with --soak."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCHEMES, WIDTHS = ("light", "dark"), (320, 390, 1280)
USUAL = [("light", 390), ("dark", 1280)]
"""Where most people are; at 320 pixels pages are measured in any case."""
LOOKS = [
    pytest.param(
        scheme,
        width,
        marks=[] if (scheme, width) == USUAL[0] else [pytest.mark.soak],
        id=f"{scheme}-{width}",
    )
    for scheme, width in product(SCHEMES, WIDTHS)
]


def with_soak(cases: Sequence[Any], plain: int = 1) -> list[Any]:
    """The first of the cases in every run, and the others with --soak."""
    others = (pytest.param(case, marks=pytest.mark.soak) for case in cases[plain:])
    return [*cases[:plain], *others]


in_every_look = pytest.mark.parametrize("scheme, width", LOOKS)


def violations(page: Page) -> list[dict[str, Any]]:
    """What axe finds on the page in front of us, which takes its script once."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    asked = "axe.run({resultTypes: ['violations']}).then(told => told.violations)"
    found: list[dict[str, Any]] = page.evaluate(asked)
    return found
