"""A result counts in its campaign before the other side has confirmed it, and not while disputed."""

from __future__ import annotations

import pytest

from battles.access import BattleCall
from battles.models import Battle, ResultVerb
from battles.operations.results import take_step
from battles.result_rules import Claim
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.models import Fixture, FixtureStatus, GrowthRow
from campaigns.operations.results import report_result
from campaigns.queries.records import Outcome
from engine.growth.campaign_fold import difference
from tests.campaigns.growing import Campaign
from tests.campaigns.test_growth import check_stored

pytestmark = pytest.mark.django_db


def rows() -> int:
    return GrowthRow.objects.filter(kind="result").count()


def status(fixture: str) -> str:
    return Fixture.objects.get(token=fixture).status


def step(campaign: Campaign, name: str, verb: ResultVerb, claim: Claim) -> None:
    call = BattleCall(campaign.league.player(name), Battle.objects.get().token)
    take_step(call, verb, claim)


def test_a_reported_result_counts_at_once_and_a_disputed_one_not(
    campaign: Campaign,
) -> None:
    league, fixture = campaign.league, campaign.game("Ada", "Ben")
    before = campaign.ledger.state
    asked = league.by("Ada")
    report_result(asked, fixture, Outcome(how="rout", winner=league.entry("Ada").token))
    assert status(fixture) == FixtureStatus.WAITING
    told = campaign.ledger.state
    assert difference(before, told)
    due = GivenAnswer(f"{fixture}/income", (4,))
    answer_dues(league.by("Ben"), campaign.warbands["Ben"], [due])
    answered, written = campaign.ledger.state, rows()
    # A dispute skips the battle and keeps its dice; what is agreed then counts them again.
    step(campaign, "Ben", ResultVerb.DISPUTE, Claim(reason="We drew."))
    assert status(fixture) == FixtureStatus.DISPUTED
    assert campaign.ledger.state.aside == ((campaign.warbands["Ben"], due.due),)
    assert not campaign.ledger.state.open
    check_stored(campaign)
    step(campaign, "Ada", ResultVerb.CORRECT, Claim("a", "rout", "We looked again."))
    assert rows() == written + 2
    assert not difference(answered, campaign.ledger.state)
    step(campaign, "Ben", ResultVerb.CONFIRM, Claim())
    assert status(fixture) == FixtureStatus.FINAL
    # The confirmation changes nothing here.
    assert rows() == written + 2
    check_stored(campaign)
