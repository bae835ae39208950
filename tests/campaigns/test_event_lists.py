"""Lists of events, and one event as its readers see it: who finds what, in how many queries."""

from typing import Any

import pytest

from accounts.owner import NOBODY, Owner
from campaigns.models import Round
from campaigns.operations.entries import drop_entry
from campaigns.operations.events import archive_event
from campaigns.queries.entries import load_candidates, load_choices
from campaigns.queries.events import (
    club_events,
    events_in_own_clubs,
    load_entries,
    load_event,
    own_events,
    public_events,
)
from campaigns.queries.records import ClubEventRecord, EventRows
from tests.campaigns.leagues import League, make_event, make_league
from tests.factories import make_club, make_legal_warband, make_owner, make_person

pytestmark = pytest.mark.django_db


def names(page: EventRows) -> list[str]:
    return [row.name for row in page.rows]


def seen(actor: Owner, league: League) -> ClubEventRecord:
    event = load_event(actor, league.token)
    assert event is not None
    return event


def test_lists_hold_what_is_theirs() -> None:
    league = make_league(players=2, name="Ours", visibility="link")
    make_event(name="Elsewhere", visibility="public")
    make_event(organiser=league.organiser, club=league.club, name="Not entered")
    ada, stranger = league.player("Ada"), make_person()
    assert names(own_events(ada)) == ["Ours"]
    assert names(own_events(league.organiser)) == ["Not entered", "Ours"]
    assert names(events_in_own_clubs(ada)) == ["Not entered", "Ours"]
    for actor in (ada, stranger, NOBODY, make_owner()):
        assert names(public_events(actor)) == ["Elsewhere"]
    for actor in (stranger, NOBODY, make_owner()):
        assert (
            names(own_events(actor))
            == names(events_in_own_clubs(actor))
            == names(club_events(actor, league.club.pk))
            == []
        )
    assert names(club_events(ada, league.club.pk)) == ["Not entered", "Ours"]
    archive_event(league.ask())
    assert names(own_events(ada)) == []
    assert names(own_events(ada, archived=True)) == ["Ours"]


def test_a_row_counts_players_and_the_latest_round_shown(league: League) -> None:
    drop_entry(league.ask(), league.entries[0].token)
    for number, status in ((1, "closed"), (2, "published"), (3, "draft")):
        Round.objects.create(event=league.event, number=number, status=status)
    row = own_events(league.player("Ben")).rows[0]
    assert (row.entries, row.round, row.is_mine, row.may_organise) == (3, 2, True, False)
    row = own_events(league.organiser).rows[0]
    assert (row.is_mine, row.may_organise) == (False, True)


@pytest.mark.parametrize("size", [1, 3])
def test_lists_take_one_query_whatever_their_length(
    size: int, django_assert_num_queries: Any
) -> None:
    organiser = make_person()
    club = make_club(owner=organiser)
    for number in range(size):
        make_event(
            organiser=organiser, club=club, name=f"Cup {number}", visibility="public"
        )
    for read in (own_events, events_in_own_clubs, public_events):
        with django_assert_num_queries(1):
            assert len(read(organiser).rows) == size
    with django_assert_num_queries(2):
        assert len(club_events(organiser, club.pk).rows) == size


def test_pages_of_a_long_list() -> None:
    organiser = make_person()
    club = make_club(owner=organiser)
    for number in range(3):
        make_event(organiser=organiser, club=club, name=f"Cup {number}")
    first, second = (own_events(organiser, page=page, per_page=2) for page in (1, 2))
    assert (names(first), first.has_next()) == (["Cup 2", "Cup 1"], True)
    assert (names(second), second.has_next()) == (["Cup 0"], False)
    assert names(own_events(organiser, page=10**9, per_page=2)) == []


@pytest.mark.parametrize(
    "visibility, strangers", [("club", False), ("link", True), ("public", True)]
)
def test_an_event_is_read_by_those_it_is_for(visibility: str, strangers: bool) -> None:
    league = make_league(players=1, visibility=visibility)
    for actor in (league.organiser, league.player("Ada")):
        assert load_event(actor, league.token) is not None
    for actor in (make_person(), make_owner(), NOBODY):
        assert (load_event(actor, league.token) is not None) == strangers
    for token in ("", "none", "x" * 99, "a\0b", "ü"):
        assert load_event(league.organiser, token) is None


def test_who_left_the_club_still_reads_what_they_are_in(league: League) -> None:
    ada = league.player("Ada")
    league.club.memberships.filter(user_id=ada.user_id).delete()
    event = seen(ada, league)
    assert (event.is_member, event.is_playing, event.mine) == (
        False,
        True,
        league.entry("Ada").token,
    )


@pytest.mark.parametrize("players", [1, 4])
def test_an_event_and_its_entries_take_one_query_each(
    players: int, django_assert_num_queries: Any
) -> None:
    league = make_league(players=players, with_warbands=True)
    with django_assert_num_queries(1):
        event = seen(league.organiser, league)
    with django_assert_num_queries(1):
        entries = load_entries(league.organiser, event)
    assert [(one.name, one.army_name, bool(one.warband)) for one in entries] == [
        (entry.name, "The Empire", True) for entry in league.entries
    ]
    with django_assert_num_queries(1):
        assert [name for _, name in load_candidates(event)] == ["Olga"]


def test_choices_are_the_players_own_as_far_as_they_are_shown() -> None:
    league = make_league(players=2)
    ada = league.player("Ada")
    make_legal_warband(actor=ada, name="Hidden")
    make_legal_warband(actor=ada, name="Shown", visibility="club", club_id=league.club.pk)
    make_legal_warband(
        actor=ada, name="Other rules", system="mordheim-draft", visibility="public"
    )
    make_legal_warband(actor=league.organiser, name="Olga’s")

    def offered(actor: Owner, name: str) -> list[str]:
        event = seen(actor, league)
        entry = next(one for one in load_entries(actor, event) if one.name == name)
        return [label.partition(",")[0] for _, label in load_choices(actor, event, entry)]

    assert offered(ada, "Ada") == ["Shown", "Hidden"]
    assert offered(league.organiser, "Ada") == ["Shown"]
    assert offered(league.organiser, "Ben") == []
