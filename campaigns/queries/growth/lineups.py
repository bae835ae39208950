"""Who of a campaign's warbands stands on the table of a battle, and under which keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from django.db.models import QuerySet

from battles.intake import Totals
from battles.models import Battle, BattleCombatant, BattleSide, BattleStatus
from campaigns.fixture_totals import side_entries
from campaigns.models import CampaignWarband, Fixture
from campaigns.queries.growth.presenter import CampaignPresenter
from engine.growth.dues import INJURY
from engine.records import Texts, frozen_dataclass, grouped
from engine.selection import points_over


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
