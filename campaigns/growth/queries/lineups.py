"""Who fights in a game of a growing campaign: before its battle is locked, and as it was locked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from django.db.models import QuerySet

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import find_row
from battles.combatants import QUICK_NAME
from battles.intake import Totals
from battles.models import Battle, BattleCombatant, BattleSide, BattleStatus
from campaigns.fixture_totals import side_entries
from campaigns.growth.queries.presenter import CampaignPresenter, load_campaign
from campaigns.growth.queries.reports import GrowthReport
from campaigns.growth.queries.warbands import absence_marks, leader_first
from campaigns.models import CampaignWarband, Fixture
from campaigns.models.rounds import round_limit
from campaigns.queries.fixture_page import FixturePage, load_fixture
from campaigns.queries.records import EntryRecord
from engine.growth.dues import INJURY
from engine.growth.money import find_underdog
from engine.hired import with_hired
from engine.records import (
    Fields,
    JsonObject,
    Texts,
    frozen_dataclass,
    grouped,
    named_values,
)
from engine.roster import RosterEntry
from engine.selection import points_over, select
from engine.text import join_words
from warbands.queries.warbands import entries_by_warband
from warbands.roster_fields import warband_growth

# Who stands on the table of a battle


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
        models = []
        for model in self.models:
            total = totals.get(model.id, {})
            is_out, put_out_by = total.get("is_out", False), total.get("put_out_by", "")
            models.append(replace(model, is_out=is_out, put_out_by=put_out_by))
        return replace(self, models=tuple(models))

    def find(self, who: str) -> FieldedModel | None:
        """Return a model by its key; one alone may be named with a number too."""
        models = {model.who: model for model in self.models}
        return models.get(who) or models.get(who.removesuffix("#1"))

    def find_warrior(self, warrior: str) -> FieldedModel | None:
        """Return the model that stands for a warrior or a group: one that is not out, if any."""
        models = [model for model in self.models if model.warrior == warrior]
        return min(models, key=lambda model: model.is_out, default=None)


def load_fielded_sides(battle: Battle) -> dict[str, FieldedSide]:
    """Return the sides of a battle that are a campaign's warbands, by their keys in their order.

    Three queries, and two more where a side has no roster any more.
    """
    sides = BattleSide.objects.filter(battle=battle).order_by("position")
    rosters = {side.key: side.warband_id for side in sides}
    rows = CampaignWarband.objects.filter(warband__in=filter(None, rosters.values()))
    # By the copy that fought: an entry may have founded anew since.
    by_roster = {row.warband_id: row for row in rows.select_related("entry")}
    left = _load_left(battle) if None in rosters.values() else {}
    models = _combatants_by_side(BattleCombatant.objects.filter(battle=battle))
    fielded = {}
    for key, roster in rosters.items():
        row = by_roster.get(roster) if roster else left.get(key)
        if row is not None:
            fielded[key] = _build_side(key, row, models.get(key, ()))
    return fielded


def _combatants_by_side(
    combatants: QuerySet[BattleCombatant],
) -> dict[str, list[BattleCombatant]]:
    """Return the combatants of each side in their order. One query."""
    rows = combatants.select_related("side").order_by("position", "id")
    return grouped((row.side.key, row) for row in rows)


def _load_left(battle: Battle) -> dict[str, CampaignWarband]:
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


def _build_side(
    side: str, row: CampaignWarband, combatants: Iterable[BattleCombatant]
) -> FieldedSide:
    """Return a side with the models whose warriors the campaign knows.

    Their keys are those under which dues name them: w1, and w3#2 in a group.
    """
    keys: Mapping[int | None, str] = {pk: key for key, pk in row.rows.items()}
    rows = [combatant for combatant in combatants if combatant.warrior_id in keys]
    # A model alone is called by its warrior's key, those of a group by their number too.
    sizes = Counter(combatant.warrior_id for combatant in rows)
    models = []
    for combatant in rows:
        who = warrior = keys[combatant.warrior_id]
        if sizes[combatant.warrior_id] > 1:
            who = f"{warrior}#{combatant.number}"
        model = FieldedModel(
            id=combatant.key,
            side=side,
            warrior=warrior,
            who=who,
            name=combatant.name,
            is_out=combatant.is_out,
            put_out_by=combatant.put_out_by,
            points=combatant.points,
        )
        models.append(model)
    return FieldedSide(side, row, tuple(models))


# What is unusual about who fights


def list_issues(
    campaign: CampaignPresenter,
    fixture: str,
    sides: Collection[FieldedSide],
    limit: int | None,
) -> Iterator[Fields]:
    """Yield what is unusual about the sides of a battle, or about one of their units. One query."""
    others = BattleSide.objects.filter(
        warband__in=[side.row.warband_id for side in sides],
        battle__status=BattleStatus.OPEN,
    ).exclude(battle__fixture__token=fixture)
    busy = set(others.order_by().values_list("warband_id", flat=True))
    for side in sides:
        token, entry = side.row.token, side.row.entry
        warn = partial(_build_issue, entry.token)
        injured = _find_injured(campaign, token)
        for key in side.warriors:
            who = campaign.unit(token, key)
            warrior = campaign.state.warbands[token].warriors.get(key)
            # A correction since may have killed them, or let them never join.
            if warrior is None or warrior.gone:
                message = (
                    f"{who} left the warband after the battle was locked, and earns nothing. "
                    f"Play without {who}."
                )
                yield warn("growth_gone_fielded", message, key, "error")
            elif not warrior.fit:
                yield warn("growth_misses_fielded", f"{who} should miss this game.", key)
            if key in injured:
                message = (
                    f"{who} has an injury that is not rolled yet. Roll it before the game."
                )
                yield warn("growth_undecided_fielded", message, key)
        if points_over(limit, side.points):
            points = f"{side.points} {campaign.unit_of_price(token)}"
            message = f"{entry.name} fields {points}. The limit of this round is {limit}."
            yield warn("growth_limit_fielded", message)
        if side.row.warband_id in busy:
            message = "Another battle of this warband has no result yet."
            yield warn("growth_two_open", message)


def _build_issue(
    entry: str, code: str, message: str, warrior: str | None = None, level: str = "warning"
) -> Fields:
    """Return something unusual about a side, or about a warrior of it."""
    return {
        "code": code,
        "level": level,
        "entry": entry,
        "warrior": warrior,
        "message": message,
    }


def _find_injured(campaign: CampaignPresenter, warband: str) -> set[str]:
    """Return the keys of a warband's units with an injury that is not rolled yet."""
    key = (warband, INJURY)
    return {due.warrior for due in campaign.state.open if (due.warband, due.kind) == key}


# Before the battle is locked


@frozen_dataclass
class LineupUnit:
    """A unit that may fight, with the points that its roster counts for it in a battle.

    ``fights``: by usual, for nothing keeps it away. ``marks`` warn.
    """

    key: str
    title: str
    count: int
    points: int
    fights: bool
    marks: list[str]


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
    price_unit: str
    units: tuple[LineupUnit, ...] = ()
    points: int = 0
    is_over: bool = False


@frozen_dataclass
class LineupPage:
    """Who fights in a game of a growing campaign: the sides that the reader chooses for.

    ``others`` are the players of the other sides, ``opponents`` their warbands with their ratings.
    ``limit``: the most points of the round. ``issues`` are of a battle that is locked.
    """

    fixture: FixturePage
    sides: list[LineupSide]
    others: list[str]
    opponents: list[LineupSide]
    limit: int | None
    issues: list[Fields]


def load_lineup_page(actor: Owner, token: str, fixture: str) -> LineupPage:
    """Return who fights in a game. At most twelve queries.

    Raises NotFound, also where no warband grows.
    """
    page = load_fixture(actor, token, fixture)
    campaign, limit = load_campaign(page.event), round_limit(page.round, page.event)
    mine: list[EntryRecord] = []
    others: list[EntryRecord] = []
    for side in page.sides:
        # Players choose for themselves; an organiser may choose for both.
        chooses = side.entry.is_mine or page.event.may_organise
        (mine if chooses else others).append(side.entry)
    sides = _build_lineups(campaign, page, mine)
    rosters = entries_by_warband(
        [campaign.rows[side.warband].warband_id or 0 for side in sides]
    )
    return LineupPage(
        fixture=page,
        sides=[_add_units(campaign, side, rosters, limit) for side in sides],
        others=[entry.name for entry in others],
        opponents=_build_lineups(campaign, page, others),
        limit=limit,
        issues=_list_locked_issues(campaign, page, mine, limit),
    )


def _list_locked_issues(
    campaign: CampaignPresenter,
    page: FixturePage,
    entries: Iterable[EntryRecord],
    limit: int | None,
) -> list[Fields]:
    """Return what is unusual about the sides of these entries in a battle that is locked.

    Two queries; none before it is locked, nor once its result is reported.
    """
    if page.battle is None or page.is_told:
        return []
    fixture, tokens = page.record.token, {entry.token for entry in entries}
    combatants = BattleCombatant.objects.filter(battle__fixture__token=fixture)
    rows = {row.warband_id: row for row in campaign.rows.values() if row.warband_id}
    sides = []
    for key, models in _combatants_by_side(combatants).items():
        row = rows.get(models[0].side.warband_id or 0)
        if row is not None and row.entry.token in tokens:
            sides.append(_build_side(key, row, models))
    return list(list_issues(campaign, fixture, sides, limit))


def load_strengths(page: FixturePage) -> list[LineupSide]:
    """Return the ratings of a game's sides before it is played, with what an underdog gets.

    Without units. Empty where none grow, a side is secret or the game is told. Two queries.
    """
    is_hidden = any(page.event.hides(side.entry.token) for side in page.sides)
    if not page.event.growth_position or page.is_told or page.record.is_bye or is_hidden:
        return []
    entries = [side.entry for side in page.sides]
    return _build_lineups(load_campaign(page.event), page, entries)


def _build_lineups(
    campaign: CampaignPresenter, page: FixturePage, entries: Iterable[EntryRecord]
) -> list[LineupSide]:
    """Return the sides of those who founded, without their units and without secret ones.

    An underdog's bonus would tell the rating of the other side, so there is none where one is
    secret.
    """
    rows = campaign.rows.items()
    current = {row.entry.token: token for token, row in rows if row.closed_at is None}
    meeting = [side.entry.token for side in page.sides]
    playing = {entry: current[entry] for entry in meeting if entry in current}
    hides, warbands = page.event.hides, campaign.state.warbands
    ratings = {token: warbands[token].rating for token in playing.values()}
    is_secret = any(map(hides, playing))
    sides = []
    for entry in entries:
        token = playing.get(entry.token)
        if token is None or hides(entry.token):
            continue
        bonus = None if is_secret else find_underdog(campaign.rules, token, ratings)
        gains = []
        if bonus:
            gains += [f"{bonus.experience} experience"] * bool(bonus.experience)
            gains += [campaign.rules.amount(bonus.amount)] * bool(bonus.amount)
        side = LineupSide(
            warband=token,
            entry=entry.token,
            name=entry.name,
            rating=ratings[token],
            underdog=join_words(gains, "and"),
            price_unit=campaign.unit_of_price(token),
        )
        sides.append(side)
    return sides


def _add_units(
    campaign: CampaignPresenter,
    side: LineupSide,
    rosters: Mapping[int, Iterable[RosterEntry]],
    limit: int | None,
) -> LineupSide:
    """Return a side with the units of its warband that may fight, the leader first."""
    token = side.warband
    row, army = campaign.rows[token], campaign.army(token)
    entries = {entry.id: entry for entry in rosters.get(row.warband_id or 0, ())}
    growth = warband_growth(row.warband) if row.warband else None
    army = with_hired(army, growth) if army else None
    injured = _find_injured(campaign, token)

    def count_points(key: str, models: int) -> int:
        """Return what so many models of a unit count when the battle is locked."""
        entry = entries.get(row.rows.get(key))
        if entry is None or army is None or not models:
            return 0
        return select(army, replace(entry, count=models)).points

    units, total = [], 0
    for warrior in leader_first(campaign.state.warbands[token]):
        if not warrior.is_free:
            continue
        unit = LineupUnit(
            key=warrior.key,
            title=campaign.joiner(token, warrior.joined),
            count=warrior.count,
            points=count_points(warrior.key, warrior.count),
            fights=bool(warrior.fit),
            marks=absence_marks(campaign, warrior)
            + ["Injury not rolled yet"] * (warrior.key in injured),
        )
        units.append(unit)
        # A group fights with those of its models that miss nothing.
        total += count_points(warrior.key, warrior.fit)
    is_over = bool(points_over(limit, total))
    return replace(side, units=tuple(units), points=total, is_over=is_over)


# A battle that was locked


def load_fielded_battle(report: GrowthReport, fixture: str) -> JsonObject:
    """Return the battle that was locked for a game, with the ratings of now.

    Six queries. Raises NotFound.
    """
    row = find_row(Fixture.objects.select_related("battle", "round__event"), fixture)
    if row is None or row.battle is None:
        raise NotFound("fixture")
    sides = load_fielded_sides(row.battle).values()
    # What is unusual about a unit names it, so nothing is told of a secret roster.
    visible = [side for side in sides if not report.is_hidden(side.row)]
    warbands = report.state.warbands
    ratings = {side.row.token: warbands[side.row.token].rating for side in sides}
    answers = []
    for side in sides:
        token, is_hidden = side.row.token, side not in visible
        bonus = find_underdog(report.rules, token, ratings)
        # A bonus would tell the rating of the other side.
        is_told = bonus and len(visible) == len(sides)
        answer = {
            "entry": side.row.entry.token,
            "rating": None if is_hidden else ratings[token],
            "underdog": named_values(bonus, "experience", "amount") if is_told else None,
            # The models of a secret roster are numbered.
            "combatants": [
                {"id": model.id, "who": None, "name": f"{QUICK_NAME} {place}"}
                if is_hidden
                else {"id": model.id, "who": model.who, "name": model.name}
                for place, model in enumerate(side.models, start=1)
            ],
        }
        answers.append(answer)
    limit = round_limit(row.round, row.round.event)
    return {
        "battle": row.battle.token,
        "key": row.battle.key,
        "sides": answers,
        "findings": list(list_issues(report, fixture, visible, limit)),
    }
