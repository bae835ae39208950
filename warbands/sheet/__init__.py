"""The roster sheet: one structure for page, print, PDF, text and JSON.

Nothing that draws it works anything out.

``build_sheet`` reads a roster through the engine and returns the whole of it; whoever draws it only
lays it out.
"""

from warbands.sheet.build import build_sheet, sheet_of_check, with_findings
from warbands.sheet.difference import difference
from warbands.sheet.frozen import SnapshotMismatch, from_json, sha256_of, to_json
from warbands.sheet.reference import build_reference
from warbands.sheet.structure import (
    ChartRows,
    Reference,
    RosterSheet,
    SheetDetails,
    SheetLine,
    SheetWarrior,
    UnitRanks,
)

__all__ = [
    "ChartRows",
    "Reference",
    "RosterSheet",
    "SheetDetails",
    "SheetLine",
    "SheetWarrior",
    "SnapshotMismatch",
    "UnitRanks",
    "build_reference",
    "build_sheet",
    "difference",
    "from_json",
    "sha256_of",
    "sheet_of_check",
    "to_json",
    "with_findings",
]
