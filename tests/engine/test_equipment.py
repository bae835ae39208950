"""What is carried after purchases, how a save adds up, and weapons in a bearer's hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.equipment import (
    Save,
    armour_save,
    blow_strength,
    carried_weapons,
)
from engine.selection import select
from engine.stat_lines import carried_items
from engine.types.lists import Army, Figure
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry

PLATED = ["plate-armour", "shield", "barded-warhorse"]


def save_of(army: Army, system: System, profile: str, options: Sequence[str] = ()) -> Save:
    return armour_save(
        select(army, make_entry(profile=profile, options=options)), army, system.saves
    )


@pytest.mark.parametrize(
    "profile,options,number",
    [
        ("captain", [], None),
        ("captain", ["shield"], 6),
        ("captain", ["light-armour"], 6),
        ("captain", ["light-armour", "shield"], 5),
        ("captain", ["plate-armour"], 4),
        ("captain", ["plate-armour", "shield"], 3),
        ("captain", ["warhorse"], 6),
        ("captain", ["barded-warhorse"], 5),
        ("captain", ["plate-armour", "shield", "barded-warhorse"], 1),
        ("elector-count", ["griffon"], None),
        ("elector-count", ["plate-armour", "shield", "griffon"], 3),
    ],
)
def test_save_adds_up(
    system: System, empire: Army, profile: str, options: Sequence[str], number: int | None
) -> None:
    assert save_of(empire, system, profile, options).number == number


def test_save_tells_its_parts(system: System, empire: Army) -> None:
    save = save_of(empire, system, "captain", ["plate-armour", "shield", "barded-warhorse"])
    assert [str(part) for part in save.parts] == [
        "Plate armour 4+",
        "Shield +1",
        "mounted +1",
        "barding +1",
    ]
    assert save.text == "1+"
    assert save_of(empire, system, "captain").text == "–"


def test_hand_weapon_and_shield_is_told_but_not_counted(
    system: System, empire: Army
) -> None:
    on_foot = save_of(empire, system, "captain", ["shield"])
    mounted = save_of(empire, system, "captain", ["shield", "warhorse"])
    assert on_foot.number == 6
    assert any("close combat" in words for words in on_foot.situational)
    assert not any("close combat" in words for words in mounted.situational)


@pytest.mark.parametrize("options", [[], ["shield"], PLATED, ["warhorse"], ["griffon"]])
def test_figures_that_a_system_leaves_out_are_the_usual_ones(
    system: System, empire: Army, options: Sequence[str]
) -> None:
    named = {key: value for key, value in system.saves.items() if type(value) is not int}
    assert 0 < len(named) < len(system.saves)
    for profile in ("captain", "elector-count"):
        selection = select(empire, make_entry(profile=profile, options=options))
        short = armour_save(selection, empire, named)
        assert short == armour_save(selection, empire, system.saves)


@pytest.mark.parametrize(
    "options, is_told",
    [
        (["shield", "great-weapon"], True),
        (["shield", "halberd"], True),
        (["shield"], False),
        (["shield", "longbow"], False),
        (["light-armour", "great-weapon"], False),
    ],
)
def test_shield_is_of_no_use_while_a_weapon_takes_both_hands(
    system: System, empire: Army, options: Sequence[str], is_told: bool
) -> None:
    told = save_of(empire, system, "captain", options).situational
    assert any("takes both hands" in words for words in told) is is_told


def test_scaly_skin_counts_as_armour(system: System) -> None:
    lizards = registry.load_army(system.key, "lizardmen")
    assert str(save_of(lizards, system, "saurus-scar-veteran").parts[0]) == "scaly skin 5+"


def test_default_weapon_goes_when_another_is_taken(empire: Army) -> None:
    plain = carried_items(select(empire, make_entry(profile="elector-count")))
    armed = carried_items(
        select(empire, make_entry(profile="elector-count", options=["great-weapon"]))
    )
    assert "hand-weapon" in plain
    assert "great-weapon" in armed
    assert "hand-weapon" not in armed


def test_default_weapon_stays_beside_one_that_excludes_nothing(empire: Army) -> None:
    count = empire.profiles["elector-count"]
    options = [replace(one, is_exclusive=one.is_default) for one in count.options]
    army = replace(empire, profiles={count.key: replace(count, options=tuple(options))})
    armed = select(army, make_entry(profile=count.key, options=["great-weapon"]))
    assert {"hand-weapon", "great-weapon"} <= set(carried_items(armed))


def test_priced_default_counts_only_when_listed(system: System) -> None:
    army = registry.load_army(system.key, "bretonnians")
    on_foot = select(army, make_entry(profile="paladin"))
    riding = select(army, make_entry(profile="paladin", options=["barded-warhorse"]))
    assert (on_foot.is_mounted, riding.is_mounted) == (False, True)
    assert riding.points - on_foot.points == 14


def test_unknown_profile_has_no_save_and_no_arms(system: System, empire: Army) -> None:
    selection = select(empire, make_entry(profile="space-captain"))
    assert armour_save(selection, empire, system.saves).number is None
    assert (carried_weapons(selection, empire), carried_items(selection)) == ((), ())


@pytest.mark.parametrize(
    "printed,strength,blow",
    [
        ("user", 4, 4),
        (None, 3, 3),
        ("+2", 4, 6),
        ("-1", 4, 3),
        ("+2", 9, 10),
        (4, 3, 4),
        ("+1", None, "+1"),
        ("D6", 3, "D6"),
    ],
)
def test_blow_strength(printed: Figure, strength: Figure, blow: Figure) -> None:
    assert blow_strength(printed, strength) == blow


def test_arms_put_the_plain_hand_weapon_last(empire: Army) -> None:
    found = carried_weapons(
        select(empire, make_entry(profile="captain", options=["great-weapon", "longbow"])),
        empire,
    )
    assert [arm.key for arm in found][-1] == "hand-weapon"
    by_key = {arm.key: arm for arm in found}
    assert by_key["great-weapon"].strength == 6
    assert by_key["longbow"].range == 30
    assert by_key["longbow"].is_missile
