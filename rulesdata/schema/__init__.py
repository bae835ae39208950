"""The shape of every file of a pack, checked by pydantic: what is not listed here is a fault.

Django is not needed.
"""

from pydantic import BaseModel

from rulesdata.schema.battle import BattleFile
from rulesdata.schema.equipment import CommonFile
from rulesdata.schema.lists import ArmyFile, CollectionFile, MagicItemsFile, OwnListFile
from rulesdata.schema.system import (
    ChartsFile,
    CombatFile,
    EquipmentFile,
    GuidelinesFile,
    HouseRulesFile,
    NotesFile,
    RulingsFile,
    ScenariosFile,
    StatesFile,
    SystemFile,
)

FILES: dict[str, type[BaseModel]] = {
    "collection": CollectionFile,
    "common": CommonFile,
    "army": ArmyFile,
    "magic-items": MagicItemsFile,
    "own-list": OwnListFile,
    "system": SystemFile,
    "charts": ChartsFile,
    "guidelines": GuidelinesFile,
    "house-rules": HouseRulesFile,
    "rulings": RulingsFile,
    "states": StatesFile,
    "notes": NotesFile,
    "scenarios": ScenariosFile,
    "equipment": EquipmentFile,
    "combat": CombatFile,
    "battle": BattleFile,
}
