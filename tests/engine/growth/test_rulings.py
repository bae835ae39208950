"""Organisers' rulings: whatever a row of a table may do befalls somebody by an act."""

import re
from itertools import chain
from typing import Any

import pytest
import yaml

from engine.growth.acts import AdjustExperienceAct, EffectAct
from engine.growth.log import CampaignLog, Founding, TakeBack
from engine.growth.state import lasting_injuries
from engine.growth.tables import RowEffect
from rulesdata.campaign_documents import packed_rules, read_effect
from rulesdata.schema.campaign_tables import EffectRecord
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import acted, answer, crowns, owed, play, red, why


def ruled(effect: dict[str, Any], *answers: Any, who: str = "w1") -> Any:
    act = EffectAct(1, "red", who, EffectRecord.model_validate(effect).build())
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


MORDHEIM = packed_rules()["mordheim-campaign"].rules
# Where organisers adjust the treasury alone.
ADJUSTED = {"An old friend"}


def rulings_of_finds() -> dict[str, list[str]]:
    return {
        row.name: re.findall("“(.+?)”", part.words)
        for table in MORDHEIM.tables.values()
        for row in table.rows
        for part in (row.effect, *row.effect.parts)
        if "organiser" in part.words
    }


def test_every_find_that_an_organiser_rules_says_how() -> None:
    finds = rulings_of_finds()
    assert len(finds) == 15
    silent = {"Sold to the arena"} | ADJUSTED
    assert {name for name, rulings in finds.items() if not rulings} == silent
    for ruling in chain.from_iterable(finds.values()):
        assert read_effect(yaml.safe_load(ruling), MORDHEIM, STATS).verb


def found(*rulings: tuple[str, str], answers: Any = ()) -> Any:
    """A campaign of Mordheim in which an organiser rules so for a unit, or the warband."""
    line = [4, 4, 4, 3, 3, 1, 4, 1, 8]
    hero = joiner("w1", line, 60, category="hero", is_leader=True, skill_lists=("speed",))
    log = CampaignLog(MORDHEIM).with_entries(Founding("red", "reiklanders", (hero,)))
    for number, (who, ruling) in enumerate(rulings, start=1):
        effect = read_effect(yaml.safe_load(ruling), MORDHEIM, STATS)
        log = log.with_entries(EffectAct(number, "red", who, effect))
    return play(log, *answers)


def test_what_lay_in_the_foul_well_is_ruled() -> None:
    shard, away = rulings_of_finds()["Foul well"]
    state = found(("", shard), ("w1", away))
    assert (state.warbands["red"].treasury["shards"], red(state).misses) == (1, (1,))


def test_a_mark_opens_lists_of_skills() -> None:
    for ruling, lists in (
        ("experience: 2", ["speed"]),
        ("mark: scholar", ["speed", "academic"]),
    ):
        told = [AdjustExperienceAct(9, "red", "w1", 2), answer("advance/w1/1", 6, 6)]
        due = found(("w1", ruling), answers=told).find_due("red", "advance/w1/1")
        skills = [key for each in lists for key in MORDHEIM.skill_lists[each]]
        assert [key for key, _ in due.choices] == skills


@pytest.mark.parametrize("effect", [{"captive": True}, {"again": 1}, {"loses": "all"}])
def test_a_ruling_that_cannot_be_is_set_aside(effect: dict[str, Any]) -> None:
    assert why(ruled(effect))
    assert why(ruled({"misses": 1}, who="w9"))
