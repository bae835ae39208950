"""Who fights in a game of a growing campaign: before its battle is locked, and as it was locked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.combatants import QUICK_NAME
from campaigns.models import CampaignWarband, Fixture
from campaigns.models.rounds import limit_of
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.growth.lineups import (
    FieldedSide,
    LineupIssue,
    issues_of,
    load_fielded_sides,
    load_locked_issues,
)
from campaigns.queries.growth.names import CampaignNames, load_campaign_names
from campaigns.queries.growth.reports import GrowthReport
from campaigns.queries.growth.warband_pages import in_order, marks_of
from campaigns.queries.records import ClubEventRecord, EntryRecord
from engine.growth import dues
from engine.growth.money import underdog_of
from engine.growth.rules import UnderdogRow
from engine.hired import with_hired
from engine.records import JsonObject, Texts, frozen_dataclass
from engine.roster import RosterEntry
from engine.selection import points_over, select
from rulesdata import registry
from warbands.queries.prices import entries_by_warband
from warbands.roster_fields import warband_growth


@frozen_dataclass
class LineupUnit:
    """A unit that may fight, with the points that its roster counts for it in a battle.

    ``fights``: by usual, for nothing keeps it away; with ``fielded`` points then. ``marks`` warn.
    """

    key: str
    title: str
    count: int
    points: int
    fights: bool
    marks: Texts
    fielded: int


@frozen_dataclass
class LineupSide:
    """A side of a game that is not locked yet: its units, its rating and what an underdog gets.

    ``points`` are those of who fights by usual, counted in ``price_unit``; ``is_over``: above the
    limit.
    """

    entry: str
    name: str
    rating: int
    underdog: str
    units: tuple[LineupUnit, ...] = ()
    points: int = 0
    is_over: bool = False
    price_unit: str = "points"


@frozen_dataclass
class LineupPage:
    """Who fights in a game of a growing campaign: the sides that the reader chooses for.

    ``others`` are the players of the other sides, ``opponents`` their warbands with their ratings.
    ``limit``: the most points of the round. ``issues`` are of a battle that is locked.
    """

    fixture: FixturePage
    sides: tuple[LineupSide, ...]
    others: Texts
    opponents: tuple[LineupSide, ...]
    limit: int | None
    issues: tuple[LineupIssue, ...] = ()


def load_lineup_page(actor: Owner, token: str, fixture: str) -> LineupPage | None:
    """Return who fights in a game; None where there is none, or no warband grows.

    At most twelve queries.
    """
    page = load_fixture(actor, token, fixture)
    if page is None or not page.event.growth_position:
        return None
    names, limit = load_campaign_names(page.event), limit_of(page.round, page.event)
    found = _warbands_by_entry(page, tuple(names.rows.values()))
    own, others = _choosers(page)
    strengths = _strengths(names, page.event, own, found)
    drawn = LineupPage(
        fixture=page,
        sides=tuple(_lineup_sides(names, strengths, found, limit)),
        others=tuple(one.name for one in others),
        opponents=_strengths(names, page.event, others, found),
        limit=limit,
    )
    if page.is_told or not page.battle:
        return drawn
    tokens = [one.token for one in own]
    issues = load_locked_issues(names, page.record.token, tokens, limit)
    return replace(drawn, issues=issues)


def load_strengths(page: FixturePage) -> tuple[LineupSide, ...]:
    """Return the ratings of a game's sides before it is played, with what an underdog gets.

    Without units. Empty where none grow, a side is secret or the game is told. Two queries.
    """
    is_hidden = any(page.event.hides(side.entry.token) for side in page.sides)
    if not page.event.growth_position or page.is_told or page.record.is_bye or is_hidden:
        return ()
    names = load_campaign_names(page.event)
    found = _warbands_by_entry(page, tuple(names.rows.values()))
    return _strengths(names, page.event, [side.entry for side in page.sides], found)


def _choosers(page: FixturePage) -> tuple[list[EntryRecord], list[EntryRecord]]:
    """Return the entries that the reader chooses for, and the others of the game."""
    entries = [side.entry for side in page.sides]
    # Players choose for themselves; an organiser may choose for both.
    own = [one for one in entries if one.is_mine or page.event.may_organise]
    return own, [one for one in entries if one not in own]


def _warbands_by_entry(
    page: FixturePage, rows: Iterable[CampaignWarband]
) -> dict[str, str]:
    """Return the warbands that meet in a game and go on, by the tokens of their entries."""
    going_on = {row.entry_id: row.token for row in rows if row.closed_at is None}
    entries = [side.entry for side in page.sides]
    return {one.token: going_on[one.id] for one in entries if one.id in going_on}


def _strengths(
    names: CampaignNames,
    event: ClubEventRecord,
    entries: Iterable[EntryRecord],
    found: Mapping[str, str],
) -> tuple[LineupSide, ...]:
    """Return the sides of those who founded, without their units and without secret ones.

    ``found`` are the warbands of all sides by entries. An underdog's bonus would tell the rating
    of the other side, so there is none where one is secret.
    """
    state = names.ledger.state.warbands
    ratings = {token: state[token].rating for token in found.values()}
    is_told = not any(map(event.hides, found))
    sides = []
    for entry in entries:
        token = found.get(entry.token)
        if token is None or event.hides(entry.token):
            continue
        bonus = underdog_of(names.rules, token, ratings) if is_told else None
        side = LineupSide(
            entry=entry.token,
            name=entry.name,
            rating=ratings[token],
            underdog=_bonus_words(names, bonus) if bonus else "",
            price_unit=names.unit_of_price(token),
        )
        sides.append(side)
    return tuple(sides)


class _Fielded:
    """A warband with its roster, for asking what its units count in a battle."""

    def __init__(
        self, names: CampaignNames, token: str, rosters: Mapping[int, Iterable[RosterEntry]]
    ) -> None:
        """Keep the entries by the keys of their warriors; none where the roster is gone."""
        row = names.rows[token]
        entries = {one.id: one for one in rosters.get(row.warband_id or 0, ())}
        self.names, self.grown = names, names.ledger.state.warbands[token]
        self.entries = {key: entries.get(pk) for key, pk in row.rows.items()}
        army = names.army(token)
        growth = warband_growth(row.warband) if row.warband else None
        self.army = with_hired(army, growth) if army else None

    def points(self, key: str, models: int) -> int:
        """Return what so many models of a unit count when the battle is locked."""
        entry = self.entries.get(key)
        if entry is None or self.army is None or not models:
            return 0
        return select(self.army, replace(entry, count=models)).points

    def units(self) -> Iterator[LineupUnit]:
        """Yield the units that may fight, the leader first."""
        free = [one for one in in_order(self.grown) if one.is_free]
        for one in free:
            names = self.names
            warband = self.grown.id
            owed = (due for due in names.ledger.state.open if due.warband == warband)
            is_open = any(
                due.kind == dues.INJURY and due.warrior == one.key for due in owed
            )
            lineup_marks = [*marks_of(names, one), *(["Injury not rolled yet"] * is_open)]
            yield LineupUnit(
                key=one.key,
                title=self.names.unit_name(self.grown.id, one),
                count=one.count,
                points=self.points(one.key, one.count),
                fights=bool(one.fit),
                marks=tuple(lineup_marks),
                # A group fights with those of its models that miss nothing.
                fielded=self.points(one.key, one.fit),
            )


def _lineup_sides(
    names: CampaignNames,
    sides: Iterable[LineupSide],
    found: Mapping[str, str],
    limit: int | None,
) -> Iterator[LineupSide]:
    """Yield sides with the units that may fight. Two queries."""
    met = (names.rows[token].warband_id for token in found.values())
    rosters = entries_by_warband([pk for pk in met if pk is not None])
    for side in sides:
        units = tuple(_Fielded(names, found[side.entry], rosters).units())
        points = sum(one.fielded for one in units)
        is_over = bool(points_over(limit, points))
        yield replace(side, units=units, points=points, is_over=is_over)


def _bonus_words(names: CampaignNames, bonus: UnderdogRow) -> str:
    """Return what an underdog gets after the battle."""
    money = names.currency(names.rules.prices.currency)
    return f"{bonus.experience} experience and {bonus.amount} {money}"


# A battle that was locked


@frozen_dataclass
class FieldedBattle:
    """A campaign's battle as it was locked: its sides with ratings, bonus and models."""

    battle: str
    key: str
    sides: tuple[JsonObject, ...]
    findings: tuple[JsonObject, ...] = ()


def load_fielded_battle(report: GrowthReport, fixture: str) -> FieldedBattle:
    """Return the battle that was locked for a game, with the ratings of now.

    Six queries. Raises NotFound.
    """
    rows = Fixture.objects.filter(token=fixture) if is_token(fixture) else None
    terms = ("battle", "round__event")
    row = rows.select_related(*terms).first() if rows is not None else None
    if row is None or row.battle is None:
        raise NotFound("fixture")
    sides = load_fielded_sides(row.battle)
    told = [_side_json(report, side, sides.values()) for side in sides.values()]
    limit = limit_of(row.round, row.round.event)
    names = CampaignNames(report.ledger, registry.system_of(report.event), report.warbands)
    # What is unusual about a unit names it, so nothing is told of a secret roster.
    shown = [side for side in sides.values() if not report.is_hidden(side.row)]
    findings = tuple(map(asdict, issues_of(names, fixture, shown, limit)))
    return FieldedBattle(row.battle.token, row.battle.key, tuple(told), findings)


def _side_json(
    report: GrowthReport, side: FieldedSide, sides: Iterable[FieldedSide]
) -> JsonObject:
    """Return a side with its rating, bonus and models; those of a secret roster are numbered."""
    state, sides = report.ledger.state.warbands, list(sides)
    ratings = {one.row.token: state[one.row.token].rating for one in sides}
    bonus = underdog_of(report.ledger.rules, side.row.token, ratings)
    is_hidden = report.is_hidden(side.row)
    # A bonus would tell the rating of the other side.
    if any(report.is_hidden(one.row) for one in sides):
        bonus = None
    return {
        "entry": side.row.entry.token,
        "rating": None if is_hidden else ratings[side.row.token],
        "underdog": {"experience": bonus.experience, "amount": bonus.amount}
        if bonus
        else None,
        "combatants": [
            {"id": one.id, "who": None, "name": f"{QUICK_NAME} {place}"}
            if is_hidden
            else {"id": one.id, "who": one.who, "name": one.name}
            for place, one in enumerate(side.models, start=1)
        ],
    }
