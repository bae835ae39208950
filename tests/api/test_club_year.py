"""A club's year for programs: scores, seasons and the record of a player."""

import pytest

from campaigns.models import SCORE_MAX
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    names = {"score_name": "Victory points", "player_score_name": "Painting"}
    return make_league(players=3, score_max=20, **names)


def test_scores_are_reported_read_and_given(league, caller):
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


def test_season_is_made_read_changed_and_deleted(league, caller):
    games = put_up(league, 1, [("Ada", "Ben")])
    report(league, games[0], "Ben")
    call, slug = caller(league.organiser), league.club.slug
    seasons = f"clubs/{slug}/seasons/"
    body = {"name": "2026", "place_points": [5, 3], "best": 1, "events": [league.token]}
    made = call("POST", seasons, body, 201, Idempotency_Key="k").json()
    call("POST", seasons, body, 201, Idempotency_Key="k")
    (listed,) = call("GET", seasons).json()["results"]
    assert (listed["id"], listed["counts"], listed["best"]) == (made["id"], "place", 1)
    address = f"{seasons}{made['id']}/"
    read = call("GET", address)
    assert [event["id"] for event in read.json()["events"]] == [league.token]
    assert [
        (row["place"], row["entry"]["name"], row["points"], row["results"], row["counted"])
        for row in read.json()["results"]
    ] == [(1, "Ben", 5, [5], [0]), (2, "Ada", 3, [3], [0])]
    version = read.headers["ETag"]
    changed = call("PATCH", address, {"counts": "points"}, If_Match=version).json()
    assert (changed["name"], changed["results"][0]["points"]) == ("2026", 3)
    call("PATCH", address, {"best": None}, 412, If_Match=version)
    ben = league.entry("Ben").token
    record = call("GET", f"clubs/{slug}/players/{ben}/").json()
    assert record["total"] == {"games": 1, "won": 1, "drawn": 0, "lost": 0}
    assert [row["entry"]["name"] for row in record["opponents"]] == ["Ada"]
    assert [row["event"] for row in record["events"]] == [league.token]
    call("DELETE", address, None, 204, If_Match="*")
    call("GET", address, None, 404)


def test_screen_is_turned_on_read_and_timed(league, caller):
    put_up(league, 1, [("Ada", "Ben"), ("Cleo",)])
    call, screen = caller(league.organiser), f"events/{league.token}/screen/"
    assert call("GET", screen).json()["key"] is None
    call("POST", screen, {"step": "stop"}, 409)
    key = call("POST", screen, {"step": "on"}).json()["key"]
    call("POST", screen, {"step": "start", "minutes": 601}, 400)
    call("POST", screen, {"step": "start", "minutes": 90})
    body = call("GET", screen).json()
    assert (body["key"], body["clock"]["is_running"]) == (key, True)
    assert 5_390 <= body["clock"]["left"] <= 5_400
    assert body["games"] == [
        {"table": None, "names": ["Ada", "Ben"]},
        {"table": None, "names": ["Cleo"]},
    ]
    player = caller(league.player("Ada"))
    assert player("GET", screen).json()["key"] is None
    player("POST", screen, {"step": "off"}, 403)


def test_webhook_is_set_read_without_its_address_and_removed(league, caller):
    secret = "Abc-_1234567890"
    webhook = f"https://discord.com/api/webhooks/1234567890/{secret}"
    call, discord = caller(league.organiser), f"events/{league.token}/discord/"
    assert call("GET", discord).json() == {"is_on": None, "posts": []}
    call("POST", discord, {"step": "test"}, 409)
    wrong = {"step": "set", "address": f"{webhook}/slack"}
    refused = call("POST", discord, wrong, 400)
    assert [error["field"] for error in refused.json()["errors"]] == ["address"]
    assert secret not in refused.content.decode()
    call("POST", discord, {"step": "set"}, 400)
    call("POST", discord, {"step": "read"}, 400)
    made = call("POST", discord, {"step": "set", "address": webhook})
    assert made.json() == {"is_on": True, "posts": []}
    body = call("POST", discord, {"step": "test"}).json()
    assert [(post["title"], post["status"]) for post in body["posts"]] == [
        ("Test", "waiting")
    ]
    assert secret not in str(body)
    player = caller(league.player("Ada"))
    player("GET", discord, None, 403)
    player("POST", discord, {"step": "remove"}, 403)
    assert call("POST", discord, {"step": "remove"}).json()["is_on"] is None
