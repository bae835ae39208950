"""Who gets what of the pages of battles: every route, by every one of the cast and by the holder of
a key.

Each battle is the owner's, against the mate, in the club that the organiser runs; the step of the
result that is asked for makes it void.
"""

from itertools import product

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts import requests
from battles.views import battles
from tests.guards.cast import BATTLE_WORD, CAST, FOUGHT, World
from tests.guards.kinds import METHODS, SAFE, SENT, kind_of, of_kind, url_of
from tests.guards.routes import Route
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db

HOLDER = "holder"
WHO = (*CAST, HOLDER)
TAKE_PART = {"owner", "mate", HOLDER}
READERS = {"private": {*TAKE_PART, "organiser"}, "link": set(WHO), "public": set(WHO)}
KINDS = (
    *("read battle", "own battle form", "battle step", "battle change"),
    *("battle part", "battle door"),
)


@pytest.fixture(autouse=True)
def _quick_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may have the table pack is asked here, not what is in it."""
    monkeypatch.setattr(battles, "table_pack", lambda *args, **kwargs: b"%PDF-")
    monkeypatch.setattr(requests, "PRINT_RATES", {"pdf": "100000/5m/ip"})


def browser(world: World, who: str, visibility: str) -> Client:
    """Somebody's browser; a holder is nobody whose session keeps the key."""
    client = world.cast["nobody" if who == HOLDER else who].client()
    if who == HOLDER:
        battle = world.battles[visibility]
        session = client.session
        session["battle_keys"] = {battle.token: battle.key}
        session.save()
        client.cookies["session"] = str(session.session_key)
    return client


def call(client: Client, method: str, url: str, route: Route) -> HttpResponse:
    if method in SAFE:
        return getattr(client, method.lower())(url)
    if method == "POST":
        return client.post(url, SENT.get(route.name, {}))
    return getattr(client, method.lower())(
        url, "a=1", content_type="application/x-www-form-urlencoded"
    )


def expected(who: str, method: str, kind: str, visibility: str) -> set[int]:
    may_see, may_record = who in READERS[visibility], who in TAKE_PART
    if kind == "read battle":
        return {405} if method not in ("GET", "HEAD") else {200} if may_see else {404}
    if kind == "battle change":
        return {405} if method != "POST" else {302} if who == "owner" else {404}
    if kind == "battle part":
        return {405} if method != "POST" else {302} if may_record else {404}
    if method not in ("GET", "HEAD", "POST"):
        return {405}
    if kind == "battle door":
        return {400} if method == "POST" else {200}
    if kind == "own battle form":
        return {404} if not may_record else {302} if method == "POST" else {200}
    if not may_see:
        return {404}
    if may_record or who == "organiser":
        return {302} if method == "POST" else {200}
    return {404} if method == "POST" else {302, 404}


@pytest.mark.parametrize("who", WHO)
def test_pages_of_battles_answer_those_they_are_for(world, share, who):
    asked, faults, cases = 0, [], list(product(of_kind(*KINDS), METHODS, FOUGHT))
    for route, method, visibility in share(cases, 4, WHO.index(who)):
        client = browser(world, who, visibility)
        with taken_back(), statements_that_write() as written:
            answer = call(client, method, url_of(route, world, visibility), route)
        case = f"{who} {method} {route.name} of the {visibility} one: {answer.status_code}"
        if answer.status_code not in expected(who, method, kind_of(route), visibility):
            faults.append(case)
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if (
            answer.status_code >= 400
            and BATTLE_WORD.format(visibility) in answer.content.decode()
        ):
            faults.append(f"{case}, and told its name")
        asked += 1
    assert len(cases) == 10 * len(METHODS) * len(FOUGHT) >= asked > 40
    assert faults == []
