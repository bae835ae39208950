"""How many queries a page takes: at most ten, no more for a big warband or a long list, and none of
them N+1.

zeal watches every request and raises where rows of a list each ask for something of their own.
"""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from zeal import zeal_context
from zeal.constants import initialize_app_registry
from zeal.errors import NPlusOneError
from zeal.patch import patch

from accounts.models import User
from accounts.operations.clubs import create_club
from campaigns.operations.entries import add_entry
from campaigns.operations.events import create_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.seasons import SeasonDraft, create_season
from rulesdata.operations.scenarios import create_scenario
from tests.campaigns.leagues import make_draft
from tests.conftest import Share
from tests.factories import SYSTEM, make_legal_warband, make_person
from tests.guards.books import book_pages, warband_pages
from tests.guards.cast import Actor, World
from tests.guards.pages import admin_pages, asked_for_a_warband, pages_of
from tests.guards.routes import named
from tests.rulesdata.own_lists import make_list
from tests.rulesdata.scenarios import draft as draft_scenario
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import archive_warband, change_warband, import_document

pytestmark = pytest.mark.django_db

MOST = 10


@pytest.fixture(scope="session", autouse=True)
def _patched() -> None:
    initialize_app_registry()
    patch()


@pytest.fixture(autouse=True)
def _patience(settings: Any) -> None:
    """allauth looks the person of its session up again: the same one twice, not a row for each of a
    list.
    """
    settings.ZEAL_ALLOWLIST = [{"model": "accounts.User", "field": "get()"}]


def taken(actor: Actor, url: str) -> list[str]:
    """The statements of a second visit: the first one fills what a process keeps."""
    actor.client().get(url)
    client = actor.client(raise_request_exception=True)
    with CaptureQueriesContext(connection) as queries, zeal_context():
        client.get(url)
    return [query["sql"] for query in queries.captured_queries]


@pytest.mark.parametrize("who", [
    "owner", "mate",
    *(pytest.param(who, marks=pytest.mark.soak) for who in ("nobody", "guest")),
])  # fmt: skip
def test_no_page_takes_more_than_ten(world: World, share: Share, who: str) -> None:
    """The plain run looks at one page of seven for the owner and at another for the mate."""
    counts: dict[str, int] = {}
    pages = pages_of(world, "unclaimed" if who == "guest" else "club")
    for page in share(pages, 7, 2 * (who == "mate")):
        counts[page.url] = len(taken(world.cast[who], page.url))
    assert len(counts) > 15
    assert {url: count for url, count in counts.items() if count > MOST} == {}
    assert max(counts.values()) > 2


def test_no_page_of_any_system_takes_more_than_ten(world: World, share: Share) -> None:
    pages = [*book_pages(), *warband_pages(world)]
    assert len(pages) > 80
    counts = {
        page.url: len(taken(world.cast["owner"], page.url)) for page in share(pages, 11)
    }
    assert {url: count for url, count in counts.items() if count > MOST} == {}


def test_administration_asks_once_for_each_thing(world: World, share: Share) -> None:
    pages = admin_pages(world)
    assert len(pages) > 80
    for page in share(pages, 11):
        taken(world.cast["staff"], page.url)


def roster(count: int) -> dict[str, Any]:
    warriors: list[dict[str, Any]] = [
        {"profile": "captain", "leader": True, "options": ["halberd", "light-armour"]}
    ]
    warriors += [
        {"profile": "archers", "name": f"Archer {i}", "note": "Limps."}
        for i in range(count - 1)
    ]
    return {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": "the-empire",
        "name": "Ferry",
        "warriors": warriors,
    }


def test_five_warriors_ask_as_often_as_fifty(world: World) -> None:
    """Every page and file of one warband, found by the token in its address."""
    actor, compared = world.cast["owner"], 0
    assert actor.user is not None
    counts: dict[str, dict[int, int]] = {}
    for size in (5, 50):
        done = import_document(WriteContext(make_person(user=actor.user)), roster(size))
        values = {**world.arguments(), "token": done.token}
        values["warrior_id"] = (
            Warrior.objects.filter(warband__token=done.token).earliest("position").pk
        )
        for place, page in enumerate(asked_for_a_warband(values)):
            counts.setdefault(f"{page.name} {place}", {})[size] = len(
                taken(actor, page.url)
            )
        for page in pages_of(world):
            route = named(page.name)
            if (
                page.name.startswith(
                    ("warband-", "warrior-", "sheet-", "roster-", "blank-")
                )
                and "token" in route.arguments
                # A warband of a campaign is found by its entry.
                and "entry" not in route.arguments
            ):
                url = route.url(values)
                counts.setdefault(page.name, {})[size] = len(taken(actor, url))
    for name, found in counts.items():
        assert found[5] == found[50] <= MOST, (name, found)
        compared += 1
    assert compared > 20


# Lists, each with its figure: what is written here is what a page of a list may ask.

LISTS = {
    # The person, their warbands, battles under way and the sides of these, leagues, what is next, a
    # table's three.
    ("home", "owner", ""): 10,
    ("event-list", "owner", ""): 3,
    ("event-list", "owner", "?show=clubs"): 3,
    ("event-public", "nobody", ""): 1,
    ("warband-list", "owner", ""): 2,
    ("warband-list", "owner", "?archived=1"): 2,
    ("warband-public", "nobody", ""): 1,
    ("warband-public", "nobody", "?search=Many"): 1,
    ("scenario-list", "nobody", ""): 2,
    ("scenario-list", "owner", "?show=own"): 3,
    ("search", "nobody", "?q=many"): 1,
    ("account_profile", "owner", ""): 2,
    ("content-list", "mate", ""): 5,
    ("club-list", "owner", ""): 3,
    ("season-list", "owner", ""): 3,
    ("club-list", "nobody", ""): 1,
    ("usersessions_list", "owner", ""): 3,
    ("starter-list", "owner", ""): 1,
    ("odds-choose", "owner", ""): 2,
    ("match-up-read", "owner", ""): 5,
    ("rulebook", "nobody", ""): 0,
    ("army-list", "nobody", ""): 0,
    ("api-scenario-list", "nobody", ""): 2,
}


def add_one(world: World, user: User, number: int) -> None:
    person = make_person(user=user)
    for name in ("Many", "Put away"):
        warband: Warband = make_legal_warband(actor=person, name=f"{name} {number}")
        change_warband(WriteContext(person, warband.token), visibility="public")
        if name == "Put away":
            archive_warband(WriteContext(person, warband.token))
    create_club(name=f"Many {number}", owner_id=user.pk, is_public=True)
    create_scenario(
        person, SYSTEM, draft_scenario(name=f"Many {number}", visibility="public")
    )
    organiser = make_person(user=world.cast["organiser"].user)
    make_list(club=world.club, actor=organiser, name=f"Many {number}")
    create_season(organiser, world.club.slug, SeasonDraft(f"Many {number}"))
    token = create_event(
        organiser, world.club.slug, make_draft(name=f"Many {number}", visibility="public")
    )
    add_entry(ChangeRequest(organiser, token), user_id=user.pk)


def test_lists_ask_as_often_for_one_as_for_three(world: World) -> None:
    author = world.cast["owner"].user
    assert author is not None
    for number in (1, 2, 3):
        add_one(world, author, number)
        statements = {
            (name, who, asked): taken(
                world.cast[who], named(name).url(world.arguments()) + asked
            )
            for name, who, asked in LISTS
        }
        wrong = {key: sql for key, sql in statements.items() if len(sql) != LISTS[key]}
        assert wrong == {}, number


def test_zeal_is_awake(world: World) -> None:
    with zeal_context(), pytest.raises(NPlusOneError):
        [warrior.warband.name for warrior in Warrior.objects.order_by("warband_id")]
