"""The worked season: four warbands, four evenings, a correction, a void and a restore."""

from typing import Any

import pytest

from tests.engine.growth.seasons import HERE, Player, load, muster_document, told

SEASON = load(HERE / "season_public.yaml")


@pytest.fixture(scope="module")
def states() -> list[dict[str, Any]]:
    player = Player.of(SEASON, muster_document())
    return [told(player.play(item)) for item in SEASON["timeline"]]


def test_the_season_has_23_items_and_as_many_states() -> None:
    assert len(SEASON["timeline"]) == len(SEASON["expect"]) == 23


@pytest.mark.parametrize("number", range(23))
def test_each_state_is_the_one_that_was_worked_out(number, states):
    expected = SEASON["expect"][number]["state"]
    found = states[number]
    for key in ("bands", "open", "aside"):
        assert found[key] == expected[key], key
    assert len(found["notes"]) == len(expected["notes"])
    for (band, who, fixture), words in zip(found["notes"], expected["notes"], strict=True):
        assert words.startswith(f"{band}/{who} fought in {fixture}")
