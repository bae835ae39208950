"""Throws that follow from others between battles, and logs of before they were asked for."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.campaign_fold import fold
from engine.growth.log import AdjustExperienceAct, CampaignLog
from tests.engine.growth.two_warbands import (
    answer,
    begin,
    crowns,
    group,
    leader,
    one_row,
    out,
    owed,
    play,
    red,
    result,
)

OLD_WOUND = {"old_wound": {"dice": "D6", "at_most": 1}}


def row(least: int, most: int, effect: Any, **others: Any) -> dict[str, Any]:
    return {
        "least": least,
        "most": most,
        "name": f"From {least}",
        "effect": effect,
    } | others


def advancing(table: str, *rows: Any, steps: int = 4, **tables: Any) -> CampaignLog:
    """Red's leader or group with experience, whose advances are these rows of a D6."""
    change = {"tables": {table: {"dice": "D6", "rows": list(rows)}, **tables}}
    who = "w1" if table == "hero-advance" else "w2"
    log = begin(leader(), group(4), change=change)
    return log.with_entries(AdjustExperienceAct(1, "red", who, steps))


def below(effect: dict[str, Any]) -> CampaignLog:
    which = {"dice": "D6", "rows": [row(1, 6, {"raise": ["WS"]})]}
    return advancing("hero-advance", row(1, 6, effect), which=which)


@pytest.mark.parametrize(
    "effect, dues, gains",
    [
        ({"table": "which"}, ["which"], 1),
        ({"gain": {"currency": "crowns", "dice": "D6"}}, ["gain"], 0),
    ],
)
def test_an_advance_waits_for_the_throw_below_it(
    effect: dict[str, Any], dues: list[str], gains: int
) -> None:
    log = below(effect).with_entries(answer("advance/w1/1", 3))
    keys = [f"advance/w1/1/{due}" for due in dues]
    # An act of somebody else changes nothing in what is owed.
    for more in ((), (AdjustExperienceAct(2, "red", "w2", 1),)):
        state = play(log, *more)
        assert (list(owed(state)), red(state).took) == (keys, {})
    state = play(log, *(answer(key, 4) for key in keys))
    assert not owed(state)
    assert (red(state).gains.get("WS", 0), list(red(state).took)) == (gains, [1])
    assert crowns(state) == crowns(fold(log)) + (0 if gains else 4)


def test_each_throw_of_an_advance_happens_once() -> None:
    rows = row(1, 3, {"again": 2}), row(4, 6, {"raise": ["WS"]})
    log = advancing("hero-advance", *rows).with_entries(answer("advance/w1/1", 1))
    assert list(owed(fold(log))) == ["advance/w1/1/1", "advance/w1/1/2"]
    log = log.with_entries(answer("advance/w1/1/2", 5))
    for number in range(2, 5):
        log = log.with_entries(AdjustExperienceAct(number, "red", "w2", 1))
    assert (dict(red(fold(log)).gains), list(owed(fold(log)))) == (
        {"WS": 1},
        ["advance/w1/1/1"],
    )
    assert dict(red(play(log, answer("advance/w1/1/1", 6))).gains) == {"WS": 2}


def test_what_was_answered_before_second_throws_were_asked_for_stays() -> None:
    log = below({"table": "which"})
    first = answer("advance/w1/1", 3)
    old = replace(log.with_entries(first), since=len(log.rows) + 2)
    assert (dict(owed(fold(old))), list(red(fold(old)).took)) == ({}, [1])
    assert dict(red(fold(old)).gains) == {}
    # A throw that was open then asks for all that follows, though the step is of before.
    new = replace(log, since=len(log.rows) + 1).with_entries(first)
    assert list(owed(fold(new))) == ["advance/w1/1/which"]


def test_a_promotion_leaves_the_key_of_a_living_hero() -> None:
    rows = row(1, 3, {"again": 1}), row(4, 6, {"promote": "hero"})
    log = advancing("soldier-advance", *rows, steps=15)
    log = log.with_entries(answer("advance/w2/1", 6), answer("advance/w2/3", 1))
    state = play(log, answer("advance/w2/3/1", 5))
    warband = state.warbands["red"]
    heroes = [key for key, warrior in warband.warriors.items() if warrior.kind == "hero"]
    assert (heroes, warband.former, warband.models) == (["w1", "w2.1", "w2.3"], (), 5)
    # Where nobody bears it, the key is what it always was.
    alone = advancing("soldier-advance", *rows, steps=15)
    state = play(alone, answer("advance/w2/3", 1), answer("advance/w2/3/1", 5))
    assert "w2.1" in state.warbands["red"].warriors


def test_each_old_wound_is_rolled_for() -> None:
    fielded = {"red": ("w1",), "blue": ("w1", "w2")}
    log = begin(leader(), change=one_row(OLD_WOUND))
    for number in (1, 2):
        told = result(f"f{number}", fielded=fielded, out=out("w1"))
        log = log.with_entries(told, answer(f"f{number}/injury/w1", 1, 1))
    third = result("f3", fielded=fielded)
    state = play(log, answer("f2/old-wound/w1", 5), third, answer("f3/old-wound/w1", 6))
    assert "f3/old-wound/w1/2" in owed(state)
    wounded = play(log, third, answer("f3/old-wound/w1/2", 1))
    assert [note.why for note in wounded.notes] == ["wounded"]
    # Games that were told before keep to the first.
    before = replace(log.with_entries(third), since=len(log.rows) + 2)
    assert "f3/old-wound/w1/2" not in owed(fold(before))
    assert "f3/old-wound/w1" in owed(fold(before))
