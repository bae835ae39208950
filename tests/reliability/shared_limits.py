"""Every limit that counts requests, found in the code, and how each is reached.

A limit that is counted in the shared cache has a row in `REACHED`: what one more try is. The others
are in `APART`, with the reason why each machine has its own, or in `UNREACHED`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType

from allauth.account.models import EmailAddress
from allauth.core.internal.ratelimit import get_rates
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse
from django.utils.module_loading import import_string
from rest_framework.throttling import BaseThrottle

from accounts.models import User
from tests.factories import make_legal_warband, make_user
from tests.guards.limits import product_modules, text_of
from tests.reliability.machines import (
    API_RATE,
    Answer,
    Browser,
    Machines,
    moved,
    new_address,
)
from tests.reliability.server import Server

Limit = tuple[str, str]  # what is counted, and how much of it, as the code says it
Try = Callable[[Server], bool]  # one more on this machine; whether it was refused
RATE = re.compile(r"\d+/[0-9.]*[a-z]+(/(ip|user|key))?")
PLACES = re.compile(r"\b(BoundedSemaphore|Semaphore|flock|open_by_address)\b")
API = "API_RATE"
PASSWORD = "halberd-and-lantern"
SLOW = ["django.contrib.auth.hashers.Argon2PasswordHasher"]


# What there is


def found_limits() -> set[Limit]:
    """Every limit that counts requests in the shared cache."""
    return {*allauth_limits(), *own_limits(), *api_limits()}


def allauth_limits() -> Iterator[Limit]:
    for app in settings.INSTALLED_APPS:
        rates: Mapping[str, str] = {}
        with suppress(ImportError):
            rates = import_string(f"{app}.app_settings.RATE_LIMITS")
        for action in rates:
            for rate in get_rates(app=app, action=action):
                yield action, f"{rate.amount}/{rate.duration:g}s/{rate.per}"


def own_limits() -> Iterator[Limit]:
    """What the site's own code and settings count, by a table of actions and rates."""
    for module in product_modules():
        for value in vars(module).values():
            for action in value if is_rates(value) else ():
                for rate in get_rates(app="", action=action, config=value):
                    yield action, f"{rate.amount}/{rate.duration:g}s/{rate.per}"


def is_rates(value: object) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    return all(isinstance(rate, str) and RATE.fullmatch(rate) for rate in value.values())


def api_limits() -> Iterator[Limit]:
    """The rates of the API: classes of the product that count calls."""
    for module in product_modules():
        for value in vars(module).values():
            is_rate = isinstance(value, type) and issubclass(value, BaseThrottle)
            if is_rate and value.__module__ == module.__name__:
                yield value.__name__, API


def counted_actions() -> set[str]:
    """What the product's code asks allauth to count, by the names in its calls."""
    named = re.compile(r"""\baction["']?\s*[=:]\s*["'](\w+)["']""")
    texts = [text_of(module) for module in product_modules()]
    return {one for text in texts if "ratelimit" in text for one in named.findall(text)}


def places_of_a_process() -> set[str]:
    """Where the product's code counts in a process or on a machine."""
    return {
        f"{module.__name__}.{name}"
        for module in product_modules()
        for name in PLACES.findall(text_of(module))
    }


# How each is reached


def statuses(ask: Callable[[Server], Answer], *, refused: int = 429) -> Try:
    return lambda server: ask(server).status == refused


def sent(name: str, form: Mapping[str, str], *arguments: str) -> Callable[[Machines], Try]:
    """A form of nobody's, always from the same address."""

    def begin(machines: Machines) -> Try:
        browser, path = Browser(), reverse(name, args=arguments)
        return statuses(lambda server: browser.post(server, path, form))

    return begin


def opened(path: str, **headers: str) -> Callable[[Machines], Try]:
    def begin(machines: Machines) -> Try:
        browser = Browser(**headers)
        return statuses(lambda server: browser.get(server, path))

    return begin


def signed_in() -> tuple[User, Browser]:
    user, client = make_user(password=PASSWORD), Client()
    client.force_login(user)
    return user, Browser(client.cookies[settings.SESSION_COOKIE_NAME].value)


def sent_by_somebody(name: str) -> Callable[[Machines], Try]:
    """An empty form of somebody who is signed in, each time from another address."""

    def begin(machines: Machines) -> Try:
        _, browser = signed_in()
        return statuses(lambda server: moved(browser).post(server, reverse(name)))

    return begin


def new_links(machines: Machines) -> Try:
    browser, path = Browser(), reverse("account_reset_password")

    def ask(server: Server) -> Answer:
        return browser.post(server, path, {"email": f"{new_address()}@example.org"})

    return statuses(ask)


def new_links_for_one(machines: Machines) -> Try:
    path, form = reverse("account_reset_password"), {"email": "nobody@example.org"}
    return statuses(lambda server: Browser().post(server, path, form))


def mails_to_confirm(machines: Machines) -> Try:
    """Mails to one address; what is refused is not sent, and the page says nothing."""
    user, browser = signed_in()
    form = {"email": user.email, "action_send": "1"}

    def is_refused(server: Server) -> bool:
        before = mails_in(machines)
        browser.post(server, reverse("account_email"), form)
        return mails_in(machines) == before

    return is_refused


def mails_in(machines: Machines) -> int:
    files = machines.mails.glob("*") if machines.mails.exists() else ()
    return sum(file.read_bytes().count(b"Message-ID:") for file in files)


def wrong_codes(machines: Machines) -> Try:
    """Codes of the second step, after a password that was typed on one machine."""
    # The servers know no cheap hash of a password.
    with override_settings(PASSWORD_HASHERS=SLOW):
        user = make_user(password=PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    TOTP.activate(user, generate_totp_secret())
    browser = Browser()
    form = {"login": user.email, "password": PASSWORD}
    answer = browser.post(machines.one, reverse("account_login"), form)
    path = reverse("mfa_authenticate")
    assert answer.where.startswith(path), answer
    return statuses(lambda server: moved(browser).post(server, path, {"code": "000000"}))


def documents(machines: Machines) -> Try:
    warband = make_legal_warband(visibility="link")
    return opened(reverse("sheet-pdf", args=[warband.token]))(machines)


REACHED: Mapping[Limit, Callable[[Machines], Try]] = MappingProxyType(
    {
        ("login", "30/60s/ip"): sent("account_login", {}),
        ("login_failed", "10/300s/ip"): sent(
            "account_login", {"login": "nobody@example.org", "password": "wrong"}
        ),
        ("signup", "20/60s/ip"): sent("account_signup", {}),
        ("change_password", "5/60s/user"): sent_by_somebody("account_change_password"),
        ("manage_email", "10/60s/user"): sent_by_somebody("account_email"),
        ("reauthenticate", "10/60s/user"): sent_by_somebody("account_reauthenticate"),
        ("reset_password", "20/60s/ip"): new_links,
        ("reset_password", "5/60s/key"): new_links_for_one,
        ("reset_password_from_key", "20/60s/ip"): sent(
            "account_reset_password_from_key", {}, "1", "no-such-key"
        ),
        ("confirm_email", "1/180s/key"): mails_to_confirm,
        ("second_step", "5/300s/key"): wrong_codes,
        ("club_code", "10/300s/ip"): opened("/clubs/join/CCCCCC/"),
        ("report", "5/3600s/ip"): sent(
            "report-new", {"page": "/", "reason": "figure", "words": "It is wrong."}
        ),
        ("wrong_token", "30/60s/ip"): opened("/api/v1/clubs/", Authorization="Bearer none"),
        ("pdf", "60/300s/ip"): documents,
        ("PerAddress", API): opened("/api/v1/site/"),
        ("PerBattle", API): opened(f"/api/v1/battles/{'x' * 16}/"),
    }
)
UNREACHED: Mapping[str, str] = MappingProxyType(
    {
        "change_phone": "account_change_phone",
        "verify_phone": "account_verify_phone",
        "request_login_code": "account_request_login_code",
        "webauthn_login": "mfa_login_webauthn",
        "ToldRate": "",
    }
)
"""What counts nothing here, with the route that would: the site has none of them. `ToldRate` is
what the API's two rates have in common."""
APART: Mapping[str, str] = MappingProxyType(
    {
        "config.server.open_by_address": "a connection costs the memory of its own machine",
        "warbands.pdf.press.BoundedSemaphore": "a document is drawn by its own machine",
        "warbands.pdf.press.flock": "two documents at once are what one machine draws",
        "config.site_lock.flock": "whether a server runs in this folder",
    }
)


def amount_of(limit: Limit) -> int:
    return API_RATE if limit[1] == API else int(limit[1].partition("/")[0])


def tried(machines: Machines, limit: Limit) -> list[bool]:
    """Whether each try was refused, by turns on the two: as many as are taken, and one on each."""
    one_more, both = REACHED[limit](machines), machines.both
    return [one_more(both[place % 2]) for place in range(amount_of(limit) + 2)]


def expected(limit: Limit) -> list[bool]:
    return [False] * amount_of(limit) + [True] * 2
