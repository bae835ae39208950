"""What a roster paid for when it founded a campaign warband, and what its shop asks beside it."""

from __future__ import annotations

import pytest

from campaigns.models import CampaignWarband
from campaigns.operations.growth.rules import RulesDraft, set_growth_rules
from campaigns.operations.growth.warbands import FoundingDraft, found_warband
from engine.records import JsonObject
from tests.campaigns.growing import RULES, Campaign, roster
from tests.campaigns.leagues import make_campaign
from warbands.models import Warband
from warbands.queries.warbands import load_warband

pytestmark = pytest.mark.django_db


def founded(*warriors: JsonObject) -> tuple[Campaign, Warband]:
    """A campaign of one player, whose warband was founded with these, and its copy."""
    campaign = Campaign(make_campaign(players=1))
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    draft = FoundingDraft(
        campaign.league.entries[0].token, {**roster(), "warriors": list(warriors)}
    )
    campaign.warbands["Ada"] = found_warband(campaign.asked, draft)
    row = CampaignWarband.objects.select_related("warband").get()
    assert row.warband
    return campaign, row.warband


def test_a_roster_keeps_the_champion_and_the_magic_items_it_paid_for() -> None:
    bought = ["shield", "magic/enchanted-shield"]
    captain = {"profile": "captain", "leader": True, "options": bought}
    campaign, warband = founded(captain, {"profile": "swordsmen", "options": ["champion"]})
    grown = campaign.ledger.state.warbands[campaign.warbands["Ada"]]
    record = load_warband(campaign.league.player("Ada"), warband.token)
    assert record
    options = [list(one.options) for one in record.roster.warriors]
    assert options == [bought, ["champion"]]
    assert warband.points == sum(one.worth for one in grown.warriors.values())
