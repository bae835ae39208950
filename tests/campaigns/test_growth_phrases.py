"""Everything that a campaign tells has a phrase: a new verb, act or happening needs one."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.payloads import ACT_VERBS
from campaigns.growth.queries import phrases
from campaigns.growth.queries.ledger_pages import load_ledger_rows
from campaigns.queries.events import load_event
from engine.growth import campaign as notes
from engine.growth import dues, happenings
from engine.growth.effects import VERBS
from tests.campaigns.growing import Campaign


def constants(module: Any) -> set[str]:
    """The texts that a module names in capitals."""
    return {
        value
        for name, value in inspect.getmembers(module)
        if name.isupper() and isinstance(value, str)
    }


STATES = {dues.COUNTS, dues.CHOICE, dues.ASIDE, dues.WAITS, dues.TAKEN_BACK}


@pytest.mark.parametrize(
    "table, keys",
    [
        (
            phrases.HAPPENINGS,
            constants(happenings) | {one for one in VERBS if VERBS[one].happening},
        ),
        (phrases.ACTS, set(ACT_VERBS.values())),
        (phrases.NOTES, {notes.OUTSIDE, notes.WENT_OUT_WOUNDED}),
        (phrases.ANSWER_STATES, STATES),
        (phrases.DUES, constants(dues) - STATES),
    ],
    ids=["happenings", "acts", "notes", "answers", "dues"],
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
