"""One warband with everything in it, in three queries (four with a person's own scenario); and what
is uncertain or outdated in the figures of rosters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.access import owns
from accounts.owner import Owner
from accounts.tokens import is_token
from engine.findings.case import Finding
from engine.findings.checks import RANK
from engine.findings.composition import open_points
from engine.records import (
    Fields,
    TextPairs,
    copy_fields,
    frozen_dataclass,
    grouped,
    named_values,
)
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, points_over, price_kept, select, total_points
from engine.types.systems import Scenario, System
from jobs.personal_data import DataFile
from rulesdata import registry
from rulesdata.queries.clubs import load_club_list, may_muster_from
from rulesdata.queries.scenarios import load_carried_scenario
from warbands.access import may_see, repriced_by
from warbands.checks import CheckedRoster, check_roster
from warbands.exchange.document import parse, to_document
from warbands.models import (
    FIGURE_MAX,
    AcknowledgedFigure,
    Warband,
    WarbandEvent,
    Warrior,
    WarriorOption,
)
from warbands.queries.records import NO_NAME, WarbandRecord
from warbands.roster_fields import build_entry, warband_growth
from warbands.sheet.build import sheet_of_check
from warbands.sheet.structure import RosterSheet, for_others

# Uncertain figures of a roster: which there are, and which its owner has acknowledged.

KIND = "incomplete"


def load_acknowledged(warband_id: int, roster: Roster) -> tuple[AcknowledgedFigure, ...]:
    """The figures acknowledged of a warband, with their authors. One query, none where no figure
    can be uncertain.
    """
    try:
        army = registry.load_army(roster.system, roster.army, roster.variant)
    except registry.UnknownKey:
        return ()
    profiles = (army.profiles.get(entry.profile) for entry in roster.warriors)
    # Few units have an uncertain figure, so nearly every page goes without this query.
    if not any(
        profile
        and (profile.incomplete or (profile.is_wizard and profile.wizard_level is None))
        for profile in profiles
    ):
        return ()
    rows = AcknowledgedFigure.objects.filter(warband_id=warband_id).select_related("author")
    return tuple(rows.order_by("pk"))


def is_about_figures(finding: Finding, system: System) -> bool:
    """Whether a finding tells uncertain figures."""
    guidelines = (rule for rule in system.guidelines if rule.code == finding.code)
    return any(rule.kind == KIND for rule in guidelines)


def uncertain_figures(selections: Iterable[Selection]) -> TextPairs:
    """(profile, figure) of everything that is uncertain, each once."""
    pairs = (
        (selection.entry.profile, text[:FIGURE_MAX])
        for selection in selections
        for text in open_points(selection)
    )
    return tuple(dict.fromkeys(pairs))


def with_acknowledged(
    checked: CheckedRoster, acknowledged: Sequence[AcknowledgedFigure]
) -> CheckedRoster:
    """The check with its uncertain figures as a note, where every one of them is acknowledged."""
    by_figure = {(row.profile, row.figure): row for row in acknowledged}
    pairs = uncertain_figures(checked.selections) if acknowledged else ()
    # The message names all figures at once, so one that is new makes it a warning again.
    if not pairs or not set(pairs) <= by_figure.keys():
        return checked
    latest = max((by_figure[pair] for pair in pairs), key=attrgetter("at"))
    name = latest.author.display_name if latest.author else "The owner"
    by = f"{name}, {timezone.localtime(latest.at):%-d %B %Y}"
    findings = [
        replace(finding, level="note", acknowledged_by=by, fixes=())
        if is_about_figures(finding, checked.system)
        else finding
        for finding in checked.findings
    ]
    findings.sort(key=lambda finding: RANK[finding.level])
    return replace(checked, findings=tuple(findings))


# Which warbands of a club's list keep prices from before, and what the new ones would
# make of them.

SHOWN_MAX = 200


def load_prices(actor: Owner, slug: str, token: str) -> Fields:
    """Every warband of the list that keeps a price, for the list's club, with their points now and
    at today's prices. ``hidden``: so many more are not shown to the club.

    Seven queries, whatever their number.

    Raises NotInTheBook for those outside the club.
    """
    club, club_list = load_club_list(actor, slug, token)
    touched = _keeping_prices().filter(army=token, archived_at=None)
    mine = touched.filter(repriced_by(actor, club.id)).select_related("owner")
    warbands = list(mine.order_by("name_key", "pk")[:SHOWN_MAX])
    entries = entries_by_warband([warband.pk for warband in warbands])
    rows = []
    for warband in warbands:
        limit, system = warband.points_limit, registry.system_of(warband)
        army = registry.load_army(warband.system, warband.army, warband.variant or None)
        own_entries = entries.get(warband.pk, [])
        selections = [select(army, entry) for entry in own_entries]
        # Each entry with the price it keeps, and today's.
        lines = []
        for selection in selections:
            if old := price_kept(selection):
                count, each = selection.entry.count, selection.points_each
                times = f"{count}× " if count > 1 else ""
                lines.append(f"{times}{selection.label}: {each} each, now {each - old}")
        points_then = _points_today(warband, own_entries)
        rows.append(
            {
                **named_values(warband, "token", "version"),
                "name": warband.name or NO_NAME,
                "owner": warband.owner.display_name if warband.owner else "",
                "is_mine": actor.is_person and warband.owner_id == actor.user_id,
                "warriors": lines,
                "points": total_points(selections, limit, system),
                "points_then": points_then,
                "limit": limit,
                # By how much today's prices are too many.
                "over": points_over(limit, points_then),
            }
        )
    return {
        "club": club,
        "list_token": token,
        "list_name": club_list.file.name,
        "rows": rows,
        "hidden": touched.count() - len(warbands),
    }


def load_points_today(tokens: Iterable[str]) -> dict[str, int]:
    """What those of some warbands that keep a price would cost today, by token.

    Three queries, one where none does.
    """
    warbands = list(_keeping_prices().filter(token__in=list(tokens)))
    ids = [warband.pk for warband in warbands]
    entries = entries_by_warband(ids) if ids else {}
    points = {}
    for warband in warbands:
        # A club may have put its list away since.
        with suppress(registry.UnknownKey):
            points[warband.token] = _points_today(warband, entries.get(warband.pk, ()))
    return points


def _keeping_prices() -> QuerySet[Warband]:
    # Exists, not a join: a warband with several kept prices stands here once.
    warriors = Warrior.objects.filter(warband=OuterRef("pk"), keeps_price=True)
    return Warband.objects.filter(Exists(warriors))


def _points_today(warband: Warband, entries: Iterable[RosterEntry]) -> int:
    """What a warband costs at the prices of its list, whatever it keeps from before."""
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    selections = [select(army, replace(entry, kept=None)) for entry in entries]
    return total_points(selections, warband.points_limit, registry.system_of(warband))


def options_by_warrior(**wanted: Any) -> Mapping[int, list[str]]:
    """The option keys of these warriors' holdings, in order. One query."""
    options = WarriorOption.objects.filter(**wanted).order_by("position", "pk")
    return grouped(options.values_list("warrior_id", "key"))


def entries_by_warband(ids: Sequence[int]) -> Mapping[int, list[RosterEntry]]:
    """The entries of several warbands in order. Two queries."""
    options = options_by_warrior(warrior__warband__in=ids)
    rows = Warrior.objects.filter(warband__in=ids).order_by("position", "pk")
    return grouped(
        (row.warband_id, build_entry(row, options.get(row.pk, ()))) for row in rows
    )


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


def find_warband(
    actor: Owner, token: str, rows: QuerySet[Warband] | None = None
) -> Warband | None:
    """The row with its owner and club, or None where there is none or the actor may not see it.

    One query, and one for a stranger who asks for what a club shares: to filter by what the actor
    may see takes a statement that is longer to put together than to run.
    """
    if not is_token(token):
        return None
    rows = Warband.objects.all() if rows is None else rows
    matching = rows.filter(token=token).select_related("owner", "club").order_by()
    warband = next(iter(matching), None)
    return warband if warband and may_see(actor, warband) else None


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
        locked = Warband.objects.select_for_update(of=("self",))
        warband = find_warband(actor, token, locked)
        return (warband, load_rows(warband.pk)) if warband else None


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
    scenario = load_carried_scenario(warband.system, warband.scenario)
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
    return sheet_of_check(check_new_roster(roster))


def check_document(actor: Owner, data: object) -> CheckedRoster:
    """Price and check a roster document that is stored nowhere; the lists of the actor's clubs are
    known. Raises FaultyDocument for one that cannot be read.
    """
    return check_new_roster(parse_sent(actor, data))


def parse_sent(actor: Owner, data: object) -> Roster:
    """The roster of a document, of a printed army or a list of the actor's clubs."""
    return parse(data, knows_army=partial(may_muster_from, actor))


def check_new_roster(roster: Roster) -> CheckedRoster:
    """Price and check a roster that is stored nowhere as yet."""
    system, army = registry.load_ruleset(roster)
    scenario = load_carried_scenario(roster.system, roster.scenario)
    return check_roster(roster, system, army, scenario)


def check_warband(record: WarbandRecord) -> CheckedRoster:
    """Price and check a loaded warband; a person's own scenario counts too."""
    system, army = registry.load_ruleset(record.roster)
    checked = check_roster(
        record.roster, system, army, record.scenario_record, record.findings
    )
    return with_acknowledged(checked, record.acknowledged)


CHANGED_ROSTER = Q(before__isnull=False) | Q(verb="undo_last_change")
"""Events that changed the roster: undos of earlier releases kept no roster."""


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
    events = events.annotate(
        can_be_undone=Q(version=warband.undo_head or 0), has_before=Q(before__isnull=False)
    )
    rows: tuple[Any, ...] = tuple(
        events.select_related("actor").order_by("-version").defer("before")[:limit]
    )
    # What a version came to is kept by the next change of the roster.
    is_kept = False
    for row in rows:
        row.can_be_restored = is_kept
        if row.has_before or row.verb == "undo_last_change":
            is_kept = row.has_before
    return rows


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
