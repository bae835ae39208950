"""R39: two web machines with folders of their own, and one worker: whatever is asked of one may be
asked of the other.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import User
from accounts.owner import Owner
from campaigns.models.rounds import PRINT_ROUND
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from jobs.models import Job
from tests.campaigns.leagues import League, make_league
from tests.guards.cast import PASSWORD, VISIBILITIES, Actor, World, build_world
from tests.guards.forms import Form, forms_in
from tests.guards.kinds import url_of
from tests.guards.pages import Page, pages_of, wrong_pages
from tests.guards.routes import named, routes
from tests.jobs.test_workers import CELERY, until, working
from tests.reliability.machines import (
    Answer,
    Browser,
    Machines,
    moved,
    two_machines,
    words_in,
)
from tests.reliability.server import ROOT, database_url, serving
from tests.reliability.shared_limits import (
    APART,
    REACHED,
    SLOW,
    UNREACHED,
    counted_actions,
    expected,
    found_limits,
    is_rates,
    places_of_a_process,
    signed_in,
    tried,
)
from tests.reliability.test_outage import needs_redis

together = [needs_redis, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
TICKS = 3  # a page may be drawn just before and just after a minute
# Drawn anew each time: a secret, a name to suggest, the time of a clock.
NEVER_THE_SAME = {"mfa_activate_totp", "warband-new", "api-event-screen"}
FIRST = "the first there is"
PREPARE = [sys.executable, "manage.py", "prepare"]


@pytest.fixture(scope="module")
def machines(django_db_setup, tmp_path_factory) -> Iterator[Machines]:
    """The two, for all tests here: to start them takes longer than most of these."""
    with two_machines(tmp_path_factory.mktemp("machines")) as found:
        yield found


def marked(test: Any) -> Any:
    """Mark a test of two machines, which share a PostgreSQL and a Redis."""
    for mark in together:
        test = mark(test)
    return test


# Pages


def differences(machines: Machines, browser: Browser, pages: list[Page]) -> list[str]:
    """The pages that one machine answers otherwise than the other, each asked with one session."""
    return [
        f"{page.url}: {found}"
        for page in pages
        if (found := difference(machines, browser, page))
    ]


def difference(machines: Machines, browser: Browser, page: Page) -> str:
    one, other = both_answers(machines, browser, page.url)
    is_drawn_anew = page.name in NEVER_THE_SAME
    if one.status == other.status and (is_drawn_anew or one.words == other.words):
        return ""
    lines = zip(str(one.words).splitlines(), str(other.words).splitlines(), strict=False)
    first = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
    return f"{one.status} and {other.status}, {first[0][:200]!r} and {first[1][:200]!r}"


def both_answers(machines: Machines, browser: Browser, url: str) -> list[Answer]:
    """What each machine answers; once more where the words differ, since a clock goes on."""
    answers: list[Answer] = []
    for _ in range(TICKS):
        answers = [moved(browser).get(server, url) for server in machines.both]
        one, other = answers
        # A session that one does not know has ended for both: the second look is too late.
        if one.status != other.status or one.words == other.words:
            break
    return answers


@marked
def test_every_page_is_the_same_from_either(machines, soak, share):
    """The plain run asks half of the pages, each as one of two people; what is changed on one is
    read on the other, which has read it before.
    """
    world, faults, count = build_world(), [], 0
    readers = ("owner", "organiser", *("mate", "nobody", "staff")[: soak(0, 3)])
    for place, who in enumerate(readers):
        world.cast[who] = sign_in(machines, world.cast[who])
        browser = Browser(world.cast[who].session)
        for visibility in ("public", *VISIBILITIES[: soak(0, 1)]):
            pages = [*pages_of(world, visibility), *wrong_pages()]
            asked_for = list(share(pages, 4, place))
            count += len(asked_for)
            faults += differences(machines, browser, asked_for)
    assert faults == []
    assert count > 200
    check_changes(machines, world)


def sign_in(machines: Machines, actor: Actor) -> Actor:
    """Type a password on the first machine; the servers know no cheap hash of one."""
    if actor.user is None:
        return actor
    with override_settings(PASSWORD_HASHERS=SLOW):
        actor.user.set_password(PASSWORD)
        actor.user.save()
    browser, form = Browser(), {"login": actor.user.email, "password": PASSWORD}
    assert browser.post(machines.one, reverse("account_login"), form).status == 302
    return Actor(actor.name, browser.session, actor.user)


# What is changed


@dataclass(frozen=True)
class Change:
    """A form of somebody's page, sent to one machine, and the pages on which others see it."""

    who: str
    page: str
    fields: dict[str, str]
    seen: tuple[tuple[str, str], ...]
    route: str = ""


CHANGES = [
    Change(
        "owner",
        "warrior-read",
        {"name": "Kestrel"},
        (("owner", "warband-read"), ("mate", "sheet-pdf")),
        "warrior-change",
    ),
    Change(
        "organiser",
        "own-profile-edit",
        {"name": "Kestrel boatman", "go": "save"},
        (("mate", "own-list"), ("owner", "own-profile")),
    ),
    Change("organiser", "club-edit", {"name": "The Long Quay"}, (("mate", "club-read"),)),
    Change(
        "organiser",
        "rules-draft",
        {"currencies-0-start": "257"},
        (("organiser", "rules-draft"),),
    ),
    Change("owner", "scenario-edit", {"name": "Kestrel"}, (("mate", "scenario-own"),)),
    Change(
        "organiser",
        "levels-edit",
        {"points.under_limit": "error"},
        (("organiser", "levels-edit"),),
    ),
    Change(
        "organiser",
        "fixture-decide",
        {"decision": FIRST, "reason": "As agreed.", "go": "1"},
        (("mate", "standings-read"), ("owner", "event-read")),
    ),
    Change("mate", "notice-list", {}, (("mate", "home"),), "notice-read-all"),
    Change(
        "owner",
        "warband-trade",
        {},
        (("organiser", "warband-ledger"), ("mate", "campaign-warband")),
    ),
    Change(
        "owner", "warband-share", {"visibility": "private"}, (("mate", "warband-read"),)
    ),
    Change("owner", "account_logout", {}, (("owner", "account_profile"),)),
]


def check_changes(machines: Machines, world: World) -> None:
    """Each change is seen at once on the machine that did not make it, and had read the old page."""
    for change in CHANGES:
        pages = [(who, url_of(named(name), world)) for who, name in change.seen]
        before = [read(machines, world, *page)[1].words for page in pages]
        send(machines, world, change)
        for (who, url), old in zip(pages, before, strict=True):
            one, other = read(machines, world, who, url)
            assert (other.status, other.words) == (one.status, one.words), (change, url)
            assert other.words != old, (change, url)


def read(machines: Machines, world: World, who: str, url: str) -> list[Answer]:
    return both_answers(machines, Browser(world.cast[who].session), url)


def send(machines: Machines, world: World, change: Change) -> None:
    """Send a form of the first machine back to it, filled in, and go on to the other one."""
    browser, url = (
        Browser(world.cast[change.who].session),
        url_of(named(change.page), world),
    )
    route = change.route or change.page
    forms = forms_in(browser.get(machines.one, url).text, url, change.who)
    form = next(one for one in forms if one.route == route and one.method == "post")
    answer = browser.post(machines.one, form.url, filled(form, change.fields))
    assert answer.status == 302, (change, answer.status, answer.text)
    assert browser.get(machines.other, answer.where).status == 200, change


def filled(form: Form, fields: dict[str, str]) -> dict[str, str]:
    firsts = {name: value for name, value in fields.items() if value == FIRST}
    chosen = {name: next(filter(None, form.controls[name].choices)) for name in firsts}
    return form.filled(**{**fields, **chosen})


# Files and jobs


@pytest.fixture
def league() -> League:
    """Two members with warbands, and a table for them."""
    league = make_league(players=2, with_warbands=True)
    asked = ChangeRequest(league.organiser, league.token)
    add_round(asked, RoundDraft())
    draw_round(asked, 1, seed="x")
    publish_round(asked, 1)
    return league


@marked
def test_job_asked_for_on_one_is_fetched_from_either(
    machines: Machines, transactional_db: None, league: League, tmp_path: Path
) -> None:
    """The worker has a folder of its own: what it made lies in the database alone."""
    browser = Browser(session_of(league.organiser))
    variables = {**machines.shared, "TEST_PREFIX": "muster:"}
    with working(CELERY, tmp_path, **variables) as worker:
        asked_for = browser.post(
            machines.one, reverse("round-print", args=[league.token, 1])
        )
        assert asked_for.status == 302, asked_for
        prints = Job.objects.filter(kind=PRINT_ROUND)
        until(lambda: prints.filter(status="done").exists(), worker, tmp_path)
    token = prints.get().token
    pages = [browser.get(server, asked_for.where) for server in machines.both]
    assert [page.status for page in pages] == [200, 200]
    assert pages[0].words == pages[1].words
    files = [
        browser.get(server, reverse("job-file", args=[token])) for server in machines.both
    ]
    assert [file.status for file in files] == [200, 200]
    assert files[0].body == files[1].body
    assert "Table 1" in words_in(files[0].body)[1]
    assert [*machines.folder.glob("*/jobs/*/*")] == []


def session_of(owner: Owner) -> str:
    client = Client()
    client.force_login(User.objects.get(pk=owner.user_id))
    return client.cookies[settings.SESSION_COOKIE_NAME].value


# Limits


def test_every_limit_has_a_row() -> None:
    found = found_limits()
    assert len(found) > 15
    assert {one for one in found if one[0] not in UNREACHED} == set(REACHED)
    assert set(UNREACHED) <= {action for action, _ in found}
    assert not {route.name for route in routes()} & set(UNREACHED.values())
    assert counted_actions() <= {action for action, _ in found}
    assert len(counted_actions()) > 4
    assert places_of_a_process() == set(APART)


def test_control_a_new_limit_is_found() -> None:
    assert is_rates({"dice": "5/m/ip"})
    assert not is_rates({"dice": "5"})
    assert not is_rates({})


@marked
def test_every_limit_counts_both_machines(machines: Machines) -> None:
    """Half of the tries on each: the limit falls at the same total, and for both."""
    found = {limit: tried(machines, limit) for limit in REACHED}
    assert found == {limit: expected(limit) for limit in REACHED}


# First starts, and what must be the same


@marked
@pytest.mark.soak
def test_two_first_starts_at_once_end_well(tmp_path: Path) -> None:
    """Two machines with empty folders prepare one empty database; one makes the demo club."""
    with empty_database() as url:
        shared = {**os.environ, "DATABASE_URL": url}
        starts = [
            subprocess.Popen(
                PREPARE, cwd=ROOT, env={**shared, "DATA_DIR": f"{tmp_path}/{n}"}
            )
            for n in range(2)
        ]
        assert [start.wait() for start in starts] == [0, 0]
        for n in range(2):
            with serving(tmp_path / str(n), settings_of={"DATABASE_URL": url}) as server:
                assert Browser().get(server, "/readyz").status == 200
                assert Browser().get(server, "/clubs/").status == 200
        with psycopg.connect(url) as direct:
            clubs = direct.execute("SELECT count(*) FROM accounts_club").fetchone()
            assert clubs == (1,)


@contextmanager
def empty_database() -> Iterator[str]:
    """A PostgreSQL database with nothing in it; gives its URL."""
    name, url = f"first_start_{os.getpid()}", database_url()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{url.rpartition('/')[0]}/{name}"
        finally:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@marked
@pytest.mark.soak
def test_control_machines_that_share_less_are_noticed(tmp_path: Path) -> None:
    """Another key signs everybody out; a machine without Redis counts for itself."""
    with two_machines(tmp_path / "key", SECRET_KEY="another" * 10) as apart:
        _, browser = signed_in()
        page = Page("account_profile", reverse("account_profile"))
        assert difference(apart, browser, page).startswith("200 and 302")
    with two_machines(tmp_path / "cache", REDIS_URL="") as apart:
        assert tried(apart, ("club_code", "10/300s/ip")) != expected(
            ("club_code", "10/300s/ip")
        )
