"""The same request twice: one change, and the same answer with the same key."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from accounts.errors import KeyReused
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.results import FieldChoice
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import EventLog, Fixture, GrowthRow
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture
from tests.campaigns.growing import RULES, Campaign, roster
from tests.campaigns.leagues import League, make_campaign, make_round
from tests.campaigns.test_growth import fought
from warbands.operations.transaction import fingerprint, store_answer

pytestmark = pytest.mark.django_db
BUY = GivenAct("buy", bearer="w1", option="light-armour")


def keyed(campaign: Campaign) -> ChangeRequest:
    return replace(campaign.asked, key="the-same-key", reason="It was so.")


def twice(do: Callable[[], object]) -> list[object]:
    """The answers to the same request sent twice; the second one writes nothing."""
    first = do()
    before = (GrowthRow.objects.count(), EventLog.objects.count(), Fixture.objects.count())
    second = do()
    after = (GrowthRow.objects.count(), EventLog.objects.count(), Fixture.objects.count())
    assert before == after
    return [first, second]


def test_an_act_is_taken_once(campaign: Campaign) -> None:
    band, asked = campaign.warbands["Ada"], keyed(campaign)
    assert twice(lambda: take_act(asked, band, BUY)) == [1, 1]
    with pytest.raises(KeyReused):
        take_act(asked, band, replace(BUY, bearer="w2"))
    twice(lambda: take_back(replace(asked, key="other"), band, Withdrawal(act=1)))


def test_dues_are_thrown_and_answered_once(campaign: Campaign) -> None:
    fixture, band, asked = fought(campaign), campaign.warbands["Ben"], keyed(campaign)
    given = [GivenAnswer(f"{fixture}/income", (3,))]
    answers = twice(lambda: answer_dues(asked, band, given))
    assert answers == [[f"{fixture}/income"]] * 2
    first, second = twice(lambda: roll_dues(replace(asked, key="other"), band))
    assert first
    assert first == second


def test_requests_of_before_an_update_are_known_by_what_was_hashed_then(campaign):
    band, asked = campaign.warbands["Ada"], keyed(campaign)
    answer, what = GivenAnswer("f/income", (3,)), Withdrawal(act=1)
    rules, draft = RulesDraft(RULES), FoundingDraft("entry", roster())
    calls: list[
        tuple[Callable[..., object], str, str, tuple[Any, ...], tuple[Any, ...]]
    ] = [
        (take_act, "take_act", "act", (band, BUY), (band, repr(BUY))),
        (answer_dues, "answer_dues", "dues", (band, [answer]), (band, [repr(answer)])),
        (roll_dues, "roll_dues", "dues", (band,), (band,)),
        (take_back, "take_back", "done", (band, what), (band, repr(what))),
        (set_growth_rules, "growth_rules", "done", (rules,), (repr(rules),)),
        (found_warband, "found_warband", "warband", (draft,), (repr(draft),)),
    ]
    for do, verb, name, arguments, hashed in calls:
        request = replace(asked, key=verb)
        printed = fingerprint(verb, asked.token, *hashed)
        store_answer(asked.actor, verb, printed, {name: verb})
        assert do(request, *arguments) == verb


def test_a_battle_is_locked_once(campaign: Campaign) -> None:
    fixture, asked = campaign.game("Ada", "Ben"), keyed(campaign)
    first, second = twice(lambda: field_fixture(asked, fixture, FieldChoice()))
    assert first == second
    assert Fixture.objects.filter(battle__token=first).count() == 1


def test_a_warband_is_founded_and_rules_are_set_once() -> None:
    league = make_campaign(players=1)
    make_round(league)
    asked = keyed(Campaign(league))
    twice(lambda: set_growth_rules(asked, RulesDraft(RULES)))
    draft = FoundingDraft(league.entry("Ada").token, roster())
    first, second = twice(lambda: found_warband(replace(asked, key="other"), draft))
    assert first == second


def test_a_game_is_added_once(league: League) -> None:
    make_round(league)
    entries = tuple(one.token for one in league.entries[:2])
    asked = replace(league.ask(), key="the-same-key")
    draft = FixtureDraft(entries=entries)
    first, second = twice(lambda: add_fixture(asked, 1, draft))
    assert first == second
    assert [one.token for one in league.fixtures(1)] == [first]
