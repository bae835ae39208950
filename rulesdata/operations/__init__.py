"""The only writers of the rule books: the load of the packs, the scenarios of people, and what clubs write."""

from rulesdata.operations.levels import set_levels
from rulesdata.operations.own_files import Uploaded, upload_list
from rulesdata.operations.own_lists import (
    ListDraft,
    change_list,
    create_list,
    restore_list,
    retire_list,
)
from rulesdata.operations.own_records import bring_back, put_away, save_record
from rulesdata.operations.packs import load_packs
from rulesdata.operations.scenarios import (
    ScenarioDraft,
    ScenarioSide,
    archive_scenario,
    change_scenario,
    create_scenario,
    restore_scenario,
)

__all__ = [
    "ListDraft",
    "ScenarioDraft",
    "ScenarioSide",
    "Uploaded",
    "archive_scenario",
    "bring_back",
    "change_list",
    "change_scenario",
    "create_list",
    "create_scenario",
    "load_packs",
    "put_away",
    "restore_list",
    "restore_scenario",
    "retire_list",
    "save_record",
    "set_levels",
    "upload_list",
]
