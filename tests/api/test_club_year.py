"""A club's year for programs: scores."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.owner import Owner
from campaigns.models import SCORE_MAX
from tests.api.conftest import Call
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    names = {"score_name": "Victory points", "player_score_name": "Painting"}
    return make_league(players=3, score_max=20, **names)


def test_scores_are_reported_read_and_given(
    league: League, caller: Callable[[Owner], Call]
) -> None:
    (game,) = put_up(league, 1, [("Ada", "Ben", "Cleo")])
    ada, call = league.entry("Ada").token, caller(league.organiser)
    result, figures = f"fixtures/{game.token}/result/", {ada: {"score": 21, "out": 2}}
    body = {"winner": ada, "figures": figures}
    refused = call("POST", result, body, 400, If_Match="*").json()
    assert refused["errors"][0]["message"].endswith("a whole number from 0 to 20.")
    figures[ada]["score"] = 20
    call("POST", result, body, If_Match="*")
    read = call("GET", f"fixtures/{game.token}/").json()["figures"]
    assert read[ada] == {"out": 2, "destroyed": 0, "score": 20}
    assert [row["score"] for row in read.values()] == [20, None, None]
    entry = f"events/{league.token}/entries/{ada}/"
    assert call("PATCH", entry, {"player_score": 9}).json()["player_score"] == 9
    refused = call("PATCH", entry, {"player_score": SCORE_MAX + 1}, 400).json()
    assert refused["errors"][0]["field"] == "player_score"
    table = call("GET", f"events/{league.token}/standings/").json()["results"]
    scores = [(row["score"], row["player_score"]) for row in table]
    assert scores == [(20, 9), (0, None), (0, None)]
