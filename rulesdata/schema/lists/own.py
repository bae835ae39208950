"""A club's own list as one file: what it adds to an army of a collection or corrects in it, or a whole army."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rulesdata.schema.base import Key, Name, Sentence, StrictModel
from rulesdata.schema.lists.armies import MagicItemRecord, StarterRecord
from rulesdata.schema.lists.common import ArmourRecord, WeaponRecord
from rulesdata.schema.lists.units import UnitRecord

OWN_UNITS_MAX = 300
OWN_ITEMS_MAX = 200
OWN_MAGIC_MAX = 400


class OwnListFile(StrictModel):
    """A club's own list. The file of an army (armies/<army>.yaml) is one too, of an army that lies over none.

    ``collection`` and ``base`` say whose stat lines it has and which army it lies over; records of the same ``id`` take
    the place of the army's. Its weapons, armour and magic items are its own. The source ``first`` is the club.
    """

    army: Key
    name: Name
    collection: Key | None = None
    base: Key | None = None
    starter_name: Name | None = None
    edition: int
    army_rules: Annotated[list[Name], Field(max_length=100)] = []
    note: Sentence | None = None
    starter: StarterRecord | None = None
    weapons: Annotated[list[WeaponRecord], Field(max_length=OWN_ITEMS_MAX)] = []
    armour: Annotated[list[ArmourRecord], Field(max_length=OWN_ITEMS_MAX)] = []
    magic_items: Annotated[list[MagicItemRecord], Field(max_length=OWN_MAGIC_MAX)] = []
    units: Annotated[list[UnitRecord], Field(max_length=OWN_UNITS_MAX)] = []
