"""What no program should send, and what somebody will: always a 4xx that says why, never a 500."""

import itertools
import json

import pytest
from django.conf import settings

from accounts.models import User
from config.settings import API_RATE
from tests.api.conftest import CHECK, SHEET, document, is_refusal, warrior
from tests.factories import make_user

ADDRESSES = pytest.mark.parametrize("address", [CHECK, SHEET])


def nested(depth, opening="[", closing="]"):
    return opening * depth + closing * depth


def with_name(text):
    return json.dumps(document(name="@")).replace('"@"', text)


def with_count(text):
    return json.dumps(document({**warrior("halberdiers"), "count": "@"})).replace(
        '"@"', text
    )


BODIES = {
    "empty": b"",
    "blank": b"   ",
    "not JSON": b"format: muster-roll/1",
    "cut short": json.dumps(document()).encode()[:-2],
    "two documents": b"{}{}",
    "comment": b"{} // yes",
    "trailing comma": b'{"format": "muster-roll/1",}',
    "single quotes": b"{'format': 'muster-roll/1'}",
    "BOM": b"\xef\xbb\xbf" + json.dumps(document()).encode(),
    "UTF-16": json.dumps(document()).encode("utf-16"),
    "bad UTF-8": b'{"name": "\xff\xfe"}',
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "raw surrogate": b'{"name": "\xed\xa0\x80"}',
    **{
        f"top-level {value}": value.encode()
        for value in ("null", "true", "1", '"x"', "[]", "[{}]", "1e400")
    },
    "100,000 deep": nested(100_000),
    "100,000 deep objects": nested(100_000, '{"a":', "}"),
    "960 deep": nested(960),
    "960 deep in a name": with_name(nested(960)),
    "100,000 opened": "[" * 100_000,
    "500,000 opened and closed": "[]" * 500_000,
    "key twice": '{"format": "muster-roll/1", "format": "muster-roll/1"}',
    "key twice in a warrior": json.dumps(document(warrior("captain"))).replace(
        '"profile"', '"profile": 1, "profile"'
    ),
    "escaped key twice": '{"name": "x", "n\\u0061me": "y"}',
    "key twice after 90,000 others": "{"
    + ",".join(f'"{n}":0' for n in range(90_000))
    + ',"89999":0}',
    "90,000 unknown keys": "{" + ",".join(f'"{n}":0' for n in range(90_000)) + "}",
    "90,000 house rules": json.dumps(
        document(house_rules={str(n): True for n in range(60_000)})
    ),
    "long key over a long list": json.dumps({"k" * 500_000: [0] * 150_000}),
    "300,000 warriors": json.dumps(document(*[0] * 300_000)),
    "text of 900 kB": json.dumps(document(name="x" * 900_000)),
    "lone surrogates without end": with_name('"' + "\\ud800" * 150_000 + '"'),
    "backslashes": b'{"name": "' + b"\\" * 900_001 + b'"}',
    "open text": b'{"' + b"x" * 900_000,
    **{
        f"name {text}": with_name(text)
        for text in ("NaN", "Infinity", "-Infinity", "undefined", "'x'", "\x00")
    },
}
NUMBERS = [
    "-1", "0", "2147483648", "9223372036854775808", "9" * 5000, "1e400", "-1e400", "NaN", "Infinity", "true", '"1"',
    "1.0", "1e0", "0x1", "01", "+1", ".5", "٣", "²", '"٣"', '"²"', "-0", "1" + "0" * 19, "1" + "0" * 20,
]  # fmt: skip
TEXTS = {
    "NUL": "\x00", "lone surrogate": "\ud800", "low surrogate": "\udfff",
    "right-to-left override": "\u202eevil", "isolate": "\u2066x", "1 MiB": "x" * 1_048_576,
    "10,000 combining marks": "e" + "\u0301" * 10_000, "newline": "a\nb",
    "line separator": "a\u2028b", "escape": "\x1b[31m", "backspace": "a\bb",
    "201 letters": "x" * 201,
}  # fmt: skip
HARMLESS = [
    "\u200bzero\u200dwidth", "👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿", "<script>alert(1)</script>", "{{7*7}}", "{% load x %}",
    "javascript:alert(1)",
    "data:text/html,<b>", "<svg onload=alert(1)>", "url(https://example.org/x)", "=1+1", "../../etc/passwd", "%s%n",
    "עברית",
]  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_body_that_is_no_document(post, name):
    answer = post(BODIES[name])
    assert answer.status_code == 400, answer.content[:300]
    assert is_refusal(answer)
    assert len(answer.content) < 20_000


@pytest.mark.parametrize("number", NUMBERS)
def test_number_that_is_none_of_ours(post, number):
    for body in (
        with_count(number),
        json.dumps(document(points_limit="@")).replace('"@"', number),
    ):
        answer = post(body)
        if number in ("0", "-0") and "points_limit" in body:  # a limit may be 0
            assert answer.status_code == 200
        else:
            assert answer.status_code == 400, number
            assert is_refusal(answer)


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_cannot_be_kept(post, name):
    text = TEXTS[name]
    for body in (document(name=text), document({**warrior("captain"), "name": text})):
        answer = post(body)
        assert answer.status_code in (400, 413)
        assert is_refusal(answer)


@pytest.mark.parametrize("name", ["NUL", "lone surrogate"])
def test_text_that_cannot_be_kept_anywhere(post, name):
    text = TEXTS[name]
    bodies = [
        document(**{text: 1}),
        document(note=text),
        document(house_rules={text: True}),
        document(system=text),
        document(warrior(text)),
        document(warrior("captain", text)),
        document({**warrior("captain"), text: 1}),
    ]
    for body in bodies:
        assert post(body).status_code == 400
        assert is_refusal(post(body))


def test_text_that_is_only_text(post):
    entries = []
    for text in HARMLESS:
        entry = {**warrior("captain"), "name": text, "note": text}
        assert post(document(entry, name=text, note=text)).status_code == 200
        unknown = post(document(warrior(text, text)))
        assert (unknown.status_code, unknown.json()["points"]) == (200, 0)
        entries += [entry, warrior(text, text)]
    assert post(document(*entries), SHEET).status_code == 200


def test_unknown_names_are_repeated_short_and_printable(post):
    answer = post(document(system="x" * 100, **{"<script>" + "y" * 90: 1}))
    assert is_refusal(answer)
    assert all(len(error["message"]) < 400 for error in answer.json()["errors"])


def test_most_that_may_be_asked_is_answered(post):
    """Entries, options and magic items at their limits, every one of them breaking a rule."""
    from rulesdata import registry

    army = registry.load_army("warhammer-skirmish", "bretonnians")
    items = [item.option_key for item in army.magic_items.values()][:100]
    answer = post(
        document(*[warrior("paladin", *items, count=200)] * 200, army="bretonnians")
    )
    assert answer.status_code == 200
    assert answer.json()["models"] == 40_000


def test_body_above_its_limit(post):
    just = json.dumps(document(note="x")).encode()
    assert post(just + b" " * (1_048_576 - len(just))).status_code == 200
    for size in (1_048_577, 2_621_441, 3_000_001):
        answer = post(just + b" " * (size - len(just)))
        assert answer.status_code == 413, size
        assert is_refusal(answer)


# --- HTTP ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", "Application/JSON", "application/json;x=1"],
)
def test_content_type_with_more_to_it(post, content_type):
    assert post(document(), content_type=content_type).status_code == 200


def test_form_that_says_null(post):
    """The stock parsers answer 500 to this one."""
    for content_type in (
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ):
        assert post(b"data=null", content_type=content_type).status_code == 415


@pytest.mark.parametrize("accept", [
    "", "*/*", "text/html", "application/pdf", "image/*", "application/json;q=0",
    "nonsense", "a/b;q=x", ",",
])  # fmt: skip
def test_any_accept_header_works(post, accept):
    answer = post(document(warrior("captain")), headers={"accept": accept})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    refused = post([], SHEET, headers={"accept": accept})
    assert refused.headers["Content-Type"] == "application/json"
    if accept in ("text/html", "application/json;q=0"):
        pdf = post(document(warrior("captain")), SHEET, headers={"accept": accept})
        assert pdf.headers["Content-Type"] == "application/pdf"


@ADDRESSES
@pytest.mark.django_db
def test_session_cookie_asks_for_no_csrf_token(program, post, address):
    user: User = make_user()
    program.force_login(user)
    assert settings.SESSION_COOKIE_NAME in program.cookies
    answer = post(
        document(warrior("captain")),
        address,
        headers={"origin": "https://elsewhere.example"},
    )
    assert answer.status_code == 200
    assert not answer.cookies


@pytest.mark.parametrize(
    "cookie", ["session=x; csrf=y", "session=" + "x" * 5000, "session=\xff", "=;;="]
)
def test_cookies_are_not_looked_at(post, cookie):
    answer = post(document(warrior("captain")), headers={"cookie": cookie})
    assert answer.status_code == 200


@ADDRESSES
def test_method_is_not_overridden(program, post, address):
    answer = post(document(), address, headers={"x-http-method-override": "DELETE"})
    assert answer.status_code == 200
    assert (
        program.get(address, headers={"x-http-method-override": "POST"}).status_code == 405
    )


@ADDRESSES
def test_options_says_what_is_allowed(program, address):
    answer = program.options(address)
    assert answer.status_code == 200
    assert set(answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}


def test_unknown_address_has_the_same_shape(program):
    for address in ("/api/v1/", "/api/v1/nothing/", "/api/v2/check/", f"{CHECK}x/"):
        answer = program.get(address)
        assert answer.status_code == 404
        assert is_refusal(answer)


def test_nul_in_the_address(program):
    assert is_refusal(program.get("/api/v1/check/%00/"))
    assert is_refusal(program.get("/api/v1/systems/?page=%00"))


# --- Rate ------------------------------------------------------------------------------------------------------------


def test_default_rate_is_600_a_minute():
    assert API_RATE == "600/min"


def test_call_too_many_is_told_when_to_come_back(post, rate):
    rate("3/min")
    assert [post(document()).status_code for _ in range(3)] == [200] * 3
    answer = post(document())
    assert answer.status_code == 429
    assert is_refusal(answer)
    assert "3 calls a minute" in answer.json()["detail"]
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_all_endpoints_count_together_and_refusals_too(program, post, rate):
    rate("3/min")
    assert post([]).status_code == 400
    assert post([], SHEET).status_code == 400
    assert program.get(CHECK).status_code == 405
    assert post(document(), SHEET).status_code == 429


def test_typed_address_does_not_dodge_the_rate(post, rate):
    rate("3/min")
    names = itertools.cycle(
        ["x-forwarded-for", "forwarded", "x-real-ip", "client-ip", "true-client-ip"]
    )
    statuses = [
        post(document(), headers={next(names): f"10.0.0.{n}"}).status_code for n in range(5)
    ]
    assert statuses == [200, 200, 200, 429, 429]


def test_behind_a_trusted_proxy_its_word_counts(post, rate, settings):
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    rate("1/min")
    # the last address is the proxy's own word; what a caller typed before it does not count
    assert (
        post(document(), headers={"x-forwarded-for": "1.1.1.1, 10.0.0.1"}).status_code
        == 200
    )
    assert (
        post(document(), headers={"x-forwarded-for": "2.2.2.2, 10.0.0.1"}).status_code
        == 429
    )
    assert (
        post(document(), headers={"x-forwarded-for": "2.2.2.2, 10.0.0.2"}).status_code
        == 200
    )


def test_other_addresses_have_their_own_count(post, rate):
    rate("1/min")
    assert post(document(), REMOTE_ADDR="10.0.0.1").status_code == 200
    assert post(document(), REMOTE_ADDR="10.0.0.1").status_code == 429
    assert post(document(), REMOTE_ADDR="10.0.0.2").status_code == 200
