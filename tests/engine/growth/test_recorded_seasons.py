"""What seasons made up at random come to stays: every due, payment, lesson and happening of them.

A change that is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/engine/growth/test_recorded_seasons.py
"""

from typing import Any

import pytest

from engine.growth.state import CampaignState
from tests.engine.growth.random_seasons import SeasonMaker
from tests.engine.growth.seasons import Player, muster_document, told
from tests.vectors.recorded import as_line, check_recorded

SEEDS, ITEMS = 4, 24
# What is told of a state besides its warbands.
LISTS = ("open", "notes", "moves", "battles", "happenings")


def season(seed: int) -> CampaignState:
    maker = SeasonMaker(seed)
    player = Player.of(maker.season, muster_document())
    for _ in range(ITEMS):
        player.play(maker.next_item(told(player.state)))
    return player.state


def whole(state: CampaignState) -> dict[str, Any]:
    return {
        **{name: [as_line(one) for one in getattr(state, name)] for name in LISTS},
        "answers": {" ".join(key): what for key, what in state.answers.items()},
        "acts": [as_line(act) for act in state.acts.values()],
        "rolled": {" ".join(key): as_line(row) for key, row in state.rolled.items()},
        "warriors": {
            f"{key} {one.key}": as_line(one)
            for key, warband in state.warbands.items()
            for one in (*warband.warriors.values(), *warband.former)
        },
    }


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_season_made_up_comes_to_what_is_recorded(seed: int) -> None:
    check_recorded("seasons.json", whole(season(seed)), part=str(seed))
