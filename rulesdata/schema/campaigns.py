"""Campaign rules (`campaign-rules/1`): the shape of their document, and the rules it makes.

What must hold between sections is checked by `engine.growth.faults` when the shape is right.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import chain, pairwise
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeVar, Union

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from engine.growth import rules, tables
from engine.growth.effects import VERBS
from engine.growth.faults import RulesFault, rules_fault
from engine.growth.rules import CampaignRules
from engine.growth.tables import RowEffect
from engine.records import Fields
from rulesdata.schema.base import StrictModel, True_

FORMAT = "campaign-rules/1"
TEXT_MAX = 120
WORDS_MAX = 400
LIST_MAX = 60
# Treasuries stay far below what a column of a database holds.
AMOUNT = 100_000
KINDS_MOST, CURRENCIES_MOST, SKILLS_MOST = 12, 6, 200
GOODS_MOST, TERRITORIES_MOST, LINES_MOST = 200, 40, 60
TABLES_MOST, ROWS_MOST = 60, 36
BATTLES_MOST = 20
ROLLS_AGAIN_MOST = 4
PARTS_MOST = 6
Model = TypeVar("Model", bound="RulesModel")
Item = TypeVar("Item")
ID = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
_LINE_ENDS = "\x7f\u2028\u2029"  # besides the controls below the space


# Values


def _refuse(code: str, **values: Any) -> NoReturn:
    """Raise a fault, whose sentence is that of its code."""
    raise PydanticCustomError(code, code, values)


def _check_line(text: str) -> str:
    if any(sign < " " or sign in _LINE_ENDS for sign in text):
        _refuse("no_line")
    return text


def _check_lines(lines: list[str]) -> list[str]:
    if len(set(lines)) < len(lines):
        _refuse("twice")
    return lines


def _check_some(value: Any) -> Any:
    if value == []:
        _refuse("empty")
    return value


def _check_steps(steps: list[int]) -> list[int]:
    if any(step >= following for step, following in pairwise(steps)):
        _refuse("not_rising")
    return steps


def _check_share(share: list[int]) -> list[int]:
    if share[1] == 0:
        _refuse("no_share")
    return share


# What the reader before this schema took, and stored documents may hold.
empty_is_none = BeforeValidator(lambda value: None if value == "" else value)
none_is_no_list = BeforeValidator(lambda value: [] if value is None else value)
none_is_no_mapping = BeforeValidator(lambda value: {} if value is None else value)

Id = Annotated[str, Field(pattern=ID)]
# Lists of skills may have had any name; the schema that is published asks for an id.
AnyId = Annotated[str, WithJsonSchema({"type": "string", "pattern": ID})]
Line = Annotated[str, Field(min_length=1, max_length=TEXT_MAX), AfterValidator(_check_line)]
Words = Annotated[str, Field(max_length=WORDS_MAX), AfterValidator(_check_line)]
Amount = Annotated[int, Field(ge=0, le=AMOUNT)]
Positive = Annotated[int, Field(ge=1, le=AMOUNT)]
Roll = Annotated[int, Field(ge=1, le=66)]
Models = Annotated[int, Field(ge=1, le=200)]
PoolSize = Annotated[int, Field(ge=1, le=9)]
Times = Annotated[int, Field(ge=1, le=1000)]

Change = Annotated[int, Field(ge=-10, le=10)]
Level = Annotated[int, Field(ge=0, le=10)]
Dice = Literal["D6", "2D6", "3D6", "4D6", "5D6", "D3", "D10", "2D10", "D20", "D66"]
Lines = Annotated[list[Line], Field(max_length=LIST_MAX), AfterValidator(_check_lines)]
Steps = Annotated[list[Positive], Field(max_length=LIST_MAX), AfterValidator(_check_steps)]
Share = Annotated[
    list[Annotated[int, Field(ge=0, le=1000)]],
    Field(min_length=2, max_length=2),
    AfterValidator(_check_share),
]
Rows = Annotated[list[Item], Field(max_length=LINES_MOST)]
Levels = dict[str, Level]
Changes = dict[str, Change]


class RulesModel(StrictModel):
    """A mapping of campaign rules. Null is as good as left out where a key may be left out.

    ``rule`` is the engine's class of it; an alias stands where the document has another name.
    """

    rule: ClassVar[Any] = None

    @model_validator(mode="before")
    @classmethod
    def leave_out_nulls(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        fields = cls.model_fields.items()
        free = {field.alias or name for name, field in fields if not field.is_required()}
        return {
            key: value
            for key, value in data.items()
            if value is not None or key not in free
        }

    def to_rule(self, **others: Any) -> Any:
        """Make the engine's value, and those of all that is nested in it."""
        names = {field.name for field in fields(self.rule)} - others.keys()
        nested = {name: _nested(value) for name, value in self if name in names}
        made = {name: value for name, value in nested.items() if value is not None}
        return self.rule(**made, **others)


def _nested(value: Any) -> Any:
    """Return a value as the engine has it."""
    if isinstance(value, list):
        return tuple(map(_nested, value))
    return value.to_rule() if isinstance(value, RulesModel) else value


# Money


class CurrencyRecord(RulesModel):
    """What warbands collect."""

    rule = rules.CampaignCurrency
    id: Id
    name: Line
    start: Amount = 0
    is_spent: bool = True


class PricesRecord(RulesModel):
    """The currency of prices, and what a point of the army list costs in it."""

    rule = rules.PriceRule
    currency: Id
    per_point: Times = 1


class GrowthLimitsRecord(RulesModel):
    """Beyond these a warband gets a warning."""

    rule = rules.GrowthLimits
    models: Models | None = None
    recruits_after_battle: Annotated[int, Field(ge=0, le=200)] | None = None


# Kinds of warriors


class MatchRecord(RulesModel):
    """Who belongs to a kind; empty is everybody."""

    rule = rules.KindMatch
    leader: bool = False
    hired: bool = False
    categories: Lines = []
    troop_types: Lines = []
    profiles: Lines = []


class GrowthKindRecord(RulesModel):
    """A sort of warriors."""

    rule = rules.GrowthKind
    id: Id
    name: Line
    match: MatchRecord = MatchRecord()
    most: Models | None = None
    is_group: bool = False
    steps: Steps = []
    advances: Annotated[Id | None, empty_is_none] = None
    injuries: Annotated[Id | None, empty_is_none] = None
    lists: Lines = []


# What a battle gives


class AwardRecord(RulesModel):
    """What earns experience."""

    rule = rules.ExperienceAward
    id: Id
    name: Line
    when: Literal["fought", "put_out", "leader_won", "objective", "won", "drawn", "lost"]
    amount: Annotated[int, Field(ge=1, le=100)]
    most: Times | None = None
    kinds: Lines = []


class UnderdogRecord(RulesModel):
    """What those get who are rated so far below."""

    rule = rules.UnderdogRow
    lead: Positive = Field(alias="from")
    experience: Annotated[int, Field(ge=0, le=100)] = 0
    amount: Amount = 0
    kinds: Lines = []


PAID_FOR = ("won", "drawn", "lost", "bye", "walkover")


class PayRecord(RulesModel):
    """What every line of income has."""

    rule = rules.IncomeLine
    currency: Id
    name: Annotated[Line | None, empty_is_none] = None

    def to_rule(self, **others: Any) -> Any:
        """Return the line; what it pays for results or unfought games is in its amounts."""
        amounts = {name: amount for name, amount in self if name in PAID_FOR}
        return super().to_rule(amounts=amounts, **others)


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

    rule = rules.UpkeepRule
    currency: Id
    free_models: Annotated[int, Field(ge=0, le=200)] = 0
    each: Amount


# Ratings and maxima


class RatingRecord(RulesModel):
    """A part of the warband rating."""

    rule = rules.RatingTerm
    of: Literal["price", "experience", "models", "skills"]
    times: Share = [1, 1]
    kinds: Lines = []


class MaximaOverrideRecord(RulesModel):
    """Other maxima for some armies or profiles."""

    rule = rules.MaximaOverride
    armies: Lines = []
    profiles: Lines = []
    most: Levels = {}


class MaximaRecord(RulesModel):
    """How far characteristics rise."""

    rule = rules.Maxima
    gain: dict[Id, Annotated[Levels, none_is_no_mapping]] = {}
    most: Levels = {}
    overrides: Rows[MaximaOverrideRecord] = Field(default=[], alias="for")


# Tables and what their rows do


class GainRecord(RulesModel):
    """Money that a row gives: an amount, or dice."""

    currency: Id
    amount: Positive | None = None
    dice: Dice | None = None
    times: Times | None = None

    @model_validator(mode="after")
    def check_amount(self) -> Self:
        """An amount or dice, not both."""
        if self.amount is None and self.dice is None:
            _refuse("no_amount", at="amount")
        if self.amount is not None and self.dice is not None:
            _refuse("extra_forbidden", at="amount")
        if self.times is not None and self.dice is None:
            _refuse("extra_forbidden", at="times")
        return self


class OldWoundRecord(RulesModel):
    """The roll before each battle that keeps somebody away."""

    dice: Dice
    at_most: Roll


class TableTimesRecord(RulesModel):
    """A table, and how often it is rolled on."""

    id: Id
    times: Annotated[int, Field(ge=1, le=6)] | Literal["D3", "D6"]


class PromotionRecord(RulesModel):
    """A promotion, and the throws that follow from it."""

    kind: Id
    advances: Annotated[int, Field(ge=0, le=3)] = 0
    others: Literal["again"] | None = None


SHAPES: dict[str, Any] = {
    "flag": True_,
    "id": Id,
    "ids": Lines,
    "some_ids": Annotated[Lines, AfterValidator(_check_some)],
    "dice": Dice,
    "amount": GainRecord,
    "roll": OldWoundRecord,
    "times": TableTimesRecord,
    "promotion": PromotionRecord,
}
"""What a document may hold behind a verb, by the sort of its shape."""
SIMPLE_SHAPES = {"number": int, "choice": str}


def with_verbs(record: type[Model]) -> type[Model]:
    """Return the record with a key for each verb that the engine declares."""
    fields: dict[str, Any] = {}
    for verb in VERBS.values():
        types = []
        for shape in verb.shapes:
            # The parts of an effect have no parts.
            if shape.sort not in SHAPES | SIMPLE_SHAPES:
                continue
            if shape.sort == "number":
                types.append(Annotated[int, Field(ge=1, le=shape.most)])
            elif shape.sort == "choice":
                types.append(Literal[shape.choices])
            else:
                types.append(SHAPES[shape.sort])
        if types:
            fields[verb.name] = (Union[(*types, None)], None)
    return create_model(record.__name__, __base__=record, __doc__=record.__doc__, **fields)


class EffectWords(RulesModel):
    """What a row does: one of these at most, and words beside it."""

    words: Words | None = None

    @model_validator(mode="after")
    def check_verbs(self) -> Self:
        """One verb at most: one row does one thing."""
        verbs = [verb for verb in self._values() if verb != "words"]
        if len(verbs) > 1:
            _refuse("several_verbs", verbs=" and ".join(verbs))
        return self

    def to_rule(self, **others: Any) -> RowEffect:
        values = self._values()
        words = values.pop("words", "")
        verb, value = next(iter(values.items()), ("words" if words else "", True))
        if isinstance(value, Mapping):
            return replace(_mapped_effect(verb, value), words=words)
        if verb == "all":
            parts = tuple(part.to_rule() for part in getattr(self, verb))
            return RowEffect(verb, words=words, parts=parts)
        if isinstance(value, list):
            return RowEffect(verb, names=tuple(value), words=words)
        if isinstance(value, str):
            # Dice stand in the place of a number.
            is_dice = any(shape.sort == "dice" for shape in VERBS[verb].shapes)
            name, dice = ("", value) if is_dice else (value, "")
            return RowEffect(verb, name, dice=dice, words=words)
        # True says no more than its verb does.
        number = 0 if value is True else value
        return RowEffect(verb, number=number, words=words)

    def _values(self) -> Fields:
        """Return what the document says, by its own keys."""
        return self.model_dump(exclude_none=True)


def _mapped_effect(verb: str, value: Mapping[str, Any]) -> RowEffect:
    """Return an effect that the document tells by several keys."""
    names = [value[key] for key in ("currency", "id", "kind") if key in value]
    numbers = [
        value[key] for key in ("amount", "at_most", "advances", "times") if key in value
    ]
    # How often is a number, or dice in its place.
    number, dice = next(iter(numbers), 0), value.get("dice", "")
    if isinstance(number, str):
        number, dice = 0, number
    name = next(iter(names), "")
    is_repeated = "others" in value
    return RowEffect(verb, name, (), number, dice, is_repeated=is_repeated)


@with_verbs
class PartRecord(EffectWords):
    """One of several things that a row does."""


SHAPES["effects"] = Annotated[
    list[PartRecord], Field(max_length=PARTS_MOST), AfterValidator(_check_some)
]


@with_verbs
class EffectRecord(EffectWords):
    """What a row does: one of these at most, and words beside it."""


class DiceRowRecord(RulesModel):
    """A row of a table."""

    rule = tables.RolledRow
    least: Roll
    most: Roll
    name: Line
    effect: Annotated[EffectRecord, none_is_no_mapping]
    otherwise: EffectRecord | None = None


class DiceTableRecord(RulesModel):
    """A table; its rows hold every roll of its dice once."""

    rule = tables.DiceTable
    dice: Dice | Literal["sum"]
    rows: Annotated[list[DiceRowRecord], Field(max_length=ROWS_MOST), none_is_no_list]


# Skills, goods and trade


class SkillRecord(RulesModel):
    """A skill."""

    rule = rules.SkillRule
    id: Id
    name: Line
    words: Words = ""
    effects: Changes = {}
    search: Change = 0


class GoodRecord(RulesModel):
    """Something that is sold."""

    rule = rules.TradeGood
    id: Id
    name: Line
    words: Words = ""
    effects: Changes = {}
    price: Amount
    rare: Roll | None = None
    kinds: Lines = []


class SearchRecord(RulesModel):
    """How rare things are found."""

    dice: Dice
    who: Lines = []


class TradeRecord(RulesModel):
    """What is bought and sold."""

    rule = rules.TradeRule
    sell: Share = [1, 2]
    has_lists: bool = Field(default=True, alias="lists")
    search: SearchRecord | None = None
    goods: Annotated[list[GoodRecord], Field(max_length=GOODS_MOST)] = []

    def to_rule(self, **others: Any) -> Any:
        search = self.search
        return super().to_rule(
            search=search.dice if search else "",
            seekers=tuple(search.who) if search else (),
            goods={good.id: good.to_rule() for good in self.goods},
        )


class SaleRecord(RulesModel):
    """What a currency is sold for, by number and by models."""

    rule = rules.SaleRule
    currency: Id
    paid_in: Id
    once: Literal["battle"] | None = None
    kinds: Lines = []
    models: Steps
    rows: Annotated[
        list[Annotated[list[Amount], Field(max_length=LIST_MAX)]],
        Field(max_length=ROWS_MOST),
        AfterValidator(_check_some),
    ]


# Who joins, and who is lost


class RecruitsRecord(RulesModel):
    """What joining an experienced group costs besides."""

    per_experience: Annotated[int, Field(ge=0, le=1000)] = 0


class HiredRecord(RulesModel):
    """A hired sword."""

    rule = rules.HiredSword
    id: Id
    name: Line
    price: Amount
    upkeep: Amount = 0
    armies: Lines = []
    stats: Levels = {}
    gear: Lines = []


class LateRecord(RulesModel):
    """What late players get besides."""

    rule = rules.LateRule
    currency: Id
    per_round: Amount
    most: Amount


class RansomRecord(RulesModel):
    """The ransom of a captive."""

    part: Share
    least: Amount = 0


class CaptivesRecord(RulesModel):
    """What becomes of captives."""

    rule = rules.CaptiveRule
    ransom: RansomRecord
    refused: Amount = 0

    def to_rule(self, **others: Any) -> Any:
        return super().to_rule(part=tuple(self.ransom.part), least=self.ransom.least)


class LeaderRecord(RulesModel):
    """Which kinds may follow a leader."""

    successors: Lines = []


# Territories and further rolls


class GroundPayRecord(RulesModel):
    """What each territory pays."""

    currency: Annotated[Id | None, empty_is_none] = None
    amount: Amount = 0


class TerritoriesRecord(RulesModel):
    """Places that winners claim."""

    rule = rules.TerritoryRule
    word: Line = "Territory"
    names: Annotated[
        list[Line], Field(max_length=TERRITORIES_MOST), AfterValidator(_check_lines)
    ]
    claimed_by: Literal["winner"] = "winner"
    most: Annotated[int, Field(ge=1, le=40)]
    income: GroundPayRecord | None = None

    def to_rule(self, **others: Any) -> Any:
        pay = self.income or GroundPayRecord()
        return super().to_rule(currency=pay.currency or "", amount=pay.amount)


class PoolRecord(RulesModel):
    """Dice that are thrown together."""

    rule = rules.DicePool
    die: Literal["D3", "D6", "D10", "D20"]
    each: Lines = []
    won: PoolSize | None = None
    most: PoolSize = 9


class ExtraRollRecord(RulesModel):
    """A further roll after a battle."""

    rule = rules.ExtraRoll
    id: Id
    name: Line
    who: Literal["warband"] | Annotated[Lines, AfterValidator(_check_some)]
    table: Id
    pool: PoolRecord | None = None
    alike: dict[Literal["2", "3", "4", "5", "6", "7", "8", "9"], Id] = {}

    def to_rule(self, **others: Any) -> Any:
        return super().to_rule(
            kinds=() if self.who == "warband" else tuple(self.who),
            alike={int(number): table for number, table in self.alike.items()},
        )


# The document


class CampaignRulesFile(RulesModel):
    """A set of campaign rules."""

    rule = CampaignRules
    format: Literal["campaign-rules/1"]
    id: Id
    name: Line
    version: Positive = 1
    summary: Words = ""
    source: Words = ""
    systems: Lines = []
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
    trade: TradeRecord | None = None
    sales: Rows[SaleRecord] = []
    recruits: RecruitsRecord | None = None
    hired: Rows[HiredRecord] = []
    late: LateRecord | None = None
    captives: CaptivesRecord | None = None
    gone_gear: Literal["stash", "lost"] = "stash"
    leader: LeaderRecord | None = None
    territories: TerritoriesRecord | None = None
    rolls: Rows[ExtraRollRecord] = []

    def to_rules(self) -> CampaignRules:
        """Return the rules of the document. Of two with the same id the last counts."""
        every = chain.from_iterable(self.skills.values())
        result: CampaignRules = self.to_rule(
            kinds={kind.id: kind.to_rule() for kind in self.kinds},
            tables={key: table.to_rule(id=key) for key, table in self.tables.items()},
            skill_lists={
                key: tuple(skill.id for skill in skills)
                for key, skills in self.skills.items()
            },
            skills={skill.id: skill.to_rule() for skill in every},
            recruit_per_experience=self.recruits.per_experience if self.recruits else 0,
            is_gear_kept=self.gone_gear == "stash",
            successors=tuple(self.leader.successors) if self.leader else (),
        )
        return result

    def repeated_ids(self) -> Iterator[RulesFault]:
        """Yield a fault for each id that stood before: rules and rosters know one thing by it."""
        trade = self.trade or TradeRecord()
        skills = {
            f"skills.{key}[{place}]": skill
            for key, records in self.skills.items()
            for place, skill in enumerate(records)
        }
        yield from _repeated("kind", _placed("kinds", self.kinds))
        yield from _repeated("skill", skills)
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
