"""Bad values through every field of every form: refused with a sentence, or accepted and then
readable everywhere.
"""

import html
import re
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.urls import reverse

from rulesdata.models import Scenario
from tests.guards.cast import World
from tests.guards.corpus import BAD_NUMBERS, BAD_TEXTS
from tests.guards.forms import TEXTS, Form
from tests.guards.pages import pages_of
from tests.guards.routes import named, routes
from tests.guards.watching import rows, statements_that_write, taken_back
from warbands.models import Warband

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

# One field in so many gets a value, each value beginning elsewhere.
SHARE, LARGE_SHARE, SHARE_ON_POSTGRES = 149, 2, 16
VALUES = {**BAD_TEXTS, **BAD_NUMBERS}
URLENCODED = "application/x-www-form-urlencoded"
# What shows people's words: the pages and files of a warband, a battle, an event, a club and its
# content, an account.
ROSTERS = {
    "warband-read", "sheet-read", "sheet-cards", "roster-text", "roster-markdown",
    "roster-compact", "roster-json",
}  # fmt: skip
LISTS = {
    "warband-list", "battle-list", "event-list", "club-list", "scenario-list",
    "notice-list",
}  # fmt: skip
EVENTS = {
    "event-read", "standings-read", "event-log", "round-list", "round-read", "event-lists",
    "entry-read",
}  # fmt: skip
FILES = {"sheet-pdf", "battle-export", "event-export", "event-summary", "event-calendar"}
CLUBS = {
    "club-read", "club-members", "content-list", "own-list", "own-profile", "levels-edit",
}  # fmt: skip
OTHERS = {
    "warband-history", "warrior-read", "battle-read", "battle-report", "fixture-read",
    "account_profile", "search",
}  # fmt: skip
READING = ROSTERS | LISTS | EVENTS | FILES | CLUBS | OTHERS
# Which kinds of field may keep a bad number (False) or text (True), so that it has to be read back.
READ_BACK = {False: {"number"}, True: TEXTS}
# Where a number is only another word.
WORDS = {"text", "textarea", "search", "email", "password"}
# What is typed to say that something shall go: it may be right by now.
DESTROYING = {"warband-delete", "account_close"}


def body(sent: dict[str, str | bytes]) -> bytes:
    """A form as a browser that has lost its senses would send it."""

    def quoted(value: str | bytes) -> str:
        return quote(
            value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        )

    return "&".join(
        f"{quoted(name)}={quoted(value)}" for name, value in sent.items()
    ).encode()


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


def unreadable(world: World) -> list[str]:
    """The pages of the owner's and the newest things that no longer answer."""
    owner, staff = world.cast["owner"].client(), world.cast["staff"].client()
    newest = Warband.objects.latest("pk")
    scenario = Scenario.objects.filter(origin="own").latest("pk")
    pages = [
        page.url
        for page in pages_of(world, "club")
        if page.name in READING and "?" not in page.url
    ]
    pages += [
        named("warband-public").url({}),
        reverse("scenario-own", args=["warhammer-skirmish", scenario.key]),
    ]
    if newest.owner_id == world.warbands["club"].owner_id:
        pages += [
            route.url({"token": newest.token})
            for route in routes()
            if route.name in ROSTERS
        ]
    lists = ["warbands_warband", "rulesdata_scenario", "accounts_user", "accounts_club"]
    admin = [reverse(f"admin:{name}_changelist") for name in lists]
    admin += [
        reverse("admin:warbands_warband_change", args=[pk])
        for pk in (newest.pk, world.warbands["club"].pk)
    ]
    answers = [(url, owner.get(url)) for url in pages] + [
        (url, staff.get(url)) for url in admin
    ]
    return [
        f"{url}: {answer.status_code}"
        for url, answer in answers
        if answer.status_code not in (200, 302)
    ]


def test_the_walk_found_forms(found: dict[str, Form]) -> None:
    fields = [(form.route, name) for form in found.values() for name in form.controls]
    assert len(found) > 35
    assert len(fields) > 100
    assert {
        "warband-new", "warband-change", "warrior-change", "scenario-edit",
        "account_signup",
    } <= {f for f, _ in fields}  # fmt: skip


def fault_of(answer: HttpResponse, written: list[str], before: Any) -> str:
    """What is wrong with the answer to a bad value; empty when nothing is."""
    if answer.status_code >= 500:
        return f"{answer.status_code}"
    if answer.status_code < 400:
        return ""
    said = sentence(answer)
    if len(said) < 15 or "could not read" in said:
        return f"{answer.status_code} says only {said!r}"
    return (
        f"{answer.status_code} and wrote {written[0][:80]}"
        if written and rows() != before
        else ""
    )


@pytest.mark.parametrize("name", VALUES)
def test_bad_value_is_refused_in_words_or_stays_readable(world, found, soak, name):
    value, before = VALUES[name], rows()
    sent_to, faults, kept = 0, [], []
    place = count(list(VALUES).index(name))
    one_in = soak(SHARE, LARGE_SHARE, SHARE_ON_POSTGRES)
    for form in found.values():
        for control in form.sorts():
            if (name in BAD_NUMBERS and control.kind in WORDS) or next(place) % one_in:
                continue
            sent: dict[str, Any] = {**form.filled(), control.name: value}
            case = f"{form.route} {control.name}={name}"
            with taken_back() as fate, statements_that_write() as written:
                answer = send(world, form, sent)
                sent_to += 1
                if fault := fault_of(answer, written, before):
                    faults.append(f"{case}: {fault}")
                if (
                    answer.status_code == 302
                    and control.kind in READ_BACK[name in BAD_TEXTS]
                ):
                    fate.is_kept = bool(written) and form.route not in DESTROYING
            if fate.is_kept:
                before = rows()
                kept.append(case)
    assert sent_to > 100 // one_in
    if kept and list(VALUES).index(name) % soak(11, 1, 6) == 0:  # a long walk
        faults += [f"{line} after {kept}" for line in unreadable(world)]
    assert not faults, "\n".join(faults)
