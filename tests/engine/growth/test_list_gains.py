"""What an army list says of its units and options, and what a campaign makes of it."""

from typing import Any

import pytest

from campaigns.growth.payloads import find_kind, from_payload, to_payload
from engine.growth.acts import AdjustExperienceAct, RecruitAct, SearchAct
from engine.growth.campaign_fold import fold
from engine.growth.log import Founding, LogEntry
from engine.growth.state import CampaignState
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
