"""Tables, charts, honours and the chronicle: what counts, how it is told, and how many queries it
takes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from accounts.errors import NotFound
from accounts.owner import NOBODY
from campaigns.charts import draw_place_chart
from campaigns.models import Entry, Fixture, Round
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import drop_entry
from campaigns.queries.entries import load_player
from campaigns.queries.event_page import EventPage, load_event_page, load_log
from campaigns.queries.fixture_page import load_fixture
from campaigns.queries.pairing import load_players
from campaigns.queries.standings import StandingsRecord, load_standings, preview_decision
from tests.battles.steps import dispute_result, void_result
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import put_up, report
from tests.factories import make_person

pytestmark = pytest.mark.django_db


def table(league: League) -> StandingsRecord:
    found = load_standings(league.organiser, league.token)
    assert found is not None
    return found


def page(league: League) -> EventPage:
    found = load_event_page(league.organiser, league.token)
    assert found is not None
    return found


def names(league: League) -> list[tuple[int, str, int]]:
    return [
        (row.standing.place, row.entry.name, row.standing.points)
        for row in table(league).rows
    ]


def chronicle(league: League) -> dict[int, list[str]]:
    return {
        chapter.round.number: [
            f"{one.strong} {one.text}".strip() for one in chapter.paragraphs
        ]
        for chapter in page(league).chapters
    }


def test_table_explains_every_place_and_says_who_moved(league: League) -> None:
    first, second = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "Ada")
    report(league, second, "Cleo")
    third, fourth = put_up(league, 2, [("Ada", "Cleo"), ("Ben", "Dora")])
    out = {league.entry("Cleo").token: {"out": 2}, league.entry("Ada").token: {"out": 5}}
    report(league, third, "Cleo", figures=out)
    report(league, fourth, "")
    told = [
        (
            row.standing.place,
            row.entry.name,
            row.standing.points,
            row.moved,
            row.form,
            row.explanation,
        )
        for row in table(league).rows
    ]
    assert told == [
        (1, "Cleo", 6, 0, ("won", "won"), ""),
        (2, "Ada", 3, -1, ("won", "lost"), ""),
        (3, "Dora", 1, 0, ("lost", "drawn"), ""),
        (
            4,
            "Ben",
            1,
            -1,
            ("lost", "drawn"),
            "Tied on points and head to head. "
            "Dora is ahead of Ben on strength of schedule (3.50 to 2).",
        ),
    ]
    assert [
        (row.standing.put_out, row.standing.models_lost, row.standing.difference)
        for row in table(league).rows
    ][:2] == [(5, 2, 3), (2, 5, -3)]


def test_a_play_off_moves_those_it_parts_in_the_last_round() -> None:
    league = make_league(players=2, tie_breaks=["play_off"])
    for number in (1, 2):
        (game,) = put_up(league, number, [("Ada", "Ben")])
        report(league, game, "")
    for place, name in enumerate(("Ben", "Ada"), start=1):
        Entry.objects.filter(pk=league.entry(name).pk).update(play_off=place)
    # After round 1 they shared the first place: the play-off came later.
    moved = [(row.entry.name, row.standing.place, row.moved) for row in table(league).rows]
    assert moved == [("Ben", 1, 0), ("Ada", 2, -1)]


def test_those_whom_nothing_parts_share_a_place_in_one_sentence(league: League) -> None:
    assert [row.explanation for row in table(league).rows] == ["", "", "", ""]
    first, second = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "")
    report(league, second, "")
    rows = table(league).rows
    assert [row.standing.place for row in rows] == [1, 1, 1, 1]
    assert (
        rows[-1].explanation
        == "Ada, Ben, Cleo and Dora are tied on everything and share place 1."
    )


def test_what_counts_and_what_does_not() -> None:
    league = make_league(players=6)
    games = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora"), ("Emil", "Fritz")])
    friendly, void, silent = games
    Fixture.objects.filter(pk=friendly.pk).update(is_friendly=True)
    report(league, friendly, "Ada")
    battle = report(league, void, "Cleo").battle
    void_result(league.organiser, battle, reason="Wrong table")
    report(league, silent, "Emil", by=league.player("Emil"))
    threes = put_up(league, 2, [("Ada", "Ben", "Cleo"), ("Dora", "Emil", "Fritz")])
    lost = {league.entry("Ada").token: {"out": 6}}
    report(league, threes[0], "Ben", figures=lost)
    report(league, threes[1], "")
    put_up(league, 3, [("Dora",)])
    (draft,) = put_up(league, 4, [("Ada", "Cleo")])
    report(league, draft, "Ada")
    Round.objects.filter(event=league.event, number=4).update(status="draft")
    points = {"Dora": 4, "Emil": 4, "Ben": 3, "Fritz": 1}
    assert {name: number for _, name, number in names(league) if number} == points
    # Of three one wins and two lose, or all draw; tables, pairings and pages count alike.
    lines = {row.entry.name: row.standing for row in table(league).rows}
    assert (lines["Ada"].played, lines["Ada"].lost, lines["Ada"].models_lost) == (1, 1, 6)
    players = load_players(league.event, 9, league.entries)
    assert {int(one.id): one.score for one in players} == {
        int(line.id): line.points for line in lines.values()
    }
    cleo = load_player(league.organiser, league.token, league.entry("Cleo").token)
    assert cleo is not None
    assert (cleo.score, cleo.games[0].put_out) == ("0 won, 0 drawn, 1 lost", 0)
    assert [row.provisional for row in table(league).rows if row.entry.name == "Emil"] == [
        1
    ]
    later = timezone.now() + timedelta(days=4)
    with patch("campaigns.queries.standings.timezone.now", return_value=later):
        late = load_standings(league.organiser, league.token)
    assert late is not None
    assert {
        row.entry.name: row.standing.points for row in late.rows if row.standing.points
    } == points
    told = chronicle(league)
    assert told[1] == [
        "Ada beats Ben (conceded), in a friendly game. Cleo against Dora was voided. "
        "Emil beats Fritz (conceded). Not confirmed yet."
    ]
    assert (told[2], told[3]) == (
        [
            "Dora climbs two places.",
            "Ada, Ben and Cleo play a three-player game and Ben wins. "
            "Dora, Emil and Fritz play a three-player game and nobody wins.",
        ],
        ["Dora has a bye."],
    )
    assert 4 not in told


def test_chronicle_tells_who_climbed_who_left_and_what_was_decided() -> None:
    league = make_league(players=5)
    games = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora"), ("Emil",)])
    report(league, games[0], "Ada")
    report(league, games[1], "")
    again, walked, unplayed = put_up(
        league, 2, [("Ben", "Ada"), ("Cleo", "Emil"), ("Dora", "Emil")]
    )
    Fixture.objects.filter(pk=again.pk).update(is_rematch=True)
    lost = {league.entry("Ada").token: {"out": 6}, league.entry("Ben").token: {"out": 2}}
    report(league, again, "Ben", figures=lost)
    cleo = league.entry("Cleo").token
    decide_fixture(
        league.ask(reason="Ill"), walked.token, decision="walkover", decided_for=cleo
    )
    decide_fixture(league.ask(reason="Hall closed"), unplayed.token, decision="unplayed")
    drop_entry(league.ask(), league.entry("Dora").token)
    (disputed,) = put_up(league, 3, [("Ada", "Cleo")])
    battle = report(league, disputed, "Ada", by=league.player("Ada")).battle
    dispute_result(league.player("Cleo"), battle, reason="No")
    told = chronicle(league)
    assert told[3] == ["Ada and Cleo dispute their result."]
    assert told[2] == [
        "Cleo climbs two places.",
        "Ben beats Ada (2 models out against 6, conceded), in a rematch. Cleo wins by walkover against Emil. "
        "Dora and Emil did not play. Dora drops out.",
    ]
    assert told[1] == ["Ada beats Ben (conceded). Cleo and Dora draw. Emil has a bye."]


def test_charts_have_everybody_at_a_height_of_their_own(league: League) -> None:
    first, second = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "")
    report(league, second, "")
    assert page(league).courses is None
    third, _ = put_up(league, 2, [("Ada", "Cleo"), ("Ben", "Dora")])
    report(league, third, "Cleo")
    found = load_event_page(league.player("Cleo"), league.token)
    assert found is not None
    assert found.courses is not None
    bump = draw_place_chart(found.courses)
    assert bump["label"].startswith("Cleo: 1, 1.")
    assert [line["name"] for line in bump["rows"]] == ["Cleo", "Dora", "Ada", "Ben"]
    assert bump["lines"][-1]["is_mine"]
    for column in range(2):
        assert len({line["marks"][column][1] for line in bump["rows"]}) == 4
    assert len({mark[3] for line in bump["rows"] for mark in line["marks"]}) == 4
    cells = {entry.name: [cell[1] for cell in cells] for entry, cells in found.matrix}
    assert cells == {
        "Cleo": ["", "D", "W", "–"],
        "Dora": ["D", "", "–", "–"],
        "Ada": ["L", "–", "", "D"],
        "Ben": ["–", "–", "D", ""],
    }


def test_decision_preview_says_what_moves_and_writes_nothing(league: League) -> None:
    first, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "Ada")
    before = names(league)
    ben = league.entry("Ben").token
    asked = {"decision": "walkover", "decided_for": ben}
    told = preview_decision(league.organiser, league.token, first.token, **asked)
    values = [change.sentence for change in told.changes]
    assert values == ["Ben: 2nd → 1st, 0 → 3 points.", "Ada: 1st → 2nd, 3 → 0 points."]
    assert names(league) == before
    decide_fixture(league.ask(reason="Slip"), first.token, **asked)
    assert names(league)[0] == (1, "Ben", 3)
    back = preview_decision(league.organiser, league.token, first.token, decision="")
    assert {one.name for one in back.changes} == {"Ada", "Ben"}


@pytest.mark.parametrize("players,rounds", [(0, 0), (1, 1), (2, 1), (3, 2)])
def test_tiny_fields_have_a_table_too(players: int, rounds: int) -> None:
    league = make_league(players=players)
    for number in range(1, rounds + 1):
        put_up(league, number, [[entry.name] for entry in league.entries])
    found = page(league)
    assert [row.standing.points for row in found.table.rows] == [3 * rounds] * players
    assert found.honours == ()
    assert found.matrix == ()


def test_those_who_may_not_read_it_find_nothing(league: League) -> None:
    fixture, _ = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    for actor in (NOBODY, make_person()):
        for load in (load_standings, load_event_page):
            with pytest.raises(NotFound):
                load(actor, league.token)
        with pytest.raises(NotFound):
            load_fixture(actor, league.token, fixture.token)
    Round.objects.filter(event=league.event).update(status="draft")
    with pytest.raises(NotFound):
        load_fixture(league.player("Ada"), league.token, fixture.token)
    assert load_fixture(league.organiser, league.token, fixture.token)
    other = make_league(players=2, organiser=league.organiser)
    with pytest.raises(NotFound):
        load_fixture(league.organiser, other.token, fixture.token)


def fill(league: League, rounds: int) -> None:
    """Rounds of results by their rows alone, as many as there are pairs."""
    entries = list(Entry.objects.filter(event=league.event).order_by("pk"))
    for number in range(1, rounds + 1):
        row = Round.objects.create(event=league.event, number=number, status="closed")
        Fixture.objects.bulk_create(
            Fixture(
                round=row,
                position=place,
                one=one,
                other=other,
                winner=one,
                status="final",
                out_other=place % 5,
            )
            for place, (one, other) in enumerate(
                zip(entries[::2], entries[number % 2 + 1 :: 2], strict=False)
            )
            if one != other
        )


@pytest.mark.parametrize("players,rounds", [(2, 1), (8, 3), (24, 5)])
def test_as_many_queries_whatever_the_size(
    players: int, rounds: int, django_assert_num_queries: Any, soak: Any
) -> None:
    league = make_league(players=0)
    count = players if players < 24 else soak(24, 128)
    Entry.objects.bulk_create(
        Entry(event=league.event, name=f"Player {n}") for n in range(count)
    )
    fill(league, rounds)
    (fixture,) = put_up(league, rounds + 1, [("Player 0", "Player 1")])
    report(league, fixture, "Player 0")
    with django_assert_num_queries(3):
        assert len(table(league).rows) == count
    with django_assert_num_queries(6):
        page(league)
    with django_assert_num_queries(5):
        load_fixture(league.organiser, league.token, fixture.token)
    record = load_event_page(league.organiser, league.token)
    assert record is not None
    with django_assert_num_queries(1):
        load_log(record.event)
