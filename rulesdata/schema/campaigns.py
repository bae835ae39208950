"""The shape of campaign rules (`campaign-rules/1`), for editors and other programs.

What must hold between sections is checked by `engine.growth.document`, which alone decides.
"""

from typing import Annotated, Literal

from pydantic import Field

from engine.growth.document import (
    CURRENCIES_MOST,
    GOODS_MOST,
    KINDS_MOST,
    LINES_MOST,
    SKILLS_MOST,
    TERRITORIES_MOST,
)
from engine.growth.sections import AMOUNT, LIST_MAX, TEXT_MAX, WORDS_MAX
from engine.growth.table_document import (
    BATTLES_MOST,
    ROLLS_AGAIN_MOST,
    ROWS_MOST,
    TABLES_MOST,
)
from rulesdata.schema.base import StrictModel, True_

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")]
Line = Annotated[str, Field(min_length=1, max_length=TEXT_MAX)]
Words = Annotated[str, Field(max_length=WORDS_MAX)]
Amount = Annotated[int, Field(ge=0, le=AMOUNT)]
Positive = Annotated[int, Field(ge=1, le=AMOUNT)]
Roll = Annotated[int, Field(ge=1, le=66)]
Change = Annotated[int, Field(ge=-10, le=10)]
Level = Annotated[int, Field(ge=0, le=10)]
Dice = Literal["D6", "2D6", "3D6", "D3", "D10", "2D10", "D20", "D66"]
Lines = Annotated[list[Line], Field(max_length=LIST_MAX)]
Steps = Annotated[list[Positive], Field(max_length=LIST_MAX)]
Share = Annotated[
    list[Annotated[int, Field(ge=0, le=1000)]], Field(min_length=2, max_length=2)
]
Levels = dict[str, Level]
Changes = dict[str, Change]


# Money


class CurrencyRecord(StrictModel):
    """What warbands collect."""

    id: Id
    name: Line
    start: Amount = 0
    is_spent: bool = True


class PricesRecord(StrictModel):
    """The currency of prices, and what a point of the army list costs in it."""

    currency: Id
    per_point: Annotated[int, Field(ge=1, le=1000)] = 1


class GrowthLimitsRecord(StrictModel):
    """Beyond these a warband gets a warning."""

    models: Annotated[int, Field(ge=1, le=200)] | None = None
    recruits_after_battle: Annotated[int, Field(ge=0, le=200)] | None = None


# Kinds of warriors


class MatchRecord(StrictModel):
    """Who belongs to a kind; empty is everybody."""

    leader: bool = False
    hired: bool = False
    categories: Lines = []
    troop_types: Lines = []
    profiles: Lines = []


class GrowthKindRecord(StrictModel):
    """A sort of warriors."""

    id: Id
    name: Line
    match: MatchRecord = MatchRecord()
    most: Annotated[int, Field(ge=1, le=200)] | None = None
    is_group: bool = False
    steps: Steps = []
    advances: Id | None = None
    injuries: Id | None = None
    lists: Lines = []


# What a battle gives


class AwardRecord(StrictModel):
    """What earns experience."""

    id: Id
    name: Line
    when: Literal["fought", "put_out", "leader_won", "objective", "won", "drawn", "lost"]
    amount: Annotated[int, Field(ge=1, le=100)]
    most: Annotated[int, Field(ge=1, le=1000)] | None = None
    kinds: Lines = []


class UnderdogRecord(StrictModel):
    """What those get who are rated so far below."""

    from_: Positive = Field(alias="from")
    experience: Annotated[int, Field(ge=0, le=100)] = 0
    amount: Amount = 0
    kinds: Lines = []


class PayRecord(StrictModel):
    """What every line of income has."""

    currency: Id
    name: Line | None = None


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
    times: Annotated[int, Field(ge=1, le=1000)] = 1


class ObjectivePayRecord(PayRecord):
    """Pay for objectives."""

    when: Literal["objective"]
    objective: Id
    each: Positive
    most: Annotated[int, Field(ge=1, le=1000)] | None = None


class UnfoughtPayRecord(PayRecord):
    """Pay for games that are not fought."""

    when: Literal["unfought"]
    bye: Amount = 0
    walkover: Amount = 0


IncomeRecord = Annotated[
    ResultPayRecord | DicePayRecord | ObjectivePayRecord | UnfoughtPayRecord,
    Field(discriminator="when"),
]


class UpkeepRecord(StrictModel):
    """What models cost after each battle."""

    currency: Id
    free_models: Annotated[int, Field(ge=0, le=200)] = 0
    each: Amount


# Ratings and maxima


class RatingRecord(StrictModel):
    """A part of the warband rating."""

    of: Literal["price", "experience", "models", "skills"]
    times: Share = [1, 1]
    kinds: Lines = []


class MaximaOverrideRecord(StrictModel):
    """Other maxima for some armies or profiles."""

    armies: Lines = []
    profiles: Lines = []
    most: Levels = {}


class MaximaRecord(StrictModel):
    """How far characteristics rise."""

    gain: dict[Id, Levels] = {}
    most: Levels = {}
    for_: Annotated[list[MaximaOverrideRecord], Field(max_length=LINES_MOST)] = Field(
        default=[], alias="for"
    )


# Tables and what their rows do


class GainRecord(StrictModel):
    """Money that a row gives: an amount, or dice."""

    currency: Id
    amount: Positive | None = None
    dice: Dice | None = None


class OldWoundRecord(StrictModel):
    """The roll before each battle that keeps somebody away."""

    dice: Dice
    at_most: Roll


class EffectRecord(StrictModel):
    """What a row does: one of these at most, and words beside it."""

    raise_: Lines | None = Field(default=None, alias="raise")
    skill: True_ | Lines | None = None
    promote: Id | None = None
    gone: True_ | None = None
    misses: Annotated[int, Field(ge=1, le=BATTLES_MOST)] | Dice | None = None
    lower: Id | None = None
    table: Id | None = None
    again: Annotated[int, Field(ge=1, le=ROLLS_AGAIN_MOST)] | None = None
    captive: True_ | None = None
    loses: Literal["dearest", "all"] | None = None
    experience: Annotated[int, Field(ge=1, le=100)] | None = None
    gain: GainRecord | None = None
    item: Id | None = None
    old_wound: OldWoundRecord | None = None
    words: Words | None = None


class DiceRowRecord(StrictModel):
    """A row of a table."""

    least: Roll
    most: Roll
    name: Line
    effect: EffectRecord
    otherwise: EffectRecord | None = None


class DiceTableRecord(StrictModel):
    """A table; its rows hold every roll of its dice once."""

    dice: Dice
    rows: Annotated[list[DiceRowRecord], Field(max_length=ROWS_MOST)]


# Skills, goods and trade


class SkillRecord(StrictModel):
    """A skill."""

    id: Id
    name: Line
    words: Words = ""
    effects: Changes = {}
    search: Change = 0


class GoodRecord(StrictModel):
    """Something that is sold."""

    id: Id
    name: Line
    words: Words = ""
    effects: Changes = {}
    price: Amount
    rare: Roll | None = None
    kinds: Lines = []


class SearchRecord(StrictModel):
    """How rare things are found."""

    dice: Dice
    who: Lines = []


class TradeRecord(StrictModel):
    """What is bought and sold."""

    sell: Share = [1, 2]
    lists: bool = True
    search: SearchRecord | None = None
    goods: Annotated[list[GoodRecord], Field(max_length=GOODS_MOST)] = []


# Who joins, and who is lost


class RecruitsRecord(StrictModel):
    """What joining an experienced group costs besides."""

    per_experience: Annotated[int, Field(ge=0, le=1000)] = 0


class HiredRecord(StrictModel):
    """A hired sword."""

    id: Id
    name: Line
    price: Amount
    upkeep: Amount = 0
    armies: Lines = []
    stats: Levels = {}
    gear: Lines = []


class LateRecord(StrictModel):
    """What late players get besides."""

    currency: Id
    per_round: Amount
    most: Amount


class RansomRecord(StrictModel):
    """The ransom of a captive."""

    part: Share
    least: Amount = 0


class CaptivesRecord(StrictModel):
    """What becomes of captives."""

    ransom: RansomRecord
    refused: Amount = 0


class LeaderRecord(StrictModel):
    """Which kinds may follow a leader."""

    successors: Lines = []


# Territories and further rolls


class GroundPayRecord(StrictModel):
    """What each territory pays."""

    currency: Id | None = None
    amount: Amount = 0


class TerritoriesRecord(StrictModel):
    """Places that winners claim."""

    word: Line = "Territory"
    names: Annotated[list[Line], Field(max_length=TERRITORIES_MOST)]
    claimed_by: Literal["winner"] = "winner"
    most: Annotated[int, Field(ge=1, le=40)]
    income: GroundPayRecord | None = None


class ExtraRollRecord(StrictModel):
    """A further roll after a battle."""

    id: Id
    name: Line
    who: Literal["warband"] | Lines
    table: Id


# The document


class CampaignRulesFile(StrictModel):
    """A set of campaign rules."""

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
    experience: Annotated[list[AwardRecord], Field(max_length=LINES_MOST)] = []
    underdog: Annotated[list[UnderdogRecord], Field(max_length=LINES_MOST)] = []
    income: Annotated[list[IncomeRecord], Field(max_length=LINES_MOST)] = []
    upkeep: UpkeepRecord | None = None
    rating: Annotated[list[RatingRecord], Field(max_length=LINES_MOST)] = []
    maxima: MaximaRecord | None = None
    tables: Annotated[dict[Id, DiceTableRecord], Field(max_length=TABLES_MOST)] = {}
    skills: dict[Id, Annotated[list[SkillRecord], Field(max_length=SKILLS_MOST)]] = {}
    trade: TradeRecord | None = None
    recruits: RecruitsRecord | None = None
    hired: Annotated[list[HiredRecord], Field(max_length=LINES_MOST)] = []
    late: LateRecord | None = None
    captives: CaptivesRecord | None = None
    gone_gear: Literal["stash", "lost"] = "stash"
    leader: LeaderRecord | None = None
    territories: TerritoriesRecord | None = None
    rolls: Annotated[list[ExtraRollRecord], Field(max_length=LINES_MOST)] = []
