"""Rules out of a pack's mapping: what is read, what is refused, and where the fault lies; rulings
on top of them.
"""

from copy import deepcopy
from dataclasses import fields, is_dataclass
from fractions import Fraction as F
from pathlib import Path

import pytest
import yaml

import engine.rules
from engine.calls import available, evaluate
from engine.errors import Refusal
from engine.rules import UNCOUNTED_RULINGS, CombatRules
from rulesdata import registry
from tests.engine.combat_rules import (
    DRAFT_KEY,
    PAGE_KEY,
    REGIMENTS_KEY,
    RETYPED_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    SYSTEMS,
    WARRIOR_SYSTEMS,
    rules,
)

SKIRMISH = registry.load_system(SKIRMISH_KEY).combat


@pytest.mark.parametrize("path,value,message", [
    (("charts", "to_wound", 3), [2, 3], "combat.charts.to_wound 3: 2 figures"),
    (("charts", "save_modifier"), {"1–3": 0}, "combat.charts.save_modifier: give each"),
    (("criticals", "critical_mode"), "nonsense", "critical_mode is one of two_wounds"),
    (("criticals", "oddity"), 1, "combat.criticals: oddity is not known here"),
    (("injuries", "tables", "standard"), [], "combat.injuries.tables.standard: no row"),
    (
        ("injuries", "tables", "standard"),
        [{"first": 1, "last": 6, "result": "dead"}],
        "standard 1: give a result, one of knocked_down, stunned, out_of_action",
    ),
    (("injuries", "tables"), {}, "combat.injuries: tables: the table standard is missing"),
    (("melee", "parry"), "third", "combat.melee: parry is one of page, summary, none"),
    (("tests",), [], "combat.tests: give a mapping"),
    (("morale", "rout"), {"numerator": 1}, "combat.morale.rout: denominator is missing"),
])  # fmt: skip
def test_a_fault_is_told_with_its_place(path, value, message):
    data = deepcopy(SKIRMISH)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        CombatRules.from_mapping(data)


@pytest.mark.parametrize("data", [None, [], "combat"])
def test_rules_are_a_mapping(data):
    with pytest.raises(ValueError, match="combat: give a mapping"):
        CombatRules.from_mapping(data)


def test_results_may_be_written_with_hyphens():
    data = deepcopy(SKIRMISH)
    for row in data["injuries"]["tables"]["standard"]:
        row["result"] = row["result"].replace("_", "-")
    assert CombatRules.from_mapping(data).injuries.tables["standard"] == (1, 1, 2, 2, 3, 3)


HIT = {"strength": 3, "toughness": 3}
RULED = yaml.safe_load((Path(__file__).parent / "rulings.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", RULED, ids=[f"{c['system']} {c['rulings']}" for c in RULED]
)
def test_a_ruling_changes_the_figure_it_is_about(case):
    system = rules(" ".join(filter(None, (case["system"], case.get("variant")))))
    ruled = evaluate(
        system.with_rulings(case["rulings"]), case["call"], case["inputs"]
    ).outcomes.get(case["outcome"], F(0))
    assert ruled == F(case["chance"])


def test_every_ruling_has_a_case():
    marked = {
        field.name
        for key in SYSTEMS
        for part in fields(rules(key))
        if getattr(rules(key), part.name) is not None
        for field in fields(getattr(rules(key), part.name))
        if field.metadata["ruling"]
    }
    without_dice = {
        "voluntary_rout_test", "low_av_melee_only", "penetration_must_reach",
        "melee_weapon_defends", "armour_guards_attacker",
    }  # fmt: skip
    assert marked - without_dice == {key for case in RULED for key in case["rulings"]}


def test_a_ruling_leaves_the_rules_it_was_made_from_alone():
    before = evaluate(rules(SKIRMISH_KEY), "hit", HIT)
    rules(SKIRMISH_KEY).with_rulings({"critical_mode": "page_table"})
    assert evaluate(rules(SKIRMISH_KEY), "hit", HIT) == before


@pytest.mark.parametrize("rulings,message", [
    ({"nonsense": 1}, "no ruling 'nonsense'"),
    ({"rally": True}, "no ruling 'rally'"),
    ({"leadership_dice": 3}, "whole number from 1 to 2"),
    ({"natural_6_fails_initiative": None}, "give true or false"),
    ({"bonus_dice_cost": "flat"}, "no ruling 'bonus_dice_cost'"),
    ({"critical_mode": "x"}, "critical_mode is one of two_wounds, draft_table, page_table"),
    ({"critical_limit": 7}, "whole number from 1 to 1"),
    ({"natural_6_fails_initiative": "yes"}, "true or false"),
])  # fmt: skip
def test_a_ruling_that_cannot_be_is_refused_by_name(rulings, message):
    with pytest.raises(Refusal, match=f"(?i){message}") as caught:
        rules(SKIRMISH_KEY).with_rulings(rulings)
    assert caught.value.field == f"rulings.{next(iter(rulings))}"


def test_rulings_without_dice_change_nothing():
    rulings = dict.fromkeys(UNCOUNTED_RULINGS, "whatever")
    assert evaluate(rules(SKIRMISH_KEY).with_rulings(rulings), "hit", HIT) == evaluate(
        rules(SKIRMISH_KEY), "hit", HIT
    )


def test_texts_without_a_rule_have_no_call_for_it():
    assert not {"all_alone", "stupidity", "fall_003a", "swarm_hits"} & set(
        available(rules(SUMMARY_KEY))
    )
    assert set(available(rules(RETYPED_KEY))) == set(available(rules(DRAFT_KEY)))
    assert {"stupidity", "fall_003a", "all_alone"} <= set(available(rules(PAGE_KEY)))
    assert "hit" not in available(rules(REGIMENTS_KEY))
    assert all("hit" in available(rules(system)) for system in WARRIOR_SYSTEMS)
    with pytest.raises(Refusal, match="no call 'all_alone'") as caught:
        evaluate(
            rules(DRAFT_KEY),
            "all_alone",
            {"leadership": 7, "opponents": [3, 3], "toughness": 3},
        )
    assert caught.value.field == "call"


RANGES = {
    "Charts.best_save": (1, 6), "CriticalRow.wounds": (1, 3),
    "CriticalRow.injury_bonus": (0, 5), "Criticals.critical_limit": (1, 1),
    "Injuries.helmet": (2, 6), "Falls.highest_jump": (1, 20),
    "Falls.inches_per_test": (1, 6), "Tests.leadership_dice": (1, 2),
    "RoutRule.numerator": (1, 100), "RoutRule.denominator": (1, 100),
    "RoutRule.voluntary_from": (1, 100), "Morale.all_alone_from": (1, 10),
    "SaveRow.foot": (2, 6), "SaveRow.mounted": (2, 6), "Units.target_bonus": (0, 3),
    "Units.obstacle_need": (2, 6), "Units.most_ranks": (0, 9), "Units.panic_part": (1, 100),
    "Duels.die": (2, 20), "Duels.bonus_die": (2, 20), "Duels.most_bonus_dice": (0, 12),
    "Duels.recovers_from": (2, 20), "Duels.command_die": (2, 20),
}  # fmt: skip
"""The least and the most of every whole number of the rules, by section and field."""
LISTED = {
    ("Charts", "to_hit_melee"): (2, 6, lambda n: {row: [n] * 10 for row in range(1, 11)}),
    ("Charts", "to_hit_shooting"): (-20, 20, lambda n: dict.fromkeys(range(1, 11), n)),
    ("Charts", "to_wound"): (2, 6, lambda n: {row: [n] * 10 for row in range(1, 11)}),
    ("Units", "score"): (0, 9, lambda n: {"standard": n}),
    ("Duels", "prices"): (1, 100, lambda n: {"attack": dict.fromkeys(range(1, 7), n)}),
}


def is_read(section: str, field: str, value: object) -> bool:
    found = next(one for one in fields(getattr(engine.rules, section)) if one.name == field)
    try:
        found.metadata["read"](value, field)
    except ValueError:
        return False
    return True


def test_every_whole_number_has_both_ends():
    sections = [name for name, one in vars(engine.rules).items() if is_dataclass(one)]
    assert {name for section in sections for name in whole_numbers(section)} == set(RANGES)


def whole_numbers(section: str) -> list[str]:
    known = [f.name for f in fields(getattr(engine.rules, section)) if "read" in f.metadata]
    return [
        f"{section}.{name}"
        for name in known
        if is_read(section, name, 1) or is_read(section, name, 2)
    ]


@pytest.mark.parametrize("name", RANGES)
def test_whole_number_is_read_between_its_ends_alone(name):
    section, _, field = name.partition(".")
    low, high = RANGES[name]
    read = [is_read(section, field, n) for n in (low - 1, low, high, high + 1)]
    assert read == [False, True, True, False]


@pytest.mark.parametrize("section,field", LISTED)
def test_listed_numbers_are_read_between_their_ends_alone(section, field):
    low, high, made = LISTED[section, field]
    read = [is_read(section, field, made(n)) for n in (low - 1, low, high, high + 1)]
    assert read == [False, True, True, False]
