"""Until lists are shown nobody but its player and organisers learns what a secret list holds (R43).

Every address about a battle, its event and the lists that name it, found by walking the URLconf, by
every kind of reader. The name of a unit and an item that the list alone holds stand in no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.owner import Owner
from battles import pdf
from battles.access import BattleCall
from battles.hooks import BattleFollower, follow_battles
from battles.models import Battle, BattleCombatant
from battles.operations.events import append_events as op_append
from campaigns.battle_follower import EventFollower
from campaigns.models import Fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import hand_in_list, publish_lists
from tests.battles.steps import append_events, propose_result
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up
from tests.factories import make_event, make_legal_warband, make_user, make_warrior
from tests.guards.routes import Route, routes

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

UNIT, ITEM = "Zyxwell the Marked", "Crossbow"
MARKERS = (UNIT, ITEM, "crossbowmen")
STRANGERS = ("nobody", "stranger", "member", "opponent", "staff", "holder")
ABOUT = ("battles/", "leagues/", "clubs/", "notices/", "api/v1/")
WORDS: dict[str, tuple[str, ...]] = {
    "verb": ("propose", "confirm", "dispute", "correct", "void", "restore"),
    "what": ("standings", "fixtures", "results"),
    "data": ("csv", "json"),
}
FILES = ("json", "csv", "md", "txt")


@dataclass
class Table:
    """A battle of Ada, whose list is secret, against Ben, and the browser of each reader."""

    league: League
    fixture: Fixture
    battle: Battle
    readers: dict[str, Client]

    def urls(self) -> Iterator[tuple[Route, str]]:
        """Every address there is about them, with its route."""
        for route in routes():
            options = self.options(route)
            if not (route.template.startswith(ABOUT) or route.name == "home"):
                continue
            # What belongs to rosters, rule books or jobs has other arguments.
            if set(route.arguments) <= set(options):
                chosen = [options[name] for name in route.arguments]
                for values in product(*chosen):
                    arguments = dict(zip(route.arguments, values, strict=True))
                    yield route, route.url(arguments)

    def options(self, route: Route) -> dict[str, tuple[Any, ...]]:
        """What each argument may be in an address of this route."""
        is_battle = "battles/" in route.template
        token = self.battle.token if is_battle else self.league.token
        return {
            **WORDS,
            "token": (token,),
            "kind": FILES,
            "entry": (self.league.entry("Ada").token,),
            "fixture": (self.fixture.token,),
            "number": (1,),
            "slug": (self.league.club.slug,),
        }

    def markers_told(self, who: str) -> dict[str, list[str]]:
        """Address to the markers that its answer holds for this reader."""
        client, told = self.readers[who], {}
        for route, url in self.urls():
            body = client.get(url).content.decode("utf-8", "replace")
            # The front page shows starter warbands, which have crossbows of their own.
            markers = (UNIT,) if route.name == "home" else MARKERS
            found = [marker for marker in markers if marker in body]
            if found:
                told[url] = found
        return told


def browser_of(owner: Owner) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(pk=owner.user_id))
    return client


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    """A battle of a public event that is reported, some of the secret side out."""

    def draw(documents: Any, paper: str) -> bytes:
        return repr(documents).encode()

    monkeypatch.setattr(pdf, "pages_pdf", draw)
    league = make_league(players=3, needs_list=True, visibility="public")
    ada, ben = league.player("Ada"), league.player("Ben")
    (fixture,) = put_up(league, 1, [("Ada", "Ben")])
    secret = make_legal_warband(actor=ada, name="The Ferrymen")
    make_warrior(warband=secret, profile="crossbowmen", name=UNIT)
    hand_in_list(ChangeRequest(ada, league.token), 1, secret.token)
    token = open_fixture(ChangeRequest(ben, league.token), fixture.token)
    Battle.objects.filter(token=token).update(visibility="public")
    battle = Battle.objects.get(token=token)
    holder = Client(headers={"X-Battle-Key": battle.key})
    holder.post(f"/battles/{token}/join/", {"key": battle.key})
    staff = make_user(is_staff=True)
    people = {
        "stranger": Owner(user_id=make_user().pk),
        "staff": Owner(user_id=staff.pk),
        "member": league.player("Cleo"),
        "opponent": ben,
        "player": ada,
        "organiser": league.organiser,
    }
    readers = {who: browser_of(owner) for who, owner in people.items()}
    readers |= {"nobody": Client(raise_request_exception=False), "holder": holder}
    return Table(league, fixture, battle, readers)


def play(table: Table) -> None:
    """Put the marked unit out and report the result."""
    ben, token = table.league.player("Ben"), table.battle.token
    one = BattleCombatant.objects.get(battle=table.battle, name=UNIT)
    out = make_event("state", combatant=one.key, to="out_of_action")
    assert append_events(ben, token, events=[out]).answers[0].outcome == "accepted"
    propose_result(ben, token, winner="b", how="conceded")


def test_walk_finds_every_address_of_a_battle(table: Table) -> None:
    asked = {route.name for route, _ in table.urls()}
    every = [
        one for one in routes() if one.template.startswith(("battles/", "api/v1/battles"))
    ]
    assert {one.name for one in every} <= asked
    assert len(asked) > 60


@pytest.mark.parametrize("who", STRANGERS)
def test_secret_list_is_told_nowhere(table: Table, who: str) -> None:
    told = table.markers_told(who) if who == "opponent" else {}
    assert told == {}
    play(table)
    assert table.markers_told(who) == {}


@pytest.mark.parametrize("who", ["player", "organiser"])
def test_player_and_organisers_read_the_list(table: Table, who: str) -> None:
    play(table)
    battle = table.battle.token
    told = table.markers_told(who)
    for page in ("", "report/", "export.json", "table-pack.pdf", "record/"):
        assert told[f"/battles/{battle}/{page}"]


def test_list_that_was_shown_is_told_to_everybody(table: Table) -> None:
    publish_lists(ChangeRequest(table.league.organiser, table.league.token), 1)
    assert f"/battles/{table.battle.token}/" in table.markers_told("nobody")


def test_guard_sees_a_list_that_is_not_hidden(table: Table) -> None:
    """The negative control: without the event's word every reader is told the list."""
    play(table)
    follow_battles(BattleFollower())
    try:
        told = table.markers_told("nobody")
    finally:
        follow_battles(EventFollower())
    assert len(told) >= 8


def test_counts_and_results_stay(table: Table) -> None:
    play(table)
    data = (
        table.readers["opponent"].get(f"/battles/{table.battle.token}/export.json").json()
    )
    mine = next(side for side in data["sides"] if side["id"] == "a")
    assert (mine["size"], mine["out"], mine["points"], mine["army"]) == (9, 1, None, None)
    assert {one["name"] for one in mine["combatants"]} == {
        f"Model {n}" for n in range(1, 10)
    }


def test_figures_of_the_fold_are_for_those_who_record_a_battle_that_began(
    table: Table,
) -> None:
    url = f"/api/v1/battles/{table.battle.token}/"

    def known(who: str) -> set[Any]:
        side = table.readers[who].get(url).json()["sides"][0]
        return {one["leadership"] for one in side["combatants"]}

    assert known("opponent") == {None}
    play(table)
    assert (known("opponent") == {None}, known("nobody") == {None}) == (False, True)
    state = table.readers["nobody"].get(f"{url}state/").json()
    assert state["sides"]["a"]["rout"]["leadership"] is None
    assert state["sides"]["b"]["out"] == 0


def test_refused_event_names_no_unit(table: Table) -> None:
    one = BattleCombatant.objects.get(battle=table.battle, name=UNIT)
    bad = make_event("wounds", combatant=one.key, to=99)
    told = {}
    for name in ("Ada", "Ben"):
        call = BattleCall(table.league.player(name), table.battle.token)
        told[name] = str(op_append(call, [bad]).answers)
    assert UNIT not in told["Ben"]


def test_statements_do_not_grow(table: Table, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(12):
        table.readers["opponent"].get(f"/battles/{table.battle.token}/")
