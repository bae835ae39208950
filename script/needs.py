"""Say what of the operating system is missing, as Debian package names, one a line.

Standard library only.

Usage: needs.py venv | needs.py sheets | needs.py browser
"""

import ctypes
import ctypes.util
import importlib.util
import os
import shutil
import sys
from pathlib import Path

LIBRARIES = {
    "libpango-1.0-0": ("libpango-1.0.so.0", "pango-1.0"),
    "libpangoft2-1.0-0": ("libpangoft2-1.0.so.0", "pangoft2-1.0"),
    "libharfbuzz-subset0": ("libharfbuzz-subset.so.0", "harfbuzz-subset"),
}
FONT = "DejaVuSans.ttf"
FONT_FOLDERS = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
]
BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def has_library(file: str, name: str) -> bool:
    for candidate in (
        file,
        ctypes.util.find_library(name) if sys.platform == "darwin" else None,
    ):
        try:
            if candidate and ctypes.CDLL(candidate):
                return True
        except OSError:
            continue
    return False


def has_font() -> bool:
    if sys.platform == "darwin":
        return True
    usual = Path("/usr/share/fonts/truetype/dejavu", FONT)
    return usual.exists() or any(
        any(Path(folder).expanduser().rglob(FONT)) for folder in FONT_FOLDERS
    )


def for_sheets() -> list[str]:
    """What WeasyPrint loads, and a font for it to write with."""
    missing = [
        package
        for package, (file, name) in LIBRARIES.items()
        if not has_library(file, name)
    ]
    return missing if has_font() else [*missing, "fonts-dejavu-core"]


def for_venv() -> list[str]:
    """Debian splits `ensurepip` off into a package named after the version."""
    has_both = importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv")
    return [] if has_both else [f"python3.{sys.version_info[1]}-venv"]


def for_browser() -> list[str]:
    """A Chromium for the browser tests; CHROMIUM may name one."""
    path = os.environ.get("CHROMIUM")
    browser = (
        shutil.which(path)
        if path
        else next(filter(None, map(shutil.which, BROWSERS)), None)
    )
    return [] if browser else ["chromium"]


if __name__ == "__main__":
    print(
        "\n".join(
            {"venv": for_venv, "sheets": for_sheets, "browser": for_browser}[sys.argv[1]]()
        )
    )
