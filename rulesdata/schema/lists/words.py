"""The words that army lists are written in: categories, troop types, kinds of options, how a Strength is printed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from rulesdata.schema.base import Key, Number


def _of_collection(kind: str) -> AfterValidator:
    """Refuses a word that the collection does not name; without a collection in the context any key will do."""

    def check(value: str, info: ValidationInfo) -> str:
        known = (info.context or {}).get(kind)
        if known is not None and value not in known:
            *others, last = (f"'{word}'" for word in known)
            words = f"{', '.join(others)} or {last}" if others else last
            raise PydanticCustomError("unknown_word", "Input should be {words}", {"words": words})
        return value

    return AfterValidator(check)


Category = Annotated[Key, Field(max_length=20), _of_collection("categories")]
TroopType = Annotated[Key, _of_collection("troop_types")]
Role = Literal["model", "rider", "mount", "crew"]
OptionKind = Literal[
    "weapon", "armour", "shield", "mount", "upgrade", "magic-level", "crew", "other"
]
Flag = Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=40)]
SourceKey = Literal["first", "second", "third"]
Bonus = Annotated[str, Field(pattern=r"^(user|varies|[+-][1-9])$")]
Strength = Number | Bonus
CLASSIC_TROOP_TYPES = (
    "cavalry", "chariot", "infantry", "monster", "monstrous-cavalry", "monstrous-infantry", "swarm", "unit-of-other",
    "war-beast", "war-machine",
)  # fmt: skip
"""Known in every collection, beside those its common.yaml names."""
MOUNT = "mount"
"""The category of what mount options point to, in every collection."""
