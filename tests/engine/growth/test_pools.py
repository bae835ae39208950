"""Dice that are thrown together after a battle: the sum is a row, and faces that are alike."""

from typing import Any

import pytest

from engine.growth.faults import FaultyRules
from engine.growth.log import merged
from engine.growth.state import CampaignState
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    LINE,
    answer,
    begin,
    crowns,
    leader,
    out,
    owed,
    play,
    red,
    result,
)


def paid(amount: int) -> dict[str, Any]:
    return {"gain": {"currency": "crowns", "amount": amount}}


def row(least: int, most: int, effect: dict[str, Any]) -> dict[str, Any]:
    return {"least": least, "most": most, "name": f"From {least}", "effect": effect}


POOL = {"die": "D6", "each": ["hero"], "won": 1, "most": 3}
RULES: dict[str, Any] = {
    "rolls": [
        {
            "id": "ruins",
            "name": "Ruins",
            "who": "warband",
            "pool": POOL,
            "table": "found",
            "alike": {"2": "twice", "3": "thrice"},
        }
    ],
    "tables": {
        "found": {"dice": "sum", "rows": [row(1, 5, paid(100)), row(6, 9, paid(200))]},
        "twice": {
            "dice": "D6",
            "rows": [row(1, 4, paid(1000)), row(5, 6, {"table": "more"})],
        },
        "thrice": {"dice": "D6", "rows": [row(1, 6, paid(2000))]},
        "more": {"dice": "D6", "rows": [row(1, 6, paid(4000))]},
    },
}
HEROES = [joiner(f"h{number}", LINE, 5, category="hero") for number in range(3)]


def searched(*answers, winner="", heroes=1, fallen="") -> CampaignState:
    who = (leader(), *HEROES[:heroes])
    fielded = {"red": tuple(one.key for one in who), "blue": ("w1",)}
    told = result(winner=winner, fielded=fielded, out=out(fallen) if fallen else {})
    return play(begin(*who, change=RULES), told, *answers)


@pytest.mark.parametrize("told, dice", [
    ({"heroes": 0}, "D6"), ({"heroes": 1}, "2D6"),
    ({"heroes": 1, "winner": "red"}, "3D6"),
    ({"heroes": 3, "winner": "red"}, "3D6"),
    ({"heroes": 1, "fallen": "h0"}, "D6"),
])  # fmt: skip
def test_there_is_a_die_for_each_who_stands_and_for_winning(told: Any, dice: str) -> None:
    due = searched(**told).find_due("red", "f1/roll/ruins")
    assert due
    assert due.dice == dice


def test_nobody_left_throws_no_die() -> None:
    assert "f1/roll/ruins" not in owed(searched(heroes=0, fallen="w1"))


@pytest.mark.parametrize("faces, found", [
    ((2, 3, 1), 200), ((2, 1, 1), 1100), ((6, 6, 4), 200), ((3, 3, 3), 2200),
    ((1, 5, 6), 200),
])  # fmt: skip
def test_the_sum_is_a_row_and_like_faces_another(faces: Any, found: int) -> None:
    before = searched(heroes=2)
    state = searched(answer("f1/roll/ruins", *faces), heroes=2)
    assert crowns(state) == crowns(before) + found
    assert ("f1/roll/ruins/twice/more" in owed(state)) == (faces.count(6) == 2)


def test_what_like_faces_lead_to_is_thrown_under_their_table() -> None:
    answers = answer("f1/roll/ruins", 5, 5), answer("f1/roll/ruins/twice/more", 2)
    assert crowns(searched(*answers)) == crowns(searched()) + 4200
    assert red(searched(*answers)).took == {}


@pytest.mark.parametrize("change, path", [
    ({"tables": {"found": {"dice": "3D6"}}}, "rolls[0].table"),
    ({"tables": {"twice": {"dice": "D3"}}}, "rolls[0].alike.2"),
    ({"tables": {"found": {"rows": [row(2, 9, {})]}}}, "tables.found.rows"),
    ({"rolls": [{**RULES["rolls"][0], "pool": None}]}, "rolls[0].table"),
    ({"rolls": [{**RULES["rolls"][0], "pool": {"die": "D66"}}]}, "rolls[0].pool.die"),
    (
        {"rolls": [{**RULES["rolls"][0], "pool": {**POOL, "most": 10}}]},
        "rolls[0].pool.most",
    ),
    ({"rolls": [{**RULES["rolls"][0], "alike": {"1": "twice"}}]}, "rolls[0].alike"),
    ({"tables": {"twice": {"rows": [row(1, 6, {"gone": True})]}}}, "tables.twice"),
])  # fmt: skip
def test_a_pool_that_cannot_be_read_is_refused(change: Any, path: str) -> None:
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(merged(DOCUMENT, RULES), change), STATS)
    assert any(fault.path.startswith(path) for fault in error.value.faults)
