"""A roster and its sheet as one row that never changes: what a battle locks, and what is handed in
for a round.
"""

from accounts.errors import Refusal
from battles.models import Snapshot
from engine.records import NamedValues
from engine.roster import Roster
from engine.types.systems import System
from rulesdata import registry
from warbands.queries.records import WarbandRecord
from warbands.sheet.frozen import sha256_of, to_json
from warbands.sheet.structure import RosterSheet


def check_system(
    system: System, roster: Roster, name: str, field: str, what: str = "battle"
) -> None:
    """Raises Refusal where the roster is of another system or variant than this ``what``."""
    if (roster.system, roster.variant) != (system.key, system.variant):
        theirs = registry.system_of(roster).full_name
        raise Refusal(
            f"{name} is for {theirs}, and this {what} is {system.full_name}.", field=field
        )


def check_not_archived(warband: WarbandRecord) -> None:
    """Raises Refusal for a warband in the archive."""
    if warband.is_archived:
        raise Refusal(
            f"{warband.display_name} is archived. Restore it first.", field="warband"
        )


def keep_snapshot(
    document: NamedValues,
    sheet: RosterSheet,
    *,
    warband_id: int | None = None,
    version: int = 0,
) -> Snapshot:
    """The roster document and its sheet as they are now; the row there is where this warband was
    frozen just so before.

    Whose it is and when it was printed are no part of it, and no part of its hash.
    """
    frozen = to_json(sheet)
    values = {
        "version": version,
        "document": dict(document),
        "sheet": frozen,
        "points": sheet.points,
        "miniatures": sheet.models,
    }
    printed = sha256_of(dict(document), frozen)
    if warband_id is None:
        return Snapshot.objects.create(hash=printed, **values)
    return Snapshot.objects.get_or_create(
        warband_id=warband_id, hash=printed, defaults=values
    )[0]
