"""The roster sheet: one structure for page, print, PDF, text and JSON. Nothing that draws it works anything out.

``build_sheet`` reads a roster through the engine and returns the whole of it; whoever draws it only lays it out.
"""

from warbands.sheet.build import build_sheet
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import ChartRows, Ranks, Reference, RosterSheet, SheetDetails, SheetLine, SheetWarrior

__all__ = [
    "ChartRows",
    "Ranks",
    "Reference",
    "RosterSheet",
    "SheetDetails",
    "SheetLine",
    "SheetWarrior",
    "build_reference",
    "build_sheet",
]
