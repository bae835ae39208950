"""What an army list says of its units and options, and what a campaign makes of it."""

from dataclasses import replace
from typing import Any

import pytest

from campaigns.growth.payloads import find_kind, from_payload, to_payload
from engine.growth.campaign_fold import fold
from engine.growth.log import (
    AdjustExperienceAct,
    CampaignLog,
    EnlargeAct,
    FixtureResult,
    Founding,
    LogEntry,
    RecruitAct,
    SearchAct,
)
from engine.growth.state import CampaignFacts, CampaignState, roster_growth
from engine.growth.warriors import Joiner
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    LINE,
    begin,
    crowns,
    group,
    leader,
    owed,
    play,
    red,
    result,
    why,
)


def searched(*faces: int, rarity: int = 8, **others: Any) -> CampaignState:
    told = {"item": "lamp", "bearer": "w1", "seeker": "w1", "price": 9, **others}
    return play(begin(), SearchAct(1, "red", faces=faces, rarity=rarity, **told))


@pytest.mark.parametrize("faces, is_found", [((4, 3), False), ((4, 4), True)])
def test_what_a_list_calls_rare_is_found_by_so_high_a_roll(
    faces: tuple[int, int], is_found: bool
) -> None:
    state = searched(*faces)
    assert (state.acts[1].is_found, state.acts[1].paid) == (
        is_found,
        9 if is_found else None,
    )
    assert [piece.id for piece in red(state).gear] == ["lamp"] * is_found


def test_a_search_for_what_nobody_sells_does_not_count() -> None:
    assert why(searched(6, 6, rarity=0)) == "Nobody sells it by then."
    assert why(searched(6, 6, price=None)) == "Nobody sells it by then."


def recruited(*faces: int, seeker: str = "w1", **others: Any) -> CampaignState:
    joins = joiner("w3", LINE, 12, category="hero", **others)
    act = RecruitAct(1, "red", joins, rarity=7, seeker=seeker, faces=faces)
    return play(begin(), act)


def test_a_rare_unit_joins_where_the_roll_finds_it() -> None:
    found = recruited(3, 4)
    assert (found.acts[1].paid, red(found, "w3").count) == (12, 1)
    missed = recruited(3, 3)
    assert (missed.acts[1].paid, missed.acts[1].is_found) == (None, False)
    assert "w3" not in missed.warbands["red"].warriors
    assert crowns(missed) == crowns(found) + 12
    assert "w9" in why(recruited(6, 6, seeker="w9"))


def test_experience_at_founding_counts_and_its_steps_have_passed() -> None:
    state = fold(begin(leader(experience=12), group()))
    assert (red(state).experience, red(state).passed) == (12, 2)
    assert not [key for key in owed(state) if key.startswith("advance")]
    # A hero's steps are at 4, 8 and 13.
    after = play(
        begin(leader(experience=12), group()), AdjustExperienceAct(1, "red", "w1", 1)
    )
    assert [key for key in owed(after) if key.startswith("advance")] == ["advance/w1/3"]


def test_models_of_a_group_pay_for_what_it_learned_alone() -> None:
    def enlarged(learned: int) -> int | None:
        log = begin(leader(), group(experience=3))
        acts: list[LogEntry] = [EnlargeAct(1, "red", "w2", 2)]
        if learned:
            acts = [AdjustExperienceAct(2, "red", "w2", learned), *acts]
        return play(log, *acts).acts[1].paid

    assert (enlarged(0), enlarged(2)) == (12, 16)


@pytest.mark.parametrize("headings", [("Heroes",), ("Hero", "HERO")])
def test_a_heading_of_a_list_matches_a_category_of_the_rules(
    headings: tuple[str, ...],
) -> None:
    match = {"categories": ["hero", "heroes"]}
    change = {
        "kinds": [
            {**one, **({"match": match} if one["id"] == "hero" else {})}
            for one in DOCUMENT["kinds"]
        ]
    }
    joins = joiner("w1", LINE, 9, category="bosses", headings=headings)
    assert red(fold(begin(joins, change=change))).kind == "hero"
    plain = joiner("w1", LINE, 9, category="bosses", headings=("Bosses",))
    assert red(fold(begin(plain, change=change))).kind == "soldier"


def sword(**others: Any) -> Joiner:
    return joiner("w3", LINE, 9, is_hired=True, upkeep=4, **others)


def fought(log: CampaignLog, *who: str) -> CampaignState:
    told: FixtureResult = result(fielded={"red": who, "blue": ("w1",)})
    return play(log, told)


def test_a_hired_sword_costs_upkeep_also_where_nobody_else_does() -> None:
    log = begin(leader(), sword())
    log = replace(log, rules=replace(log.rules, upkeep=None))
    assert red(fold(log), "w3").kind == "hired"
    with_it, without = fought(log, "w1", "w3"), fought(log, "w1")
    assert crowns(without) - crowns(with_it) == 4


def test_a_hired_sword_is_no_recruit_of_the_limit() -> None:
    log = begin().with_entries(
        RecruitAct(1, "red", sword()),
        RecruitAct(2, "red", joiner("w4", LINE, 5, category="core", count=3)),
        RecruitAct(3, "red", joiner("w5", LINE, 5), rarity=7, seeker="w1", faces=(1, 2)),
    )
    state = fold(log)
    facts = CampaignFacts("Season", log.rules, log, state, {}, {})
    head = roster_growth(facts, state.warbands["red"])
    assert (head.recruits, [one.key for one in head.hired]) == (3, ["someone"])


@pytest.mark.parametrize(
    "entry",
    [
        RecruitAct(1, "red", sword(experience=3, headings=("Hero",)), 9, 7, "w1", (3, 4)),
        SearchAct(1, "red", "lamp", "w1", "w1", (3, 4), 9, rarity=8),
        Founding("red", "own-x", (leader(experience=12),)),
    ],
)
def test_a_row_of_the_log_keeps_it(entry: LogEntry) -> None:
    assert from_payload(find_kind(entry), to_payload(entry)) == entry
