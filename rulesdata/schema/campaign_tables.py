"""The dice tables of campaign rules, and what their rows do."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, Union

from pydantic import AfterValidator, Field, create_model, model_validator

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
    Words,
    check_some,
    none_is_no_list,
    none_is_no_mapping,
    refuse,
)

ROWS_MOST = 36
Model = TypeVar("Model", bound="RulesModel")


class GainRecord(RulesModel):
    """Money that a row gives: an amount, or dice."""

    currency: Id
    amount: Positive | None = None
    dice: Dice | None = None

    @model_validator(mode="after")
    def check_amount(self) -> Self:
        """An amount or dice, not both."""
        if self.amount is None and self.dice is None:
            refuse("no_amount", at="amount")
        if self.amount is not None and self.dice is not None:
            refuse("extra_forbidden", at="amount")
        return self


class OldWoundRecord(RulesModel):
    """The roll before each battle that keeps somebody away."""

    dice: Dice
    at_most: Roll


SHAPES: Mapping[str, Any] = {
    "flag": True_,
    "id": Id,
    "ids": Lines,
    "some_ids": Annotated[Lines, AfterValidator(check_some)],
    "dice": Dice,
    "amount": GainRecord,
    "roll": OldWoundRecord,
}
"""What a document may hold behind a verb, by the sort of its shape."""


def with_verbs(record: type[Model]) -> type[Model]:
    """Return the record with a key for each verb that the engine declares."""
    fields: dict[str, Any] = {}
    for verb in VERBS.values():
        types = []
        for shape in verb.shapes:
            if shape.sort == "number":
                types.append(Annotated[int, Field(ge=1, le=shape.most)])
            elif shape.sort == "choice":
                types.append(Literal[shape.choices])
            else:
                types.append(SHAPES[shape.sort])
        if types:
            fields[verb.name] = (Union[(*types, None)], None)
    return create_model(record.__name__, __base__=record, __doc__=record.__doc__, **fields)


@with_verbs
class EffectRecord(RulesModel):
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
            number = value.get("amount", value.get("at_most", 0))
            dice = value.get("dice", "")
            return RowEffect(verb, value.get("currency", ""), (), number, dice, words)
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
