"""The sheets a battle locked. One query for all of them."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.errors import FaultyDocument
from battles.models import Snapshot
from battles.queries.careers import load_locked_sheet
from battles.queries.records import BattleRecord
from warbands.exchange.document import parse_stored
from warbands.queries.warbands import sheet_of_roster
from warbands.sheet import RosterSheet


def load_sheets(record: BattleRecord) -> Mapping[str, RosterSheet]:
    """Side key to the sheet as it was locked; quick sides have none. One query.

    A sheet that this release cannot read any more is drawn anew from its roster, by the rules of
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
