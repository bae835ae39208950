"""Who gets what: every route, by every one of the cast, with objects of every visibility, in seven
methods.

A route that stands in no table of `kinds.py` fails the first test.
"""

import re
from itertools import product

import pytest
from django.http import HttpResponse
from django.urls import reverse

from accounts import requests
from tests.conftest import Share
from tests.guards.cast import CAST, KEPT, PEOPLE, VISIBILITIES, WORD, World, words_of
from tests.guards.kinds import (
    KINDS,
    LISTED,
    METHODS,
    READERS,
    SAFE,
    SENT,
    SHOWN_TO_ALL,
    SHUT_WHEN_ARCHIVED,
    WRITERS,
    ask,
    kind_of,
    of_kind,
    url_of,
)
from tests.guards.pages import asked_for_a_warband
from tests.guards.routes import leads_to, named, routes
from tests.guards.watching import statements_that_write, taken_back
from warbands.views import sheets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _quick_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who may have a PDF is asked here, not what is in it."""
    monkeypatch.setattr(sheets, "kept_roster_pdf", lambda *args, **kwargs: b"%PDF-")
    monkeypatch.setattr(sheets, "blank_pdf", lambda *args, **kwargs: b"%PDF-")
    monkeypatch.setattr(requests, "PRINT_RATES", {"pdf": "100000/5m/ip"})


def test_every_route_has_a_kind_and_the_table_no_other() -> None:
    assert len(routes()) > 150
    assert [route.name for route in routes() if not kind_of(route)] == []
    assert sorted(set(KINDS) - {route.name for route in routes()}) == []


def test_every_address_leads_to_its_route(world: World) -> None:
    for route in routes():
        if not route.template.startswith("admin/"):
            assert leads_to(url_of(route, world)) == route.name


# One warband


def _allowed(kind: str, method: str, actor: str, visibility: str, name: str) -> set[int]:
    may_read, may_write = actor in READERS[visibility], actor in WRITERS[visibility]
    done, shown, hidden, no_method = {302, 400}, {200}, {404}, {405}
    is_shut = visibility == "archived" and name in SHUT_WHEN_ARCHIVED
    if kind == "read":
        return no_method if method not in ("GET", "HEAD") else shown if may_read else hidden
    if kind == "own":
        return (
            no_method
            if method not in ("GET", "HEAD")
            else shown
            if may_write and not is_shut
            else hidden
        )
    if kind == "own form":
        if method not in ("GET", "HEAD", "POST"):
            return no_method
        if not may_write or is_shut:
            return hidden
        return done if method == "POST" else shown
    if method != "POST":
        return no_method
    return done if (may_read if kind == "copy" else may_write) else hidden


@pytest.mark.parametrize("who", CAST)
def test_warbands_answer_those_they_are_for(world: World, share: Share, who: str) -> None:
    """The plain run takes one case of eleven, for each person others."""
    actor, asked, faults = world.cast[who], 0, []
    cases = list(
        product(of_kind("read", "own", "own form", "change", "copy"), METHODS, KEPT)
    )
    for route, method, visibility in share(cases, 11, CAST.index(who)):
        with taken_back(), statements_that_write() as written:
            answer = ask(
                actor, method, url_of(route, world, visibility), SENT.get(route.name)
            )
        asked += 1
        case = f"{who} {method} {route.name} of the {visibility} one: {answer.status_code}"
        if answer.status_code not in _allowed(
            kind_of(route), method, who, visibility, route.name
        ):
            faults.append(case)
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
    assert len(cases) > 1200
    assert asked > 100
    assert faults == []


def plain(answer: HttpResponse, token: str) -> str:
    """A page without what differs from one request to the next."""
    return re.sub(
        r'(csrfmiddlewaretoken"|name="key") value="[^"]+"',
        "",
        answer.content.decode().replace(token, ""),
    )


OUTSIDERS = ("nobody", "stranger", "staff")


@pytest.mark.parametrize("who", OUTSIDERS)
def test_hidden_warband_is_no_other_than_one_that_is_not_there(world, share, who):
    """The plain run compares one route of three, for each person others."""
    actor, compared = world.cast[who], 0
    token = world.warbands["private"].token
    gone = token[::-1]
    all_routes = of_kind("read", "own", "own form", "change", "copy")
    for route in share(all_routes, 3, OUTSIDERS.index(who)):
        url = url_of(route, world, "private")
        for method in ("GET", "POST"):
            for sent in ({}, SENT.get(route.name, {})):
                there, not_there = (
                    ask(actor, method, u, sent) for u in (url, url.replace(token, gone))
                )
                assert there.status_code == not_there.status_code, (method, url, sent)
                assert plain(there, token) == plain(not_there, gone)
                compared += 1
    assert compared > 40


def test_another_warbands_warrior_is_not_reached_through_ones_own(world: World) -> None:
    """The guest's warband in the address, the owner's warrior behind it, and the other way round."""
    tried = 0
    for mine, theirs in (
        ("unclaimed", "private"),
        ("unclaimed", "public"),
        ("public", "unclaimed"),
    ):
        actor = world.cast["guest" if mine == "unclaimed" else "owner"]
        for route in of_kind("own", "change"):
            if "warrior_id" in route.arguments:
                values = {**world.arguments(mine), "warrior_id": world.warriors[theirs].pk}
                method = "GET" if kind_of(route) == "own" else "POST"
                answer = ask(actor, method, route.url(values), SENT.get(route.name))
                assert answer.status_code in (400, 404), route.name
                assert WORD.format(theirs) not in answer.content.decode()
                tried += 1
    assert tried > 25


@pytest.mark.parametrize("who", CAST)
def test_odds_are_reckoned_with_warbands_one_may_read(world, share, who):
    """A token in the question opens no more than one in the address."""
    pages = [
        (name, page) for name in KEPT for page in asked_for_a_warband(world.arguments(name))
    ]
    assert len(pages) >= 5 * len(KEPT)
    for visibility, page in share(pages, 7, CAST.index(who)):
        with statements_that_write() as written:
            answer = ask(world.cast[who], "GET", page.url)
        case = (who, page.url, visibility, answer.status_code)
        assert answer.status_code == (200 if who in READERS[visibility] else 404), case
        assert (WORD.format(visibility) in answer.content.decode()) == (
            who in READERS[visibility]
        ), case
        assert written == [], case


# Scenarios


@pytest.mark.parametrize("who", CAST)
def test_scenarios_answer_those_they_are_for(world: World, share: Share, who: str) -> None:
    actor = world.cast[who]
    scenario_routes = of_kind("read scenario", "own scenario form", "own scenario change")
    cases = list(product(scenario_routes, VISIBILITIES, METHODS))
    assert len(cases) == 4 * 5 * 7
    for route, visibility, method in share(cases, 3, CAST.index(who)):
        kind = kind_of(route)
        with taken_back(), statements_that_write() as written:
            answer = ask(actor, method, url_of(route, world, visibility))
        case = (who, method, route.name, visibility)
        may = who in (READERS if kind == "read scenario" else WRITERS)[visibility]
        if kind != "read scenario" and who not in PEOPLE:
            expected = {302}
            assert answer.headers["Location"].startswith(reverse("account_login")), case
        elif kind == "read scenario":
            expected = {405} if method not in ("GET", "HEAD") else {200} if may else {404}
        elif kind == "own scenario form":
            may_method = method in ("GET", "HEAD", "POST")
            expected = (
                {405}
                if not may_method
                else {404}
                if not may
                else {422 if method == "POST" else 200}
            )
        else:
            expected = {405} if method != "POST" else {302} if may else {404}
        assert answer.status_code in expected, (*case, answer.status_code)
        if method in SAFE or answer.status_code >= 400 or not may:
            assert written == [], case


# Everything else


@pytest.mark.parametrize("who", CAST)
def test_open_pages_are_open_and_only_read(world: World, share: Share, who: str) -> None:
    actor, asked = world.cast[who], 0
    cases = list(product(of_kind("open", "form", "make", "person's form"), METHODS))
    for route, method in share(cases, 5, CAST.index(who)):
        kind = kind_of(route)
        with taken_back(), statements_that_write() as written:
            answer = ask(actor, method, url_of(route, world), SENT.get(route.name))
        case = (who, method, route.name, answer.status_code)
        if kind == "person's form" and who not in PEOPLE:
            assert answer.status_code == 302, case
            assert answer.headers["Location"].startswith(reverse("account_login")), case
        elif method in ("GET", "HEAD"):
            assert answer.status_code == (405 if kind == "make" else 200), case
        elif method == "POST" and kind != "open":
            assert answer.status_code in (
                (302,) if route.name in SENT else (302, 400, 404, 422)
            ), case
        else:
            assert answer.status_code == 405, case
        assert written == [] or (
            method == "POST" and kind != "open" and answer.status_code == 302
        ), case
        asked += 1
    assert len(cases) > 150
    assert asked > 30


@pytest.mark.parametrize("who", CAST)
def test_accounts_are_their_owners(world: World, share: Share, who: str) -> None:
    """Reading writes nothing; whoever is not signed in is sent to the door; nobody else's address
    is named.
    """
    actor, asked = world.cast[who], 0
    others = [f"{name}@example.org" for name in PEOPLE if name != who]
    cases = list(product(of_kind("account", "door"), METHODS))
    for route, method in share(cases, 5, CAST.index(who)):
        with taken_back(), statements_that_write() as written:
            answer = ask(actor, method, url_of(route, world))
        case = (who, method, route.name, answer.status_code)
        assert answer.status_code < 500, case
        if method in SAFE:
            assert written == [], (*case, written)
        if kind_of(route) == "account" and who not in PEOPLE:
            assert answer.status_code in (
                (302, 405, 200) if method == "OPTIONS" else (302, 405)
            ), case
            assert written == [], case
        assert not any(other in answer.content.decode() for other in others), case
        asked += 1
    assert len(cases) > 150
    assert asked > 30


@pytest.mark.parametrize("who", CAST)
def test_api_needs_no_account_and_keeps_nothing(world, share, who):
    """The plain run takes one route of five, for each person others."""
    actor, api_routes = world.cast[who], of_kind("api reading", "api document")
    assert len(api_routes) > 10
    for route in share(api_routes, 5, CAST.index(who)):
        values = {**world.arguments(), "key": "warhammer-skirmish"}
        for method in METHODS:
            with statements_that_write() as written:
                answer = ask(actor, method, route.url(values))
            case = (who, method, route.name, answer.status_code)
            is_reading = kind_of(route) == "api reading"
            if method == "GET":
                assert answer.status_code == (200 if is_reading else 405), case
            elif method == "HEAD":
                assert answer.status_code in ((200, 405) if is_reading else (405,)), case
            elif method == "POST" and not is_reading:
                assert answer.status_code == 415, case
            elif method != "OPTIONS":
                assert answer.status_code == 405, case
            assert answer.status_code < 500, case
            assert written == [], case
            assert not answer.cookies, case


@pytest.mark.parametrize("who", CAST)
def test_administration_is_the_staffs(world: World, share: Share, who: str) -> None:
    actor, opened, asked = world.cast[who], 0, 0
    ids = {"object_id": str(world.warbands["private"].pk), "content_type_id": "1"}
    methods = (
        METHODS if who != "staff" else ("GET", "POST")
    )  # Django's own, which treats the others as GET
    cases = list(product(of_kind("staff"), methods))
    for route, method in share(cases, 5, CAST.index(who)):
        with taken_back(), statements_that_write() as written:
            answer = ask(actor, method, route.url({**world.arguments(), **ids}))
        case = (who, method, route.name, answer.status_code)
        assert answer.status_code < 500, case
        if method in SAFE:
            assert written == [], case
        if who != "staff":
            assert answer.status_code in (301, 302, 403, 404, 405), case
            assert written == [], case
            assert WORD.format("private") not in answer.content.decode()
        opened += answer.status_code == 200
        asked += 1
    assert len(cases) > 150
    assert asked > 30
    if who == "staff":
        assert opened > 5


# Lists


def lists(world: World) -> list[str]:
    """Pages that could name several objects, with what they may be asked."""
    plain = [
        route.url(world.arguments())
        for route in of_kind("open", "club", "form", "api reading", "api own list")
        # Its words are compressed, and it is about the site's own rules.
        if route.name != "campaign-pdf"
    ]
    searches = [
        f"{named('search').url({})}?q=qxz",
        f"{named('warband-public').url({})}?search=Band",
    ]
    mine = named("warband-list").url({})
    scenarios = named("scenario-list").url(world.arguments())
    return [
        *plain,
        *searches,
        f"{mine}?archived=1",
        f"{scenarios}?show=archived",
        f"{scenarios}?show=own",
    ]


@pytest.mark.parametrize("who", CAST)
def test_lists_name_only_what_they_may(world: World, who: str) -> None:
    seen: dict[str, set[str]] = {name: set() for name in KEPT}
    for url in lists(world):
        page = ask(world.cast[who], "GET", url).content.decode()
        for visibility, word in words_of().items():
            if word in page:
                seen[visibility].add(url)
    for visibility in KEPT:
        if who not in LISTED[visibility]:
            assert seen[visibility] == set(), (who, visibility)
    assert seen[SHOWN_TO_ALL], who
    assert bool(seen["private"]) == (who == "owner")
    assert bool(seen["unclaimed"]) == (who == "guest")


def test_public_list_and_search_show_the_public_ones_alone(world: World) -> None:
    found = 0
    for name, asked, kind in (
        ("warband-public", "", "Band"),
        ("warband-public", "?search=Band", "Band"),
        ("scenario-list", "", "Tale"),
        ("search", "?q=qxz", "Tale"),
    ):
        page = ask(
            world.cast["nobody"], "GET", named(name).url(world.arguments()) + asked
        ).content.decode()
        assert f"{kind} {WORD.format('public')}" in page
        for visibility in (*VISIBILITIES, "unclaimed"):
            if visibility != "public":
                assert WORD.format(visibility) not in page, (name, visibility)
        found += 1
    assert found == 4
