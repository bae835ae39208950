"""Bad values through every field of every form: refused with a sentence, or accepted and then readable everywhere."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.urls import reverse

from tests.guards.cast import World
from tests.guards.corpus import BAD_NUMBERS, BAD_TEXTS
from tests.guards.forms import TEXTS, Form, forms_of
from tests.guards.routes import Route, routes
from tests.guards.watching import rows, statements_that_write, taken_back
from warbands.models import Warband

pytestmark = pytest.mark.django_db

VALUES = {**BAD_TEXTS, **BAD_NUMBERS}
URLENCODED = "application/x-www-form-urlencoded"
# Which kinds of field may keep a bad number (False) or text (True), so that it has to be read back.
READ_BACK = {False: {"number"}, True: TEXTS}
READING = (
    "warband-read",
    "sheet-read",
    "sheet-cards",
    "roster-text",
    "roster-markdown",
    "roster-compact",
    "roster-json",
)


def body(sent: dict[str, str | bytes]) -> bytes:
    """A form as a browser that has lost its senses would send it."""

    def quoted(value: str | bytes) -> str:
        return quote(value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass"))

    return "&".join(f"{quoted(name)}={quoted(value)}" for name, value in sent.items()).encode()


def send(world: World, form: Form, sent: dict[str, str | bytes]) -> HttpResponse:
    client = world.cast[form.who].client()
    if form.method == "get":
        url = form.url.partition("#")[0].partition("?")[0]
        return client.get(f"{url}?{body(sent).decode()}")
    return client.generic("POST", form.url, body(sent), content_type=URLENCODED)


def sentence(answer: HttpResponse) -> str:
    """What a refused form says: at its fields, above it, or on the page that stands for it."""
    if "text/html" not in answer["Content-Type"]:
        return answer.content.decode()
    page = answer.content.decode()
    told = re.findall(r'id="[^"]*_error"[^>]*>(.*?)</p>', page, re.DOTALL)
    told += re.findall(r'role="alert"[^>]*>(.*?)</(?:section|div|p|ul)>', page, re.DOTALL)
    told += re.findall(r"<h1[^>]*>.*?</h1>\s*<p[^>]*>(.*?)</p>", page, re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", " ".join(told))).split())


def is_readable(world: World, answer: HttpResponse, form: Form) -> list[str]:
    """The pages that no longer answer after something was accepted."""
    broken = []
    owner, staff = world.cast[form.who].client(), world.cast["staff"].client()
    urls = [reverse("warband-list"), reverse("warband-public"), reverse("account_profile"), reverse("search") + "?q=a"]
    token = re.search(r"/warbands/([\w-]{16})/", form.url)
    newest = Warband.objects.get(token=token[1]) if token else Warband.objects.latest("pk")
    if form.route.startswith(("warband", "warrior", "roster", "finding", "change", "starter")):
        named = {route.name: route for route in routes()}
        urls += [_of(named[name], newest) for name in READING]
        urls += [
            reverse("admin:warbands_warband_change", args=[newest.pk]),
            reverse("admin:warbands_warband_changelist"),
        ]
    if "scenario" in form.route:
        urls += [reverse("scenario-list", args=["warhammer-skirmish"]), reverse("admin:rulesdata_scenario_changelist")]
    if form.route.startswith("account"):
        urls += [reverse("admin:accounts_user_changelist")]
    urls.append(answer.headers["Location"])
    for url in urls:
        client = staff if url.startswith("/admin/") else owner
        status = client.get(url).status_code
        if status not in (200, 302):
            broken.append(f"{form.route}: {url} is {status}")
    return broken


def _of(route: Route, warband: Warband) -> str:
    return route.url({"token": warband.token})


@pytest.fixture(scope="module")
def found(world: World) -> dict[str, Form]:
    return forms_of(world)


def test_the_walk_found_forms(found: dict[str, Form]) -> None:
    fields = [(form.route, name) for form in found.values() for name in form.controls]
    assert len(found) > 35
    assert len(fields) > 100
    assert {"warband-new", "warband-change", "warrior-change", "scenario-edit", "account_signup"} <= {
        f for f, _ in fields
    }


@pytest.mark.parametrize("name", VALUES)
def test_bad_value_is_refused_in_words_or_stays_readable(world: World, found: dict[str, Form], name: str) -> None:
    value, before, faults, told = VALUES[name], rows(), [], 0
    for form in found.values():
        for control in form.sorts():
            sent: dict[str, Any] = {**form.filled(), control.name: value}
            case = f"{form.route} {control.name}={name}"
            with taken_back(), statements_that_write() as written:
                answer = send(world, form, sent)
                told += 1
                if answer.status_code >= 500:
                    faults.append(f"{case}: {answer.status_code}")
                elif answer.status_code >= 400:
                    said = sentence(answer)
                    if len(said) < 15 or "could not read" in said:
                        faults.append(f"{case}: {answer.status_code} says only {said!r}")
                    if written and rows() != before:
                        faults.append(f"{case}: {answer.status_code} and wrote {written[0][:80]}")
                elif (
                    form.method == "post" and answer.status_code == 302 and control.kind in READ_BACK[name in BAD_TEXTS]
                ):
                    faults += [f"{case}: {line}" for line in is_readable(world, answer, form)]
    assert told > 80
    assert not faults, "\n".join(faults)
