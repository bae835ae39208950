"""Who gets what of battles: every route, by every one of the cast and by the holder of a key, in
seven methods.

Each battle is the owner's, against the mate, in the club that the organiser runs.
"""

import json
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse

from tests.factories import make_event
from tests.guards.cast import BATTLE_WORD, CAST, FOUGHT, PEOPLE, World
from tests.guards.kinds import METHODS, SAFE, of_kind, url_of
from tests.guards.routes import leads_to, named
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db

HOLDER = "holder"
WHO = (*CAST, HOLDER)
TAKE_PART = {"owner", "mate", HOLDER}
READERS = {"private": {*TAKE_PART, "organiser"}, "link": set(WHO), "public": set(WHO)}
READING = {"api-battle-read", "api-battle-state"}


def call(world, who, method, route, visibility, url="") -> HttpResponse:
    """What somebody is answered; a holder is nobody with the key."""
    battle = world.battles[visibility]
    client = world.cast["nobody" if who == HOLDER else who].client()
    headers = {"X-Battle-Key": battle.key} if who == HOLDER else {}
    body = json.dumps(sent(route.name))
    return client.generic(
        method,
        url or url_of(route, world, visibility),
        body,
        "application/json",
        headers=headers,
    )


def sent(name: str) -> dict[str, Any]:
    return (
        {"events": [make_event()]}
        if name == "api-battle-events"
        else {"reason": "Never fought."}
    )


def expected(who: str, method: str, name: str, visibility: str) -> set[int]:
    if method == "OPTIONS":
        return {200}
    is_reading = method in ("GET", "HEAD")
    takes = (
        {"GET", "HEAD"}
        if name in READING
        else {"GET", "POST"}
        if name == "api-battle-events"
        else {"POST"}
    )
    if method not in takes:
        return {200, 404, 405} if method == "HEAD" else {405}
    if who not in READERS[visibility]:
        return {404}
    if is_reading or who in TAKE_PART:
        return {200}
    # Organisers make void what nobody has reported yet, too.
    return {200} if name == "api-battle-result" and who == "organiser" else {403}


@pytest.mark.parametrize("who", WHO)
def test_battles_answer_those_they_are_for(world: World, who: str) -> None:
    asked, faults = 0, []
    for route, method, visibility in product(of_kind("api battle"), METHODS, FOUGHT):
        with taken_back(), statements_that_write() as written:
            answer = call(world, who, method, route, visibility)
        case = f"{who} {method} {route.name} of the {visibility} one: {answer.status_code}"
        if answer.status_code not in expected(who, method, route.name, visibility):
            faults.append(case)
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if answer.cookies:
            faults.append(f"{case}, and set a cookie")
        if (
            answer.status_code >= 400
            and BATTLE_WORD.format(visibility) in answer.content.decode()
        ):
            faults.append(f"{case}, and told its name")
        asked += 1
    assert asked == 4 * len(METHODS) * len(FOUGHT)
    assert faults == []


@pytest.mark.parametrize("who", ["nobody", "guest", "stranger", "staff"])
def test_hidden_battle_is_no_other_than_one_that_is_not_there(world, who):
    token, compared = world.battles["private"].token, 0
    for route, method in product(of_kind("api battle"), ("GET", "POST")):
        url = url_of(route, world, "private")
        answers = [
            call(world, who, method, route, "private", u)
            for u in (url, url.replace(token, token[::-1]))
        ]
        assert answers[0].status_code == answers[1].status_code
        assert answers[0].content == answers[1].content
        compared += 1
    assert compared == 8


def test_key_of_one_battle_opens_no_other(world: World) -> None:
    asked = 0
    for route in of_kind("api battle"):
        key = world.battles["link"].key
        client = world.cast["nobody"].client()
        body = json.dumps(sent(route.name))
        url = url_of(route, world, "private")
        for method in ("GET", "POST"):
            answer = client.generic(
                method, url, body, "application/json", headers={"X-Battle-Key": key}
            )
            assert answer.status_code in (404, 405), (method, route.name)
            asked += 1
    assert asked == 8


def test_everybody_may_set_a_battle_up(world: World) -> None:
    route = named("api-battle-open")
    quick = {"quick": {"name": "One", "models": 3}}
    for who, method in product(CAST, METHODS):
        client = world.cast[who].client()
        body = json.dumps({"system": "warhammer-skirmish", "sides": [quick, quick]})
        with taken_back(), statements_that_write() as written:
            answer = client.generic(method, route.url({}), body, "application/json")
        # The list of one's own is a person's.
        told = 200 if who in PEOPLE else 401
        wanted = {"POST": 201, "OPTIONS": 200, "GET": told}.get(method, 405)
        assert answer.status_code == wanted, (who, method)
        assert bool(written) is (method == "POST"), (who, method)
        assert not answer.cookies


def test_every_address_of_a_battle_leads_to_its_route(world: World) -> None:
    found = [
        leads_to(url_of(route, world)) for route in of_kind("api battle", "api battles")
    ]
    assert found == [route.name for route in of_kind("api battle", "api battles")]
