"""Warbands of a growing campaign in figures: for its standings, and for files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from accounts.owner import Owner
from campaigns.models import CampaignWarband
from campaigns.queries.growth.happenings import ADVANCES, INJURIES, gain_words
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.growth.reports import hides_rosters
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.queries.standings import (
    StandingsRecord,
    StandingWarband,
    load_standings,
)
from engine.growth.happenings import Happening
from engine.growth.rules import CampaignCurrency
from engine.growth.warriors import REFUSED, GrownWarrior
from engine.records import Numbers, Texts, frozen_dataclass


@frozen_dataclass
class WarbandFigures:
    """A warband in figures. ``money`` holds a sum for each currency of the campaign.

    ``models`` and ``experience``, all of it that is in the warband, are None while the roster is
    secret.
    """

    name: str
    player: str
    rating: int
    money: Numbers
    models: int | None
    experience: int | None
    battles: int
    territories: Texts
    is_closed: bool


@frozen_dataclass
class WarriorFigures:
    """A unit of a warband: what its campaign made of it, and how it is now."""

    warband: str
    player: str
    name: str
    profile: str
    kind: str
    models: int
    experience: int
    advances: Texts
    injuries: Texts
    stats: Texts
    state: str


@frozen_dataclass
class GrowthFigures:
    """All warbands of a campaign, in the order in which they were founded, and their units.

    Units of rosters that are secret are left out. ``standing`` is by entries what stands beside
    the points, with sums of the currencies ``counted``: those that buy nothing, or all of them.
    """

    currencies: Texts
    warbands: tuple[WarbandFigures, ...]
    warriors: tuple[WarriorFigures, ...]
    standing: Mapping[int, StandingWarband]
    counted: Texts
    territory_word: str

    def beside(self, table: StandingsRecord) -> StandingsRecord:
        """Return the standings with the warband of each player."""
        rows = (replace(row, warband=self.standing.get(row.entry.id)) for row in table.rows)
        return replace(
            table,
            rows=tuple(rows),
            has_warbands=True,
            currencies=self.counted,
            territory_word=self.territory_word,
        )


def load_growth_figures(
    event: ClubEventRecord, entries: Sequence[EntryRecord]
) -> GrowthFigures | None:
    """Return the warbands of a campaign in figures; None for an event in which none grow.

    Three queries at most.
    """
    if not event.growth_position:
        return None
    return figures_of(
        load_campaign_names(event), event, entries, hides=hides_rosters(event)
    )


def load_grown_standings(actor: Owner, token: str) -> StandingsRecord | None:
    """Return the standings with the warbands of those who play; None as `load_standings`.

    Three queries, and three more at most where warbands grow.
    """
    table = load_standings(actor, token)
    if table is None:
        return None
    grown = load_growth_figures(table.event, [row.entry for row in table.rows])
    return grown.beside(table) if grown else table


def figures_of(
    names: CampaignNames,
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    *,
    hides: bool,
) -> GrowthFigures:
    """Return the same of a campaign that is loaded; no query. ``hides``: rosters are secret."""
    hidden = _hidden(names, entries) if hides else set()
    # What is spent is a column where the event says so.
    known = names.rules.currencies
    counted = [one for one in known if event.shows_treasury or not one.is_spent]
    units = _units(names, hidden)
    return GrowthFigures(
        currencies=tuple(one.name for one in names.rules.currencies),
        warbands=_warbands(names, hidden),
        warriors=tuple(_warrior(names, row, one) for row, one in units),
        standing=_standings(names, counted),
        counted=tuple(one.name for one in counted),
        territory_word=names.territory_word,
    )


def _hidden(names: CampaignNames, entries: Sequence[EntryRecord]) -> set[str]:
    """Return the warbands that are not the reader's own."""
    own = {one.id for one in entries if one.is_mine}
    return {row.token for row in names.rows.values() if row.entry_id not in own}


def _standings(
    names: CampaignNames, counted: Sequence[CampaignCurrency]
) -> dict[int, StandingWarband]:
    """Return what stands beside the points, by entries."""
    # Whoever disbanded and founded anew is known by the last.
    rows = names.rows.values()
    return {row.entry_id: _standing(names, row.token, counted) for row in rows}


def _standing(
    names: CampaignNames, token: str, counted: Sequence[CampaignCurrency]
) -> StandingWarband:
    """Return what stands beside the points of a player."""
    grown = names.ledger.state.warbands[token]
    money = tuple(grown.treasury.get(one.id, 0) for one in counted)
    return StandingWarband(grown.rating, money, grown.territories)


def _warbands(names: CampaignNames, hidden: Collection[str]) -> tuple[WarbandFigures, ...]:
    """Return all warbands in figures."""
    return tuple(
        _warband(names, row, is_shown=row.token not in hidden)
        for row in names.rows.values()
    )


def _units(
    names: CampaignNames, hidden: Collection[str]
) -> Iterator[tuple[CampaignWarband, GrownWarrior]]:
    """Yield all units that warbands have or had, but for those that are hidden."""
    for token, row in names.rows.items():
        if token in hidden:
            continue
        grown = names.ledger.state.warbands[token]
        for one in (*grown.warriors.values(), *grown.former):
            yield row, one


def _warband(
    names: CampaignNames, row: CampaignWarband, *, is_shown: bool
) -> WarbandFigures:
    """Return a warband in figures."""
    state = names.ledger.state
    grown = state.warbands[row.token]
    there = [one for one in grown.warriors.values() if one.is_free]
    return WarbandFigures(
        name=row.name,
        player=row.entry.name,
        rating=grown.rating,
        money=tuple(grown.treasury.get(one.id, 0) for one in names.rules.currencies),
        models=sum(one.count for one in there) if is_shown else None,
        experience=sum(one.experience for one in there) if is_shown else None,
        battles=len(state.battles_of(row.token)),
        territories=grown.territories,
        is_closed=grown.is_closed,
    )


def _warrior(
    names: CampaignNames, row: CampaignWarband, one: GrownWarrior
) -> WarriorFigures:
    """Return a unit in figures."""
    grown, profile = names.ledger.state.warbands[row.token], names.profile(row.token, one)
    told = _told_of(names, row.token, one.key)
    return WarriorFigures(
        warband=row.name,
        player=row.entry.name,
        name=one.joined.name,
        profile=profile.name if profile else one.joined.profile,
        kind=names.kind(one.kind),
        models=one.count,
        experience=one.experience,
        advances=tuple(gain_words(names, each) for each in told if each.what in ADVANCES),
        injuries=tuple(each.row for each in told if each.what in INJURIES),
        stats=tuple(f"{stat} {now}" for stat, now in grown.stats.get(one.key, {}).items()),
        state=_state(names, one),
    )


def _told_of(names: CampaignNames, warband: str, key: str) -> list[Happening]:
    """Return what befell a unit."""
    told = names.ledger.state.happenings
    return [one for one in told if (one.warband, one.warrior) == (warband, key)]


def _state(names: CampaignNames, one: GrownWarrior) -> str:
    """Return whether a unit is there, in words."""
    if one.gone:
        return "not ransomed" if one.gone == REFUSED else "gone"
    if one.captor:
        return f"held by {names.warband(one.captor)}"
    if one.misses:
        return f"misses {max(one.misses)}"
    return "there"
