"""The engine against a second fold that shares nothing with it, over seasons by chance."""

import copy

import pytest

from engine.growth.state import CampaignState
from tests.engine.growth import naive
from tests.engine.growth.random_seasons import Item, SeasonMaker, rows
from tests.engine.growth.seasons import HERE, Player, load, muster_document, told

ITEMS = 24
LASTING: list[Item] = [{"lower": "WS"}, {"old_wound": {"dice": "D6", "at_most": 1}}]
"""Effects that stay with a warrior; seasons by chance meet each of them seldom."""


def test_the_naive_fold_gives_the_worked_season() -> None:
    season = load(HERE / "season_public.yaml")
    player = Player.of(season, muster_document())
    for number, item in enumerate(season["timeline"]):
        expected = told(player.play(item))
        if "battle" in item:
            item["fought"] = player.items[item["battle"]]["fought"]
        assert naive.state_after(muster_document(), season, number + 1) == expected


def test_random_seasons_come_to_the_same_in_both_folds(soak):
    for seed in range(soak(4, 200)):
        play_both(seed, muster_document())


@pytest.mark.parametrize("effect", LASTING)
def test_lasting_injury_comes_to_the_same_in_both_folds(effect: Item) -> None:
    document = muster_document()
    document["tables"]["hero-injury"]["rows"] = rows((2, 12, effect))
    state = play_both(0, document)
    assert effect.keys() <= {row.effect.verb for row in state.rolled.values()}


def play_both(seed: int, document: Item) -> CampaignState:
    """Play a season, compare after each of its items, and return the engine's last state."""
    maker = SeasonMaker(seed)
    player = Player.of(copy.deepcopy(maker.season), document)
    state = naive.state_after(document, maker.season, 0)
    for number in range(1, ITEMS + 1):
        item = maker.next_item(state)
        found = told(player.play(copy.deepcopy(item)))
        state = naive.state_after(document, maker.season, number)
        assert found == state, f"seed {seed}, item {number}: {item}"
    return player.state
