"""The dice tables of campaign rules, and what their rows do."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self, TypeVar, Union

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator

from engine.growth import tables
from engine.growth.effects import VERBS
from engine.growth.tables import RowEffect
from engine.records import Fields
from rulesdata.schema.base import True_
from rulesdata.schema.campaign_terms import (
    Dice,
    Id,
    Line,
    Lines,
    Positive,
    Roll,
    RulesModel,
    Times,
    Words,
    check_some,
    none_is_no_list,
    none_is_no_mapping,
    refuse,
)

ROWS_MOST = 36
PARTS_MOST = 6
Model = TypeVar("Model", bound="RulesModel")


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
            refuse("no_amount", at="amount")
        if self.amount is not None and self.dice is not None:
            refuse("extra_forbidden", at="amount")
        if self.times is not None and self.dice is None:
            refuse("extra_forbidden", at="times")
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
    "some_ids": Annotated[Lines, AfterValidator(check_some)],
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
            refuse("several_verbs", verbs=" and ".join(verbs))
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
class EffectPartRecord(EffectWords):
    """One of several things that a row does."""


SHAPES["effects"] = Annotated[
    list[EffectPartRecord], Field(max_length=PARTS_MOST), AfterValidator(check_some)
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
    otherwise: Annotated[
        list[EffectRecord],
        Field(max_length=PARTS_MOST),
        BeforeValidator(
            lambda value: value if isinstance(value, list) else [value] if value else [],
            json_schema_input_type=EffectRecord | list[EffectRecord] | None,
        ),
    ] = []


class DiceTableRecord(RulesModel):
    """A table; its rows hold every roll of its dice once."""

    rule = tables.DiceTable
    dice: Dice | Literal["sum"]
    rows: Annotated[list[DiceRowRecord], Field(max_length=ROWS_MOST), none_is_no_list]
