"""What is uncertain or outdated in the figures of rosters, and which of it their owners
have acknowledged.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.db.models import Exists, OuterRef

from accounts.owner import Owner
from engine.findings.case import Finding
from engine.findings.checks import RANK
from engine.findings.composition import open_points
from engine.records import TextPairs, Texts, frozen_dataclass, grouped
from engine.roster import Roster, RosterEntry
from engine.selection import Selection, points_over, price_kept, select, total_points
from engine.types.lists import Profile
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.clubs import ClubHead, load_club_list
from warbands.access import repriced_by
from warbands.checks import CheckedRoster
from warbands.models import FIGURE_MAX, AcknowledgedFigure, Warband, Warrior, WarriorOption
from warbands.queries.records import NO_NAME, Acknowledgement
from warbands.roster_fields import build_entry

# Uncertain figures of a roster: which there are, and which its owner has acknowledged.

KIND = "incomplete"
OWNER = "The owner"


def load_acknowledged(warband_id: int, roster: Roster) -> tuple[Acknowledgement, ...]:
    """The figures acknowledged of a warband. One query, none where no figure can be uncertain."""
    # Few units have an uncertain figure, so nearly every page goes without this query.
    if not _may_be_uncertain(roster):
        return ()
    rows = AcknowledgedFigure.objects.filter(warband_id=warband_id).select_related("author")
    return tuple(
        Acknowledgement(
            row.profile,
            row.figure,
            row.author.display_name if row.author else OWNER,
            row.at,
        )
        for row in rows.order_by("pk")
    )


def _may_be_uncertain(roster: Roster) -> bool:
    try:
        army = registry.load_army(roster.system, roster.army, roster.variant)
    except registry.UnknownKey:
        return False
    held = (army.profiles.get(entry.profile) for entry in roster.warriors)
    return any(profile is not None and _is_open(profile) for profile in held)


def _is_open(profile: Profile) -> bool:
    is_open_wizard = profile.is_wizard and profile.wizard_level is None
    return bool(profile.incomplete) or is_open_wizard


def is_about_figures(finding: Finding, system: System) -> bool:
    """Whether a finding tells uncertain figures."""
    return any(one.kind == KIND for one in system.guidelines if one.code == finding.code)


def uncertain_figures(selections: Iterable[Selection]) -> TextPairs:
    """(profile, figure) of everything that is uncertain, each once."""
    found = [(one.entry.profile, open_points(one)) for one in selections]
    pairs = [(profile, text[:FIGURE_MAX]) for profile, texts in found for text in texts]
    return tuple(dict.fromkeys(pairs))


def with_acknowledged(
    checked: CheckedRoster, known: Sequence[Acknowledgement]
) -> CheckedRoster:
    """The check with its uncertain figures as a note, where every one of them is acknowledged."""
    by_figure = {(one.profile, one.figure): one for one in known}
    pairs = uncertain_figures(checked.selections) if known else ()
    if not pairs or not set(pairs) <= by_figure.keys():
        return checked
    words = max((by_figure[pair] for pair in pairs), key=lambda one: one.at).words
    # The message names all figures at once, so one that is new makes it a warning again.
    told = (
        replace(one, level="note", acknowledged_by=words, fixes=())
        if is_about_figures(one, checked.system)
        else one
        for one in checked.findings
    )
    return replace(checked, findings=tuple(sorted(told, key=lambda one: RANK[one.level])))


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

    @property
    def difference(self) -> int:
        return self.points_then - self.points


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
    club, own = load_club_list(actor, slug, token)
    # Exists, not a join: a warband with several kept prices stands here once.
    keeping = Exists(Warrior.objects.filter(warband=OuterRef("pk"), keeps_price=True))
    touched = Warband.objects.filter(keeping, army=token, archived_at=None)
    mine = (
        touched.filter(repriced_by(actor, club.id))
        .select_related("owner")
        .order_by("name_key", "pk")
    )
    warbands = list(mine[:SHOWN_MAX])
    entries = entries_by_warband([warband.pk for warband in warbands])
    rows = tuple(
        _warband_prices(actor, warband, entries.get(warband.pk, [])) for warband in warbands
    )
    return PricesPage(club, token, own.file.name, rows, touched.count() - len(rows))


def load_points_today(tokens: Iterable[str]) -> dict[str, int]:
    """What those of some warbands that keep a price would cost today, by token.

    Three queries, one where none does.
    """
    keeping = Exists(Warrior.objects.filter(warband=OuterRef("pk"), keeps_price=True))
    warbands = list(Warband.objects.filter(keeping, token__in=list(tokens)))
    entries = entries_by_warband([one.pk for one in warbands]) if warbands else {}
    found = {}
    for one in warbands:
        # A club may have put its list away since.
        with suppress(registry.UnknownKey):
            found[one.token] = _points_today(one, entries.get(one.pk, ()))
    return found


def _points_today(warband: Warband, entries: Iterable[RosterEntry]) -> int:
    """What a warband costs at the prices of its list, whatever it keeps from before."""
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    then = [select(army, replace(entry, kept=None)) for entry in entries]
    return total_points(then, warband.points_limit, registry.system_of(warband))


def options_by_warrior(**wanted: Any) -> Mapping[int, list[str]]:
    """The option keys of these warriors' holdings, in order. One query."""
    held = WarriorOption.objects.filter(**wanted).order_by("position", "pk")
    return grouped(held.values_list("warrior_id", "key"))


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
    system = registry.system_of(warband)
    army = registry.load_army(warband.system, warband.army, warband.variant or None)
    now = [select(army, entry) for entry in entries]
    return WarbandPrices(
        token=warband.token,
        version=warband.version,
        name=warband.name or NO_NAME,
        owner=warband.owner.display_name if warband.owner else "",
        is_mine=actor.user_id is not None and warband.owner_id == actor.user_id,
        warriors=tuple(_kept_words(one) for one in now if price_kept(one)),
        points=total_points(now, warband.points_limit, system),
        points_then=_points_today(warband, entries),
        limit=warband.points_limit,
    )


def _kept_words(selection: Selection) -> str:
    """An entry with the price it keeps and today's."""
    count, each = selection.entry.count, selection.points_each
    times = f"{count}× " if count > 1 else ""
    return f"{times}{selection.label}: {each} each, now {each - price_kept(selection)}"
