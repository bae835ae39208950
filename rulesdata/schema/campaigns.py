"""Campaign rules (`campaign-rules/1`): the shape of their document, and the rules it makes.

What must hold between sections is checked by `engine.growth.faults` when the shape is right.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from engine.growth import rules
from engine.growth.faults import RulesFault, rules_fault
from engine.growth.rules import CampaignRules
from rulesdata.schema.campaign_tables import (
    Amount,
    AnyId,
    CurrencyId,
    Dice,
    DiceTableRecord,
    Id,
    Kinds,
    Levels,
    Line,
    Lines,
    Models,
    Names,
    PoolSize,
    Positive,
    Rows,
    RulesModel,
    Share,
    SkillLists,
    Steps,
    Times,
    Words,
    check_lines,
    check_some,
    empty_is_none,
    none_is_no_list,
    none_is_no_mapping,
)
from rulesdata.schema.campaign_trade import (
    CaptivesRecord,
    HiredRecord,
    LastingMarkRecord,
    LateRecord,
    LeaderRecord,
    ListsForRecord,
    RecruitsRecord,
    SaleRecord,
    SkillRecord,
    TradeRecord,
)

FORMAT = "campaign-rules/1"
KINDS_MOST, CURRENCIES_MOST, SKILLS_MOST = 12, 6, 200
TERRITORIES_MOST, TABLES_MOST = 40, 60


# Money


class CurrencyRecord(RulesModel):
    """What warbands collect."""

    engine_class = rules.CampaignCurrency
    id: Id
    name: Line
    start: Amount = 0
    is_spent: bool = True


class PricesRecord(RulesModel):
    """The currency of prices, and what a point of the army list costs in it."""

    engine_class = rules.PriceRule
    currency: CurrencyId
    per_point: Times = 1


class ModelLimitRecord(RulesModel):
    """Another limit of models for some armies or races."""

    engine_class = rules.ModelLimit
    armies: Lines = []
    races: Lines = []
    models: Models


class GrowthLimitsRecord(RulesModel):
    """Beyond these a warband gets a warning."""

    engine_class = rules.GrowthLimits
    models: Models | None = None
    recruits_after_battle: Annotated[int, Field(ge=0, le=200)] | None = None
    kinds: Kinds = []
    overrides: Rows[ModelLimitRecord] = Field(default=[], alias="for")


# Kinds of warriors


class MatchRecord(RulesModel):
    """Who belongs to a kind; empty is everybody."""

    engine_class = rules.KindMatch
    leader: bool = False
    hired: bool = False
    categories: Lines = []
    troop_types: Lines = []
    profiles: Lines = []


class GrowthKindRecord(RulesModel):
    """A sort of warriors."""

    engine_class = rules.GrowthKind
    id: Id
    name: Line
    match: MatchRecord = MatchRecord()
    most: Models | None = None
    is_group: bool = False
    steps: Steps = []
    advances: Annotated[Id | None, empty_is_none, Names("table")] = None
    injuries: Annotated[Id | None, empty_is_none, Names("table")] = None
    lists: SkillLists = []


# What a battle gives


class AwardRecord(RulesModel):
    """What earns experience."""

    engine_class = rules.ExperienceAward
    id: Id
    name: Line
    when: Literal["fought", "put_out", "leader_won", "objective", "won", "drawn", "lost"]
    amount: Annotated[int, Field(ge=1, le=100)]
    most: Times | None = None
    kinds: Kinds = []


class UnderdogRecord(RulesModel):
    """What those get who are rated so far below."""

    engine_class = rules.UnderdogRow
    lead: Positive = Field(alias="from")
    experience: Annotated[int, Field(ge=0, le=100)] = 0
    amount: Amount = 0
    kinds: Kinds = []


PAID_FOR = ("won", "drawn", "lost", "bye", "walkover")


class PayRecord(RulesModel):
    """What every line of income has."""

    engine_class = rules.IncomeLine
    currency: CurrencyId
    name: Annotated[Line | None, empty_is_none] = None

    def build(self, **others: Any) -> Any:
        """Return the line; what it pays for results or unfought games is in its amounts."""
        amounts = {name: amount for name, amount in self if name in PAID_FOR}
        return super().build(amounts=amounts, **others)


class ResultPayRecord(PayRecord):
    """Pay by result."""

    when: Literal["result"]
    won: Amount = 0
    drawn: Amount = 0
    lost: Amount = 0


class DicePayRecord(PayRecord):
    """Pay by a throw."""

    when: Literal["dice"]
    dice: Dice
    times: Times = 1


class ObjectivePayRecord(PayRecord):
    """Pay for objectives."""

    when: Literal["objective"]
    objective: Id
    each: Positive
    most: Times | None = None


class UnfoughtPayRecord(PayRecord):
    """Pay for games that are not fought."""

    when: Literal["unfought"]
    bye: Amount = 0
    walkover: Amount = 0


IncomeRecord = Annotated[
    ResultPayRecord | DicePayRecord | ObjectivePayRecord | UnfoughtPayRecord,
    Field(discriminator="when"),
]


class UpkeepRecord(RulesModel):
    """What models cost after each battle."""

    engine_class = rules.UpkeepRule
    currency: CurrencyId
    free_models: Annotated[int, Field(ge=0, le=200)] = 0
    each: Amount


# Ratings and maxima


class RatingRecord(RulesModel):
    """A part of the warband rating."""

    engine_class = rules.RatingTerm
    of: Literal["price", "experience", "models", "rating", "skills"]
    times: Share = [1, 1]
    kinds: Kinds = []


class MaximaOverrideRecord(RulesModel):
    """Other maxima for some armies, profiles or races."""

    engine_class = rules.MaximaOverride
    armies: Lines = []
    profiles: Lines = []
    races: Lines = []
    most: Levels = {}


class MaximaRecord(RulesModel):
    """How far characteristics rise."""

    engine_class = rules.Maxima
    gain: Annotated[dict[Id, Annotated[Levels, none_is_no_mapping]], Names("kind")] = {}
    most: Levels = {}
    overrides: Rows[MaximaOverrideRecord] = Field(default=[], alias="for")


# Territories and further rolls


class GroundPayRecord(RulesModel):
    """What each territory pays."""

    currency: Annotated[Id | None, empty_is_none, Names("currency")] = None
    amount: Amount = 0


class TerritoriesRecord(RulesModel):
    """Places that winners claim."""

    engine_class = rules.TerritoryRule
    word: Line = "Territory"
    names: Annotated[
        list[Line], Field(max_length=TERRITORIES_MOST), AfterValidator(check_lines)
    ]
    claimed_by: Literal["winner"] = "winner"
    most: Annotated[int, Field(ge=1, le=40)]
    income: GroundPayRecord | None = None

    def build(self, **others: Any) -> Any:
        pay = self.income or GroundPayRecord()
        return super().build(currency=pay.currency or "", amount=pay.amount)


class PoolRecord(RulesModel):
    """Dice that are thrown together."""

    engine_class = rules.DicePool
    die: Literal["D3", "D6", "D10", "D20"]
    each: Kinds = []
    won: PoolSize | None = None
    most: PoolSize = 9


class ExtraRollRecord(RulesModel):
    """A further roll after a battle."""

    engine_class = rules.ExtraRoll
    id: Id
    name: Line
    who: Annotated[
        Literal["warband"] | Annotated[Lines, AfterValidator(check_some)],
        Names("kind or warband"),
    ]
    table: Annotated[Id, Names("table for a pool")]
    pool: PoolRecord | None = None
    alike: dict[Literal["2", "3", "4", "5", "6", "7", "8", "9"], Id] = {}

    def build(self, **others: Any) -> Any:
        return super().build(
            kinds=() if self.who == "warband" else tuple(self.who),
            alike={int(number): table for number, table in self.alike.items()},
        )


# The document


class CampaignRulesFile(RulesModel):
    """A set of campaign rules."""

    engine_class = CampaignRules
    format: Literal["campaign-rules/1"]
    id: Id
    name: Line
    version: Positive = 1
    summary: Words = ""
    source: Words = ""
    systems: Lines = []
    collection: Annotated[Id | None, empty_is_none] = None
    currencies: Annotated[list[CurrencyRecord], Field(max_length=CURRENCIES_MOST)]
    prices: PricesRecord
    limits: GrowthLimitsRecord | None = None
    kinds: Annotated[list[GrowthKindRecord], Field(max_length=KINDS_MOST)]
    experience: Rows[AwardRecord] = []
    underdog: Rows[UnderdogRecord] = []
    income: Rows[IncomeRecord] = []
    upkeep: UpkeepRecord | None = None
    rating: Rows[RatingRecord] = []
    maxima: MaximaRecord | None = None
    tables: Annotated[dict[Id, DiceTableRecord], Field(max_length=TABLES_MOST)] = {}
    skills: dict[
        AnyId,
        Annotated[list[SkillRecord], Field(max_length=SKILLS_MOST), none_is_no_list],
    ] = {}
    marks: Rows[LastingMarkRecord] = []
    lists_for: Rows[ListsForRecord] = []
    trade: TradeRecord | None = None
    sales: Rows[SaleRecord] = []
    recruits: RecruitsRecord | None = None
    hired: Rows[HiredRecord] = []
    unpaid: Literal["stays", "leaves"] = "stays"
    late: LateRecord | None = None
    captives: CaptivesRecord | None = None
    gone_gear: Literal["stash", "lost"] = "stash"
    dismissed_gear: Literal["stash", "lost"] | None = None
    leader: LeaderRecord | None = None
    territories: TerritoriesRecord | None = None
    rolls: Rows[ExtraRollRecord] = []

    def to_rules(self) -> CampaignRules:
        """Return the rules of the document. Of two with the same id the last counts."""
        every = chain.from_iterable(self.skills.values())
        return self.build(
            kinds={kind.id: kind.build() for kind in self.kinds},
            tables={key: table.build(id=key) for key, table in self.tables.items()},
            skill_lists={
                key: tuple(skill.id for skill in skills)
                for key, skills in self.skills.items()
            },
            skills={skill.id: skill.build() for skill in every},
            marks={mark.id: mark.build() for mark in self.marks},
            is_unpaid_gone=self.unpaid == "leaves",
            is_gear_kept=self.gone_gear == "stash",
            is_dismissed_gear_kept=(self.dismissed_gear or self.gone_gear) == "stash",
            successors=tuple(self.leader.successors) if self.leader else (),
        )

    def repeated_ids(self) -> Iterator[RulesFault]:
        """Yield a fault for each id that stood before: rules and rosters know one thing by it."""
        trade = self.trade or TradeRecord()
        skills = {
            f"skills.{key}[{place}]": skill
            for key, records in self.skills.items()
            for place, skill in enumerate(records)
        }
        yield from _repeated("currency", _placed("currencies", self.currencies))
        yield from _repeated("hired sword", _placed("hired", self.hired))
        yield from _repeated("kind", _placed("kinds", self.kinds))
        yield from _repeated("skill", skills)
        yield from _repeated("mark", _placed("marks", self.marks))
        yield from _repeated("good", _placed("trade.goods", trade.goods))
        if len(skills) > SKILLS_MOST:
            sizes = {"actual_length": len(skills), "max_length": SKILLS_MOST}
            yield rules_fault("skills", "too_long", **sizes)


def _placed(path: str, records: Iterable[Any]) -> dict[str, Any]:
    """Return the records of a list by their paths."""
    return {f"{path}[{place}]": record for place, record in enumerate(records)}


def _repeated(what: str, records: Mapping[str, Any]) -> Iterator[RulesFault]:
    """Yield a fault for each record whose id stood before."""
    ids: set[str] = set()
    for path, record in records.items():
        if record.id in ids:
            yield rules_fault(f"{path}.id", "repeated", what=what)
        ids.add(record.id)
