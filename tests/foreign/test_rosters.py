"""Lists of BattleScribe, New Recruit and Old World Builder, and pasted ones, as the neutral tree."""

import json
from typing import Any

import pytest

from interchange.tree import UNSAID, ForeignRoster, ForeignUnit, read_price
from tests.foreign.lantern_gangs import made
from warbands.exchange.foreign.reader import read_list, read_text


@pytest.fixture(scope="module", params=["gang.ros", "gang.newrecruit.json"])
def gang(request: pytest.FixtureRequest) -> ForeignRoster:
    return read_list(request.param, made(request.param))


def parts_of(unit: ForeignUnit) -> list[tuple[str, int, str]]:
    return [(part.name, part.count, f"{part.points:f}") for part in unit.parts]


def test_lines_have_counts_and_prices_with_what_they_carry(gang: ForeignRoster) -> None:
    lines = [(unit.name, unit.count, f"{unit.points:f}") for unit in gang.units]
    assert lines == [
        ("Lamp Captain", 1, "70.3"),
        ("Lamplighters", 4, "100"),
        ("Fog Engine", 2, "23.7"),
        ("Owl Keeper", 1, "20"),
    ]
    assert (gang.total, gang.stated_total, gang.limit) == (214, 214, 250)
    assert [f"{unit.second:f}" for unit in gang.units] == ["20", "11", "0", "0"]


def test_containers_fall_away_and_mounts_stay(gang: ForeignRoster) -> None:
    captain, _, _, keeper = gang.units
    assert parts_of(captain) == [("Oil Blade", 1, "10.3"), ("Dagger", 1, "0")]
    assert captain.parts[0].group == "Starting Equipment"
    assert captain.parts[0].ids == ("e-blade", "link-9")
    assert parts_of(keeper) == [("Great Owl", 1, "15"), ("Owl Barding", 1, "5")]


def test_kinds_of_models_are_kept_apart(gang: ForeignRoster) -> None:
    models = gang.units[1].models
    assert [(one.name, one.count) for one in models] == [
        ("Lamplighter", 3),
        ("Lamp Sergeant", 1),
    ]
    assert [(part.name, part.count) for part in models[0].parts] == [("Long Hook", 3)]


def test_names_notes_settings_and_forces(gang: ForeignRoster) -> None:
    captain = gang.units[0]
    assert (captain.custom, captain.notes) == ("Old Tess", "painted in May")
    assert captain.is_leader
    assert captain.ids == ("origin-captain", "link-2", "link-1")
    assert gang.settings == ("Gang Settings: Night Fight",)
    assert [one.army for one in gang.sections] == ["The Wardens", "Hired Hands"]
    assert gang.units[3].section == "Hired Hands"
    assert gang.note == 'For the "Long Night" league'
    assert gang.remarks == (
        "Fog Engine names no model, so its number 2 is taken as its models.",
    )


def test_xml_and_json_are_the_same_tree() -> None:
    xml, other = (
        read_list("", made(name)) for name in ("gang.ros", "gang.newrecruit.json")
    )
    assert xml.units == other.units
    assert (
        (xml.name, xml.sections)
        == (other.name, other.sections)
        == ("Wick & Wax", xml.sections)
    )


def test_own_total_that_differs_is_told() -> None:
    changed = made("gang.ros").replace(b'value="214.0"', b'value="300"')
    tree = read_list("x", changed)
    assert tree.total == 214
    assert tree.remarks[-1] == (
        "The file says 300 points in all, but its lines come to 214."
    )


def test_price_that_is_no_number_is_told() -> None:
    changed = made("gang.ros").replace(
        b'value="60.0"/>\n            <cost name="rating"',
        b'value="lots"/><cost name="rating"',
    )
    tree = read_list("x", changed)
    assert (
        "The price “lots” of Lamp Captain is no number, so it counts as 0." in tree.remarks
    )


@pytest.mark.parametrize("text,price", [
    ("0.30000000000000004", "0.3"),
    ("98.0", "98"), ("-5", "-5"), ("", "0"), ("1e3", "1000"), ("NaN", None),
    ("1e999", None), ("lots", None),
])  # fmt: skip
def test_prices_are_read_to_four_places(text: str, price: str | None) -> None:
    found = read_price(text)
    assert (None if found is None else f"{found:f}") == price


@pytest.fixture(scope="module")
def night_watch() -> ForeignRoster:
    return read_list("x", made("gang.owb.json"))


def test_old_world_units_cost_what_the_tool_counts(night_watch: ForeignRoster) -> None:
    lines = [(unit.name, unit.count, int(unit.points)) for unit in night_watch.units]
    assert lines == [
        ("Lamp Captain", 1, 126),
        ("Lamplighters", 12, 122),
        ("Runners", 5, 20),
        ("Runners", 5, 15),
    ]
    assert (night_watch.limit, night_watch.stated_total) == (250, None)


def test_old_world_choices_count_when_they_are_active(night_watch: ForeignRoster) -> None:
    captain, lighters, detachment, runners = night_watch.units
    assert parts_of(captain) == [
        ("Hand weapon", 1, "0"),
        ("Dagger", 1, "0"),
        ("Oilskin", 1, "3"),
        ("Great Owl", 1, "15"),
        ("Owl Barding", 1, "5"),
        ("Whistle", 3, "6"),
        ("Night Eyes", 1, "7"),
        ("General", 1, "0"),
        ("Ever Lamp", 1, "20"),
        ("Spark Ring*", 2, "10"),
    ]
    assert captain.is_leader
    assert (captain.spells, captain.custom) == ("lore-of-lamps", "Old Tess")
    assert ("Ever Pike", 12, "108") not in parts_of(lighters)
    assert parts_of(lighters)[4] == ("Banner of Soot", 1, "10")
    assert lighters.parts[4].group == "Standard bearer"
    assert parts_of(lighters)[6:] == [("Vow of Ash", 12, "24"), ("Vow of Soot", 1, "3")]
    assert parts_of(detachment) == [("Slings", 5, "5")]
    # Whoever is a detachment has no command, whatever the record says.
    assert parts_of(runners) == [("Detachment", 5, "0")]


def test_old_world_files_may_hold_an_array() -> None:
    data: dict[str, Any] = json.loads(made("gang.owb.json"))
    one = read_list("x", json.dumps([data]).encode())
    assert one == read_list("x", made("gang.owb.json"))


def test_old_world_values_of_other_types_do_no_harm() -> None:
    unit = {"name_en": 5, "points": "x", "strength": [], "options": {"a": 1}, "items": [3]}
    data = {"army": None, "points": "many", "core": [unit, 7, None]}
    tree = read_list("x", json.dumps(data).encode())
    assert [(one.name, one.count, one.points) for one in tree.units] == [("Unnamed", 1, 0)]


# Texts

OLD_WORLD = """===
Night Watch [1,200 pts]
Warhammer: Lanterns, The Wardens, Grand Melee
===

++ Characters [185 pts] ++

Lamp Captain [95 pts]
- Hand weapon, Great lamp
- General
- Iron boots (10 pts)
[Lamp Captain] M(4) WS(5)

++ Core Units [90 pts] ++

20 Lamplighters [90 pts]
- Hand weapons
- Sergeant (champion) [Brass horn, Oil flask]

---
Created with "Old World Builder"
"""
BATTLESCRIBE = """++ Patrol (Wardens) [4,500pts] ++

+ Core +

Clan Marksmen [298pts]: 16x Clan Marksman, Crossbow (4+), Standard
Knights [10] [195pts]
Squad [5 PL, 100pts]
. 4x Trooper: 4x Pistol, 4x Rifle
. Sergeant: Sword

++ Total: [5 PL, 593pts] ++

Created with BattleScribe
"""
NEW_RECRUIT = """+++++++++++++++++++++
+ FACTION KEYWORD: Night - Wardens
+ DETACHMENT: Night
+ TOTAL ARMY POINTS: 1,275pts
+++++++++++++++++++++
Char1: 1x Warden Lord (80 pts): Warlord, Sword
Enhancement: Lamp Eye (+15 pts)
10x Warden Squad (180 pts): Horn, Flag
• 9x Warden: 9 with Flux carbine
• 1x Warden Boss: Sword, Pistol
"""
CHAT = """My list for tonight
685 - Lord on Owl, lance, shield
20 Spearmen - 120 pts
2x Engine (240)
Owl 56
Bows x3, horns, 30 gc
what a nice day
1101
"""


def lines_of(text: str) -> list[tuple[str, int, int]]:
    return [(one.name, one.count, int(one.points)) for one in read_text(text).units]


def test_text_of_old_world_builder() -> None:
    tree = read_text(OLD_WORLD)
    assert (tree.form, tree.source.tool) == ("owb-text", "Old World Builder")
    assert (tree.name, tree.stated_total, tree.limit) == ("Night Watch", 1200, None)
    assert lines_of(OLD_WORLD) == [("Lamp Captain", 1, 95), ("Lamplighters", 20, 90)]
    assert parts_of(tree.units[0])[-1] == ("Iron boots", UNSAID, "10")
    assert tree.units[0].is_leader
    assert tree.units[1].parts[2].group == "Sergeant (champion)"
    assert tree.settings == ("line 3: Warhammer: Lanterns, The Wardens, Grand Melee",)
    assert read_text(OLD_WORLD.replace(" ", "\u00a0")).units == tree.units


def test_text_of_battlescribe() -> None:
    tree = read_text(BATTLESCRIBE)
    assert (tree.form, tree.stated_total) == ("battlescribe-text", 593)
    assert lines_of(BATTLESCRIBE) == [
        ("Clan Marksmen", 16, 298),
        ("Knights", 10, 195),
        ("Squad", 5, 100),
    ]
    assert parts_of(tree.units[0]) == [("Crossbow", UNSAID, "0"), ("Standard", UNSAID, "0")]
    assert [(one.name, one.count) for one in tree.units[2].models] == [
        ("Trooper", 4),
        ("Sergeant", 1),
    ]
    assert tree.sections[0].army == "Wardens"


def test_text_of_new_recruit() -> None:
    tree = read_text(NEW_RECRUIT)
    assert (tree.form, tree.stated_total) == ("new-recruit-text", 1275)
    assert lines_of(NEW_RECRUIT) == [("Warden Lord", 1, 80), ("Warden Squad", 10, 180)]
    assert parts_of(tree.units[0])[-1] == ("Lamp Eye", UNSAID, "15")
    assert [(part.name, part.count) for part in tree.units[1].models[0].parts] == [
        ("Flux carbine", 9)
    ]
    assert tree.sections[0].army == "Wardens"


def test_text_of_a_chat() -> None:
    tree = read_text(CHAT)
    assert (tree.form, tree.name) == ("chat-text", "My list for tonight")
    assert lines_of(CHAT) == [
        ("Lord on Owl", 1, 685),
        ("Spearmen", 20, 120),
        ("Engine", 2, 240),
        ("Owl", 1, 56),
        ("Bows", 3, 30),
    ]
    assert (tree.stated_total, tree.total) == (1101, 1131)
    # No line is lost.
    assert tree.settings == ("line 7: what a nice day",)


@pytest.mark.parametrize("text,line", [
    ("3 Owls [36 pts]", ("Owls", 3, 36)),
    ("3x Owls (36 points)", ("Owls", 3, 36)),
    ("3× Owls - 36", ("Owls", 3, 36)),
    ("Owls x3, 36 gc", ("Owls", 3, 36)),
    ("Eulen 36 Punkte", ("Eulen", 1, 36)),
    ("20 Owls - 1.990 pts", ("Owls", 20, 1990)),
    ("4 Owls", ("Owls", 4, 0)),
    ("3 Owls, lance, shield - 36", ("Owls", 3, 36)),
])  # fmt: skip
def test_counts_and_prices_as_people_write_them(text, line):
    assert lines_of(text) == [line]


def test_huge_counts_and_odd_lines_are_kept_as_notes() -> None:
    tree = read_text("99999 Owls - 5\n4 Owls - 36\n((((,,:\n[x](y) \u202e\n")
    assert [one.count for one in tree.units] == [4]
    assert tree.settings[0] == "line 1: 99999 Owls - 5"
    assert len(tree.settings) == 3
