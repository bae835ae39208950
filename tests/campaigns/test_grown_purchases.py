"""What a roster paid for when it founded a campaign warband, and what its shop asks beside it."""

from __future__ import annotations

import pytest

from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.setup import FoundingPage
from campaigns.models import CampaignWarband
from campaigns.operations.log import ChangeRequest
from campaigns.queries.events import load_entries, load_event
from engine.records import JsonObject
from tests.campaigns.growing import RULES, Campaign, roster
from tests.campaigns.leagues import make_campaign
from tests.factories import make_warband, make_warrior
from warbands.models import Warband, Warrior
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


def test_a_roster_founds_at_the_prices_of_its_list_whatever_it_keeps() -> None:
    campaign = Campaign(make_campaign(players=1))
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    ada = campaign.league.player("Ada")
    own = make_warband(actor=ada, name="Old guard")
    make_warrior(warband=own, profile="elector-count", is_leader=True)
    Warrior.objects.update(paid_each=5, keeps_price=True)
    Warband.objects.update(points=5)
    event = load_event(ada, campaign.league.token)
    assert event
    entry = load_entries(ada, event)[0]
    [(_, words)] = FoundingPage(ada, event, entry).choices
    assert words.startswith("Old guard, The Empire, 80 crowns")
    asked = ChangeRequest(ada, campaign.league.token)
    found_warband(asked, FoundingDraft(entry.token, warband=own.token))
    [grown] = campaign.ledger.state.warbands.values()
    assert grown.warriors["w1"].joined.price == 80
    copied = Warband.objects.get(is_grown=True)
    assert (copied.points, copied.warriors.get().keeps_price) == (80, False)
    assert own.warriors.get().keeps_price
