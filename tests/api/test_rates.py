"""How much of a rate is left stands on every answer, and who may read what from another site."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

from tests.guards.routes import Route, routes

pytestmark = pytest.mark.django_db
HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
ELSEWHERE = "https://elsewhere.example.org"
# What a page of another site may ask, by the route's name; everything else it may not.
SHARED = {
    "api-site", "schema-read", "api-system-list", "api-system-read", "api-army-list",
    "api-profile-list", "api-weapon-list", "api-armour-list", "api-magic-item-list",
    "api-scenario-list", "api-ruling-list", "api-guideline-list", "api-chart-list",
    "api-roster-check", "api-sheet-print", "api-odds-ask", "api-roll",
}  # fmt: skip
VALUES = {
    "key": "none",
    "token": "x" * 16,
    "slug": "none",
    "fixture": "x" * 16,
    "number": 1,
}
VALUES |= {"step": "publish", "verb": "confirm", "member": 1, "entry": 1, "job": "x" * 16}
VALUES |= {"move": "finish", "lock": "lock", "answer": "accept", "guideline": "none"}
VALUES |= {"rules": "none", "warband": "x" * 16, "season": "x" * 16}


def api_routes() -> list[Route]:
    found = [route for route in routes() if route.template.startswith("api/")]
    assert len(found) > 25
    return found


def test_every_answer_tells_the_rate() -> None:
    client = Client()
    asked = [route.url(VALUES) for route in api_routes()] + ["/api/v1/nothing/"]
    for url in asked:
        for answer in (client.get(url), client.post(url), client.delete(url)):
            told = {name: answer.headers.get(name, "") for name in HEADERS}
            assert all(value.isdigit() for value in told.values()), (url, told)
    assert "RateLimit-Limit" not in client.get("/rules/").headers


def test_wrong_token_is_told_the_rate_of_its_address() -> None:
    answer = Client().get("/api/v1/clubs/", headers={"Authorization": "Bearer nonsense"})
    assert answer.status_code == 401
    assert answer.headers["RateLimit-Remaining"] == "600"


def test_calls_that_are_left_are_counted_to_none(rate: Callable[[str], None]) -> None:
    rate("3/min")
    answers = [Client().get("/api/v1/site/") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    left = [answer.headers["RateLimit-Remaining"] for answer in answers]
    assert left == ["2", "1", "0", "0"]
    assert {answer.headers["RateLimit-Limit"] for answer in answers} == {"3"}
    assert 0 < int(answers[-1].headers["RateLimit-Reset"]) <= 60


def test_other_sites_read_what_everybody_may_and_nothing_else() -> None:
    client, shared = Client(), set()
    for route in api_routes():
        url, origin = route.url(VALUES), {"Origin": ELSEWHERE}
        answer = client.get(url, headers=origin)
        asked = client.options(
            url, headers={**origin, "Access-Control-Request-Method": "POST"}
        )
        for told in (answer, asked):
            assert "Access-Control-Allow-Credentials" not in told.headers
        allowed = {
            told.headers.get("Access-Control-Allow-Origin") for told in (answer, asked)
        }
        assert allowed in ({"*"}, {None}), route.name
        if allowed == {"*"}:
            shared.add(route.name)
            assert "authorization" not in asked.headers["Access-Control-Allow-Headers"]
    assert shared == SHARED
    page = client.get("/rules/", headers={"Origin": ELSEWHERE})
    assert "Access-Control-Allow-Origin" not in page.headers


def test_site_tells_its_version_and_who_may_join() -> None:
    told = Client().get("/api/v1/site/").json()
    assert told == {"version": settings.VERSION, "registration": "open"}
