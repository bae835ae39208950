"""The roster sheet: one structure for page, print, PDF, text and JSON. Nothing that draws it works anything out.

``build_sheet`` reads a roster through the engine and returns the whole of it; whoever draws it only lays it out.
"""

from warbands.sheet.build import build_sheet, with_findings
from warbands.sheet.difference import difference
from warbands.sheet.freezing import FrozenDifferently, freeze, print_of, thaw
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import (
    ChartRows,
    Ranks,
    Reference,
    RosterSheet,
    SheetDetails,
    SheetLine,
    SheetWarrior,
)

__all__ = [
    "ChartRows",
    "FrozenDifferently",
    "Ranks",
    "Reference",
    "RosterSheet",
    "SheetDetails",
    "SheetLine",
    "SheetWarrior",
    "build_reference",
    "build_sheet",
    "difference",
    "freeze",
    "print_of",
    "thaw",
    "with_findings",
]
