"""Two weapons, two-handed ones and parries in the Mordheim texts.

Mordheim rulings, Hand to Hand combat (003 L169 and L211 to L218; rulings C37, C39), WEAPON LIST
and PARRY. The fractions were worked out by hand.
"""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from engine.equipment import armour_save, carried_weapons
from engine.roster import Agreement, RosterEntry
from engine.selection import select
from engine.types.lists import Option, StatLine, Weapon
from odds import warriors
from odds.circumstances import Encounter
from odds.combat_profiles import (
    PAIRS_MOST,
    CombatProfile,
    plain_combat_profile,
    read_combat_profile,
)
from rulesdata import registry
from warbands.queries.odds_subjects import both_strike

SYSTEM = "mordheim-rulings"
CAPTAIN = ("own-sword", "shield")


def fighter(*options, variant="A", rulings=(), profile="captain") -> CombatProfile:
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
        "hand-weapon-and-sword": 4,
        "sword": 3,
        "hand-weapon": 3,
    }


def test_text_b_says_nothing_of_it() -> None:
    assert attacks(fighter("own-sword", variant="B")) == {"sword": 3, "hand-weapon": 3}


def test_with_both_hands_full_there_is_no_shield_and_no_buckler() -> None:
    found = fighter("own-sword", "own-buckler", "shield")
    # What puts neither out is proposed.
    sword, _, pair, _ = found.melee
    assert (found.save_in_combat(pair), found.save_in_combat(sword)) == (None, 6)
    assert (found.parries(pair), found.parries(sword)) == (1, 2)


def test_a_shield_that_is_out_is_said_beside_the_save() -> None:
    system = registry.load_system(SYSTEM, "A")
    army = registry.fielded_army(system, "the-empire")
    for options, told in (
        (("own-sword", "own-buckler", "shield"), {"shield", "buckler"}),
        (("own-buckler", "shield"), set()),
    ):
        selection = select(army, RosterEntry("captain", options=options))
        words = armour_save(selection, army, system.saves).situational
        out = {word.split()[1] for word in words if "weapon in each hand" in word}
        assert out == told


def test_the_additional_hand_weapon_of_a_list_is_not_counted_twice() -> None:
    found = fighter("second-warhammer", profile="warrior-priest")
    assert attacks(found) == {"additional-hand-weapon": 3, "hand-weapon": 2}


@pytest.mark.parametrize("chosen, made", [((), 3), ((("C37", 1),), 4)])
def test_a_group_may_give_a_two_handed_weapon_one_more(chosen, made):
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


# What two weapons and a parry come to

CHAMPION = {"WS": 4, "S": 3, "T": 3, "W": 1, "A": 1}
WITCH_HUNTER = {"WS": 3, "S": 3, "T": 3, "W": 1, "A": 1}
A, B, DRAFT = (SYSTEM, "A"), (SYSTEM, "B"), ("mordheim-draft", None)
SKIRMISH = ("warhammer-skirmish", None)
Rules = tuple[str, str | None]


def warrior(rules, stats, *items, twice="") -> CombatProfile:
    """Somebody with these figures and arms, as the text and the Empire's list have them."""
    system = registry.load_system(*rules)
    army = registry.fielded_army(system, "the-empire")
    own = {
        key: Weapon(key, key.title(), "melee", strength=strength, hands=1)
        for key, strength in {"dagger": "user", "pick": "+1", "whip": "user"}.items()
    }
    second = Option("twice", "Second", 0, per="each", items=(twice,) if twice else ())
    profile = replace(
        army.profiles["captain"],
        lines=(StatLine("Warrior", stats),),
        default_items=items,
        options=(second,),
    )
    army = replace(army, profiles={"captain": profile}, weapons={**own, **army.weapons})
    entry = RosterEntry("captain", options=("twice",) * bool(twice))
    found = read_combat_profile(entry, army, system)
    assert found
    return found


def fight(rules, attacker, target, **settings) -> tuple[F | None, F | None]:
    """The chance that the target is hurt at all, and that it is out, in one phase."""
    system = registry.load_system(*rules)
    combat = registry.combat_rules(*rules)
    met = Encounter(warriors, system, combat, attacker, target, settings)
    return met.measured("hurt"), met.measured("out")


def test_a_lance_and_a_hand_weapon_strike_with_a_strength_each() -> None:
    # On 3+ to hit. Lance, Strength 5: a wound on 2 to 5 (out on 1/3), a critical on 6 (out on 2/3):
    # out 2/9, a critical that leaves it in 1/27. Hand weapon, Strength 3 and a save of 6: out
    # 193/1458, and 135/1458 where the critical is used.
    stick = registry.load_system(SYSTEM, "A").yardstick
    assert stick
    system = registry.load_system(SYSTEM, "A")
    army = registry.fielded_army(system, "the-empire")
    knight = read_combat_profile(RosterEntry("knightly-orders"), army, system)
    plain = plain_combat_profile(stick.name, stick.stats, stick.save, system)
    assert knight
    chance = F(2, 9) + F(20, 27) * F(193, 1458) + F(1, 27) * F(135, 1458)
    (pair,) = (held.key for held in knight.melee if held.second)
    assert fight(A, knight, plain, weapon=pair, charging=True)[1] == chance
    assert round(float(chance), 3) == 0.324


def from_pack(rules: Rules, army: str, profile: str, *options: str) -> CombatProfile:
    system = registry.load_system(*rules)
    fielded = registry.fielded_army(system, army)
    entry = RosterEntry(profile, options=options)
    found = read_combat_profile(entry, fielded, system)
    assert found
    return found


def enemy(rules: Rules, profile: str) -> CombatProfile:
    """A Possessed: WS4 S4 T4 W2 A2 with claws. A Witch Hunter: all 3, W1 A1, with a dagger."""
    bands = {"possessed": "cult-of-the-possessed", "witch-hunter": "witch-hunters"}
    return from_pack(rules, bands[profile], profile)


@pytest.mark.parametrize("rules, weapon, profile, out", [
    # A: 4+ to hit, 5+ to wound. A critical is two wounds, of which the last rolls one die.
    (A, "sword", "possessed", F(1, 12) * F(4, 9)),
    (A, "halberd", "possessed", F(1, 12) * F(4, 9)),
    # A has no dagger: the list's gives a save of 6. After a sword that did not wound, took a
    # Wound, or struck critically and left it in.
    (A, "sword-and-dagger", "possessed",
     F(1, 27) + F(5, 6) * F(23, 648) + F(1, 12) * F(37, 486) + F(5, 108) * F(5, 108)),
    (A, "sword", "witch-hunter", F(2, 3) * F(2, 9)),
    (A, "halberd", "witch-hunter", F(2, 3) * F(5, 18)),
    (A, "sword-and-dagger", "witch-hunter",
     F(4, 27) + F(22, 27) * F(193, 1458) + F(1, 27) * F(5, 54)),
    # B and the draft: one blow whatever is in the other hand; their table of criticals.
    (B, "sword", "possessed", F(1, 12) * F(1, 3)),
    (B, "halberd", "possessed", F(1, 12) * F(1, 3)),
    (B, "sword", "witch-hunter", F(2, 3) * F(17, 81)),
    # B's dagger has one Strength less, and so wounds on 5+; the list's gives a save of 6.
    (B, "dagger", "witch-hunter", F(2, 3) * (F(1, 18) + F(8, 81))),
    (DRAFT, "dagger", "witch-hunter", F(1091, 8748)),
    (DRAFT, "sword", "witch-hunter", F(2, 3) * F(17, 81)),
    (DRAFT, "halberd", "witch-hunter", F(2, 3) * F(43, 162)),
])  # fmt: skip
def test_a_champion_strikes_as_the_text_has_his_arms(rules, weapon, profile, out):
    champion = from_pack(rules, "reiklanders", "champion", "sword", "halberd")
    assert weapon in {held.key for held in champion.melee}
    assert fight(rules, champion, enemy(rules, profile), weapon=weapon)[1] == out


@pytest.mark.parametrize("rules, profile, hurt, out", [
    # A: sword and buckler roll the parry again. Of two dice on 4+, 271 in 1296 leave two hits
    # and 515 leave one; each wounds on 3+ and takes out on 5/18.
    (A, "possessed", F(2629, 5832), F(22021, 104976)),
    (A, "witch-hunter", F(77, 216) * F(47, 108), F(77, 216) * F(193, 972)),
    # B: one die, and criticals without limit.
    (B, "possessed", F(481, 972), F(1253837, 5668704)),
    (B, "witch-hunter", F(5, 36), F(5, 12) * F(25, 162)),
    # The draft knows no parry.
    (DRAFT, "possessed", F(5, 9), 1 - F(281, 324) ** 2),
    (DRAFT, "witch-hunter", F(287, 1296), F(1091, 11664)),
])  # fmt: skip
def test_a_champion_behind_sword_and_buckler(rules, profile, hurt, out):
    champion = from_pack(rules, "reiklanders", "champion", "sword", "buckler")
    met = fight(rules, enemy(rules, profile), champion, against="sword")
    assert met == (hurt, out)


def test_a_list_offers_a_piece_of_the_text_once() -> None:
    for rules in (A, B):
        army = registry.load_army(*rules[:1], "reiklanders", rules[1])
        sold = [
            item
            for option in army.profiles["champion"].options
            for item in option.items
            if not option.is_put_away
        ]
        assert len(sold) == len(set(sold))


def test_either_weapon_of_a_pair_parries_and_two_swords_parry_once() -> None:
    # A single hit of 4 or 5 is parried with 3 in 36; 4+ to hit, 4+ to wound, as above 2/9 out.
    man = warrior(A, WITCH_HUNTER, "hand-weapon")
    for items, twice in (
        (("sword", "dagger"), ""),
        (("dagger", "sword"), ""),
        ((), "sword"),
    ):
        champion = warrior(A, CHAMPION, *(items or ("sword",)), twice=twice)
        assert champion.melee[0].second
        assert fight(A, man, champion) == (F(5, 12) / 2, F(5, 12) * F(2, 9))


def test_of_two_swords_each_strikes_once_and_a_buckler_is_out() -> None:
    champion = warrior(A, CHAMPION, "sword", "buckler", twice="sword")
    assert attacks(champion) == {"sword-and-sword": 2, "sword": 1}
    assert [champion.parries(held) for held in champion.melee] == [2, 1]
    assert attacks(warrior(B, CHAMPION, "sword", twice="sword")) == {"sword": 1}


def test_the_main_weapon_has_all_blows_but_one() -> None:
    # On 3+ to hit, Strength 3 wounds on 4+ (1/3 a blow) and Strength 4 on 3+ (4/9 a blow).
    found = warrior(A, {**CHAMPION, "A": 3}, "pick", "sword")
    target = warrior(A, WITCH_HUNTER, "hand-weapon")
    hurt = {w.key: fight(A, found, target, weapon=w.key)[0] for w in found.melee}
    assert hurt == {
        "pick-and-sword": 1 - F(5, 9) ** 3 * F(2, 3),
        "sword-and-pick": 1 - F(5, 9) * F(2, 3) ** 3,
        "pick": 1 - F(5, 9) ** 3,
        "sword": 1 - F(2, 3) ** 3,
    }


def test_no_more_pairs_are_offered_than_anybody_reads() -> None:
    names = ("dagger", "sword", "pick", "lance", "spear", "hand-weapon", "flail", "whip")
    found = warrior(A, {**CHAMPION, "A": 2}, *names)
    assert sum(held.second is not None for held in found.melee) == PAIRS_MOST


# What frenzy and hatred come to (003 L172, L173; ruling G07)

FRENZY, HATRED = {"frenzy"}, {"hatred"}
CHARGE = {"charging": True}


@pytest.mark.parametrize("flags, items, settings, hurt", [
    # On 3+ to hit and 4+ to wound each blow hurts on 1/3. Frenzy: two blows of one Attack, and
    # with two weapons three, for the extra one is not doubled.
    (FRENZY, ("sword",), {}, 1 - F(2, 3) ** 2),
    (FRENZY, ("sword", "dagger"), {}, 1 - F(2, 3) ** 3),
    (FRENZY, ("sword",), {"frenzy": False}, F(1, 3)),
    # Hatred: 2/3 and 2/3 of 1/3 hit in the first round, half of them wound.
    (HATRED, ("sword",), {}, F(1, 3)),
    (HATRED, ("sword",), {"first": True}, F(4, 9)),
    (HATRED, ("sword",), CHARGE, F(4, 9)),
    (HATRED, ("sword",), {**CHARGE, "hatred": False}, F(1, 3)),
    (HATRED | FRENZY, ("sword", "dagger"), CHARGE, 1 - F(5, 9) ** 3),
    # Who hates somebody by name hates this target where the page says so.
    (HATRED | {"hate_dwarfs"}, ("sword",), CHARGE, F(1, 3)),
    (HATRED | {"hatred_(elves)"}, ("sword",), {**CHARGE, "hatred": True}, F(4, 9)),
])  # fmt: skip
def test_frenzy_doubles_the_attacks_and_hatred_rolls_misses_again(
    flags: set[str], items: tuple[str, ...], settings: dict[str, bool], hurt: F
) -> None:
    champion = replace(warrior(A, CHAMPION, *items), flags=frozenset(flags))
    target = warrior(A, WITCH_HUNTER, "hand-weapon")
    assert fight(A, champion, target, **settings)[0] == hurt
    # Its mount has neither; the text of 000 leaves both to agreement.
    ridden = replace(champion, melee=(replace(champion.melee[-1], key="mount-0"),))
    assert fight(A, ridden, target, **settings)[0] == F(1, 3)
    assert fight(SKIRMISH, ridden, target, **settings) == fight(
        SKIRMISH, replace(champion, melee=champion.melee[-1:]), target, **settings
    )


def test_what_is_rolled_again_may_be_parried_and_is_over_after_the_first_round() -> None:
    # On 4+ to hit each of 4, 5, 6 comes up with 1/6 and half as much again; a sword parries a 4 on
    # 5+ and a 5 on 6: 2/3, 5/6 and 1 of 1/4 each, half of which wound.
    man = replace(warrior(A, WITCH_HUNTER, "hand-weapon"), flags=frozenset(HATRED))
    champion = warrior(A, CHAMPION, "sword")
    assert fight(A, man, champion, **CHARGE)[0] == F(5, 16)
    system = registry.load_system(*A)
    met = Encounter(warriors, system, registry.combat_rules(*A), man, champion, CHARGE)
    setup = warriors.fight_setup(met)
    assert setup
    assert setup.attacker == replace(setup.later, hatred=True)


def test_who_strikes_back_is_frenzied_and_hates_in_the_first_round() -> None:
    fury = frozenset(FRENZY | HATRED)
    man = warrior(A, WITCH_HUNTER, "hand-weapon")
    other = replace(man, flags=fury)
    for settings in ({"first": True}, {"first": True, "used": True, "six": True}):
        met = Encounter(
            warriors,
            registry.load_system(*A),
            registry.combat_rules(*A),
            man,
            other,
            settings,
        )
        both = both_strike(met)
        # What burdens the attacker is not the target's: equal Initiative, so it strikes whole.
        assert both
        assert both.is_taken_out == fight(A, other, man, first=True)[1]
