"""A program's token at every address of the API, in seven methods, with objects of every
visibility.

It reads what its person reads in a browser, no more and no less; one that only reads changes
nothing anywhere.
"""

import json
from itertools import product

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.utils import timezone

from accounts.api_tokens.operations import make_token, note_use
from accounts.models import ApiToken
from tests.guards.cast import FOUGHT, PEOPLE, RUN, World
from tests.guards.kinds import METHODS, SAFE, kind_of, url_of
from tests.guards.routes import Route, routes
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db


def api_routes() -> list[Route]:
    return [route for route in routes() if kind_of(route).startswith("api ")]


def texts(world: World) -> dict[str, str]:
    """A token that only reads for each of the people, its use written down already."""
    found = {}
    for who in PEOPLE:
        user = world.cast[who].user
        assert user is not None
        made = make_token(user.pk, name="Reader")
        note_use(ApiToken.objects.get(pk=made.id), timezone.now())
        found[who] = made.text
    return found


def called(world: World, who: str, method: str, url: str, text: str = "") -> HttpResponse:
    """Nobody's browser with a token, or somebody's own."""
    cache.clear()  # or the rate of calls would answer
    client = world.cast["nobody" if text else who].client()
    headers = {"Authorization": f"Bearer {text}"} if text else {}
    return client.generic(method, url, json.dumps({}), "application/json", headers=headers)


def test_every_address_of_the_api_is_walked() -> None:
    outside = [
        route.name
        for route in routes()
        if route.template.startswith("api/") and not kind_of(route)
    ]
    assert outside == []
    assert len(api_routes()) >= 17


# The hall screen counts the seconds of its clock.
TELLS_THE_TIME = {"api-event-screen"}


@pytest.mark.parametrize("who", PEOPLE)
def test_read_only_token_reads_what_its_person_reads_and_changes_nothing(world, share, who):
    """The plain run takes one case of seventeen, for each person others."""
    text, asked, faults = texts(world)[who], 0, []
    cases = list(product(api_routes(), METHODS, range(3)))
    for route, method, place in share(cases, 17, PEOPLE.index(who)):
        visibility = (RUN if "event" in kind_of(route) else FOUGHT)[place]
        url = url_of(route, world, visibility)
        with taken_back(), statements_that_write() as written:
            answer = called(world, who, method, url, text)
        case = f"{method} {route.name} of the {visibility} one: {answer.status_code}"
        if written:
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if answer.cookies:
            faults.append(f"{case}, and set a cookie")
        asked += 1
        if method in SAFE or kind_of(route) == "api document":
            with taken_back():
                own = called(world, who, method, url)
            is_same = route.name in TELLS_THE_TIME or answer.content == own.content
            if answer.status_code != own.status_code or not is_same:
                faults.append(f"{case}, and {own.status_code} in a browser")
        elif answer.status_code not in (403, 405):
            faults.append(case)
    assert asked == len(share(cases, 17, PEOPLE.index(who))) > 40
    assert faults == []
