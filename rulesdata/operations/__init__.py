"""The only writers of the rule books: the load of the packs, and the scenarios of people."""

from rulesdata.operations.packs import load_packs
from rulesdata.operations.scenarios import (
    Draft,
    Side,
    archive_scenario,
    change_scenario,
    create_scenario,
    restore_scenario,
)

__all__ = [
    "Draft",
    "Side",
    "archive_scenario",
    "change_scenario",
    "create_scenario",
    "load_packs",
    "restore_scenario",
]
