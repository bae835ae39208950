"""Two weapons and two-handed ones in version A of the Mordheim rulings (003 L169; ruling C37)."""

import pytest

from engine.equipment import carried_weapons
from engine.roster import Agreement, RosterEntry
from engine.selection import select
from odds.combat_profiles import CombatProfile, read_combat_profile
from rulesdata import registry

SYSTEM = "mordheim-rulings"
CAPTAIN = ("own-sword", "shield")


def fighter(
    *options: str,
    variant: str = "A",
    rulings: tuple[tuple[str, int], ...] = (),
    profile: str = "captain",
) -> CombatProfile:
    system = registry.load_system(SYSTEM, variant, Agreement(rulings))
    army = registry.fielded_army(system, "the-empire")
    found = read_combat_profile(RosterEntry(profile, options=options), army, system)
    assert found
    return found


def attacks(found: CombatProfile) -> dict[str, int | None]:
    return {held.key: held.attacks for held in found.melee}


def test_a_weapon_in_each_hand_gives_one_attack_more() -> None:
    # An Empire captain has three Attacks.
    assert attacks(fighter("own-sword")) == {
        "sword-and-hand-weapon": 4,
        "sword": 3,
        "hand-weapon": 3,
    }


def test_text_b_says_nothing_of_it() -> None:
    assert attacks(fighter("own-sword", variant="B")) == {"sword": 3, "hand-weapon": 3}


def test_with_both_hands_full_there_is_no_shield_and_no_buckler() -> None:
    found = fighter("own-sword", "own-buckler", "shield")
    pair, sword, _ = found.melee
    assert (found.save_in_combat(pair), found.save_in_combat(sword)) == (None, 6)
    assert (found.parries(pair), found.parries(sword)) == (1, 2)


def test_the_additional_hand_weapon_of_a_list_is_not_counted_twice() -> None:
    found = fighter("second-warhammer", profile="warrior-priest")
    assert attacks(found) == {"additional-hand-weapon": 3, "hand-weapon": 2}


@pytest.mark.parametrize("chosen, made", [((), 3), ((("C37", 1),), 4)])
def test_a_group_may_give_a_two_handed_weapon_one_more(
    chosen: tuple[tuple[str, int], ...], made: int
) -> None:
    found = fighter("great-weapon", rulings=chosen)
    assert attacks(found)["great-weapon"] == made
    # What a list sells as a pair has its attack already.
    other = fighter("second-warhammer", profile="warrior-priest", rulings=chosen)
    assert attacks(other)["additional-hand-weapon"] == 3


def test_the_sheet_tells_the_further_attack() -> None:
    army = registry.load_army(SYSTEM, "the-empire", "A")
    selection = select(army, RosterEntry("captain", options=("own-sword",)))
    notes = {one.key: one.notes for one in carried_weapons(selection, army)}
    assert notes == {
        "sword": ("parries", "+1 attack with two weapons"),
        "hand-weapon": ("+1 attack with two weapons",),
    }
