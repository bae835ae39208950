"""Sections of campaign rules: skills and goods, trade, who joins and who is lost."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from engine.growth import rules
from engine.growth.tables import AnotherThrow
from rulesdata.schema.campaign_tables import (
    LIST_MAX,
    ROWS_MOST,
    Amount,
    Change,
    Changes,
    CurrencyId,
    Dice,
    Id,
    Kinds,
    Levels,
    Line,
    Lines,
    Models,
    Names,
    Roll,
    RulesModel,
    Share,
    SkillLists,
    Steps,
    Times,
    Words,
    check_some,
    empty_is_none,
    refuse,
)

GOODS_MOST = 200
ListedSort = Literal["melee", "missile", "armour"]


class AnotherThrowRecord(RulesModel):
    """Which throw after a battle is made again, all of it or a die."""

    engine_class = AnotherThrow
    of: Annotated[Id, Names("roll, and not injury")]
    dice: Literal["all", "one", "more"] = "all"
    kinds: Kinds = []
    spent: bool = False


class TraitRecord(RulesModel):
    """What skills, marks and goods have alike."""

    id: Id
    name: Line
    words: Words = ""
    effects: Changes = {}
    again: AnotherThrowRecord | None = None


class SkillRecord(TraitRecord):
    """A skill."""

    engine_class = rules.SkillRule
    search: Change = 0
    uses: list[ListedSort] = []


class LastingMarkRecord(TraitRecord):
    """What stays with somebody after an injury."""

    engine_class = rules.LastingMark
    lists: SkillLists = []


class ListsForRecord(RulesModel):
    """Lists of skills for some profiles, or for who was promoted: all, or some to choose."""

    engine_class = rules.ListsRule
    profiles: Lines = []
    promoted: bool = False
    lists: SkillLists = []
    choose: Annotated[int, Field(ge=1, le=6)] | None = None
    of: SkillLists = []

    @model_validator(mode="after")
    def check_lists(self) -> Self:
        """What is chosen from stands under `of`, and has as many lists; none: those of the kind."""
        if self.choose and 0 < len(self.of) < self.choose:
            refuse("too_few", at="of", least=self.choose)
        if not self.choose and self.of:
            refuse("extra_forbidden", at="of")
        return self

    def build(self, **others: Any) -> Any:
        return super().build(lists=tuple(self.of if self.choose else self.lists))


class ThrownPriceRecord(RulesModel):
    """A price that may partly be thrown."""

    base: Amount
    dice: Dice | None = None
    times: Times = 1


class GoodRecord(TraitRecord):
    """Something that is sold, or found alone."""

    engine_class = rules.TradeGood
    price: Amount | ThrownPriceRecord
    sold: bool = True
    rare: Roll | None = None
    kinds: Kinds = []
    listed: ListedSort | None = None
    made_as: Id | None = None

    def build(self, **others: Any) -> Any:
        if isinstance(price := self.price, ThrownPriceRecord):
            dice = price.dice or ""
            others |= {"price": price.base, "dice": dice, "times": price.times}
        return super().build(**others)


class SearchRecord(RulesModel):
    """How rare things are found."""

    dice: Dice
    who: Kinds = []
    once: Literal["battle"] | None = None


class TradeRecord(RulesModel):
    """What is bought and sold."""

    engine_class = rules.TradeRule
    sell: Share = [1, 2]
    has_lists: bool = Field(default=True, alias="lists")
    search: SearchRecord | None = None
    goods: Annotated[list[GoodRecord], Field(max_length=GOODS_MOST)] = []

    def build(self, **others: Any) -> Any:
        search = self.search
        return super().build(
            search=search.dice if search else "",
            seekers=tuple(search.who) if search else (),
            search_once=search.once or "" if search else "",
            goods={good.id: good.build() for good in self.goods},
        )


class SaleRecord(RulesModel):
    """What a currency is sold for, by number and by models."""

    engine_class = rules.SaleRule
    currency: CurrencyId
    paid_in: CurrencyId
    once: Literal["battle"] | None = None
    kinds: Kinds = []
    models: Steps
    rows: Annotated[
        list[Annotated[list[Amount], Field(max_length=LIST_MAX)]],
        Field(max_length=ROWS_MOST),
        AfterValidator(check_some),
    ]


# Who joins, and who is lost


class RecruitsRecord(RulesModel):
    """What joining an experienced group costs besides, and how many may."""

    engine_class = rules.RecruitRule
    per_experience: Annotated[int, Field(ge=0, le=1000)] = 0
    pool: Dice | None = None
    group_most: Models | None = None


class HiredRecord(RulesModel):
    """A hired sword."""

    engine_class = rules.HiredSword
    id: Id
    name: Line
    price: Amount
    upkeep: Amount = 0
    armies: Lines = []
    stats: Levels = {}
    gear: Lines = []
    not_for: Lines = []
    race: Annotated[Id | None, empty_is_none] = None
    rating: Amount = 0


class LateRecord(RulesModel):
    """What late players get besides."""

    engine_class = rules.LateRule
    currency: CurrencyId
    per_round: Amount
    most: Amount


class RansomRecord(RulesModel):
    """The ransom of a captive."""

    part: Share
    least: Amount = 0
    named: bool = False


class SoldRecord(RulesModel):
    """What a captor gets for who was refused."""

    dice: Dice
    times: Times = 1


class CaptivesRecord(RulesModel):
    """What becomes of captives."""

    engine_class = rules.CaptiveRule
    ransom: RansomRecord
    refused: Amount = 0
    sold: SoldRecord | None = None
    gear: Literal["lost", "captor"] = "lost"

    def build(self, **others: Any) -> Any:
        return super().build(
            part=tuple(self.ransom.part),
            least=self.ransom.least,
            is_named=self.ransom.named,
            sold=self.sold.dice if self.sold else "",
            times=self.sold.times if self.sold else 1,
            is_gear_taken=self.gear == "captor",
        )


class LeaderRecord(RulesModel):
    """Which kinds may follow a leader."""

    successors: Kinds = []
