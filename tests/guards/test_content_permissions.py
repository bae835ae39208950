"""Who gets what of what a club has written: every route, by every one of the cast, in seven
methods.
"""

from itertools import product

import pytest
from django.urls import reverse

from tests.conftest import Share
from tests.guards.cast import CAST, CONTENT_WORD, PEOPLE, READERS_OF_CLUB, World
from tests.guards.kinds import METHODS, SAFE, SENT, ask, kind_of, of_kind, url_of
from tests.guards.routes import Route
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db

KINDS = ("content", "content levels", "content form", "content step", "content draft")


def expected(kind: str, method: str, who: str, name: str) -> set[int]:
    may_read, may_write = who in READERS_OF_CLUB, who == "organiser"
    takes = {"content": SAFE[:2], "content draft": SAFE[:2], "content step": ("POST",)}.get(
        kind, (*SAFE[:2], "POST")
    )
    if who not in PEOPLE:
        return {302, 405}
    if method not in takes:
        return {405}
    if not may_read:
        return {404}
    if kind == "content" or (kind == "content levels" and method != "POST"):
        return {200}
    if not may_write:
        return {403}
    if name == "rules-section":  # leads to the draft
        return {302}
    return {200} if method != "POST" else {302} if kind == "content step" else {302, 422}


@pytest.mark.parametrize("who", CAST)
def test_content_answers_those_it_is_for(world: World, share: Share, who: str) -> None:
    """The plain run takes one case of five, for each person others."""
    faults, cases = [], list(product(of_kind(*KINDS), METHODS))
    assert len(cases) >= 18 * len(METHODS)
    for route, method in share(cases, 5, CAST.index(who)):
        with taken_back(), statements_that_write() as written:
            answer = ask(
                world.cast[who], method, url_of(route, world), SENT.get(route.name)
            )
        case = f"{who} {method} {route.name}: {answer.status_code}"
        if answer.status_code not in expected(kind_of(route), method, who, route.name):
            faults.append(case)
        if who not in PEOPLE and answer.status_code == 302:
            assert answer.headers["Location"].startswith(reverse("account_login")), case
        if written and (method in SAFE or answer.status_code != 302):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if (
            who not in READERS_OF_CLUB
            and CONTENT_WORD.format("own") in answer.content.decode()
        ):
            faults.append(f"{case}, and told a name")
    assert faults == []


@pytest.mark.parametrize("who", ["stranger", "staff"])
def test_hidden_content_is_no_other_than_none(world: World, who: str) -> None:
    """Neither the club's slug nor the list's token tells an outsider whether there is such a thing."""
    compared = 0
    for route in of_kind(*KINDS):
        method = "POST" if kind_of(route) == "content step" else "GET"
        there = ask(world.cast[who], method, url_of(route, world))
        gone = ask(world.cast[who], method, _elsewhere(route, world))
        assert (there.status_code, gone.status_code) == (404, 404), route.name
        compared += 1
    assert compared >= 18


def _elsewhere(route: Route, world: World) -> str:
    values = world.content_arguments(route.name)
    return route.url(
        {**values, "slug": "no-such-club", "token": str(values["token"])[::-1]}
    )
