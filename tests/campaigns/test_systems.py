"""Each rule system, in each of its variants, runs a league: real lists, real battles, a table and
its honours.
"""

from __future__ import annotations

import pytest

from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.queries.battles import load_battle
from campaigns.operations.entries import change_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.rounds import RoundDraft, add_round, close_round, publish_round
from campaigns.queries.event_page import load_event_page
from rulesdata import registry
from tests.battles.steps import confirm_result, report_after_battle
from tests.campaigns.leagues import League, make_league, player_of
from tests.campaigns.results import faults, fresh
from tests.systems import systems_with
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import create_from_starter
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db
SYSTEMS = [(one.key, one.variant or "") for one in systems_with("battle")]


def test_there_are_systems_to_play() -> None:
    assert len({key for key, _ in SYSTEMS}) >= 5


@pytest.mark.parametrize("system,variant", SYSTEMS, ids=lambda part: part or "-")
def test_every_system_runs_a_league(system: str, variant: str) -> None:
    league = make_league(players=3, system=system, variant=variant, points_limit=None)
    starter = starters(registry.load_system(system, variant or None).address)[0].key
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
            row.standing.points,
            row.standing.played,
            row.standing.byes,
            row.standing.put_out,
            row.standing.models_lost,
        )
        for row in page.table.rows
    ]
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
