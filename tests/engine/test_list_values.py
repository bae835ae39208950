"""What an army list's values say of themselves: prices, options, hired swords, a second price."""

from dataclasses import replace

import pytest

from engine.hired import with_hired
from engine.roster import EntryGrowth, HiredUnit, RosterGrowth
from engine.selection import second_price, select, total_second
from engine.stat_lines import carried_items, stat_lines
from engine.types.lists import (
    POINTS,
    Army,
    Category,
    Currency,
    Option,
    PriceCase,
    PriceTerms,
    SecondPrice,
)
from tests.factories import make_entry

SILVER = Currency("silver", "gc")


@pytest.mark.parametrize("bought, holds", [
    (set(), False), ({"a"}, False), ({"a", "b"}, True), ({"a", "b", "c"}, False),
    ({"a", "b", "x"}, True),
])  # fmt: skip
def test_a_price_holds_beside_all_it_names_and_none_it_rules_out(bought, holds):
    case = PriceCase(3, bought=("a", "b"), not_bought=("c", "d"))
    assert case.holds(bought) is holds
    assert PriceTerms((case,)).points(8, bought) == (3 if holds else 8)


def test_the_first_price_that_holds_is_paid() -> None:
    terms = PriceTerms((PriceCase(3, bought=("a",)), PriceCase(5)))
    assert [terms.points(8, bought) for bought in ({"a"}, set())] == [3, 5]


@pytest.mark.parametrize("option, shuts_out", [
    (Option("x", "X", 1, group="arms", is_exclusive=True), True),
    (Option("x", "X", 1, group="arms"), False),
    (Option("x", "X", 1, is_exclusive=True), False),
    (Option("x", "X", 1, group="arms", is_exclusive=True, house_rule="mud"), False),
])  # fmt: skip
def test_an_option_shuts_out_its_group_where_one_may_be_had(option, shuts_out):
    assert option.shuts_out is shuts_out


def test_a_list_knows_its_headings_and_who_stands_alone(empire: Army) -> None:
    headings = (Category("hero", "Hero", "Heroes", is_character=True),
                Category("core", "Core", "Core"))  # fmt: skip
    army = replace(empire, categories=headings)
    assert (army.category("core"), army.category("rare")) == (headings[1], None)
    assert army.characters == {"hero"}


def test_a_list_has_points_where_any_profile_costs_some(empire: Army) -> None:
    captain = empire.profiles["captain"]
    free = {key: replace(captain, points=0) for key in ("a", "b")}
    assert not replace(empire, profiles=free).has_points
    assert replace(empire, profiles={**free, "c": captain}).has_points


def test_a_mount_is_a_mount_of_the_list_or_else_another_profile(empire: Army) -> None:
    captain, horse = (
        empire.profiles["captain"],
        replace(empire.profiles["captain"], key="h"),
    )
    army = replace(empire, profiles={"h": captain, "c": captain}, mounts={"h": horse})
    assert [army.ridden(key) for key in ("h", "c", "x")] == [horse, captain, None]


@pytest.mark.parametrize("text, told", [
    ("Captain: 12 points each", "Captain: 12 gc each"),
    ("1 point, 2 pts and 1 pt", "1 gc, 2 gc and 1 gc"),
    ("12\N{NO-BREAK SPACE}pts", "12\N{NO-BREAK SPACE}gc"),
    ("the 100 points limit", "the 100 points limit"),
    ("many points, 3 pointers", "many points, 3 pointers"),
])  # fmt: skip
def test_amounts_are_told_in_what_the_list_counts(text: str, told: str) -> None:
    assert SILVER.amounts_in(text) == told
    assert POINTS.amounts_in(text) == text
    # Only what is called points and pts is the usual one.
    assert Currency("points", "gc").amounts_in(text) == told


# A second price


def rated(empire: Army, *, once: bool = False) -> Army:
    """The list where a captain adds 5, his horn 2 and his banner 3."""
    horn = Option("horn", "Horn", 1, per="each", maximum=3, terms=PriceTerms(second=2))
    banner = Option("banner", "Banner", 1, per="unit", terms=PriceTerms(second=3))
    captain = replace(
        empire.profiles["captain"], options=(horn, banner), base_terms=PriceTerms(second=5)
    )
    price = SecondPrice("Rating", "wr")
    return replace(
        empire, profiles={"captain": captain}, second_price=price, unit_options_once=once
    )


@pytest.mark.parametrize("options, count, once, second", [
    ([], 1, False, 5), ([], 3, False, 15), (["horn"], 3, False, 21),
    (["horn", "horn"], 3, False, 27),
    (["banner"], 3, False, 24), (["banner"], 3, True, 18),
    (["horn", "banner"], 2, True, 17),
])  # fmt: skip
def test_a_second_price_counts_each_miniature_and_once_what_is_paid_once(
    empire: Army, options: list[str], count: int, once: bool, second: int
) -> None:
    army = rated(empire, once=once)
    entry = make_entry(profile="captain", options=options, count=count)
    assert second_price(select(army, entry), army) == second


def test_a_roster_adds_up_its_second_price_where_the_list_has_one(empire: Army) -> None:
    army = rated(empire)
    entries = [make_entry(profile=key) for key in ("captain", "captain", "nobody")]
    selections = [select(army, one) for one in entries]
    assert total_second(selections, army) == 10
    assert total_second(selections, replace(army, second_price=None)) == 0


# Hired swords

SWORD = HiredUnit("pike", "Pikeman", 20, (("M", 4), ("Ld", 7)), ("halberd", "pitchfork"))


def test_a_hired_sword_is_a_unit_with_the_arms_that_the_list_knows(empire: Army) -> None:
    army = with_hired(empire, RosterGrowth(hired=(SWORD,)))
    selection = select(army, make_entry(profile="pike", growth=EntryGrowth()))
    assert (selection.points, selection.title) == (20, "Pikeman")
    assert carried_items(selection) == ("halberd",)
    [line] = stat_lines(selection, army)
    assert (line.name, line.role, line.stats) == ("Pikeman", "model", {"M": 4, "Ld": 7})
    profile = army.profiles["pike"]
    assert (profile.army, profile.category, profile.troop_type) == (
        empire.key, "hired", "infantry",
    )  # fmt: skip


def test_a_unit_of_the_list_is_never_replaced_by_a_hired_sword(empire: Army) -> None:
    taken = replace(SWORD, key="captain")
    assert with_hired(empire, RosterGrowth(hired=(taken,))) is empire
    assert with_hired(empire, RosterGrowth()) is empire
    assert with_hired(empire, None) is empire
