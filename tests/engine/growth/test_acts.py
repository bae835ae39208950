"""Acts, money, awards and ratings one by one, by small campaigns of two warbands."""

from dataclasses import replace
from typing import Any

from engine.growth.acts import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DisbandAct,
    DismissAct,
    EffectAct,
    EnlargeAct,
    GiveAct,
    RecruitAct,
    RenameAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.differences import difference
from engine.growth.log import CampaignLog, Founding, ModelPutOut, TakeBack
from engine.growth.state import CampaignState
from engine.growth.tables import RowEffect
from engine.growth.warriors import STASH, GearPiece
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    LINE,
    acted,
    answer,
    begin,
    crowns,
    group,
    injured,
    leader,
    out,
    owed,
    play,
    red,
    result,
    why,
)

# Acts


def test_recruits_pay_for_the_experience_of_their_group() -> None:
    start = crowns(acted())
    state = acted(AdjustExperienceAct(2, "red", "w2", 2), EnlargeAct(1, "red", "w2", 2))
    assert (state.acts[1].paid, red(state, "w2").count) == (16, 5)
    assert crowns(state) == start - 16
    # What was paid is kept with the purchase.
    kept = EnlargeAct(1, "red", "w2", 2, paid=9)
    assert crowns(acted(kept)) == start - 9


def test_as_much_experience_joins_as_veterans_bring() -> None:
    change = {"recruits": {"pool": "2D6", "group_most": 5}}
    log = begin(leader(), group(3), change=change)
    log = log.with_entries(EnlargeAct(1, "red", "w2"))
    # Whoever knows nothing is no veteran.
    assert (red(play(log), "w2").count, "f1/veterans" in owed(play(log, result()))) == (
        4,
        True,
    )
    log = begin(leader(), group(3), change=change).with_entries(result())
    for faces, models, is_full in (
        ((1, 1), 2, False),
        ((1, 1), 3, True),
        ((6, 6), 3, True),
    ):
        thrown = log.with_entries(answer("f1/veterans", *faces))
        state = play(thrown, EnlargeAct(1, "red", "w2", models))
        assert bool(why(state)) == is_full
    assert state.warbands["red"].to_json()["veterans"] == 12
    one = log.with_entries(answer("f1/veterans", 1, 2), EnlargeAct(1, "red", "w2", 1))
    assert play(one).warbands["red"].veterans == 3 - red(play(one), "w2").experience
    assert why(play(log, EnlargeAct(1, "red", "w2")))
    # Until the next battle, which throws anew.
    assert play(one, result("f2")).warbands["red"].veterans == 0
    many = joiner("w7", LINE, 5, category="core", count=6)
    assert why(play(log, RecruitAct(1, "red", many)))
    assert not why(play(log, RecruitAct(1, "red", replace(many, count=5))))


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


def test_each_looks_once_after_a_battle_where_the_rules_say_so() -> None:
    search = {"trade": {"search": {"dice": "2D6", "once": "battle"}}}

    def search_again(*entries: Any, seeker: str = "w1") -> str:
        log = begin(leader(), group(), change=search)
        first, again = (
            SearchAct(number, "red", "good-boots", STASH, who, (1, 1))
            for number, who in ((1, "w1"), (2, seeker))
        )
        return play(log, first, *entries, again).acts[2].why

    assert search_again() == "w1 looks once after each battle."
    assert search_again(seeker="w2") == search_again(result()) == ""


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


def test_what_is_bodily_is_neither_sold_given_nor_lost() -> None:
    claw, axe = GearPiece("claw", 9, bodily=True), GearPiece("axe", 5)
    people = (leader(gear=(claw, axe)), group())
    for act in (SellAct(1, "red", "claw", "w1"), GiveAct(1, "red", "claw", "w1", STASH)):
        assert "part of w1" in why(acted(act, red_has=people))
    bought = acted(BuyAct(1, "red", "tail", "w1", 4, bodily=True), red_has=people)
    assert red(bought).loose == (axe,)
    assert acted(DismissAct(1, "red", "w1"), red_has=people).warbands["red"].stash == (axe,)
    for what in ("all", "dearest"):
        assert red(injured({"loses": what}, red=people[0])).gear == (claw,)
        bare = leader(gear=(claw,))
        other = {"otherwise": {"misses": 1}}
        assert red(injured({"loses": what}, red=bare, **other)).misses == (1,)


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
    for dismissed, gone, pieces in (("stash", "lost", 3), ("lost", "stash", 0)):
        change = {"gone_gear": gone, "dismissed_gear": dismissed}
        state = play(begin(*people, change=change), DismissAct(1, "red", "w2", 3))
        assert len(state.warbands["red"].stash) == pieces


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
    assert [act.number for act in state.superseded_acts] == [2]
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
    assert state.warbands["red"].stash == (GearPiece("physick", 0, is_found=True),)
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


def test_each_objective_of_a_warrior_is_an_award() -> None:
    told = result(objective_by=(("red", "w2"), ("red", "w2")))
    log = begin().with_entries(told)
    once = play(begin(), replace(told, objective_by=told.objective_by[:1]))
    assert red(fold(log), "w2").experience == red(once, "w2").experience + 1
    # Games of older logs told whether somebody took any.
    old = fold(replace(log, since=len(log.rows) + 1))
    assert red(old, "w2").experience == red(once, "w2").experience


def test_who_is_not_paid_leaves() -> None:
    dear, cheap = (
        joiner(key, LINE, 5, is_hired=True, upkeep=upkeep, gear=(GearPiece("axe", 0),))
        for key, upkeep in (("w3", 30), ("w4", 10))
    )
    change: dict[str, Any] = {"unpaid": "leaves", "upkeep": None, "underdog": []}
    change |= {"gone_gear": "lost", "dismissed_gear": "stash"}
    change["income"] = [{"currency": "renown", "when": "unfought", "bye": 1}]
    log = begin(leader(), dear, cheap, change=change)
    here = {"red": ("w1", "w3", "w4"), "blue": ()}
    poor = AdjustMoneyAct(1, "red", "crowns", 29 - crowns(play(log)))
    log = log.with_entries(poor, result(fielded=here))
    # The first is not paid in part; the second is.
    assert (crowns(fold(log)), list(owed(fold(log)))) == (19, ["upkeep/f1/w3"])
    pay = answer("upkeep/f1/w3", choice="pay")
    assert owed(play(log, pay)) == {"upkeep/f1/w3": True}
    paid = play(log, AdjustMoneyAct(2, "red", "crowns", 11), pay)
    assert (crowns(paid), owed(paid), red(paid, "w3").gone) == (0, {}, "")
    refused = play(log, answer("upkeep/f1/w3", choice="refuse"), DismissAct(2, "red", "w4"))
    # Both take what they have with them.
    assert red(refused, "w3").gone
    assert red(refused, "w4").gone
    assert refused.warbands["red"].stash == ()
    later = play(log, pay, result("f2", fielded=here))
    assert [note.why for note in later.notes] == ["outside"]
    stays = begin(leader(), dear, cheap, change={**change, "unpaid": "stays"})
    state = play(stays, poor, result(fielded=here))
    assert (crowns(state), owed(state)) == (0, {})


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
    assert moved.superseded == (("red", "f1/injury/w1"),)
    back = difference(play(log, corrected), fold(log))
    assert back.counts_again == (("red", "f1/injury/w1"),)
    assert moved.superseded_acts == ()
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
    assert (moved.superseded_acts, moved.acts_again) == ((1,), ())
    assert difference(fold(killed), fold(log)).acts_again == (1,)


def test_a_new_warband_is_all_change() -> None:
    log = begin()
    moved = difference(fold(log), play(log, Founding("new", "x", (leader(),))))
    [change] = moved.warbands
    assert change.figures["rating"] == (None, 40)
    assert change.warriors[0].changed["count"] == (None, 1)


def test_a_found_piece_is_sold_by_the_price_of_that_day() -> None:
    find = EffectAct(1, "red", "", RowEffect("item", "physick"))
    state = acted(find, SellAct(2, "red", "physick", STASH, 12))
    assert crowns(state) == crowns(acted()) + 6
    # Logs of before tell no price, and it brings nothing.
    assert crowns(acted(find, SellAct(2, "red", "physick", STASH))) == crowns(acted())
    # What was bought is sold by what it cost.
    bought = BuyAct(1, "red", "physick", STASH, 30)
    sold = acted(bought, SellAct(2, "red", "physick", STASH, 12))
    assert crowns(sold) == crowns(acted()) - 15


def test_a_unit_gets_another_name_while_it_lives() -> None:
    state = acted(RenameAct(1, "red", "w1", "Otto"))
    assert red(state).joined.name == "Otto"
    assert red(acted(RenameAct(1, "red", "w1", ""))).joined.name == ""
    assert why(acted(RenameAct(1, "red", "w9", "Otto")))
    gone = EffectAct(1, "red", "w1", RowEffect("gone"))
    assert why(acted(gone, RenameAct(2, "red", "w1", "Otto")), 2)
