"""What a browser may keep of the site: the worker, its files, and the header that allows a page."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.operations.people import make_link
from config import service_worker
from config.service_worker import KEPT
from tests.factories import make_person, make_user, make_warband
from tests.guards.kinds import KINDS

pytestmark = pytest.mark.django_db
PASSWORD = "halberd-and-lantern-7"
IMPORTED = re.compile(r'from "\./([\w-]+\.js)"')
READ_ONLY = {"open", "read", "own", "content", "read event", "event", "read scenario"}
"""Kinds of pages that hold neither a key nor somebody's account."""


def worker(client: Client) -> tuple[dict[str, Any], str]:
    text = client.get("/sw.js").content.decode()
    first, _, rest = text.partition(";\n")
    return json.loads(first.removeprefix("const RELEASE = ")), rest


def test_worker_keeps_every_file_that_pages_need(client, project_root):
    release, _ = worker(client)
    kept = {str(url).removeprefix("/static/") for url in release["files"]}
    needed: set[str] = set()
    for url in ("/", "/battles/offline/", "/offline/", "/warbands/", "/rules/"):
        html = client.get(url).content.decode()
        needed |= set(re.findall(r'/static/([\w./-]+\.(?:js|css|woff2|svg))["#]', html))
    for path in (project_root / "static/js/battle").glob("*.js"):
        needed |= {f"js/battle/{name}" for name in IMPORTED.findall(path.read_text())}
    assert needed - kept == set()
    assert len(needed) > 30
    assert service_worker.WORKER not in kept
    assert (release["shell"], release["offline"]) == ("/battles/offline/", "/offline/")


def test_worker_is_asked_for_anew_and_rules_the_site(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"
    assert not answer.cookies
    assert reverse("site-worker").count("/") == 1, "its address is its scope"


def test_another_file_is_another_release(client, monkeypatch):
    first, _ = worker(client)
    assert worker(client)[0] == first
    told = service_worker._text
    monkeypatch.setattr(
        service_worker,
        "_text",
        lambda name: told(name) + ("//" if name.endswith("words.js") else ""),
    )
    service_worker._version.cache_clear()
    second, _ = worker(client)
    service_worker._version.cache_clear()
    assert second["version"] != first["version"]
    assert second["files"] == first["files"]


def test_offline_page_is_the_same_for_everybody_and_asks_nothing(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        visitor = client.get("/offline/")
    assert not visitor.cookies
    client.force_login(make_user())
    assert client.get("/offline/").content == visitor.content


def test_own_warband_is_kept_with_its_sheet_and_reference(client: Client) -> None:
    owner = make_user()
    warband = make_warband(actor=make_person(user=owner))
    client.force_login(owner)
    page = f"/warbands/{warband.token}/"
    version, *along = client.get(page)["X-Keep"].split()
    assert version == worker(client)[0]["version"]
    assert along == [f"{page}sheet/", f"{page}sheet/reference/"]
    for url in along:
        assert client.get(url)["X-Keep"] == version
    assert "X-Keep" not in client.get(page, headers={"HX-Request": "true"})
    assert "X-Keep" not in client.post(page)
    assert client.get(page)["Cache-Control"] == "private, no-store"


def test_reader_is_named_by_account(client: Client) -> None:
    ada, ben = make_user(), make_user()
    readers = []
    for user in (None, ada, ben, ada):
        if user:
            client.force_login(user)
        readers.append(client.get("/")["X-Reader"])
    assert readers[1] == readers[3]
    assert len(set(readers)) == 3
    client.post("/accounts/logout/")
    assert client.get("/")["X-Reader"] == readers[0]
    assert str(ada.pk) != readers[1]


@pytest.mark.parametrize("by_link", [False, True])
def test_nothing_is_kept_on_a_shared_device(client: Client, by_link: bool) -> None:
    ada = User.objects.create_user("ada@club.example", PASSWORD, name="Ada")
    sent = {"login": "ada@club.example", "password": PASSWORD}
    for tick, is_kept in (({"shared": "on"}, False), ({}, True)):
        address = "/accounts/login/"
        if by_link:
            address = reverse("account_link", args=[make_link(ada.pk)])
            # Whoever was signed in here before leaves nothing behind, not even the tick.
            client.force_login(make_user(name="Ben"))
        answer = client.post(address, {**sent, **tick})
        assert answer.status_code == 302
        for url in ("/", "/warbands/", "/rules/", "/leagues/"):
            assert ("X-Keep" in client.get(url)) is is_kept, url
        client.post("/accounts/logout/")


def test_only_reading_pages_are_on_the_list() -> None:
    assert {
        name: KINDS.get(name) for name in KEPT if KINDS.get(name) not in READ_ONLY
    } == {}
    assert {name for along in KEPT.values() for name in along} <= set(KEPT)
