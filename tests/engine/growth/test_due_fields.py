"""What each sort of due says: its key, whose it is, from which fixture, by which dice."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.acts import AdjustExperienceAct
from engine.growth.dues import Due, StoredAnswer
from engine.growth.log import CampaignLog, LogEntry
from engine.growth.rules import IncomeLine, UpkeepRule
from engine.growth.tables import DiceTable, RolledRow, RowEffect
from tests.engine.growth.two_warbands import (
    answer,
    begin,
    group,
    leader,
    one_row,
    out,
    play,
    result,
)

ALONE = {"red": ("w1",), "blue": ("w1", "w2")}
FALLEN = (result(out=out("w1"), fielded=ALONE), answer("f1/injury/w1", 1, 1))


def due(log: CampaignLog, key: str, *entries: LogEntry) -> Due | None:
    return play(log, *entries).find_due("red", key)


def under(effect: dict[str, Any], **change: Any) -> CampaignLog:
    return begin(leader(), group(), change=one_row(effect) | change)


def test_an_income_by_dice_is_named_by_its_line() -> None:
    log = begin(leader(), group())
    line = IncomeLine("crowns", "dice", name="Found on the way", dice="2D6")
    log = replace(log, rules=replace(log.rules, income=(line,)))
    assert due(log, "f1/income", result()) == Due(
        "f1/income", "red", "income", fixture="f1", dice="2D6", words="Found on the way"
    )


def test_an_injury_is_of_a_model_by_the_dice_of_its_kinds_table() -> None:
    told = result(out=out("w1", "w2#2"))
    assert due(begin(), "f1/injury/w1", told) == Due(
        "f1/injury/w1", "red", "injury", warrior="w1", fixture="f1", dice="2D6"
    )
    assert due(begin(), "f1/injury/w2#2", told) == Due(
        "f1/injury/w2#2", "red", "injury", warrior="w2", fixture="f1", dice="D6"
    )


def test_an_old_wound_is_of_its_bearer_in_the_next_battle() -> None:
    log = under({"old_wound": {"dice": "D10", "at_most": 2}})
    assert due(log, "f2/old-wound/w1", *FALLEN, result("f2")) == Due(
        "f2/old-wound/w1", "red", "old-wound", warrior="w1", fixture="f2", dice="D10"
    )


def test_an_effect_by_dice_is_a_due_of_its_own_below_the_injury() -> None:
    for effect, ending in (
        ({"misses": "D3"}, "misses"),
        ({"gain": {"currency": "crowns", "dice": "D3"}}, "gain"),
    ):
        key = f"f1/injury/w1/{ending}"
        assert due(under(effect), key, *FALLEN) == Due(
            key, "red", "injury", warrior="w1", fixture="f1", dice="D3"
        )


def test_another_table_is_rolled_on_below_the_injury() -> None:
    key = "f1/injury/w1/lasting"
    assert due(under({"table": "lasting"}), key, *FALLEN) == Due(
        key, "red", "injury", warrior="w1", fixture="f1", dice="D6"
    )
    again = due(under({"again": 2}), "f1/injury/w1/2", *FALLEN)
    assert again is not None
    assert (again.dice, again.warrior, again.fixture) == ("2D6", "w1", "f1")


def test_a_claim_offers_none_and_every_free_place() -> None:
    claim = due(begin(), "f1/claim", result(winner="red"))
    names = begin().rules.territories
    assert names is not None
    assert claim == Due(
        "f1/claim",
        "red",
        "claim",
        fixture="f1",
        choices=(("none", "none"), *((name, name) for name in names.names)),
    )


def test_an_advance_is_of_a_warrior_and_of_no_fixture() -> None:
    log = begin()
    taught = AdjustExperienceAct(1, "red", "w1", 4)
    assert due(log, "advance/w1/1", taught) == Due(
        "advance/w1/1", "red", "advance", warrior="w1", dice="D6"
    )
    rolled = due(log, "advance/w1/1", taught, answer("advance/w1/1", 1))
    assert rolled == Due(
        "advance/w1/1",
        "red",
        "advance",
        warrior="w1",
        dice="D6",
        faces=(1,),
        choices=(("WS", "WS"), ("BS", "BS")),
        words="A trained hand",
        is_answered=True,
    )


def test_a_ransom_tells_both_prices() -> None:
    log = under({"captive": True})
    assert due(log, "ransom/f1/w1", *FALLEN) == Due(
        "ransom/f1/w1",
        "red",
        "ransom",
        warrior="w1",
        choices=(("pay", "20"), ("refuse", "10")),
    )


def test_a_succession_is_of_the_fallen_leader_and_names_who_is_able() -> None:
    named = replace(group(), name="The watch")
    log = begin(leader(), named, change=one_row({"gone": True}))
    assert due(log, "succession/w1", *FALLEN) == Due(
        "succession/w1", "red", "succession", warrior="w1", choices=(("w2", "The watch"),)
    )
    # A choice of nobody who is able leaves it open.
    wrong = due(log, "succession/w1", *FALLEN, answer("succession/w1", choice="w9"))
    assert wrong is not None
    assert wrong.is_answered
    assert due(begin(group()), "succession/none") is not None


def test_further_rolls_are_of_the_warband_or_of_those_who_stood() -> None:
    rolls = [
        {"id": "find", "name": "Finds", "table": "finds", "who": "warband"},
        {"id": "dream", "name": "Dreams", "table": "finds", "who": ["hero", "soldier"]},
    ]
    row = {"least": 1, "most": 6, "name": "A find", "effect": {"words": "Nothing"}}
    tables = {"finds": {"dice": "D6", "rows": [row]}}
    log = begin(leader(), group(), change={"rolls": rolls, "tables": tables})
    state = play(log, result(out=out("w2#1")))
    asked = [one for one in state.open if one.warband == "red" and one.kind == "roll"]
    assert asked == [
        Due("f1/roll/dream/w1", "red", "roll", warrior="w1", fixture="f1", dice="D6"),
        Due("f1/roll/find", "red", "roll", fixture="f1", dice="D6"),
    ]


# Answers


TABLE = DiceTable(
    "t", "D6", (RolledRow(1, 3, "Low", RowEffect()), RolledRow(4, 6, "High", RowEffect()))
)


def test_a_further_answer_replaces_its_parts_and_other_faces_end_a_ruling() -> None:
    kept = StoredAnswer((3,), "pay", 4, 7)
    assert kept.with_answer(answer("k"), 9) == StoredAnswer((3,), "pay", 4, 9)
    assert kept.with_answer(answer("k", 5), 9) == StoredAnswer((5,), "pay", None, 9)
    assert kept.with_answer(answer("k", choice="refuse"), 9) == StoredAnswer(
        (3,), "refuse", 4, 9
    )
    ruled = replace(answer("k", 5), row=1)
    assert kept.with_answer(ruled, 9) == StoredAnswer((5,), "pay", 1, 9)
    # Whoever answers again lets it count.
    assert kept.taken_back() == replace(kept, is_off=True)
    assert not kept.taken_back().with_answer(answer("k", 5), 9).is_off


@pytest.mark.parametrize(
    "kept, is_thrown, is_ruled",
    [
        (StoredAnswer(), False, False),
        (StoredAnswer((3,)), True, False),
        (StoredAnswer((3,), row=4), True, True),
        (StoredAnswer(row=4), False, True),
        (StoredAnswer(row=2), False, False),
        (StoredAnswer((3,), row=4, is_off=True), False, False),
    ],
)
def test_a_ruling_needs_a_row_of_the_table(
    kept: StoredAnswer, is_thrown: bool, is_ruled: bool
) -> None:
    assert (kept.is_thrown, kept.ruling_in(TABLE) is not None) == (is_thrown, is_ruled)
    assert kept.ruling_in(None) is None


def test_an_upkeep_that_nobody_pays_moves_nothing() -> None:
    log = begin(leader(), group())
    rules = replace(log.rules, income=(), upkeep=UpkeepRule("crowns", 9, 3))
    state = play(replace(log, rules=rules), result())
    assert [move.why for move in state.moves if move.position > 2] == []
