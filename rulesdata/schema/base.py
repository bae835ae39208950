"""Words and figures shared by the files: keys, names, sentences, stat figures, dice."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from engine.records import ChoiceList, Fields

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
Marked = True_ | None
Value = TypeVar("Value")
NonEmpty = Annotated[list[Value], Field(min_length=1)]


def refers_to(what: str, *lists: str, is_listed: bool = False) -> AfterValidator:
    """Let a key be one of those that the context has in these ``lists``; without them any will do.

    ``is_listed``: the fault of another key lists all of them, which are few. The reader of a pack
    collects the keys of all lists of records by the name of the list.
    """

    def check(key: str, info: ValidationInfo) -> str:
        context = info.context or {}
        key_lists = [context[name] for name in lists if name in context]
        if not key_lists or any(key in keys for keys in key_lists):
            return key
        among = ""
        if is_listed:
            among = f": {', '.join(sorted(chain.from_iterable(key_lists)))}"
        values = {"key": key, "what": what, "among": among}
        raise PydanticCustomError(UNKNOWN_KEY, "'{key}' is no {what}{among}", values)

    return AfterValidator(check)


UNKNOWN_KEY = "unknown_key"
State = Annotated[StateKey, refers_to("state of this system", "states", is_listed=True)]


class StrictModel(BaseModel):
    """A record of a file: unknown keys and wrong types are faults, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    # What the engine makes of such a record, for those that it knows.
    engine_class: ClassVar[Any]

    def build(self, **others: Any) -> Any:
        """Make what the engine has of this record, with ``others`` in the place of its fields."""
        return self.to_engine(self.engine_class, **others)

    def to_engine(self, engine_class: Callable[..., Value], **others: Any) -> Value:
        """Make a value of that class: its fields that the record has too, and ``others``.

        What the file leaves out, or says null to, is what the class has by default. Lists become
        tuples, and the records in them values of the engine.
        """
        for name, own_name in _shared_names(type(self), engine_class):
            value = getattr(self, own_name)
            if name not in others and value is not None:
                others[name] = engine_value(value)
        return engine_class(**others)


class NamedRecord(StrictModel):
    """A record with a key and the name that people read."""

    id: Key
    name: Name


class PrintedRecord(StrictModel):
    """A record that may name the heading of the text that it is printed under."""

    source: Name | None = None


class FiguresOnly(StrictModel):
    """A record that the engine takes as a mapping of what the file says."""

    def build(self, **others: Any) -> Fields:
        return self.model_dump(exclude_none=True) | others


class PairRecord(StrictModel):
    """A record of two figures that the engine takes as a pair."""

    def build(self, **others: Any) -> Any:
        return tuple(engine_value(value) for _, value in self)


def engine_value(value: Any) -> Any:
    """Make what the engine takes of a value of a file."""
    if isinstance(value, StrictModel):
        return value.build()
    if isinstance(value, list):
        return tuple(map(engine_value, value))
    if isinstance(value, dict):
        return {key: engine_value(item) for key, item in value.items()}
    return value


def build_by_key(records: Iterable[Any]) -> Fields:
    """Make the engine's values of records, each by the record's id."""
    return {record.id: record.build() for record in records}


_NAMES_IN_FILES = {
    "adds_lines": "adds_profiles",
    "are_points_optional": "points_optional",
    "barded_move": "M_barded",
    "basis": "points_basis",
    "bought": "keys",
    "default_items": "default_equipment",
    "is_required": "group_required",
    "is_unique": "one_per_army",
    "key": "id",
    "leader_name": "leader",
    "lines": "profiles",
    "maximum": "max",
    "minimum": "min",
    "not_bought": "without",
    "source_states": "before",
    "to": "after",
    "words": "description",
}
"""What files call a field that has another name in the engine; ``is_x`` is ``x`` there."""


@cache
def _shared_names(record_class: Any, engine_class: Any) -> ChoiceList:
    """Return each field of the engine's class that the record has, with the record's name of it.

    Kept for each pair: an army list makes thousands of values of few classes.
    """
    pairs = []
    for field in fields(engine_class):
        other = _NAMES_IN_FILES.get(field.name, field.name.removeprefix("is_"))
        for name in (field.name, other):
            # A property stands for a field that has to be worked out.
            if name in record_class.model_fields or hasattr(record_class, name):
                pairs.append((field.name, name))
                break
    return pairs
