"""The only readers of the rule books: one module for each kind of page, gathered here by name."""

from rulesdata.queries.book import (
    load_armies,
    load_army_page,
    load_magic_items,
    load_system_page,
    load_systems,
)
from rulesdata.queries.charts import NotOnTheChart, load_charts
from rulesdata.queries.comparing import compare
from rulesdata.queries.gear import load_armour, load_weapons
from rulesdata.queries.loaded import packs_are_loaded
from rulesdata.queries.scenarios import load_carried_scenario, load_scenario, scenario_choices
from rulesdata.queries.searching import BadSearch, search
from rulesdata.queries.shelf import NotInRuleBook
from rulesdata.queries.units import load_unit

__all__ = [
    "BadSearch",
    "NotInRuleBook",
    "NotOnTheChart",
    "compare",
    "load_armies",
    "load_armour",
    "load_army_page",
    "load_carried_scenario",
    "load_charts",
    "load_magic_items",
    "load_scenario",
    "load_system_page",
    "load_systems",
    "load_unit",
    "load_weapons",
    "packs_are_loaded",
    "scenario_choices",
    "search",
]
