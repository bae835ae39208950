"""Who gets what of warbands, clubs and events through the API: every route, by every one of the
cast, in seven methods.

Events are run by the organiser; the owner and the mate are entered, and the owner plays the fixture
that is asked for.
"""

import json
from itertools import product
from typing import Any

import pytest
from django.core.cache import cache
from django.http import HttpResponse

from rulesdata.campaign_documents import packed_rules
from tests.conftest import Share
from tests.guards.cast import (
    CAST,
    CONTENT_WORD,
    EVENT_WORD,
    PEOPLE,
    RUN,
    VISIBILITIES,
    WORD,
    World,
)
from tests.guards.kinds import METHODS, READERS, SAFE, WEBHOOK, of_kind, url_of
from tests.guards.watching import statements_that_write, taken_back
from tests.rulesdata.own_lists import COLLECTION

pytestmark = pytest.mark.django_db

MEMBERS = {"owner", "mate", "organiser"}
EVENT_READERS = {"club": MEMBERS, "link": set(CAST), "public": set(CAST)}
READING = {"GET", "HEAD"}
TAKES = {
    "api-warband": {"GET", "PUT", "PATCH", "DELETE"},
    "api-warband-figures": {"POST", "DELETE"}, "api-club": {"GET", "PATCH"},
    "api-event": {"GET", "PATCH"}, "api-event-entries": {"GET", "POST"},
    "api-event-entry": {"GET", "PATCH"}, "api-event-entry-step": {"POST"},
    "api-event-guests": {"POST"}, "api-event-messages": {"POST"},
    "api-event-round-print": {"POST"}, "api-event-standings": READING,
    "api-event-screen": {"GET", "POST"}, "api-event-discord": {"GET", "POST"},
    "api-event-rounds": {"GET", "POST"}, "api-event-round": {"GET", "PATCH", "DELETE"},
    "api-event-round-step": {"POST"}, "api-fixture": {"GET", "PATCH"},
    "api-event-round-results": {"POST"}, "api-fixture-result": {"POST"},
    "api-fixture-accept": {"POST"}, "api-fixture-swap": {"POST"},
    "api-event-step": {"POST"}, "api-event-copy": {"POST"},
    "api-event-rounds-plan": {"POST"}, "api-event-round-fixtures": {"POST"},
    "api-event-lists": {"GET", "POST"}, "api-event-all-lists": {"GET", "POST"},
    "api-event-list-check": {"PATCH"}, "api-event-list": READING,
    "api-event-list-lock": {"POST"}, "api-event-waivers": {"GET", "POST"},
    "api-event-waiver": {"DELETE"}, "api-event-challenges": {"POST"},
    "api-event-challenge-answer": {"POST"}, "api-fixture-remove": {"POST"},
    "api-fixture-decide": {"GET", "POST"}, "api-fixture-battle": {"POST"},
    "api-fixture-field": {"POST"},
}  # fmt: skip
# What nothing but the permission can refuse.
SENT: dict[str, dict[str, Any]] = {
    "api-warband": {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "warriors": [{"profile": "captain"}],
    },
    "api-club": {"name": "The Long Quay"},
    "api-event": {"place": "Upstairs"},
    "api-event-entries": {"name": "Newcomer"},
    "api-event-copy": {"name": "Once more"},
    "api-event-guests": {"names": ["Newcomer"]},
    "api-event-messages": {"to": "all", "text": "Bring dice."},
    "api-event-round-results": {"results": []},
    "api-fixture-result": {"how": "drawn"},
    "api-fixture-swap": {"one": "nobody", "other": "nobody"},
    "api-event-round-fixtures": {"entries": ["nobody", "no one"]},
    "api-event-lists": {"warband": "none"},
    "api-event-all-lists": {"warband": "none"},
    "api-event-waivers": {"code": "type.flyer", "reason": "They have no others."},
    "api-event-challenges": {"other": "nobody"},
    "api-event-screen": {"step": "on"},
    "api-event-discord": {"step": "set", "address": WEBHOOK},
    "api-fixture-remove": {"reason": "They cannot meet."},
    "api-fixture-decide": {"decision": "unplayed", "reason": "Rain."},
}
PATCHED: dict[str, dict[str, Any]] = {
    "api-warband": {"name": "Ferry"},
    "api-event-round": {"name": "Finals"},
    "api-fixture": {"is_kept": True},
    "api-event-entry": {"name": "Ada the Bold"},
    "api-event-list-check": {"check": "checked"},
}
DONE = {
    ("api-warband", "DELETE"): 204,
    ("api-warband-figures", "POST"): 400,
    "api-event-round-print": 202,
    "api-fixture-accept": 409,  # nothing is reported
    "api-fixture-swap": 400,  # nobody of that name plays in it
    "api-fixture-field": 201,
    "api-event-entries": 201,
    "api-event-copy": 201,
    "api-event-guests": 201,
    "api-event-messages": 201,
    "api-event-rounds": 201,
    "api-event-round-step": 409,  # it is published already
    ("api-event-round", "DELETE"): 409,
    "api-event-step": 409,  # a round is paired and not published
    "api-event-rounds-plan": 400,  # it is no round robin
    "api-event-round-fixtures": 404,  # nobody of that name plays
    ("api-event-lists", "POST"): 400,  # there is no such warband
    ("api-event-all-lists", "POST"): 400,
    ("api-event-waivers", "POST"): 201,
    "api-event-waiver": 204,
    "api-event-challenges": 404,  # nobody of that name plays
    "api-fixture-remove": 204,
}
WHOSE = {
    "api-event-lists": {"owner", "mate"},
    "api-event-all-lists": {"owner", "mate"},
    "api-event-challenges": {"owner", "mate"},
    "api-event-entry": {"organiser", "owner"},
    "api-event-entry-step": {"organiser", "owner"},
}
"""Who may do what an organiser may not, or not alone."""
NOT_THERE = {"api-event-challenge-answer"}
"""What the events of this cast have none of."""


def call(world: World, who: str, method: str, url: str, name: str) -> HttpResponse:
    cache.clear()  # or the rate of calls would answer
    sent = PATCHED if method == "PATCH" and name in PATCHED else SENT
    body = json.dumps(sent.get(name, {}))
    return (
        world.cast[who]
        .client()
        .generic(method, url, body, "application/json", headers={"If-Match": "*"})
    )


def faults_of(world, share, route, visibility, readers, writers, word) -> list[str]:
    """What is not as it should be of one route, by all of the cast in all methods; the plain run
    takes every fifth.
    """
    faults, url = [], url_of(route, world, visibility)
    cases = list(product(CAST, METHODS))
    for who, method in share(cases, 5, len(route.name) + len(visibility)):
        with taken_back(), statements_that_write() as written:
            answer = call(world, who, method, url, route.name)
        case = f"{who} {method} {route.name} of the {visibility} one: {answer.status_code}"
        if answer.status_code not in expected(route.name, who, method, readers, writers):
            faults.append(f"{case} {answer.content[:90]!r}")
        if written and (method in SAFE or answer.status_code >= 400):
            faults.append(f"{case}, and wrote {written[0][:80]}")
        if answer.cookies:
            faults.append(f"{case}, and set a cookie")
        # Whoever may change it is told in a refusal who plays there.
        is_outside = answer.status_code >= 400 and who not in writers
        if is_outside and word in answer.content.decode():
            faults.append(f"{case}, and told its name")
    return faults


def expected(name, who, method, readers, writers) -> set[int]:
    if method == "OPTIONS":
        return {200}
    if method not in TAKES[name]:
        return {405}
    if method in READING and name != "api-event-discord":
        return {200} if who in readers else {404}
    if who not in PEOPLE:
        return {401}
    if who not in readers or name in NOT_THERE:
        return {404}
    return (
        {DONE.get((name, method), DONE.get(name, 200))}
        if who in writers
        else {403, 404}
        if name.startswith("api-warband")
        else {403}
    )


@pytest.mark.parametrize("visibility", RUN)
def test_events_answer_those_they_are_for(world, share, visibility):
    faults, asked = [], 0
    readers, word = EVENT_READERS[visibility], EVENT_WORD.format(visibility)
    url = url_of(
        next(r for r in of_kind("api event") if r.name == "api-fixture"), world, visibility
    )
    playing = call(world, "owner", "GET", url, "api-fixture").json()["entries"]
    for route in of_kind("api event"):
        plays = {"owner"} | {"mate"} & {side["name"].lower() for side in playing}
        played = ("api-fixture-result", "api-fixture-battle", "api-fixture-field")
        by_players = dict.fromkeys(played, {"organiser"} | plays)
        writers = {**WHOSE, **by_players}.get(route.name, {"organiser"})
        faults += faults_of(world, share, route, visibility, readers, writers, word)
        asked += 1
    assert asked == 35
    assert faults == []


@pytest.mark.parametrize("visibility", RUN)
def test_growth_answers_those_who_read_the_event(world, share, visibility):
    faults, asked = [], 0
    readers = EVENT_READERS[visibility]
    for route in of_kind("api growth event"):
        url = url_of(route, world, visibility)
        for who, method in share(list(product(CAST, METHODS)), 3, len(route.name)):
            with taken_back(), statements_that_write() as written:
                answer = call(world, who, method, url, route.name)
            case = f"{who} {method} {route.name}: {answer.status_code}"
            is_told = route.name == "api-growth" and method == "GET" and who in readers
            wanted = {200} if is_told else refused_growth(who, method, readers)
            if answer.status_code not in wanted:
                faults.append(case)
            if written or answer.cookies:
                faults.append(f"{case}, and wrote something")
            asked += 1
    assert asked > 100
    assert faults == []


def refused_growth(who: str, method: str, readers: set[str]) -> set[int]:
    """What is answered about a warband that is none, or to a body that lacks everything."""
    if method == "OPTIONS":
        return {200}
    if method in READING:
        return {404, 405}
    if who not in PEOPLE:
        return {401, 405}
    return {400, 403, 404, 405} if who in readers else {400, 404, 405}


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_warbands_answer_those_they_are_for(world, share, visibility):
    (route,) = of_kind("api warband")
    writers = set() if visibility == "archived" else {"owner"}
    word = WORD.format(visibility)
    if visibility == "archived":  # its owner is told to take it out first
        assert call(
            world, "owner", "PUT", url_of(route, world, visibility), route.name
        ).status_code in (400, 404)
        return
    assert (
        faults_of(world, share, route, visibility, set(READERS[visibility]), writers, word)
        == []
    )


def test_figures_are_acknowledged_by_the_owner_alone(world: World, share: Share) -> None:
    (route,) = of_kind("api figures")
    # The rosters of this cast have no uncertain figure: its owner is told so.
    faults = faults_of(
        world, share, route, "public", set(CAST), {"owner"}, WORD.format("public")
    )
    assert faults == []


def test_club_answers_those_who_are_in_it(world: World, share: Share) -> None:
    (route,) = of_kind("api club")
    assert (
        faults_of(world, share, route, "public", MEMBERS, {"organiser"}, "The Quay") == []
    )


@pytest.mark.parametrize("who", CAST)
def test_code_of_a_club_is_renewed_by_those_who_run_it(world: World, who: str) -> None:
    (route,) = of_kind("api run club")
    for method in METHODS:
        cache.clear()
        with taken_back(), statements_that_write() as written:
            answer = world.cast[who].client().generic(method, url_of(route, world))
        told = 403 if who in MEMBERS else 404
        renews = 401 if who not in PEOPLE else 200 if who == "organiser" else told
        wanted = {"POST": renews, "OPTIONS": 200}.get(method, 405)
        assert answer.status_code == wanted, (who, method)
        assert bool(written) is (wanted == 200 and method == "POST"), (who, method)


OF_MEMBER = {
    ("GET", "mate"): 200,
    ("GET", "owner"): 200,
    ("GET", "organiser"): 200,
    ("DELETE", "mate"): 204,  # who leaves
    ("DELETE", "owner"): 403,
    ("DELETE", "organiser"): 204,
    **{("PATCH", who): 403 for who in MEMBERS},  # an owner's alone
}
"""What is answered about the mate's membership; outside nobody learns of it."""


SEASONS = {
    "api-club-seasons": {"GET": 200, "POST": 201},
    "api-club-season": {"GET": 200, "PATCH": 200, "DELETE": 204},
    "api-club-player": {"GET": 200, "HEAD": 200},
}
"""What an organiser gets of each call; members of the club read the same."""


@pytest.mark.parametrize("who", CAST)
def test_seasons_are_their_clubs(world: World, who: str) -> None:
    for route, method in product(of_kind("api club season"), METHODS):
        sent = json.dumps({"name": "Year"} if method in ("POST", "PATCH") else {})
        cache.clear()
        with taken_back(), statements_that_write() as written:
            client, url = world.cast[who].client(), url_of(route, world)
            headers = {"If-Match": "*"}
            answer = client.generic(method, url, sent, "application/json", headers=headers)
        takes = SEASONS[route.name]
        is_change = method in ("POST", "PATCH", "DELETE")
        if method not in {*takes, "OPTIONS"}:
            wanted = 405
        elif method == "OPTIONS":
            wanted = 200
        elif is_change and who not in PEOPLE:
            wanted = 401
        elif who not in MEMBERS:
            wanted = 404
        elif is_change and who != "organiser":
            wanted = 403
        else:
            wanted = takes[method]
        assert answer.status_code == wanted, (who, method, route.name)
        assert not written or (is_change and who == "organiser"), (who, method, route.name)


@pytest.mark.parametrize("who", CAST)
def test_members_are_told_to_members(world: World, who: str) -> None:
    for route, method in product(of_kind("api club member"), METHODS):
        is_list, url = route.name == "api-club-members", url_of(route, world)
        sent = json.dumps({"role": "organiser"} if method == "PATCH" else {})
        cache.clear()
        with taken_back(), statements_that_write() as written:
            client = world.cast[who].client()
            answer = client.generic(method, url, sent, "application/json")
        takes = READING if is_list else {"GET", "PATCH", "DELETE"}
        if method not in takes:
            wanted = 200 if method == "OPTIONS" else 405
        elif who not in PEOPLE:
            wanted = 401
        elif is_list:
            wanted = 200 if who in MEMBERS else 404
        else:
            wanted = OF_MEMBER.get((method, who), 404)
        assert answer.status_code == wanted, (who, method, route.name)
        assert bool(written) is (answer.status_code == 204), (who, method, route.name)


@pytest.mark.parametrize("who", CAST)
def test_own_lists_are_told_to_members(world: World, who: str) -> None:
    for route, method in product(of_kind("api club content"), METHODS):
        cache.clear()
        with statements_that_write() as written:
            answer = world.cast[who].client().generic(method, url_of(route, world))
        told = 401 if who not in PEOPLE else 200 if who in MEMBERS else 404
        wanted = {"GET": told, "HEAD": told, "OPTIONS": 200}.get(method, 405)
        assert answer.status_code == wanted, (who, method, route.name)
        assert CONTENT_WORD.format("own") not in answer.content.decode() or told == 200
        assert written == []


@pytest.mark.parametrize("who", CAST)
def test_own_rules_are_written_by_organisers(world: World, who: str) -> None:
    sent = json.dumps({"document": dict(packed_rules()["muster-campaign"].document)})
    for route, method in product(of_kind("api club writing"), METHODS):
        cache.clear()
        client, url = world.cast[who].client(), url_of(route, world)
        with taken_back(), statements_that_write() as written:
            answer = client.generic(method, url, sent, "application/json")
        told = 401 if who not in PEOPLE else 403 if who in MEMBERS else 404
        wanted = {"POST": 201 if who == "organiser" else told, "OPTIONS": 200}
        assert answer.status_code == wanted.get(method, 405), (who, method, route.name)
        assert bool(written) is (answer.status_code == 201)


@pytest.mark.parametrize("who", CAST)
def test_catalogues_are_read_for_organisers(world, who, monkeypatch):
    monkeypatch.setattr("clubs.api.own_lists.WAIT_SECONDS", 0.0)
    file = {"name": "a.cat", "content": "PGE+"}
    for route, method in product(of_kind("api content writing"), METHODS):
        cache.clear()
        new = {"collection": COLLECTION} if route.name == "api-catalogues" else {}
        sent = json.dumps({"files": [file], "may_use": True, **new})
        client, url = world.cast[who].client(), url_of(route, world)
        with taken_back(), statements_that_write() as written:
            answer = client.generic(
                method, url, sent, "application/json", headers={"If-Match": "*"}
            )
        told = 401 if who not in PEOPLE else 403 if who in MEMBERS else 404
        # The job waits for the end of this test.
        wanted = {"POST": 202 if who == "organiser" else told, "OPTIONS": 200}
        assert answer.status_code == wanted.get(method, 405), (who, method, route.name)
        assert bool(written) is (answer.status_code == 202)


@pytest.mark.parametrize("who", CAST)
def test_job_is_told_to_whoever_asked_for_it(world: World, who: str) -> None:
    for route, method in product(of_kind("api job"), METHODS):
        cache.clear()
        url = route.url({"token": world.job})
        with statements_that_write() as written:
            answer = world.cast[who].client().generic(method, url)
        # The job failed: there is no file of it.
        found = 200 if who == "owner" and route.name == "api-job" else 404
        told = 401 if who not in PEOPLE else found
        wanted = {"GET": told, "HEAD": told, "OPTIONS": 200}.get(method, 405)
        assert answer.status_code == wanted, (who, method, route.name)
        assert written == []


@pytest.mark.parametrize("who", CAST)
def test_whoever_has_the_code_joins(world: World, who: str) -> None:
    (route,) = of_kind("api club door")
    for method, code in product(METHODS, (world.club.code, "CCCCCC")):
        cache.clear()
        with taken_back(), statements_that_write() as written:
            client = world.cast[who].client()
            body = json.dumps({"code": code})
            answer = client.generic(method, route.url({}), body, "application/json")
        joins = 401 if who not in PEOPLE else 200 if code == world.club.code else 400
        wanted = {"POST": joins, "OPTIONS": 200}.get(method, 405)
        assert answer.status_code == wanted, (who, method)
        is_new = wanted == 200 and method == "POST" and who not in MEMBERS
        assert any("INSERT" in one for one in written) is is_new, (who, method)


@pytest.mark.parametrize("who", CAST)
def test_lists_of_ones_own_are_for_people(world: World, who: str) -> None:
    made = {
        "api-warbands": (201, SENT["api-warband"]),
        "api-clubs": (201, {"name": "The Mole"}),
        "api-events": (
            201 if who == "organiser" else 403 if who in MEMBERS else 404,
            {
                "club": world.club.slug,
                "name": "Cup",
                "kind": "league",
                "method": "swiss",
                "system": "warhammer-skirmish",
            },
        ),
    }
    for route, method in product(of_kind("api own list"), METHODS):
        status, body = made[route.name]
        cache.clear()
        with taken_back(), statements_that_write() as written:
            answer = (
                world.cast[who]
                .client()
                .generic(method, route.url({}), json.dumps(body), "application/json")
            )
        wanted = (
            {"GET": 200, "POST": status} if who in PEOPLE else {"GET": 401, "POST": 401}
        )
        assert answer.status_code == {**wanted, "OPTIONS": 200}.get(method, 405), (
            route.name,
            method,
        )
        assert bool(written) is (answer.status_code == 201), (route.name, method)


def test_fixture_of_a_hidden_event_is_no_other_than_none(world: World) -> None:
    """Its id alone stands in the address, so it says nothing of the event."""
    routes = {route.name: route for route in of_kind("api event")}
    hidden = url_of(routes["api-fixture"], world, "club")
    gone = f"{hidden[:-9]}xxxxxxxx/"
    there, not_there = (
        call(world, "stranger", "GET", url, "api-fixture") for url in (hidden, gone)
    )
    assert (there.status_code, there.content) == (not_there.status_code, not_there.content)
