"""Kinds of guidelines about leaders, limits and arms, with the sentences of all kinds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from engine.findings.case import (
    Case,
    Fix,
    Number,
    Occurrence,
    change_words,
    removals,
    sentence,
)
from engine.findings.checks import check
from engine.roster import RosterEntry, RosterGrowth
from engine.selection import select_all
from engine.types.lists import Armour, Army, Option, StatLine, Weapon
from engine.types.systems import Regiments, Scenario, System
from tests.engine.made_cases import CAPTAIN, HALBERDIERS, STRANGER, hits, with_profile
from tests.factories import make_entry, make_roster

# Leaders


def test_the_faction_is_that_of_the_first_leader(system: System, empire: Army) -> None:
    army = with_profile(empire, "captain", faction="lord")
    army = with_profile(army, "halberdiers", faction="beast")

    def faction(*entries: RosterEntry) -> str:
        roster = make_roster(warriors=entries)
        return Case(roster, select_all(army, entries), system, army).leader_faction

    first, second = (replace(one, is_leader=True) for one in (CAPTAIN, HALBERDIERS))
    assert faction(first, second) == "lord"
    assert faction(second, first) == faction(CAPTAIN, second) == "beast"
    assert faction(CAPTAIN) == faction(replace(STRANGER, is_leader=True)) == ""


def test_a_leader_may_have_no_leadership(system: System, empire: Army) -> None:
    army = with_profile(empire, "halberdiers", lines=(StatLine("Halberdier", {}),))
    leader = make_entry(name="Otto", is_leader=True)
    [hit] = hits("leader_outranked", system, army, [leader, CAPTAIN])
    assert hit == Occurrence(
        {"leader": "Otto", "leadership": "none", "names": "Captain", "highest": 8},
        (1,),
        (Fix("Choose Captain as leader", "lead", 1),),
    )
    named = replace(system, leader_name="warlord")
    [hit] = hits("leader_outranked", named, army, [leader, CAPTAIN])
    assert hit.fixes[0].label == "Choose Captain as warlord"
    assert hits("leader_outranked", system, army, [CAPTAIN]) == []


def test_of_several_leaders_the_highest_counts(system: System, empire: Army) -> None:
    low, high = (replace(one, is_leader=True) for one in (HALBERDIERS, CAPTAIN))
    assert hits("leader_outranked", system, empire, [low, high]) == []
    [hit] = hits("leader_many", system, empire, [low, CAPTAIN, high])
    assert (hit.fields, hit.warriors) == ({"count": 2}, (0, 2))
    assert [fix.warrior for fix in hit.fixes] == [0, 2]


def test_at_most_four_are_offered_as_leaders(system: System, empire: Army) -> None:
    for count in (4, 5):
        [hit] = hits("leader_missing", system, empire, [CAPTAIN] * count)
        assert hit.warriors == tuple(range(count))
        assert [fix.warrior for fix in hit.fixes] == [0, 1, 2, 3]


# Limits


@pytest.mark.parametrize(
    "limit, nearest", [(99, 100), (100, None), (250, None), (251, 250), (None, None)]
)
def test_a_limit_outside_is_set_to_the_nearest_end(system, empire, limit, nearest):
    found = hits(
        "limit_outside", system, empire, [CAPTAIN], limit=limit, minimum=100, maximum=250
    )
    assert [hit.fixes for hit in found] == (
        []
        if nearest is None
        else [(Fix(f"Set the limit to {nearest}", "set_limit", value=nearest),)]
    )


def test_a_limit_may_be_raised_to_what_is_spent(system: System, empire: Army) -> None:
    leader = replace(CAPTAIN, is_leader=True)
    assert hits("total_over_limit", system, empire, [leader], limit=49) == [
        Occurrence(
            {"total": 50, "limit": 49, "over": 1},
            fixes=(Fix("Raise the limit to 50", "set_limit", value=50),),
        )
    ]
    assert hits("total_over_limit", system, empire, [CAPTAIN], limit=50) == []
    assert hits("total_over_limit", system, empire, [CAPTAIN]) == []


@pytest.mark.parametrize("over, labels", [
    # Armour for 4, a Halberdier for 6 and one for 12, before anybody else.
    (1, ["Captain without Heavy Armour, −4", "Halberdier: 2 instead of 3, −6"]),
    (4, ["Captain without Heavy Armour, −4", "Halberdier: 2 instead of 3, −6"]),
    (5, ["Halberdier: 2 instead of 3, −6", "Remove Archer, −8"]),
    (7, ["Remove Archer, −8", "Halberdier: 1 instead of 3, −12"]),
    # Nothing is enough: what spares the most.
    (30, ["Remove Halberdier, −18", "Remove Archer, −8"]),
])  # fmt: skip
def test_cheapest_removals_come_first_and_a_higher_limit_last(system, empire, over, labels):
    leader = replace(
        make_entry(profile="captain", options=("heavy-armour",)), is_leader=True
    )
    troops = [make_entry(profile="halberdiers", count=3), make_entry(profile="archers")]
    total = 80
    [hit] = hits("total_over_limit", system, empire, [leader, *troops], limit=total - over)
    assert hit.fields == {"total": total, "limit": total - over, "over": over}
    assert [fix.label for fix in hit.fixes][:2] == labels
    assert hit.fixes[-1] == Fix(f"Raise the limit to {total}", "set_limit", value=total)


def test_a_regiment_loses_what_it_buys_or_goes_as_a_whole(system, empire):
    played = replace(system, regiments=Regiments(5, 3, 5))
    leader = replace(
        make_entry(profile="captain", options=("heavy-armour",)), is_leader=True
    )
    troops = make_entry(profile="halberdiers", count=3)
    [hit] = hits("total_over_limit", played, empire, [leader, troops], limit=71)
    labels = [fix.label for fix in hit.fixes]
    assert labels == [
        "Captain without Heavy Armour, −4",
        "Remove Halberdier, −18",
        "Raise the limit to 72",
    ]


@pytest.mark.parametrize("limit, left", [(55, None), (56, 6), (50, None), (49, None)])
def test_a_tenth_of_a_limit_may_be_left(system, empire, limit, left):
    found = hits("total_under_limit", system, empire, [CAPTAIN], limit=limit, part=10)
    assert [hit.fields["left"] for hit in found] == ([] if left is None else [left])
    assert hits("total_under_limit", system, empire, [CAPTAIN], part=10) == []
    exact = make_entry(profile="captain", options=["halberd"])  # 54 of 60
    assert hits("total_under_limit", system, empire, [exact], limit=60, part=10) == []


# Arms


def test_a_difficult_weapon_goes_with_no_other(system: System, empire: Army) -> None:
    pole = Weapon("pole", "Pole", "melee", traits={"difficult": True})
    sold = (
        Option("pole", "Pole", 1, items=("pole",)),
        Option("bow", "Longbow", 1, items=("longbow",)),
        Option("horn", "Horn", 1),
    )
    army = with_profile(empire, "captain", options=sold, default_items=("hand-weapon",))
    army = replace(army, weapons={**army.weapons, "pole": pole})

    def found(*options: str, items: Sequence[str] = ("hand-weapon",)) -> list[Occurrence]:
        entries = [HALBERDIERS, make_entry(profile="captain", options=options)]
        return hits("difficult_weapon", system, army, entries, items=items)

    assert found("pole", "horn") == found("bow") == []
    [hit] = found("bow", "pole", "horn")
    assert hit == Occurrence(
        {"name": "Captain", "weapon": "pole", "others": "longbow"},
        (1,),
        (
            Fix("Captain without longbow", "remove_option", 1, "bow"),
            Fix("Captain without pole", "remove_option", 1, "pole"),
        ),
    )
    [hit] = found("bow", "pole", items=())
    assert hit.fields["others"] == "hand weapon and longbow"


def test_armour_that_is_kept_for_some_is_worn_by_nobody_else(system, empire):
    plate = Armour("plate", "Gromril", traits={"only_for": "dwarfs"})
    sold = (Option("plate", "Gromril", 9, items=("plate",)),)
    army = with_profile(empire, "captain", options=sold)
    army = replace(army, armour={**army.armour, "plate": plate})
    entries = [HALBERDIERS, make_entry(profile="captain", options=["plate"]), STRANGER]
    assert hits("armour_only_for", system, army, entries) == [
        Occurrence(
            {"name": "Captain", "armour": "gromril", "only_for": "dwarfs"},
            (1,),
            (Fix("Captain without gromril", "remove_option", 1, "plate"),),
        )
    ]
    for given in ({"armies": ["the-empire"]}, {"words": ["CAPTAIN"]}):
        assert hits("armour_only_for", system, army, entries, **given) == []
    assert hits("armour_only_for", system, army, entries, words=["capt"])


def test_options_of_the_system_without_a_price_are_told(system, empire):
    free, priced = Option("net", "Net", 0), Option("horn", "Horn", 5)
    own = Option("flag", "Flag", 0)
    army = with_profile(empire, "captain", options=(free, priced, own))
    played = replace(system, options=(free, priced))
    carrier = make_entry(profile="captain", options=["net", "horn"], count=2)
    entries = [HALBERDIERS, carrier, make_entry(profile="captain", options=["flag"])]
    assert hits("unpriced", played, army, entries) == [
        Occurrence({"count": 2, "names": "2x Captain", "options": "net"}, (1,))
    ]
    assert hits("unpriced", system, army, entries) == []


# Sentences and remedies


@pytest.mark.parametrize(
    "points, words", [(0, ""), (1, ", +1"), (12, ", +12"), (-1, ", −1"), (-30, ", −30")]
)
def test_a_remedy_ends_with_what_it_changes(points: int, words: str) -> None:
    assert change_words(points) == words


def test_at_most_so_many_are_offered_for_removal(empire: Army) -> None:
    several = select_all(empire, (CAPTAIN,) * 9)
    shown = len(removals(several))
    assert removals(several) == tuple(
        Fix("Remove Captain, −50", "remove_warrior", place) for place in range(shown)
    )
    assert [len(removals(several[:count])) for count in (0, 1, shown, shown + 1)] == [
        0, 1, shown, shown,
    ]  # fmt: skip


@pytest.mark.parametrize("number, told", [(0, "0 models"), (1, "1 model"), (2, "2 models")])
def test_a_count_brings_its_noun(number: int, told: str) -> None:
    assert f"{Number(number):model|models}" == told
    assert (
        sentence("{n:model|models} of {who}", {"n": number, "who": "x"}) == f"{told} of x"
    )
    assert f"{Number(number):02d}" == f"0{number}"


def test_true_is_printed_as_it_is() -> None:
    assert sentence("{n} {yes}", {"n": 1, "yes": True}) == "1 True"


def test_what_campaigns_alone_sell_is_noted_outside_one(system, empire):
    sold = (Option("map", "Map", 5, is_trade_only=True), Option("horn", "Horn", 5))
    army = with_profile(empire, "captain", options=sold)
    leader = make_entry(profile="captain", options=["map", "horn"], is_leader=True)
    roster = make_roster(warriors=[HALBERDIERS, leader])

    def notes(**fields: Any) -> list[Any]:
        found = check(replace(roster, **fields), system, army)
        return [one for one in found if one.code == "list.trade"]

    [note] = notes()
    assert (note.level, note.warriors, note.source) == ("note", (1,), "Army list")
    assert note.message == "Captain: Map. The army list sells this in campaigns only."
    assert note.title == "Sold in campaigns only"
    assert note.fixes == (Fix("Remove Map", "remove_option", 1, "map"),)
    assert notes(growth=RosterGrowth()) == []


def test_a_hint_at_a_side_is_for_those_who_have_not_chosen_one(system, empire):
    sides = ({"id": "walls", "name": "The walls"},)
    siege = Scenario("siege", "The siege", system.key, "", sides=sides)
    roster = make_roster(warriors=[HALBERDIERS])
    for scenario in (None, siege, siege.of_part("walls")):
        [missing] = [
            one
            for one in check(roster, system, empire, scenario)
            if one.code == "leader.missing"
        ]
        assert "choose that side" not in missing.message
