"""The odds of warriors out of rosters and lists: figures, weapons, saves by situation,
circumstances, other systems.
"""

from fractions import Fraction

import pytest

from accounts.owner import NOBODY
from engine.calls import evaluate
from engine.choices import picker
from engine.errors import Refusal
from engine.records import Fields
from engine.roster import Roster, RosterEntry
from engine.selection import select
from odds import dice_tray, fight_modes
from odds.combat_profiles import CombatProfile, read_combat_profile
from odds.dice_tray import Throw
from odds.exhibits import fraction, percent
from odds.fight_modes import UnknownSubject
from rulesdata import registry
from tests.systems import systems_with
from warbands.queries import odds as odds_pages
from warbands.queries import odds_subjects

SKIRMISH, EMPIRE = "warhammer-skirmish", "the-empire"
CAPTAIN, HALBERDIER = f"p:{SKIRMISH}:{EMPIRE}:captain", f"p:{SKIRMISH}:{EMPIRE}:halberdiers"


def odds(a, b, ao=(), bo=(), **sent) -> Fields:
    first, second = (
        odds_subjects.find_odds_subject(NOBODY, a, ao),
        odds_subjects.find_odds_subject(NOBODY, b, bo),
    )
    return odds_pages.build_page(first, second, sent, is_asked=False)


def chances(found: Fields, key: str) -> dict[str, Fraction]:
    one = next(x for x in found["exhibits"] if x.key == key)
    return {row.name: row.chance for row in one.outcomes}


def fighter(profile, *options, system=SKIRMISH, variant=None) -> CombatProfile:
    army = registry.load_army(system, EMPIRE, variant)
    found = read_combat_profile(
        RosterEntry(profile, options=options), army, registry.load_system(system, variant)
    )
    assert found is not None
    return found


def test_page_says_what_the_call_says() -> None:
    """A halberdier without armour piercing, poison or parry is what the melee call knows."""
    found = odds(HALBERDIER, HALBERDIER)
    inputs = {
        "attacker": {"ws": 3, "strength": 4},
        "defender": {"ws": 3, "toughness": 3, "save": 6},
    }
    asked = evaluate(registry.combat_rules(SKIRMISH), "melee", inputs)
    assert list(chances(found, "phase").values()) == list(asked.outcomes.values())
    assert sum(chances(found, "phase").values()) == 1
    assert chances(found, "out")["After 1 phase"] == asked.outcomes["out_of_action"]
    rising = list(chances(found, "out").values())
    assert rising == sorted(rising)
    assert len(rising) == 6


def test_great_weapon_strikes_harder_and_puts_the_shield_away() -> None:
    plain, great = (
        fighter("captain", "shield"),
        fighter("captain", "great-weapon", "shield"),
    )
    assert plain.melee[0].strength() == 4
    assert great.melee[0].strength() == 6
    assert plain.save_in_combat(plain.held("hand-weapon")) == 5
    assert great.save_in_combat(great.held("great-weapon")) is None
    assert great.save_from_missiles() == 6
    assert plain.save_in_combat(plain.held("hand-weapon"), has_shield=False) is None


def test_lance_counts_in_the_saddle_on_the_charge_alone() -> None:
    lancer = fighter("captain", "lance", "warhorse")
    lance = lancer.held("lance")
    assert lance is not None
    assert (lance.strength(), lance.strength(charging=True)) == (4, 6)
    assert "lance" not in {held.key for held in fighter("captain", "lance").melee}
    charge = odds(CAPTAIN, HALBERDIER, ("lance", "warhorse"), charging="1", weapon="lance")
    stand = odds(CAPTAIN, HALBERDIER, ("lance", "warhorse"), weapon="lance")
    assert (
        chances(charge, "phase")["Out of action"] > chances(stand, "phase")["Out of action"]
    )
    assert {held.name for held in lancer.melee} >= {"Warhorse, its own attacks"}


@pytest.mark.parametrize("sent, outcome", [
    ({}, Fraction(7, 54)),
    ({"state": "stunned"}, Fraction(1)),
    ({"state": "knocked_down"}, Fraction(2, 3)),
    ({"six": "1"}, Fraction(7, 162)),
])  # fmt: skip
def test_circumstances_change_the_odds(sent: dict[str, str], outcome: Fraction) -> None:
    assert (
        chances(odds(HALBERDIER, HALBERDIER, **sent), "phase")["Out of action"] == outcome
    )


def test_spent_critical_is_a_plain_wound() -> None:
    plain, used = odds(HALBERDIER, HALBERDIER), odds(HALBERDIER, HALBERDIER, used="1")
    assert (
        chances(used, "phase")["Out of action"] < chances(plain, "phase")["Out of action"]
    )
    assert any("is used" in step for one in used["exhibits"] for step in one.steps)


def test_ruling_the_other_way_is_what_the_rules_say_under_it() -> None:
    found = odds(HALBERDIER, HALBERDIER, **{"play-critical_mode": "1"})
    rules = registry.combat_rules(SKIRMISH)
    inputs = {
        "attacker": {"ws": 3, "strength": 4},
        "defender": {"ws": 3, "toughness": 3, "save": 6},
    }
    ruled = rules.with_rulings({"critical_mode": "draft_table"})
    asked = evaluate(ruled, "melee", inputs)
    assert chances(found, "phase")["Out of action"] == asked.outcomes["out_of_action"]


def test_poison_is_critical_only_where_the_house_rule_is_ticked() -> None:
    witch_elf = f"p:{SKIRMISH}:dark-elves:witch-elves-of-khaine"
    switch = {"play-poison_auto_wound_may_crit": "1"}
    shown = [
        odds(witch_elf, HALBERDIER, weapon="hand-weapon", **sent) for sent in ({}, switch)
    ]
    out = [chances(found, "phase")["Out of action"] for found in shown]
    rules = registry.combat_rules(SKIRMISH)
    assert rules.criticals is not None
    assert not rules.criticals.poison_auto_wound_may_crit
    inputs = {
        "attacker": {"ws": 5, "strength": 3, "poison": True},
        "defender": {"ws": 3, "toughness": 3, "save": 6},
    }
    asked = [
        evaluate(rules.with_rulings({"poison_auto_wound_may_crit": is_on}), "melee", inputs)
        for is_on in (False, True)
    ]
    assert out == [answer.outcomes["out_of_action"] for answer in asked]
    assert out[0] < out[1]


def test_shot_takes_the_modifiers_of_the_systems_own_chart() -> None:
    shooter = f"p:{SKIRMISH}:{EMPIRE}:crossbowmen"
    single = odds(shooter, HALBERDIER)
    rules = registry.combat_rules(SKIRMISH)
    inputs = {"bs": 3, "strength": 4, "toughness": 3, "save": 6, "modifiers": [-1]}
    assert list(chances(single, "shot").values()) == list(
        evaluate(rules, "shoot", inputs).outcomes.values()
    )
    cover = odds(shooter, HALBERDIER, **{"to-hit-hard-cover-a-wall-or-building": "1"})
    inputs["modifiers"] = [-1, -2]
    assert list(chances(cover, "shot").values()) == list(
        evaluate(rules, "shoot", inputs).outcomes.values()
    )


def test_same_pair_under_every_system_that_can_read_it() -> None:
    found = odds(HALBERDIER, HALBERDIER)
    assert [system.address for system, _ in found["beside"]] == [
        "warhammer-skirmish", "mordheim-draft", "mordheim-rulings.A", "mordheim-rulings.B",
        "mordheim-rulings.C", "english-civil-war",
    ]  # fmt: skip
    assert found["encounter"].system.address == "warhammer-skirmish"
    with pytest.raises(UnknownSubject):
        odds("p:d10-skirmish:starter-list:sniper", CAPTAIN)


def test_regiments_and_duels_ask_their_own_calls() -> None:
    volley = odds(
        "p:english-civil-war:parliament:musketeers",
        "p:english-civil-war:royalists:pikemen",
        models="20",
    )
    each = chances(volley, "volley")
    assert each["A casualty, each"] == Fraction(1, 3)
    assert each["Casualties to expect"] == Fraction(5, 3)
    assert each["At least 5"] == Fraction(1, 3) ** 5
    duel = odds("p:d10-skirmish:starter-list:sniper", "p:d10-skirmish:starter-list:soldier")
    asked = evaluate(
        registry.combat_rules("d10-skirmish"), "duel_ranged", {"attack_modifier": 2}
    )
    assert chances(duel, "ranged")["Defender goes down"] >= asked.outcomes[
        "defender_down"
    ] - Fraction(1, 4)
    armoured = odds(
        "p:d10-skirmish:starter-list:sniper", "p:d10-skirmish:starter-list:truck"
    )
    assert chances(armoured, "ranged") == {"No effect": 1}


@pytest.mark.parametrize("sent, words", [
    ({"state": "asleep"}, "The target is: give one of standing, knocked_down, stunned."),
    ({"charging": "yes"}, "Charges: give 1 for yes or 0 for no."),
    ({"book": "chess"}, "Rules: give one of warhammer-skirmish"),
])  # fmt: skip
def test_bad_circumstance_is_named_with_its_range(sent: dict[str, str], words: str) -> None:
    assert words in odds(HALBERDIER, HALBERDIER, **sent)["faults"][0].message


@pytest.mark.parametrize("key", [
    "", "q", "p:a:b", "w:", "s:x:0", "p:x:y:z", "w:aaaa:1",
    "s:warhammer-skirmish--the-empire:99",
])  # fmt: skip
@pytest.mark.django_db
def test_unknown_warrior_is_refused(key: str) -> None:
    with pytest.raises((Refusal, UnknownSubject)):
        odds_subjects.find_odds_subject(NOBODY, key)


def test_every_profile_of_every_list_can_be_asked_about(soak, share):
    """Nothing a list prints makes the page break: it answers, or says why not."""
    asked = 0
    for system in registry.rulesets():
        if system.variant in ("B", "C"):
            continue
        for army_key in registry.list_army_keys(system.key):
            army = registry.load_army(system.key, army_key, system.variant)
            # A fifth of the profiles of each list, in another place for each.
            for profile in share([*army.profiles.values()], 5, len(army_key)):
                key = f"p:{system.address}:{army_key}:{profile.key}"
                one = odds_subjects.find_odds_subject(NOBODY, key)
                pair = odds_pages.pair_under(one, one, system)
                if isinstance(pair, str):
                    assert pair.endswith(".")
                    continue
                assert pair.mode.exhibits(pair)
                asked += 1
    assert asked > soak(100, 500)


def test_match_up_holds_each_kind_once_and_agrees_with_the_pair() -> None:
    empire = odds_subjects.find_odds_warband(NOBODY, f"s:{SKIRMISH}--{EMPIRE}")
    table = odds_pages.build_match_up(empire, empire, {}, is_asked=False)
    assert (
        len(table["rows"])
        == len(table["columns"])
        == len({kind.profile.title for kind in table["columns"]})
    )
    _, cells = table["rows"][0]
    assert len(cells) == len(table["columns"])
    cell = cells[1]
    assert cell is not None
    found = odds(table["rows"][0][0].key, cell["target"])
    assert percent(chances(found, "phase")["Out of action"]) == cell["percent"]
    assert max(c["heat"] for _, row in table["rows"] for c in row if c) == odds_pages.STEPS


TRUCK, RECRUIT = "p:d10-skirmish:starter-list:truck", "p:d10-skirmish:starter-list:recruit"
HELD, LOST = {"play-armour_guards_attacker": "1"}, Fraction(9, 20)


@pytest.mark.parametrize("a, b, sent, down", [
    # D10 against D10: 45 of 100 each, 10 ties. A value of 2 is hurt by penetration alone.
    (TRUCK, RECRUIT, {}, {"Defender goes down": LOST}),
    (TRUCK, RECRUIT, HELD, {"Defender goes down": LOST, "Attacker goes down": LOST}),
    (TRUCK, RECRUIT, {"play-melee_ties": "2"}, {"Defender goes down": Fraction(11, 20)}),
    # A knife adds 1.
    (RECRUIT, TRUCK, {}, {"Attacker goes down": Fraction(9, 25)}),
    (TRUCK, TRUCK, {}, {}),
    (TRUCK, TRUCK, HELD, {"Attacker goes down": LOST}),
    # Its side is worth 1, which any blow hurts.
    (TRUCK, TRUCK, {"facing": "side"}, {"Defender goes down": LOST}),
])  # fmt: skip
def test_armour_that_cannot_be_harmed_guards_both_sides_of_a_melee(a, b, sent, down):
    """Generic d10 Skirmish, Melee and Big Models; ruling G62."""
    rows = chances(odds(a, b, **sent), "melee")
    assert {name: c for name, c in rows.items() if name.endswith("goes down")} == down
    assert sum(rows.values()) == 1


def test_match_up_is_bounded() -> None:
    entries = [
        RosterEntry("captain", options=("shield", f"x{n}"), id=n) for n in range(150)
    ]
    band = odds_subjects.OddsWarband(
        "w:x", "Big", Roster(SKIRMISH, EMPIRE, warriors=tuple(entries))
    )
    table = odds_pages.build_match_up(band, band, {}, is_asked=False)
    assert len(table["rows"]) + len(table["columns"]) == odds_pages.MOST_KINDS
    assert table["left_out"] == 100


def test_option_lines_name_what_changes_and_nothing_else() -> None:
    army = registry.load_army(SKIRMISH, EMPIRE)
    entry = RosterEntry("captain")
    found = fight_modes.effects(
        fight_modes.ruleset(SKIRMISH), EMPIRE, entry, picker(select(army, entry), army)
    )
    assert found["great-weapon"].startswith("out of action 43")
    assert "by shooting 0" in found["handgun"]
    assert "hurt in return" in found["shield"]
    assert "battle-standard-bearer" not in found
    assert (
        fight_modes.yardstick_words(registry.load_system(SKIRMISH))
        == "a plain warrior (WS 3, S 3, T 3, A 1, save 6+)"
    )


def test_every_ruleset_names_its_plain_opponent() -> None:
    books = systems_with("yardstick")
    assert len(books) >= 5
    assert all(map(fight_modes.yardstick_words, books))


@pytest.mark.parametrize("chance, words", [
    (Fraction(0), "0 %"), (Fraction(1), "100 %"), (Fraction(1, 3), "33 %"),
    (Fraction(1, 12), "8.3 %"),
    (Fraction(1, 5000), "under 0.1 %"),
    (Fraction(4999, 5000), "over 99.9 %"),
])  # fmt: skip
def test_chance_in_words(chance: Fraction, words: str) -> None:
    assert percent(chance).replace("\N{NO-BREAK SPACE}", " ") == words
    assert fraction(chance) == str(chance)


def test_tray_judges_only_a_long_series() -> None:
    few = dice_tray.fairness([Throw("D6", (1, 2), "", False, "2026-01-01T10:00:00")])
    assert "Too few" in few[0]["verdict"]
    many = dice_tray.fairness([Throw("20D6", (6,) * 20, "", True, "2026-01-01T10:00:00")])
    assert many[0]["verdict"].startswith("Unusual")
    assert many[0]["faces"][-1] == (6, 20)
