"""The only readers of warbands: a fixed number of queries each, frozen values out."""

from warbands.queries.lists import (
    army_name,
    club_warbands,
    public_warbands,
    system_name,
    warbands_of,
)
from warbands.queries.loading import (
    check_document,
    check_warband,
    history,
    last_change,
    load_warband,
    sheet_of,
    sheet_of_roster,
)
from warbands.queries.measuring import effects_for
from warbands.queries.picking import (
    army_choices,
    choices_for,
    fix_fields,
    load_picker,
)
from warbands.queries.records import (
    ArmyChoice,
    HistoryRow,
    MagicChoices,
    PickerCategory,
    PickerProfile,
    Starter,
    StarterRow,
    WarbandPage,
    WarbandRecord,
    WarbandRow,
    WarriorChoices,
)
from warbands.queries.starters import first_starter, starter, starters
from warbands.scenarios import load_scenario
from warbands.scenarios import offered_scenarios as scenario_choices

__all__ = [
    "ArmyChoice",
    "HistoryRow",
    "MagicChoices",
    "PickerCategory",
    "PickerProfile",
    "Starter",
    "StarterRow",
    "WarbandPage",
    "WarbandRecord",
    "WarbandRow",
    "WarriorChoices",
    "army_choices",
    "army_name",
    "check_document",
    "check_warband",
    "choices_for",
    "club_warbands",
    "effects_for",
    "first_starter",
    "fix_fields",
    "history",
    "last_change",
    "load_picker",
    "load_scenario",
    "load_warband",
    "public_warbands",
    "scenario_choices",
    "sheet_of",
    "sheet_of_roster",
    "starter",
    "starters",
    "system_name",
    "warbands_of",
]
