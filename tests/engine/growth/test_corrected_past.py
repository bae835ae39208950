"""What growth does when the past changes, a case for each way it may."""

from __future__ import annotations

from dataclasses import replace

from engine.growth.acts import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    DismissAct,
    EnlargeAct,
    RecruitAct,
    UnfoughtAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.log import DISPUTED, VOID, CampaignLog, LogEntry, RulesChange, merged
from engine.growth.warriors import STASH, GearPiece
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    LINE,
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

DEAD, UNHURT = (1, 1), (4, 4)
HERO = joiner("w3", LINE, 30, category="hero", gear=(GearPiece("axe", 4),))
SIDES = {"red": ("w1", "w2", "w3"), "blue": ("w1", "w2")}


def two_battles(*answers: LogEntry) -> CampaignLog:
    """A hero of red is put out in the first battle, and fights in the second."""
    first = result(out=out("w3"), fielded=SIDES)
    second = result("f2", winner="red", fielded=SIDES)
    return begin(leader(), group(), HERO).with_entries(first, second, *answers)


def test_who_died_earlier_earns_nothing_later_and_leaves_gear_there() -> None:
    lived = fold(two_battles(answer("f1/injury/w3", *UNHURT)))
    died = fold(two_battles(answer("f1/injury/w3", *DEAD)))
    assert red(lived, "w3").experience > red(died, "w3").experience
    assert red(died, "w3").gone
    assert [(one.warrior, one.fixture, one.why) for one in died.notes] == [
        ("w3", "f2", "outside")
    ]
    assert [piece.id for piece in died.warbands["red"].stash] == ["axe"]
    # The piece lies there from the first battle on: what was done between finds it.
    sold = two_battles(answer("f1/injury/w3", *DEAD)).with_entries(
        BuyAct(1, "red", "rope", STASH, 2)
    )
    pieces = fold(sold).warbands["red"].stash
    assert [piece.id for piece in pieces] == ["axe", "rope"]


def test_who_turns_out_to_live_is_back_with_the_past_and_missed_what_was_fought() -> None:
    alone = {"red": ("w1", "w2"), "blue": ("w1", "w2")}
    log = begin(leader(), group(), HERO).with_entries(
        result(out=out("w3"), fielded=SIDES),
        answer("f1/injury/w3", *DEAD),
        result("f2", winner="red", fielded=alone),
    )
    assert red(fold(log), "w3").gone
    back = log.with_entries(result(fielded=SIDES))
    one = red(fold(back), "w3")
    assert (one.gone, one.experience) == ("", red(fold(back), "w1").experience - 2)
    assert [piece.id for piece in one.gear] == ["axe"]
    assert fold(back).warbands["red"].stash == ()


def test_a_treasury_may_fall_below_0_by_a_correction() -> None:
    first = result(winner="red")
    log = begin().with_entries(first, answer("f1/income", 6))
    spent = log.with_entries(BuyAct(1, "red", "gold", STASH, crowns(fold(log))))
    assert crowns(fold(spent)) == 0
    lost = fold(spent.with_entries(replace(first, winner="blue")))
    assert crowns(lost) < 0
    # What was bought stays bought.
    assert lost.acts[1].why == ""
    assert [piece.id for piece in lost.warbands["red"].stash] == ["gold"]


def test_a_purchase_for_somebody_gone_costs_nothing_and_counts_again() -> None:
    told = result(out=out("w3"), fielded=SIDES)
    log = begin(leader(), group(), HERO).with_entries(told)
    bought = log.with_entries(BuyAct(1, "red", "charm", "w3", 15))
    assert crowns(fold(log)) - crowns(fold(bought)) == 15
    died = bought.with_entries(answer("f1/injury/w3", *DEAD))
    state = fold(died)
    assert [act.number for act in state.superseded_acts] == [1]
    assert "w3" in state.acts[1].why
    assert crowns(state) == crowns(fold(log.with_entries(answer("f1/injury/w3", *DEAD))))
    again = fold(died.with_entries(replace(told, out={})))
    assert not again.superseded_acts


def test_a_recruit_for_a_group_that_is_gone_is_set_aside() -> None:
    log = begin(leader(), group(count=1)).with_entries(result(out=out("w2")))
    grown = log.with_entries(EnlargeAct(1, "red", "w2", 2))
    assert red(fold(grown), "w2").count == 3
    gone = fold(grown.with_entries(answer("f1/injury/w2", 1)))
    assert [act.number for act in gone.superseded_acts] == [1]


def test_an_advance_at_its_maximum_by_now_keeps_its_dice_and_asks_anew() -> None:
    strong = joiner("w1", [4, 6, 4, 3, 3, 1, 3, 1, 7], 40, category="hero", is_leader=True)
    row = {"least": 1, "most": 6, "name": "Drill", "effect": {"raise": ["WS", "BS", "I"]}}
    rows = {"tables": {"hero-advance": {"rows": [row]}}}
    log = begin(strong, change=rows).with_entries(
        AdjustExperienceAct(1, "red", "w1", 8), answer("advance/w1/2", 1, choice="WS")
    )
    assert dict(red(fold(log)).gains) == {"WS": 1}
    # The step before it, answered later, takes the last that was left of it.
    state = play(log, answer("advance/w1/1", 1, choice="WS"))
    due = state.find_due("red", "advance/w1/2")
    assert due is not None
    assert (due.faces, due.is_answered) == ((1,), True)
    assert [key for key, _ in due.choices] == ["BS", "I"]
    assert (dict(red(state).gains), state.superseded) == ({"WS": 1}, ())


def test_a_disputed_or_void_battle_keeps_its_place_and_its_dice() -> None:
    told = result(winner="red", out=out("w1"))
    log = begin().with_entries(told, answer("f1/injury/w1", *DEAD), answer("f1/income", 3))
    before = fold(log)
    for status in (DISPUTED, VOID):
        off = log.with_entries(replace(told, status=status))
        assert fold(off).superseded == (("red", "f1/income"), ("red", "f1/injury/w1"))
        assert not owed(fold(off))
        later = off.with_entries(result("f2", fielded={"red": ("w2",), "blue": ("w1",)}))
        on = fold(later.with_entries(told))
        assert [one.fixture for one in on.battles] == ["f1", "f2"]
        assert red(on).gone == red(before).gone == "gone"


def test_a_game_not_fought_pays_and_counts_no_misses_down() -> None:
    log = begin(leader(), change=one_row({"misses": 2})).with_entries(
        result(out=out("w1"), fielded={"red": ("w1",), "blue": ("w1",)}),
        answer("f1/injury/w1", *DEAD),
    )
    before = fold(log)
    assert len(red(before).misses) == 1
    paid = set()
    for word in ("bye", "walkover"):
        after = play(log, UnfoughtAct(1, "red", word))
        assert red(after).misses == red(before).misses
        assert red(after).experience == red(before).experience
        paid.add(crowns(after) - crowns(before))
    assert len(paid) == 1
    assert paid.pop() > 0


def test_a_captive_leads_on_and_where_nobody_fits_a_recruit_may() -> None:
    held = begin(leader(), group(), change=one_row({"captive": True})).with_entries(
        result(out=out("w1")), answer("f1/injury/w1", *DEAD)
    )
    state = fold(held)
    assert red(state).captor == "blue"
    assert red(state).is_leader
    assert "succession/w1" not in owed(state)
    alone = begin(leader()).with_entries(DismissAct(1, "red", "w1"))
    due = fold(alone).find_due("red", "succession/w1")
    assert due is not None
    assert due.choices == ()
    # Whoever is recruited may lead.
    recruit = joiner("w2", LINE, 30, category="hero")
    joined = alone.with_entries(RecruitAct(2, "red", recruit))
    led = play(joined, answer("succession/w1", choice="w2"))
    assert red(led, "w2").is_leader
    assert not owed(led)


def test_slots_stand_in_the_order_in_which_results_were_told() -> None:
    log = begin().with_entries(result("second"), result("first", winner="red"))
    assert [one.fixture for one in fold(log).battles] == ["second", "first"]
    corrected = log.with_entries(result("second", winner="blue"))
    assert [one.fixture for one in fold(corrected).battles] == ["second", "first"]


def test_rules_from_now_leave_the_past_and_from_the_start_change_it() -> None:
    log = begin().with_entries(result(winner="red"))
    rich = {"late": {"per_round": 99}, "income": [
        {"currency": "crowns", "when": "result", "won": 100},
        {"currency": "renown", "when": "result", "won": 1},
    ]}  # fmt: skip
    other = read_rules(merged(DOCUMENT, rich), STATS)
    now = log.with_entries(RulesChange(other))
    assert crowns(fold(now)) == crowns(fold(log))
    later = fold(now.with_entries(result("f2", winner="red")))
    assert crowns(later) - crowns(fold(now)) == 100
    start = CampaignLog(other, log.rows)
    assert crowns(fold(start)) == 250 - 58 + 100


def test_money_put_right_by_an_organiser_stays_through_corrections() -> None:
    told = result(winner="red")
    log = begin().with_entries(told, AdjustMoneyAct(1, "red", "crowns", 7))
    lost = log.with_entries(replace(told, winner="blue"))
    without = begin().with_entries(told, replace(told, winner="blue"))
    assert crowns(fold(lost)) - crowns(fold(without)) == 7
