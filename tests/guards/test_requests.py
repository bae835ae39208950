"""Requests no browser sends: each is answered in words with a 4xx, and changes nothing."""

import pytest
from django.test import Client

from tests.conftest import Share
from tests.guards.cast import World
from tests.guards.forms import Form
from tests.guards.pages import Page, is_html, pages_of
from tests.guards.watching import rows, statements_that_write, taken_back
from warbands.views import sheets

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

NUL = [
    "/%00", "/warbands/%00/", "/rules/search/?q=%00", "/rules/search/?%00=1",
    "/warbands/public/?search=a%00b",
]  # fmt: skip
CONTENT_TYPES = [
    "", "text/plain", "application/json", "application/xml", "multipart/form-data",
    "image/png", "x" * 300,
]  # fmt: skip
OVERRIDES = [
    "X-HTTP-Method-Override",
    *(
        pytest.param(name, marks=pytest.mark.soak)
        for name in ("X-HTTP-Method", "X-Method-Override")
    ),
]
# What a path or a query can hold that is no text, no key and no number.
ODD = [
    "%ff%fe", "%ED%A0%80", "..%2f..%2fetc%2fpasswd", "%E2%80%AE", "%0d%0aSet-Cookie:x=1",
    "a" * 3000, "%25%7B7*7%7D",
]  # fmt: skip


def test_forged_form_is_told_to_try_again_and_changes_nothing(world, found):
    """Every form, without its token: 403 on a page that says what to do."""
    before, refused = rows(), 0
    for form in found.values():
        if form.method == "post":
            answer = (
                world.cast[form.who]
                .client(enforce_csrf_checks=True)
                .post(form.url, form.filled())
            )
            assert answer.status_code == 403, form.route
            assert b"open for too long" in answer.content, form.route
            refused += 1
    assert refused > 25
    assert rows() == before


def test_nul_anywhere_in_an_address_is_refused_in_words(client: Client) -> None:
    for url in NUL:
        answer = client.get(url)
        assert answer.status_code == 400, url
        assert b"NUL" in answer.content


def is_quick(page: Page) -> bool:
    """Whether a page takes but a moment; the description of the API takes half a second and answers
    no question.
    """
    return "?" not in page.url and page.name != "schema-read"


# What pages may be asked.
QUESTIONS = [
    *("q", "page", "search", "army", "paper", "parts", "copy", "big", "open", "fold"),
    *("from", "pane", "show", "in", "a", "b", "row", "column", "chart", "beside"),
]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:12])
def test_odd_addresses_and_questions_are_4xx_or_answered(world, monkeypatch, share, odd):
    """Every address with something odd in its path, in all it may be asked at once, and in one
    question of these.

    The plain run asks each odd thing of one address in twenty, beginning elsewhere.
    """
    monkeypatch.setattr(sheets, "kept_roster_pdf", lambda *args, **kwargs: b"%PDF-")
    monkeypatch.setattr(sheets, "blank_pdf", lambda *args, **kwargs: b"%PDF-")
    client, asked = world.cast["owner"].client(), 0
    everything = "&".join(f"{name}={odd}" for name in QUESTIONS)
    quick = list(enumerate(page for page in pages_of(world) if is_quick(page)))
    for number, page in share(quick, 20, ODD.index(odd)):
        one = QUESTIONS[(number + len(odd)) % len(QUESTIONS)]
        parts = page.url.strip("/").split("/")
        bent = ["/" + "/".join([*parts[:-1], odd]) + "/", f"{page.url}{odd}/"]
        with statements_that_write() as written:
            for url in (
                f"{page.url}?{everything}",
                f"{page.url}?{one}={odd}",
                f"{page.url}?{odd[:50]}=1",
                *bent,
            ):
                answer = client.get(url)
                assert answer.status_code < 500, url
                assert "Set-Cookie:x" not in str(answer.headers), url
                asked += 1
        assert written == [], page.url
    assert asked >= 30
    assert len(quick) > 60


@pytest.mark.parametrize("header", OVERRIDES)
def test_method_override_is_not_listened_to(world, share, header):
    before, asked = rows(), 0
    client = world.cast["owner"].client()
    plain = [
        page
        for page in pages_of(world, "club")
        if not page.name.endswith("-pdf") and "?" not in page.url
    ]
    for page in share(plain, 13, OVERRIDES.index(header)):
        with statements_that_write() as written:
            client.get(page.url, headers={header: "POST"})
            client.get(f"{page.url}?_method=POST", headers={header: "DELETE"})
        assert written == [], page.url
        asked += 1
    assert asked > 10
    assert len(plain) > 100
    assert rows() == before


@pytest.mark.parametrize("kind", CONTENT_TYPES, ids=lambda kind: kind[:20] or "none")
def test_odd_content_types_are_4xx_or_an_empty_form(world, found, share, kind):
    bodies = [
        b"\x00\xff\xfe",
        b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n',
    ]
    sent = 0
    for form in share(
        [form for form in found.values() if form.method == "post"],
        11,
        CONTENT_TYPES.index(kind),
    ):
        for body in bodies:
            with taken_back():
                answer = (
                    world.cast[form.who]
                    .client()
                    .generic("POST", form.url, body, content_type=kind)
                )
            assert answer.status_code < 500, (form.route, body)
            sent += 1
    assert sent > 20


def test_huge_bodies_are_refused_unread(world: World, found: dict[str, Form]) -> None:
    before, refused = rows(), 0
    for form in found.values():
        if form.method != "post":
            continue
        client = world.cast[form.who].client()
        kind = "application/x-www-form-urlencoded"
        lengths = [("9" * 400, 413), ("-1", 400), ("1e9", 400)]
        if (
            form.controls
        ):  # a view without any never reads what is sent; the check of the token does
            lengths.append(("3000001", 413))
        for length, status in lengths:
            answer = client.generic(
                "POST", form.url, b"a=1", content_type=kind, CONTENT_LENGTH=length
            )
            assert answer.status_code == status, (form.route, length)
        if form.controls:
            many = "&".join(f"f{n}=1" for n in range(2500)).encode()
            assert (
                client.generic("POST", form.url, many, content_type=kind).status_code == 400
            ), form.route
        refused += 1
    assert refused > 25
    assert rows() == before


def test_wrong_host_is_refused_everywhere_but_for_the_probes(world: World) -> None:
    asked = 0
    for page in pages_of(world):
        if "?" in page.url:
            continue
        answer = (
            world.cast["nobody"].client().get(page.url, headers={"host": "evil.example"})
        )
        assert answer.status_code == (
            200 if page.name in ("health-check", "ready-check") else 400
        ), page.url
        assert b"evil.example" not in answer.content
        asked += 1
    assert asked > 60


def test_absolute_addresses_are_those_of_the_site(world, share, settings):
    """Whatever name of the site a page is asked by: a link that is passed on leads to SITE_URL."""
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "other.example"]
    asked = named = 0
    for page in share(pages_of(world, "club"), 3):
        client = world.cast["owner" if asked % 2 else "organiser"].client()
        answer = client.get(page.url, headers={"host": "other.example"})
        assert "other.example" not in str(answer.headers), page.url
        text = b"" if answer.streaming else answer.content
        assert b"other.example" not in text, page.url
        named += settings.SITE_URL.encode() in text
        asked += 1
    assert asked > 20
    assert named > 1


def test_forwarded_headers_are_not_believed(world: World, share: Share) -> None:
    """Without a proxy in front anybody may type them: no page and no redirect names what they say."""
    headers = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "192.0.2.1",
    }
    asked = 0
    for page in share(pages_of(world, "club"), 7, 2):
        answer = world.cast["owner"].client().get(page.url, headers=headers)
        assert "evil.example" not in str(answer.headers), page.url
        assert not is_html(answer) or b"evil.example" not in answer.content, page.url
        asked += 1
    assert asked > 20
