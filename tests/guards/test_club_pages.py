"""Who gets what of the pages of a club: every route, by every one of the cast, in seven methods.

The club is not listed; the owner and the mate belong to it, the organiser runs it, and its own
owner is none of the cast. A kind ends in "form" where a page has one to send, and in "change" where
only a button sends there.
"""

from itertools import product

import pytest
from django.urls import reverse

from tests.guards.cast import CAST, PEOPLE, World
from tests.guards.kinds import METHODS, READERS, SAFE, SENT, ask, kind_of, of_kind, url_of
from tests.guards.routes import routes
from tests.guards.watching import statements_that_write, taken_back

pytestmark = pytest.mark.django_db

MEMBERS = READERS["club"]
FOR = {"club": MEMBERS, "run club": {"organiser"}, "own club": set()}
OWN_PAGES = {"club-list", "club-new", "club-find"}


def expected(who: str, method: str, kind: str) -> int:
    takes = (
        {"POST"}
        if kind.endswith(" change")
        else {"GET", "HEAD"} | ({"POST"} if kind.endswith(" form") else set())
    )
    if method not in takes:
        return 405
    if who not in MEMBERS:
        return 404
    if who not in FOR[kind.removesuffix(" form").removesuffix(" change")]:
        return 403
    return 302 if method == "POST" else 200


@pytest.mark.parametrize("who", CAST)
def test_club_pages_answer_those_they_are_for(world: World, who: str) -> None:
    faults, asked = [], 0
    kinds = [f"{kind}{end}" for kind in FOR for end in ("", " form", " change")]
    for route, method in product(of_kind(*kinds), METHODS):
        with taken_back(), statements_that_write() as written:
            answer = ask(
                world.cast[who], method, url_of(route, world), SENT.get(route.name)
            )
        case = f"{who} {method} {route.name}: {answer.status_code}"
        if answer.status_code != expected(who, method, kind_of(route)):
            faults.append(case)
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if who not in MEMBERS and "The Quay" in answer.content.decode():
            faults.append(f"{case}, and told its name")
        asked += 1
    assert asked >= 8 * len(METHODS)
    assert faults == []


@pytest.mark.parametrize("who", CAST)
def test_whoever_has_the_code_joins_with_an_account(world: World, who: str) -> None:
    (route,) = of_kind("club door")
    for method in METHODS:
        with taken_back(), statements_that_write() as written:
            answer = ask(world.cast[who], method, url_of(route, world))
        case = (who, method, answer.status_code)
        assert answer.status_code == (
            200 if method in ("GET", "HEAD") else 302 if method == "POST" else 405
        ), case
        if method == "POST":
            is_sent_in = answer.headers["Location"].startswith(reverse("account_login"))
            assert is_sent_in == (who not in PEOPLE), case
        assert bool(written) == (method == "POST" and who in ("stranger", "staff")), case


def test_every_page_under_clubs_is_in_the_tables() -> None:
    kinds = {
        route.name: kind_of(route)
        for route in routes()
        if route.template.startswith("clubs/")
    }
    own = {
        name: kind
        for name, kind in kinds.items()
        if name.startswith(("club-", "member-")) and name not in OWN_PAGES
    }
    assert len(own) >= 9
    assert {
        kind.removesuffix(" form").removesuffix(" change") for kind in own.values()
    } <= {*FOR, "club door"}
