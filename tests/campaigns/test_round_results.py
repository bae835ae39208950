"""The results of a round: each game by itself, whatever becomes of the others, and the way back."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, NotFound, Stale, WrongState
from accounts.models import Role
from battles.access import BattleCall
from battles.models import Battle, ResultVerb
from battles.operations.results import take_step
from battles.result_rules import Claim
from campaigns.models import ClubEvent, Fixture, FixtureStatus
from campaigns.operations.results import RoundReport, report_round
from campaigns.queries.records import Outcome
from tests.battles.pages import browser_of
from tests.battles.steps import dispute_result
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import faults, fresh, put_up, report
from tests.factories import make_person

pytestmark = pytest.mark.django_db


DRAW = "nobody:drawn"


class Slips:
    """A round whose organiser types its slips."""

    def __init__(self, league: League, games: list[Fixture]) -> None:
        self.league, self.games = league, games
        self.client: Client = browser_of(league.organiser)
        self.address = reverse("round-results", args=[league.token, 1])

    def row(self, game: Fixture, winner: str = "", **fields: Any) -> dict[str, Any]:
        token = winner if winner in ("", DRAW) else self.league.entry(winner).token
        values = {"seen": game.version, "winner": token, **fields}
        return {f"{game.token}-{name}": value for name, value in values.items()}

    def send(self, *rows: dict[str, Any]) -> HttpResponse:
        sent: dict[str, Any] = {}
        for row in rows:
            sent |= row
        answer: HttpResponse = self.client.post(self.address, sent)
        return answer

    def statuses(self) -> list[str]:
        return [fresh(game).status for game in self.games]

    def undo(self, game: Fixture, reason: str = "Wrong table.") -> HttpResponse:
        row = fresh(game)
        assert row.battle
        answer: HttpResponse = self.client.post(
            reverse("fixture-undo", args=[self.league.token, row.token]),
            {"version": row.battle.results_count, "reason": reason},
            follow=True,
        )
        return answer


@pytest.fixture(scope="module")
def kept_round(module_rows: None) -> tuple[League, list[Fixture]]:
    """Six games and a bye; Gwen's is disputed, Ines has reported hers."""
    league = make_league(players=12, guests=1)
    names = [entry.name for entry in league.entries]
    games = put_up(league, 1, [*zip(names[:12:2], names[1:12:2], strict=True), names[12:]])
    done = report(league, games[3], "Gwen", by=league.player("Gwen"))
    dispute_result(league.player("Hugo"), done.battle, reason="It was a draw.")
    report(league, games[4], "Ines", by=league.player("Ines"))
    return league, [fresh(game) for game in games]


@pytest.fixture
def slips(kept_round: tuple[League, list[Fixture]], db: None) -> Slips:
    return Slips(*deepcopy(kept_round))


def test_one_save_takes_every_row_that_says_something(slips: Slips) -> None:
    league, games = slips.league, slips.games
    page = slips.client.get(slips.address)
    assert [len(page.context[name]) for name in ("missing", "reported", "settled")] == [
        5,
        1,
        1,
    ]
    answer = slips.send(
        slips.row(games[0], "Ada", out_a=2, out_b=6),
        slips.row(games[1], DRAW, how="rout"),
        slips.row(games[2]),
        slips.row(games[3], DRAW, reason="Both say so."),
        slips.row(games[4], accept="on"),
        slips.row(games[5], "Leo", how="conceded"),
    )
    assert (answer.status_code, answer["Location"]) == (302, slips.address)
    assert slips.statuses() == [
        "final",
        "final",
        "open",
        "final",
        "final",
        "final",
        "final",
    ]
    rows = [fresh(game) for game in games]
    assert [row.how for row in rows] == [
        "played",
        "drawn",
        "",
        "drawn",
        "conceded",
        *["conceded", ""],
    ]
    assert (rows[0].winner, rows[0].out_one, rows[0].out_other) == (
        league.entry("Ada"),
        2,
        6,
    )
    assert rows[3].winner is None
    assert [fault for row in rows for fault in faults(row)] == []


def test_refused_rows_hold_up_no_other_and_stay_as_typed(slips: Slips) -> None:
    games = slips.games
    report(slips.league, games[1], "Dora")
    answer = slips.send(
        slips.row(games[0], "Ada"),
        slips.row(games[1], "Cleo"),
        slips.row(games[2], "Emil", out_a=999_999),
        slips.row(games[3], "Hugo"),
        slips.row(games[5], out_a=3),
    )
    assert answer.status_code == 422
    assert slips.statuses()[:6] == ["final", "final", "open", "disputed", "waiting", "open"]
    assert fresh(games[1]).winner == slips.league.entry("Dora")
    shown = {game.record.token: form for game, form, _ in answer.context["missing"]}
    assert shown[games[2].token].errors.keys() == {"out_a"}
    assert shown[games[3].token].errors.keys() == {"reason"}
    assert shown[games[3].token]["winner"].value() == slips.league.entry("Hugo").token
    assert shown[games[5].token].errors.keys() == {"winner"}
    assert "this result was entered in the meantime" in answer.content.decode()


def test_page_asks_as_often_for_one_game_as_for_twelve(slips: Slips) -> None:
    counts = []
    other = make_league(players=2)
    one = Slips(other, put_up(other, 1, [("Ada", "Ben")]))
    report(other, one.games[0], "Ada", by=other.player("Ada"))
    for page in (one, slips):
        with CaptureQueriesContext(connection) as queries:
            assert page.client.get(page.address).status_code == 200
        counts.append(len(queries))
    assert counts == [8, 8]


def test_page_is_its_organisers_of_a_published_round(slips: Slips) -> None:
    player = browser_of(slips.league.player("Ada"))
    assert player.get(slips.address).status_code == 403
    assert browser_of(make_person()).get(slips.address).status_code == 404
    none = reverse("round-results", args=[slips.league.token, 9])
    assert slips.client.get(none).status_code == 404
    slips.league.event.rounds.update(status="draft")
    answer = slips.client.get(slips.address, follow=True)
    assert "Round 1 is not published yet." in answer.content.decode()


def test_a_round_waits_for_no_friendly_game(slips: Slips) -> None:
    league, games = slips.league, slips.games
    for game, winner in zip(
        games[:5], ("Ada", "Cleo", "Emil", "Gwen", "Ines"), strict=True
    ):
        report(league, game, winner, reason="By the slip.")
    close = reverse("round-close", args=[league.token, 1])
    page = slips.client.get(slips.address)
    assert [line[0].record.token for line in page.context["missing"]] == [games[5].token]
    assert close not in page.content.decode()
    Fixture.objects.filter(pk=games[5].pk).update(is_friendly=True)
    page = slips.client.get(slips.address)
    assert len(page.context["missing"]) == 1
    assert close in page.content.decode()
    slips.client.post(close, {"version": league.fresh().version})
    assert league.round(1).status == "closed"


def test_points_are_asked_for_where_the_event_counts_them(slips: Slips) -> None:
    def fields() -> set[str]:
        form = slips.client.get(slips.address).context["missing"][0][1]
        sides = [figures for _, figures in form.figures]
        return {bound.name for bound in chain(*sides)}

    assert fields() == {"out_a", "out_b"}
    event = ClubEvent.objects.filter(pk=slips.league.event.pk)
    event.update(tie_breaks=["points_destroyed"])
    assert fields() == {"out_a", "out_b", "destroyed_a", "destroyed_b"}
    event.update(growth_position=1)
    assert fields() == set()


# The way back


def test_undo_takes_back_one_step_with_its_casualties(slips: Slips) -> None:
    league, game = slips.league, slips.games[0]
    slips.send(slips.row(game, "Ada", out_b=6))
    report(
        league,
        game,
        "Ben",
        reason="Misread.",
        figures={league.entry("Ada").token: {"out": 4}},
    )
    corrected = fresh(game)
    assert (corrected.winner, corrected.out_one) == (league.entry("Ben"), 4)
    assert "Last step undone" in slips.undo(game).content.decode()
    back = fresh(game)
    assert (back.winner, back.out_one, back.out_other) == (league.entry("Ada"), 0, 6)
    slips.undo(game)
    assert (fresh(game).status, fresh(game).winner) == (FixtureStatus.OPEN, None)
    assert faults(game) == []
    assert "There is no result to undo" in slips.undo(game).content.decode()
    log = league.event.log.filter(verb="result_undo", subject=game.token)
    assert {line.reason for line in log} == {"Wrong table."}
    slips.send(slips.row(fresh(game), "Ben"))
    assert (fresh(game).status, fresh(game).out_other) == (FixtureStatus.FINAL, 0)


def test_undo_after_silence_takes_back_the_casualties_too(slips: Slips) -> None:
    league, game = slips.league, slips.games[4]
    assert game.battle
    for rows in (Battle.objects.filter(pk=game.battle.pk), game.battle.results.all()):
        rows.update(confirm_by=timezone.now() - timedelta(days=1))
    figures = {league.entry("Ines").token: {"out": 4}}
    report(league, game, "Ines", reason="Counted again.", figures=figures)
    assert fresh(game).out_one == 4
    slips.undo(game)
    assert (fresh(game).status, fresh(game).out_one) == (FixtureStatus.FINAL, 0)
    assert faults(game) == []


def test_undo_of_an_acceptance_waits_for_the_opponent_again(slips: Slips) -> None:
    game = slips.games[4]
    slips.send(slips.row(game, accept="on"))
    assert "Give a reason" in slips.undo(game, reason="").content.decode()
    slips.undo(game)
    row = fresh(game)
    assert (row.status, row.waits_until is None) == (FixtureStatus.WAITING, False)
    assert faults(game) == []


def test_undo_is_for_organisers_who_do_not_play_in_the_game(slips: Slips) -> None:
    league, game = slips.league, slips.games[0]
    slips.send(slips.row(game, "Ada"))
    battle = fresh(game).battle
    assert battle
    league.club.memberships.filter(user_id=league.player("Ada").user_id).update(
        role=Role.ORGANISER
    )
    for name in ("Ada", "Ben", "Cleo"):
        call = BattleCall(league.player(name), battle.token)
        with pytest.raises(NotAllowed):
            take_step(call, ResultVerb.UNDO, Claim(reason="No."))
    call = BattleCall(league.organiser, battle.token, expected=0)
    with pytest.raises(Stale):
        take_step(call, ResultVerb.UNDO, Claim(reason="No."))


# An organiser's word, by whichever door


def test_organiser_is_final_by_each_door_but_in_their_own_game(slips: Slips) -> None:
    league = slips.league
    # Of a game that players reported, in a battle that this organiser set up.
    slips.client.post(
        reverse("fixture-open", args=[league.token, slips.games[0].token]), {"go": "live"}
    )
    game = slips.games[0]
    report(league, game, "Ada", by=league.player("Ada"))
    assert fresh(game).status == FixtureStatus.WAITING
    report(league, game, "Ben", reason="The slip says so.")
    assert fresh(game).status == FixtureStatus.FINAL
    league.club.memberships.filter(user_id=league.player("Cleo").user_id).update(
        role=Role.ORGANISER
    )
    own = slips.games[1]
    report(league, own, "Cleo", by=league.player("Cleo"))
    assert fresh(own).status == FixtureStatus.WAITING
    report(league, own, "Dora", reason="So says the slip.")
    report(league, own, "Cleo", by=league.player("Cleo"), reason="No, I did.")
    assert fresh(own).status == FixtureStatus.WAITING


def test_reports_of_another_round_or_without_a_battle_are_refused_alone(
    slips: Slips,
) -> None:
    (other,) = put_up(slips.league, 2, [("Ada", "Cleo")])
    ada = slips.league.entry("Ada").token
    reports = [
        RoundReport(other.token, None, Outcome("", ada)),
        RoundReport(slips.games[0].token, None),
        RoundReport(slips.games[6].token, None, Outcome("drawn")),
        RoundReport(slips.games[0].token, None, Outcome("", ada)),
    ]
    answers = report_round(slips.league.ask(), 1, reports)
    assert list(map(type, answers[:3])) == [NotFound, WrongState, WrongState]
    assert fresh(slips.games[0]).status == FixtureStatus.FINAL
