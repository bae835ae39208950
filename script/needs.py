"""Say what of the operating system is missing, as Debian package names, one a line.

Standard library only.

Usage: needs.py venv | needs.py sheets | needs.py scripts | needs.py browser
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
# Greek to Thai, then Chinese, Japanese and Korean, then emoji.
SCRIPTS = {
    "fonts-noto-core": "NotoSansThai-Regular.ttf",
    "fonts-noto-cjk": "NotoSansCJK-Regular.ttc",
    "fonts-noto-color-emoji": "NotoColorEmoji.ttf",
}
FONT_FOLDERS = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
]
BROWSERS = [
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
]


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


def has_font(file: str) -> bool:
    return sys.platform == "darwin" or any(
        any(Path(folder).expanduser().rglob(file)) for folder in FONT_FOLDERS
    )


def for_sheets() -> list[str]:
    """What WeasyPrint loads, and a font for it to write with."""
    missing = [
        package
        for package, (file, name) in LIBRARIES.items()
        if not has_library(file, name)
    ]
    return missing if has_font(FONT) else [*missing, "fonts-dejavu-core"]


def for_scripts() -> list[str]:
    """Fonts for names in other scripts than Latin; the sheet says which signs it lacks."""
    return [package for package, file in SCRIPTS.items() if not has_font(file)]


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
    return [] if browser else ["chromium-headless-shell"]


if __name__ == "__main__":
    needs = {
        "venv": for_venv,
        "sheets": for_sheets,
        "scripts": for_scripts,
        "browser": for_browser,
    }
    print("\n".join(needs[sys.argv[1]]()))
