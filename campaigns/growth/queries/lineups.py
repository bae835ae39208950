"""Who of a campaign's warbands stands on the table of a battle, and under which keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace

from django.db.models import QuerySet

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.combatants import QUICK_NAME
from battles.intake import Totals
from battles.models import Battle, BattleCombatant, BattleSide, BattleStatus
from campaigns.fixture_totals import side_entries
from campaigns.growth.queries.presenter import CampaignPresenter, load_campaign
from campaigns.growth.queries.reports import GrowthReport
from campaigns.growth.queries.warbands import absence_marks, leader_first
from campaigns.models import CampaignWarband, Fixture
from campaigns.models.rounds import limit_of
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.records import EntryRecord
from engine.growth import dues
from engine.growth.dues import INJURY
from engine.growth.money import underdog_of
from engine.hired import with_hired
from engine.records import JsonObject, Texts, frozen_dataclass, grouped
from engine.roster import RosterEntry
from engine.selection import points_over, select
from warbands.queries.prices import entries_by_warband
from warbands.roster_fields import warband_growth


@frozen_dataclass
class FieldedModel:
    """A model of a campaign warband in a battle. ``who`` is w1, or w3#2 in a group."""

    id: str
    side: str
    warrior: str
    who: str
    name: str
    is_out: bool
    put_out_by: str
    points: int


@frozen_dataclass
class FieldedSide:
    """A side of a battle that is a campaign's warband, with its models in their order."""

    key: str
    row: CampaignWarband
    models: tuple[FieldedModel, ...]

    @property
    def warriors(self) -> Texts:
        """The keys of the warriors who fight, once each."""
        return tuple(dict.fromkeys(model.warrior for model in self.models))

    @property
    def points(self) -> int:
        """What its models are worth by the army list."""
        return sum(model.points for model in self.models)

    def with_totals(self, totals: Totals) -> FieldedSide:
        """Return the side with its models as these totals of a state have them."""
        models = tuple(
            replace(
                model,
                is_out=totals.get(model.id, {}).get("is_out", False),
                put_out_by=totals.get(model.id, {}).get("put_out_by", ""),
            )
            for model in self.models
        )
        return replace(self, models=models)

    def find(self, who: str) -> FieldedModel | None:
        """Return a model by its key; one alone may be named with a number too."""
        known = {model.who: model for model in self.models}
        return known.get(who) or known.get(who.removesuffix("#1"))

    def of_warrior(self, warrior: str) -> FieldedModel | None:
        """Return the model that stands for a warrior or a group: one that is not out, if any."""
        own = [model for model in self.models if model.warrior == warrior]
        return next((entry for entry in own if not entry.is_out), own[0] if own else None)


def load_fielded_sides(battle: Battle) -> dict[str, FieldedSide]:
    """Return the sides of a battle that are a campaign's warbands, by their keys.

    Three queries, and two more where a side has no roster any more.
    """
    found = _rows_by_side(battle)
    models = _combatants_by_side(BattleCombatant.objects.filter(battle=battle))
    return {
        key: FieldedSide(key, row, tuple(_models(key, row, models.get(key, ()))))
        for key, row in found.items()
    }


def _combatants_by_side(
    combatants: QuerySet[BattleCombatant],
) -> dict[str, list[BattleCombatant]]:
    """Return the combatants of each side in their order. One query."""
    rows = combatants.select_related("side").order_by("position", "id")
    return grouped((row.side.key, row) for row in rows)


def _rows_by_side(battle: Battle) -> dict[str, CampaignWarband]:
    """Return the campaign's warband of each side that has one, in the order of the sides."""
    sides = BattleSide.objects.filter(battle=battle).order_by("position")
    rosters = {side.key: side.warband_id for side in sides}
    wanted = {pk for pk in rosters.values() if pk is not None}
    rows = CampaignWarband.objects.filter(warband__in=wanted).select_related("entry")
    # By the copy that fought: an entry may have founded anew since.
    by_roster = {row.warband_id: row for row in rows}
    left = _rows_left(battle) if None in rosters.values() else {}
    found = {key: by_roster.get(pk) if pk else left.get(key) for key, pk in rosters.items()}
    return {key: row for key, row in found.items() if row is not None}


def _rows_left(battle: Battle) -> dict[str, CampaignWarband]:
    """Return the warbands of a battle whose players deleted their accounts, by side. Two queries.

    Their rosters went with them; the campaign keeps the warbands and who fought.
    """
    fixture = Fixture.objects.filter(battle=battle).order_by().first()
    if fixture is None:
        return {}
    entries = side_entries(fixture)
    rows = CampaignWarband.objects.filter(
        entry__in=entries.values(), warband=None, founded_at__lte=battle.created_at
    )
    # Whoever disbanded and founded anew fought with the last one of that time.
    by_entry = {
        row.entry_id: row for row in rows.select_related("entry").order_by("number")
    }
    return {key: by_entry[pk] for key, pk in entries.items() if pk in by_entry}


def _models(
    side: str, row: CampaignWarband, combatants: Iterable[BattleCombatant]
) -> list[FieldedModel]:
    """Return the models of a side whose warriors the campaign knows.

    Their keys are those under which dues name them: w1, and w3#2 in a group.
    """
    keys: Mapping[int, str] = {pk: key for key, pk in row.rows.items()}
    known = [combatant for combatant in combatants if combatant.warrior_id in keys]
    # A model alone is called by its warrior's key, those of a group by their number too.
    sizes = Counter(model.warrior_id for model in known)
    found = []
    for one in known:
        warrior = keys[one.warrior_id or 0]
        who = warrior if sizes[one.warrior_id] == 1 else f"{warrior}#{one.number}"
        found.append(
            FieldedModel(
                one.key,
                side,
                warrior,
                who,
                one.name,
                one.is_out,
                one.put_out_by,
                one.points,
            )
        )
    return found


# What is unusual about who fights


@frozen_dataclass
class LineupIssue:
    """Something unusual about a side of a locked battle, or about one of its units."""

    code: str
    level: str
    entry: str
    warrior: str | None
    message: str


GONE = "{who} left the warband after the battle was locked, and earns nothing. Play without {who}."
MISSES = "{who} should miss this game."
UNDECIDED = "{who} has an injury that is not rolled yet. Roll it before the game."
OVER_LIMIT = "{name} fields {points} {unit}. The limit of this round is {limit}."
BUSY = "Another battle of this warband has no result yet."


def load_locked_issues(
    campaign: CampaignPresenter, fixture: str, entries: Collection[str], limit: int | None
) -> tuple[LineupIssue, ...]:
    """Return what is unusual about these entries in a battle that was locked. Two queries."""
    combatants = BattleCombatant.objects.filter(battle__fixture__token=fixture)
    rows = {row.warband_id: row for row in campaign.rows.values() if row.warband_id}
    sides = []
    for key, models in _combatants_by_side(combatants).items():
        row = rows.get(models[0].side.warband_id or 0)
        if row is not None and row.entry.token in entries:
            sides.append(FieldedSide(key, row, tuple(_models(key, row, models))))
    return tuple(issues_of(campaign, fixture, sides, limit))


def issues_of(
    campaign: CampaignPresenter,
    fixture: str,
    sides: Iterable[FieldedSide],
    limit: int | None,
) -> Iterator[LineupIssue]:
    """Yield what is unusual about the sides of a battle. One query."""
    sides = list(sides)
    warbands = [side.row.warband_id for side in sides]
    others = BattleSide.objects.filter(
        warband__in=warbands, battle__status=BattleStatus.OPEN
    )
    found = others.exclude(battle__fixture__token=fixture).order_by()
    busy = set(found.values_list("warband_id", flat=True))
    for side in sides:
        yield from _unit_issues(campaign, side)
        if points_over(limit, side.points):
            words = OVER_LIMIT.format(
                name=side.row.entry.name,
                points=side.points,
                unit=campaign.unit_of_price(side.row.token),
                limit=limit,
            )
            yield _issue(side, "growth_limit_fielded", words)
        if side.row.warband_id in busy:
            yield _issue(side, "growth_two_open", BUSY)


def _unit_issues(campaign: CampaignPresenter, side: FieldedSide) -> Iterator[LineupIssue]:
    """Yield what is unusual about the units that fight."""
    state, token = campaign.state, side.row.token
    owed = (due for due in state.open if due.warband == token)
    injured = {due.warrior for due in owed if due.kind == INJURY}
    for key in side.warriors:
        who, one = campaign.unit(token, key), state.warbands[token].warriors.get(key)
        # A correction since may have killed them, or let them never join.
        if one is None or one.gone:
            message = GONE.format(who=who)
            yield _issue(side, "growth_gone_fielded", message, key, level="error")
        elif not one.fit:
            yield _issue(side, "growth_misses_fielded", MISSES.format(who=who), key)
        if key in injured:
            words = UNDECIDED.format(who=who)
            yield _issue(side, "growth_undecided_fielded", words, key)


def _issue(
    side: FieldedSide,
    code: str,
    message: str,
    warrior: str | None = None,
    *,
    level: str = "warning",
) -> LineupIssue:
    """Return an issue of a side, or of a warrior of it."""
    return LineupIssue(code, level, side.row.entry.token, warrior, message)


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
    limit. ``warband`` is the id of its warband.
    """

    warband: str
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
    campaign, limit = load_campaign(page.event), limit_of(page.round, page.event)
    entries = [side.entry for side in page.sides]
    # Players choose for themselves; an organiser may choose for both.
    own = [entry for entry in entries if entry.is_mine or page.event.may_organise]
    others = [entry for entry in entries if entry not in own]
    sides = _strengths(campaign, page, own)
    return LineupPage(
        fixture=page,
        sides=tuple(_with_units(campaign, sides, limit)),
        others=tuple(entry.name for entry in others),
        opponents=_strengths(campaign, page, others),
        limit=limit,
        issues=_load_issues(campaign, page, own, limit),
    )


def _load_issues(
    campaign: CampaignPresenter,
    page: FixturePage,
    entries: Iterable[EntryRecord],
    limit: int | None,
) -> tuple[LineupIssue, ...]:
    """Return what is unusual about a battle that is locked and not told yet."""
    if not page.battle or page.is_told:
        return ()
    tokens = [entry.token for entry in entries]
    return load_locked_issues(campaign, page.record.token, tokens, limit)


def load_strengths(page: FixturePage) -> tuple[LineupSide, ...]:
    """Return the ratings of a game's sides before it is played, with what an underdog gets.

    Without units. Empty where none grow, a side is secret or the game is told. Two queries.
    """
    is_hidden = any(page.event.hides(side.entry.token) for side in page.sides)
    if not page.event.growth_position or page.is_told or page.record.is_bye or is_hidden:
        return ()
    entries = [side.entry for side in page.sides]
    return _strengths(load_campaign(page.event), page, entries)


def _strengths(
    campaign: CampaignPresenter, page: FixturePage, entries: Iterable[EntryRecord]
) -> tuple[LineupSide, ...]:
    """Return the sides of those who founded, without their units and without secret ones.

    An underdog's bonus would tell the rating of the other side, so there is none where one is
    secret.
    """
    going_on = {
        row.entry_id: token for token, row in campaign.rows.items() if row.closed_at is None
    }
    playing = {
        side.entry.token: going_on[side.entry.id]
        for side in page.sides
        if side.entry.id in going_on
    }
    state, hides = campaign.state.warbands, page.event.hides
    ratings = {token: state[token].rating for token in playing.values()}
    is_secret = any(map(hides, playing))
    sides = []
    for entry in entries:
        token = playing.get(entry.token)
        if token is None or hides(entry.token):
            continue
        bonus = None if is_secret else underdog_of(campaign.rules, token, ratings)
        side = LineupSide(
            warband=token,
            entry=entry.token,
            name=entry.name,
            rating=ratings[token],
            underdog=f"{bonus.experience} experience and {bonus.amount} {campaign.currency()}"
            if bonus
            else "",
            price_unit=campaign.unit_of_price(token),
        )
        sides.append(side)
    return tuple(sides)


def _with_units(
    campaign: CampaignPresenter, sides: Iterable[LineupSide], limit: int | None
) -> Iterator[LineupSide]:
    """Yield sides with the units that may fight. Two queries."""
    copies = {side.warband: campaign.rows[side.warband].warband_id for side in sides}
    rosters = entries_by_warband([pk for pk in copies.values() if pk is not None])
    for side in sides:
        roster = rosters.get(copies[side.warband] or 0, ())
        units = tuple(_units(campaign, side.warband, roster))
        points = sum(unit.fielded for unit in units)
        is_over = bool(points_over(limit, points))
        yield replace(side, units=units, points=points, is_over=is_over)


def _units(
    campaign: CampaignPresenter, token: str, roster: Iterable[RosterEntry]
) -> Iterator[LineupUnit]:
    """Yield the units of a warband that may fight, the leader first."""
    row, army = campaign.rows[token], campaign.army(token)
    entries = {entry.id: entry for entry in roster}
    growth = warband_growth(row.warband) if row.warband else None
    army = with_hired(army, growth) if army else None
    injured = _find_injured(campaign, token)

    def points(key: str, models: int) -> int:
        """Return what so many models of a unit count when the battle is locked."""
        entry = entries.get(row.rows.get(key))
        if entry is None or army is None or not models:
            return 0
        return select(army, replace(entry, count=models)).points

    for warrior in leader_first(campaign.state.warbands[token]):
        if warrior.is_free:
            marks = absence_marks(campaign, warrior)
            undecided = ["Injury not rolled yet"] * (warrior.key in injured)
            yield LineupUnit(
                key=warrior.key,
                title=campaign.joiner(token, warrior.joined),
                count=warrior.count,
                points=points(warrior.key, warrior.count),
                fights=bool(warrior.fit),
                marks=(*marks, *undecided),
                # A group fights with those of its models that miss nothing.
                fielded=points(warrior.key, warrior.fit),
            )


def _find_injured(campaign: CampaignPresenter, token: str) -> set[str]:
    """Return the keys of a warband's units with an injury that is not rolled yet."""
    return {
        due.warrior
        for due in campaign.state.open
        if due.warband == token and due.kind == dues.INJURY
    }


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
    rows = Fixture.objects.filter(token=fixture if is_token(fixture) else "")
    row = rows.select_related("battle", "round__event").first()
    if row is None or row.battle is None:
        raise NotFound("fixture")
    sides = load_fielded_sides(row.battle).values()
    # What is unusual about a unit names it, so nothing is told of a secret roster.
    shown = [side for side in sides if not report.is_hidden(side.row)]
    state = report.state.warbands
    ratings = {side.row.token: state[side.row.token].rating for side in sides}
    # A bonus would tell the rating of the other side.
    is_secret = len(shown) < len(sides)
    answers = tuple(
        _side_json(report, side, ratings, is_secret=is_secret) for side in sides
    )
    limit = limit_of(row.round, row.round.event)
    findings = tuple(map(asdict, issues_of(report, fixture, shown, limit)))
    return FieldedBattle(row.battle.token, row.battle.key, answers, findings)


def _side_json(
    report: GrowthReport,
    side: FieldedSide,
    ratings: Mapping[str, int],
    *,
    is_secret: bool,
) -> JsonObject:
    """Return a side with its rating, bonus and models; those of a secret roster are numbered."""
    is_hidden = report.is_hidden(side.row)
    bonus = None if is_secret else underdog_of(report.rules, side.row.token, ratings)
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
