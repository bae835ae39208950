"""What the picker tells of each choice and each group, by options made up for one thing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.choices import Choice, ChoiceGroup, item_detail, picker
from engine.option_rules import (
    cheapest,
    find_clashes,
    find_name,
    first_count,
    implied,
    required_groups,
)
from engine.selection import Selection, select
from engine.types.lists import (
    Armour,
    Army,
    Champion,
    Option,
    PriceCase,
    PriceTerms,
    StatLine,
    Weapon,
)
from engine.types.mechanics import Regiments
from tests.factories import make_entry

HORN, FLAG = Option("horn", "Horn", 5), Option("flag", "Flag", 3)


def selling(army: Army, *options: Option, **fields: Any) -> Army:
    """The army, whose captain may buy these options and nothing else."""
    captain = replace(army.profiles["captain"], options=options, **fields)
    return replace(army, profiles={"captain": captain})


def taken(army: Army, *bought: str, **fields: Any) -> Selection:
    return select(army, make_entry(profile="captain", options=bought, **fields))


def groups(army: Army, *bought: str) -> dict[str, ChoiceGroup]:
    return {one.key: one for one in picker(taken(army, *bought), army)}


def choice(army: Army, key: str, *bought: str) -> Choice:
    found = [one for group in groups(army, *bought).values() for one in group.choices]
    return next(one for one in found if one.key == key)


# Groups


def test_options_stand_under_their_kind_or_the_group_of_which_one_is_taken(empire):
    army = selling(
        empire,
        replace(HORN, kind="magic-level"),
        replace(FLAG, kind="no-such-kind"),
        Option("axe", "Axe", 2, kind="weapon", group="arms", is_exclusive=True),
        Option("bow", "Bow", 4, kind="weapon", group="arms"),
        Option("oil", "Oil", 4, group="tricks", is_exclusive=True, house_rule="mud"),
    )
    found = groups(army)
    assert [(key, one.name, one.is_exclusive) for key, one in found.items()] == [
        ("Magic", "Magic", False),
        ("Other", "Other", False),
        ("arms", "Arms", True),
        ("Weapons", "Weapons", False),
        ("tricks", "Tricks", False),
    ]
    assert [one.key for one in found["arms"].choices] == ["axe"]


def test_a_champions_options_stand_under_the_champion(empire: Army) -> None:
    sold = (
        replace(HORN, is_champions=True),
        Option("axe", "Axe", 2, is_champions=True, group="side-arms", is_exclusive=True),
        Option("bow", "Bow", 4, is_champions=True, group="side-arms", is_exclusive=True),
    )
    army = selling(empire, champion=Champion("Sergeant", 10, options=sold))
    found = groups(army)
    assert list(found) == ["command", "Sergeant: options", "Sergeant: side-arms"]
    options, arms = found["Sergeant: options"], found["Sergeant: side-arms"]
    assert (options.is_exclusive, options.nothing) == (False, None)
    assert (arms.is_exclusive, arms.name) == (True, "Sergeant: side arms")
    assert arms.nothing is not None


@pytest.mark.parametrize("fields, has_nothing, is_required", [
    ({}, True, False),
    ({"is_required": True}, False, True),
    ({"is_default": True}, True, False),
    ({"is_default": True, "points": 0}, False, False),
])  # fmt: skip
def test_nothing_may_be_chosen_where_nothing_is_asked_for(
    empire: Army, fields: dict[str, Any], has_nothing: bool, is_required: bool
) -> None:
    axe = Option("axe", "Axe", 2, group="arms", is_exclusive=True)
    bow = replace(axe, key="bow", name="Bow")
    found = groups(selling(empire, bow, replace(axe, **fields)))["arms"]
    assert (found.nothing is not None, found.is_required) == (has_nothing, is_required)


def test_what_campaigns_alone_sell_is_shown_to_whoever_has_it(empire: Army) -> None:
    army = selling(empire, HORN, replace(FLAG, is_trade_only=True))
    assert [one.key for one in groups(army)["Other"].choices] == ["horn"]
    assert [one.key for one in groups(army, "flag")["Other"].choices] == ["horn", "flag"]


def test_command_is_sold_in_its_order_and_paid_once_where_units_pay_once(empire):
    army = selling(
        empire,
        champion=Champion("Sergeant", 10),
        musician_points=None,
        standard_bearer_points=0,
    )
    [group] = picker(taken(army, "standard-bearer"), army)
    assert (group.key, group.name, group.is_exclusive) == ("command", "Command", False)
    assert group.choices == (
        Choice("champion", "Sergeant (champion)", 10, is_taken=False, change=10),
        Choice("standard-bearer", "Standard bearer", 0, is_taken=True, times=1),
    )
    once = replace(army, unit_options_once=True)
    [group] = picker(taken(once, "champion"), once)
    assert [(one.times, one.change) for one in group.choices] == [(1, 0), (0, 0)]
    assert picker(taken(selling(empire)), selling(empire)) == ()


# Choices


def test_a_free_default_is_taken_until_a_rival_is(empire: Army) -> None:
    axe = Option("axe", "Axe", 0, group="arms", is_exclusive=True, is_default=True)
    bow = Option("bow", "Bow", 4, group="arms", is_exclusive=True)
    army = selling(empire, axe, bow)
    assert (choice(army, "axe").is_taken, choice(army, "axe").times) == (True, 0)
    assert not choice(army, "axe", "bow").is_taken
    # Instead of the bow it saves what the bow cost.
    assert (choice(army, "axe", "bow").change, choice(army, "bow").change) == (-4, 4)


def test_a_change_counts_the_base_price_beside_what_is_bought(empire: Army) -> None:
    terms = PriceTerms((PriceCase(40, bought=("horn",)),))
    army = selling(empire, HORN, FLAG, base_terms=terms)
    # The base falls from 50 to 40.
    assert choice(army, "horn").change == 5 - 10
    assert choice(army, "flag", "horn").change == 3


def test_a_note_tells_words_armies_prices_and_rarity_in_this_order(empire: Army) -> None:
    whole = replace(HORN, words="Loud.", requires_army=("Averland",), per="unit", rarity=9)
    told = [
        "Loud.",
        "Only in these armies: Averland.",
        "The list has one price for a regiment. One model pays it in full.",
        "Rare in campaigns: found on 9 or more.",
    ]
    assert choice(selling(empire, whole), "horn").note == " ".join(told)
    assert choice(selling(empire, HORN), "horn").note == ""


@pytest.mark.parametrize("fields, detail", [
    ({"effect": {"S": "+1", "T": "-1", "A": 2}}, "S +1, T −1, A 2"),
    ({"items": ("plate",)}, "save 4+"),
    ({"items": ("buckler",)}, "save 1 better"),
    ({"items": ("plate", "pike")}, "save 4+, Strength +1"),
    ({"items": ("no-such-piece",), "effect": {"S": "+1"}}, "S +1"),
    ({"items": ("sling",)}, "18″, Strength 3"),
    ({"items": ("dart",)}, "Strength −1"),
    ({"items": ("club",)}, ""), ({}, ""),
])  # fmt: skip
def test_a_detail_says_what_an_option_brings(empire, fields, detail):
    army = selling(empire, replace(HORN, **fields))
    army = replace(
        army,
        armour={
            "plate": Armour("plate", "Plate", save=4),
            "buckler": Armour("buckler", "Buckler", improves=1),
        },
        weapons={
            "pike": Weapon("pike", "Pike", "melee", strength="+1"),
            "sling": Weapon("sling", "Sling", "missile", range=18, strength=3),
            "dart": Weapon("dart", "Dart", "missile", strength="-1"),
            "club": Weapon("club", "Club", "melee", strength="user"),
        },
    )
    assert choice(army, "horn").detail == detail


def test_a_detail_of_what_the_list_does_not_know_is_empty(empire: Army) -> None:
    selection = taken(empire)
    assert item_detail("no-such-piece", selection, empire) == ""
    no_lines = selling(empire, lines=())
    assert item_detail("halberd", taken(no_lines), no_lines).startswith("Strength +1")


# What options need and rule out


@pytest.mark.parametrize("bought, clashes", [
    ((), ()), (("flag",), ("flag",)), (("oil",), ("oil",)),
    (("oil", "flag"), ("flag", "oil")),
])  # fmt: skip
def test_an_exclusion_holds_for_both_options_wherever_it_is_printed(
    empire: Army, bought: Sequence[str], clashes: tuple[str, ...]
) -> None:
    horn = replace(HORN, excludes=("flag",))
    oil = Option("oil", "Oil", 1, excludes=("horn",))
    army = selling(empire, horn, FLAG, oil)
    assert find_clashes(horn, taken(army, *bought)) == clashes


def test_the_cheapest_is_the_default_or_the_lowest_price() -> None:
    assert cheapest([HORN, FLAG]) == FLAG
    default = replace(HORN, is_default=True)
    assert cheapest([FLAG, default]) == default


def test_groups_that_must_be_chosen_from_are_named(empire: Army) -> None:
    one = replace(HORN, group="signal", is_required=True)
    other = replace(FLAG, group="signal", is_required=True)
    loose = Option("oil", "Oil", 1, is_required=True)
    army = selling(empire, one, Option("axe", "Axe", 1, group="arms"), other, loose)
    assert required_groups(army.profiles["captain"]) == {"signal": [one, other]}


def test_an_option_is_named_as_printed_or_by_its_key(empire: Army) -> None:
    army = selling(empire, HORN, champion=Champion("Sergeant", 1, options=(FLAG,)))
    captain = army.profiles["captain"]
    item = next(iter(army.magic_items.values()))
    assert [
        find_name(key, captain, army)
        for key in ("horn", "flag", "champion", item.option_key, "old-map")
    ] == ["Horn", "Flag", "Sergeant (champion)", item.name, "old map"]


def test_a_champions_free_default_comes_with_the_champion(empire: Army) -> None:
    axe = Option("axe", "Axe", 0, group="arms", is_default=True, is_champions=True)
    army = selling(empire, champion=Champion("Sergeant", 1, options=(axe,)))
    assert implied(taken(army)) == ()
    assert implied(taken(army, "champion")) == (axe,)
    assert implied(select(army, make_entry(profile="space-captain"))) == ()


@pytest.mark.parametrize("has_regiments, category, size, count", [
    (False, "core", (10, 20), 1),
    (True, "core", (10, 20), 10),
    (True, "core", (None, 20), 5),
    (True, "core", None, 1), (True, "hero", (10, 20), 1),
])  # fmt: skip
def test_an_entry_begins_with_one_model_or_the_smallest_unit(
    system, empire, has_regiments, category, size, count
):
    played = replace(system, regiments=Regiments(5, 3, 5) if has_regiments else None)
    profile = replace(empire.profiles["captain"], category=category, unit_size=size)
    assert "hero" in empire.characters
    assert "core" not in empire.characters
    assert first_count(profile, empire, played) == count


def test_a_mount_of_the_profile_itself_makes_a_rider(empire: Army) -> None:
    lines = (StatLine("Rider", {"Ld": 7}, "rider"), StatLine("Horse", {"Ld": 5}, "mount"))
    riding = selling(empire, lines=lines)
    assert taken(riding).is_mounted
    assert not taken(selling(empire, lines=lines[1:])).is_mounted
