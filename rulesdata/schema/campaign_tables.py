"""The terms and the dice tables of campaign rules, and what the rows of these do."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal, NoReturn, Self, TypeVar, Union

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from engine.growth import tables
from engine.growth.effects import VERBS
from engine.growth.tables import RowEffect
from engine.records import Fields, frozen_dataclass
from rulesdata.schema.base import StrictModel, True_

TEXT_MAX = 120
WORDS_MAX = 400
LIST_MAX = 60
# Treasuries stay far below what a column of a database holds.
AMOUNT = 100_000
LINES_MOST = 60
Item = TypeVar("Item")
ID = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
_LINE_ENDS = "\x7f\u2028\u2029"  # besides the controls below the space


def refuse(code: str, **values: Any) -> NoReturn:
    """Raise a fault, whose sentence is that of its code."""
    raise PydanticCustomError(code, code, values)


def _check_line(text: str) -> str:
    if any(sign < " " or sign in _LINE_ENDS for sign in text):
        refuse("no_line")
    return text


def check_lines(lines: list[str]) -> list[str]:
    if len(set(lines)) < len(lines):
        refuse("twice")
    return lines


def check_some(value: Any) -> Any:
    if value == []:
        refuse("empty")
    return value


def _check_steps(steps: list[int]) -> list[int]:
    if any(step >= following for step, following in pairwise(steps)):
        refuse("not_rising")
    return steps


def _check_share(share: list[int]) -> list[int]:
    if share[1] == 0:
        refuse("no_share")
    return share


# What the reader before this schema took, and stored documents may hold.
empty_is_none = BeforeValidator(lambda value: None if value == "" else value)
none_is_no_list = BeforeValidator(lambda value: [] if value is None else value)
none_is_no_mapping = BeforeValidator(lambda value: {} if value is None else value)


@frozen_dataclass
class Names:
    """Marks a field whose texts, or the keys of its mapping, name what stands elsewhere."""

    what: str


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
Lines = Annotated[list[Line], Field(max_length=LIST_MAX), AfterValidator(check_lines)]
Steps = Annotated[list[Positive], Field(max_length=LIST_MAX), AfterValidator(_check_steps)]
Share = Annotated[
    list[Annotated[int, Field(ge=0, le=1000)]],
    Field(min_length=2, max_length=2),
    AfterValidator(_check_share),
]
Rows = Annotated[list[Item], Field(max_length=LINES_MOST)]
Levels = Annotated[dict[str, Level], Names("characteristic")]
Changes = Annotated[dict[str, Change], Names("characteristic")]
CurrencyId = Annotated[Id, Names("currency")]
Kinds = Annotated[Lines, Names("kind")]
SkillLists = Annotated[Lines, Names("list of skills")]


class RulesModel(StrictModel):
    """A mapping of campaign rules. Null is as good as left out where a key may be left out."""

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


def list_references(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield each place below a value that names others by its `Names`, outside of tables."""
    items: list[tuple[str, Any]] = []
    if isinstance(value, list):
        items = [(f"{path}[{place}]", item) for place, item in enumerate(value)]
    elif isinstance(value, dict):
        items = [(f"{path}.{key}", item) for key, item in value.items()]
    elif isinstance(value, RulesModel) and not isinstance(value, DiceTableRecord):
        for name, field in type(value).model_fields.items():
            place, item = f"{path}.{field.alias or name}".lstrip("."), getattr(value, name)
            items.append((place, item))
            yield from _list_names(field.metadata, place, item)
    for place, item in items:
        yield from list_references(item, place)


def _list_names(marks: list[Any], place: str, item: Any) -> Iterator[tuple[str, str, Any]]:
    for mark in marks if item else ():
        if isinstance(mark, Names):
            yield place, mark.what, [item] if isinstance(item, str) else item


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

    def build(self, **others: Any) -> RowEffect:
        values = self._values()
        words = values.pop("words", "")
        verb, value = next(iter(values.items()), ("words" if words else "", True))
        if isinstance(value, Mapping):
            return replace(_mapped_effect(verb, value), words=words)
        if verb == "all":
            parts = tuple(part.build() for part in getattr(self, verb))
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
    keys, counts = ("currency", "id", "kind"), ("amount", "at_most", "advances", "times")
    name = next((value[key] for key in keys if key in value), "")
    number: Any = next((value[key] for key in counts if key in value), 0)
    dice, is_repeated = value.get("dice", ""), "others" in value
    # How often is a number, or dice in its place.
    if isinstance(number, str):
        number, dice = 0, number
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

    engine_class = tables.RolledRow
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

    engine_class = tables.DiceTable
    dice: Dice | Literal["sum"]
    rows: Annotated[list[DiceRowRecord], Field(max_length=ROWS_MOST), none_is_no_list]
