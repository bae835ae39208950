"""Throws that follow from others between battles, and logs of before they were asked for."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.acts import AdjustExperienceAct
from engine.growth.campaign_fold import fold
from engine.growth.effects import describe_mark
from engine.growth.faults import FaultyRules
from engine.growth.log import CampaignLog, Founding, merged
from engine.growth.state import lasting_injuries, name_injury
from rulesdata.campaign_documents import packed_rules, read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
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


def advancing(
    table: str, *rows: Any, steps: int = 4, more: Any = None, **tables: Any
) -> CampaignLog:
    """Red's leader or group with experience, whose advances are these rows of a D6."""
    change = {
        "tables": {table: {"dice": "D6", "rows": list(rows)}, **tables},
        **(more or {}),
    }
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


@pytest.mark.parametrize(
    "strength, attacks, choices",
    [(3, 4, ("S",)), (4, 3, ("A",)), (4, 4, ("WS", "BS", "T", "W", "I", "Ld"))],
)
def test_where_both_characteristics_are_at_their_maximum_another_rises(
    strength: int, attacks: int, choices: tuple[str, ...]
) -> None:
    line = [4, 4, 3, strength, 3, 1, 3, attacks, 7]
    hero = joiner("w1", line, 40, category="hero", is_leader=True)
    log = CampaignLog(packed_rules()["mordheim-campaign"].rules).with_entries(
        Founding("red", "reiklanders", (hero,)),
        AdjustExperienceAct(1, "red", "w1", 2),
        answer("advance/w1/1", 3, 3),
    )
    below = "advance/w1/1/strength-or-attack"
    state = play(log, answer(below, 2))
    due = state.find_due("red", below)
    options = tuple(key for key, _ in due.choices) if due else choices
    assert options == choices
    chosen = play(log, answer(below, 2, choice=choices[-1]))
    assert (dict(red(chosen).gains), owed(chosen)) == ({choices[-1]: 1}, {})


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


# After a promotion


def promoting(models: int, **more: Any) -> CampaignLog:
    """Red's group with its first advance, a promotion; heroes gain WS, and soldiers BS."""
    promotion = {"kind": "hero", "advances": 1, "others": "again"} | more
    soldiers = [
        row(1, 3, {"raise": ["BS"]}, otherwise={"rethrow": True}),
        row(4, 6, {"promote": promotion}, otherwise={"rethrow": True}),
    ]
    heroes = {"dice": "D6", "rows": [row(1, 6, {"raise": ["WS"]})]}
    tables = {"soldier-advance": {"dice": "D6", "rows": soldiers}, "hero-advance": heroes}
    log = begin(leader(), group(models), change={"tables": tables})
    told = AdjustExperienceAct(1, "red", "w2", 4)
    return log.with_entries(told, answer("advance/w2/1", 5))


def test_who_is_promoted_throws_at_once_and_the_others_again() -> None:
    log = promoting(3)
    assert list(owed(fold(log))) == ["advance/w2/1/hero", "advance/w2/1/others"]
    log = log.with_entries(answer("advance/w2/1/hero", 1), answer("advance/w2/1/others", 6))
    # The others are not promoted: that is thrown again.
    assert list(owed(fold(log))) == ["advance/w2/1/others/again1"]
    state = play(log, answer("advance/w2/1/others/again1", 2))
    assert owed(state) == {}
    assert dict(red(state, "w2.1").gains) == {"WS": 1}
    assert (dict(red(state, "w2").gains), red(state, "w2").count) == ({"BS": 1}, 2)
    # Whatever happens besides, each throw has happened once.
    again = play(log, answer("advance/w2/1/others/again1", 2), told_more(2), told_more(3))
    assert again.warbands["red"].stats == state.warbands["red"].stats


def told_more(number: int) -> AdjustExperienceAct:
    return AdjustExperienceAct(number, "red", "w1", 1)


def test_the_last_of_a_group_has_no_others() -> None:
    assert list(owed(fold(promoting(1)))) == ["advance/w2/1/hero"]
    state = play(promoting(1), answer("advance/w2/1/hero", 1))
    assert (red(state, "w2").kind, dict(red(state, "w2").gains)) == ("hero", {"WS": 1})
    plain = promoting(3, advances=0, others=None)
    assert owed(fold(plain)) == {}


# Throws in place of others, several throws, several effects


def test_a_roll_is_made_again_until_it_can_be() -> None:
    rows = (
        row(1, 4, {"raise": ["WS"]}, otherwise={"rethrow": True}),
        row(5, 6, {"raise": ["BS"]}),
    )
    most = {"maxima": {"most": {"WS": 4, "BS": 4}}}
    log = advancing("hero-advance", *rows, steps=15, more=most)
    log = log.with_entries(answer("advance/w1/1", 1), answer("advance/w1/2", 2))
    assert "advance/w1/2/again1" in owed(fold(log))
    log = log.with_entries(answer("advance/w1/2/again1", 3))
    assert "advance/w1/2/again2" in owed(fold(log))
    log = log.with_entries(answer("advance/w1/2/again2", 5))
    assert dict(red(fold(log)).gains) == {"WS": 1, "BS": 1}
    # Nothing is left that could be: it is over.
    state = play(log, answer("advance/w1/3", 1))
    assert owed(state) == {}
    assert set(red(state).took) == {1, 2, 3}


def test_a_table_is_rolled_on_several_times_until_somebody_is_gone() -> None:
    lasting = {
        "dice": "D6",
        "rows": [row(1, 5, {"lower": "WS"}), row(6, 6, {"gone": True})],
    }
    for times in (2, "D3"):
        injury = one_row({"table": {"id": "hurts", "times": times}})["tables"]
        log = begin(leader(), change={"tables": injury | {"hurts": lasting}})
        log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
        if times == "D3":
            assert "f1/injury/w1/hurts/times" in owed(fold(log))
            log = log.with_entries(answer("f1/injury/w1/hurts/times", 2))
        keys = [f"f1/injury/w1/hurts/{number}" for number in (1, 2)]
        assert set(owed(fold(log))) == {*keys, "f1/income"}
        state = play(log, answer(keys[0], 1), answer(keys[1], 2))
        assert dict(red(state).hurts) == {"WS": -2}
        gone = play(log, answer(keys[0], 6), answer(keys[1], 2))
        assert red(gone).gone
        assert gone.answers["red", keys[1]] == "aside"


def test_a_mark_stays_once_and_changes_characteristics() -> None:
    mark = {
        "id": "one-eye",
        "name": "One eye",
        "words": "Sees less.",
        "effects": {"BS": -1},
    }
    change = one_row({"mark": "one-eye"}, {"gone": True}) | {"marks": [mark]}
    log = begin(leader(), change=change)
    log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
    state = fold(log)
    assert dict(state.warbands["red"].stats["w1"]) == {"BS": 2}
    assert state.warbands["red"].to_json()["warriors"]["w1"]["marks"] == ["one-eye"]
    [injury] = lasting_injuries(state, "red", "w1")
    assert describe_mark(log.rules, injury.effect) == "One eye: Sees less."
    again = result("f2", fielded={"red": ("w1",), "blue": ()}, out=out("w1"))
    assert red(play(log, again, answer("f2/injury/w1", 1, 1))).gone
    faulty = change | {"marks": [mark | {"effects": {"Zz": 1}}, mark]}
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(DOCUMENT, faulty), STATS)
    found = {fault.path for fault in error.value.faults}
    assert found == {"marks[0].effects", "marks[1].id"}


def test_an_injury_is_named_once() -> None:
    rules = packed_rules()["mordheim-campaign"].rules
    names = [
        name_injury(row, describe_mark(rules, row.effect))
        for row in rules.tables["grudge"].rows
    ]
    assert names == [
        "Hates whoever did it (Or their leader, where that was a henchman.)",
        "Hates their leader",
        "Hates that warband (All of it.)",
        "Hates all warbands like it",
    ]
    [arm, *_] = rules.tables["hurt-arm"].rows
    # A mark of another name has it beside that of the row.
    lost = "Lost an arm (One arm: Carries one weapon for one hand.)"
    assert name_injury(arm, describe_mark(rules, arm.effect)) == lost


def test_a_row_may_do_several_things() -> None:
    wound = {"old_wound": {"dice": "D6", "at_most": 1}}
    paid = {"gain": {"currency": "crowns", "dice": "D6", "times": 10}}
    parts = [{"experience": 2}, paid, wound, {"loses": "all"}, {"lower": "WS"}]
    log = begin(leader(), change=one_row({"all": parts}))
    log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
    assert set(owed(fold(log))) > {"f1/injury/w1/part2/gain"}
    state = play(log, answer("f1/injury/w1/part2/gain", 3))
    assert crowns(state) == crowns(fold(log)) + 30
    assert dict(red(state).hurts) == {"WS": -1}
    injuries = [one.effect.verb for one in lasting_injuries(state, "red", "w1")]
    assert injuries == ["old_wound", "lower"]
    advance = advancing("hero-advance", row(1, 6, {"all": [{"raise": ["WS", "BS"]}, paid]}))
    advance = advance.with_entries(answer("advance/w1/1", 1))
    assert list(owed(fold(advance))) == ["advance/w1/1/part1", "advance/w1/1/part2/gain"]
    chosen = advance.with_entries(answer("advance/w1/1/part1", choice="BS"))
    assert dict(red(fold(chosen)).gains) == {"BS": 1}
    assert list(owed(fold(chosen))) == ["advance/w1/1/part2/gain"]
    state = play(chosen, answer("advance/w1/1/part2/gain", 1))
    assert (owed(state), dict(red(state).gains)) == ({}, {"BS": 1})


@pytest.mark.parametrize(
    "effect",
    [
        {"all": []},
        {"all": [{"misses": 1}] * 7},
        {"all": [{"all": [{"misses": 1}]}]},
        {"all": [{"raise": ["Zz"]}]},
        {"all": [{"misses": 1, "lower": "WS"}]},
        {"table": {"id": "lasting", "times": 7}},
        {"table": {"id": "nowhere", "times": 2}},
        {"promote": {"kind": "hero", "others": "once"}},
        {"gain": {"currency": "crowns", "amount": 2, "times": 2}},
        {"rethrow": 2},
    ],
)
def test_a_row_that_cannot_be_read_is_refused(effect: dict[str, Any]) -> None:
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(DOCUMENT, one_row(effect)), STATS)
    [fault] = error.value.faults[:1]
    assert fault.path.startswith("tables.hero-injury.rows[0].effect")
