"""What an army list says beside its units: its limits, the equipment lists that units share, and
its prices.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from engine.records import Fields
from engine.roster import MAX_LIMIT, RosterEntry
from engine.text import join_words
from engine.types import lists
from rulesdata.schema.base import (
    Change,
    Count,
    Key,
    Marked,
    Name,
    NamedRecord,
    StrictModel,
    engine_value,
)
from rulesdata.schema.equipment import Category, OptionRecord

Level = Literal["error", "warning", "note"]
PER_MOST = 400


class LimitOf(StrictModel):
    """What a limit counts: entries of these units or of a category, options bought, or all.

    Hired swords are not among all of them, unless it counts ``hired`` too.
    """

    units: Annotated[list[Key], Field(max_length=100)] = []
    category: Category | None = None
    options: Annotated[list[Key], Field(max_length=100)] = []
    all: Marked = None
    hired: Marked = None


class LimitRecord(NamedRecord):
    """How many of something a list must or may have.

    ``per`` is the whole list, each entry that may buy an option, or so many of units and categories
    (``each:2-of:sergeant,guard``). ``depends``: the source has it otherwise for some lists.
    """

    engine_class = lists.ListLimit
    of: LimitOf
    min: Count | None = None
    max: Annotated[int, Field(ge=0, le=200)] | None = None
    per: Annotated[
        str,
        Field(
            pattern=r"^(list|each-unit|each:[1-9][0-9]?-of:[a-z0-9-]+(,[a-z0-9-]+)*)$",
            max_length=PER_MOST,
        ),
    ] = "list"
    level: Level = "warning"
    depends: Marked = None

    def build(self, **others: Any) -> Any:
        kind, _, rest = self.per.partition(":")
        number, _, of = rest.partition("-of:")
        counted = {
            "units": tuple(self.of.units),
            "category": self.of.category or "",
            "options": tuple(self.of.options),
            "counts_hired": bool(self.of.hired),
        }
        return super().build(
            per=kind,
            per_number=int(number or 1),
            per_of=tuple(filter(None, of.split(","))),
            **counted | others,
        )

    @property
    def words(self) -> str:
        """What it allows, as a page says it: "Lamplighters: at most 5"."""
        least = "" if self.min is None else f"at least {self.min}"
        most = "" if self.max is None else f"at most {self.max}"
        number = f"exactly {self.min}" if self.min == self.max else ""
        number = number or " and ".join(filter(None, (least, most)))
        other = "; some lists of the source have another limit" if self.depends else ""
        beside = " for each unit"
        if self.per == "list":
            beside = ""
        elif self.per != "each-unit":
            count, _, of = self.per.removeprefix("each:").partition("-of:")
            others = [key.replace("-", " ") for key in of.split(",")]
            beside = f" for every {count} of {join_words(others, 'and')}"
        return f"{self.name}: {number}{beside}{other}"


# Limits and equipment lists of an army list, options of one, and what a unit may say of them.
LIMITS_MAX = 400
EQUIPMENT_MAX = 100
EQUIPMENT_OPTIONS_MAX = 400
EQUIPMENT_LIMITS_MAX = 40
UNIT_EQUIPMENT_MAX = 20


class EquipmentListRecord(NamedRecord):
    """Options that several units buy from, written once.

    Its options name only each other. Its ``limits`` count what the units that name the list buy of
    it: the options a limit names, or else all of them. Whoever buys from it has one of
    ``first_free`` for nothing.
    """

    options: Annotated[list[OptionRecord], Field(max_length=EQUIPMENT_OPTIONS_MAX)] = []
    limits: Annotated[list[LimitRecord], Field(max_length=EQUIPMENT_LIMITS_MAX)] = []
    first_free: Key | None = None


class UnitEquipment(StrictModel):
    """An equipment list that a unit buys from: ``without`` some of it, at its own ``prices``."""

    shared: Key = Field(alias="list")
    without: Annotated[list[Key], Field(max_length=EQUIPMENT_OPTIONS_MAX)] = []
    prices: Annotated[dict[Key, Change], Field(max_length=EQUIPMENT_OPTIONS_MAX)] = {}


class ListCurrency(StrictModel):
    """What a list's prices are counted in: "gold crowns", in short "gc"."""

    engine_class: ClassVar[Any] = lists.Currency
    name: Annotated[Name, Field(max_length=40)]
    short: Annotated[Name, Field(max_length=8)]


class SecondPriceRecord(ListCurrency):
    """A figure that a roster adds up beside its points, such as a warband rating.

    Above ``max`` it is a finding of this ``level``.
    """

    engine_class = lists.SecondPrice
    level: Level = "note"
    max: Annotated[int, Field(ge=0, le=100_000)] | None = None


class StarterEntry(StrictModel):
    """One line of a ready warband."""

    engine_class = RosterEntry
    profile: Key
    name: Name | None = None
    count: Count = 1
    leader: Marked = None
    options: list[Key] = []


class StarterRecord(StrictModel):
    """A ready warband to begin with; lists without one get theirs worked out.

    ``limit`` null: without points.
    """

    engine_class = lists.ReadyWarband
    name: Name
    limit: Annotated[int, Field(ge=0, le=MAX_LIMIT)] | None
    warriors: Annotated[list[StarterEntry], Field(min_length=1, max_length=20)]


class ListBasics(StrictModel):
    """What an army list may say beside its units, a pack's and a club's alike.

    ``default_limit`` is the points limit that a new warband of the list is offered. Hired swords
    are paid beside a limit, unless they are ``hired_in_limit``.
    """

    currency: ListCurrency | None = None
    second_price: SecondPriceRecord | None = None
    default_limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None
    hired_in_limit: Marked = None
    limits: Annotated[list[LimitRecord], Field(max_length=LIMITS_MAX)] = []
    equipment: Annotated[list[EquipmentListRecord], Field(max_length=EQUIPMENT_MAX)] = []
    starter: StarterRecord | None = None
    starter_name: Name | None = None

    def terms(self) -> Fields:
        """Return this as fields of the engine's army; what the list leaves out is not there."""
        names = (
            "currency", "second_price", "default_limit", "hired_in_limit", "starter",
            "starter_name",
        )  # fmt: skip
        return {
            name: engine_value(value) for name in names if (value := getattr(self, name))
        }
