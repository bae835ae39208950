"""R42: no cache may store what depends on who asks, on any address, and Vary names what decides. What
a browser may keep for its reader holds no key.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.urls import Resolver404, resolve

from accounts.api.endpoints import PublicView
from config import middleware, service_worker
from tests.conftest import Share
from tests.guards.cast import World
from tests.guards.pages import pages_of, wrong_pages
from tests.guards.routes import routes

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PROBES = {"/healthz", "/readyz"}
# Read by the code, and no part of what an answer to GET holds: they come with a change, or ask
# whether an answer still holds.
OF_CHANGES = {"If-Match", "Idempotency-Key", "If-None-Match"}
BOOKS = 11  # addresses of rule books in the API
APPS = (
    "accounts", "battles", "campaigns", "clubs", "config", "jobs", "notices", "warbands",
)  # fmt: skip


def faults_of(url: str, answer: HttpResponse) -> list[str]:
    """What a cache could keep of an answer, or serve to somebody else."""
    is_api = url.startswith("/api/")
    needed = middleware.DECIDING_API if is_api else middleware.DECIDING
    named = {name.strip() for name in answer.get("Vary", "").split(",")}
    missing = [name for name in needed if name not in named]
    stored = answer.get("Cache-Control") != "private, no-store"
    return [f"{url}: {answer.get('Cache-Control')}, Vary lacks {missing}"] * (
        stored or bool(missing)
    )


def asked(world: World, share: Share, who: str) -> Iterator[tuple[str, HttpResponse]]:
    everybody = {
        route.template for route in routes() if route.name in middleware.FOR_EVERYBODY
    }
    pages = [*pages_of(world, "public"), *wrong_pages()]
    for page in share(pages, 3, who == "owner"):
        if page.url in PROBES or page.url.lstrip("/") in everybody:
            continue
        answer = world.cast[who].client().get(page.url)
        if not (is_book(page.url) and answer.status_code == 200):
            yield page.url, answer


def is_book(url: str) -> bool:
    """Whether a rule book of the API stands there; what it refuses depends on who asks."""
    try:
        view = getattr(resolve(url.split("?")[0]).func, "cls", None)
    except Resolver404:
        return False
    return isinstance(view, type) and issubclass(view, PublicView)


@pytest.mark.parametrize("who", ["owner", "nobody"])
def test_no_answer_may_be_stored(world: World, share: Share, who: str) -> None:
    faults, count = [], 0
    for url, answer in asked(world, share, who):
        faults += faults_of(url, answer)
        count += 1
    assert faults == []
    assert count > 40


def test_files_for_everybody_hold_nobody(world: World) -> None:
    named = [route for route in routes() if route.name in middleware.FOR_EVERYBODY]
    assert len(named) == len(middleware.FOR_EVERYBODY)
    books = [
        page.url
        for page in pages_of(world, "public")
        if page.url.startswith("/api/") and is_book(page.url)
    ]
    assert len(set(books)) == BOOKS
    for url in [*(route.url({}) for route in named), *books]:
        answers = [world.cast[who].client().get(url) for who in ("nobody", "owner")]
        assert answers[0].content == answers[1].content
        for answer in answers:
            assert not answer.cookies
            assert answer.get("Cache-Control") != "private, no-store"


def test_guard_sees_an_answer_that_may_be_stored(world, monkeypatch):
    """The negative control."""
    monkeypatch.setattr(middleware, "FOR_EVERYBODY", frozenset({"account_profile"}))
    client = world.cast["owner"].client()
    assert faults_of("/accounts/", client.get("/accounts/profile/"))


def test_vary_names_every_header_that_the_code_reads(project_root: Path) -> None:
    """A header that a view begins to read fails here until it is named."""
    read: set[str] = set()
    for app in APPS:
        for path in (project_root / app).rglob("*.py"):
            read |= set(re.findall(r"headers\.get\(\s*\"([A-Za-z-]+)\"", path.read_text()))
    named = {*middleware.DECIDING, *middleware.DECIDING_API, *OF_CHANGES}
    answers = {"Allow", "Cache-Control", "Vary", "Retry-After", "Content-Type"}
    assert {"Authorization", "Origin"} <= read
    assert read - answers <= named


def secrets_of(world: World) -> set[str]:
    """What opens something for whoever has it: codes, links, keys of battles, calendars."""
    secrets = {world.club.code, world.link, world.own["screen"]}
    secrets |= {battle.key for battle in world.battles.values()}
    for who in ("owner", "organiser"):
        url = f"/leagues/{world.events['club'].token}/files/"
        page = world.cast[who].client().get(url).content.decode()
        secrets |= set(re.findall(r"fixtures\.ics\?[^\"#&]+", page))
    return secrets - {""}


@pytest.mark.parametrize("who", ["owner", "organiser", "mate"])
def test_device_keeps_no_key_and_no_list_of_others(world: World, who: str) -> None:
    """What the header allows a browser to keep, of the pages that it may name."""
    secrets, client = secrets_of(world), world.cast[who].client()
    assert len(secrets) > 4
    kept = set()
    for page in pages_of(world, "club"):
        if page.name not in service_worker.KEPT:
            continue
        answer = client.get(page.url)
        if answer.has_header("X-Keep"):
            kept.add(page.name)
            text = answer.content.decode()
            assert [secret for secret in secrets if secret in text] == [], page.url
    rosters = {"warband-read", "sheet-read", "sheet-reference"}
    assert kept & rosters == (rosters if who == "owner" else set())
    assert {"home", "event-read", "army-detail"} <= kept
