"""What captors decide: to set free, to name a price, and what they get for who is refused."""

from typing import Any

import pytest

from engine.growth.acts import CaptiveAct
from engine.growth.log import CampaignLog, ModelPutOut, TakeBack
from engine.growth.state import CampaignState
from engine.growth.warriors import GearPiece
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
    why,
)

RANSOM = "ransom/f1/w1"


def caught(**captives: Any) -> CampaignLog:
    change = one_row({"captive": True}) | {"captives": captives}
    log = begin(leader(gear=(GearPiece("bow", 4),)), change=change)
    fielded = {"red": ("w1",), "blue": ("w1", "w2")}
    told = result(fielded=fielded, out=out("w1"))
    return log.with_entries(told, answer("f1/injury/w1", 1, 1))


def test_a_captor_sets_free_for_nothing() -> None:
    free = CaptiveAct(1, "blue", "red", "w1")
    state = play(caught(), free)
    assert (red(state).captor, RANSOM in owed(state)) == ("", False)
    assert crowns(state) == crowns(play(caught()))
    assert [event.other for event in state.happenings if event.what == "released"] == [
        "blue"
    ]
    assert red(play(caught(), free, TakeBack("blue", act=1))).captor == "blue"


@pytest.mark.parametrize(
    "act",
    [
        CaptiveAct(1, "red", "red", "w1"),
        CaptiveAct(1, "blue", "red", "w2"),
        CaptiveAct(1, "blue", "grey", "w1"),
        CaptiveAct(1, "blue", "blue", "w1"),
        CaptiveAct(1, "blue", "red", "w1", 50),
    ],
)
def test_who_is_not_held_is_not_set_free(act: CaptiveAct) -> None:
    assert why(play(caught(), act))


def test_a_captor_names_the_ransom_where_the_rules_let_it() -> None:
    rules = {"ransom": {"named": True, "least": 5}}
    low, named = (
        CaptiveAct(n, "blue", "red", "w1", price) for n, price in ((1, 4), (2, 5))
    )
    assert why(play(caught(**rules), low))
    state = play(caught(**rules), named)
    due = state.find_due("red", RANSOM)
    assert due
    assert due.choices[0] == ("pay", "5")
    paid = play(caught(**rules), named, answer(RANSOM, choice="pay"))
    assert crowns(paid) == crowns(state) - 5
    assert crowns(paid, "blue") == crowns(state, "blue") + 5


def test_who_is_refused_is_sold_and_leaves_the_gear_to_the_captor() -> None:
    log = caught(sold={"dice": "D6", "times": 5}, gear="captor")
    log = log.with_entries(answer(RANSOM, choice="refuse"))
    state = play(log)
    assert owed(state)[f"{RANSOM}/sold"] is False
    assert red(state).captor == "blue"
    sold = play(log, answer(f"{RANSOM}/sold", 4))
    assert (red(sold).gone, owed(sold).get(f"{RANSOM}/sold")) == ("refused", None)
    assert crowns(sold, "blue") == crowns(state, "blue") + 20
    assert [piece.id for piece in sold.warbands["blue"].stash] == ["bow"]


def both_caught() -> CampaignLog:
    change = one_row({"captive": True}) | {"captives": {}}
    fielded = dict.fromkeys(("red", "blue"), ("w1", "w2"))
    by_red = (ModelPutOut("w1", ("red", "w2")),)
    told = result(fielded=fielded, out={**out("w1"), "blue": by_red})
    answers = (answer("f1/injury/w1", 1, 1, side=side) for side in ("red", "blue"))
    return begin(leader(), group(), change=change).with_entries(told, *answers)


def captors(state: CampaignState) -> tuple[str, str]:
    return red(state).captor, state.warbands["blue"].warriors["w1"].captor


def test_two_captives_are_exchanged_at_once_when_both_captors_want_it() -> None:
    offer = CaptiveAct(1, "red", "blue", "w1", exchange="w1")
    accept = CaptiveAct(2, "blue", "red", "w1", exchange="w1")
    waiting = play(both_caught(), offer)
    assert captors(waiting) == ("blue", "red")
    assert RANSOM in owed(waiting)
    state = play(both_caught(), offer, accept)
    assert captors(state) == ("", "")
    assert RANSOM not in {**owed(state), **owed(state, "blue")}
    assert [event.warrior for event in state.happenings if event.what == "released"] == [
        "w1",
        "w1",
    ]
    assert captors(play(both_caught(), offer, accept, TakeBack("red", act=1))) == (
        "blue",
        "red",
    )


def test_an_exchange_needs_both_to_be_held_still() -> None:
    offer = CaptiveAct(1, "red", "blue", "w1", exchange="w1")
    accept = CaptiveAct(2, "blue", "red", "w1", exchange="w1")
    assert why(play(both_caught(), CaptiveAct(1, "red", "blue", "w1", exchange="w2")))
    freed = play(both_caught(), offer, CaptiveAct(3, "blue", "red", "w1"), accept)
    assert why(freed, 2)
    assert captors(freed) == ("", "red")
    # Of a new captivity nothing is agreed yet.
    later = result("f2", fielded={"red": ("w1",), "blue": ("w2",)}, out=out("w1"))
    again = play(
        both_caught(),
        offer,
        CaptiveAct(3, "blue", "red", "w1"),
        later,
        answer("f2/injury/w1", 1, 1),
        accept,
    )
    assert captors(again) == ("blue", "red")
