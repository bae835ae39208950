"""How a session's browser is named."""

import pytest

from config.ui.blocks import browser_name

MOZILLA = "Mozilla/5.0"


@pytest.mark.parametrize("header, name", [
    (
        f"{MOZILLA} (Windows NT 10.0; Win64; x64) Chrome/130.0 Safari/537.36 Edg/130.0",
        "Edge on Windows",
    ),
    (
        f"{MOZILLA} (Linux; Android 14) Chrome/130.0 Mobile Safari/537.36",
        "Chrome on Android",
    ),
    (
        f"{MOZILLA} (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1",
        "Safari on iPhone",
    ),
    (
        f"{MOZILLA} (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",
        "Firefox on Linux",
    ),
    ("curl/8.0", "curl/8.0"), ("x" * 500, "x" * 60), ("", "Unknown"),
])  # fmt: skip
def test_browser_name_is_short(header: str, name: str) -> None:
    assert browser_name(header) == name
