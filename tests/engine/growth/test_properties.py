"""What must hold in every campaign, whatever happens in it."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from engine.growth.acts import AdjustMoneyAct
from engine.growth.campaign_fold import fold
from engine.growth.differences import difference
from engine.growth.dues import DueAnswer
from engine.growth.log import (
    COUNTED,
    VOID,
    CampaignLog,
    FixtureResult,
    LogRow,
    RulesChange,
    TakeBack,
)
from tests.engine.growth.random_seasons import SeasonMaker
from tests.engine.growth.seasons import Player, muster_document, told

ITEMS = 22
DOCUMENT = muster_document()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    seeds = range(40 if metafunc.config.getoption("--soak") else 3)
    metafunc.parametrize("log", seeds, indirect=True, scope="module")


@pytest.fixture(scope="module")
def log(request: pytest.FixtureRequest) -> CampaignLog:
    """The log of a season by chance, whose rules stay as they are."""
    maker = SeasonMaker(request.param, is_settled=True)
    player = Player.of(maker.season, DOCUMENT)
    state = told(player.state)
    for _ in range(ITEMS):
        state = told(player.play(maker.next_item(state)))
    return player.log


def results_of(log: CampaignLog) -> list[FixtureResult]:
    last = {}
    for row in log.rows:
        if isinstance(row.entry, FixtureResult):
            last[row.entry.fixture] = row.entry
    return list(last.values())


def test_answers_may_arrive_in_any_order(log: CampaignLog) -> None:
    answers = [row for row in log.rows if isinstance(row.entry, DueAnswer)]
    # The last answer of each due, as though it had come in one piece; ransoms are paid in their place.
    kept = fold(log).answers.keys()
    told_once = {
        (row.entry.warband, row.entry.due): row
        for row in answers
        if not row.entry.due.startswith("ransom")
        and (row.entry.warband, row.entry.due) in kept
    }
    others = [
        row for row in log.rows if row not in answers or row.entry.due.startswith("ransom")
    ]
    others = [
        row for row in others if not (isinstance(row.entry, TakeBack) and row.entry.due)
    ]
    once = [_whole(log, row) for row in told_once.values()]
    states = []
    for order in range(3):
        shuffled = list(once)
        random.Random(order).shuffle(shuffled)
        rows = [*others, *shuffled] if order else [*shuffled, *others]
        states.append(_settled(log, rows))
    assert states[0] == states[1] == states[2]


def _whole(log: CampaignLog, row: LogRow) -> DueAnswer:
    entry = row.entry
    assert isinstance(entry, DueAnswer)
    answer = DueAnswer(entry.warband, entry.due)
    for other in log.rows:
        told_now = other.entry
        same = isinstance(told_now, DueAnswer) and told_now.due == entry.due
        if same and told_now.warband == entry.warband:
            faces = told_now.faces if told_now.faces is not None else answer.faces
            answer = replace(answer, faces=faces, choice=told_now.choice or answer.choice)
    return answer


def _settled(log: CampaignLog, rows: list[Any]) -> dict[str, Any]:
    """What rows come to once nothing more follows from them.

    An advance may make room for another, or a refused ransom end one, whenever a row asks anew.
    """
    entries = [row.entry if isinstance(row, LogRow) else row for row in rows]
    asks_all = RulesChange(log.rules)
    whole = CampaignLog(log.rules).with_entries(*entries, asks_all, asks_all)
    return told(fold(whole))


def test_correcting_there_and_back_gives_the_state_of_before(log: CampaignLog) -> None:
    before = told(fold(log))
    for result in results_of(log)[:3]:
        other = [*result.sides, ""]
        winner = other[(other.index(result.winner) + 1) % len(other)]
        there = log.with_entries(replace(result, winner=winner, out={}))
        assert told(fold(there.with_entries(result))) == before


def test_void_and_restore_give_the_state_of_before(log: CampaignLog) -> None:
    before = told(fold(log))
    for result in results_of(log)[:3]:
        if result.status == COUNTED:
            void = log.with_entries(replace(result, status=VOID))
            assert told(fold(void)) != before
            assert told(fold(void.with_entries(result))) == before


def test_what_is_taken_back_and_answered_again_has_the_same_faces(log: CampaignLog) -> None:
    state = fold(log)
    counted = [key for key, what in state.answers.items() if what == "counts"]
    for warband, due in [key for key in counted if "ransom" not in key[1]][:4]:
        back = log.with_entries(TakeBack(warband, due))
        assert state.answers != fold(back).answers
        again = DueAnswer(warband, due)
        # What makes room for something else does so a row later, so some rows follow.
        later = [AdjustMoneyAct(900 + n, warband, "crowns", 0) for n in range(4)]
        kept = fold(log.with_entries(again, *later))
        assert told(fold(back.with_entries(again, *later))) == told(kept)


def test_all_money_that_moved_is_in_the_treasuries(log: CampaignLog) -> None:
    state = fold(log)
    moved: Counter[tuple[str, str]] = Counter()
    for move in state.moves:
        moved[move.warband, move.currency] += move.amount
    for key, warband in state.warbands.items():
        for currency, amount in warband.treasury.items():
            assert moved[key, currency] == amount


def test_the_two_folds_of_a_preview_are_what_the_act_then_does(log: CampaignLog) -> None:
    before = fold(log)
    result = replace(results_of(log)[0], winner="", out={})
    after = fold(log.with_entries(result))
    preview = difference(before, after)
    assert not difference(before, before)
    for change in preview.warbands:
        old, new = before.warbands[change.warband], after.warbands[change.warband]
        for key, values in change.figures.items():
            assert values == (old.to_json().get(key), new.to_json().get(key))
    unchanged = before.warbands.keys() - {change.warband for change in preview.warbands}
    for key in unchanged:
        assert before.warbands[key].to_json() == after.warbands[key].to_json()


def test_the_same_log_folds_to_the_same_state(log: CampaignLog) -> None:
    assert fold(log) == fold(CampaignLog(log.rules, log.rows))
