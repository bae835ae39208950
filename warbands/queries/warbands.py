"""One warband with everything in it, in three queries (four with a person's own scenario)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.access import owns
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.records import copy_fields, frozen_dataclass, grouped, named_values
from engine.roster import Roster
from engine.types.systems import Scenario
from jobs.personal_data import DataFile
from rulesdata import registry
from warbands import rulebook
from warbands.access import may_see
from warbands.checks import CheckedRoster, check_roster
from warbands.exchange.document import parse, to_document
from warbands.models import Warband, WarbandEvent, Warrior
from warbands.queries.prices import load_acknowledged, with_acknowledged
from warbands.queries.records import WarbandRecord
from warbands.roster_fields import build_entry, warband_growth
from warbands.sheet.build import sheet_of_check
from warbands.sheet.structure import RosterSheet, for_others


class Holding(NamedTuple):
    """One thing an entry has bought and what it paid."""

    key: str
    paid: int


@frozen_dataclass
class WarriorRows:
    """The warriors in order, their holdings in order by warrior, and the version read last; None:
    it is gone.
    """

    version: int | None
    warriors: list[Warrior]
    holdings: Mapping[int, list[Holding]]


def find_warband(actor: Owner, token: str) -> Warband | None:
    """The row with its owner and club, or None where there is none or the actor may not see it.

    One query, and one for a stranger who asks for what a club shares: to filter by what the actor
    may see (`readable_by`) takes a statement that is longer to put together than to run.
    """
    return _readable(actor, token, Warband.objects.all())


def read_warband(actor: Owner, token: str) -> tuple[Warband, WarriorRows] | None:
    """The warband with its warriors, or None as above.

    The statements see what is stored when each of them runs, so a change may come between them. The
    last one tells the version again; where it is another, all is read anew under the lock that
    every change takes.
    """
    warband = find_warband(actor, token)
    if warband is None:
        return None
    # Without a transaction a change may fall between the statements.
    rows = load_rows(warband.pk)
    if rows.version == warband.version:
        return warband, rows
    with transaction.atomic():
        warband = _readable(actor, token, Warband.objects.select_for_update(of=("self",)))
        return (warband, load_rows(warband.pk)) if warband else None


def _readable(actor: Owner, token: str, rows: QuerySet[Warband]) -> Warband | None:
    if not is_token(token):
        return None
    matching = rows.filter(token=token).select_related("owner", "club").order_by()
    warband = next(iter(matching), None)
    return warband if warband and may_see(actor, warband) else None


def load_rows(warband_id: int) -> WarriorRows:
    """Two queries, however many warriors there are."""
    rows = Warrior.objects.filter(warband_id=warband_id).order_by("position", "pk")
    warriors = list(rows)
    # Joined from the warband, so that one without any holding still tells its version.
    joined = Warband.objects.filter(pk=warband_id).order_by(
        "warriors__holdings__position", "warriors__holdings__id"
    )
    columns = ("warriors__id", "warriors__holdings__key", "warriors__holdings__paid")
    bought = list(joined.values_list("version", *columns))
    holdings = grouped(
        (warrior, Holding(key, paid)) for _, warrior, key, paid in bought if key is not None
    )
    return WarriorRows(bought[0][0] if bought else None, warriors, holdings)


def load_warband(actor: Owner, token: str) -> WarbandRecord | None:
    """The warband, or None where there is none or the actor may not see it (both are a 404)."""
    stored = read_warband(actor, token)
    if stored is None:
        return None
    warband, rows = stored
    scenario = rulebook.load_scenario(warband.system, warband.scenario)
    return build_record(actor, warband, build_roster(warband, rows), scenario)


def build_roster(warband: Warband, rows: WarriorRows) -> Roster:
    """The engine's roster of these rows."""
    warriors = tuple(
        build_entry(row, [holding.key for holding in rows.holdings.get(row.pk, ())])
        for row in rows.warriors
    )
    return copy_fields(
        Roster,
        warband,
        variant=warband.variant or None,
        scenario=warband.scenario or None,
        tags=tuple(warband.tags),
        warriors=warriors,
        growth=warband_growth(warband),
    )


def build_record(
    actor: Owner,
    warband: Warband,
    roster: Roster,
    scenario: Scenario | None,
) -> WarbandRecord:
    """The record of a row whose owner and club are at hand, its roster not checked."""
    return copy_fields(
        WarbandRecord,
        warband,
        owner_name=warband.owner.display_name if warband.owner else "",
        club_name=warband.club.name if warband.club else "",
        club_slug=warband.club.slug if warband.club else "",
        models=warband.miniatures,
        may_change=owns(actor, warband),
        scenario_record=scenario,
        roster=roster,
        acknowledged=load_acknowledged(warband.pk, roster),
    )


def sheet_of(record: WarbandRecord, **printed: Any) -> RosterSheet:
    """The sheet of a loaded warband; no query.

    ``printed`` are the fields that only its reader knows: ``url``, ``is_opponents_copy``,
    ``printed_on``.
    """
    sheet = sheet_of_check(check_warband(record))
    if sheet.growth and printed.get("is_opponents_copy"):
        sheet = replace(sheet, growth=for_others(sheet.growth))
    return replace(
        sheet,
        owner=record.owner_name,
        club=record.club_name,
        version=record.version,
        **printed,
    )


def sheet_of_roster(roster: Roster) -> RosterSheet:
    """The sheet of a roster that is stored nowhere; a query only for a person's own scenario."""
    return sheet_of_check(_check(roster))


def check_document(data: object) -> CheckedRoster:
    """Price and check a roster document that is stored nowhere.

    Raises FaultyDocument for one that cannot be read.
    """
    return _check(parse(data))


def _check(roster: Roster) -> CheckedRoster:
    system, army = registry.load_ruleset(roster)
    scenario = rulebook.load_scenario(roster.system, roster.scenario)
    return check_roster(roster, system, army, scenario)


def check_warband(record: WarbandRecord) -> CheckedRoster:
    """Price and check a loaded warband; a person's own scenario counts too."""
    system, army = registry.load_ruleset(record.roster)
    checked = check_roster(
        record.roster, system, army, record.scenario_record, record.findings
    )
    return with_acknowledged(checked, record.acknowledged)


def history(actor: Owner, token: str, *, limit: int = 50) -> tuple[WarbandEvent, ...]:
    """The last changes with their actors, newest first; nothing for those who may not see the
    warband.

    Two queries.
    """
    warband = find_warband(actor, token)
    if warband is None:
        return ()
    # None that came after: the row that an undo would take back is the one of this version.
    events = WarbandEvent.objects.filter(warband=warband, version__lte=warband.version)
    events = events.annotate(can_be_undone=Q(version=warband.undo_head or 0))
    return tuple(
        events.select_related("actor").order_by("-version").defer("before")[:limit]
    )


def last_change(record: WarbandRecord) -> str:
    """What undo would take back now, in words; empty when there is nothing.

    One query, none without a change.
    """
    if record.undo_head is None:
        return ""
    head = WarbandEvent.objects.filter(
        warband_id=record.id, version=record.undo_head
    ).order_by()
    return next(iter(head.values_list("summary", flat=True)), "the last change")


def warband_files(user_id: int) -> Iterator[DataFile]:
    """Each warband as the document that can be imported again, and when it changed."""
    owner = Owner(user_id=user_id)
    rows = Warband.objects.filter(owner=user_id).order_by("pk")
    for row in rows.iterator(chunk_size=200):
        record = load_warband(owner, row.token)
        if record is not None:
            document = to_document(record.roster)
            columns = ("visibility", "created_at", "updated_at", "archived_at")
            values = {"document": document, **named_values(row, *columns)}
            yield f"warbands/{row.token}", values
