"""Warriors of a campaign one by one: what a loss leaves, and what may still rise."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine.growth.campaign import WarbandInPlay
from engine.growth.dues import Due
from engine.growth.effects import DONE, IMPOSSIBLE, VERBS, EffectContext
from engine.growth.money import changed_stats, counts_for, raisable
from engine.growth.state import warrior_json
from engine.growth.tables import CharacteristicEffects, RowEffect
from engine.growth.warriors import (
    GearPiece,
    GrownWarrior,
    base_with_gains,
    enlist,
    lose_models,
    miss_battles,
    promote,
    within_bounds,
)
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS, muster_document

LINE = [4, 3, 3, 3, 3, 1, 3, 1, 7]
RULES = read_rules(muster_document(), STATS)
WOUND = RowEffect("old_wound", dice="D6", number=2)
GEAR = (GearPiece("bow", 2),)


def warrior(kind: str = "soldier", count: int = 1, **others: object) -> GrownWarrior:
    made = joiner("w1", LINE, 6, category="core", count=count, gear=GEAR)
    return GrownWarrior("w1", made, kind, count=count, gear=GEAR, **others)  # type: ignore[arg-type]


def test_whoever_has_no_model_left_is_gone_and_misses_nothing() -> None:
    group = warrior(count=3, misses=(1, 2))
    smaller = lose_models(group, 2, "gone")
    assert (smaller.count, smaller.misses, smaller.gone) == (1, (1,), "")
    assert smaller.gear == GEAR
    nobody = lose_models(group, 3, "refused")
    assert (nobody.count, nobody.misses, nobody.gone, nobody.gear) == (0, (), "refused", ())


def test_what_a_kind_may_not_gain_cannot_be_raised() -> None:
    # Soldiers never gain a wound or an attack, and one strength alone.
    stats = ("S", "W", "A")
    assert raisable(RULES, "the-empire", warrior(), stats) == ["S"]
    assert raisable(RULES, "the-empire", warrior(gains={"S": 1}), stats) == []
    assert raisable(RULES, "the-empire", warrior("hero"), stats) == ["S", "W", "A"]


def test_the_most_of_an_army_holds_for_what_is_gained() -> None:
    # Dwarfs move 4 at most, and this one does.
    assert raisable(RULES, "dwarfs", warrior("hero"), ("M",)) == []
    assert raisable(RULES, "the-empire", warrior("hero"), ("M",)) == ["M"]


def test_what_a_stat_line_lacks_cannot_be_raised() -> None:
    line = {"Mettle": 4, "Ld": 7}
    made = replace(warrior("hero"), joined=replace(warrior().joined, stats=line))
    assert raisable(RULES, "the-empire", made, ("WS", "S", "Ld")) == ["Ld"]


AXE, BOW, HELM = GearPiece("axe", 9), GearPiece("bow", 2), GearPiece("helm", 9)


@pytest.mark.parametrize("piece, left", [(AXE, (BOW, AXE)), (BOW, (AXE, AXE))])
def test_of_pieces_alike_the_first_is_taken_away(
    piece: GearPiece, left: tuple[GearPiece, ...]
) -> None:
    bearer = replace(warrior(), gear=(AXE, BOW, AXE))
    warband = WarbandInPlay("red", "", {}, {"w1": bearer}, [HELM])
    warband.remove("w1", piece)
    assert warband.warriors["w1"] == replace(bearer, gear=left)
    warband.remove("stash", HELM)
    warband.hand_over(HELM, "w1")
    assert (warband.warriors["w1"].gear, warband.stash) == ((*left, HELM), [])


def test_a_captive_is_not_free_until_it_is_set_free() -> None:
    held, gone = warrior(captor="blue"), warrior(gone="gone")
    assert [one.is_free for one in (warrior(), held, gone)] == [True, False, False]


@pytest.mark.parametrize(
    "gear, left",
    [((BOW, AXE, HELM), (BOW, HELM)), ((HELM, BOW, AXE), (BOW, AXE)), ((BOW,), ())],
)
def test_the_dearest_piece_goes_first_and_of_two_the_first_bought(
    gear: tuple[GearPiece, ...], left: tuple[GearPiece, ...]
) -> None:
    warband = WarbandInPlay("red", "", {}, {"w1": replace(warrior(), gear=gear)})
    play: Any = None
    context = EffectContext(play, warband, Due("", "red", ""), "w1")
    VERBS["loses"].apply(context, RowEffect("loses", "dearest"), "done")
    assert context.warrior.gear == left


@pytest.mark.parametrize(
    "count, misses, battles, after",
    [
        (1, (), 2, (2,)),
        (1, (1,), 2, (3,)),
        (3, (), 2, (2,)),
        (3, (1,), 2, (1, 2)),
        (2, (1, 1), 2, (1, 1)),
    ],
)
def test_another_model_of_a_group_misses_and_a_single_warrior_longer(
    count: int, misses: tuple[int, ...], battles: int, after: tuple[int, ...]
) -> None:
    assert miss_battles(warrior(count=count, misses=misses), battles).misses == after


def test_whoever_joins_has_passed_the_steps_of_the_experience_they_bring() -> None:
    made = joiner("w1", LINE, 6, count=2, gear=GEAR, experience=9, is_leader=True)
    one = enlist(made, RULES.kinds["soldier"])
    assert one == GrownWarrior(
        "w1", made, "soldier", 2, GEAR, experience=9, passed=2, is_leader=True
    )


def test_one_of_a_group_is_promoted_under_a_key_of_its_own() -> None:
    group = warrior(count=3, misses=(1,), experience=13, took={1: "S"}, gains={"S": 1})
    one = promote(group, RULES.kinds["hero"], "2")
    assert one == replace(
        group,
        key="w1.2",
        kind="hero",
        count=1,
        misses=(),
        took={},
        passed=3,
        is_promoted=True,
    )
    alone = replace(group, count=1)
    assert promote(alone, RULES.kinds["hero"], "2") == replace(
        alone, kind="hero", took={}, passed=3, is_promoted=True
    )


@pytest.mark.parametrize(
    "base, change, now",
    [(4, 1, 5), (4, -3, 1), (4, -4, 1), (4, -9, 1), (0, -1, 0), (0, 0, 0), (0, 2, 2),
     (9, 1, 10), (9, 2, 10), (1, -1, 1)],
)  # fmt: skip
def test_a_changed_figure_is_1_to_10_and_0_may_stay(
    base: int, change: int, now: int
) -> None:
    assert within_bounds(base, change) == now


def test_a_figure_with_gains_counts_neither_hurts_nor_skills() -> None:
    one = warrior(gains={"WS": 2}, hurts={"WS": -1, "BS": -1}, skills=("marksman",))
    assert [base_with_gains(one, stat) for stat in ("WS", "BS", "Luck")] == [5, 3, 0]
    assert changed_stats(RULES, one) == {"WS": 4}


def test_what_changes_and_comes_to_nothing_is_not_told() -> None:
    one = warrior(gains={"BS": 1}, hurts={"BS": -1, "Ld": -1})
    assert changed_stats(RULES, one) == {"Ld": 6}
    glass = replace(one, gear=(GearPiece("long-glass", 15), GearPiece("no-such-piece", 1)))
    assert changed_stats(RULES, glass) == {"BS": 4, "Ld": 6}
    assert changed_stats(RULES, replace(one, skills=("marksman", "no-such-skill"))) == {
        "BS": 4,
        "Ld": 6,
    }


def test_a_rule_for_some_kinds_is_not_about_others() -> None:
    assert [counts_for(kinds, warrior()) for kinds in ((), ("soldier",), ("hero",))] == [
        True,
        True,
        False,
    ]


def test_a_warriors_worth_is_its_price_and_gear_for_each_model() -> None:
    assert [warrior(count=count).worth for count in (1, 3)] == [8, 24]


def test_of_one_verb_nobody_bears_a_mark_twice() -> None:
    bearer: Any = SimpleNamespace(warrior=warrior(marks=(WOUND, RowEffect("mark", "eye"))))
    may_be = VERBS["mark"].possible
    assert may_be(bearer, RowEffect("mark", "eye")) == IMPOSSIBLE
    # A flag names nothing, as an old wound does.
    assert (
        may_be(bearer, RowEffect("scar")) == may_be(bearer, RowEffect("mark", "x")) == DONE
    )


def test_only_the_verb_mark_names_a_mark_of_the_rules() -> None:
    eye = CharacteristicEffects("eye", "One eye", "", {"BS": -1})
    rules = replace(RULES, marks={"eye": eye})
    bearer = warrior(marks=(RowEffect("mark", "eye"), RowEffect("scar", "eye"), WOUND))
    stats = changed_stats(rules, bearer)
    assert stats == {"BS": 2}
    state = warrior_json(bearer, stats)
    assert (state["marks"], state["scars"], state["old_wounds"]) == (["eye"], 1, 1)
