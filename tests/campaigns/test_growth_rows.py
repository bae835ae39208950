"""What results, decisions, acts and rules write to the log of a campaign, and for whom."""

from dataclasses import replace
from typing import Any

import pytest

from accounts.operations.people import close_account
from battles.models import Battle
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    take_back,
)
from campaigns.growth.operations.results import remind_of_dues
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import add_entry
from campaigns.operations.results import report_result
from campaigns.queries.records import Outcome
from notices.models import Notice
from tests.battles.steps import confirm_result, void_result
from tests.campaigns.growing import Campaign, roster
from tests.campaigns.test_growth import fought
from warbands.models import Warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


BUY = GivenAct("buy", bearer="w1", option="light-armour")


def results(campaign: Campaign) -> list[str]:
    rows = GrowthRow.objects.filter(event=campaign.league.event, kind="result")
    return [row.payload["status"] for row in rows.order_by("position")]


def test_a_decision_takes_the_place_of_a_result_and_back(campaign: Campaign) -> None:
    first, second = campaign.game("Ada", "Ben"), campaign.game("Ada", "Ben")
    asked = replace(campaign.asked, reason="Snow.")
    decide_fixture(asked, first, decision="unplayed")
    decide_fixture(asked, first, decision="")
    assert results(campaign) == []
    campaign.report(second, "Ada")
    before = campaign.ledger.state
    decide_fixture(asked, second, decision="unplayed")
    assert len(results(campaign)) == 2
    assert results(campaign)[-1] != "counted"
    decide_fixture(asked, second, decision="")
    assert results(campaign)[-1] == results(campaign)[0]
    assert campaign.ledger.state.warbands == before.warbands
    # Each row has who made it, and the warband or the game it is about.
    rows = GrowthRow.objects.filter(kind="result")
    assert {row.author_id for row in rows} == {campaign.league.organiser.user_id}
    assert {row.fixture.token for row in rows if row.fixture} == {second}


def test_what_is_agreed_with_adds_nothing(campaign: Campaign) -> None:
    fixture, ada = campaign.game("Ada", "Ben"), campaign.league.entry("Ada").token
    player = campaign.league.by("Ada")
    report_result(player, fixture, Outcome(how="rout", winner=ada))
    Notice.objects.filter(kind__startswith="growth").delete()
    confirm_result(campaign.league.player("Ben"), Battle.objects.get().token)
    assert len(results(campaign)) == 1
    assert not Notice.objects.filter(kind__startswith="growth").exists()
    void_result(campaign.league.organiser, Battle.objects.get().token, reason="No.")
    assert len(results(campaign)) == 2


def test_a_guest_grows_and_is_told_nothing(campaign: Campaign) -> None:
    zoe = add_entry(campaign.asked, name="Zoe")
    document = {**roster(name=""), "points_limit": 300}
    campaign.warbands["Zoe"] = found_warband(campaign.asked, FoundingDraft(zoe, document))
    row = CampaignWarband.objects.select_related("warband").get(entry__token=zoe)
    assert row.warband is not None
    # An organiser looks after the copy, which is called as the guest is.
    assert row.warband.owner_id == campaign.league.organiser.user_id
    assert (row.warband.name, row.warband.points_limit) == ("Zoe", None)
    assert campaign.league.entry("Zoe").warband == row.warband
    fixture = campaign.game("Ada", "Zoe")
    Notice.objects.all().delete()
    campaign.report(fixture, "Ada", fates={"Zoe": [{"who": "w2"}], "Ada": []})
    assert remind_of_dues(campaign.asked) == 1
    told = Notice.objects.filter(kind="growth_dues").values_list("user__name", flat=True)
    assert list(told) == ["Ada"]


def test_a_warband_whose_roster_is_gone_stays_in_its_campaign(campaign: Campaign) -> None:
    ben = campaign.league.player("Ben")
    close_account(ben.user_id or 0)
    row = CampaignWarband.objects.get(token=campaign.warbands["Ben"])
    assert row.warband is None
    take_act(campaign.asked, campaign.warbands["Ada"], BUY)
    take_act(campaign.asked, campaign.warbands["Ben"], BUY)
    row.refresh_from_db()
    assert row.state["treasury"]["crowns"] == 74
    assert not Warband.objects.filter(owner=None, name="Ben").exists()


def test_rows_keep_what_they_are_about(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    asked = replace(campaign.asked, reason="It was so.")
    given: list[Any] = [
        GivenAnswer(f"{fixture}/income", (3,), reason="At the table."),
        GivenAnswer(f"{fixture}/injury/w2"),
    ]
    answer_dues(asked, band, given)
    number = take_act(asked, band, replace(BUY, reason="A gift."))
    take_back(asked, band, Withdrawal(act=number))
    rows = list(campaign.league.event.growth_rows.order_by("position"))[-4:]
    told = [
        (row.kind, row.due, row.act, row.is_typed, row.reason, row.author_id)
        for row in rows
    ]
    author = campaign.league.organiser.user_id
    assert told == [
        ("answer", f"{fixture}/income", None, True, "At the table.", author),
        ("answer", f"{fixture}/injury/w2", None, False, "At the table.", author),
        ("act", "", number, False, "A gift.", author),
        ("take_back", "", number, False, "It was so.", author),
    ]
    assert {row.warband.token for row in rows if row.warband} == {band}


def test_rules_have_a_line_in_the_log_with_their_name_and_since_when(campaign):
    asked = replace(campaign.asked, reason="Other rules.")
    for since in ("now", "start"):
        set_growth_rules(asked, RulesDraft(changes={"name": "Ours"}, since=since))
    lines = campaign.league.event.log.filter(verb="growth_rules").order_by("pk")
    assert len({line.words for line in lines}) == 2
    assert {line.area for line in lines} == {"settings/growth"}
    assert lines[1].changes == {"growth": ["muster-campaign", 1]}
