"""Lists of events, and one event as its readers see it: who finds what, in how many queries."""

import pytest

from accounts.owner import NOBODY, Owner
from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.queries.battles import load_battle
from campaigns.models import Round
from campaigns.operations.entries import change_entry, drop_entry
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.rounds import RoundDraft, add_round, close_round, publish_round
from campaigns.queries.entries import load_candidates, load_choices
from campaigns.queries.event_page import load_event_page
from campaigns.queries.events import (
    club_events,
    events_in_own_clubs,
    find_event,
    load_entries,
    load_event,
    own_events,
    public_events,
)
from campaigns.queries.records import ClubEventRecord, EventRows
from engine.types.systems import System
from tests.battles.steps import confirm_result, report_after_battle
from tests.campaigns.leagues import League, make_event, make_league, player_of
from tests.campaigns.results import faults, fresh
from tests.factories import make_club, make_legal_warband, make_owner, make_person
from tests.systems import some_of, systems_with
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import create_from_starter
from warbands.queries.lists import starters

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
    settle_event(league.ask(), "archive")
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
def test_lists_take_one_query_whatever_their_length(size, django_assert_num_queries):
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
        assert find_event(actor, league.token) is not None
    for actor in (make_person(), make_owner(), NOBODY):
        assert (find_event(actor, league.token) is not None) == strangers
    for token in ("", "none", "x" * 99, "a\0b", "ü"):
        assert find_event(league.organiser, token) is None


def test_who_left_the_club_still_reads_what_they_are_in(league: League) -> None:
    ada = league.player("Ada")
    league.club.memberships.filter(user_id=ada.user_id).delete()
    event = seen(ada, league)
    values = (event.is_member, event.is_playing, event.mine)
    assert values == (False, True, league.entry("Ada").token)


@pytest.mark.parametrize("players", [1, 4])
def test_an_event_and_its_entries_take_one_query_each(players, django_assert_num_queries):
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


def test_choices_are_the_players_own_as_far_as_they_are_shown(pair: League) -> None:
    ada = pair.player("Ada")
    make_legal_warband(actor=ada, name="Hidden")
    make_legal_warband(actor=ada, name="Shown", visibility="club", club_id=pair.club.pk)
    make_legal_warband(
        actor=ada, name="Other rules", system="mordheim-draft", visibility="public"
    )
    make_legal_warband(actor=pair.organiser, name="Olga’s")

    def offered(actor: Owner, name: str) -> list[str]:
        event = seen(actor, pair)
        entry = next(one for one in load_entries(actor, event) if one.name == name)
        return [label.partition(",")[0] for _, label in load_choices(actor, event, entry)]

    assert offered(ada, "Ada") == ["Shown", "Hidden"]
    assert offered(pair.organiser, "Ada") == ["Shown"]
    assert offered(pair.organiser, "Ben") == []


# Each rule system, in each of its variants, runs a league


SYSTEMS = systems_with("battle")


def test_there_are_systems_to_play() -> None:
    assert len({system.key for system in SYSTEMS}) >= 5


@some_of(SYSTEMS, 2)
def test_every_system_runs_a_league(book: System) -> None:
    system, variant = book.key, book.variant or ""
    league = make_league(players=3, system=system, variant=variant, points_limit=None)
    starter = starters(book.address)[0].key
    for entry in league.entries:
        token = create_from_starter(WriteContext(player_of(entry)), starter).token
        change_entry(
            ChangeRequest(player_of(entry), league.token), entry.token, warband=token
        )
    for _ in range(2):
        number = add_round(league.ask(), RoundDraft())
        draw_round(league.ask(), number)
        publish_round(league.ask(), number)
        play(league, number)
        close_round(league.ask(), number)
    page = load_event_page(league.organiser, league.token)
    assert page is not None
    rows = [
        (
            row.standing.points, row.standing.played, row.standing.byes,
            row.standing.put_out, row.standing.models_lost,
        )
        for row in page.table.rows
    ]  # fmt: skip
    assert sum(points for points, *_ in rows) == 2 * (
        3 + 3
    )  # a win and a bye in each round
    assert [sum(column) for column in zip(*rows, strict=True)][1:] == [4, 2, 2, 2]
    assert {"Most models taken out", "Most kills"} <= {
        honour.name for honour in page.honours
    }
    assert [chapter.round.number for chapter in page.chapters] == [2, 1]
    assert page.courses is not None
    assert len(page.matrix) == 3


def play(league: League, number: int) -> None:
    """The first side puts one model of the other out and wins; its opponent agrees."""
    fixture = next(one for one in league.fixtures(number) if one.other is not None)
    assert fixture.other is not None
    mine, theirs = player_of(fixture.one), player_of(fixture.other)
    token = open_fixture(ChangeRequest(mine, league.token), fixture.token)
    record = load_battle(mine, token)
    assert record is not None
    assert [side.snapshot_id is not None for side in record.sides] == [True, True]
    gone = next(state.id for state in record.rules.states.values() if state.is_out)
    won = next(one.id for one in record.rules.endings.values() if one.has_winner)
    victim = ReportedCasualty(gone, by=record.sides[0].fighters[0].id)
    told = AfterBattleReport(
        0, 3, {record.sides[1].fighters[-1].id: victim}, winner="a", how=won
    )
    done = report_after_battle(mine, token, told=told)
    assert (done.status, fresh(fixture).status) == ("proposed", "waiting")
    confirm_result(theirs, token)
    assert fresh(fixture).status == "final"
    assert faults(fixture) == []
