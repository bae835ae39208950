"""Weapons in a bearer's hands: their words, other Strengths, and attacks that a system adds."""

from dataclasses import replace
from typing import Any

import pytest

from engine.equipment import (
    CarriedWeapon,
    armour_gives,
    armour_save,
    attack_notes,
    carried_weapon,
    carried_weapons,
    paired_weapons,
    two_handed_attacks,
)
from engine.selection import Selection, select
from engine.stat_lines import armour_values, carried_items, stat_lines
from engine.types.lists import Armour, Army, Option, StatLine, Weapon
from tests.factories import make_entry

SWORD = Weapon("sword", "Sword", "melee", hands=1, strength="user")
AXE = Weapon("axe", "Axe", "melee", hands=1, strength="+1")
HAND = Weapon("hand-weapon", "Hand weapon", "melee", hands=1, strength="user")
POLE = Weapon("pole", "Pole", "melee", hands=2, strength="+2")
BOW = Weapon("bow", "Bow", "missile", range=24, hands=2, strength=3)


def carrying(army: Army, *weapons: Weapon, **fields: Any) -> tuple[Selection, Army]:
    """A captain of Strength 4 with these weapons, bought or printed."""
    captain = replace(
        army.profiles["captain"],
        default_items=tuple(one.key for one in weapons),
        lines=(StatLine("Captain", {"S": 4}, fields.pop("role", "model")),),
        options=(),
    )
    known = {one.key: one for one in weapons}
    changed = replace(army, profiles={"captain": captain}, weapons=known, **fields)
    return select(changed, make_entry(profile="captain")), changed


def notes(weapon: Weapon, *, mounted: bool = False) -> tuple[str, ...]:
    return carried_weapon(weapon, 4, is_mounted=mounted).notes


@pytest.mark.parametrize("traits, told", [
    ({}, ("two hands",)),
    ({"poison": True, "strikes_last": True}, ("two hands", "strikes last", "poisoned")),
    ({"poison": False}, ("two hands",)),
    ({"shots": 1}, ("two hands", "1 shot")),
    ({"shots": 3}, ("two hands", "3 shots")),
    ({"extra_save_modifier": -2}, ("two hands", "save −2")),
    ({"save_modifier": 0}, ("two hands", "save 0 in all")),
    ({"wounds": "D3"}, ("two hands", "D3 wounds")),
    (
        {"shots": 1, "close_shots": 2, "close_range": 8},
        ("two hands", "1 shot", "or 2 shots up to 8″"),
    ),
])  # fmt: skip
def test_a_weapon_is_told_by_its_traits(traits, told):
    assert notes(replace(POLE, traits=traits)) == told
    assert notes(replace(SWORD, traits=traits)) == told[1:]


STRENGTHS = {
    "strength_first_round": "+2",
    "strength_mounted_charging": "+3",
    "strength_foot_charging": "-1",
    "strength_charging": 5,
    "strength_mounted": "user",
}


def test_another_strength_is_told_with_when_it_counts() -> None:
    lance = replace(SWORD, traits=STRENGTHS)
    assert notes(lance) == ("S6 in the first round", "S3 charging", "S5 charging")
    assert notes(lance, mounted=True) == (
        "S6 in the first round", "S7 charging", "S5 charging", "S4 mounted",
    )  # fmt: skip
    on_foot, riding = (carried_weapon(lance, 4, is_mounted=one) for one in (False, True))
    assert on_foot.further == ((6, "first round"), (5, "charging"), (3, "charging"))
    assert riding.further == (
        (6, "first round"),
        (5, "charging"),
        (4, "mounted"),
        (7, "charging"),
    )
    assert carried_weapon(lance, 4).further == on_foot.further


def test_a_weapon_in_hand_has_the_figures_of_its_blow() -> None:
    assert carried_weapon(AXE, 4) == CarriedWeapon("axe", "Axe", None, 5)
    bow = carried_weapon(BOW, 4)
    assert (bow.range, bow.strength, bow.is_missile) == (24, 3, True)
    # A missile without a range is fought with.
    assert not carried_weapon(replace(BOW, range=None), 4).is_missile
    assert not carried_weapon(replace(POLE, range=2), 4).is_missile


def test_arms_stand_in_their_order_with_missiles_and_the_hand_weapon_last(empire):
    selection, army = carrying(empire, HAND, BOW, AXE, POLE)
    found = carried_weapons(selection, army)
    assert [(one.key, one.strength) for one in found] == [
        ("axe", 5),
        ("pole", 6),
        ("bow", 3),
        ("hand-weapon", 4),
    ]


def test_the_strength_is_never_the_mounts(empire: Army) -> None:
    selection, army = carrying(empire, AXE, role="mount")
    [axe] = carried_weapons(selection, army)
    assert axe.strength == "+1"


# Attacks that a system adds


@pytest.mark.parametrize("weapons, bonus, pair", [
    ((SWORD, AXE), 1, ["sword", "axe"]),
    ((HAND, SWORD), 1, ["sword", "hand-weapon"]),
    ((SWORD, AXE), 0, []), ((SWORD,), 1, []), ((SWORD, POLE), 1, []),
    ((SWORD, replace(BOW, hands=1)), 1, []),
    ((SWORD, replace(AXE, traits={"mounted_only": True})), 1, []),
    ((SWORD, replace(AXE, traits={"foot_only": True})), 1, ["sword", "axe"]),
])  # fmt: skip
def test_a_weapon_in_each_hand_gives_an_attack_where_the_system_says_so(
    empire: Army, weapons: tuple[Weapon, ...], bonus: int, pair: list[str]
) -> None:
    selection, army = carrying(empire, *weapons, two_weapon_attacks=bonus)
    assert [one.key for one in paired_weapons(selection, army)] == pair
    assert attack_notes(selection, army) == dict.fromkeys(
        pair, (f"+{bonus} attack with two weapons",)
    )


def test_in_the_saddle_other_weapons_make_a_pair(empire: Army) -> None:
    lance = replace(AXE, traits={"mounted_only": True})
    for riders, is_pair in (("rider", True), ("model", False)):
        selection, army = carrying(empire, SWORD, lance, role=riders, two_weapon_attacks=1)
        assert selection.is_mounted is (riders == "rider")
        assert bool(paired_weapons(selection, army)) is is_pair
    on_foot = replace(AXE, traits={"foot_only": True})
    selection, army = carrying(empire, SWORD, on_foot, role="rider", two_weapon_attacks=1)
    assert paired_weapons(selection, army) == ()


@pytest.mark.parametrize(
    "weapon, attacks",
    [(POLE, 2), (SWORD, 0), (BOW, 0), (replace(POLE, traits={"extra_attacks": 1}), 0)],
)
def test_a_two_handed_weapon_gives_attacks_where_the_system_says_so(
    empire: Army, weapon: Weapon, attacks: int
) -> None:
    selection, army = carrying(empire, weapon, two_handed_attacks=2)
    assert two_handed_attacks(weapon, army) == attacks
    assert attack_notes(selection, army) == (
        {weapon.key: ("+2 attack",)} if attacks else {}
    )
    told = carried_weapons(selection, army)[0].notes
    assert ("+2 attack" in told) is bool(attacks)
    assert two_handed_attacks(weapon, replace(army, two_handed_attacks=0)) == 0


# Armour beside a save


@pytest.mark.parametrize("traits, told", [
    ({}, ""),
    ({"defence": 2}, "defence +2"),
    ({"armour_values": (5, 4, 3)}, "armour values 5 front, 4 side, 3 rear"),
    ({"save_against_stunned": 4}, "4+ against being stunned"),
    ({"parry": True, "defence": 1}, "defence +1, parries"),
    ({"parry": False}, ""),
])  # fmt: skip
def test_armour_says_what_it_gives_beside_a_save(traits: dict[str, Any], told: str) -> None:
    assert armour_gives(Armour("x", "X", traits=traits)) == told


@pytest.mark.parametrize("piece, told", [
    (Armour("x", "Cap", save=6), ()),
    (
        Armour("x", "Cap", traits={"improves_in_combat": 1}),
        ("cap: 1 better in close combat",),
    ),
    (
        Armour("x", "Cap", improves=1, traits={"improves_vs_missiles": 3}),
        ("cap: 2 better against missiles",),
    ),
    (Armour("x", "Cap", traits={"initiative": -1}), ("cap: Initiative -1",)),
    (Armour("x", "Cap", traits={"parry": True}), ("cap: parries",)),
    (
        Armour("x", "Cap", traits={"save_vs_missiles": 5, "save_against_stunned": 4}),
        ("cap: 4+ against being stunned", "cap: 5+ against missiles"),
    ),
])  # fmt: skip
def test_a_save_tells_what_armour_does_at_times(system, empire, piece, told):
    selection, army = carrying(empire, HAND, armour={"x": piece})
    captain = replace(army.profiles["captain"], default_items=("x", "hand-weapon"))
    army = replace(army, profiles={"captain": captain})
    selection = select(army, make_entry(profile="captain"))
    assert armour_save(selection, army, system.saves).situational == told


# Stat lines in armour


@pytest.mark.parametrize("printed, traits, worn", [
    ({"D": 3}, {"defence": 2}, {"D": 5}),
    ({"D": None}, {"defence": 2}, {"D": None}),
    ({"D": 3}, {}, {"D": 3}),
    ({"D": 3, "F": 4, "B": None}, {"armour_values": (3, 2, 1)}, {"D": 3, "F": 4, "B": 2}),
    ({"D": 3, "F": 2}, {"armour_values": (5, 2)}, {"D": 3, "F": 5, "B": 2}),
])  # fmt: skip
def test_armour_betters_the_defence_and_gives_values_where_they_are_higher(
    empire: Army, printed: dict[str, Any], traits: dict[str, Any], worn: dict[str, Any]
) -> None:
    coat = Armour("coat", "Coat", traits=traits)
    captain = replace(
        empire.profiles["captain"],
        lines=(StatLine("Captain", printed),),
        default_items=("coat", "no-such-piece"),
    )
    army = replace(
        empire,
        profiles={"captain": captain},
        armour={"coat": coat},
        defence_stat="D",
        value_stats=("F", "B"),
    )
    [line] = stat_lines(select(army, make_entry(profile="captain")), army)
    assert line.stats == worn
    # Where nothing is bettered by armour the line stays as it is printed.
    plain = replace(army, defence_stat="")
    [line] = stat_lines(select(plain, make_entry(profile="captain")), plain)
    assert line.stats == printed
    assert armour_values(coat) == traits.get("armour_values", ())


def test_options_change_the_first_line_and_bring_their_own(empire: Army) -> None:
    hound = StatLine("Hound", {"M": 6})
    sold = (
        Option("drill", "Drill", 1, effect={"S": "+1", "M": 5}, adds_lines=(hound,)),
        Option("scar", "Scar", 1, effect={"S": "-1"}),
    )
    lines = (StatLine("Captain", {"S": 4, "M": 4}), StatLine("Squire", {"S": 3}))
    captain = replace(empire.profiles["captain"], lines=lines, options=sold)
    army = replace(empire, profiles={"captain": captain})

    def told(*options: str) -> list[dict[str, Any]]:
        selection = select(army, make_entry(profile="captain", options=options))
        return [dict(line.stats) for line in stat_lines(selection, army)]

    assert told() == [{"S": 4, "M": 4}, {"S": 3}]
    assert told("drill") == [{"S": 5, "M": 5}, {"S": 3}, {"M": 6}]
    assert told("drill", "scar") == [{"S": 4, "M": 5}, {"S": 3}, {"M": 6}]
    bare = replace(army, profiles={"captain": replace(captain, lines=())})
    selection = select(bare, make_entry(profile="captain", options=["drill"]))
    assert stat_lines(selection, bare) == (hound,)


def test_one_piece_goes_for_each_item_of_a_default_that_is_replaced(empire: Army) -> None:
    pair = Option(
        "pair", "Pair", 0, items=("sword", "sword"), group="arms", is_default=True,
        is_exclusive=True,
    )  # fmt: skip
    axe = Option("axe", "Axe", 1, items=("axe",), group="arms", is_exclusive=True)
    captain = replace(
        empire.profiles["captain"],
        options=(pair, axe),
        default_items=("sword", "sword", "sword", "shield"),
    )
    army = replace(empire, profiles={"captain": captain})

    def items(*options: str) -> tuple[str, ...]:
        return carried_items(select(army, make_entry(profile="captain", options=options)))

    assert items() == ("sword", "shield")
    # The third sword is not of the pair.
    assert items("axe") == ("sword", "shield", "axe")
    two = replace(captain, default_items=("sword", "sword", "shield"))
    army = replace(empire, profiles={"captain": two})
    assert items("axe") == ("shield", "axe")
    assert items("axe", "pair") == ("sword", "shield", "axe")
