"""R37: the largest thing that a page may show stays under 2 MB, and under a second of work.

Each case builds the largest thing by its limits, and opens the pages that show it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.owner import Owner
from battles.models import EVENTS_MAX, Battle, BattleEvent
from battles.operations.events import BattleCall, append_events
from engine.roster import MAX_ENTRIES
from tests.campaigns.leagues import make_league
from tests.factories import EMPIRE, SYSTEM, make_battle, make_event, make_user
from tests.guards.routes import routes
from warbands.roster_fields import MAX_OPTIONS

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAGE_MAX = 2_000_000  # bytes
SECONDS_MAX = 1.0
Sizes = dict[str, int]


@pytest.fixture
def faults_of(
    pytestconfig: pytest.Config,
) -> Callable[[Client, dict[str, str]], list[str]]:
    """Open pages by name; return those that are too large, and under --soak too slow."""
    is_timed = pytestconfig.getoption("--soak")

    def look(client: Client, pages: dict[str, str]) -> list[str]:
        found = []
        for name, url in pages.items():
            begun = time.process_time()
            answer = client.get(url)
            seconds = time.process_time() - begun
            assert answer.status_code == 200, url
            size = len(b"".join(answer))  # type: ignore[arg-type]
            print(f"{name}: {size:,} bytes, {seconds:.2f} s")
            if size > PAGE_MAX or (is_timed and seconds > SECONDS_MAX):
                found.append(f"{name}: {size:,} bytes, {seconds:.2f} s")
        return found

    return look


def pages_below(start: str, token: str) -> dict[str, str]:
    """Every page whose only argument is a token, at an address that begins so."""
    return {
        route.name: route.url({"token": token})
        for route in routes()
        if route.template.startswith(f"{start}/{{token}}")
        and route.arguments == ("token",)
        and not route.template.endswith(".pdf")
    }


def opened(client: Client, pages: dict[str, str]) -> dict[str, str]:
    """Those of the pages that open: the others take what a button sends, or lead elsewhere."""
    return {name: url for name, url in pages.items() if client.get(url).status_code == 200}


def test_pages_of_a_warband_with_unknown_options(
    faults_of: Callable[[Client, dict[str, str]], list[str]],
) -> None:
    call_command("load_rulesdata", verbosity=0)
    entry = {"profile": "halberdiers", "options": [f"x{n}" for n in range(MAX_OPTIONS)]}
    document = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": EMPIRE,
        "warriors": [entry] * MAX_ENTRIES,
    }
    guest = Client()
    made = guest.post(reverse("warband-import"), {"document": json.dumps(document)})
    token = made.headers["Location"].strip("/").rpartition("/")[2]
    pages = opened(guest, pages_below("warbands", token))
    assert len(pages) > 8
    assert not faults_of(guest, pages)


def test_pages_of_a_long_battle(
    faults_of: Callable[[Client, dict[str, str]], list[str]],
) -> None:
    call_command("load_rulesdata", verbosity=0)
    user = make_user()
    owner = Owner(user_id=user.pk)
    battle = make_battle(actor=owner)
    fill_log(owner, battle)
    client = Client()
    client.force_login(user)
    pages = opened(client, pages_below("battles", battle.token))
    # The recorder has the whole log with it, to go on without a signal: it is as large as the log.
    del pages["battle-record"]
    assert len(pages) > 3
    assert not faults_of(client, pages)


def fill_log(owner: Owner, battle: Battle) -> None:
    """As many notes as a battle may hold, each of many letters."""
    rows = []
    for seq in range(EVENTS_MAX - 1):
        rows.append(
            BattleEvent(
                battle=battle,
                position=seq + 1,
                uuid=uuid4(),
                device="phone",
                seq=seq + 1,
                at=timezone.now(),
                kind="note",
                payload={"text": "They ran for the river. " * 20},
            )
        )
    BattleEvent.objects.bulk_create(rows, batch_size=500)
    Battle.objects.filter(pk=battle.pk).update(events_count=len(rows))
    call = BattleCall(owner, battle.token, battle.key)
    last = make_event("note", seq=EVENTS_MAX, text="Dusk fell.")
    assert append_events(call, [last]).answers[0].stored


def test_pages_of_a_full_event(
    faults_of: Callable[[Client, dict[str, str]], list[str]],
) -> None:
    call_command("load_rulesdata", verbosity=0)
    league = make_league(players=64)
    client = Client()
    client.force_login(league.club.memberships.first().user)
    pages = opened(client, pages_below("leagues", league.token))
    assert len(pages) > 5
    assert not faults_of(client, pages)
