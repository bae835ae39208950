"""One warband with everything in it, in three queries (four with a person's own scenario)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.db.models import F

from accounts.owner import Owner
from engine.roster import Entry, Roster
from engine.types import Scenario
from rulesdata import registry
from warbands import scenarios
from warbands.access import may_change, readable_by
from warbands.checking import CheckedRoster, check_roster
from warbands.exchange.document import parse
from warbands.models import Warband, WarbandEvent, Warrior, WarriorOption
from warbands.queries.records import HistoryRow, WarbandRecord
from warbands.sheet import RosterSheet, SheetDetails, build_sheet

TOKEN_MAX = 40


def load_warband(actor: Owner, token: str) -> WarbandRecord | None:
    """The warband, or None where there is none or the actor may not see it (both are a 404)."""
    if not is_token(token):
        return None
    found = Warband.objects.filter(readable_by(actor), token=token).select_related("owner", "club").first()
    if found is None:
        return None
    warriors, holdings = load_rows(found.pk)
    scenario = scenarios.load_scenario(found.system, found.scenario)
    paid = {row.pk: row.paid_each for row in warriors}
    return record_of(actor, found, roster_of(found, warriors, holdings), paid, scenario)


def is_token(token: str) -> bool:
    """Whether this can be the token of a warband at all."""
    return 0 < len(token) <= TOKEN_MAX and token.isascii() and token.isprintable()


def load_rows(warband_id: int) -> tuple[list[Warrior], dict[int, list[WarriorOption]]]:
    """The warriors in order, and their holdings in order by warrior. Two queries, however many there are."""
    warriors = list(Warrior.objects.filter(warband_id=warband_id).order_by("position", "pk"))
    holdings: dict[int, list[WarriorOption]] = {}
    rows = WarriorOption.objects.filter(warrior__warband_id=warband_id).order_by("warrior_id", "position", "pk")
    for row in rows if warriors else ():
        holdings.setdefault(row.warrior_id, []).append(row)
    return warriors, holdings


def roster_of(warband: Warband, warriors: Iterable[Warrior], holdings: Mapping[int, list[WarriorOption]]) -> Roster:
    """The engine's roster of these rows."""
    return Roster(
        system=warband.system,
        army=warband.army,
        name=warband.name,
        points_limit=warband.points_limit,
        variant=warband.variant or None,
        scenario=warband.scenario or None,
        house_rules=dict(warband.house_rules),
        tags=tuple(warband.tags),
        note=warband.note,
        warriors=tuple(
            Entry(
                profile=row.profile,
                name=row.name,
                count=row.count,
                is_leader=row.is_leader,
                options=tuple(holding.key for holding in holdings.get(row.pk, ())),
                lore=row.lore,
                note=row.note,
                id=row.pk,
            )
            for row in warriors
        ),
    )


def record_of(
    actor: Owner, warband: Warband, roster: Roster, paid: Mapping[int, int], scenario: Scenario | None
) -> WarbandRecord:
    """The record of a row whose owner and club are at hand."""
    return WarbandRecord(
        id=warband.pk,
        token=warband.token,
        name=warband.name,
        system=warband.system,
        army=warband.army,
        variant=roster.variant,
        points_limit=warband.points_limit,
        scenario=roster.scenario,
        scenario_record=scenario,
        house_rules=roster.house_rules,
        visibility=warband.visibility,
        note=warband.note,
        version=warband.version,
        owner_id=warband.owner_id,
        owner_key=warband.owner_key,
        owner_name=warband.owner.display_name if warband.owner else "",
        club_id=warband.club_id,
        club_name=warband.club.name if warband.club else "",
        points=warband.points,
        models=warband.miniatures,
        errors=warband.errors,
        warnings=warband.warnings,
        notes=warband.notes,
        archived_at=warband.archived_at,
        created_at=warband.created_at,
        updated_at=warband.updated_at,
        may_undo=warband.undo_head is not None,
        may_change=may_change(actor, warband),
        roster=roster,
        paid=paid,
    )


def sheet_of(
    record: WarbandRecord, *, url: str = "", is_opponents_copy: bool = False, printed_on: date | None = None
) -> RosterSheet:
    """The sheet of a loaded warband; no query."""
    details = SheetDetails(
        owner=record.owner_name,
        club=record.club_name,
        version=record.version,
        printed_on=printed_on,
        url=url,
        is_opponents_copy=is_opponents_copy,
    )
    system, army = registry.load_ruleset(record.roster)
    return build_sheet(record.roster, system, army, record.scenario_record, details)


def sheet_of_roster(roster: Roster, *, details: SheetDetails | None = None) -> RosterSheet:
    """The sheet of a roster that is stored nowhere; a query only for a person's own scenario."""
    system, army = registry.load_ruleset(roster)
    return build_sheet(roster, system, army, scenarios.load_scenario(roster.system, roster.scenario), details)


def check_document(data: object) -> CheckedRoster:
    """Price and check a roster document that is stored nowhere. Raises DocumentError for one that cannot be read."""
    roster = parse(data)
    system, army = registry.load_ruleset(roster)
    return check_roster(roster, system, army, scenarios.load_scenario(roster.system, roster.scenario))


def history(actor: Owner, token: str, *, limit: int = 50) -> tuple[HistoryRow, ...]:
    """The last changes, newest first; nothing for those who may not see the warband. Two queries."""
    if not is_token(token):
        return ()
    warband = Warband.objects.filter(readable_by(actor), token=token).only("pk", "undo_head").first()
    if warband is None:
        return ()
    rows = WarbandEvent.objects.filter(warband=warband).select_related("actor").order_by("-version").defer("before")
    return tuple(_history_row(row, warband.undo_head) for row in rows[:limit])


def last_change(record: WarbandRecord) -> str:
    """What undo would take back now, in words; empty when there is nothing. One query, none without a change."""
    if not record.may_undo:
        return ""
    head = WarbandEvent.objects.filter(warband_id=record.id, version=F("warband__undo_head"))
    return head.values_list("summary", flat=True).first() or "the last change"


def _history_row(row: Any, undo_head: int | None) -> HistoryRow:
    return HistoryRow(
        version=row.version,
        verb=row.verb,
        summary=row.summary,
        actor_name=row.actor.display_name if row.actor else "",
        at=row.at,
        is_undo=row.verb == "undo_last_change",
        can_be_undone=row.version == undo_head,
    )
