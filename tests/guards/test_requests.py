"""Requests no browser sends: each is answered in words with a 4xx, and changes nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.guards.cast import World
from tests.guards.forms import forms_of
from tests.guards.pages import is_html, pages_of
from tests.guards.watching import rows, statements_that_write, taken_back

pytestmark = pytest.mark.django_db

NUL = ["/%00", "/warbands/%00/", "/rules/search/?q=%00", "/rules/search/?%00=1", "/warbands/public/?search=a%00b"]
CONTENT_TYPES = ["", "text/plain", "application/json", "application/xml", "multipart/form-data", "image/png", "x" * 300]
OVERRIDES = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]
# What a path or a query can hold that is no text, no key and no number.
ODD = ["%ff%fe", "%ED%A0%80", "..%2f..%2fetc%2fpasswd", "%E2%80%AE", "%0d%0aSet-Cookie:x=1", "a" * 3000, "%25%7B7*7%7D"]


def test_forged_form_is_told_to_try_again_and_changes_nothing(world: World) -> None:
    """Every form, without its token: 403 on a page that says what to do."""
    before, refused = rows(), 0
    for form in forms_of(world).values():
        if form.method == "post":
            answer = world.cast[form.who].client(enforce_csrf_checks=True).post(form.url, form.filled())
            assert answer.status_code == 403, form.route
            assert b"gone stale" in answer.content, form.route
            refused += 1
    assert refused > 25
    assert rows() == before


def test_nul_anywhere_in_an_address_is_refused_in_words(client: Client) -> None:
    for url in NUL:
        answer = client.get(url)
        assert answer.status_code == 400, url
        assert b"NUL" in answer.content


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:12])
def test_odd_addresses_and_questions_are_4xx_or_answered(world: World, odd: str) -> None:
    """Every address with something odd as each of its arguments and as every question it may be asked."""
    client, asked = world.cast["owner"].client(), 0
    for page in pages_of(world):
        path, _, query = page.url.partition("?")
        urls = [f"{path}?{name}={odd}" for name in ("q", "page", "search", "army", "paper", "open", "from", odd[:50])]
        parts = path.strip("/").split("/")
        urls += ["/" + "/".join([*parts[:-1], odd]) + "/", f"{path}{odd}/"]
        with statements_that_write() as written:
            for url in urls if not query else []:
                answer = client.get(url)
                assert answer.status_code < 500, url
                assert "Set-Cookie:x" not in str(answer.headers), url
                asked += 1
        assert written == [], page.url
    assert asked > 400


@pytest.mark.parametrize("header", OVERRIDES)
def test_method_override_is_not_listened_to(world: World, header: str) -> None:
    before, asked = rows(), 0
    client = world.cast["owner"].client()
    for page in pages_of(world, "club"):
        if not page.name.endswith("-pdf") and "?" not in page.url:
            with statements_that_write() as written:
                client.get(page.url, headers={header: "POST"})
                client.get(f"{page.url}?_method=POST", headers={header: "DELETE"})
            assert written == [], page.url
            asked += 1
    assert asked > 50
    assert rows() == before


@pytest.mark.parametrize("kind", CONTENT_TYPES, ids=lambda kind: kind[:20] or "none")
def test_odd_content_types_are_4xx_or_an_empty_form(world: World, kind: str) -> None:
    bodies = [b"", b"\x00\xff\xfe", b'{"name": "x"}', b"--x\r\nContent-Disposition: form-data\r\n\r\n"]
    sent = 0
    for form in forms_of(world).values():
        if form.method != "post":
            continue
        for body in bodies:
            with taken_back():
                answer = world.cast[form.who].client().generic("POST", form.url, body, content_type=kind)
            assert answer.status_code < 500, (form.route, body)
            sent += 1
    assert sent > 100


def test_huge_bodies_are_refused_unread(world: World) -> None:
    before, refused = rows(), 0
    for form in forms_of(world).values():
        if form.method != "post":
            continue
        client = world.cast[form.who].client()
        kind = "application/x-www-form-urlencoded"
        for length, status in (("3000001", 413), ("9" * 400, 413), ("-1", 400), ("1e9", 400)):
            answer = client.generic("POST", form.url, b"a=1", content_type=kind, CONTENT_LENGTH=length)
            assert answer.status_code == status, (form.route, length)
        many = "&".join(f"f{n}=1" for n in range(2500)).encode()
        assert client.generic("POST", form.url, many, content_type=kind).status_code == 400, form.route
        refused += 1
    assert refused > 25
    assert rows() == before


def test_wrong_host_is_refused_everywhere_but_for_the_probes(world: World) -> None:
    asked = 0
    for page in pages_of(world):
        if "?" in page.url:
            continue
        answer = world.cast["nobody"].client().get(page.url, headers={"host": "evil.example"})
        assert answer.status_code == (200 if page.name in ("health-check", "ready-check") else 400), page.url
        assert b"evil.example" not in answer.content
        asked += 1
    assert asked > 60


def test_forwarded_headers_are_not_believed(world: World) -> None:
    """Without a proxy in front anybody may type them: no page and no redirect names what they say."""
    headers = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
    asked = 0
    for page in pages_of(world, "club"):
        answer = world.cast["owner"].client().get(page.url, headers=headers)
        assert "evil.example" not in str(answer.headers), page.url
        assert not is_html(answer) or b"evil.example" not in answer.content, page.url
        asked += 1
    assert asked > 60
