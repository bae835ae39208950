"""Who stands on the table: one combatant for each miniature, one for each regiment, each with a
name of its own.
"""

import json
from typing import Any

import pytest

from battles.combatants import (
    NO_MISSILE_WEAPON,
    SideLineup,
    build_field,
    from_locked,
    quick_lineup,
    sheet_lineup,
    to_locked,
)
from engine.errors import Refusal
from engine.roster import Roster, RosterEntry
from rulesdata import registry
from tests.factories import EMPIRE, SYSTEM
from warbands.queries.lists import starter, starters
from warbands.queries.warbands import sheet_of_roster


def lineup(*warriors: RosterEntry, army: str = EMPIRE, **fields: Any) -> SideLineup:
    roster = Roster(SYSTEM, army, warriors=warriors, **fields)
    return sheet_lineup("a", sheet_of_roster(roster), *registry.load_ruleset(roster))


def names(side: SideLineup) -> list[str]:
    return [fighter.name for fighter in side.fighters]


def test_miniatures_have_their_own_names_or_their_kind_and_a_number() -> None:
    side = lineup(
        RosterEntry("captain", "Ostwin", is_leader=True, id=7),
        RosterEntry("halberdiers", "Jost, Hein", count=4, id=8),
        RosterEntry("halberdiers", id=9),
        RosterEntry("crossbowmen", id=10),
    )
    assert names(side) == [
        "Ostwin", "Jost", "Hein", "Halberdier 1", "Halberdier 2", "Halberdier 3",
        "Crossbowman",
    ]  # fmt: skip
    assert [fighter.id for fighter in side.fighters] == [f"a{n}" for n in range(1, 8)]
    assert [(f.warrior_id, f.number) for f in side.fighters] == [
        (7, 1),
        (8, 1),
        (8, 2),
        (8, 3),
        (8, 4),
        (9, 1),
        (10, 1),
    ]


def test_captain_as_he_is_locked() -> None:
    captain = lineup(
        RosterEntry(
            "captain", "Ostwin", is_leader=True, options=("halberd", "shield"), id=7
        )
    ).fighters[0]
    assert (captain.profile, captain.title, captain.kinds) == (
        "captain",
        "Captain",
        ("hero", "infantry"),
    )
    assert (captain.wounds, captain.leadership, captain.is_leader, captain.models) == (
        2, 8, True, 1,
    )  # fmt: skip
    assert captain.initiative == 5
    assert (captain.gear, captain.save) == ("Halberd, Shield", "6+")
    assert captain.stats.startswith("M 4 WS 5")
    assert captain.points == 56


@pytest.mark.parametrize(
    "options, is_unarmed", [(("halberd",), True), (("pistol",), False)]
)
def test_who_carries_nothing_to_shoot_with_is_locked_so(options, is_unarmed):
    (captain,) = lineup(RosterEntry("captain", "Ostwin", options=options)).fighters
    assert (NO_MISSILE_WEAPON in captain.traits) is is_unarmed


def test_several_bought_as_one_stand_by_their_own_stat_lines() -> None:
    side = lineup(RosterEntry("salamander-hunting-pack", count=2, id=3), army="lizardmen")
    assert [fighter.title for fighter in side.fighters] == [
        "Salamander",
        *["Skink Handler"] * 3,
    ] * 2
    assert [fighter.wounds for fighter in side.fighters] == [3, 1, 1, 1] * 2
    assert [fighter.number for fighter in side.fighters] == list(range(1, 9))
    assert side.size == side.models == 8
    assert len(set(names(side))) == 8


def test_regiment_is_one_combatant_and_its_officer_another() -> None:
    found = starter("english-civil-war--royalists")
    assert found is not None
    side = sheet_lineup("b", found.sheet, *registry.load_ruleset(found.roster))
    units = [fighter for fighter in side.fighters if fighter.models > 1]
    assert side.size == len(found.sheet.warriors)
    assert side.models == found.sheet.models
    assert [fighter.wounds for fighter in units] == [None] * len(units)
    assert sum(fighter.points for fighter in side.fighters) == found.sheet.points


def test_every_starter_lines_up_with_as_many_as_its_sheet_says() -> None:
    found = starters()
    assert len(found) > 70
    for one in found:
        side = sheet_lineup("c", one.sheet, *registry.load_ruleset(one.roster))
        points = one.sheet.points if one.sheet.counts_points else 0
        assert side.models == one.sheet.models, one.key
        assert len(set(names(side))) == side.size, one.key
        assert sum(fighter.points for fighter in side.fighters) == points, one.key
        assert [fighter.is_leader for fighter in side.fighters].count(True) == bool(
            one.sheet.leader
        ), one.key


def test_quick_side_is_so_many_models() -> None:
    side = quick_lineup("b", "  Night Watch ", 3, 7)
    assert (side.name, names(side), side.leadership) == (
        "Night Watch",
        ["Model 1", "Model 2", "Model 3"],
        7,
    )
    assert build_field([side]).sides[0].leadership == 7
    assert quick_lineup("b", "x", 200, None).size == 200


@pytest.mark.parametrize("name,models,leadership,field", [
    ("", 3, 7, "quick.name"),
    ("x" * 201, 3, 7, "quick.name"),
    ("a\u202eb", 3, 7, "quick.name"),
    ("x", 0, 7, "quick.models"),
    ("x", 201, 7, "quick.models"),
    ("x", True, 7, "quick.models"),
    ("x", "3", 7, "quick.models"),
    ("x", 3, 0, "quick.leadership"),
    ("x", 3, 11, "quick.leadership"),
    ("x", 3, 7.5, "quick.leadership"),
])  # fmt: skip
def test_quick_side_has_limits(name: Any, models: Any, leadership: Any, field: str) -> None:
    with pytest.raises(Refusal) as refused:
        quick_lineup("a", name, models, leadership)
    assert refused.value.field == field


def test_nobody_and_too_many_are_no_side() -> None:
    with pytest.raises(Refusal, match="no models"):
        lineup()
    with pytest.raises(Refusal, match="at most 200 models"):
        lineup(RosterEntry("halberdiers", count=200), RosterEntry("captain"))


def test_locked_side_comes_back_and_reads_what_another_release_wrote() -> None:
    sides = [
        lineup(RosterEntry("captain", "Ostwin", is_leader=True, id=7)),
        quick_lineup("b", "x", 2, 7),
    ]
    stored = json.loads(json.dumps(to_locked(sides)))
    assert list(from_locked(stored)) == sides
    stored["sides"][0]["weather"] = "rain"
    stored["sides"][0]["fighters"][0]["mood"] = "grim"
    del stored["sides"][0]["fighters"][0]["save"]
    assert from_locked(stored)[0].fighters[0].save == ""
    assert build_field(from_locked(stored)).sides[0].combatants[0].leadership == 8
