"""Files of an event: no cell a spreadsheet would work out, JSON of the same rows, a summary, and a
calendar's feed.
"""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from icalendar import Calendar

from accounts.models import Membership, User
from accounts.owner import NOBODY
from campaigns.exports import (
    FILES,
    GROWN,
    LeagueFiles,
    as_calendar,
    as_csv,
    as_json,
    as_markdown,
)
from campaigns.models import ClubEvent, Entry, Fixture, FixtureStatus
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.fixtures import FixtureDraft, change_fixture
from campaigns.operations.rounds import RoundDraft, add_round, change_round
from campaigns.queries.events import load_event
from campaigns.queries.fixtures import load_calendar_key, load_schedule
from campaigns.queries.standings import standings_in
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up, report
from tests.factories import make_person

pytestmark = pytest.mark.django_db

EVENING = datetime(2026, 5, 1, 18, 30, tzinfo=UTC)
HOSTILE = ("=1+1", "+SUM(A1)", "@x", "-2|cmd", "|a| *b* <b>", "Ö\u200dtto; a, b\\n")


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Four players and two rounds: one played at the organiser's word, one to come on an evening."""
    made = make_league(players=4, visibility="club", place="Upstairs; left, then right")
    first, _ = put_up(made, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(made, first, "Ada")
    add_round(made.ask(), RoundDraft(name="May", starts_at=EVENING))
    put_up(made, 2, [("Ada", "Cleo"), ("Ben", "Dora")], table=3)
    return made


def files(league: League) -> LeagueFiles:
    schedule = load_schedule(league.organiser, league.token)
    assert schedule is not None
    return LeagueFiles(schedule, standings_in(schedule))


def feed(league: League, entry: str = "") -> list[Any]:
    schedule = load_schedule(league.organiser, league.token)
    assert schedule is not None
    body = as_calendar(
        schedule,
        lambda fixture: f"https://example.org/{fixture.record.token if fixture else ''}",
        entry,
    )
    return list(Calendar.from_ical(body).walk("VEVENT"))


def test_a_limit_of_0_is_told_like_any_other(league: League) -> None:
    for limit, is_told in ((None, False), (0, True)):
        ClubEvent.objects.filter(token=league.token).update(points_limit=limit)
        (evening,) = {one["description"] for one in feed(league, league.entry("Ada").token)}
        assert (", 0 points," in as_markdown(files(league))) == is_told
        assert ("0 points" in evening) == is_told


@pytest.mark.parametrize("what", [what for what in FILES if what not in GROWN])
def test_csv_and_json_hold_the_same_rows_and_no_formula(league: League, what: str) -> None:
    for entry, name in zip(Entry.objects.order_by("pk"), HOSTILE, strict=False):
        Entry.objects.filter(pk=entry.pk).update(name=name)
    of = files(league)
    rows = list(csv.reader(io.StringIO(as_csv(of, what))))
    data = json.loads(as_json(of, what))[what]
    assert [len(data), len(rows) - 1] == [
        {"standings": 4, "fixtures": 4, "results": 1}[what]
    ] * 2
    for row, told in zip(rows[1:], data, strict=True):
        assert [cell.removeprefix("'") for cell in row] == [
            "" if v is None else str(v) for v in told.values()
        ]
        for cell, value in zip(row, told.values(), strict=True):
            assert isinstance(value, int) or not cell.startswith(
                ("=", "+", "-", "@", "\t", "\r")
            )
    text = as_csv(of, what)
    assert "'=1+1" in text
    assert "'+SUM(A1)" in text or what == "results"


def test_summary_tells_the_table_the_round_and_what_comes(league: League) -> None:
    text = as_markdown(files(league))
    assert "| 1 | Ada | 1 | 1-0-0 | 3 |" in text
    assert "## May\n\n- Ada against Cleo\\: to be played" in text
    assert "- Ada against Cleo, 1 May 2026, 19\\:30, table 3" in text
    Entry.objects.filter(name="Ada").update(name="|a| *b* <b>")
    assert "| 1 | \\|a\\| \\*b\\* \\<b\\> |" in as_markdown(files(league))
    Entry.objects.filter(name="|a| *b* <b>").update(name="1. https://evil.example")
    text = as_markdown(files(league))
    assert r"| 1 | 1\. https\://evil\.example |" in text
    assert r"- 1\. https\://evil\.example against Cleo" in text


def test_feed_holds_what_has_a_day_and_reads_back(league: League) -> None:
    first, second = feed(league)
    fixture = league.fixture(2, "Ada")
    assert str(first["UID"]) == f"fixture-{fixture.token}@example.org"
    assert first["DTSTART"].dt == EVENING
    assert first["DTEND"].dt > EVENING
    assert first["DTSTAMP"].dt <= datetime.now(UTC)
    assert str(first["SUMMARY"]) == "Ada against Cleo (Autumn league)"
    assert str(first["LOCATION"]) == "Upstairs; left, then right, table 3"
    assert [str(one["STATUS"]) for one in (first, second)] == ["CONFIRMED"] * 2
    mine = feed(league, league.entry("Dora").token)
    assert [str(one["SUMMARY"]) for one in mine] == ["Ben against Dora (Autumn league)"]


def test_feed_keeps_uids_and_counts_changes_up(league: League) -> None:
    def told() -> dict[str, tuple[int, str]]:
        return {
            str(one["UID"]): (one["SEQUENCE"], str(one["STATUS"])) for one in feed(league)
        }

    before = told()
    fixture = league.fixture(2, "Ada")
    for change in (
        lambda: change_round(
            league.ask(), 2, RoundDraft(starts_at=EVENING + timedelta(days=7))
        ),
        lambda: change_fixture(league.ask(), fixture.token, FixtureDraft(plays_at=EVENING)),
        lambda: decide_fixture(
            league.ask(reason="Ill."), fixture.token, decision="unplayed"
        ),
    ):
        change()
        after = told()
        assert after.keys() == before.keys()
        assert all(after[uid][0] > before[uid][0] for uid in after)
        before = after
    assert sorted(status for _, status in before.values()) == ["CANCELLED", "CONFIRMED"]


def test_feed_is_folded_escaped_and_ends_its_lines(league: League) -> None:
    long = "Müßiggänger " * 6
    Entry.objects.filter(name="Ada").update(name=f"{long[:70]};,\\n")
    schedule = load_schedule(league.organiser, league.token)
    assert schedule is not None
    body = as_calendar(schedule, lambda _: "https://example.org/")
    lines = body.split(b"\r\n")
    assert b"\n" not in body.replace(b"\r\n", b"")
    assert max(map(len, lines)) <= 75
    assert b"\\;\\,\\\\n" in body.replace(b"\r\n ", b"")
    Fixture.objects.filter(round__number=2).update(status=FixtureStatus.VOID)
    assert {str(one["STATUS"]) for one in feed(league)} == {"CANCELLED"}


def test_draft_is_in_no_file_of_a_player(league: League) -> None:
    league.event.rounds.filter(number=2).update(status="draft")
    schedule = load_schedule(league.player("Ada"), league.token)
    assert schedule is not None
    assert {fixture.round.number for fixture in schedule.fixtures} == {1}
    assert feed(league) == []  # not even in the organiser's, which may be handed on


def test_calendar_reads_a_clubs_feed_by_its_key_and_nothing_else(
    league: League, client: Client
) -> None:
    address = f"/leagues/{league.token}/fixtures.ics"
    ada = league.player("Ada")
    event = load_event(ada, league.token)
    assert event is not None
    assert ada.user_id is not None
    key = f"{load_calendar_key(event, ada.user_id)}&reader={ada.user_id}"
    assert client.get(address).status_code == 404
    assert client.get(f"{address}?key=x{key[1:]}").status_code == 404
    answer = client.get(f"{address}?key={key}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/calendar")
    assert not answer.cookies
    for other in ("standings.csv", "summary.md", ""):
        assert client.get(f"/leagues/{league.token}/{other}?key={key}").status_code == 404
    other = make_league(players=2)
    assert client.get(f"/leagues/{other.token}/fixtures.ics?key={key}").status_code == 404


def test_page_of_files_gives_the_addresses(league: League, client: Client) -> None:
    client.force_login(User.objects.get(pk=league.player("Ada").user_id))
    page = client.get(f"/leagues/{league.token}/files/")
    feeds = [feed["address"] for feed in page.context["feeds"]]
    assert len(feeds) == 2
    client.logout()
    for address in feeds:
        assert client.get(address).status_code == 200
    assert f"entry={league.entry('Ada').token}" in feeds[0]


def test_files_take_as_many_queries_for_more_players(
    django_assert_num_queries: Any,
) -> None:
    for players in (2, 6):
        made = make_league(players=players, visibility="public")
        names = [entry.name for entry in made.entries]
        put_up(made, 1, [names[place : place + 2] for place in range(0, players, 2)])
        with django_assert_num_queries(4):
            schedule = load_schedule(NOBODY, made.token)
            assert schedule is not None
            as_markdown(LeagueFiles(schedule, standings_in(schedule)))


def own_feed(league: League, name: str) -> str:
    """The calendar address of a player, as the page of files gives it."""
    client = browser_of(league.player(name))
    feeds = client.get(f"/leagues/{league.token}/files/").context["feeds"]
    return str(feeds[-1]["address"])


def works(address: str) -> bool:
    return Client().get(address).status_code == 200


def test_calendar_address_is_renewed_by_its_person(league: League) -> None:
    ada, ben = own_feed(league, "Ada"), own_feed(league, "Ben")
    browser_of(league.player("Ada")).post(f"/leagues/{league.token}/calendar/renew/")
    assert [works(ada), works(ben), works(own_feed(league, "Ada"))] == [False, True, True]


def test_organiser_renews_every_calendar_address(league: League) -> None:
    ada, other = own_feed(league, "Ada"), make_league(players=1)
    kept = own_feed(other, "Ada")
    address = f"/leagues/{league.token}/calendar/renew-all/"
    assert browser_of(league.player("Ada")).post(address).status_code == 403
    assert works(ada)
    version = league.fresh().version
    browser_of(league.organiser).post(address, {"version": version})
    assert [works(ada), works(kept), works(own_feed(league, "Ada"))] == [False, True, True]


def test_calendar_address_ends_with_membership(league: League) -> None:
    member = make_person()
    Membership.objects.create(club=league.club, user_id=member.user_id)
    event = load_event(member, league.token)
    assert event is not None
    assert member.user_id is not None
    key = load_calendar_key(event, member.user_id)
    address = f"/leagues/{league.token}/fixtures.ics?reader={member.user_id}&key={key}"
    assert works(address)
    Membership.objects.filter(user_id=member.user_id).delete()
    assert not works(address)
    Membership.objects.create(club=league.club, user_id=member.user_id)
    User.objects.filter(pk=member.user_id).update(is_active=False)
    assert not works(address)


def test_calendar_address_of_somebody_else_is_none(league: League) -> None:
    ada = own_feed(league, "Ada")
    other = league.player("Ben").user_id
    assert not works(re.sub(r"reader=\d+", f"reader={other}", ada))
    for odd in ("", "x", "9" * 40, "١"):
        assert not works(re.sub(r"reader=\d+", f"reader={odd}", ada))


def test_standings_are_plain_numbers_with_warband_and_army() -> None:
    made = make_league(
        players=2,
        with_warbands=True,
        needs_list=True,
        tie_breaks=["out_difference", "opponents_score", "play_off"],
    )
    (game,) = put_up(made, 1, [("Ada", "Ben")])
    report(made, game, "Ada", figures={made.entry("Ben").token: {"out": 3}})
    for reader, army in ((made.organiser, "The Empire"), (made.player("Ada"), "")):
        schedule = load_schedule(reader, made.token)
        assert schedule
        text = as_csv(LeagueFiles(schedule, standings_in(schedule)), "standings")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["casualty difference"] for row in rows] == ["3", "-3"]
        assert [row["play-off"] for row in rows] == ["", ""]
        assert [row["army"] for row in rows] == ["The Empire", army]
        assert all(row["warband"] for row in rows)
