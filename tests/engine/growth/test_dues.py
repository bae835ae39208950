"""Dues, answers, effects and advances one by one, by small campaigns of two warbands."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth import log as logs
from engine.growth.acts import AdjustExperienceAct, BuyAct, DismissAct, SellAct
from engine.growth.campaign_fold import fold
from engine.growth.dues import DueAnswer
from engine.growth.log import FixtureResult, Founding, LogEntry, TakeBack
from engine.growth.state import CampaignState, list_lineup
from engine.growth.warriors import GearPiece
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import (
    LINE,
    answer,
    begin,
    crowns,
    group,
    injured,
    leader,
    one_row,
    out,
    owed,
    play,
    red,
    result,
)

# Dues


def test_a_battle_asks_for_its_dice_and_the_winners_claim() -> None:
    state = play(begin(), result(winner="red", out=out("w1", "w2#3", "w2#1")))
    assert list(owed(state)) == [
        "f1/claim",
        "f1/income",
        "f1/injury/w1",
        "f1/injury/w2#1",
        "f1/injury/w2#3",
    ]
    # Blue's leader came back and put three out.
    assert list(owed(state, "blue")) == ["advance/w1/1", "f1/income"]
    due = state.find_due("red", "f1/injury/w1")
    assert due is not None
    assert (due.dice, due.warrior, due.fixture, due.faces) == ("2D6", "w1", "f1", ())
    claim = state.find_due("red", "f1/claim")
    assert claim is not None
    assert len(claim.choices) == 7
    assert state.find_due("blue", "f1/claim") is None


def test_an_answer_waits_is_aside_counts_or_leaves_a_choice() -> None:
    early = answer("advance/w1/1", 1)
    log = begin().with_entries(early, answer("f9/income", 3), answer("advance/w1/99", 3))
    states = fold(log).answers
    assert states["red", "advance/w1/1"] == "waits"
    assert states["red", "f9/income"] == "aside"
    assert states["red", "advance/w1/99"] == "aside"
    taught = log.with_entries(AdjustExperienceAct(1, "red", "w1", 4))
    state = fold(taught)
    assert state.answers["red", "advance/w1/1"] == "choice"
    due = state.find_due("red", "advance/w1/1")
    assert due is not None
    assert (due.faces, due.is_answered, due.words) == ((1,), True, "A trained hand")
    assert due.choices == (("WS", "WS"), ("BS", "BS"))
    state = play(taught, answer("advance/w1/1", choice="BS"))
    assert state.answers["red", "advance/w1/1"] == "counts"
    assert dict(state.warbands["red"].stats["w1"]) == {"BS": 4}
    back = play(taught, TakeBack("red", "advance/w1/1"))
    assert back.answers["red", "advance/w1/1"] == "taken_back"
    assert owed(back) == {"advance/w1/1": False}


def test_a_waiting_answer_of_somebody_gone_is_aside() -> None:
    log = begin().with_entries(answer("advance/w2/1", 1))
    assert fold(log).answers["red", "advance/w2/1"] == "waits"
    state = play(log, DismissAct(1, "red", "w2", 3))
    assert state.answers["red", "advance/w2/1"] == "aside"


@pytest.mark.parametrize("faces", [(3,), (0, 3), (7, 1), (1, 2, 3)])
def test_faces_of_other_dice_are_aside(faces: tuple[int, ...]) -> None:
    state = play(begin(), result(out=out("w1")), DueAnswer("red", "f1/injury/w1", faces))
    assert owed(state)["f1/injury/w1"] is False
    assert state.superseded == (("red", "f1/injury/w1"),)


def test_a_ruling_counts_in_place_of_the_dice() -> None:
    ruled = DueAnswer("red", "f1/injury/w1", (6, 6), row=2)
    log = begin().with_entries(result(out=out("w1")))
    assert red(play(log, ruled)).gone == "gone"
    nonsense = replace(ruled, row=3)
    assert red(play(log, nonsense)).gone == ""
    assert red(play(log, nonsense)).experience == 3
    other_faces = DueAnswer("red", "f1/injury/w1", (6, 6))
    assert red(play(log, ruled, other_faces)).gone == ""
    assert red(play(log, ruled, DueAnswer("red", "f1/injury/w1"))).gone == "gone"
    assert red(play(log, ruled, TakeBack("red", "f1/injury/w1"))).gone == ""


def test_a_correction_keeps_dice_and_a_disputed_battle_none() -> None:
    told = result(winner="red", out=out("w1"))
    log = begin().with_entries(told, answer("f1/injury/w1", 1, 1))
    assert red(fold(log)).gone
    corrected = log.with_entries(replace(told, out={}))
    assert fold(corrected).superseded == (("red", "f1/injury/w1"),)
    assert red(fold(corrected.with_entries(told))).gone
    disputed = fold(log.with_entries(replace(told, status=logs.DISPUTED)))
    assert crowns(disputed) == crowns(fold(begin()))
    assert not red(disputed).gone


def test_a_slot_stays_where_its_result_was_first_told() -> None:
    log = begin().with_entries(result(winner="red"))
    buy = BuyAct(1, "red", "axe", "w1", 5)
    log = log.with_entries(buy, replace(result(winner="red"), winner="blue"))
    state = fold(log)
    assert [move.why for move in state.moves if move.warband == "red"][-1] == "price"


# Injuries and other effects


def test_lasting_hurts_lower_a_characteristic_to_1_at_least() -> None:
    state = injured({"lower": "S"})
    assert dict(state.warbands["red"].stats["w1"]) == {"S": 2}
    weak = joiner("w1", [4, 1, 0, 3, 3, 1, 3, 1, 7], 40, category="hero", is_leader=True)
    assert dict(injured({"lower": "WS"}, red=weak).warbands["red"].stats["w1"]) == {"WS": 1}
    assert dict(injured({"lower": "BS"}, red=weak).warbands["red"].stats["w1"]) == {"BS": 0}


def test_misses_keep_somebody_away_and_count_down() -> None:
    state = injured({"misses": 2})
    assert red(state).misses == (2,)
    assert list_lineup(state.warbands["red"]) == ()
    assert list_lineup(state.warbands["red"], fielded=["w1"]) == ("w1",)
    assert list_lineup(state.warbands["blue"], absent=["w1"]) == ("w2",)
    second = result("f2", fielded={"red": (), "blue": ()})
    state = injured({"misses": 2}, second)
    assert red(state).misses == (1,)
    state = injured({"misses": 2}, second, replace(second, fixture="f3"))
    assert red(state).misses == ()


def test_members_of_a_group_miss_one_by_one() -> None:
    log = begin().with_entries(result(out=out("w2#1", "w2#2")))
    answers = [answer("f1/injury/w2#1", 2), answer("f1/injury/w2#2", 2)]
    state = play(log, *answers)
    assert red(state, "w2").misses == (1, 1)
    assert list_lineup(state.warbands["red"]) == ("w1", "w2")
    state = play(log, *answers, DismissAct(1, "red", "w2", 2))
    assert red(state, "w2").misses == (1,)
    assert list_lineup(state.warbands["red"]) == ("w1",)


def test_where_an_effect_cannot_be_the_other_is_taken() -> None:
    state = injured({"loses": "dearest"}, otherwise={"experience": 2})
    assert red(state).experience == 3
    state = injured({"loses": "dearest"})
    assert red(state).experience == 1
    assert "f1/injury/w1" not in owed(state)


def test_gains_and_items_and_words() -> None:
    plain = crowns(injured({}))
    assert crowns(injured({"gain": {"currency": "crowns", "amount": 7}})) == plain + 7
    by_dice = {"gain": {"currency": "crowns", "dice": "2D6"}}
    assert crowns(injured(by_dice)) == plain
    assert crowns(injured(by_dice, answer("f1/injury/w1/gain", 4, 5))) == plain + 9
    assert red(injured({"item": "physick"})).gear == (
        GearPiece("physick", 0, is_found=True),
    )
    assert injured({"words": "A scar"}).warbands == injured({}).warbands


def test_again_rolls_on_the_same_table_but_once_deep() -> None:
    rows = [
        {"least": 2, "most": 6, "name": "Twice", "effect": {"again": 2}},
        {"least": 7, "most": 12, "name": "Hurt", "effect": {"lower": "WS"}},
    ]
    log = begin(leader(), change={"tables": {"hero-injury": {"rows": rows}}})
    log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
    assert set(owed(fold(log))) > {"f1/injury/w1/1", "f1/injury/w1/2"}
    state = play(log, answer("f1/injury/w1/1", 6, 6), answer("f1/injury/w1/2", 6, 6))
    assert dict(red(state).hurts) == {"WS": -2}
    state = play(log, answer("f1/injury/w1/1", 1, 1), answer("f1/injury/w1/2", 6, 6))
    assert dict(red(state).hurts) == {"WS": -1}
    assert set(owed(state)) == {"f1/income"}


def test_again_stops_with_who_is_gone() -> None:
    rows = [
        {"least": 2, "most": 6, "name": "Twice", "effect": {"again": 2}},
        {"least": 7, "most": 12, "name": "Gone", "effect": {"gone": True}},
    ]
    log = begin(leader(), change={"tables": {"hero-injury": {"rows": rows}}})
    log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
    state = play(log, answer("f1/injury/w1/1", 6, 6))
    assert "f1/injury/w1/2" not in owed(state)
    assert red(state).gone == "gone"


def test_an_old_wound_is_rolled_before_each_battle_by_its_own_dice() -> None:
    wound = {"old_wound": {"dice": "D3", "at_most": 2}}
    second = result("f2", fielded={"red": ("w1",), "blue": ()})
    state = injured(wound, second)
    due = state.find_due("red", "f2/old-wound/w1")
    assert due is not None
    assert due.dice == "D3"
    assert red(state).old_wounds[0].number == 2
    state = injured(wound, second, answer("f2/old-wound/w1", 2))
    assert [(note.warrior, note.fixture, note.why) for note in state.notes] == [
        ("w1", "f2", "wounded")
    ]
    assert injured(wound, second, answer("f2/old-wound/w1", 3)).notes == ()
    absent = replace(second, fielded={"red": (), "blue": ()})
    assert injured(wound, absent, answer("f2/old-wound/w1", 1)).notes == ()


@pytest.mark.parametrize(
    "by, captor", [(("blue", "w1"), "blue"), (None, "blue"), (("red", "w2"), "blue")]
)
def test_a_captive_is_held_by_whoever_put_it_out(
    by: tuple[str, str] | None, captor: str
) -> None:
    state = injured({"captive": True}, by=by)
    assert red(state).captor == captor
    assert "ransom/f1/w1" in owed(state)
    # A captive leads on, and counts in no rating.
    assert "succession/w1" not in owed(state)
    assert state.warbands["red"].rating == 0


def test_of_many_sides_the_winner_is_the_captor_and_without_one_nobody() -> None:
    log = begin(leader(), change=one_row({"captive": True}))
    log = log.with_entries(Founding("green", "dwarfs", (leader(),)))
    told = FixtureResult(
        "f1", ("red", "blue", "green"), "green", fielded={}, out=out("w1", by=None)
    )
    thrown = answer("f1/injury/w1", 1, 1)
    assert red(play(log, told, thrown)).captor == "green"
    assert red(play(log, replace(told, winner=""), thrown)).captor == ""
    assert red(play(log, replace(told, winner="red"), thrown)).captor == ""


def test_a_ransom_is_paid_where_it_is_answered_or_refused() -> None:
    captive = {"captive": True}
    before = injured(captive, red=leader(gear=(GearPiece("a", 5),)))
    paid = injured(
        captive, answer("ransom/f1/w1", choice="pay"), red=leader(gear=(GearPiece("a", 5),))
    )
    # Half of 45, rounded up.
    assert crowns(before) - crowns(paid) == 23
    assert crowns(paid, "blue") - crowns(before, "blue") == 23
    assert red(paid).is_free
    refused = injured(
        captive,
        answer("ransom/f1/w1", choice="refuse"),
        red=leader(gear=(GearPiece("a", 5),)),
    )
    assert crowns(refused) == crowns(before)
    assert crowns(refused, "blue") - crowns(before, "blue") == 10
    assert red(refused).gone == "refused"
    # What it carried is lost with it.
    assert refused.warbands["red"].stash == ()


def test_prices_in_another_measure_hold_for_sales_and_ransoms_too() -> None:
    change = {**one_row({"captive": True}), "prices": {"per_point": 10}}
    log = begin(leader(gear=(GearPiece("a", 5),)), change=change)
    assert crowns(fold(log)) == 250 - 450
    state = play(log, SellAct(1, "red", "a", "w1"))
    assert crowns(state) == 250 - 450 + 25
    log = log.with_entries(result(out=out("w1")), answer("f1/injury/w1", 1, 1))
    before = crowns(fold(log))
    assert crowns(play(log, answer("ransom/f1/w1", choice="pay"))) == before - 225


# Advances, promotion, succession


def taught(
    points: int, *answers: LogEntry, who: str = "w2", **others: Any
) -> CampaignState:
    log = begin(leader(), group(**others))
    return play(log, AdjustExperienceAct(1, "red", who, points), *answers)


def test_every_step_reached_asks_once() -> None:
    assert set(owed(taught(3))) == set()
    assert set(owed(taught(4))) == {"advance/w2/1"}
    assert set(owed(taught(15))) == {"advance/w2/1", "advance/w2/2", "advance/w2/3"}
    state = taught(15, answer("advance/w2/2", 1, choice="WS"))
    assert set(owed(state)) == {"advance/w2/1", "advance/w2/3"}
    assert dict(red(state, "w2").took) == {2: "WS"}


def test_one_of_a_group_is_promoted_with_its_experience() -> None:
    state = taught(9, answer("advance/w2/2", 6), gear=(GearPiece("bow", 2),))
    one = red(state, "w2.2")
    assert (one.kind, one.count, one.experience, one.passed) == ("hero", 1, 9, 2)
    assert [piece.id for piece in one.gear] == ["bow"]
    assert red(state, "w2").count == 2
    # Steps that were passed are not asked for again.
    assert set(owed(state)) == {"advance/w2/1"}
    more = taught(9, answer("advance/w2/2", 6), AdjustExperienceAct(2, "red", "w2.2", 4))
    assert set(owed(more)) == {"advance/w2/1", "advance/w2.2/3"}


def test_a_single_soldier_is_promoted_under_its_own_key() -> None:
    state = taught(4, answer("advance/w2/1", 6), count=1)
    assert set(state.warbands["red"].warriors) == {"w1", "w2"}
    assert (red(state, "w2").kind, dict(red(state, "w2").took)) == ("hero", {})


def test_nobody_is_promoted_over_the_most_of_a_kind() -> None:
    heroes = [joiner(f"h{n}", LINE, 5, category="hero") for n in range(4)]
    log = begin(leader(), group(), *heroes).with_entries(
        AdjustExperienceAct(1, "red", "w2", 4)
    )
    state = play(log, answer("advance/w2/1", 6))
    due = state.find_due("red", "advance/w2/1")
    assert due is not None
    assert [key for key, _ in due.choices] == ["WS", "BS", "I", "Ld"]
    dismissed = play(log, answer("advance/w2/1", 6), DismissAct(2, "red", "h1"))
    assert "w2.1" in dismissed.warbands["red"].warriors


def test_what_is_at_its_maximum_cannot_be_chosen() -> None:
    strong = joiner("w1", [4, 7, 5, 3, 3, 1, 3, 1, 7], 40, category="hero", is_leader=True)
    log = begin(strong).with_entries(AdjustExperienceAct(1, "red", "w1", 4))
    # One possibility is taken without asking.
    assert dict(red(play(log, answer("advance/w1/1", 1))).gains) == {"BS": 1}
    full = joiner("w1", [4, 7, 6, 3, 3, 1, 3, 1, 7], 40, category="hero", is_leader=True)
    state = play(
        begin(full), AdjustExperienceAct(1, "red", "w1", 4), answer("advance/w1/1", 1)
    )
    due = state.find_due("red", "advance/w1/1")
    assert due is not None
    assert len(due.choices) == 10
    assert ("fleet", "Fleet") in due.choices


def test_when_the_leader_is_gone_another_succeeds() -> None:
    log = begin(leader(), group(), joiner("w3", LINE, 9, category="hero"))
    fallen = log.with_entries(DismissAct(1, "red", "w1"))
    state = fold(fallen)
    due = state.find_due("red", "succession/w1")
    assert due is not None
    assert [key for key, _ in due.choices] == ["w2", "w3"]
    assert red(play(fallen, answer("succession/w1", choice="w3")), "w3").is_leader
    state = play(fallen, answer("succession/w1", choice="w2"))
    assert red(state, "w2.leader").is_leader
    assert red(state, "w2.leader").kind == "hero"
    assert red(state, "w2").count == 2
    wrong = play(fallen, answer("succession/w1", choice="w9"))
    assert owed(wrong)["succession/w1"] is True


def test_a_fallen_leader_stays_known_when_another_bears_its_key() -> None:
    log = begin(leader(), group()).with_entries(
        DismissAct(1, "red", "w1"),
        answer("succession/w1", choice="w2"),
        DismissAct(2, "red", "w2.leader"),
        answer("succession/w2.leader", choice="w2"),
    )
    state = fold(log)
    assert red(state, "w2.leader").is_leader
    assert red(state, "w2").count == 1
    assert [one.key for one in state.warbands["red"].former] == ["w2.leader"]


def test_a_warband_without_a_leader_owes_one_from_its_founding() -> None:
    assert set(owed(fold(begin(group())))) == {"succession/none"}
    assert owed(fold(begin(group(), change={"leader": {"successors": []}}))) == {}
