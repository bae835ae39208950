"""The roster sheets that were locked with a battle."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.errors import FaultyDocument
from battles.models import Snapshot
from battles.queries.records import BattleRecord
from warbands.exchange.document import parse_stored
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet.frozen import SnapshotMismatch, from_json
from warbands.sheet.structure import RosterSheet


def load_locked_sheet(data: object) -> RosterSheet | None:
    """Return a snapshot's sheet, None where this release cannot read it any more."""
    try:
        return from_json(data, RosterSheet)
    except SnapshotMismatch:
        return None


def load_sheets(record: BattleRecord) -> Mapping[str, RosterSheet]:
    """Return the locked sheet of each side by the side's key; quick sides have none. One query.

    A sheet that this release cannot read any more is built again from its roster, by the rules of
    today.
    """
    sides = {side.snapshot_id: side.key for side in record.sides if side.snapshot_id}
    found: dict[str, RosterSheet] = {}
    for row in Snapshot.objects.filter(pk__in=list(sides)):
        sheet = load_locked_sheet(row.sheet) or _sheet_from_document(row.document)
        if sheet is not None:
            found.update({side.key: sheet for side in record.sides if side.snapshot_id == row.pk})
    return {side.key: found[side.key] for side in record.sides if side.key in found}


def _sheet_from_document(document: object) -> RosterSheet | None:
    try:
        return sheet_of_roster(parse_stored(document))
    except FaultyDocument:
        return None
