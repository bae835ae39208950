"""Throws that skills and gear let somebody make again, or with a die more: once after a battle, or
once in all.
"""

from typing import Any

import pytest

from engine.growth.acts import EffectAct
from engine.growth.faults import FaultyRules
from engine.growth.log import TakeBack, merged
from engine.growth.state import CampaignState
from engine.growth.tables import RowEffect
from engine.growth.warriors import GearPiece
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.test_pools import RULES
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

ROLL = "f1/roll/ruins"
HERO = joiner("h0", LINE, 5, category="hero")


def with_good(**again: Any) -> dict[str, Any]:
    good = {"id": "chart", "name": "Chart", "price": 0, "sold": False, "again": again}
    return merged(RULES, {"trade": {"goods": [*DOCUMENT["trade"]["goods"], good]}})


def searching(*answers: Any, bearer: str = "w1", **again: Any) -> CampaignState:
    """Two heroes search the ruins, one of whom has a chart."""
    gear = (GearPiece("chart", 0),)
    who = leader(gear=gear if bearer == "w1" else ()), HERO
    log = begin(*who, change=with_good(of="ruins", **again))
    return play(log, result(fielded={"red": ("w1", "h0"), "blue": ("w1",)}), *answers)


def offered(state: CampaignState) -> list[str]:
    return [due.key for due in state.offers]


CHART = f"{ROLL}/again/w1/chart"
# Two dice: up to 5 are 100 crowns, 6 and more 200; a pair up to 4 brings 1000 besides.
BOTH = answer(ROLL, 2, 1)


def test_a_throw_is_offered_once_it_was_made_and_nobody_need_make_it_again() -> None:
    assert offered(searching()) == []
    state = searching(BOTH)
    assert (offered(state), ROLL in owed(state), CHART in owed(state)) == (
        [CHART],
        False,
        False,
    )
    due = state.find_due("red", CHART)
    assert due
    assert due.dice == "2D6"
    again = searching(BOTH, answer(CHART, 6, 5))
    assert (crowns(again) - crowns(state), offered(again)) == (100, [])


def test_one_die_is_named_before_it_is_thrown_again() -> None:
    state = searching(BOTH, dice="one")
    due = state.find_due("red", CHART)
    assert due
    assert (due.dice, due.choices) == ("D6", (("1", "1"), ("2", "2")))
    # 2 and 2.
    again = searching(BOTH, answer(CHART, 2, choice="1"), dice="one")
    assert crowns(again) - crowns(state) == 1000
    # Who names none, or one that was not thrown, has to name one.
    for choice in (None, "4"):
        waiting = searching(BOTH, answer(CHART, 6, choice=choice), dice="one")
        assert owed(waiting)[CHART] is True


@pytest.mark.parametrize("left_out, found", [("1", 200), ("2", 200), ("6", 100)])
def test_of_one_die_more_one_is_left_out(left_out: str, found: int) -> None:
    assert owed(searching(BOTH, dice="more"))[CHART] is False
    thrown = searching(BOTH, answer(CHART, 6), dice="more")
    due = thrown.find_due("red", CHART)
    assert due
    assert [key for key, _ in due.choices] == ["1", "2", "6"]
    state = searching(BOTH, answer(CHART, 6), answer(CHART, choice=left_out), dice="more")
    assert crowns(state) - crowns(searching(dice="more")) == found


@pytest.mark.parametrize("is_spent", [False, True])
def test_what_is_spent_is_gone_once_it_was_used(is_spent: bool) -> None:
    once = searching(BOTH, spent=is_spent)
    used = searching(BOTH, answer(CHART, 6, 5), spent=is_spent)
    assert red(once).gear
    assert bool(red(used).gear) is not is_spent
    second = result("f2", fielded={"red": ("w1", "h0"), "blue": ("w1",)})
    later = searching(
        BOTH, answer(CHART, 6, 5), second, answer("f2/roll/ruins", 1, 2), spent=is_spent
    )
    assert bool(later.offers) is not is_spent


def test_a_skill_that_is_spent_serves_once_in_a_campaign_and_who_stood() -> None:
    skill = {"id": "luck", "name": "Luck", "again": {"of": "ruins", "spent": True}}
    log = begin(leader(), HERO, change=merged(RULES, {"skills": {"arms": [skill]}}))
    log = log.with_entries(EffectAct(1, "red", "w1", RowEffect("skill", names=("arms",))))
    fielded = {"red": ("w1", "h0"), "blue": ("w1",)}
    key = f"{ROLL}/again/w1/luck"
    assert offered(play(log, result(fielded=fielded), BOTH)) == [key]
    fallen = result(fielded=fielded, out=out("w1"))
    assert offered(play(log, fallen, answer(ROLL, 1))) == []
    second = result("f2", fielded=fielded), answer("f2/roll/ruins", 1, 2)
    first = result(fielded=fielded), BOTH
    assert offered(play(log, *first, *second)) == ["f2/roll/ruins/again/w1/luck"]
    assert offered(play(log, *first, answer(key, 6, 6), *second)) == []


def hurt(*entries: Any, kinds: Any = ()) -> CampaignState:
    """The leader and a group were put out; a chart is for the injuries of some kinds."""
    change = with_good(of="injury", kinds=list(kinds))
    who = (
        leader(gear=(GearPiece("chart", 0),)),
        joiner("w2", LINE, 6, category="core", count=2),
    )
    return play(begin(*who, change=change), result(out=out("w1", "w2#1")), *entries)


SOLDIER = "f1/injury/w2#1"


def test_one_injury_of_a_battle_is_thrown_again() -> None:
    rolls = answer("f1/injury/w1", 6, 6), answer(SOLDIER, 1)
    state = hurt(*rolls)
    keys = [f"{key}/again/w1/chart" for key in ("f1/injury/w1", SOLDIER)]
    assert offered(state) == keys
    assert offered(hurt(*rolls, kinds=["soldier"])) == keys[1:]
    assert red(state, "w2").count == 1
    again = hurt(*rolls, answer(keys[1], 6))
    assert (red(again, "w2").count, offered(again)) == (2, [])
    # Reversed, it counts as if it had never been thrown.
    back = hurt(*rolls, answer(keys[1], 6), TakeBack("red", keys[1]))
    assert (red(back, "w2").count, offered(back)) == (1, keys)


def test_the_next_battle_ends_what_was_offered() -> None:
    rolls = answer("f1/injury/w1", 6, 6), answer(SOLDIER, 1)
    assert offered(hurt(*rolls, result("f2"))) == []


def test_after_a_correction_it_counts_only_where_it_is_asked_for() -> None:
    rolls = answer("f1/injury/w1", 6, 6), answer(SOLDIER, 1)
    again = answer(f"{SOLDIER}/again/w1/chart", 6)
    state = hurt(*rolls, again, result(out=out("w1")))
    assert ("red", again.due) in state.superseded
    assert red(state, "w2").count == 2
    assert offered(state) == ["f1/injury/w1/again/w1/chart"]


@pytest.mark.parametrize(
    "again, path",
    [
        ({"of": "nothing"}, "trade.goods[5].again.of"),
        ({"of": "ruins", "dice": "two"}, "trade.goods[5].again.dice"),
        ({"of": "injury", "kinds": ["nobody"]}, "trade.goods[5].again.kinds"),
        ({}, "trade.goods[5].again.of"),
    ],
)
def test_a_throw_that_no_rules_have_is_refused(again: Any, path: str) -> None:
    place = len(DOCUMENT["trade"]["goods"])
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(DOCUMENT, with_good(**again)), STATS)
    assert [fault.path for fault in error.value.faults] == [
        path.replace("[5]", f"[{place}]")
    ]


def test_an_older_log_needs_none_of_it() -> None:
    log = begin(leader(), HERO, change=RULES)
    assert (
        play(log, result(fielded={"red": ("w1", "h0"), "blue": ("w1",)}), BOTH).offers == ()
    )
