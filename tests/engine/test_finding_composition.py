"""Kinds of guidelines about who is in a roster: what each finds, and what would mend it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.findings.case import Fix, Occurrence
from engine.findings.composition import find_category, open_points
from engine.selection import select
from engine.types.lists import Armour, Army, Option, StatLine
from engine.types.mechanics import Regiments
from engine.types.systems import System
from tests.engine.made_cases import CAPTAIN, HALBERDIERS, STRANGER, hits, with_profile
from tests.factories import make_entry

# Sizes of units


def test_a_unit_is_as_many_models_as_a_rule_asks_for(system: System, empire: Army) -> None:
    for count, enough in ((3, 5), (4, 5), (5, None)):
        entries = [CAPTAIN, make_entry(count=count), STRANGER]
        found = hits("unit_small", system, empire, entries, minimum=5)
        assert [hit.fields["count"] for hit in found] == ([] if enough is None else [count])
        for hit in found:
            assert hit == Occurrence(
                {"name": "Halberdier", "count": count, "minimum": 5},
                (1,),
                (Fix(f"Halberdier: 5 instead of {count}", "set_count", 1, value=5),),
            )


def test_enough_entries_are_so_many_that_their_models_suffice(system, empire):
    pairs = with_profile(empire, "halberdiers", miniatures=2)
    [hit] = hits("unit_small", system, pairs, [make_entry(count=2)], minimum=5)
    assert (hit.fields["count"], hit.fixes[0].value) == (4, 3)
    assert hits("unit_small", system, pairs, [make_entry(count=3)], minimum=5) == []


# Stats that a list leaves open


def test_open_stats_are_told_with_the_options_that_fill_them(system, empire):
    line = StatLine("Tank", {"M": 6, "WS": None, "BS": None})
    options = (
        Option("crew", "Crew", 5, effect={"WS": 3}),
        Option("gunner", "Gunner", 5, effect={"BS": 4, "WS": 3}),
        Option("plates", "Plates", 9, items=("plates", "no-such-piece")),
    )
    plates = Armour("plates", "Plates", traits={"armour_values": (5, 4, 3)})
    army = with_profile(
        empire, "captain", lines=(line,), options=options, flags=frozenset({"vehicle"})
    )
    army = replace(
        army, armour={"plates": plates}, value_stats=("BS", "WS"), defence_stat="T"
    )

    def found(*bought: str, flags: Sequence[str] = ("vehicle",)) -> list[Occurrence]:
        entries = [HALBERDIERS, make_entry(profile="captain", options=bought)]
        return hits("stats_missing", system, army, entries, flags=flags, stats=["WS", "BS"])

    assert found() == [
        Occurrence(
            {"name": "Captain", "stats": "weapon skill, ballistic skill"},
            (1,),
            (
                Fix("Captain: Gunner", "add_option", 1, "gunner"),
                Fix("Captain: Plates", "add_option", 1, "plates"),
            ),
        )
    ]
    # What one of them gives is not missing, and whoever has both is whole.
    [hit] = found("crew")
    assert hit.fields["stats"] == "ballistic skill"
    assert [fix.option for fix in hit.fixes] == ["gunner", "plates"]
    assert found("gunner") == found("plates") == found(flags=["walker"]) == []


def test_without_an_option_that_fills_them_the_warrior_may_go(system, empire):
    army = with_profile(
        empire,
        "captain",
        lines=(StatLine("Captain", {"M": 4, "Luck": None}),),
        options=(),
        flags=frozenset({"vehicle"}),
    )
    entries = [make_entry(profile="captain")]
    [hit] = hits("stats_missing", system, army, entries, flags=["vehicle"], stats=["Luck"])
    # A stat without a column is named by its key.
    assert hit.fields == {"name": "Captain", "stats": "luck"}
    assert hit.fixes == (Fix("Remove Captain, −50", "remove_warrior", 0),)
    bare = with_profile(army, "captain", lines=())
    [hit] = hits("stats_missing", system, bare, entries, flags=["vehicle"], stats=["M"])
    assert hit.fields["stats"] == "movement"


# Numbers


@pytest.mark.parametrize(
    "count, up_to, is_found",
    [(1, None, False), (2, None, True), (2, 2, True), (3, 2, False), (9, None, True)],
)
def test_wizards_are_counted_up_to_a_number(system, empire, count, up_to, is_found):
    wizards = [CAPTAIN, *[make_entry(profile="battle-wizard")] * count]
    given = {"maximum": 1} if up_to is None else {"maximum": 1, "up_to": up_to}
    found = hits("wizard_count", system, empire, wizards, **given)
    assert bool(found) is is_found
    for hit in found:
        assert hit.fields == {"count": count, "maximum": 1}
        assert hit.warriors == tuple(range(1, count + 1))
        # The first may stay.
        assert [fix.warrior for fix in hit.fixes] == list(range(2, count + 1))[:3]


def test_magic_items_are_counted_for_every_miniature(system: System, empire: Army) -> None:
    one, other = sorted(empire.magic_items.values(), key=lambda item: item.points)[:2]
    bearer = make_entry(
        profile="captain", options=[one.option_key, other.option_key], count=2
    )
    entries = [HALBERDIERS, bearer, make_entry(profile="captain", options=[one.option_key])]
    [hit] = hits("magic_items", system, empire, entries, maximum=4)
    assert hit.fields == {"count": 5, "names": f"{one.name}, {other.name}"}
    assert hit.warriors == (1, 2)
    assert [(fix.warrior, fix.option) for fix in hit.fixes] == [
        (1, one.option_key),
        (1, other.option_key),
        (2, one.option_key),
    ]
    assert hits("magic_items", system, empire, entries, maximum=5) == []
    assert hits("magic_items", system, empire, entries, maximum=1, up_to=4) == []


def test_models_are_counted_up_to_the_most(system: System, empire: Army) -> None:
    entries = [CAPTAIN, HALBERDIERS]
    assert hits("models_max", system, empire, entries, maximum=5) == []
    assert hits("models_max", system, empire, entries, maximum=4) == [
        Occurrence({"count": 5, "maximum": 4})
    ]


def test_more_of_a_profile_than_the_list_allows(system: System, empire: Army) -> None:
    army = with_profile(empire, "halberdiers", army_max=7)
    entries = [HALBERDIERS, CAPTAIN, HALBERDIERS, STRANGER]
    name = army.profiles["halberdiers"].name
    assert hits("army_max", system, army, entries) == [
        Occurrence({"name": name, "count": 8, "maximum": 7}, (0, 2))
    ]
    enough = with_profile(empire, "halberdiers", army_max=8)
    assert hits("army_max", system, enough, entries) == []
    # Where entries are units, these are counted.
    units = replace(system, regiments=Regiments(5, 3, 5))
    one = with_profile(empire, "halberdiers", army_max=1)
    [hit] = hits("army_max", units, one, entries)
    assert hit.fields["count"] == 2
    # Two characters of one regimental entry are two; a regiment is one.
    captains = [make_entry(profile="captain", count=2)]
    one = with_profile(empire, "captain", army_max=1)
    assert len(hits("army_max", units, one, captains)) == 1
    two = with_profile(empire, "halberdiers", army_max=2)
    assert hits("army_max", units, two, entries) == []


def test_command_above_its_maximum_is_taken_off_its_bearers(system, empire):
    led = make_entry(options=["champion", "musician"])
    entries = [led, CAPTAIN, make_entry(options=["champion"])]
    [hit] = hits("command", system, empire, entries, commands=["champion"], maximum=1)
    assert (hit.fields["count"], hit.warriors) == (2, (0, 2))
    assert [(fix.warrior, fix.option) for fix in hit.fixes] == [
        (0, "champion"),
        (2, "champion"),
    ]
    assert hit.fixes[0].label.endswith(", −10")
    assert hits("command", system, empire, entries, commands=["champion"], maximum=2) == []
    # Without a maximum one is too many.
    [hit] = hits("command", system, empire, entries, commands=["musician"])
    assert hit.fixes[0].label.startswith("Sergeant (Halberdiers) without musician")
    assert hits("command", system, empire, entries, commands=["standard-bearer"]) == []


def test_command_of_a_special_rule_counts_without_being_bought(system, empire):
    army = with_profile(empire, "captain", special_rules=("Inspiring",))
    # The list knows no x, so nobody bought it.
    unknown = make_entry(options=["x"])
    entries = [HALBERDIERS, CAPTAIN, STRANGER, unknown, CAPTAIN]
    [hit] = hits("command", system, army, entries, rules=["Inspiring"], options=["x"])
    assert (hit.warriors, hit.fixes) == ((1, 4), ())
    [hit] = hits("command", system, army, entries, rules=["Inspiring"], maximum=1)
    assert hit.fields["count"] == 2
    assert hits("command", system, army, entries, rules=["Inspiring"], maximum=2) == []
    assert hits("command", system, army, entries, options=["x"]) == []


# Categories, types, open points


def test_a_category_may_be_another_under_a_leader_of_a_faction(empire: Army) -> None:
    when = (("special", ("Lords of Ruin", "Kings")), ("rare", ("Beast Lords",)))
    army = with_profile(empire, "halberdiers", category_when=when, category="core")
    one = select(army, HALBERDIERS)
    assert [
        find_category(one, faction) for faction in ("", "lord", "king", "beast", "elf")
    ] == ["core", "special", "special", "rare", "core"]
    assert find_category(select(army, STRANGER), "lord") == ""


def test_types_flags_words_and_mounts_are_looked_for(system: System, empire: Army) -> None:
    army = with_profile(empire, "captain", model_name="Troll", flags=frozenset({"large"}))
    rider = make_entry(profile="elector-count", options=["griffon"])
    horseman = make_entry(profile="elector-count", options=["warhorse"])
    entries = [CAPTAIN, HALBERDIERS, rider, STRANGER, horseman]

    def found(**given: Any) -> list[int]:
        return [
            n
            for hit in hits("troop_type", system, army, entries, **given)
            for n in hit.warriors
        ]

    assert found(words=["Troll"]) == found(flags=["large"]) == [0]
    assert found(mounted=True) == [2, 4]
    griffon = army.ridden("griffon")
    assert griffon is not None
    assert found(types=[griffon.troop_type]) == []
    assert found(types=[griffon.troop_type], mounts=True) == [2]
    assert found() == []
    [hit] = hits("troop_type", system, army, entries, mounted=True, types=["x"])
    assert [(fix.action, fix.warrior) for fix in hit.fixes] == [
        ("remove_option", 2),
        ("remove_option", 4),
    ]
    # Whoever is of the type itself would be so without a mount.
    own = army.profiles["elector-count"].troop_type
    [hit] = hits("troop_type", system, army, [rider], types=[own])
    assert [fix.action for fix in hit.fixes] == ["remove_warrior"]


@pytest.mark.parametrize("fields, told", [
    ({}, ()),
    ({"incomplete": ("No price.", "No save.")}, ("No price.", "No save.")),
    ({"is_wizard": True, "wizard_level": None}, ("the wizard level is not stated",)),
    ({"is_wizard": True, "wizard_level": 1}, ()),
    ({"is_wizard": True, "wizard_level": None, "incomplete": ("a",)}, ("a",)),
])  # fmt: skip
def test_what_a_source_leaves_open_is_told(empire, fields, told):
    army = with_profile(empire, "captain", **fields)
    assert open_points(select(army, CAPTAIN)) == told
    assert open_points(select(army, STRANGER)) == ()


def test_open_points_are_told_once_without_their_full_stops(system, empire):
    army = with_profile(empire, "captain", incomplete=("No price.", "No save"))
    [hit] = hits("incomplete", system, army, [CAPTAIN, HALBERDIERS, CAPTAIN])
    assert hit == Occurrence(
        {"names": "2x Captain", "reasons": "No price; No save"}, (0, 2)
    )


@pytest.mark.parametrize(
    "level, most, is_found", [(1, 0, True), (1, 1, False), (None, 0, False)]
)
def test_a_wizard_is_above_a_level_that_is_stated(system, empire, level, most, is_found):
    army = with_profile(empire, "battle-wizard", wizard_level=level, options=())
    entries = [
        CAPTAIN, make_entry(profile="battle-wizard"), make_entry(profile="battle-wizard"),
    ]  # fmt: skip
    found = hits("wizard_level", system, army, entries, maximum=most)
    assert [hit.fields for hit in found] == (
        [{"names": "2x Battle Wizard", "level": level, "maximum": most}] if is_found else []
    )
    for hit in found:
        assert hit.warriors == (1, 2)
        assert [fix.warrior for fix in hit.fixes] == [1, 2]
