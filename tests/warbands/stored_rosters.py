"""Warbands whose rows hold a given roster, whatever is in it."""

from typing import Any

from django.apps import apps

from accounts.owner import Owner
from engine.roster import Roster
from warbands.exchange.document import to_document
from warbands.operations import warbands as warband_operations
from warbands.operations.transaction import WriteContext
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband
from warbands.roster_fields import growth_json


def stored(actor: Owner, roster: Roster) -> str:
    """The token of a warband with this roster.

    A price that is kept is no document's, and growth that is read stays no growth: both are put on
    the row.
    """
    token = warband_operations.import_document(
        WriteContext(actor), to_document(roster)
    ).token
    for row, entry in zip(rows_of(token), roster.warriors, strict=True):
        if entry.kept is not None:
            row.paid_each, row.keeps_price = entry.kept, True
            row.save()
        if entry.growth is not None:
            row.growth, row.note = growth_json(entry.growth), entry.note
            row.save()
    if roster.growth is not None:
        rows = apps.get_model("warbands", "Warband").objects.filter(token=token)
        rows.update(growth=growth_json(roster.growth), note=roster.note)
    return token


def rows_of(token: str) -> list[Any]:
    rows = apps.get_model("warbands", "Warrior").objects.filter(warband__token=token)
    return list(rows.order_by("position"))


def record(actor: Owner, token: str) -> WarbandRecord:
    found = load_warband(actor, token)
    assert found is not None
    return found
