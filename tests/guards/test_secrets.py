"""No password, token, e-mail address or session key in a log line, an address or an error page."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.operations.people import make_link
from config import logs
from tests.guards.cast import World
from tests.guards.pages import pages_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PASSWORD = "s3cret-banner-in-the-wind"
WRONG = "wr0ng-halberd-of-the-mill"
EMAIL = "secretive.person@example.org"


class Lines(logging.Handler):
    """Every record of every logger, as the site would write it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        options = dict(logs.settings("DEBUG")["formatters"]["json"])
        self.setFormatter(options.pop("()")(**options))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """What the site logs, at the levels it has in service, everything else as loud as it can be."""
    handler = Lines()
    root = logging.getLogger()
    before, root.level = root.level, logging.DEBUG
    quiet = ["django.db.backends", "weasyprint", "fontTools", "faker", "hypothesis"]
    levels = {name: logging.getLogger(name).level for name in quiet}
    for name in quiet:
        logging.getLogger(name).setLevel(logging.WARNING)
    root.addHandler(handler)
    try:
        yield handler.lines
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def come_and_go(world: World) -> tuple[list[str], list[str]]:
    """Sign-up, sign-in, a wrong password, a one-time link, a second step: what is secret of it, and
    the pages seen.
    """
    client, seen = Client(raise_request_exception=False), []

    def post(name: str, sent: dict[str, Any], *args: str) -> Any:
        answer = client.post(reverse(name, args=args), sent)
        seen.append(answer.content.decode("utf-8", "replace"))
        return answer

    signed_up = post(
        "account_signup", {"email": EMAIL, "password1": PASSWORD, "name": "Secretive"}
    )
    assert signed_up.status_code == 302
    sessions = [client.cookies[site.SESSION_COOKIE_NAME].value]
    post("account_reauthenticate", {"password": WRONG})
    post(
        "account_change_password",
        {"oldpassword": WRONG, "password1": PASSWORD, "password2": PASSWORD},
    )
    post("account_email", {"email": "owner@example.org"})
    post("account_close", {"confirm": "somebody.else@example.org"})
    client.get(reverse("mfa_activate_totp"))
    second = str(client.session.get("mfa.totp.secret", ""))
    post("mfa_activate_totp", {"code": "123456"})
    post("account_logout", {})
    wrong = post("account_login", {"login": EMAIL, "password": WRONG})
    assert wrong.status_code == 422
    assert post("account_login", {"login": EMAIL, "password": PASSWORD}).status_code == 302
    sessions.append(client.cookies[site.SESSION_COOKIE_NAME].value)
    post("account_logout", {})
    assert world.cast["stranger"].user is not None
    token = make_link(world.cast["stranger"].user.pk)
    client.get(reverse("account_link", args=[token]))
    assert post("account_link", {}, token).status_code == 302
    sessions.append(client.cookies[site.SESSION_COOKIE_NAME].value)
    client.get(reverse("account_link", args=[token]))
    tokens = [world.warbands[name].token for name in ("private", "link")]
    seen += [client.get(reverse("warband-read", args=[t])).content.decode() for t in tokens]
    csrf = client.cookies[site.CSRF_COOKIE_NAME].value
    secrets = [
        PASSWORD,
        WRONG,
        EMAIL,
        token,
        csrf,
        *sessions,
        *tokens,
        *([second] if second else []),
    ]
    return secrets, seen


def test_logs_hold_no_secret_of_coming_and_going(world: World, lines: list[str]) -> None:
    secrets, _ = come_and_go(world)
    assert len(secrets) > 7
    assert all(len(secret) > 8 for secret in secrets)
    assert len(lines) > 10
    for secret in secrets:
        assert [line for line in lines if secret in line] == [], secret
    for line in lines:
        assert "@example.org" not in line


def test_pages_repeat_no_password_and_no_session(world: World) -> None:
    secrets, seen = come_and_go(world)
    sessions = [
        secret
        for secret in secrets
        if len(secret) == 32 and secret not in (PASSWORD, WRONG)
    ]
    assert len(seen) > 8
    for page in seen:
        for secret in (PASSWORD, WRONG, *sessions[1:]):
            assert secret not in page


def test_programs_token_is_told_to_nobody(world: World, lines: list[str]) -> None:
    """Shown once to its maker; sent rightly, wrongly, in an address and in a body, and while the
    database is broken.
    """
    browser, program = world.cast["owner"].client(), Client(raise_request_exception=False)
    made = (
        browser.post(reverse("account_tokens"), {"name": "Score", "days": "30"})
        .context["made"]
        .text
    )
    prefix, _, secret = made.partition("_")
    address, sent = (
        reverse("api-battle-read", args=[world.battles["private"].token]),
        f"Bearer {made}",
    )
    seen = [browser.get(reverse("account_tokens")), browser.get(reverse("account_profile"))]
    seen += [
        program.get(address, headers={"Authorization": header})
        for header in (sent, f"{sent}a", f"Token {made}")
    ]
    seen += [
        program.get(f"{address}?token={made}"),
        program.get(f"/nothing/{made}/"),
        program.get(f"/{made}"),
    ]
    seen += [
        program.post(
            reverse("api-battle-open"), {"token": made}, content_type="application/json"
        )
    ]
    with connection.execute_wrapper(lambda *_: 1 / 0):
        broken = program.get(address, headers={"Authorization": sent})
    assert broken.status_code == 500
    assert [answer.status_code for answer in seen[2:5]] == [200, 401, 404]
    for answer in (*seen, broken):
        assert secret not in answer.content.decode()
        assert secret not in str(answer.headers)
    assert [line for line in lines if secret in line or prefix in line] == []


@pytest.mark.parametrize("broken", ["database", "code"])
def test_error_pages_and_their_log_lines_tell_nothing(world, lines, share, broken):
    """Every page while something is broken: words and a status, none of what the error or the
    request held. The plain run asks one of three.
    """
    secret = f"s3cret-detail {EMAIL}"

    def fail(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        from django.db import OperationalError

        raise OperationalError(secret) if broken == "database" else RuntimeError(secret)

    failed = 0
    for page in share(pages_of(world, "club"), 3, broken == "code"):
        client = world.cast["owner"].client()
        with connection.execute_wrapper(fail):
            answer = client.get(page.url, {"password": PASSWORD})
        assert (
            answer.status_code in (503,)
            if answer.status_code >= 500 and broken == "database"
            else True
        ), page.url
        if answer.status_code >= 500:
            failed += 1
            page_text = answer.content.decode()
            assert "s3cret" not in page_text, page.url
            assert "Traceback" not in page_text, page.url
            assert EMAIL not in page_text
            assert len(page_text) > 20
    assert failed > 10
    assert [line for line in lines if EMAIL in line or PASSWORD in line] == []
