"""The bound on snowballing: in nine of ten seasons the best rating is at most 1.65 times the worst."""

import random

import pytest

from engine.growth.campaign_fold import fold
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import Table, begun, ratings
from tests.engine.growth.seasons import muster_document

BOUND = 1.65
ROUNDS, WARBANDS, SEASONS = 10, 8, 40
RULES = read_rules(muster_document())


def spread_of(seed: int, rounds: int) -> float:
    """How far the best warband of a season is above the worst."""
    table = Table(random.Random(seed), begun(RULES, WARBANDS))
    for _ in range(rounds):
        table.play_round()
    state = fold(table.log)
    assert not state.open
    assert not state.superseded_acts
    found = ratings(state).values()
    return max(found) / min(found)


@pytest.mark.soak
def test_in_nine_of_ten_seasons_the_best_stays_near_the_worst() -> None:
    spreads = sorted(spread_of(seed, ROUNDS) for seed in range(SEASONS))
    assert spreads[int(0.9 * SEASONS)] <= BOUND, spreads
    assert spreads[SEASONS // 2] <= 1.4, spreads


def test_a_short_season_can_be_played() -> None:
    assert 1 <= spread_of(1, 2) <= BOUND
