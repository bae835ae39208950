"""Who sits at the table of a fixture: each side by its list, by its warband as it is now, or as a
quick one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from django.utils import timezone

from accounts.errors import Refusal
from accounts.owner import Owner
from battles.combatants import quick_lineup, sheet_lineup
from battles.models import Battle, BattleVisibility, Snapshot
from battles.operations.setup import (
    LockedSide,
    checked_system,
    insert_battle,
    lock_roster,
    number_same_names,
)
from battles.queries.battles import load_locked_sheet
from campaigns.fixture_totals import SIDES, side_entries
from campaigns.models import ClubEvent, Entry, Fixture, ListLock
from engine.types.systems import System
from rulesdata import registry
from warbands.exchange.document import parse_stored
from warbands.models import Warband
from warbands.queries.records import WarbandRecord
from warbands.queries.warbands import load_warband, sheet_of_roster

QUICK_MODELS = 10
"""Models of a side without a list, where nobody says how many it has."""


def create_fixture_battle(
    actor: Owner, event: ClubEvent, fixture: Fixture, sizes: Mapping[str, int]
) -> Battle:
    """The battle of a fixture: agreed as the event says, a side of each entry, whose person it
    belongs to.

    ``sizes`` maps an entry's token to its models where it brings no list. Call it within a
    transaction. Raises Refusal.
    """
    system = checked_system(event.system, event.variant or None)
    lists = _lists(fixture, fixture.sides)
    sides: list[LockedSide] = []
    taken: set[int] = set()
    for place, entry in enumerate(fixture.sides):
        side = _side(
            system, place, entry, lists.get(entry.pk), sizes.get(entry.token, QUICK_MODELS), taken
        )
        sides.append(side)
    attackers = {pk: key for key, pk in side_entries(fixture).items()}
    columns = {
        "system": event.system,
        "variant": event.variant,
        "scenario": fixture.scenario,
        "scenario_name": fixture.scenario_name,
        "house_rules": dict(event.house_rules),
        "attacker": attackers.get(fixture.attacker_id or 0, ""),
        "club_id": event.club_id,
        "visibility": BattleVisibility.LINK,
        "confirm_days": event.confirm_days,
        "fought_date": _day(fixture.plays_at or fixture.round.starts_at),
    }
    return insert_battle(actor, columns, number_same_names(sides))


def _lists(fixture: Fixture, entries: Sequence[Entry]) -> dict[int, Snapshot]:
    """Entry id to the list it handed in last, for this round or one before. One query."""
    rows = ListLock.objects.filter(
        entry__in=entries, round__number__lte=fixture.round.number, snapshot__isnull=False
    ).select_related("snapshot")
    return {row.entry_id: row.snapshot for row in rows.order_by("round__number") if row.snapshot}


def _side(
    system: System,
    place: int,
    entry: Entry,
    snapshot: Snapshot | None,
    models: int,
    taken: set[int],
) -> LockedSide:
    """One side.

    A warband stands on one side only, and what cannot be read or fielded any more is a quick side.
    """
    owner = Owner(user_id=entry.user_id)
    if snapshot is not None and snapshot.warband_id not in taken:
        side = _listed(place, snapshot, owner)
        if side is not None:
            taken.add(snapshot.warband_id or 0)
            return side
    record = _warband(system, entry.warband, taken)
    if record is not None:
        taken.add(record.id)
        side = lock_roster(place, record.roster, record)
        return LockedSide(side.lineup, side.warband, side.roster, side.sheet, owner=owner)
    return LockedSide(quick_lineup(SIDES[place], entry.name, models, None), owner=owner)


def _listed(place: int, snapshot: Snapshot, owner: Owner) -> LockedSide | None:
    try:
        roster = parse_stored(snapshot.document)
        sheet = load_locked_sheet(snapshot.sheet) or sheet_of_roster(roster)
        _, army = registry.load_ruleset(roster)
        return LockedSide(sheet_lineup(SIDES[place], sheet, army), snapshot=snapshot, owner=owner)
    except (Refusal, registry.UnknownKey):
        return None


def _warband(system: System, warband: Warband | None, taken: set[int]) -> WarbandRecord | None:
    """What somebody means to bring, where it can be fielded here.

    It was entered, so its own owner lets it be read.
    """
    if warband is None or warband.pk in taken or warband.archived_at is not None:
        return None
    record = load_warband(Owner(warband.owner_id, warband.owner_key), warband.token)
    if record is None or (record.roster.system, record.roster.variant) != (
        system.key,
        system.variant,
    ):
        return None
    return record if record.roster.warriors else None


def _day(moment: datetime | None) -> date:
    """The day it was played on, as far as anybody knows: the day agreed on, but not one that is
    still to come.
    """
    today = timezone.localdate()
    return min(timezone.localtime(moment).date(), today) if moment else today
