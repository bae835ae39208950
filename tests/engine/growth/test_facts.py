"""What a roster shows of its campaign."""

from dataclasses import replace
from typing import Any

import pytest

from engine.growth.acts import (
    AdjustExperienceAct,
    BuyAct,
    DismissAct,
    EnlargeAct,
    RecruitAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.log import CampaignLog, FixtureResult, LogEntry, TakeBack
from engine.growth.state import (
    CampaignFacts,
    entry_growth,
    lasting_injuries,
    piece_name,
    roster_growth,
)
from engine.growth.tables import RolledRow, RowEffect
from engine.growth.warriors import STASH, GearPiece
from engine.roster import EntryGrowth, RosterGrowth, absence_words
from engine.types.lists import Army
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import (
    LINE,
    answer,
    begin,
    group,
    leader,
    one_row,
    out,
    result,
)

WOUND = RowEffect("old_wound", dice="D6", number=1)
ALONE = {"red": ("w1",), "blue": ("w1", "w2")}


def facts_of(log: CampaignLog, *entries: LogEntry) -> CampaignFacts:
    log = log.with_entries(*entries)
    return CampaignFacts("River War", log.rules, log, fold(log), {"blue": "The Blues"}, {})


def head(log: CampaignLog, *entries: LogEntry, side: str = "red") -> RosterGrowth:
    facts = facts_of(log, *entries)
    return roster_growth(facts, facts.state.warbands[side])


def entry(
    log: CampaignLog, *entries: LogEntry, side: str = "red", key: str = "w1"
) -> EntryGrowth:
    facts = facts_of(log, *entries)
    return entry_growth(facts, facts.state.warbands[side], key)


def hurt(effect: dict[str, Any], side: str = "red", key: str = "w1") -> EntryGrowth:
    """Red's leader was put out, and this is the row that was rolled."""
    log = begin(leader(), group(), change=one_row(effect))
    told = result(out=out("w1"), fielded=ALONE)
    return entry(log, told, answer("f1/injury/w1", 1, 1), side=side, key=key)


def test_what_lowers_a_warrior_for_good_is_named() -> None:
    lamed = hurt({"lower": "M"})
    assert lamed.injuries == ("So it is",)
    assert [(one.stat, one.base, one.now) for one in lamed.changed] == [("M", 4, 3)]
    wound = {"old_wound": {"dice": "D6", "at_most": 2}}
    assert hurt(wound).injuries == ("So it is (misses a battle on a D6 of 2 or less)",)


def test_injuries_are_those_of_one_warrior_of_one_warband() -> None:
    assert hurt({"lower": "M"}, side="blue").injuries == ()
    assert hurt({"lower": "M"}, key="w2").injuries == ()


def test_what_passes_is_no_lasting_injury() -> None:
    missing = hurt({"misses": 1})
    assert (missing.injuries, missing.misses) == ((), (1,))
    assert hurt({"experience": 2}).injuries == ()


@pytest.mark.parametrize(
    "captor, misses, words",
    [
        ("", (), ""),
        ("", (1,), "Misses the next battle"),
        ("", (2,), "Misses the next 2 battles"),
        ("", (1, 1), "2 models miss the next battle"),
        ("", (2, 2), "2 models miss the next 2 battles"),
        ("", (1, 2, 1), "3 models miss up to the next 2 battles"),
        ("The Blues", (2,), "Held by The Blues"),
    ],
)
def test_why_somebody_is_away(captor: str, misses: tuple[int, ...], words: str) -> None:
    assert (
        EntryGrowth(captor=captor, misses=misses).describe_absence(max(1, len(misses)))
        == words
    )


def test_one_model_of_a_group_misses_alone() -> None:
    assert absence_words("", (1,), 4) == "1 model misses the next battle"


def test_a_captive_counts_among_the_models_of_its_warband() -> None:
    """Design of growth: in no rating and no upkeep, but towards the most."""

    def models(effect: dict[str, Any]) -> int:
        log = begin(leader(), group(), change=one_row(effect))
        told = result(out=out("w1"), fielded=ALONE)
        facts = facts_of(log, told, answer("f1/injury/w1", 1, 1))
        return facts.state.warbands["red"].models

    everybody = models({"experience": 1})
    assert models({"captive": True}) == everybody
    assert models({"gone": True}) == everybody - 1


def test_a_captive_names_its_captor() -> None:
    assert hurt({"captive": True}).captor == "The Blues"
    assert hurt({"captive": True}, key="w2").captor == ""


def test_recruits_are_counted_since_the_last_battle() -> None:
    new = joiner("w7", LINE, 5, category="core", count=3)
    joined = [RecruitAct(1, "red", new), EnlargeAct(2, "red", "w2", 2)]
    assert head(begin(), *joined).recruits == 5
    assert head(begin(), *joined, side="blue").recruits == 0
    assert head(begin(), *joined, result()).recruits == 0
    assert head(begin(), result(), *joined).recruits == 5


def test_recruits_taken_back_or_set_aside_are_not_counted() -> None:
    joined = EnlargeAct(1, "red", "w2", 2)
    assert head(begin(), joined, TakeBack("red", act=1)).recruits == 0
    # w9 is not in the warband.
    assert head(begin(), joined, EnlargeAct(2, "red", "w9", 1)).recruits == 2


def test_a_warband_whose_leader_is_gone_has_none() -> None:
    log = begin(leader(), group(), change=one_row({"gone": True}))
    fallen = (result(out=out("w1"), fielded=ALONE), answer("f1/injury/w1", 1, 1))
    assert head(log).has_leader
    assert not head(log, *fallen).has_leader


def test_pieces_are_named_by_the_rules_or_their_key() -> None:
    bought = [
        BuyAct(1, "red", "long-glass", STASH, 15),
        BuyAct(2, "red", "great-weapon", STASH, 4),
        BuyAct(3, "red", "physick", "w1", 5),
    ]
    stash = head(begin(), *bought).stash
    assert stash[-1] == "great weapon"
    goods = begin().rules.trade.goods
    assert entry(begin(), *bought).goods == (
        (goods["physick"].name, goods["physick"].words),
    )


def test_a_hired_sword_is_listed_once_with_its_arms_of_now() -> None:
    sword = joiner("pikeman", LINE, 20, is_hired=True, gear=(GearPiece("pike", 0),))
    hired = [RecruitAct(1, "red", sword), RecruitAct(2, "red", sword)]
    [unit] = head(begin(), *hired).hired
    assert (unit.key, unit.points) == ("someone", 20)


def test_an_old_wound_names_its_roll_and_other_hurts_do_not() -> None:
    wound = {"old_wound": {"dice": "D6", "at_most": 2}}
    assert hurt(wound).old_wound == "D6 of 2 or less"
    assert hurt(wound, key="w2").old_wound == ""
    assert hurt({"lower": "M"}).old_wound == ""


def test_kinds_with_a_limit_are_named_with_it() -> None:
    limits = dict(head(begin()).kinds_most)
    assert limits == {"Hero": 5, "Hired sword": 2, "Creature": 2}


def test_dues_are_those_still_open_of_one_warband() -> None:
    log = begin(leader(), group(), change=one_row({"lower": "M"}))
    told = result(out=out("w1"), fielded=ALONE)
    owed = head(log, told).dues
    assert head(log).dues == 0
    assert head(log, told, answer("f1/injury/w1", 1, 1)).dues == owed - 1
    # Red rolls for its injury and its income, blue for its income alone.
    assert (owed, head(log, told, side="blue").dues) == (2, 1)


def test_answers_and_acts_set_aside_are_counted_where_they_were_made() -> None:
    nobody = EnlargeAct(1, "red", "w9", 1)
    unasked = answer("f9/income", 3)
    assert head(begin()).aside == 0
    assert head(begin(), nobody).aside == 1
    assert head(begin(), unasked).aside == 1
    assert head(begin(), nobody, unasked).aside == 2
    assert head(begin(), nobody, unasked, side="blue").aside == 0
    assert head(begin(), nobody, TakeBack("red", act=1)).aside == 0


def test_the_head_names_the_campaign_and_what_its_warband_holds() -> None:
    log = begin()
    facts = facts_of(log)
    grown = replace(
        facts.state.warbands["red"],
        treasury={"crowns": 7},
        stash=(GearPiece("axe", 3),),
        territories=("The Mill",),
    )
    told = roster_growth(facts, grown)
    assert (told.campaign, told.rules, told.rating) == (
        "River War",
        log.rules.name,
        grown.rating,
    )
    # A treasury that lacks a currency holds none of it.
    assert told.treasury == (("crowns", 7), ("renown", 0))
    assert (told.stash, told.territories) == (("axe",), ("The Mill",))
    assert (told.models_most, told.recruits_most) == (15, 3)


def test_the_most_models_go_by_army_and_race() -> None:
    others = [{"races": ["ratman"], "models": 20}, {"armies": ["skaven"], "models": 12}]
    change = {"limits": {"kinds": ["hero", "soldier"], "for": others}}
    ratman = joiner("w3", LINE, 9, race="ratman")
    log = begin(leader(), ratman, change=change)
    assert (head(log).models_most, head(log).models_of) == (20, ("Hero", "Soldier"))
    assert head(log, side="blue").models_most == 12
    # A hired sword changes no warband's race.
    hired = begin(leader(), replace(ratman, is_hired=True), change=change)
    assert head(hired).models_most == 15


def test_an_entry_tells_its_kind_its_experience_and_its_steps() -> None:
    told = entry(begin(), AdjustExperienceAct(1, "red", "w1", 3))
    assert (told.kind, told.experience) == ("Hero", 3)
    assert told.steps == begin().rules.kinds["hero"].steps
    assert (told.next_step, replace(told, experience=60).next_step) == (4, None)
    assert entry(begin(), key="w2").kind == "Soldier"


@pytest.mark.parametrize("experience, step", [(0, 4), (3, 4), (4, 9), (9, None)])
def test_the_next_step_is_the_first_that_is_not_reached(
    experience: int, step: int | None
) -> None:
    assert EntryGrowth(experience=experience, steps=(4, 9)).next_step == step


def test_a_piece_of_the_army_list_is_named_as_its_option(empire: Army) -> None:
    rules = begin().rules
    glass = rules.trade.goods["long-glass"].name
    assert piece_name("long-glass", rules, empire) == glass
    assert piece_name("great-weapon", rules, empire) == "Great Weapon"
    # A champion's options are among them.
    assert piece_name("hochland-long-rifle", rules, empire) == "Hochland Long Rifle"
    for army in (empire, None):
        assert piece_name("a-silver-key", rules, army) == "a silver key"


def test_hired_swords_are_no_recruits_and_a_search_in_vain_brings_nobody() -> None:
    sword = joiner("w8", LINE, 20, is_hired=True, count=2)
    assert head(begin(), RecruitAct(1, "red", sword)).recruits == 0
    rare = joiner("w9", LINE, 5, category="core", count=2)
    for faces, recruits in (((1, 1), 0), ((6, 6), 2)):
        act = RecruitAct(1, "red", rare, rarity=9, seeker="w1", faces=faces)
        assert head(begin(), act).recruits == recruits


def test_whoever_joined_before_another_warbands_battle_still_counts() -> None:
    act = EnlargeAct(1, "red", "w2", 2)
    elsewhere = FixtureResult("f9", ("blue", "green"), status="void")
    assert head(begin(), act, elsewhere).recruits == 2


def test_hired_swords_that_are_gone_are_listed_no_more() -> None:
    sword = joiner("w3", LINE, 20, is_hired=True)
    act = RecruitAct(1, "red", sword)
    assert [unit.key for unit in head(begin(), act).hired] == ["someone"]
    assert head(begin(), act, DismissAct(2, "red", "w3")).hired == ()


def test_a_hired_sword_of_the_rules_has_their_name_and_arms() -> None:
    [pikeman, *_] = begin().rules.hired
    sword = replace(joiner("w3", LINE, 20, is_hired=True), profile=pikeman.id, name="Old")
    [unit] = head(begin(), RecruitAct(1, "red", sword)).hired
    assert (unit.name, unit.gear, unit.points) == (pikeman.name, pikeman.gear, 20)
    assert dict(unit.stats) == dict(sword.stats)
    [other] = head(begin(), RecruitAct(1, "red", replace(sword, profile="x"))).hired
    assert (other.name, other.gear) == ("Old", ())


def test_of_two_old_wounds_the_first_is_rolled_for() -> None:
    log = begin(
        leader(), group(), change=one_row({"old_wound": {"dice": "D6", "at_most": 2}})
    )
    facts = facts_of(
        log, result(out=out("w1"), fielded=ALONE), answer("f1/injury/w1", 1, 1)
    )
    grown = facts.state.warbands["red"]
    hurt_twice = replace(
        grown.warriors["w1"],
        marks=(
            RowEffect("old_wound", dice="D6", number=1),
            RowEffect("old_wound", dice="D10", number=3),
        ),
    )
    both = replace(grown, warriors={**grown.warriors, "w1": hurt_twice})
    assert entry_growth(facts, both, "w1").old_wound == "D6 of 1 or less"


def test_lasting_injuries_are_found_by_the_keys_of_their_dues() -> None:
    lamed = RolledRow(1, 1, "Lamed", RowEffect("lower", "M"))
    scarred = RolledRow(2, 2, "Scarred", RowEffect("old_wound", number=1, dice="D6"))
    rested = RolledRow(3, 3, "Rested", RowEffect("misses", number=1))
    rolled = {
        ("red", "f1/injury/w1"): lamed,
        ("red", "f1/injury/w1/lasting"): scarred,
        ("red", "f2/injury/w1"): rested,
        ("red", "f1/injury/w2#3"): scarred,
        ("red", "f1/roll/find/w1"): lamed,
        ("red", "advance/w1/1"): lamed,
        ("blue", "f1/injury/w2"): lamed,
    }
    state = replace(facts_of(begin()).state, rolled=rolled)

    def found(warband: str, key: str) -> list[RolledRow]:
        return list(lasting_injuries(state, warband, key))

    # Those of the tables below count too, and of a group those of its models.
    assert found("red", "w1") == [lamed, scarred]
    assert found("red", "w2") == [scarred]
    assert found("blue", "w2") == [lamed]
    assert found("blue", "w1") == found("red", "w3") == []
