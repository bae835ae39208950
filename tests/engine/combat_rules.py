"""The values of each system that a die's meaning depends on, as its pack will hold them in a block
called combat.
"""

from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.combat.fighters import CasualtyCount
from engine.rules import CombatRules


@dataclass(frozen=True)
class AttackResult:
    """What became of the target: the name of it, and the tally behind the name."""

    outcome: str
    target: CasualtyCount


MELEE = {
    1: [4, 4, 5, 5, 5, 5, 5, 5, 5, 5],
    2: [3, 4, 4, 4, 5, 5, 5, 5, 5, 5],
    3: [3, 3, 4, 4, 4, 4, 5, 5, 5, 5],
    4: [3, 3, 3, 4, 4, 4, 4, 4, 5, 5],
    5: [3, 3, 3, 3, 4, 4, 4, 4, 4, 4],
    6: [3, 3, 3, 3, 3, 4, 4, 4, 4, 4],
    7: [3, 3, 3, 3, 3, 3, 4, 4, 4, 4],
    8: [3, 3, 3, 3, 3, 3, 3, 4, 4, 4],
    9: [3, 3, 3, 3, 3, 3, 3, 3, 4, 4],
    10: [3, 3, 3, 3, 3, 3, 3, 3, 3, 4],
}
WOUND = {
    1: [4, 5, 6, 6, None, None, None, None, None, None],
    2: [3, 4, 5, 6, 6, None, None, None, None, None],
    3: [2, 3, 4, 5, 6, 6, None, None, None, None],
    4: [2, 2, 3, 4, 5, 6, 6, None, None, None],
    5: [2, 2, 2, 3, 4, 5, 6, 6, None, None],
    6: [2, 2, 2, 2, 3, 4, 5, 6, 6, None],
    7: [2, 2, 2, 2, 2, 3, 4, 5, 6, 6],
    8: [2, 2, 2, 2, 2, 2, 3, 4, 5, 6],
    9: [2, 2, 2, 2, 2, 2, 2, 3, 4, 5],
    10: [2, 2, 2, 2, 2, 2, 2, 2, 3, 4],
}
CHARTS = {
    "to_hit_melee": MELEE,
    "to_hit_shooting": {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1, 7: 0, 8: -1, 9: -2, 10: -3},
    "to_wound": WOUND,
    "save_modifier": {"1–3": 0, 4: -1, 5: -2, 6: -3, 7: -4, 8: -5, 9: -6, 10: -7},
}
CRITICAL_TABLES = {
    "two_wounds": [{"wounds": 2, "save": "none"}],
    "draft_table": [
        {"first": 1, "last": 2, "wounds": 1, "save": "none"},
        {"first": 3, "last": 4, "wounds": 2, "save": "each"},
        {"first": 5, "last": 6, "wounds": 2, "save": "none", "injury_bonus": 2},
    ],
    "page_table": [
        {"first": 1, "last": 2, "wounds": 2, "save": "first"},
        {"first": 3, "last": 4, "wounds": 2, "save": "none"},
        {"first": 5, "last": 6, "wounds": 2, "save": "none", "injury_bonus": 2},
    ],
}
INJURY_TABLES = {
    "standard": [
        {"first": 1, "last": 2, "result": "knocked_down"},
        {"first": 3, "last": 4, "result": "stunned"},
        {"first": 5, "last": 6, "result": "out_of_action"},
    ],
    "stun_2_4": [
        {"first": 1, "last": 1, "result": "knocked_down"},
        {"first": 2, "last": 4, "result": "stunned"},
        {"first": 5, "last": 6, "result": "out_of_action"},
    ],
}
PARRIES = {
    "page": {"reroll": True, "double_strength_bar": True},
    "summary": {"reroll": False, "double_strength_bar": False},
}

PAGE_PARRIES = {
    **PARRIES,
    "page": {"reroll": True, "double_strength_bar": True, "needed_six": True},
    "strict": {"reroll": True, "double_strength_bar": True},
}

SKIRMISH: dict[str, Any] = {
    "charts": CHARTS,
    "criticals": {
        "tables": CRITICAL_TABLES,
        "critical_mode": "two_wounds",
        "critical_if_six_needed": False,
        "critical_limit": 1,
        "critical_double": "wounds",
        "poison_respects_critical_bar": True,
        "poison_auto_wound_may_crit": False,
    },
    "injuries": {"tables": INJURY_TABLES, "injury_worst_stands": True, "helmet": 4},
    "melee": {
        "attack_knocked_down": "auto_hit",
        "attack_stunned": "always",
        "same_phase_finish_by_second_model": True,
        "parries": PARRIES,
        "parry": "none",
    },
    "falls": {
        "highest_jump": 6,
        "inches_per_test": 2,
        "height_test_rounding": "full",
        "diving_strength": "flat",
        "fall_003a_initiative_tests": "none",
    },
    "tests": {"natural_6_fails_initiative": True, "leadership_dice": 2},
    "morale": {
        "rout": {"numerator": 1, "denominator": 4},
        "voluntary_rout_test": False,
        "all_alone_from": 2,
        "rally": True,
        "stupidity": "none",
    },
    "house": {"cavalry_hit": True, "swarm_hits": True},
}
DRAFT: dict[str, Any] = {
    "charts": CHARTS,
    "criticals": {
        "tables": CRITICAL_TABLES,
        "critical_mode": "draft_table",
        "critical_if_six_needed": True,
        "critical_limit": "none",
    },
    "injuries": {"tables": INJURY_TABLES},
    "melee": {
        "attack_knocked_down": "roll_to_hit",
        "attack_stunned": "down_at_start",
        "same_phase_finish_by_second_model": False,
        "parries": PARRIES,
        "parry": "none",
    },
    "falls": {
        "height_test_rounding": "full",
        "diving_strength": "per_full_2_in",
        "fall_003a_initiative_tests": "none",
    },
    "tests": {"natural_6_fails_initiative": True},
    "morale": {
        "rout": {"numerator": 1, "denominator": 4},
        "rout_test": False,
        "all_alone_from": "none",
        "rally": False,
        "stupidity": "none",
    },
}
PAGE: dict[str, Any] = {
    "charts": {
        **CHARTS,
        "save_modifier": {"1–3": 0, 4: -1, 5: -2, 6: -3, 7: -4, 8: -5, "9–10": -6},
    },
    "criticals": {
        "tables": CRITICAL_TABLES,
        "critical_mode": "page_table",
        "critical_if_six_needed": False,
        "critical_limit": 1,
    },
    "injuries": {"tables": INJURY_TABLES},
    "melee": {
        "attack_knocked_down": "auto_hit",
        "attack_stunned": "always",
        "same_phase_finish_by_second_model": True,
        "parries": PAGE_PARRIES,
        "parry": "page",
    },
    "falls": {
        "height_test_rounding": "started",
        "diving_strength": "flat",
        "fall_003a_initiative_tests": True,
    },
    "tests": {"natural_6_fails_initiative": False},
    "morale": {
        "rout": {"numerator": 1, "denominator": 4, "voluntary_from": 2},
        "voluntary_rout_test": True,
        "all_alone_from": 2,
        "rally": True,
        "stupidity": [
            {"first": 1, "last": 3, "result": "lurches_forward"},
            {"first": 4, "last": 6, "result": "does_nothing"},
        ],
    },
}
SUMMARY: dict[str, Any] = deepcopy(DRAFT)
SUMMARY["falls"]["diving_strength"] = "flat"
SUMMARY["melee"]["parry"] = "summary"
REGIMENTS: dict[str, Any] = {
    "charts": CHARTS,
    "tests": {"natural_6_fails_initiative": "none", "leadership_dice": 2},
    "units": {
        "armour": {
            "none": {"foot": "none", "mounted": 6},
            "light": {"foot": 6, "mounted": 5},
            "heavy": {"foot": 5, "mounted": 4},
            "cuirassier": {"foot": 4, "mounted": 3},
        },
        "target_bonus": 1,
        "obstacle_need": 6,
        "score": {
            "rank": 1,
            "standard": 1,
            "high_ground": 1,
            "flank": 1,
            "rear": 2,
            "outnumber": 1,
        },
        "most_ranks": 3,
        "panic_part": 4,
    },
}
D10: dict[str, Any] = {
    "duels": {
        "die": 10,
        "bonus_die": 6,
        "most_bonus_dice": 6,
        "recovers_from": 6,
        "big_table": [
            {"first": 1, "last": 2, "result": "removed"},
            {"first": 3, "last": 3, "result": "immobilised"},
            {"first": 4, "last": 4, "result": "explodes"},
        ],
        "command_die": 20,
        "prices": {
            "table": {1: 1, 2: 2, 3: 4, 4: 7, 5: 12, 6: 20},
            "flat": {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6},
        },
        "bonus_dice_cost": "table",
    },
}

SKIRMISH_KEY, REGIMENTS_KEY, DRAFT_KEY, D10_KEY = (
    "warhammer-skirmish",
    "english-civil-war",
    "mordheim-draft",
    "d10-skirmish",
)
PAGE_KEY, SUMMARY_KEY, RETYPED_KEY = (
    "mordheim-rulings A",
    "mordheim-rulings B",
    "mordheim-rulings C",
)

SYSTEMS: dict[str, dict[str, Any]] = {
    SKIRMISH_KEY: SKIRMISH,
    REGIMENTS_KEY: REGIMENTS,
    DRAFT_KEY: DRAFT,
    PAGE_KEY: PAGE,
    SUMMARY_KEY: SUMMARY,
    RETYPED_KEY: DRAFT,
    D10_KEY: D10,
}
WARRIOR_SYSTEMS = (SKIRMISH_KEY, DRAFT_KEY, PAGE_KEY, SUMMARY_KEY, RETYPED_KEY)


@cache
def rules(system: str) -> CombatRules:
    """The rules of a system, or of one variant of it written after a space."""
    return CombatRules.from_mapping(SYSTEMS[system])
