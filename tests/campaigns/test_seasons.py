"""Seasons of a club: what counts, who sees what, and the record of a player."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from accounts.owner import NOBODY, Owner
from campaigns.models import ClubEvent, Fixture
from campaigns.models.leagues import Season
from campaigns.operations.entries import enter_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.seasons import (
    SeasonDraft,
    change_season,
    create_season,
    remove_season,
)
from campaigns.queries.seasons import (
    SeasonTable,
    load_player_record,
    load_season,
    load_season_table,
)
from engine.tournament.season import season_table
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_entry, make_event
from tests.campaigns.results import put_up, report
from tests.factories import make_club, make_person, make_user

pytestmark = pytest.mark.django_db

PLACES = (10, 8, 6)


class Year:
    """A club with Ada, Ben and Cleo, and a guest Rolf in each of its events."""

    def __init__(self) -> None:
        self.organiser = make_person(user=make_user(name="Olga"))
        names = ("Ada", "Ben", "Cleo")
        self.people = {name: make_person(user=make_user(name=name)) for name in names}
        self.club = make_club(owner=self.organiser, members=self.people.values())
        self.leagues: list[League] = []

    def event(self, *results: str, players: str = "Ada Ben Cleo", **fields: Any) -> League:
        """An event with these games, as "Ada-Ben" won by the first or "Ada=Ben" drawn."""
        name = f"Day {len(self.leagues) + 1}"
        event = make_event(
            organiser=self.organiser, club=self.club, **{"name": name, **fields}
        )
        entries = [
            make_entry(
                event=event, organiser=self.organiser, user_id=self.people[n].user_id
            )
            for n in players.split()
        ]
        entries.append(make_entry(event=event, organiser=self.organiser, name="Rolf"))
        league = League(event, self.organiser, entries, self.club)
        for number, result in enumerate(results, 1):
            names = result.replace("=", "-").split("-")
            (game,) = put_up(league, number, [names])
            report(league, game, "" if "=" in result else names[0])
        self.leagues.append(league)
        return league

    def season(self, **fields: Any) -> str:
        draft = SeasonDraft("2026", place_points=PLACES, events=self.tokens())
        return create_season(self.organiser, self.club.slug, replace(draft, **fields))

    def tokens(self) -> tuple[str, ...]:
        return tuple(league.token for league in self.leagues)

    def table(self, token: str, actor: Owner | None = None) -> SeasonTable:
        season = load_season(self.club.pk, token)
        return load_season_table(actor or self.organiser, season)

    def lines(self, token: str, actor: Owner | None = None) -> list[tuple[Any, ...]]:
        rows = self.table(token, actor).rows
        return [(row.line.place, row.entry.name, row.line.total) for row in rows]


@pytest.fixture
def year() -> Year:
    return Year()


def test_season_adds_the_best_by_place_and_follows_a_correction(year: Year) -> None:
    first = year.event("Ada-Ben", "Ada-Cleo", "Ben-Cleo")
    year.event("Ben-Ada", "Ben-Cleo", "Ada-Cleo")
    year.event("Ada-Cleo")
    year.event()  # nobody has played in it, so all are first of it
    token = year.season(best=2)
    table = year.table(token)
    assert [event.name for event in table.events] == ["Day 1", "Day 2", "Day 3"]
    # Ada 10, 8 and 10; Ben 8 and 10, but no game on the third day.
    assert year.lines(token)[:3] == [(1, "Ada", 20), (2, "Ben", 18), (3, "Cleo", 14)]
    lines = [(row.line.results, row.line.counted) for row in table.rows[:2]]
    assert lines == [((10, 8, 10), (0, 2)), ((8, 10, None), (0, 1))]
    game = first.fixtures(1)[0]
    report(first, game, "Ben", reason="Swapped.")
    assert year.lines(token)[:2] == [(1, "Ben", 20), (2, "Ada", 18)]


def test_season_may_add_points_as_scored(year: Year) -> None:
    year.event("Ada-Ben", "Ada=Cleo")
    year.event("Ben-Ada")
    assert year.lines(year.season(counts="points")) == [
        (1, "Ada", 4),
        (2, "Ben", 3),
        (3, "Cleo", 1),
    ]


def test_guests_of_one_name_are_never_joined(year: Year) -> None:
    year.event("Rolf-Ada")
    year.event("Rolf-Ada")
    season = year.season(counts="points")
    assert year.lines(season) == [(1, "Rolf", 3), (1, "Rolf", 3), (3, "Ada", 0)]
    rolf = year.leagues[0].entry("Rolf")
    record = load_player_record(year.organiser, year.club.pk, rolf.token)
    assert record is not None
    assert (record.is_guest, record.total.won, len(record.events)) == (True, 1, 1)
    ada = load_player_record(
        year.organiser, year.club.pk, year.leagues[1].entry("Ada").token
    )
    assert ada is not None
    assert [(row.entry.name, row.lost) for row in ada.opponents if row.entry] == [
        ("Rolf", 1),
        ("Rolf", 1),
    ]


def test_season_shows_only_events_its_reader_may_open(year: Year) -> None:
    year.event("Ada-Ben", visibility="public")
    year.event("Ben-Ada", visibility="club")
    year.event("Ben-Ada", visibility="link")
    type(year.club).objects.filter(pk=year.club.pk).update(is_public=True)
    token = year.season(counts="points")
    assert year.lines(token) == [(1, "Ben", 6), (2, "Ada", 3)]
    assert year.lines(token, NOBODY) == [(1, "Ada", 3), (2, "Ben", 0)]
    hidden = year.leagues[1].entry("Ada").token
    with pytest.raises(NotFound):
        load_player_record(NOBODY, year.club.pk, hidden)
    shown = load_player_record(NOBODY, year.club.pk, year.leagues[0].entry("Ada").token)
    assert shown is not None
    assert (shown.total.games, len(shown.events)) == (1, 1)
    address = reverse("season-read", args=[year.club.slug, token])
    text = browser_of().get(address).content.decode()
    assert [name in text for name in ("Day 1", "Day 2", "Day 3")] == [True, False, False]
    type(year.club).objects.filter(pk=year.club.pk).update(is_public=False)
    assert browser_of().get(address).status_code == 404


def test_record_counts_games_wins_and_opponents(year: Year) -> None:
    league = year.event("Ada-Ben", "Ada=Cleo")
    (three,) = put_up(league, 3, [("Ben", "Ada", "Cleo")])
    report(league, three, "Ben")
    (friendly,) = put_up(league, 4, [("Ada", "Ben")])
    Fixture.objects.filter(pk=friendly.pk).update(is_friendly=True)
    report(league, friendly, "Ben")
    other = year.event("Ben-Ada", "Ada-Rolf")
    record = load_player_record(year.organiser, year.club.pk, other.entry("Ada").token)
    assert record is not None
    total = record.total
    assert (total.games, total.won, total.drawn, total.lost) == (5, 2, 1, 2)
    assert [
        (row.entry.name, row.won, row.drawn, row.lost)
        for row in record.opponents
        if row.entry
    ] == [("Ben", 1, 0, 2), ("Cleo", 0, 2, 0), ("Rolf", 1, 0, 0)]
    assert [row.games for row in record.events] == [3, 2]


def test_table_asks_as_often_for_one_event_as_for_three(
    year: Year, django_assert_num_queries: Callable[[int], Any]
) -> None:
    for count in (1, 3):
        while len(year.leagues) < count:
            year.event("Ada-Ben", "Cleo-Rolf")
        season = load_season(year.club.pk, year.season())
        with django_assert_num_queries(3):
            load_season_table(year.organiser, season)


@pytest.mark.parametrize(
    "fields, field, words",
    [
        ({"name": "–"}, "name", "at least one letter"),
        ({"counts": "wins"}, "counts", "none of place, points"),
        ({"best": 0}, "best", "from 1 to 24"),
        ({"best": 25}, "best", "from 1 to 24"),
        ({"place_points": (1,) * 129}, "place_points", "at most 128 places"),
        ({"place_points": (1_001,)}, "place_points", "from 0 to 1,000"),
        ({"place_points": (-1,)}, "place_points", "from 0 to 1,000"),
        ({"events": ("x",)}, "events", 'no event "x"'),
        ({"events": tuple(map(str, range(25)))}, "events", "at most 24 events"),
    ],
)
def test_season_refuses_what_it_cannot_be(
    year: Year, fields: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(Refusal, match=words) as refused:
        year.season(**fields)
    assert refused.value.field == field
    assert not Season.objects.exists()


def test_season_is_its_organisers(year: Year) -> None:
    token, ada = year.season(best=24), year.people["Ada"]
    slug, draft = year.club.slug, SeasonDraft("Mine")
    for change in (
        lambda who: create_season(who, slug, draft),
        lambda who: change_season(who, slug, token, draft),
        lambda who: remove_season(who, slug, token),
    ):
        with pytest.raises(NotAllowed):
            change(ada)
        with pytest.raises(NotFound):
            change(make_person())
    other = make_event()
    with pytest.raises(Refusal, match=f'no event "{other.token}"'):
        year.season(events=(other.token,))
    change_season(year.organiser, slug, token, draft, expected=1)
    with pytest.raises(Stale):
        change_season(year.organiser, slug, token, draft, expected=1)
    remove_season(year.organiser, slug, token, expected=2)
    with pytest.raises(NotFound):
        load_season(year.club.pk, token)


def test_season_is_made_changed_and_deleted_on_its_pages(year: Year) -> None:
    year.event("Ada-Ben")
    browser, slug = browser_of(year.organiser), year.club.slug
    listed = reverse("season-list", args=[slug])
    assert browser.get(listed).status_code == 200
    sent = {
        "name": "Year",
        "counts": "place",
        "place_points": "5, 3 1",
        "best": "1",
        "events": list(year.tokens()),
    }
    new = reverse("season-new", args=[slug])
    assert browser.post(new, {**sent, "place_points": "5; 3"}).status_code == 422
    answer = browser.post(new, sent)
    season = Season.objects.get()
    assert answer["Location"] == reverse("season-read", args=[slug, season.token])
    assert (season.place_points, season.best) == ([5, 3, 1], 1)
    edit = reverse("season-edit", args=[slug, season.token])
    assert browser.get(edit).context["form"].initial["place_points"] == "5, 3, 1"
    browser.post(edit, {**sent, "best": "", "seen": 1})
    season.refresh_from_db()
    assert (season.best, season.version) == (None, 2)
    assert browser.post(edit, {**sent, "seen": 1}).status_code == 409
    record = reverse("player-record", args=[slug, year.leagues[0].entry("Ada").token])
    assert browser.get(record).context["record"].total.won == 1
    browser.post(reverse("season-remove", args=[slug, season.token]))
    assert not Season.objects.exists()
    assert ClubEvent.objects.count() == 1


def test_season_table_is_as_counted_naively() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        players = "abcdef"[: chance.randint(0, 6)]
        events = [
            {p: chance.randint(-2, 5) for p in players if chance.random() < 0.7}
            for _ in range(chance.randint(0, 6))
        ]
        best = chance.choice([None, 1, 2, 3])
        totals = {
            player: sum(
                sorted((e[player] for e in events if player in e), reverse=True)[:best]
            )
            for player in players
            if any(player in event for event in events)
        }
        lines = season_table(events, {player: player for player in totals}, best)
        assert {line.player: line.total for line in lines} == totals
        assert [(line.place, line.player) for line in lines] == sorted(
            (1 + sum(more > total for more in totals.values()), player)
            for player, total in totals.items()
        )


def test_player_of_an_event_by_link_opens_the_season_of_an_unlisted_club(
    year: Year,
) -> None:
    year.event("Ada-Ben")
    shown = year.event("Ben-Ada", visibility="link")
    rita = make_person(user=make_user(name="Rita"))
    token = year.season(counts="points")
    address = reverse("season-read", args=[year.club.slug, token])
    assert browser_of(rita).get(address).status_code == 404
    enter_event(ChangeRequest(rita, shown.token))
    answer = browser_of(rita).get(address)
    assert [name in answer.content.decode() for name in ("Day 1", "Day 2")] == [False, True]
    assert f"/clubs/{year.club.slug}/seasons/{token}/edit/" not in answer.content.decode()
    for entry, status in ((shown, 200), (year.leagues[0], 404)):
        record = reverse("player-record", args=[year.club.slug, entry.entry("Ada").token])
        assert browser_of(rita).get(record).status_code == status
    for name in ("season-list", "club-read"):
        assert browser_of(rita).get(reverse(name, args=[year.club.slug])).status_code == 404
