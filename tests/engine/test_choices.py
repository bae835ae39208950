"""The list's own equipment rules, and what the picker offers and why not."""

from collections.abc import Sequence

import pytest

from engine.choices import (
    Choice,
    ChoiceGroup,
    bearers_of,
    conflicts,
    implied,
    listed_on_purchase,
    missing,
    picker,
)
from engine.selection import select
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata import registry
from tests.factories import make_entry


def reasons(army: Army, profile: str, options: Sequence[str]) -> list[str]:
    selection = select(army, make_entry(profile=profile, options=options))
    return [
        fault.reason
        for fault in (
            *conflicts(selection, army, bearers_of([selection])),
            *missing(selection, army),
        )
    ]


def groups_of(
    army: Army, profile: str, options: Sequence[str] = ()
) -> dict[str, ChoiceGroup]:
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


@pytest.mark.parametrize(
    "profile,options,words",
    [
        ("captain", ["halberd", "great-weapon"], "only one of"),
        ("captain", ["shield", "battle-standard-bearer"], "do not go together"),
        ("captain", ["shield", "shield"], "taken 2 times"),
        ("halberdiers", ["champion", "champion"], "taken 2 times"),
        ("captain", ["magic/sword-of-might", "magic/sword-of-might"], "carried 2 times"),
        ("handgunners", ["hochland-long-rifle"], "for the champion"),
    ],
)
def test_fault_says_why(
    empire: Army, profile: str, options: Sequence[str], words: str
) -> None:
    assert any(words in reason for reason in reasons(empire, profile, options))


@pytest.mark.parametrize(
    "profile,options",
    [
        ("captain", []),
        ("captain", ["halberd", "light-armour", "shield", "warhorse"]),
        ("elector-count", ["hand-weapon"]),
        ("battle-wizard", []),
        ("handgunners", ["champion", "hochland-long-rifle"]),
    ],
)
def test_sound_choices_have_no_fault(
    empire: Army, profile: str, options: Sequence[str]
) -> None:
    assert reasons(empire, profile, options) == []


def test_requirement_names_what_would_do(system: System) -> None:
    chaos = registry.load_army(system.key, "chaos")
    lord = "lord-of-chaos"
    assert any(
        "Mark of Slaanesh" in reason
        for reason in reasons(chaos, lord, ["steed-of-slaanesh"])
    )
    assert reasons(chaos, lord, ["steed-of-slaanesh", "mark-of-slaanesh"]) == []


def test_pieces_up_to_the_maximum(system: System) -> None:
    goblins = registry.load_army(system.key, "orcs-and-goblins")
    assert reasons(goblins, "night-goblins", ["fanatics"] * 3) == []
    assert "the list allows 3" in reasons(goblins, "night-goblins", ["fanatics"] * 4)[0]


def test_unique_item_on_two_warriors_conflicts(system: System, empire: Army) -> None:
    unique = next((item for item in empire.magic_items.values() if item.is_unique), None)
    if unique is None:
        pytest.skip("no item of this list is marked as unique")
    both = tuple(
        select(empire, make_entry(profile="captain", options=[unique.option_key]), i)
        for i in range(2)
    )
    assert any(
        "2 warriors carry it" in fault.reason
        for fault in conflicts(both[0], empire, bearers_of(both))
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


def test_picker_counts_the_rival_back(empire: Army) -> None:
    assert choice(empire, "captain", "plate-armour").change == 8
    assert choice(empire, "captain", "plate-armour", ["heavy-armour"]).change == 4
    assert choice(empire, "captain", "heavy-armour", ["heavy-armour"]).change == 0


def test_picker_knows_groups_to_choose_one_of(empire: Army) -> None:
    groups = groups_of(empire, "captain")
    assert groups["armour"].is_exclusive
    assert groups["armour"].has_none
    assert groups["armour"].nothing_taken
    assert not groups_of(empire, "elector-count")["melee-weapon"].has_none
    assert groups_of(empire, "halberdiers")["command"].choices[0].key == "champion"


def test_picker_of_an_unknown_profile_is_empty(empire: Army) -> None:
    assert picker(select(empire, make_entry(profile="space-captain")), empire) == ()


def test_required_group_that_is_barred_need_not_be_chosen(empire: Army) -> None:
    assert reasons(empire, "steam-tank", ["mortar-and-swivel-guns"]) == []
    assert len(reasons(empire, "steam-tank", [])) == 2
