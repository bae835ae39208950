"""R37: the largest thing that a page may show stays under 2 MB, and under a second of work.

Each case builds the largest thing by its limits, and opens the pages that show it.
"""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts.forms import TOO_LONG
from accounts.owner import Owner
from battles.exports import KINDS
from campaigns.models import ROUNDS_MAX
from engine.roster import MAX_ENTRIES
from tests.conftest import Share
from tests.factories import EMPIRE, SYSTEM, make_battle, make_club, make_user, make_warband
from tests.guards.fullest import fill_event, fill_lists, fill_log
from tests.guards.routes import routes
from tests.rulebooks import load_books
from warbands.checks import ANSWERED_FINDINGS
from warbands.exchange.content import MAX_BYTES
from warbands.exchange.foreign.export import FORMS
from warbands.models import NAME_MAX, Warband, Warrior, WarriorOption
from warbands.roster_fields import MAX_OPTIONS

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAGE_MAX = 2_000_000  # bytes
FILE_MAX = 25_000_000
ROSTER_FILE_MAX = 5_000_000
SECONDS_MAX = 1.0
# A sign that is twelve bytes long in JSON; the other one is six bytes long in a page.
ASTRAL = pytest.param("\N{DRAGON}", marks=pytest.mark.soak)
Reader = tuple[Owner, Client]
FaultsOf = Callable[[Client, dict[str, str]], tuple[set[str], list[str]]]


@pytest.fixture(scope="module", autouse=True)
def _books(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), transaction.atomic():
        load_books()
        yield
        transaction.set_rollback(True)


@pytest.fixture
def reader(db: None) -> Reader:
    """Somebody, and their browser."""
    user = make_user()
    client = Client()
    client.force_login(user)
    return Owner(user_id=user.pk), client


@pytest.fixture
def faults_of(pytestconfig: pytest.Config) -> FaultsOf:
    """Ask for pages by name; return which opened, and what is too large, under --soak too slow.

    Pages that do not open take what a button sends, or lead elsewhere.
    """
    is_timed = pytestconfig.getoption("--soak")

    def look(client: Client, pages: dict[str, str]) -> tuple[set[str], list[str]]:
        opened, found = set(), []
        for name, url in pages.items():
            begun = time.process_time()
            answer = client.get(url)
            seconds = time.process_time() - begun
            if answer.status_code != 200:
                continue
            opened.add(name)
            size = len(b"".join(answer))
            print(f"{name}: {size:,} bytes, {seconds:.2f} s")
            if size > PAGE_MAX or (is_timed and seconds > SECONDS_MAX):
                found.append(f"{name}: {size:,} bytes, {seconds:.2f} s")
        return opened, found

    return look


def pages_below(start: str, values: dict[str, str]) -> dict[str, str]:
    """Every page at an address that begins so and takes these arguments and no others."""
    return {
        route.name: route.url(values)
        for route in routes()
        if route.template.startswith(start)
        and set(route.arguments) == values.keys()
        and not route.template.endswith((".pdf", ".pdf/"))
    }


def test_pages_of_a_warband_with_unknown_options(faults_of: FaultsOf, share: Share) -> None:
    entry = {"profile": "halberdiers", "options": [f"x{n}" for n in range(MAX_OPTIONS)]}
    document = {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": EMPIRE,
        "warriors": [entry] * MAX_ENTRIES,
    }
    guest = Client()
    made = guest.post(reverse("warband-import"), {"text": json.dumps(document)})
    token = made.headers["Location"].strip("/").rpartition("/")[2]
    pages = pages_below("warbands/{token}", {"token": token})
    opened, faults = faults_of(guest, dict(share(list(pages.items()), 2)))
    assert len(opened) > 4
    assert not faults
    checked = guest.post(reverse("api-roster-check"), document, "application/json")
    assert len(checked.content) < PAGE_MAX
    told = checked.json()
    assert len(told["findings"]) == ANSWERED_FINDINGS
    assert len(told["findings"]) + told["findings_left"] > MAX_ENTRIES * MAX_OPTIONS


@pytest.mark.parametrize("sign", ["'", ASTRAL])
def test_pages_of_the_longest_roster(faults_of, sign, reader):
    """Every text as long as it may be: names, notes, the roster's own note."""
    owner, client = reader
    warband = make_warband(actor=owner)
    Warband.objects.filter(pk=warband.pk).update(note=sign * 4000)
    Warrior.objects.bulk_create(
        Warrior(
            warband=warband,
            position=place,
            profile="halberdiers",
            name=sign * NAME_MAX,
            note=sign * 2000,
        )
        for place in range(MAX_ENTRIES)
    )
    pages = pages_below("warbands/{token}", {"token": warband.token})
    opened, faults = faults_of(client, pages)
    assert len(opened) > 8
    assert not faults


@pytest.mark.parametrize("note", [0, 2000])
def test_files_of_the_fullest_roster(note: int, reader: Reader) -> None:
    """Every unit with as many options as it may have; with notes they may be larger than a page."""
    owner, client = reader
    warband = make_warband(actor=owner)
    warriors = Warrior.objects.bulk_create(
        Warrior(warband=warband, position=place, profile="halberdiers", note="&" * note)
        for place in range(MAX_ENTRIES)
    )
    WarriorOption.objects.bulk_create(
        [
            WarriorOption(warrior=warrior, position=place, key=f"{place}".ljust(60, "x"))
            for warrior in warriors
            for place in range(MAX_OPTIONS)
        ],
        batch_size=2000,
    )
    for form in FORMS:
        address = reverse("list-export-file", args=[warband.token, form])
        answer = client.get(address)
        assert answer.status_code == 200
        assert len(answer.content) < (ROSTER_FILE_MAX if note else PAGE_MAX), form
    document = client.get(reverse("roster-json", args=[warband.token]))
    assert len(document.content) < ROSTER_FILE_MAX


@pytest.mark.parametrize("letter", ["'", ASTRAL])
def test_pages_of_a_long_battle(faults_of: FaultsOf, letter: str, reader: Reader) -> None:
    owner, client = reader
    battle = make_battle(actor=owner)
    fill_log(owner, battle, "They ran for the river. " + letter * 476)
    pages = pages_below("battles/{token}", {"token": battle.token})
    pages |= {
        name: reverse(name, args=[battle.token])
        for name in ("api-battle-read", "api-battle-events")
    }
    opened, faults = faults_of(client, pages)
    assert {"battle-read", "battle-record", "battle-report", "api-battle-events"} < opened
    assert not faults
    for kind in KINDS:
        answer = client.get(reverse("battle-export", args=[battle.token, kind]))
        assert len(answer.getvalue()) < FILE_MAX, kind


@pytest.mark.parametrize("rounds", [0, ROUNDS_MAX])
def test_pages_of_a_full_event(faults_of: FaultsOf, rounds: int, reader: Reader) -> None:
    owner, client = reader
    token = fill_event(make_club(owner=owner), rounds)
    pages = pages_below("leagues/{token}", {"token": token})
    if rounds:
        numbered = {"token": token, "number": str(rounds)}
        pages |= pages_below("leagues/{token}", numbered)
    opened, faults = faults_of(client, pages)
    assert len(opened) > (12 if rounds else 5)
    assert not faults


def test_pages_of_full_club_lists(faults_of: FaultsOf, reader: Reader) -> None:
    owner, client = reader
    club = make_club(owner=owner)
    fullest = fill_lists(club, owner)
    of_club = {"slug": club.slug}
    of_list = {**of_club, "token": fullest}
    pages = {}
    for values in (
        of_club,
        of_list,
        {**of_list, "key": "u1"},
        {**of_list, "part": "weapons"},
    ):
        pages |= pages_below("rules/clubs/{slug}", values)
    opened, faults = faults_of(client, pages)
    assert {"content-list", "own-list", "own-profile"} < opened
    assert not faults


@pytest.mark.parametrize("sign", ['"', ASTRAL])
def test_pages_of_faulty_files(sign: str, reader: Reader) -> None:
    """What was sent comes back with the list of its faults, unless it is too much for a page."""
    owner, client = reader
    club = make_club(owner=owner)
    document = json.dumps({"warriors": [{sign * 60: 1}] * 5000}, ensure_ascii=False)
    whole = document + " " * (MAX_BYTES - len(document.encode()) - 1)
    addresses = {
        reverse("warband-import"): {"text": whole},
        reverse("own-list-upload", args=[club.slug]): {"text": sign * 100_000},
    }
    for address, sent in addresses.items():
        answer = client.post(address, sent)
        assert answer.status_code in (400, 422), address
        shown = answer.content.decode()
        assert TOO_LONG in shown or escape(sign * 60) in shown
        assert len(answer.content) < PAGE_MAX, address
