"""Entries, swaps, who is here and who won, for programs: what is refused, and to whom."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.owner import Owner
from campaigns.models import ENTRIES_MAX, Presence
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import close_round
from tests.api.conftest import Call
from tests.campaigns.leagues import League, make_league, make_night, make_round
from tests.campaigns.results import agree, put_up, report
from tests.factories import make_person

pytestmark = pytest.mark.django_db

Caller = Callable[[Owner], Call]


@pytest.fixture
def league() -> League:
    made = make_league(players=4)
    put_up(made, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    return made


def fields(answer: Any) -> list[str]:
    return [one["field"] for one in answer.json()["errors"]]


# Entries


def test_entry_is_withdrawn_and_taken_back_as_often_as_asked(caller, league):
    entry = league.entry("Ada")
    address = f"events/{league.token}/entries/{entry.token}/"
    ada, olga = caller(league.player("Ada")), caller(league.organiser)
    assert ada("GET", address).json()["is_dropped"] is False
    for call in (ada, olga):
        told = call("POST", f"{address}withdraw/", {})
        assert (told.json()["is_dropped"], told.json()["dropped"]) == (True, 2)
    version = olga("GET", f"events/{league.token}/").headers["ETag"]
    assert told.headers["ETag"] == version
    for call in (olga, ada):
        assert call("POST", f"{address}rejoin/", {}).json()["is_dropped"] is False


def test_event_is_copied_once_for_each_key(caller: Caller, league: League) -> None:
    olga, address = caller(league.organiser), f"events/{league.token}/copy/"
    body = {"name": "Again", "starts_at": "2027-05-01T10:00:00+01:00", "players": True}
    answer = olga("POST", address, body, 201, Idempotency_Key="k").json()
    assert (answer["name"], answer["starts_at"]) == ("Again", "2027-05-01T09:00:00Z")
    again = olga("POST", address, body, 201, Idempotency_Key="k").json()
    assert again["id"] == answer["id"] != league.token
    entries = olga("GET", f"events/{answer['id']}/entries/").json()["results"]
    assert [entry["name"] for entry in entries] == ["Ada", "Ben", "Cleo", "Dora"]
    assert fields(olga("POST", address, {"name": "…"}, 400)) == ["name"]
    caller(league.player("Ada"))("POST", address, body, 403)


def test_entry_of_somebody_else_stays(caller: Caller, league: League) -> None:
    address = f"events/{league.token}/entries/{league.entry('Ada').token}/"
    caller(league.player("Ben"))("POST", f"{address}withdraw/", {}, 403)
    caller(make_person())("POST", f"{address}withdraw/", {}, 404)
    caller(make_person())("GET", address, status=404)
    olga = caller(league.organiser)
    olga("POST", f"{address}leave/", {}, 404)
    olga("POST", f"events/{league.token}/entries/AAAAAAAAAAAAAAAA/withdraw/", {}, 404)
    olga("GET", f"events/{league.token}/entries/x/", status=404)
    assert league.entry("Ada").dropped is None


def test_nobody_is_taken_back_into_what_is_over(caller: Caller, league: League) -> None:
    address = f"events/{league.token}/entries/{league.entry('Ada').token}/"
    olga = caller(league.organiser)
    olga("POST", f"{address}withdraw/", {})
    league.event.status = "finished"
    league.event.save()
    olga("POST", f"{address}rejoin/", {}, 409)


# Who is here


@pytest.fixture
def night() -> League:
    made = make_night(players=4)
    make_round(made)
    return made


def test_draw_takes_who_is_here_and_nobody_else(caller: Caller, night: League) -> None:
    call, step = caller(night.organiser), f"events/{night.token}/rounds/1/draw/"
    here = [night.entry(name).token for name in ("Ada", "Ben", "Ada")]
    drawn = call("POST", step, {"present": here}, If_Match="*").json()
    (fixture,) = drawn["fixtures"]
    assert {one["name"] for one in fixture["entries"]} == {"Ada", "Ben"}
    assert dict(Presence.objects.values_list("entry__name", "is_here")) == {
        "Ada": True,
        "Ben": True,
        "Cleo": False,
        "Dora": False,
    }
    # Without it the ticks stay.
    again = call("POST", step, {"seed": drawn["seed"]}, If_Match="*").json()
    assert [one["entries"] for one in again["fixtures"]] == [fixture["entries"]]


@pytest.mark.parametrize(
    "present", [["nobody"], [""], "Ada", [1], None, ["x"] * (ENTRIES_MAX + 1), []]
)
def test_draw_refuses_who_is_not_in_it(caller: Caller, night: League, present: Any) -> None:
    call, step = caller(night.organiser), f"events/{night.token}/rounds/1/draw/"
    told = call("POST", step, {"present": present}, 400, If_Match="*")
    # Nobody at all is too few to pair.
    assert fields(told) == (["entries"] if present == [] else ["present"])
    assert not Presence.objects.exists()


def test_who_dropped_out_is_not_here(caller: Caller, night: League) -> None:
    call, ada = caller(night.organiser), night.entry("Ada").token
    call("POST", f"events/{night.token}/entries/{ada}/withdraw/", {})
    step = f"events/{night.token}/rounds/1/draw/"
    told = call("POST", step, {"present": [ada]}, 400, If_Match="*")
    assert fields(told) == ["present"]
    assert "Ada dropped out" in told.json()["detail"]


def test_who_is_here_is_an_organisers_to_say(caller: Caller, night: League) -> None:
    step = f"events/{night.token}/rounds/1/draw/"
    sent = {"present": [one.token for one in night.entries]}
    caller(night.player("Ada"))("POST", step, sent, 403, If_Match="*")
    caller(make_person())("POST", step, sent, 404, If_Match="*")
    caller(night.organiser)("POST", step, sent, 428)
    other = f"events/{night.token}/rounds/1/publish/"
    caller(night.organiser)("POST", other, sent, 400, If_Match="*")
    assert not Presence.objects.exists()


# Swaps


def test_swap_is_told_before_and_made_once(caller: Caller, league: League) -> None:
    (one, _) = put_up_names(league)
    call, address = caller(league.organiser), f"fixtures/{one}/"
    sent = {
        "one": league.entry("Ben").token,
        "other": league.entry("Cleo").token,
        "reason": "They share a car.",
    }
    etag = call("GET", address).headers["ETag"]
    before = call("POST", f"{address}swap/?preview=1", sent, If_Match=etag)
    assert before.headers["ETag"] == etag
    assert before.json()["after"] == ["Ada against Cleo", "Ben against Dora"]
    done = call("POST", f"{address}swap/", sent, If_Match=etag)
    assert done.json() == {**before.json(), "preview": False}
    assert call("GET", address).headers["ETag"] == done.headers["ETag"] != etag
    told = call("POST", f"{address}swap/", sent, 400, If_Match="*")
    assert fields(told) == ["one"]


def put_up_names(league: League) -> list[str]:
    """The fixtures of the first round, by who is in them."""
    rows = league.round(1).fixtures.order_by("position")
    return [one.token for one in rows]


def test_swap_is_refused_by_field(caller: Caller, league: League) -> None:
    address = f"fixtures/{put_up_names(league)[0]}/swap/"
    ada, ben, cleo = (league.entry(name).token for name in ("Ada", "Ben", "Cleo"))
    call = caller(league.organiser)
    why = {"reason": "A car."}
    for sent, named in (
        ({"one": ada, "other": ben, **why}, ["other"]),
        ({"one": cleo, "other": ada, **why}, ["one"]),
        ({"one": ada, "other": cleo}, ["reason"]),
        ({"one": ada, "other": cleo, "reason": "x" * 1000}, ["reason"]),
        ({"one": ada}, ["other"]),
        ({"one": ada, "other": None}, ["other"]),
        ({"one": ada, "other": cleo, "third": ben}, ["third"]),
    ):
        assert fields(call("POST", address, sent, 400, If_Match="*")) == named, sent
    sent = {"one": ada, "other": cleo, **why}
    call("POST", address, {**sent, "other": "nobody"}, 404, If_Match="*")
    call("POST", address, sent, 428)
    call("POST", address, sent, 412, If_Match='"99"')
    call("POST", f"{address}?preview=yes", sent, 400, If_Match="*")
    caller(league.player("Ada"))("POST", address, sent, 403, If_Match="*")
    caller(make_person())("POST", address, sent, 404, If_Match="*")
    for fixture in league.round(1).fixtures.all():
        agree(league, fixture, fixture.one.name)
    call("POST", address, sent, 400, If_Match="*")
    close_round(ChangeRequest(league.organiser, league.token), 1)
    call("POST", address, sent, 409, If_Match="*")


# Results


def test_winner_is_told_under_both_names(caller: Caller, league: League) -> None:
    one = put_up_names(league)[0]
    call, address = caller(league.organiser), f"fixtures/{one}/"
    assert call("GET", address).json()["winner_entry"] is None
    ada, ben = (league.entry(name).token for name in ("Ada", "Ben"))
    said = {"winner_entry": ada, "how": "conceded"}
    wrong = {**said, "winner": ben}
    told = call("POST", f"{address}result/", wrong, 400, If_Match="*")
    assert fields(told) == ["winner_entry"]
    call("POST", f"{address}result/", {**said, "winner": ada}, If_Match="*")
    fixture = call("GET", address).json()
    assert fixture["winner"] == fixture["winner_entry"] == ada
    round_ = call("GET", f"events/{league.token}/rounds/1/").json()
    assert [one["winner_entry"] for one in round_["fixtures"]] == [ada, None]


def test_result_is_accepted_by_an_organiser_alone(caller: Caller, league: League) -> None:
    fixture = league.round(1).fixtures.order_by("position")[0]
    call, address = caller(league.organiser), f"fixtures/{fixture.token}/accept/"
    call("POST", address, {}, 409, If_Match="*")
    report(league, fixture, "Ada", by=league.player("Ada"))
    for player, status in (("Ada", 403), ("Ben", 403)):
        caller(league.player(player))("POST", address, {}, status, If_Match="*")
    caller(make_person())("POST", address, {}, 404, If_Match="*")
    call("POST", address, {}, 428)
    call("POST", address, {}, 412, If_Match='"99"')
    assert fields(call("POST", address, {"why": "x"}, 400, If_Match="*")) == ["why"]
    done = call("POST", address, {"reason": "Seen."}, If_Match="*").json()
    assert (done["status"], done["winner_entry"]) == ("final", league.entry("Ada").token)
    assert call("POST", address, {}, If_Match="*").json() == done
