"""Dues, answers, acts and effects one by one, by small campaigns of two warbands."""

from dataclasses import replace
from typing import Any

import pytest

from engine.errors import Refusal
from engine.growth import log as logs
from engine.growth.campaign_fold import fold
from engine.growth.difference import difference
from engine.growth.document import read_rules
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    STASH,
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    CampaignLog,
    DisbandAct,
    DismissAct,
    EnlargeAct,
    FixtureResult,
    Founding,
    GiveAct,
    LogEntry,
    ModelPutOut,
    RecruitAct,
    SearchAct,
    SellAct,
    TakeBack,
    UnfoughtAct,
)
from engine.growth.state import CampaignState, lineup_of
from engine.growth.versions import merged
from engine.growth.warriors import GearPiece, GrownWarrior, Joiner
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS, muster_document

DOCUMENT = muster_document()
LINE = [4, 3, 3, 3, 3, 1, 3, 1, 7]


def leader(**others: Any) -> Joiner:
    return joiner("w1", LINE, 40, category="hero", is_leader=True, **others)


def group(count: int = 3, **others: Any) -> Joiner:
    return joiner("w2", LINE, 6, category="core", count=count, **others)


def begin(*red: Joiner, change: dict[str, Any] | None = None) -> CampaignLog:
    """Two warbands, red with these and blue with a leader and a group."""
    rules = read_rules(merged(DOCUMENT, change or {}), STATS)
    foundings = [
        Founding("red", "the-empire", red or (leader(), group())),
        Founding("blue", "skaven", (leader(), group())),
    ]
    return CampaignLog(rules).with_entries(*foundings)


def result(fixture: str = "f1", winner: str = "", **others: Any) -> FixtureResult:
    fielded = others.pop("fielded", {"red": ("w1", "w2"), "blue": ("w1", "w2")})
    return FixtureResult(fixture, ("red", "blue"), winner, fielded=fielded, **others)


def out(*who: str, by: tuple[str, str] | None = ("blue", "w1")) -> dict[str, Any]:
    return {"red": tuple(ModelPutOut(one, by) for one in who)}


def answer(
    due: str, *faces: int, choice: str | None = None, side: str = "red"
) -> DueAnswer:
    return DueAnswer(side, due, faces or None, choice)


def play(log: CampaignLog, *entries: LogEntry) -> CampaignState:
    return fold(log.with_entries(*entries))


def red(state: CampaignState, key: str = "w1") -> GrownWarrior:
    return state.warbands["red"].warriors[key]


def crowns(state: CampaignState, side: str = "red") -> int:
    return state.warbands[side].treasury["crowns"]


def owed(state: CampaignState, side: str = "red") -> dict[str, bool]:
    """The open dues of a warband, and whether each is answered."""
    return {due.key: due.is_answered for due in state.open if due.warband == side}


def one_row(
    effect: dict[str, Any], otherwise: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Rules in which a hero's injury is always this."""
    row = {"least": 2, "most": 12, "name": "So it is", "effect": effect}
    if otherwise:
        row["otherwise"] = otherwise
    return {"tables": {"hero-injury": {"rows": [row]}}}


def injured(effect: dict[str, Any], *answers: LogEntry, **others: Any) -> CampaignState:
    """A leader put out whose injury is this."""
    log = begin(
        others.pop("red", leader()), change=one_row(effect, others.pop("otherwise", None))
    )
    fielded = {"red": ("w1",), "blue": ("w1", "w2")}
    told = result(out=out("w1", **others), fielded=fielded)
    return play(log, told, answer("f1/injury/w1", 1, 1), *answers)


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
    assert state.aside == (("red", "f1/injury/w1"),)


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
    assert fold(corrected).aside == (("red", "f1/injury/w1"),)
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
    assert lineup_of(state.warbands["red"]) == ()
    assert lineup_of(state.warbands["red"], fielded=["w1"]) == ("w1",)
    assert lineup_of(state.warbands["blue"], absent=["w1"]) == ("w2",)
    second = result("f2", fielded={"red": (), "blue": ()})
    state = injured({"misses": 2}, second)
    assert red(state).misses == (1,)
    state = injured({"misses": 2}, second, replace(second, fixture="f3"))
    assert red(state).misses == ()


def test_misses_by_dice_have_a_due_of_their_own() -> None:
    state = injured({"misses": "D3"})
    assert owed(state)["f1/injury/w1/misses"] is False
    assert red(state).misses == ()
    state = injured({"misses": "D3"}, answer("f1/injury/w1/misses", 3))
    assert red(state).misses == (3,)


def test_members_of_a_group_miss_one_by_one() -> None:
    log = begin().with_entries(result(out=out("w2#1", "w2#2")))
    answers = [answer("f1/injury/w2#1", 2), answer("f1/injury/w2#2", 2)]
    state = play(log, *answers)
    assert red(state, "w2").misses == (1, 1)
    assert lineup_of(state.warbands["red"]) == ("w1", "w2")
    state = play(log, *answers, DismissAct(1, "red", "w2", 2))
    assert red(state, "w2").misses == (1,)
    assert lineup_of(state.warbands["red"]) == ("w1",)


def test_the_dearest_piece_is_lost_the_first_among_equals() -> None:
    gear = (GearPiece("a", 2), GearPiece("b", 9), GearPiece("c", 9))
    state = injured({"loses": "dearest"}, red=leader(gear=gear))
    assert [piece.id for piece in red(state).gear] == ["a", "c"]
    state = injured({"loses": "all"}, red=leader(gear=gear))
    assert red(state).gear == ()


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
    assert red(injured({"item": "physick"})).gear == (GearPiece("physick", 0),)
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
    assert red(state).old_wounds[0].at_most == 2
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


# Acts


def acted(*acts: LogEntry, red_has: tuple[Joiner, ...] = ()) -> CampaignState:
    return play(begin(*red_has), *acts)


def why(state: CampaignState, number: int = 1) -> str:
    return state.acts[number].why


def test_recruits_pay_for_the_experience_of_their_group() -> None:
    start = crowns(acted())
    state = acted(AdjustExperienceAct(2, "red", "w2", 2), EnlargeAct(1, "red", "w2", 2))
    assert (state.acts[1].paid, red(state, "w2").count) == (16, 5)
    assert crowns(state) == start - 16
    # What was paid is kept with the purchase.
    kept = EnlargeAct(1, "red", "w2", 2, paid=9)
    assert crowns(acted(kept)) == start - 9


def test_somebody_new_costs_price_and_gear_for_each_model() -> None:
    new = joiner("w7", LINE, 5, category="core", count=3, gear=(GearPiece("bow", 2),))
    state = acted(RecruitAct(1, "red", new))
    assert (state.acts[1].paid, red(state, "w7").kind) == (21, "soldier")
    hired = joiner("w8", LINE, 5, is_hired=True)
    assert red(acted(RecruitAct(1, "red", hired)), "w8").kind == "hired"
    troll = joiner("w9", LINE, 5, troop_type="monster")
    assert red(acted(RecruitAct(1, "red", troll)), "w9").kind == "creature"


def test_a_piece_is_bought_for_each_model_or_for_the_stash() -> None:
    assert acted(BuyAct(1, "red", "axe", "w2", 4)).acts[1].paid == 12
    state = acted(BuyAct(1, "red", "axe", STASH, 4))
    assert (state.acts[1].paid, state.warbands["red"].stash) == (4, (GearPiece("axe", 4),))
    assert (
        why(acted(BuyAct(1, "red", "axe", "w9", 4))) == "w9 is not in the warband by then."
    )
    assert "rare" in why(acted(BuyAct(1, "red", "good-boots", "w1", 4)))


def test_a_rare_thing_is_looked_for() -> None:
    def searched(*faces: int, **others: Any) -> CampaignState:
        told = {"item": "good-boots", "bearer": "w1", "seeker": "w1", **others}
        return acted(SearchAct(1, "red", faces=faces, **told))

    found = searched(3, 4)
    assert (found.acts[1].paid, found.acts[1].is_found) == (12, True)
    assert dict(found.warbands["red"].stats["w1"]) == {"M": 5}
    missed = searched(3, 3)
    assert (missed.acts[1].paid, missed.acts[1].is_found, why(missed)) == (None, False, "")
    assert "w9" in why(searched(6, 6, seeker="w9"))
    assert "w9" in why(searched(6, 6, bearer="w9"))
    assert "sells" in why(searched(6, 6, item="lamp"))
    assert searched(1, 1, item="physick", seeker="").acts[1].paid == 12
    assert searched(3, 4, bearer=STASH).acts[1].paid == 12
    assert searched(3, 4, price=3).acts[1].paid == 3


def test_a_skill_may_help_to_find_rare_things() -> None:
    log = begin(leader()).with_entries(
        AdjustExperienceAct(2, "red", "w1", 4), answer("advance/w1/1", 5, choice="pedlar")
    )
    found = play(log, SearchAct(1, "red", "good-boots", "w1", "w1", (3, 3)))
    assert found.acts[1].is_found
    assert (
        not play(log, SearchAct(1, "red", "good-boots", "w1", "w1", (3, 2)))
        .acts[1]
        .is_found
    )


def test_selling_pays_half_rounded_down() -> None:
    one = leader(gear=(GearPiece("axe", 5), GearPiece("axe", 5)))
    start = crowns(acted(red_has=(one, group())))
    state = acted(SellAct(1, "red", "axe", "w1"), red_has=(one, group()))
    assert crowns(state) == start + 2
    assert len(red(state).gear) == 1
    assert "does not have it" in why(acted(SellAct(1, "red", "bow", "w1")))
    assert "does not have it" in why(acted(SellAct(1, "red", "bow", STASH)))
    assert "group" in why(acted(SellAct(1, "red", "axe", "w2")))
    assert "not in the warband" in why(acted(SellAct(1, "red", "axe", "w9")))
    stash = [BuyAct(2, "red", "bow", STASH, 9), SellAct(1, "red", "bow", STASH)]
    assert acted(*stash).warbands["red"].stash == ()


def test_a_piece_changes_hands() -> None:
    people = (leader(gear=(GearPiece("axe", 5),)), group(), joiner("w3", LINE, 9))
    given = acted(GiveAct(1, "red", "axe", "w1", "w3"), red_has=people)
    assert (red(given).gear, red(given, "w3").gear) == ((), (GearPiece("axe", 5),))
    kept = acted(GiveAct(1, "red", "axe", "w1", STASH), red_has=people)
    assert kept.warbands["red"].stash == (GearPiece("axe", 5),)
    assert "group" in why(acted(GiveAct(1, "red", "axe", "w1", "w2"), red_has=people))
    pair = (people[0], group(count=2))
    assert "group" in why(acted(GiveAct(1, "red", "axe", "w1", "w2"), red_has=pair))
    nobody = acted(GiveAct(1, "red", "axe", "w1", "w9"), red_has=people)
    assert "w9 is not" in why(nobody)
    assert red(nobody).gear
    assert "does not have it" in why(
        acted(GiveAct(1, "red", "bow", "w1", "w3"), red_has=people)
    )
    itself = acted(GiveAct(1, "red", "axe", "w1", "w1"), red_has=people)
    assert red(itself).gear == (GearPiece("axe", 5),)


def test_who_is_dismissed_leaves_gear_where_the_rules_say() -> None:
    people = (leader(), group(gear=(GearPiece("bow", 2),)))
    state = acted(DismissAct(1, "red", "w2", 2), red_has=people)
    assert (red(state, "w2").count, len(state.warbands["red"].stash)) == (1, 2)
    assert "fewer than 4" in why(acted(DismissAct(1, "red", "w2", 4)))
    assert "not in" in why(acted(DismissAct(1, "red", "w9")))
    lost = play(begin(*people, change={"gone_gear": "lost"}), DismissAct(1, "red", "w2", 3))
    assert (lost.warbands["red"].stash, red(lost, "w2").gone) == ((), "gone")


def test_organisers_adjust_and_games_unfought_pay() -> None:
    state = acted(AdjustMoneyAct(1, "red", "renown", -3), UnfoughtAct(2, "blue", "bye"))
    assert state.warbands["red"].treasury["renown"] == -3
    assert crowns(state, "blue") == crowns(acted(), "blue") + 18
    assert "not in" in why(acted(AdjustExperienceAct(1, "red", "w9", 1)))


def test_a_disbanded_warband_does_nothing_more() -> None:
    claim = [result(winner="red"), answer("f1/claim", choice="The Mill")]
    log = begin(leader()).with_entries(*claim)
    assert fold(log).warbands["red"].territories == ("The Mill",)
    state = play(log, DisbandAct(1, "red"), BuyAct(2, "red", "axe", "w1", 4))
    band = state.warbands["red"]
    assert (band.is_closed, band.rating, band.territories) == (True, 0, ())
    assert why(state, 2) == "The warband is disbanded."
    assert [act.number for act in state.acts_aside] == [2]
    assert band.to_json()["closed"] is True


def test_an_act_that_is_taken_back_does_not_count() -> None:
    state = acted(BuyAct(1, "red", "axe", "w1", 4), TakeBack("red", act=1))
    assert state.acts == {}
    assert state.warbands == acted().warbands


# Money


def test_late_comers_get_a_purse_for_each_round_up_to_a_most() -> None:
    def purse(rounds: int) -> int:
        return crowns(fold(begin().with_entries(Founding("new", "x", (), rounds))), "new")

    assert [purse(rounds) for rounds in (0, 1, 5, 6)] == [250, 265, 325, 325]
    alike = {key: value for key, value in DOCUMENT.items() if key != "late"}
    late = Founding("new", "x", (), 3)
    log = CampaignLog(read_rules(alike, STATS)).with_entries(late)
    assert crowns(fold(log), "new") == 250


def test_upkeep_forgives_what_is_not_there() -> None:
    many = (leader(), group(count=12))
    poor = AdjustMoneyAct(1, "red", "crowns", -250 + 40 + 72)
    log = begin(
        *many, change={"income": [{"currency": "renown", "when": "result", "won": 1}]}
    )
    assert crowns(play(log, poor)) == 0
    assert crowns(play(log, poor, result())) == 0
    ten = AdjustMoneyAct(2, "red", "crowns", 10)
    assert crowns(play(log, poor, ten, result())) == 0
    hundred = AdjustMoneyAct(2, "red", "crowns", 100)
    # 13 models, 8 of them free, 3 for each of the others; blue is not weaker.
    assert crowns(play(log, poor, hundred, result())) == 85
    debt = AdjustMoneyAct(2, "red", "crowns", -5)
    assert crowns(play(log, poor, debt, result())) == -5


def test_two_throws_of_income_have_two_keys() -> None:
    lines = [
        {"currency": "crowns", "when": "dice", "dice": "D6", "times": 2},
        {"currency": "renown", "when": "dice", "dice": "D3"},
    ]
    log = begin(change={"income": lines}).with_entries(result())
    assert set(owed(fold(log))) == {"f1/income", "f1/income/2"}
    state = play(log, answer("f1/income", 5), answer("f1/income/2", 2))
    assert state.warbands["red"].treasury["renown"] == 2
    assert crowns(state) == 250 - 58 + 10


def test_who_is_far_below_gets_the_last_bonus_reached() -> None:
    rich = joiner("w1", LINE, 200, category="hero", is_leader=True)
    log = begin(rich, group())
    # Red is worth 218 and blue 58: 160 above is over 130.
    state = play(log, result())
    assert state.warbands["blue"].warriors["w1"].experience == 4
    assert red(state).experience == 1
    assert [move.amount for move in state.moves if move.why == "underdog"] == [45]


def test_a_territory_is_the_winners_if_it_may_be() -> None:
    def claimed(*choices: str, change: dict[str, Any] | None = None) -> CampaignState:
        log = begin(leader(), change=change)
        for number, choice in enumerate(choices):
            key = f"f{number}"
            told = result(key, winner="red")
            log = log.with_entries(told, answer(f"{key}/claim", choice=choice))
        return fold(log)

    state = claimed("The Mill", "The Ford", "The Market")
    assert state.warbands["red"].territories == ("The Ford", "The Mill")
    assert owed(state)["f2/claim"] is True
    assert owed(claimed("Atlantis"))["f0/claim"] is True
    assert "f0/claim" not in owed(claimed("none"))
    assert owed(claimed("The Mill", "The Mill"))["f1/claim"] is True
    lost = begin(leader()).with_entries(
        result("f0", winner="red"),
        answer("f0/claim", choice="The Mill"),
        result("f1", winner="blue"),
        answer("f1/claim", choice="The Mill", side="blue"),
    )
    assert fold(lost).warbands["blue"].territories == ("The Mill",)


def test_further_rolls_of_the_warband_and_of_warriors() -> None:
    rolls = [
        {"id": "find", "name": "Finds", "who": "warband", "table": "finds"},
        {"id": "tale", "name": "Tales", "who": ["hero"], "table": "tales"},
    ]
    finds = {
        "dice": "D6",
        "rows": [{"least": 1, "most": 6, "name": "F", "effect": {"item": "physick"}}],
    }
    tales = {
        "dice": "D66",
        "rows": [{"least": 11, "most": 66, "name": "T", "effect": {"experience": 5}}],
    }
    log = begin(change={"rolls": rolls, "tables": {"finds": finds, "tales": tales}})
    told = result(out=out("w2#1"))
    state = play(log, told)
    assert {"f1/roll/find", "f1/roll/tale/w1"} <= set(owed(state))
    state = play(log, told, answer("f1/roll/find", 3), answer("f1/roll/tale/w1", 6, 1))
    assert state.warbands["red"].stash == (GearPiece("physick", 0),)
    assert red(state).experience == 6
    assert "f1/roll/tale/w1" not in owed(play(log, result(out=out("w1"))))


# Awards, ratings, sizes


def test_awards_count_deeds_up_to_their_most() -> None:
    kills = {
        "blue": tuple(
            ModelPutOut(f"w2#{n}", ("red", who))
            for n, who in enumerate(["w1"] * 5 + ["w2"] * 2, 1)
        )
    }
    state = play(begin(), result(winner="red", out=kills, objective_by=(("red", "w2"),)))
    # Fought 1, put out 3 at most, led the winners 1; the group: 1, 1 at most, 1.
    assert (red(state).experience, red(state, "w2").experience) == (5, 3)


def test_awards_for_results() -> None:
    awards = [
        {"id": word, "name": word, "when": word, "amount": amount}
        for word, amount in (("won", 5), ("drawn", 3), ("lost", 2))
    ]
    log = begin(change={"experience": awards, "underdog": []})
    assert red(play(log, result(winner="red"))).experience == 5
    assert red(play(log, result())).experience == 3
    assert red(play(log, result(winner="blue"))).experience == 2


def test_who_fought_outside_the_warband_earns_nothing() -> None:
    state = play(begin(), result(fielded={"red": ("w1", "w9"), "blue": ()}))
    assert [(note.warband, note.warrior, note.why) for note in state.notes] == [
        ("red", "w9", "outside")
    ]


def test_the_rating_is_rounded_down_once() -> None:
    terms = [
        {"of": "experience", "times": [1, 3]},
        {"of": "models", "times": [1, 3]},
        {"of": "skills", "times": [5, 1]},
    ]
    log = begin(leader(), change={"rating": terms})
    state = play(log, AdjustExperienceAct(1, "red", "w1", 2))
    assert state.warbands["red"].rating == 1
    state = play(
        log,
        AdjustExperienceAct(1, "red", "w1", 5),
        answer("advance/w1/1", 5, choice="fleet"),
    )
    assert state.warbands["red"].rating == 7


def test_a_preview_names_what_moves_opens_and_is_set_aside() -> None:
    told = result(winner="red", out=out("w1"))
    log = begin(leader(), group()).with_entries(
        told,
        answer("f1/injury/w1", 1, 1),
        answer("f1/income", 3),
        BuyAct(1, "red", "axe", "w2", 2),
    )
    corrected = replace(told, winner="blue", out=out("w2#1", "w2#2", "w2#3"))
    moved = difference(fold(log), play(log, corrected))
    [first] = [change for change in moved.warbands if change.warband == "red"]
    [lead] = [one for one in first.warriors if one.key == "w1"]
    assert lead.changed["gone"] == ("gone", None)
    assert lead.changed["leader"] == (None, True)
    assert {due.key for due in moved.opened} == {
        "advance/w1/1",
        "f1/claim",
        "f1/injury/w2#1",
        "f1/injury/w2#2",
        "f1/injury/w2#3",
    }
    assert {due.key for due in moved.closed} == {"f1/claim", "succession/w1"}
    assert moved.set_aside == (("red", "f1/injury/w1"),)
    back = difference(play(log, corrected), fold(log))
    assert back.counts_again == (("red", "f1/injury/w1"),)
    assert moved.acts_aside == ()
    assert difference(play(log, corrected), play(log, corrected)) == difference(
        fold(log), fold(log)
    )


def test_an_act_set_aside_by_a_correction_is_in_the_preview() -> None:
    told = result()
    log = begin(leader(), group(count=1)).with_entries(
        told, BuyAct(1, "red", "axe", "w2", 2)
    )
    killed = log.with_entries(replace(told, out=out("w2")), answer("f1/injury/w2", 1))
    moved = difference(fold(log), fold(killed))
    assert (moved.acts_aside, moved.acts_again) == ((1,), ())
    assert difference(fold(killed), fold(log)).acts_again == (1,)


def test_a_new_warband_is_all_change() -> None:
    log = begin()
    moved = difference(fold(log), play(log, Founding("new", "x", (leader(),))))
    [change] = moved.warbands
    assert change.figures["rating"] == (None, 40)
    assert change.warriors[0].changed["count"] == (None, 1)


def test_a_log_has_limits() -> None:
    log = CampaignLog(begin().rules)
    bands = [Founding(f"b{n}", "x", ()) for n in range(logs.WARBANDS_MAX)]
    full = log.with_entries(*bands)
    logs.check_size(full)
    with pytest.raises(Refusal, match="at most 32 warbands") as caught:
        logs.check_size(full.with_entries(Founding("more", "x", ())))
    assert caught.value.field == "entry"
    fixtures = [result(f"f{n}") for n in range(logs.FIXTURES_MAX)]
    logs.check_size(log.with_entries(*fixtures, fixtures[0]))
    with pytest.raises(Refusal, match="at most 400 battles") as caught:
        logs.check_size(log.with_entries(*fixtures, result("more")))
    assert caught.value.field == "fixture"
