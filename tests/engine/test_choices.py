"""The list's own equipment rules, and what the picker offers and why not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.choices import Choice, ChoiceGroup, picker
from engine.option_rules import (
    conflicts,
    count_bearers,
    implied,
    listed_on_purchase,
    missing,
    rivals,
)
from engine.selection import select
from engine.types.lists import Army, Champion, Option, PriceCase, PriceTerms
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry


def reasons(army: Army, profile: str, options: Sequence[str]) -> list[str]:
    selection = select(army, make_entry(profile=profile, options=options))
    return [
        fault.reason
        for fault in (
            *conflicts(selection, army, count_bearers([selection])),
            *missing(selection, army),
        )
    ]


def groups_of(army, profile, options=()) -> dict[str, ChoiceGroup]:
    return {
        group.key: group
        for group in picker(
            select(army, make_entry(profile=profile, options=options)), army
        )
    }


def choice(army: Army, profile: str, key: str, options: Sequence[str] = ()) -> Choice:
    return next(
        c
        for g in groups_of(army, profile, options).values()
        for c in g.choices
        if c.key == key
    )


@pytest.mark.parametrize("profile,options,words", [
    ("captain", ["halberd", "great-weapon"], "only one of"),
    ("captain", ["shield", "battle-standard-bearer"], "do not go together"),
    ("captain", ["shield", "shield"], "taken 2 times"),
    ("halberdiers", ["champion", "champion"], "taken 2 times"),
    ("captain", ["magic/sword-of-might", "magic/sword-of-might"], "carried 2 times"),
    ("handgunners", ["hochland-long-rifle"], "for the champion"),
])  # fmt: skip
def test_fault_says_why(empire, profile, options, words):
    assert any(words in reason for reason in reasons(empire, profile, options))


@pytest.mark.parametrize("profile,options", [
    ("captain", []),
    ("captain", ["halberd", "light-armour", "shield", "warhorse"]),
    ("elector-count", ["hand-weapon"]),
    ("battle-wizard", []),
    ("handgunners", ["champion", "hochland-long-rifle"]),
])  # fmt: skip
def test_sound_choices_have_no_fault(empire, profile, options):
    assert reasons(empire, profile, options) == []


def test_requirement_names_what_would_do(system: System) -> None:
    chaos = registry.load_army(system.key, "chaos")
    lord = "lord-of-chaos"
    assert any(
        "Mark of Slaanesh" in reason
        for reason in reasons(chaos, lord, ["steed-of-slaanesh"])
    )
    assert reasons(chaos, lord, ["steed-of-slaanesh", "mark-of-slaanesh"]) == []


def test_unique_item_on_two_warriors_conflicts(system: System, empire: Army) -> None:
    unique = next((item for item in empire.magic_items.values() if item.is_unique), None)
    if unique is None:
        pytest.skip("no item of this list is marked as unique")
    both = tuple(
        select(empire, make_entry(profile="captain", options=[unique.option_key]), i)
        for i in range(2)
    )
    assert any(
        "2 models carry it" in fault.reason
        for fault in conflicts(both[0], empire, count_bearers(both))
    )


def test_free_default_is_implied_until_a_rival_is_taken(empire: Army) -> None:
    free = implied(select(empire, make_entry(profile="elector-count")))
    assert [option.key for option in free] == ["hand-weapon"]
    assert (
        implied(select(empire, make_entry(profile="elector-count", options=["pistol"])))
        == ()
    )


def test_priced_defaults_are_listed_on_purchase(system: System) -> None:
    army = registry.load_army(system.key, "bretonnians")
    assert listed_on_purchase(army.profiles["paladin"]) == ("barded-warhorse",)
    assert (
        listed_on_purchase(
            registry.load_army(system.key, "the-empire").profiles["elector-count"]
        )
        == ()
    )


def test_picker_shows_the_reason_and_the_swap(empire: Army) -> None:
    shield = choice(empire, "captain", "shield", ["battle-standard-bearer"])
    assert shield.why_not
    assert shield.swaps == ("battle-standard-bearer",)
    assert choice(empire, "captain", "shield").why_not == ""


def test_rivals_are_those_of_the_same_group_and_bearer(empire: Army) -> None:
    captain = empire.profiles["captain"]
    own = {one.key: one for one in captain.options if one.group == "armour"}
    assert "plate-armour" in own
    theirs = {key: replace(one, is_champions=True) for key, one in own.items()}
    mail = replace(theirs["plate-armour"], key="mail")
    bold = Champion("Bold", 5, options=(*theirs.values(), mail))
    profile = replace(captain, champion=bold)
    assert rivals(own["plate-armour"], profile) == own.keys() - {"plate-armour"}
    # A key of both means the captain's own, and so the champion's has no other rival.
    assert rivals(mail, profile) == set()
    alone = replace(
        captain, champion=replace(bold, options=(mail, replace(mail, key="coat")))
    )
    assert rivals(mail, alone) == {"coat"}
    several = replace(mail, is_exclusive=False)
    assert rivals(several, alone) == set()


def test_picker_counts_the_rival_back(empire: Army) -> None:
    assert choice(empire, "captain", "plate-armour").change == 8
    assert choice(empire, "captain", "plate-armour", ["heavy-armour"]).change == 4
    assert choice(empire, "captain", "heavy-armour", ["heavy-armour"]).change == 0


def test_nothing_of_a_group_saves_what_the_entry_pays_for_it(empire: Army) -> None:
    def change(army: Army, **fields: Any) -> int:
        entry = make_entry(profile="captain", options=["heavy-armour"], count=3, **fields)
        groups = {one.key: one for one in picker(select(army, entry), army)}
        nothing = groups["armour"].nothing
        assert nothing
        assert not nothing.is_taken
        return nothing.change

    assert change(empire) == -4 * 3
    # Whoever puts something away pays today's price for the rest: 3 x (50 - 40).
    assert change(empire, kept=40) == 3 * 10
    captain = empire.profiles["captain"]

    def selling(*options: Option) -> Army:
        sold = replace(captain, options=options)
        return replace(empire, profiles={"captain": sold}, unit_options_once=True)

    armour = next(one for one in captain.options if one.key == "heavy-armour")
    assert change(selling(replace(armour, per="unit"))) == -4
    dearer = PriceTerms(cases=(PriceCase(9, bought=("heavy-armour",)),))
    assert change(selling(replace(armour, terms=dearer))) == -9 * 3


def test_picker_knows_groups_to_choose_one_of(empire: Army) -> None:
    groups = groups_of(empire, "captain")
    assert groups["armour"].is_exclusive
    nothing = groups["armour"].nothing
    assert nothing
    assert (nothing.is_taken, nothing.change) == (True, 0)
    assert groups_of(empire, "elector-count")["melee-weapon"].nothing is None
    assert groups_of(empire, "halberdiers")["command"].choices[0].key == "champion"


def test_picker_of_an_unknown_profile_is_empty(empire: Army) -> None:
    assert picker(select(empire, make_entry(profile="space-captain")), empire) == ()


def test_required_group_that_is_barred_need_not_be_chosen(empire: Army) -> None:
    assert reasons(empire, "steam-tank", ["mortar-and-swivel-guns"]) == []
    assert len(reasons(empire, "steam-tank", [])) == 2


# What no list of today prints together


def army_with(army: Army, profile: str, *options: Option, **fields: object) -> Army:
    one = army.profiles[profile]
    changed = replace(one, options=(*options, *one.options))
    return replace(army, profiles={**army.profiles, profile: changed}, **fields)


@pytest.mark.parametrize("per, is_once, note, once", [
    ("model", False, "", False), ("model", True, "", False),
    ("unit", True, "One price for the whole regiment.", True),
    (
        "unit",
        False,
        "The list has one price for a regiment. One model pays it in full.",
        False,
    ),
])  # fmt: skip
def test_note_says_who_pays(empire, per, is_once, note, once):
    horn = Option("horn", "Horn", 5, per=per)
    army = army_with(empire, "captain", horn, unit_options_once=is_once)
    found = choice(army, "captain", "horn")
    assert (found.note, found.points) == (note, 5)
    three = select(army, make_entry(profile="captain", count=3))
    (change,) = (
        one.change
        for group in picker(three, army)
        for one in group.choices
        if one.key == "horn"
    )
    assert change == (5 if once else 3 * 5)


@pytest.mark.parametrize("fields, taken, why_not", [
    ({"requires": ("shield", "halberd")}, [], "Needs Shield and Halberd."),
    ({"requires": ("shield", "halberd")}, ["shield"], "Needs Shield and Halberd."),
    ({"requires": ("shield", "halberd")}, ["shield", "halberd"], ""),
    ({"requires_any": ("shield", "halberd")}, [], "Needs Shield or Halberd."),
    ({"requires_any": ("shield", "halberd")}, ["halberd"], ""),
    ({"excludes": ("shield", "halberd")}, ["shield"], "Not together with Shield."),
    (
        {"excludes": ("halberd", "shield"), "requires": ("warhorse",)},
        ["halberd", "shield"],
        "Not together with Halberd or Shield.",
    ),
])  # fmt: skip
def test_choice_says_what_it_needs(empire, fields, taken, why_not):
    army = army_with(empire, "captain", Option("horn", "Horn", 5, **fields))
    found = choice(army, "captain", "horn", taken)
    assert (found.why_not, found.is_taken, found.change) == (why_not, False, 5)
    told = reasons(army, "captain", [*taken, "horn"])
    assert any("Horn" in reason for reason in told) == bool(why_not)
    assert not choice(army, "captain", "horn", [*taken, "horn"]).why_not


def test_choice_of_a_champion_is_for_the_champion_alone(empire: Army) -> None:
    key = "hochland-long-rifle"
    alone, led = (choice(empire, "handgunners", key, taken) for taken in ([], ["champion"]))
    assert (alone.why_not, led.why_not) == ("Only for the champion.", "")
    (heading,) = (
        group.name
        for group in groups_of(empire, "handgunners").values()
        if any(one.key == key for one in group.choices)
    )
    assert heading.startswith("Marksman: ")


@pytest.mark.parametrize("trait, mounted, note", [
    ("mounted_only", False, "For riders only, and this model is on foot."),
    ("mounted_only", True, ""),
    ("foot_only", True, "On foot only, and this model rides."),
    ("foot_only", False, ""),
])  # fmt: skip
def test_note_of_a_weapon_that_minds_the_saddle(empire, trait, mounted, note):
    pole = replace(empire.weapons["halberd"], key="pole", traits={trait: True})
    army = army_with(
        empire,
        "captain",
        Option("pole", "Pole", 1, items=("pole",)),
        weapons={**empire.weapons, "pole": pole},
    )
    assert choice(army, "captain", "pole", ["warhorse"] if mounted else []).note == note


@pytest.mark.parametrize(
    "per, most, allowed",
    [("model", 4, 1), ("each", None, 1), ("each", 1, 1), ("each", 4, 4)],
)
def test_option_is_bought_as_often_as_it_is_sold(empire, per, most, allowed):
    army = army_with(empire, "captain", Option("horn", "Horn", 5, per=per, maximum=most))
    assert reasons(army, "captain", ["horn"] * allowed) == []
    assert reasons(army, "captain", ["horn"] * (allowed + 1)) == [
        f"Horn is taken {allowed + 1} times, the list allows {allowed}"
    ]
    assert choice(army, "captain", "horn").maximum == allowed


def test_magic_is_paid_from_the_allowance_and_spent_to_the_last_point(empire: Army) -> None:
    dear, cheap = sorted(empire.magic_items.values(), key=lambda one: -one.points)[:2]
    both = [dear.option_key, cheap.option_key]
    spent = dear.points + cheap.points
    captain = empire.profiles["captain"]
    for allowance, told in (
        (spent, []),
        (
            spent - 1,
            [f"it may carry at most {spent - 1} points of magic items and carries {spent}"],
        ),
        (None, [f"it may carry no magic items and carries {spent}"]),
    ):
        profiles = {"captain": replace(captain, magic_allowance=allowance)}
        assert reasons(replace(empire, profiles=profiles), "captain", both) == told
