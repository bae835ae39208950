"""The terms of campaign rules: ids, lines of text, amounts, and what every mapping shares."""

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, NoReturn, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from rulesdata.schema.base import StrictModel

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
