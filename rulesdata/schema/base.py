"""Words and figures shared by the files: keys, names, sentences, stat figures, dice."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from engine.records import ChoiceList

Key = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
Name = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=120)]
Sentence = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=1000)]
Code = Annotated[str, Field(pattern=r"^[a-z_]+(\.[a-z_]+)?$", max_length=60)]
Setting = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=60)]
StatKey = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z]{0,3}$")]
StateKey = Annotated[str, Field(pattern=r"^[a-z]+(_[a-z]+)*$", max_length=60)]
Dice = Annotated[str, Field(pattern=r"^[1-9]?D(3|4|6|10)([+-][1-9])?$")]
PrintedFigure = Annotated[str, Field(pattern=r"^[-0-9D+() *]+$|^Special$", max_length=12)]
Number = Annotated[int, Field(ge=0, le=20)]
Figure = Number | PrintedFigure | None
Points = Annotated[int, Field(ge=0, le=5_000)]
# An option may cost less than nothing: who gives something up gets points back.
Change = Annotated[int, Field(ge=-1_000, le=5_000)]
# 7+ is no save at all, and 1+ would never fail.
Save = Annotated[int, Field(ge=2, le=6)]
Count = Annotated[int, Field(ge=1, le=200)]
Inches = Annotated[int, Field(ge=0, le=120)]
# A flag stands in a file where it holds and is left out elsewhere, so false is a fault.
True_ = Literal[True]
Value = TypeVar("Value")


class StrictModel(BaseModel):
    """A record of a file: unknown keys and wrong types are faults, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def to_engine(self, cls: Callable[..., Value], **others: Any) -> Value:
        """Make a value of the engine: the fields of the same name, and ``others`` beside them.

        The engine's ``key`` is the record's ``id``, its ``is_offered`` the record's ``offered``.
        What the file leaves out, or says null to, is what ``cls`` has by default. Lists become
        tuples.
        """
        for name, own_name in _shared_names(type(self), cls):
            value = getattr(self, own_name)
            if name not in others and value is not None:
                others[name] = tuple(value) if isinstance(value, list) else value
        return cls(**others)


def to_engine_tuple(
    records: Iterable[StrictModel], cls: Callable[..., Value]
) -> tuple[Value, ...]:
    """Make a value of the engine from each record, in their order."""
    return tuple(record.to_engine(cls) for record in records)


@cache
def _shared_names(record: Any, cls: Any) -> ChoiceList:
    """Each field of the engine's class that the record has, with the record's name of it.

    Kept for each pair: an army list makes thousands of values of few classes.
    """
    pairs = []
    for field in fields(cls):
        own_name = "id" if field.name == "key" else field.name.removeprefix("is_")
        spellings = (name for name in (field.name, own_name) if name in record.model_fields)
        pairs += [(field.name, name) for name in islice(spellings, 1)]
    return pairs
