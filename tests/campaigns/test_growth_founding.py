"""Founding a warband of a campaign: what is copied, what it may cost, and who may."""

from dataclasses import replace

import pytest

from accounts.errors import KeyReused, NotAllowed, NotFound, WrongState
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.setup import FoundingDraft, found_warband
from campaigns.models import CampaignWarband, ClubEvent, GrowthRow
from campaigns.operations.entries import add_entry
from engine.errors import Refusal
from tests.campaigns.growing import Campaign, roster
from tests.campaigns.test_growth import by, check_stored, list_paths
from tests.factories import make_person
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband

pytestmark = pytest.mark.django_db


def test_founding_copies_a_roster_that_the_campaign_alone_changes(campaign):
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    assert row.warband.owner_id == campaign.league.player("Ada").user_id
    assert (row.number, row.state["treasury"]["crowns"]) == (1, 76)
    context = WriteContext(campaign.league.player("Ada"), row.warband.token)
    with pytest.raises(WrongState):
        change_warband(context, points_limit=500)
    check_stored(campaign)


def test_a_purse_is_at_least_the_limit_of_the_event(campaign: Campaign) -> None:
    document = roster()
    document["warriors"][2]["count"] = 30
    ClubEvent.objects.update(points_limit=349)
    band = found_warband(campaign.asked, FoundingDraft(found_entry(campaign), document))
    state = campaign.ledger.state
    assert state.warbands[band].treasury["crowns"] == 0
    assert sum(move.amount for move in state.moves if move.warband == band) == 0


def test_a_roster_over_the_purse_is_refused_with_both_sums(campaign: Campaign) -> None:
    document = roster()
    document["warriors"][2]["count"] = 30
    token = found_entry(campaign)
    with pytest.raises(
        Refusal, match="costs 349 crowns, 99 more than the purse of 250"
    ) as error:
        found_warband(campaign.asked, FoundingDraft(token, document))
    assert error.value.field == "roster"
    assert not CampaignWarband.objects.filter(entry__token=token).exists()


def found_entry(campaign: Campaign) -> str:
    return add_entry(campaign.asked, name="Guest")


@pytest.mark.parametrize("draft, field", [
    ({"roster": None}, "roster"),
    ({"warband": "x" * 16}, "roster"),
    ({"roster": None, "warband": "x" * 16}, "warband"),
    ({"late_rounds": 61}, "late_rounds"),
    ({"roster": roster() | {"army": "x"}}, "army"),
    ({"roster": roster() | {"warriors": []}}, "roster.warriors"),
    (
        {"roster": roster() | {"warriors": [{"profile": "nobody"}]}},
        "roster.warriors[0].profile",
    ),
    (
        {"roster": roster() | {"warriors": [{"profile": "captain", "options": ["x"]}]}},
        "roster.warriors[0].options",
    ),
])  # fmt: skip
def test_what_cannot_be_founded_names_its_field(campaign, draft, field):
    before = GrowthRow.objects.count()
    asked = {"roster": roster(), **draft}
    with pytest.raises(Refusal) as error:
        found_warband(campaign.asked, FoundingDraft(found_entry(campaign), **asked))
    assert field in (error.value.field, *list_paths(error.value))
    assert GrowthRow.objects.count() == before


def test_a_warband_is_founded_once_and_by_its_player_or_an_organiser(campaign):
    token = campaign.league.entry("Ada").token
    draft = FoundingDraft(token, roster())
    with pytest.raises(WrongState):
        found_warband(campaign.asked, draft)
    with pytest.raises(NotAllowed):
        found_warband(campaign.league.by("Ben"), draft)
    with pytest.raises(NotFound):
        found_warband(by(campaign, make_person()), draft)
    disband = GivenAct("disband", reason="Lost heart.")
    ada = campaign.league.player("Ada")
    take_act(by(campaign, ada), campaign.warbands["Ada"], disband)
    again = found_warband(by(campaign, ada, key="once"), draft)
    assert found_warband(by(campaign, ada, key="once"), draft) == again
    assert CampaignWarband.objects.get(token=again).number == 2
    with pytest.raises(KeyReused):
        found_warband(by(campaign, ada, key="once"), replace(draft, late_rounds=1))
