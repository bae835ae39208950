"""The fonts of the printed documents: where they lie and how wide each character is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

ASSETS = Path(__file__).resolve().parent.parent.parent / "static" / "print"
Face = Literal["muster-sans", "muster-sans-semibold", "muster-serif", "muster-cells"]

SANS: Face = "muster-sans"
BOLD: Face = "muster-sans-semibold"
SERIF: Face = "muster-serif"


@cache
def advances(face: Face) -> Mapping[str, float]:
    """The width of each character the font has, in em."""
    with TTFont(ASSETS / "fonts" / f"{face}.ttf", lazy=True) as font:
        unit = font["head"].unitsPerEm
        metrics = font["hmtx"]
        return {chr(code): metrics[name][0] / unit for code, name in font.getBestCmap().items()}


@cache
def printable() -> frozenset[str]:
    """The characters every text font has."""
    return frozenset(advances(SANS)) & frozenset(advances(BOLD)) & frozenset(advances(SERIF))
