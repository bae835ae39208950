"""Rows of a log as JSON: what is written down folds to the same state."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.payloads import (
    StoredRow,
    document_in_force,
    find_kind,
    from_payload,
    read_log,
    to_payload,
)
from campaigns.growth.queries import phrases
from campaigns.growth.queries.ledger_pages import load_ledger_rows
from campaigns.models import GrowthRowKind
from campaigns.queries.events import load_event
from engine.growth import campaign as notes
from engine.growth import dues, happenings
from engine.growth.acts import (
    AdjustExperienceAct,
    AdjustMoneyAct,
    BuyAct,
    CaptiveAct,
    CurrencySaleAct,
    DisbandAct,
    DismissAct,
    EffectAct,
    GiveAct,
    GrowthAct,
    RecruitAct,
    SearchAct,
    SellAct,
    UnfoughtAct,
)
from engine.growth.campaign_fold import fold
from engine.growth.dues import DueAnswer
from engine.growth.effects import VERBS
from engine.growth.log import LogRow, RulesChange, TakeBack
from engine.growth.tables import RowEffect
from engine.growth.warriors import GearPiece, Joiner
from rulesdata.campaign_documents import read_rules
from tests.campaigns.growing import Campaign
from tests.engine.growth.seasons import HERE, STATS, Player, load, muster_document, told

SEASON = load(HERE / "season_public.yaml")
READ = partial(read_rules, stats=STATS)
JOINER = Joiner("w6", "spearmen", 7, {"M": 4}, gear=(GearPiece("shield", 2),), count=3)
ACTS: tuple[GrowthAct, ...] = (
    RecruitAct(1, "a", JOINER, 27),
    BuyAct(3, "a", "rope", "w1", 5, 5),
    SearchAct(4, "a", "rope", "w1", "w2", (3, 4), 12, None),
    SellAct(5, "a", "rope", "w1"),
    GiveAct(6, "a", "rope", "stash", "w1"),
    DismissAct(7, "a", "w3", 2),
    DisbandAct(8, "a"),
    AdjustMoneyAct(9, "a", "crowns", -5),
    AdjustExperienceAct(10, "a", "w1", 2),
    UnfoughtAct(11, "a", "bye"),
    CaptiveAct(14, "a", "b", "w1", 20),
    CurrencySaleAct(13, "a", "shards", 2),
    EffectAct(12, "a", "w1", RowEffect("raise", names=("S",))),
)
ENTRIES = (
    *ACTS,
    DueAnswer("a", "b1/income", (3,), None, None),
    DueAnswer("a", "b1/claim", None, "The Mill", None),
    TakeBack("a", "b1/income"),
    TakeBack("a", act=3),
)


def stored(row: LogRow) -> StoredRow:
    payload: dict[str, Any] = json.loads(json.dumps(to_payload(row.entry)))
    return StoredRow(row.position, find_kind(row.entry), payload)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: type(one).__name__)
def test_an_entry_comes_back_as_it_was(entry: Any) -> None:
    row = stored(LogRow(1, entry))
    assert from_payload(row.kind, row.payload) == entry


def test_a_key_that_is_not_known_is_left_out() -> None:
    row = stored(LogRow(1, ACTS[1]))
    assert from_payload(row.kind, {**row.payload, "later": 1}) == ACTS[1]


def test_the_season_out_of_its_rows_comes_to_the_same_state() -> None:
    player = Player.of(SEASON, muster_document())
    for item in SEASON["timeline"]:
        player.play(item)
    rows = [StoredRow(0, GrowthRowKind.RULES, {"document": muster_document()})]
    rows += [stored(row) for row in player.log.rows]
    log = read_log(rows, READ)
    assert log == player.log
    # Rows of before the second edition of the fold come to what they came to.
    first = [replace(row, edition=1) for row in rows]
    assert read_log(first, READ).since == rows[-1].position + 1
    assert read_log([*first[:-1], rows[-1]], READ).since == rows[-1].position
    assert told(fold(log))["bands"] == SEASON["expect"][-1]["state"]["bands"]


def test_changes_of_rules_hold_from_the_start_or_from_their_place() -> None:
    rows = [
        StoredRow(1, GrowthRowKind.RULES, {"document": muster_document()}),
        StoredRow(2, GrowthRowKind.RULES, {"document": {"upkeep": {"each": 5}}}),
        StoredRow(
            3,
            GrowthRowKind.RULES,
            {"document": {"upkeep": {"free_models": 4}}, "from_start": True},
        ),
    ]
    log = read_log(rows, READ)
    assert log.rules.upkeep
    assert log.rules.upkeep.free_models == 4
    assert log.rules.upkeep.each == 3
    (change,) = (row.entry for row in log.rows)
    assert isinstance(change, RulesChange)
    assert change.rules.upkeep
    assert (change.rules.upkeep.free_models, change.rules.upkeep.each) == (4, 5)
    assert document_in_force(rows)["upkeep"] == {
        "currency": "crowns",
        "free_models": 4,
        "each": 5,
    }


# Everything that a campaign tells has a phrase


def constants(module: Any) -> set[str]:
    return {
        value
        for name, value in inspect.getmembers(module)
        if name.isupper() and isinstance(value, str)
    }


STATES = {dues.COUNTS, dues.CHOICE, dues.SUPERSEDED, dues.WAITS, dues.TAKEN_BACK}


@pytest.mark.parametrize(
    "table, keys",
    [
        (
            phrases.HAPPENINGS,
            constants(happenings) | {one for one in VERBS if VERBS[one].happening},
        ),
        (phrases.NOTES, {notes.OUTSIDE, notes.WENT_OUT_WOUNDED}),
        (phrases.ANSWER_STATES, STATES),
        (phrases.DUES, constants(dues) - STATES - {dues.AGAIN, dues.WARBAND}),
    ],
    ids=["happenings", "notes", "answers", "dues"],
)
def test_every_key_of_the_engine_has_a_phrase(
    table: dict[Any, str], keys: set[Any]
) -> None:
    assert set(table) == keys


@pytest.mark.django_db
@pytest.mark.parametrize("due", ["advance", "f/injury", "f/roll", "ransom", "f"])
def test_an_answer_to_what_nobody_asks_yet_is_in_the_ledger(
    campaign: Campaign, due: str
) -> None:
    answer_dues(campaign.asked, campaign.warbands["Ada"], [GivenAnswer(due, (3,))])
    event = load_event(campaign.league.organiser, campaign.league.token)
    assert event
    [words] = [row[4] for row in load_ledger_rows(event) if row[2] == "answer"]
    assert str(words).endswith(": 3")
