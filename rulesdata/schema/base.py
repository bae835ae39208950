"""Words and figures shared by the files: keys, names, sentences, stat figures, dice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Key = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
Name = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=120)]
Sentence = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=1000)]
Code = Annotated[str, Field(pattern=r"^[a-z_]+(\.[a-z_]+)?$", max_length=60)]
Setting = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=60)]
StatKey = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z]{0,3}$")]
Dice = Annotated[str, Field(pattern=r"^[1-9]?D(3|4|6|10)([+-][1-9])?$")]
PrintedFigure = Annotated[str, Field(pattern=r"^[-0-9D+() *]+$|^Special$", max_length=12)]
Number = Annotated[int, Field(ge=0, le=20)]
Figure = Number | PrintedFigure | None
Points = Annotated[int, Field(ge=0, le=5_000)]
Change = Annotated[int, Field(ge=-1_000, le=5_000)]
Save = Annotated[int, Field(ge=2, le=6)]
Count = Annotated[int, Field(ge=1, le=200)]
Inches = Annotated[int, Field(ge=0, le=120)]
True_ = Literal[True]
Value = TypeVar("Value")


class StrictModel(BaseModel):
    """A record of a file: unknown keys and wrong types are faults, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def to_engine(self, cls: type[Value], **others: Any) -> Value:
        """Make a value of the engine: the fields of the same name, and ``others`` beside them.

        What the file leaves out, or says null to, is what ``cls`` has by default. Lists become
        tuples.
        """
        return cls(**dict(self._shared(cls, set(others))), **others)

    def _shared(self, cls: Any, besides: set[str]) -> Iterator[tuple[str, Any]]:
        for name in _names(cls) & type(self).model_fields.keys() - besides:
            value = getattr(self, name)
            if value is not None:
                yield name, tuple(value) if isinstance(value, list) else value


@cache
def _names(cls: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields(cls))
