"""Games and rounds by hand for programs: added, changed, removed, planned; whose list it is."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.owner import Owner
from campaigns.models import Fixture, Round
from tests.api.conftest import Call
from tests.campaigns.leagues import League, make_league, make_round
from tests.campaigns.results import put_up
from tests.factories import make_legal_warband, make_person

pytestmark = pytest.mark.django_db

Caller = Callable[[Owner], Call]


@pytest.fixture
def league() -> League:
    made = make_league(players=4)
    put_up(made, 1, [("Ada", "Ben")])
    return made


def fields(answer: Any) -> list[str]:
    return [one["field"] for one in answer.json()["errors"]]


def test_game_is_added_once_for_one_key(caller: Caller, league: League) -> None:
    call, address = caller(league.organiser), f"events/{league.token}/rounds/1/fixtures/"
    cleo, dora = (league.entry(name).token for name in ("Cleo", "Dora"))
    sent = {"entries": [cleo, dora], "table": 4, "scenario": "border-skirmish"}
    added = [call("POST", address, sent, 201, Idempotency_Key="k") for _ in range(2)]
    first, again = (one.json() for one in added)
    assert first == again
    assert (first["table"], first["scenario"], first["is_kept"]) == (
        4, "border-skirmish", True,
    )  # fmt: skip
    assert [one["id"] for one in first["entries"]] == [cleo, dora]
    call("POST", address, {**sent, "table": 5}, 422, Idempotency_Key="k")
    assert fields(call("POST", address, sent, 400)) == ["is_friendly"]
    friendly = call("POST", address, {"entries": [cleo, dora], "is_friendly": True}, 201)
    assert friendly.json()["is_rematch"] is False
    assert Fixture.objects.count() == 3
    caller(league.player("Cleo"))("POST", address, sent, 403)
    caller(make_person())("POST", address, sent, 404)


def test_game_is_changed_from_the_version_that_was_seen(caller, league):
    (row,) = league.fixtures(1)
    call, address = caller(league.organiser), f"fixtures/{row.token}/"
    etag = call("GET", address).headers["ETag"]
    ada = league.entry("Ada").token
    sent = {"table": 3, "attacker": ada, "plays_at": "2031-05-01T19:30:00+01:00"}
    changed = call("PATCH", address, sent, If_Match=etag)
    assert {key: changed.json()[key] for key in ("table", "attacker")} == {
        "table": 3,
        "attacker": ada,
    }
    assert changed.json()["plays_at"].startswith("2031-05-01T")
    assert changed.headers["ETag"] != etag
    call("PATCH", address, {"table": 4}, 412, If_Match=etag)
    call("PATCH", address, {"table": 4}, 428)
    assert call("PATCH", address, {}, If_Match="*").json() == changed.json()
    # Whether a published game counts is changed for a reason.
    told = call("PATCH", address, {"is_friendly": True}, 400, If_Match="*")
    assert fields(told) == ["reason"]
    why = {"is_friendly": True, "reason": "They play for fun."}
    assert call("PATCH", address, why, If_Match="*").json()["is_friendly"] is True
    assert fields(call("PATCH", address, {"entries": []}, 400, If_Match="*")) == ["entries"]
    caller(league.player("Ada"))("PATCH", address, sent, 403, If_Match="*")


def test_game_that_has_not_begun_is_removed(caller: Caller, league: League) -> None:
    (row,) = league.fixtures(1)
    call, address = caller(league.organiser), f"fixtures/{row.token}/remove/"
    etag = call("GET", f"fixtures/{row.token}/").headers["ETag"]
    assert fields(call("POST", address, {}, 400, If_Match=etag)) == ["reason"]
    why = {"reason": "They cannot meet."}
    call("POST", address, why, 428)
    call("POST", address, why, 412, If_Match='"99"')
    caller(league.player("Ada"))("POST", address, why, 403, If_Match=etag)
    call("POST", address, why, 204, If_Match=etag)
    call("POST", address, why, 404, If_Match=etag)
    assert not Fixture.objects.exists()


def test_game_with_a_battle_stays(caller: Caller, league: League) -> None:
    (row,) = league.fixtures(1)
    call, address = caller(league.organiser), f"fixtures/{row.token}/"
    sizes = {league.entry(name).token: 5 for name in ("Ada", "Ben")}
    told = call("POST", f"{address}battle/", {"sizes": {**sizes, "x": "many"}}, 400)
    assert fields(told) == ["sizes"]
    opened = call("POST", f"{address}battle/", {"sizes": sizes}).json()
    assert call("GET", address).json()["battle"] == opened["battle"]
    battle = call("GET", f"battles/{opened['battle']}/").json()
    assert [one["size"] for one in battle["sides"]] == [5, 5]
    told = call("PATCH", address, {"scenario": "border-skirmish"}, 400, If_Match="*")
    assert fields(told) == ["scenario"]


def test_round_is_removed_before_it_is_published(caller: Caller, league: League) -> None:
    call = caller(league.organiser)
    make_round(league)
    address = f"events/{league.token}/rounds/2/"
    etag = call("GET", address).headers["ETag"]
    call("DELETE", address, status=428)
    caller(league.player("Ada"))("DELETE", address, status=403, If_Match=etag)
    call("DELETE", f"events/{league.token}/rounds/1/", status=409, If_Match=etag)
    call("DELETE", address, status=204, If_Match=etag)
    assert Round.objects.count() == 1
    call("DELETE", address, status=404, If_Match="*")


def test_round_is_changed_in_what_is_named(caller: Caller, league: League) -> None:
    call, address = caller(league.organiser), f"events/{league.token}/rounds/1/"
    before = call("GET", address)
    changed = call("PATCH", address, {"points_limit": 100}, If_Match=before.headers["ETag"])
    assert changed.json() == {**before.json(), "points_limit": 100}
    call("PATCH", address, {"name": "x"}, 412, If_Match=before.headers["ETag"])
    told = call("PATCH", address, {"points_limit": -1}, 400, If_Match="*")
    assert fields(told) == ["points_limit"]
    assert fields(call("PATCH", address, {"seed": "x"}, 400, If_Match="*")) == ["seed"]


def test_schedule_of_a_round_robin_is_planned(caller: Caller, league: League) -> None:
    robin = make_league(players=4, method="robin")
    call, address = caller(robin.organiser), f"events/{robin.token}/rounds/plan/"
    planned = call("POST", address, {"seed": "a"}, If_Match="*")
    assert planned.json() == {"rounds": 3}
    assert planned.headers["ETag"] == call("GET", f"events/{robin.token}/").headers["ETag"]
    call("POST", address, {"seed": "a"}, 428)
    other = f"events/{league.token}/rounds/plan/"
    told = caller(league.organiser)("POST", other, {}, 400, If_Match="*")
    assert fields(told) == ["method"]


def test_list_is_handed_in_by_its_player_or_an_organiser(caller, league):
    make_round(league)
    address = f"events/{league.token}/rounds/2/lists/"
    ada, olga = caller(league.player("Ada")), caller(league.organiser)
    warband = make_legal_warband(actor=league.player("Ada")).token
    for sent, named in (
        ({"warband": "none"}, ["warband"]),
        ({"warband": None}, ["warband"]),
        ({}, ["warband"]),
        ({"warband": warband, "round": 1}, ["round"]),
    ):
        assert fields(ada("POST", address, sent, 400)) == named, sent
    ben = league.entry("Ben").token
    ada("POST", address, {"warband": warband, "entry": ben}, 403)
    olga("POST", address, {"warband": warband}, 403)
    told = ada("POST", address, {"warband": warband}).json()
    assert (told["entry"], told["errors"]) == (league.entry("Ada").token, 0)
    olga("GET", f"events/{league.token}/rounds/9/lists/", status=404)
    olga("GET", f"{address}{ben}/", status=404)
    olga("POST", f"{address}{ben}/open/", status=404)
    caller(make_person())("GET", address, status=404)


def test_results_of_a_round_are_taken_each_by_itself(caller, league):
    put_up(league, 1, [("Cleo", "Dora")])
    first, second = league.fixtures(1)
    address = f"events/{league.token}/rounds/1/results/"
    winner = league.entry("Ada").token
    sent = {
        "results": [
            {"fixture": first.token, "version": 1, "winner": winner},
            {"fixture": second.token, "version": 7, "how": "drawn"},
            {"fixture": "none", "version": 1},
        ]
    }
    call = caller(league.organiser)
    told, again = (call("POST", address, sent).json()["results"] for _ in "12")
    assert [row["id"] for row in told] == [first.token, second.token, "none"]
    game = told[0]["game"]
    assert (game["status"], game["winner"], game["how"]) == ("final", winner, "played")
    assert [row["refusal"] and row["refusal"]["code"] for row in told] == [
        None, "stale", "not_found",
    ]  # fmt: skip
    assert told[2]["game"] is None
    assert again == told
    caller(league.player("Ada"))("POST", address, sent, 403)
