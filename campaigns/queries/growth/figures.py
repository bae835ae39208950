"""Warbands of a growing campaign in figures: for its standings, and for files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from accounts.owner import Owner
from campaigns.models import CampaignWarband
from campaigns.queries.growth.happenings import ADVANCES, INJURIES, gain_words
from campaigns.queries.growth.ledger import closed_round, figures_note
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.standings import (
    StandingsRecord,
    StandingWarband,
    load_standings,
)
from engine.growth.happenings import Happening
from engine.growth.rules import CampaignCurrency
from engine.growth.warriors import REFUSED, GrownWarrior
from engine.records import Texts, frozen_dataclass


@frozen_dataclass
class WarbandFigures:
    """A warband in figures. ``money`` holds a sum for each currency of the campaign.

    ``models`` and ``experience``, all of it that is in the warband, are None while the roster is
    secret; ``closed_round`` says then from when the others are, and they are None before that.
    """

    name: str
    player: str
    rating: int | None
    money: tuple[int | None, ...]
    models: int | None
    experience: int | None
    battles: int
    territories: Texts
    is_closed: bool
    closed_round: int | None = None


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
    note: str = ""

    def beside(self, table: StandingsRecord) -> StandingsRecord:
        """Return the standings with the warband of each player."""
        rows = (replace(row, warband=self.standing.get(row.entry.id)) for row in table.rows)
        return replace(
            table,
            rows=tuple(rows),
            has_warbands=True,
            currencies=self.counted,
            territory_word=self.territory_word,
            note=self.note,
        )


def load_growth_figures(event: ClubEventRecord) -> GrowthFigures | None:
    """Return the warbands of a campaign in figures; None for an event in which none grow.

    Three queries at most.
    """
    if not event.growth_position:
        return None
    return figures_of(load_campaign_names(event), event)


def load_grown_standings(actor: Owner, token: str) -> StandingsRecord | None:
    """Return the standings with the warbands of those who play; None as `load_standings`.

    Three queries, and three more at most where warbands grow.
    """
    table = load_standings(actor, token)
    if table is None:
        return None
    grown = load_growth_figures(table.event)
    return grown.beside(table) if grown else table


def figures_of(names: CampaignNames, event: ClubEventRecord) -> GrowthFigures:
    """Return the same of a campaign that is loaded; no query."""
    # What is spent is a column where the event says so.
    known = names.rules.currencies
    counted = [one for one in known if event.shows_treasury or not one.is_spent]
    rows = names.rows.values()
    return GrowthFigures(
        currencies=tuple(one.name for one in names.rules.currencies),
        warbands=tuple(_warband(names, event, row) for row in rows),
        warriors=tuple(_warrior(names, row, one) for row, one in _units(names)),
        # Whoever disbanded and founded anew is known by the last.
        standing={
            row.entry_id: _standing(names, event, row, counted)
            for row in rows
            if closed_round(event, row) != 0
        },
        counted=tuple(one.name for one in counted),
        territory_word=names.territory_word,
        note=figures_note(event, rows),
    )


def _standing(
    names: CampaignNames,
    event: ClubEventRecord,
    row: CampaignWarband,
    counted: Sequence[CampaignCurrency],
) -> StandingWarband:
    """Return what stands beside the points of a player."""
    grown = names.ledger.state.warbands[row.token]
    money = tuple(grown.treasury.get(one.id, 0) for one in counted)
    closed = closed_round(event, row)
    return StandingWarband(grown.rating, money, grown.territories, closed)


def _units(names: CampaignNames) -> Iterator[tuple[CampaignWarband, GrownWarrior]]:
    """Yield all units that warbands have or had."""
    for token, row in names.rows.items():
        grown = names.ledger.state.warbands[token]
        for one in (*grown.warriors.values(), *grown.former):
            yield row, one


def _warband(
    names: CampaignNames, event: ClubEventRecord, row: CampaignWarband
) -> WarbandFigures:
    """Return a warband in figures."""
    state, closed = names.ledger.state, closed_round(event, row)
    grown, is_shown = state.warbands[row.token], closed is None
    there = [one for one in grown.warriors.values() if one.is_free]
    return WarbandFigures(
        name=row.name,
        player=row.entry.name,
        rating=None if closed == 0 else grown.rating,
        money=tuple(grown.treasury.get(one.id) for one in names.rules.currencies),
        models=sum(one.count for one in there) if is_shown else None,
        experience=sum(one.experience for one in there) if is_shown else None,
        battles=len(state.battles_of(row.token)),
        territories=grown.territories,
        is_closed=grown.is_closed,
        closed_round=closed or None,
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
