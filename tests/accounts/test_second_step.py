"""R38: so many wrong codes for an account, from any address; and links that work once."""

from threading import Barrier, Thread
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.cache import cache
from django.db import connection
from django.test import Client

from accounts.models import OneTimeLink, User
from accounts.operations.people import make_link, use_link
from engine.errors import Refusal
from tests import conftest

CODE = "/accounts/2fa/authenticate/"
WRONG = "000000"


@pytest.fixture
def codes(ada: User) -> list[str]:
    """Ada's recovery codes; a second step is asked of her."""
    TOTP.activate(ada, generate_totp_secret())
    return RecoveryCodes.activate(ada).get_unused_codes()


def browser(number: int, email: str, password: str) -> Client:
    client = Client(REMOTE_ADDR=f"203.0.113.{number}")
    answer = client.post("/accounts/login/", {"login": email, "password": password})
    assert answer.headers["Location"].startswith(CODE)
    return client


def statuses(ada: User, password: str, count: int) -> list[int]:
    """What wrong codes are answered, each from another address."""
    browsers = [browser(number, ada.email, password) for number in range(count)]
    return [one.post(CODE, {"code": WRONG}).status_code for one in browsers]


@pytest.mark.django_db
def test_sixth_wrong_code_is_refused_from_whatever_address(ada, codes, password):
    assert statuses(ada, password, 8) == [422] * 5 + [429] * 3
    late = browser(99, ada.email, password)  # the password page stays open
    answer = late.post(CODE, {"code": codes[0]})
    assert answer.status_code == 429
    assert "Too many wrong codes" in answer.content.decode()
    cache.clear()  # five minutes later
    assert late.post(CODE, {"code": codes[0]}).status_code == 302


@pytest.mark.django_db
def test_without_the_limit_every_code_is_looked_at(ada, codes, password, settings):
    """The negative control."""
    settings.SECOND_STEP_RATES = {}
    assert statuses(ada, password, 8) == [422] * 8


@pytest.mark.django_db
def test_right_code_forgets_the_wrong_ones_and_others_have_their_own(
    ada: User, ben: User, codes: list[str], password: str
) -> None:
    assert statuses(ada, password, 4) == [422] * 4
    good = browser(50, ada.email, password)
    assert good.post(CODE, {"code": codes[0]}).status_code == 302
    assert statuses(ada, password, 6) == [422] * 5 + [429]
    TOTP.activate(ben, generate_totp_secret())
    assert statuses(ben, password, 1) == [422]


@pytest.mark.django_db(transaction=True)
def test_link_raced_by_many_signs_in_once(ada: User) -> None:
    """On PostgreSQL a joined update let several in."""
    assert [race(make_link(ada.pk)) for _ in range(5)] == [[ada.pk]] * 5


def race(token: str) -> list[int]:
    together, accepted = Barrier(8), []

    def use() -> None:
        try:
            together.wait()
            accepted.append(use_link(token).pk)
        except Refusal:
            pass
        finally:
            connection.close()

    threads = [Thread(target=use) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return accepted


@pytest.mark.django_db
def test_link_of_a_switched_off_account_is_not_used_up(ada: User) -> None:
    token = make_link(ada.pk)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    with pytest.raises(Refusal):
        use_link(token)
    User.objects.filter(pk=ada.pk).update(is_active=True)
    assert use_link(token) == ada


@pytest.mark.django_db
def test_sign_up_tells_a_stranger_of_no_account(ada, settings, mailoutbox, monkeypatch):
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"

    def told(email: str) -> tuple[Any, ...]:
        client = Client()
        form = {"email": email, "password1": "lantern-on-the-quay", "name": "Cleo"}
        answer = client.post("/accounts/signup/", form)
        page = client.get(answer.headers.get("Location", "/"))
        cookies = sorted(client.cookies)
        words = page.content.decode().replace(email, "")
        return answer.status_code, answer.headers.get("Location"), cookies, words

    free = told("cleo@example.org")
    assert free[0] == 302
    assert told(ada.email) == free
    assert [mail.to for mail in mailoutbox] == [["cleo@example.org"], [ada.email]]
    # The same address twice at once: the second meets the first one's row.
    monkeypatch.setattr(
        "allauth.account.forms.BaseSignupForm.validate_unique_email",
        lambda self, value: value,
    )
    assert told(ada.email)[:2] == free[:2]


@pytest.mark.django_db
def test_update_over_a_join_fails_any_test(ada, monkeypatch):
    """The negative control of what the tests watch every update of the site for."""
    monkeypatch.setattr(conftest, "is_called_by_site", lambda: True)
    with pytest.raises(AssertionError, match="over a join"):
        OneTimeLink.objects.filter(user__is_active=True).update(used_at=None)
