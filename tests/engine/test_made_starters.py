"""How a starter is chosen, by lists of a few made-up profiles."""

from dataclasses import replace
from typing import Any

import pytest

from engine.roster import Roster
from engine.starters import build_starter
from engine.types.lists import Army, JoiningTerms, Option, Profile, ReadyWarband, StatLine
from engine.types.mechanics import Guideline
from engine.types.systems import System
from tests.factories import make_entry

BLANK = Profile("x", "X", "a", "core", "infantry", 10, (StatLine("X", {"Ld": 7}),))
HERO = replace(
    BLANK, key="hero", category="hero", points=40, lines=(StatLine("Hero", {"Ld": 8}),)
)


def man(key: str, points: int, **fields: Any) -> Profile:
    return replace(BLANK, key=key, name=key, points=points, **fields)


def built(system, empire, *profiles, limit=100, **fields) -> Roster:
    """The starter of a list of these profiles, in a system that asks for nothing."""
    army = replace(empire, profiles={one.key: one for one in profiles}, **fields)
    return build_starter(
        replace(system, guidelines=fields.get("guidelines", ())), army, limit
    )


def told(roster: Roster) -> str:
    leader, *others = roster.warriors
    assert leader.is_leader
    assert leader.count == 1
    return " ".join([leader.profile, *(f"{one.count}x{one.profile}" for one in others)])


def test_what_a_list_offers_ready_made_is_taken(system: System, empire: Army) -> None:
    ready = ReadyWarband("The watch", 120, (make_entry(profile="hero"),))
    roster = built(system, empire, HERO, man("a", 10), starter=ready)
    assert roster == Roster(
        system.key, empire.key, "The watch", 120, system.variant, warriors=ready.warriors
    )


def test_a_starter_is_named_by_its_list_or_as_the_list_says(system, empire):
    roster = built(system, empire, HERO, man("a", 10), starter_name="")
    assert (roster.name, roster.points_limit) == ("The Empire: border patrol", 100)
    named = built(system, empire, HERO, man("a", 10), starter_name="The watch")
    assert named.name == "The watch"
    assert (roster.system, roster.army, roster.variant) == (
        system.key, empire.key, system.variant,
    )  # fmt: skip


def test_the_limit_is_150_unless_it_is_said(system: System, empire: Army) -> None:
    army = replace(empire, profiles={"hero": HERO, "a": man("a", 10)})
    plain = replace(system, guidelines=())
    assert build_starter(plain, army) == build_starter(plain, army, 150)


@pytest.mark.parametrize("troops, chosen", [
    # As many as the points buy.
    ([("a", 10)], "hero 6xa"),
    ([("a", 10), ("b", 10)], "hero 3xa 3xb"),
    # The fewer points are left, the better, then more kinds, then even numbers.
    ([("a", 7), ("b", 13)], "hero 3xa 3xb"),
    ([("a", 12), ("b", 15), ("c", 20)], "hero 2xa 1xb 1xc"),
    ([("a", 30)], "hero 2xa"), ([("a", 60)], "hero 1xa"),
])  # fmt: skip
def test_troops_are_of_many_kinds_and_spend_the_points(system, empire, troops, chosen):
    roster = built(system, empire, HERO, *(man(key, points) for key, points in troops))
    assert told(roster) == chosen


def test_no_more_than_three_kinds_and_fifteen_models(system: System, empire: Army) -> None:
    troops = [man(key, 1) for key in "abcd"]
    roster = built(system, empire, HERO, *troops)
    assert len(roster.warriors) == 4
    assert sum(one.count for one in roster.warriors) == 15
    alone = built(system, empire, HERO, man("a", 1))
    assert told(alone) == "hero 14xa"


def test_missiles_stand_beside_other_arms(system: System, empire: Army) -> None:
    archers = man("archers", 10, default_items=("longbow",))
    troops = (man("a", 10), man("b", 10), archers, man("d", 10))
    roster = built(system, empire, HERO, *troops)
    assert "archers" in told(roster)


def test_a_list_without_points_for_troops_has_no_starter(system, empire):
    assert built(system, empire, HERO).warriors == ()
    assert built(system, empire, HERO, man("a", 61)).warriors == ()
    assert built(system, empire, HERO, man("a", 60)).warriors


@pytest.mark.parametrize("fields", [
    {"is_offered": False}, {"points": 0},
    {"is_special_character": True},
    {"is_regiment_of_renown": True},
    {"incomplete": ("No save.",)},
    {"upgrade_of": ("a",)},
    {"requires_army": ("Averland",)},
    {"basis": "unit"},
    {"joining": JoiningTerms(rarity=7)},
    {"joining": JoiningTerms(upkeep=0)},
])  # fmt: skip
def test_a_starter_has_nobody_out_of_the_ordinary(system, empire, fields):
    usual, odd = man("a", 10), replace(man("b", 5), **fields)
    roster = built(system, empire, HERO, usual, odd)
    assert {one.profile for one in roster.warriors} == {"hero", "a"}
    # Whoever only brings experience is one like the others.
    learned = man("b", 10, joining=JoiningTerms(experience=3))
    roster = built(system, empire, HERO, usual, learned)
    assert told(roster) == "hero 3xa 3xb"


@pytest.mark.parametrize("leaders, chosen", [
    # A hero before others, then whoever is not too dear, of most Leadership, cheapest.
    ([("lord", 40, "lord", 9), ("chief", 40, "hero", 8)], "chief"),
    ([("b", 40, "hero", 8), ("a", 40, "hero", 8)], "a"),
    ([("a", 40, "hero", 8), ("b", 40, "hero", 9)], "b"),
    ([("a", 50, "hero", 8), ("b", 40, "hero", 8)], "b"),
    ([("a", 66, "hero", 9), ("b", 65, "hero", 8)], "b"),
    ([("a", 65, "hero", 9), ("b", 64, "hero", 8)], "a"),
])  # fmt: skip
def test_the_best_leader_leads(system, empire, leaders, chosen):
    able = [
        man(key, points, category=category, lines=(StatLine(key, {"Ld": leadership}),))
        for key, points, category, leadership in leaders
    ]
    roster = built(system, empire, *able, man("z", 5, lines=(StatLine("z", {"Ld": 6}),)))
    assert roster.warriors[0].profile == chosen


def test_nobody_follows_who_has_more_leadership(system: System, empire: Army) -> None:
    proud = man("a", 10, lines=(StatLine("a", {"Ld": 9}),))
    even = man("b", 10, lines=(StatLine("b", {"Ld": 8}),))
    assert told(built(system, empire, HERO, proud, even)) == "hero 6xb"


def test_what_a_list_allows_few_of_is_for_want_of_others(system, empire):
    few = man("a", 10, army_max=9)
    assert told(built(system, empire, HERO, few, man("b", 12))) == "hero 5xb"
    assert told(built(system, empire, HERO, few)) == "hero 6xa"


def test_the_mildest_troops_are_taken(system: System, empire: Army) -> None:
    rare = Guideline(
        "rare", "category", "warning", "Rare.", parameters={"categories": ["rare"]}
    )
    odd = man("a", 10, category="rare")
    army = replace(empire, profiles={one.key: one for one in (HERO, odd, man("b", 12))})
    played = replace(system, guidelines=(rare,))
    assert told(build_starter(played, army, 100)) == "hero 5xb"
    none = replace(system, guidelines=())
    assert told(build_starter(none, army, 100)) != "hero 5xb"


# Gear


ARMOUR = Option("mail", "Mail", 10, kind="armour", group="armour")
PLATE = Option("plate", "Plate", 12, kind="armour", group="armour")
SHIELD = Option("shield", "Shield", 5, kind="shield")
SWORD = Option("sword", "Sword", 3, kind="weapon")


def gear(system: System, empire: Army, *sold: Option, limit: int) -> tuple[str, ...]:
    leader = replace(HERO, options=sold)
    roster = built(system, empire, leader, man("a", 50), limit=limit)
    assert told(roster) == "hero 1xa"
    return roster.warriors[0].options


@pytest.mark.parametrize("limit, bought", [
    (92, ()), (93, ("sword",)), (95, ("shield",)), (98, ("shield", "sword")),
    (100, ("mail",)), (107, ("mail", "shield")),
    (108, ("mail", "shield", "sword")),
])  # fmt: skip
def test_a_leader_is_armed_from_what_is_left_armour_first(system, empire, limit, bought):
    assert gear(system, empire, SWORD, SHIELD, ARMOUR, PLATE, limit=limit) == bought


@pytest.mark.parametrize(
    "fields", [{"kind": "mount"}, {"points": 0}, {"is_trade_only": True}]
)
def test_a_leader_buys_no_mount_and_nothing_free_or_of_campaigns(system, empire, fields):
    assert gear(system, empire, replace(SWORD, **fields), limit=99) == ()


def test_a_leader_buys_nothing_that_a_rule_is_against(system: System, empire: Army) -> None:
    needy = replace(SHIELD, requires=("horse",))
    rule = Guideline("need", "option_requirement", "error", "{name}: {reason}.")
    leader = replace(HERO, options=(needy, SWORD))
    army = replace(empire, profiles={"hero": leader, "a": man("a", 50)})
    roster = build_starter(replace(system, guidelines=(rule,)), army, 99)
    assert roster.warriors[0].options == ("sword",)


def test_what_a_profile_must_buy_is_bought_with_it(system: System, empire: Army) -> None:
    one = Option("axe", "Axe", 4, group="arms", is_required=True, kind="other")
    dear = replace(one, key="bow", name="Bow", points=9)
    horse = Option("horse", "Horse", 6, is_default=True, kind="mount")
    free = Option("club", "Club", 0, group="tools", is_required=True, is_default=True)
    leader = replace(HERO, options=(dear, one, horse, free))
    roster = built(system, empire, leader, man("a", 50))
    assert roster.warriors[0].options == ("horse", "axe")


def test_a_warband_that_leaves_more_than_half_unspent_is_for_want_of_others(system, empire):
    # Fourteen men of one point each: the hero's warband costs 50, or 49.
    lord = man("lord", 60, category="lord", lines=(StatLine("Lord", {"Ld": 9}),))
    assert "lord" in empire.characters
    for points, leader in ((36, "hero"), (35, "lord")):
        hero = replace(HERO, points=points)
        assert told(built(system, empire, hero, lord, man("a", 1))) == f"{leader} 14xa"
