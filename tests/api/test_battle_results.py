"""The result over the API: each step, its preview, and what is refused."""

from typing import Any

import pytest
from django.test import Client

from battles.models import Battle
from tests.api.battles import Ask, get
from tests.battles.ledger import faults
from tests.factories import make_duel, make_event, make_person, make_user

pytestmark = pytest.mark.django_db


def test_result_is_proposed_corrected_voided_and_restored(program, ask, battle):
    end = make_event("end", winner="a", how="conceded")
    told = ask(battle, "result/propose/", {"events": [end], "author": "Jost"})
    assert (told["status"], told["winner"], told["how"], told["number"]) == (
        "proposed", "a", "conceded", 1,
    )  # fmt: skip
    assert told["confirm_by"] is not None
    told = ask(battle, "result/confirm/", {"side": "a"})
    assert (told["status"], told["confirm_by"]) == ("confirmed", None)
    preview = ask(battle, "result/correct/?preview=1", {"winner": "b", "how": "objective"})
    assert preview["preview"] is True
    assert (preview["before"], preview["after"]) == (
        {"status": "confirmed", "winner": "a", "how": "conceded"},
        {"status": "confirmed", "winner": "b", "how": "objective"},
    )
    assert preview["sentences"]
    assert get(program, battle)["result"]["winner"] == "a"
    told = ask(
        battle,
        "result/correct/",
        {"winner": "b", "how": "objective", "reason": "Typing error."},
    )
    assert (told["status"], told["winner"]) == ("confirmed", "b")
    assert ask(battle, "result/void/?preview=1", {})["after"]["status"] == "void"
    assert ask(battle, "result/void/", {"reason": "A test."})["status"] == "void"
    assert ask(battle, "result/restore/", {})["status"] == "confirmed"
    steps = get(program, battle)["result"]["steps"]
    assert [step["verb"] for step in steps] == [
        "propose", "confirm", "correct", "void", "restore",
    ]  # fmt: skip
    assert steps[0]["author"] == "Jost"
    assert faults(Battle.objects.get()) == []


def test_two_players_settle_it_from_their_browsers(program: Client, ask: Ask) -> None:
    ada, ben = make_user(), make_user()
    row = make_duel(ada=make_person(user=ada), ben=make_person(user=ben))
    battle = {"id": row.token, "key": row.key}
    session = {"Accept": "*/*"}
    program.force_login(ada)
    assert (
        ask(battle, "result/propose/", {"winner": "a", "how": "rout"}, **session)["status"]
        == "proposed"
    )
    ask(battle, "result/confirm/", {}, 403, **session)
    program.force_login(ben)
    ask(battle, "result/dispute/", {}, 400, **session)
    assert (
        ask(battle, "result/dispute/", {"reason": "No."}, **session)["status"] == "disputed"
    )
    ask(battle, "result/confirm/", {"number": 1}, 409, **session)
    assert ask(battle, "result/confirm/", {"number": 2}, **session)["status"] == "confirmed"
    ask(battle, "result/propose/", {"winner": "a", "how": "rout"}, 409, **session)
    ask(
        battle,
        "result/correct/",
        {"winner": "b", "how": "rout", "reason": "-"},
        403,
        **session,
    )


def test_same_request_key_takes_a_step_once(ask: Ask, battle: dict[str, Any]) -> None:
    headers = {"X-Battle-Key": battle["key"], "Idempotency-Key": "k1"}
    first = ask(battle, "result/propose/", {"winner": "a", "how": "rout"}, **headers)
    assert (
        ask(battle, "result/propose/", {"winner": "a", "how": "rout"}, **headers) == first
    )
    ask(battle, "result/propose/", {"winner": "b", "how": "rout"}, 422, **headers)
