"""What is carried after purchases, how a save adds up, and weapons in a bearer's hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.equipment import Save, armour_save, blow_strength, carried_weapons
from engine.selection import select
from engine.stat_lines import carried_items
from engine.types.lists import Army, Figure, Option
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry

PLATED = ["plate-armour", "shield", "barded-warhorse"]


def save_of(army: Army, system: System, profile: str, options: Sequence[str] = ()) -> Save:
    return armour_save(
        select(army, make_entry(profile=profile, options=options)), army, system.saves
    )


@pytest.mark.parametrize("profile,options,number", [
    ("captain", [], None), ("captain", ["shield"], 6),
    ("captain", ["light-armour"], 6),
    ("captain", ["light-armour", "shield"], 5),
    ("captain", ["plate-armour"], 4),
    ("captain", ["plate-armour", "shield"], 3),
    ("captain", ["warhorse"], 6),
    ("captain", ["barded-warhorse"], 5),
    ("captain", ["plate-armour", "shield", "barded-warhorse"], 1),
    ("elector-count", ["griffon"], None),
    ("elector-count", ["plate-armour", "shield", "griffon"], 3),
])  # fmt: skip
def test_save_adds_up(system, empire, profile, options, number):
    assert save_of(empire, system, profile, options).number == number


def test_hand_weapon_and_shield_is_told_but_not_counted(system, empire):
    on_foot = save_of(empire, system, "captain", ["shield"])
    mounted = save_of(empire, system, "captain", ["shield", "warhorse"])
    assert on_foot.number == 6
    assert any("close combat" in words for words in on_foot.situational)
    assert not any("close combat" in words for words in mounted.situational)


@pytest.mark.parametrize("options", [[], ["shield"], PLATED, ["warhorse"], ["griffon"]])
def test_figures_that_a_system_leaves_out_are_the_usual_ones(system, empire, options):
    named = {key: value for key, value in system.saves.items() if type(value) is not int}
    assert 0 < len(named) < len(system.saves)
    for profile in ("captain", "elector-count"):
        selection = select(empire, make_entry(profile=profile, options=options))
        short = armour_save(selection, empire, named)
        assert short == armour_save(selection, empire, system.saves)


@pytest.mark.parametrize("options, is_told", [
    (["shield", "great-weapon"], True),
    (["shield", "halberd"], True),
    (["shield"], False),
    (["shield", "longbow"], False),
    (["light-armour", "great-weapon"], False),
])  # fmt: skip
def test_shield_is_of_no_use_while_a_weapon_takes_both_hands(
    system: System, empire: Army, options: Sequence[str], is_told: bool
) -> None:
    told = save_of(empire, system, "captain", options).situational
    assert any("takes both hands" in words for words in told) is is_told


def test_scaly_skin_counts_as_armour(system: System) -> None:
    lizards = registry.load_army(system.key, "lizardmen")
    assert str(save_of(lizards, system, "saurus-scar-veteran").parts[0]) == "scaly skin 5+"


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


@pytest.mark.parametrize("printed,strength,blow", [
    ("user", 4, 4), (None, 3, 3), ("+2", 4, 6), ("-1", 4, 3), ("+2", 9, 10), (4, 3, 4),
    ("+1", None, "+1"), ("D6", 3, "D6"),
])  # fmt: skip
def test_blow_strength(printed: Figure, strength: Figure, blow: Figure) -> None:
    assert blow_strength(printed, strength) == blow


def test_the_first_weapon_that_takes_both_hands_is_named(system, empire):
    for options, name in (
        (["shield", "halberd", "great-weapon"], "halberd"),
        (["great-weapon", "halberd", "shield"], "great weapon"),
    ):
        told = save_of(empire, system, "captain", options).situational
        assert f"no shield in close combat while {name} takes both hands" in told


@pytest.mark.parametrize("grants, parts", [
    (("Scaly Skin (5+)",), ["scaly skin 5+"]),
    (("Scaly skin (4+)", "Fear"), ["scaly skin 4+"]),
    (("Scaly Skin (5+) and more", "Scaly Skin"), []),
])  # fmt: skip
def test_an_option_may_grant_scales(system, empire, grants, parts):
    hide = Option("hide", "Hide", 5, grants=grants)
    captain = replace(empire.profiles["captain"], options=(hide,))
    army = replace(empire, profiles={"captain": captain})
    save = save_of(army, system, "captain", ["hide"])
    assert [str(part) for part in save.parts] == parts
    assert save.number == next((part.value for part in save.parts), None)


def test_a_thick_skinned_mount_betters_a_save_by_two(system: System, empire: Army) -> None:
    rule = system.saves["thick_skinned_rule"]
    horse = empire.ridden("warhorse")
    assert horse is not None
    thick = replace(horse, special_rules=(rule,))
    army = replace(empire, mounts={**empire.mounts, "warhorse": thick})
    save = save_of(army, system, "captain", ["light-armour", "warhorse"])
    assert (save.number, str(save.parts[-1])) == (4, "thick-skinned mount +2")


def test_a_large_mount_and_a_chariot_leave_a_save_as_it_is(system, empire):
    horse = empire.ridden("warhorse")
    assert horse is not None
    for mount in (
        replace(horse, flags=frozenset({"large_target"})),
        replace(horse, troop_type="chariot"),
    ):
        army = replace(empire, mounts={**empire.mounts, "warhorse": mount})
        save = save_of(army, system, "captain", ["light-armour", "warhorse"])
        assert (save.number, len(save.parts)) == (6, 1)


@pytest.mark.parametrize("printed, number", [(4, 4), (5, 5), (6, 5), ("4+", 5)])
def test_a_save_that_is_printed_as_a_whole_counts_where_it_is_better(
    system: System, empire: Army, printed: Figure, number: int
) -> None:
    figures = {"armour_save": printed, "ward_save": printed}
    captain = replace(empire.profiles["captain"], figures=figures)
    army = replace(empire, profiles={"captain": captain})
    save = save_of(army, system, "captain", ["light-armour", "shield"])
    assert save.number == number
    assert save.ward == (printed if isinstance(printed, int) else None)
    assert ("printed save" in str(save.parts[0])) is (printed == 4)


def test_a_system_without_saves_prints_none() -> None:
    assert (Save(None).text, Save(None).shown) == ("–", "–")
    assert (Save(5).text, Save(5).shown) == ("5+", "5+")
    assert Save(None, is_unknown=True).shown is None


def test_no_save_is_better_than_the_best_of_its_system(system, empire):
    selection = select(empire, make_entry(profile="captain", options=PLATED))
    for best, number in ((1, 1), (2, 2), (3, 3)):
        assert (
            armour_save(selection, empire, {**system.saves, "best": best}).number == number
        )
    assert armour_save(selection, empire, {}).is_unknown


def test_an_unarmoured_rider_has_the_save_of_the_saddle(system, empire):
    selection = select(empire, make_entry(profile="captain", options=["warhorse"]))
    for mounted, number in ((0, None), (1, 6), (2, 5)):
        saves = {**system.saves, "mounted": mounted}
        assert armour_save(selection, empire, saves).number == number
    # A system may count no save from another score on.
    for no_save, number in ((7, 6), (6, 5), (11, 10)):
        saves = {**system.saves, "no_save": no_save}
        assert armour_save(selection, empire, saves).number == number
