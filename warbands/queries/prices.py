"""What is uncertain or outdated in the figures of rosters, and which of it their owners
have acknowledged.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.owner import Owner
from engine.findings.case import Finding
from engine.findings.checks import RANK
from engine.findings.composition import open_points
from engine.records import TextPairs, Texts, frozen_dataclass, grouped
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, points_over, price_kept, select, total_points
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.clubs import ClubHead, load_club_list
from warbands.access import repriced_by
from warbands.checks import CheckedRoster
from warbands.models import FIGURE_MAX, AcknowledgedFigure, Warband, Warrior, WarriorOption
from warbands.queries.records import NO_NAME
from warbands.roster_fields import build_entry

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


@frozen_dataclass
class WarbandPrices:
    """A warband that keeps prices: its points now and at today's prices; ``over`` is by how much
    that is too many.
    """

    token: str
    version: int
    name: str
    owner: str
    is_mine: bool
    warriors: Texts
    points: int
    points_then: int
    limit: int | None

    @property
    def over(self) -> int:
        return points_over(self.limit, self.points_then)


@frozen_dataclass
class PricesPage:
    """The warbands a change of prices touches.

    ``hidden``: so many more are not shown to the club.
    """

    club: ClubHead
    list_token: str
    list_name: str
    rows: tuple[WarbandPrices, ...]
    hidden: int


def load_prices(actor: Owner, slug: str, token: str) -> PricesPage:
    """Every warband of the list that keeps a price, for the list's club.

    Seven queries, whatever their number.

    Raises NotInTheBook for those outside the club.
    """
    club, club_list = load_club_list(actor, slug, token)
    touched = _keeping_prices().filter(army=token, archived_at=None)
    mine = touched.filter(repriced_by(actor, club.id)).select_related("owner")
    warbands = list(mine.order_by("name_key", "pk")[:SHOWN_MAX])
    entries = entries_by_warband([warband.pk for warband in warbands])
    rows = tuple(
        _warband_prices(actor, warband, entries.get(warband.pk, [])) for warband in warbands
    )
    return PricesPage(club, token, club_list.file.name, rows, touched.count() - len(rows))


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


def _warband_prices(
    actor: Owner, warband: Warband, entries: list[RosterEntry]
) -> WarbandPrices:
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    selections = [select(army, entry) for entry in entries]
    # Each entry with the price it keeps, and today's.
    lines = []
    for selection in selections:
        if old := price_kept(selection):
            count, each = selection.entry.count, selection.points_each
            times = f"{count}× " if count > 1 else ""
            lines.append(f"{times}{selection.label}: {each} each, now {each - old}")
    system = registry.system_of(warband)
    return WarbandPrices(
        token=warband.token,
        version=warband.version,
        name=warband.name or NO_NAME,
        owner=warband.owner.display_name if warband.owner else "",
        is_mine=actor.user_id is not None and warband.owner_id == actor.user_id,
        warriors=tuple(lines),
        points=total_points(selections, warband.points_limit, system),
        points_then=_points_today(warband, entries),
        limit=warband.points_limit,
    )
