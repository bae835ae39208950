"""Organisers' rulings: whatever a row of a table may do befalls somebody by an act."""

from typing import Any

import pytest

from engine.growth.log import EffectAct, TakeBack
from engine.growth.state import lasting_injuries
from engine.growth.tables import RowEffect
from rulesdata.schema.campaign_tables import EffectRecord
from tests.engine.growth.two_warbands import acted, answer, crowns, owed, red, why


def ruled(effect: dict[str, Any], *answers: Any, who: str = "w1") -> Any:
    act = EffectAct(1, "red", who, EffectRecord.model_validate(effect).to_rule())
    return acted(act, *answers)


def test_a_ruling_does_what_a_row_would() -> None:
    assert dict(red(ruled({"raise": ["S"]})).gains) == {"S": 1}
    wound = {"old_wound": {"dice": "D6", "at_most": 1}}
    state = ruled(wound)
    assert [mark.verb for mark in red(state).marks] == ["old_wound"]
    assert [row.effect for row in lasting_injuries(state, "red", "w1")] == [
        RowEffect("old_wound", number=1, dice="D6")
    ]
    assert red(ruled({"promote": "hero"}, who="w2"), "w2.1").kind == "hero"
    assert red(ruled({"gone": True})).gone == "gone"
    paid = ruled({"gain": {"currency": "crowns", "amount": 5}}, who="")
    assert crowns(paid) == crowns(acted()) + 5
    [piece] = ruled({"item": "physick"}, who="").warbands["red"].stash
    assert piece.id == "physick"


def test_a_ruling_asks_for_its_dice_and_choices_once() -> None:
    state = ruled({"misses": "D3"})
    assert (owed(state), red(state).misses) == ({"ruling/1/w1/misses": False}, ())
    assert red(ruled({"misses": "D3"}, answer("ruling/1/w1/misses", 2))).misses == (2,)
    choosing = {"raise": ["S", "T"]}
    state = ruled(choosing)
    assert owed(state) == {"ruling/1/w1": False}
    chosen = answer("ruling/1/w1", choice="T")
    assert dict(red(ruled(choosing, chosen)).gains) == {"T": 1}
    assert owed(ruled(choosing, answer("ruling/1/w1", choice="Ld"))) == {
        "ruling/1/w1": True
    }
    back = ruled(choosing, chosen, TakeBack("red", "ruling/1/w1"))
    assert (owed(back), dict(red(back).gains)) == ({"ruling/1/w1": False}, {})
    taken_back = ruled(choosing, chosen, TakeBack("red", act=1))
    assert (owed(taken_back), dict(red(taken_back).gains)) == ({}, {})


@pytest.mark.parametrize("effect", [{"captive": True}, {"again": 1}, {"loses": "all"}])
def test_a_ruling_that_cannot_be_is_set_aside(effect: dict[str, Any]) -> None:
    assert why(ruled(effect))
    assert why(ruled({"misses": 1}, who="w9"))
