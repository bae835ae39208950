"""Until lists are shown nobody but its player and organisers learns what a secret list holds (R43).

Every address about a battle, its event and the lists that name it, found by walking the URLconf, by
every kind of reader, read and written to. Units, gear, army and figures that the list alone holds
stand in no answer, nor does what its warband did in a campaign.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import User
from accounts.owner import Owner
from battles import pdf
from battles.access import BattleCall
from battles.hooks import BattleFollower, follow_battles
from battles.models import Battle, BattleCombatant
from battles.operations.log import append_events as op_append
from campaigns import pdf as slips
from campaigns.battle_follower import EventFollower
from campaigns.models import Fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_lists import show_lists
from campaigns.operations.rounds import close_round
from campaigns.operations.screens import step_screen
from campaigns.operations.seasons import SeasonDraft, create_season
from campaigns.queries import events
from notices.models import Notice
from tests.battles.steps import append_events, propose_result
from tests.campaigns.growing import Campaign
from tests.campaigns.leagues import League
from tests.conftest import Share
from tests.factories import make_event, make_user
from tests.guards.routes import Route, routes
from tests.guards.secret_lists import (
    ARMY,
    MARKERS,
    UNIT,
    Secret,
    figures,
    grow,
    make_rich,
    make_secret_list,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

STRANGERS = ("nobody", "stranger", "member", "opponent", "staff", "holder")
ABOUT = ("battles/", "leagues/", "clubs/", "notices/", "api/v1/")
WORDS: dict[str, tuple[str, ...]] = {
    "verb": ("propose", "confirm", "dispute", "correct", "void", "restore"),
    "what": ("standings", "fixtures", "results", "warbands", "warriors", "ledger"),
    "data": ("csv", "json"),
    "unit": ("w1", "w2", "w3", "w4"),
    "answer": ("accept", "withdraw"),
    "lock": ("unlock",),
    "step": ("reveal", "hide", "close", "withdraw"),
    "move": ("finish", "archive"),
    "guideline": ("core.missing",),
}
FILES = ("json", "csv", "md", "txt")
Address = tuple[Route, str]


@dataclass
class Table:
    """A battle of Ada, whose list is secret, against Ben, and the browser of each reader."""

    league: League
    fixture: Fixture
    battle: Battle
    readers: dict[str, Client]
    markers: tuple[str, ...] = MARKERS
    secret: str = "Ada"
    warband: str = ""
    shown: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def all_urls(self) -> Iterator[Address]:
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

    def at(self, urls: set[str]) -> list[Address]:
        return [address for address in self.all_urls() if address[1] in urls]

    def options(self, route: Route) -> dict[str, tuple[Any, ...]]:
        """What each argument may be in an address of this route."""
        is_battle = "battles/" in route.template
        token = self.battle.token if is_battle else self.league.token
        return {
            **WORDS,
            "token": (token,),
            "kind": FILES,
            "entry": (self.league.entry(self.secret).token,),
            "warband": (self.warband,),
            "fixture": (self.fixture.token,),
            "number": (1,),
            "slug": (self.league.club.slug,),
            **self.shown,
        }

    def markers_told(self, who, addresses=()) -> dict[str, list[str]]:
        client, told = self.readers[who], {}
        for route, url in addresses or self.all_urls():
            body = client.get(url).content.decode("utf-8", "replace")
            # The front page shows starter warbands, which have crossbows of their own.
            markers = (UNIT,) if route.name == "home" else self.markers
            found = [marker for marker in markers if marker in body]
            if found:
                told[url] = found
        return told

    def markers_answered(self, who, addresses) -> dict[str, list[str]]:
        """The same of an answer to what is sent there; nothing of it stays."""
        client, told = self.readers[who], {}
        for route, url in addresses:
            is_call = route.template.startswith("api/")
            sent: dict[str, Any] = {"data": "{}"} if is_call else {"data": {}}
            if is_call:
                sent["content_type"] = "application/json"
            with transaction.atomic():
                body = client.post(url, **sent).content.decode("utf-8", "replace")
                transaction.set_rollback(True)
            if found := [marker for marker in self.markers if marker in body]:
                told[url] = found
        return told


def browser_of(owner: Owner) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(pk=owner.user_id))
    return client


AddressesOf = Callable[[Table, str], Sequence[Address]]


@pytest.fixture
def addresses_of(share: Share) -> AddressesOf:
    """The addresses that an outsider asks: all for the opponent, whom most pages are open to, and
    in the plain run one of five for each of the others.
    """

    def choose(table: Table, who: str) -> Sequence[Address]:
        one_in = 1 if who == "opponent" else 5
        return share(list(table.all_urls()), one_in, STRANGERS.index(who))

    return choose


@pytest.fixture
def _prints_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be drawn is answered as text, in which words are found."""

    def draw(documents: Any, paper: str) -> bytes:
        return repr(documents).encode()

    monkeypatch.setattr(pdf, "pages_pdf", draw)
    monkeypatch.setattr(slips, "pages_pdf", draw)


@pytest.fixture(scope="module")
def secret_list(django_db_setup: None, django_db_blocker: Any) -> Iterator[Secret]:
    """A battle of a public event, to which Ada has brought a list that nobody else may see."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_secret_list()
        transaction.set_rollback(True)


@pytest.fixture
def table(secret_list, db, _prints_are_text, monkeypatch) -> Table:
    monkeypatch.setattr(events, "army_name", lambda system, army: ARMY)
    return make_table(secret_list, secret="Ada", other="Ben")


def make_table(made: Secret, *, secret: str, other: str) -> Table:
    league = copy.deepcopy(made.league)
    battle = Battle.objects.get(fixture=made.fixture)
    readers = readers_of(
        league, battle, opponent=league.player(other), player=league.player(secret)
    )
    shown = show(league)
    return Table(
        league, made.fixture, battle, readers, made.markers, secret, made.warband, shown
    )


def show(league: League) -> dict[str, tuple[str, ...]]:
    """Where else the event is shown: the hall screen and a season of the club."""
    screen = step_screen(ChangeRequest(league.organiser, league.token), "on")
    draft = SeasonDraft("The year", events=(league.token,))
    season = create_season(league.organiser, league.club.slug, draft)
    return {"screen": (screen,), "season": (season,)}


def readers_of(league, battle, *, opponent, player) -> dict[str, Client]:
    holder = Client(headers={"X-Battle-Key": battle.key}, raise_request_exception=False)
    holder.post(f"/battles/{battle.token}/join/", {"key": battle.key})
    people = {
        "stranger": Owner(user_id=make_user().pk),
        "staff": Owner(user_id=make_user(is_staff=True).pk),
        "member": league.player("Cleo"),
        "opponent": opponent,
        "player": player,
        "organiser": league.organiser,
    }
    readers = {who: browser_of(owner) for who, owner in people.items()}
    return readers | {"nobody": Client(raise_request_exception=False), "holder": holder}


@pytest.fixture(scope="module")
def secret_warband(django_db_setup: None, django_db_blocker: Any) -> Iterator[Secret]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield grow()
        transaction.set_rollback(True)


@pytest.fixture
def grown(secret_warband: Secret, db: None, _prints_are_text: None) -> Table:
    return make_table(secret_warband, secret="Ben", other="Ada")


def play(table: Table) -> None:
    ben, token = table.league.player("Ben"), table.battle.token
    one = BattleCombatant.objects.get(battle=table.battle, name=UNIT)
    out = make_event("state", combatant=one.key, to="out_of_action")
    assert append_events(ben, token, events=[out]).answers[0].outcome == "accepted"
    propose_result(ben, token, winner="b", how="conceded")


def test_walk_finds_every_address_of_a_battle(table: Table) -> None:
    asked = {route.name for route, _ in table.all_urls()}
    every = [
        one for one in routes() if one.template.startswith(("battles/", "api/v1/battles"))
    ]
    assert {one.name for one in every} | {"screen-read", "season-read"} <= asked
    assert len(asked) > 60


@pytest.mark.parametrize("who", STRANGERS)
def test_secret_list_is_told_nowhere(table, addresses_of, share, who):
    addresses = addresses_of(table, who)
    if who == "opponent":
        assert table.markers_told(who, share(addresses, 3)) == {}
    play(table)
    assert table.markers_told(who, addresses) == {}


@pytest.mark.parametrize("who", STRANGERS)
def test_secret_list_is_in_no_answer_to_what_is_sent(table, addresses_of, who):
    play(table)
    assert table.markers_answered(who, addresses_of(table, who)) == {}


@pytest.mark.parametrize("who", STRANGERS)
def test_warband_of_a_campaign_is_told_nowhere(grown, addresses_of, share, who):
    addresses = addresses_of(grown, who)
    if who == "opponent":
        assert grown.markers_told(who, share(addresses, 3)) == {}
    # What was stored when the round was closed is told, and nothing of what follows.
    league = grown.league
    event = f"/leagues/{league.token}/"
    columns = '<th scope="col">Rating</th>'
    has_own = who in ("opponent", "member")
    assert (columns in grown.readers[who].get(event).content.decode()) is has_own
    close_round(ChangeRequest(league.organiser, league.token), 1)
    campaign = Campaign(league, {"Ben": grown.warband})
    stored = figures(campaign)
    make_rich(campaign)
    hidden = set(figures(campaign)) | set(grown.markers) - set(stored)
    grown.markers = tuple(sorted(hidden))
    assert grown.markers_told(who, addresses) == {}
    page = grown.readers[who].get(event)
    assert page.status_code == 200
    text = page.content.decode()
    assert all(figure in text for figure in stored)
    assert "close of round 1" in text
    assert columns in text
    assert grown.markers_answered(who, addresses) == {}


def test_past_of_a_campaign_is_no_strangers(grown: Table) -> None:
    url = f"/api/v1/events/{grown.league.token}/growth/"
    last = grown.league.fresh().growth_position
    for who in STRANGERS:
        takes_part = who in ("opponent", "member")
        for position in range(1, last + 1):
            answer = grown.readers[who].get(url, {"at": position})
            assert answer.status_code == (200 if takes_part else 403), (who, position)
            body = answer.content.decode()
            assert not [one for one in grown.markers if one in body], (who, position)
    own = grown.readers["player"].get(url, {"at": last}).content.decode()
    assert [one for one in grown.markers if one in own]


def test_mail_and_notices_of_others_tell_nothing(grown: Table) -> None:
    close_round(ChangeRequest(grown.league.organiser, grown.league.token), 1)
    ben = grown.league.player("Ben").user_id
    told = Notice.objects.exclude(user__in=[ben, grown.league.organiser.user_id])
    words = list(told.values_list("words", flat=True))
    assert words
    assert not [one for one in words for marker in grown.markers if marker in one]


@pytest.mark.parametrize("who", ["player", "organiser"])
def test_player_and_organisers_read_the_campaign(grown: Table, who: str) -> None:
    event, warband = grown.league.token, grown.warband
    pages = {
        f"/leagues/{event}/",
        f"/leagues/{event}/log/",
        f"/api/v1/events/{event}/growth/",
        f"/api/v1/events/{event}/growth/warbands/{warband}/ledger/",
    }
    assert grown.markers_told(who, grown.at(pages)).keys() == pages


@pytest.mark.parametrize("who", ["player", "organiser"])
def test_player_and_organisers_read_the_list(table: Table, who: str) -> None:
    play(table)
    names = ("", "report/", "export.json", "table-pack.pdf", "record/")
    pages = {f"/battles/{table.battle.token}/{name}" for name in names}
    assert table.markers_told(who, table.at(pages)).keys() == pages


def test_list_that_was_shown_is_told_to_everybody(table: Table) -> None:
    show_lists(ChangeRequest(table.league.organiser, table.league.token), 1)
    page = f"/battles/{table.battle.token}/"
    assert page in table.markers_told("nobody", table.at({page}))


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


def test_figures_of_the_fold_are_for_those_who_record_a_battle_that_began(table):
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


def test_points_are_told_to_who_records_where_rout_goes_by_them(table: Table) -> None:
    url = f"/api/v1/battles/{table.battle.token}/"

    def known(who: str) -> set[int]:
        side = table.readers[who].get(url).json()["sides"][0]
        return {one["points"] for one in side["combatants"]}

    play(table)
    assert known("opponent") == {0}
    Battle.objects.filter(pk=table.battle.pk).update(ruling_layers={"battle": {"G20": 1}})
    assert (min(known("opponent")) > 0, known("nobody")) == (True, {0})


def test_refused_event_names_no_unit(table: Table) -> None:
    one = BattleCombatant.objects.get(battle=table.battle, name=UNIT)
    bad = make_event("wounds", combatant=one.key, to=99)
    told = {}
    for name in ("Ada", "Ben"):
        call = BattleCall(table.league.player(name), table.battle.token)
        told[name] = str(op_append(call, [bad]).answers)
    assert UNIT not in told["Ben"]


@pytest.mark.parametrize("unseen", [True, False])
def test_what_an_opponent_cannot_know_is_not_held_against_his_acts(table, unseen):
    """He records for a warrior of the secret list, whose traits and dice his phone does not hold:
    what counts there counts for all, where the event says so.
    """
    battle = table.battle
    man = next(
        fighter
        for side in battle.locked["sides"]
        for fighter in side["fighters"]
        if fighter["name"] == UNIT
    )
    man |= {"traits": ["undead"], "flight": 2}
    battle.save(update_fields=["locked"])
    payload = {"combatant": man["id"]} | ({"unseen": True} if unseen else {})
    acts = [("panic", [6, 6]), ("flight", [1, 2, 3])]
    events = [
        make_event("test", seq=seq, test=test, dice=dice, **payload)
        for seq, (test, dice) in enumerate(acts, 90)
    ]
    call = BattleCall(table.league.player("Ben"), battle.token)
    reasons = [answer.reason for answer in op_append(call, events).answers]
    battle.refresh_from_db()
    now = battle.state["combatants"][man["id"]]
    assert reasons == ["", ""]
    assert (now["state"], now["taken"]) == (
        ("fleeing", ["panic", "flight"]) if unseen else ("standing", [])
    )


def test_statements_do_not_grow(table: Table, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(12):
        table.readers["opponent"].get(f"/battles/{table.battle.token}/")
