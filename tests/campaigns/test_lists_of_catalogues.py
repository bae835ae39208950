"""A gang whose list came in as a catalogue plays a campaign: founds, fights, finds, hires, pays."""

import re
from datetime import date

import pytest

from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.models import CampaignWarband
from campaigns.operations.rounds import publish_round
from engine.growth.state import WarbandGrowth
from engine.records import JsonObject
from rulesdata import registry
from rulesdata.catalogue_lists.documents import ListHead, list_document
from rulesdata.operations.own_lists import change_own_list
from tests.campaigns.growing import RULES, Campaign
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.campaigns.test_growth import check_stored
from tests.campaigns.visitors import visit
from tests.factories import SYSTEM
from tests.foreign.test_also_offered import translated
from tests.rulesdata.own_lists import make_list
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db


def catalogue_list(league: League) -> str:
    """The list that the club makes of the catalogue, with those also offered; its token."""
    shelf = registry.find_printed_lists("whfb6", "")
    head = ListHead("The Wardens", shelf.collection, read_on=date(2026, 11, 23))
    document = list_document(translated(["Night Hands"]), head)
    own = make_list(club=league.club, actor=league.organiser, name="The Wardens", base="")
    change_own_list(league.organiser, str(own.token), lambda data, _: data.update(document))
    return str(own.token)


def gang(army: str, *options: str) -> JsonObject:
    """A captain and three lamplighters: 120 gc, and what the captain buys."""
    captain = {"profile": "lamp-captain", "name": "Wick", "leader": True}
    return {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": army,
        "name": "The Wardens",
        "warriors": [
            {**captain, "options": list(options)},
            {"profile": "lamplighters", "count": 3},
        ],
    }


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    league = make_campaign(players=2)
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    publish_round(campaign.asked, 1)
    return campaign


def grown(campaign: Campaign, name: str) -> WarbandGrowth:
    return campaign.ledger.state.warbands[campaign.warbands[name]]


def test_a_gang_of_a_catalogue_plays_a_campaign(campaign: Campaign) -> None:
    league, army = campaign.league, catalogue_list(campaign.league)
    for name in ("Ada", "Ben"):
        player, visitor = WriteContext(league.player(name)), visit(campaign, name)
        roster = import_document(player, gang(army)).token
        visitor.post("warband-found", league.entry(name).token, warband=roster)
        row = CampaignWarband.objects.get(entry=league.entry(name))
        campaign.warbands[name] = row.token
    captain, lighters = grown(campaign, "Ada").warriors.values()
    assert (captain.kind, captain.experience, captain.passed) == ("hero", 8, 2)
    assert (lighters.kind, lighters.count) == ("soldier", 3)
    assert grown(campaign, "Ada").treasury["crowns"] == 250 - 120

    # The market sells the blade to whoever finds it; a fog walker is hired.
    ada, entry = visit(campaign, "Ada"), league.entry("Ada").token
    shop = ada.client.get(ada.url("warband-trade", entry) + "?for=w1").content.decode()
    market = next(
        one.key
        for one in registry.load_army(SYSTEM, army).profiles["lamp-captain"].options
        if one.rarity
    )
    assert f'<option value="{market}">' in shop
    assert "Fog Walker, hired, 45 crowns, upkeep 15" in shop
    # Two are etched: the blade for sale, and the blade to look for.
    told = re.findall(r"<b>(Oil Blade[^<]*: Etched)</b>\s*<span[^>]*>([^<]*)<", shop)
    assert told == [
        ("Oil Blade: Etched", "for Oil Blade"),
        (
            "Oil Blade (Night Market): Etched",
            "for Oil Blade (Night Market) found on 8 or more",
        ),
    ]
    told = {"kind": "search", "good": market, "bearer": "w1", "seeker": "w1"}
    ada.post("warband-trade", entry, **told, faces="3 4", key="a")
    assert grown(campaign, "Ada").treasury["crowns"] == 130
    ada.post("warband-trade", entry, **told, faces="4 4", key="b")
    ada.post("warband-trade", entry, kind="recruit", profile="hired:fog-walker", key="c")
    after = grown(campaign, "Ada")
    assert [piece.id for piece in after.warriors["w1"].gear] == [market]
    assert (after.warriors["w3"].kind, after.treasury["crowns"]) == ("hired", 130 - 10 - 45)

    # The battle pays, teaches, and takes the walker's upkeep.
    campaign.report(campaign.game("Ada", "Ben"), "Ada")
    state = campaign.ledger.state
    paid = [(one.warband, one.amount) for one in state.moves if one.why == "upkeep"]
    assert paid == [(campaign.warbands["Ada"], -15)]
    assert grown(campaign, "Ada").warriors["w1"].experience > 8
    check_stored(campaign)

    # The sheet knows it all, and the list's limits are issues there.
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    record = load_warband(league.player("Ada"), row.warband.token)
    assert record is not None
    sheet = sheet_of(record)
    assert sheet.warriors[0].name == "Wick"
    assert "list.trade" not in {one.code for one in sheet.findings}
    ada.post("warband-trade", entry, kind="recruit", into="w2", count="3", key="d")
    assert "6 of Lamplighters; the army list allows 5." in ada.get(
        "campaign-warband", entry
    )


def test_the_same_roster_outside_is_told_what_campaigns_alone_sell(campaign):
    army = catalogue_list(campaign.league)
    options = registry.load_army(SYSTEM, army).profiles["lamp-captain"].options
    market = next(one.key for one in options if one.is_trade_only)
    player = WriteContext(campaign.league.player("Ada"))
    token = import_document(player, gang(army, market)).token
    record = load_warband(campaign.league.player("Ada"), token)
    assert record is not None
    codes = [one.code for one in sheet_of(record).findings]
    assert "list.trade" in codes


def test_handing_in_tells_the_price_of_a_list_in_its_currency_without_a_limit() -> None:
    league = make_league(players=1, points_limit=None)
    make_round(league)
    ada = WriteContext(league.player("Ada"))
    roster = import_document(ada, gang(catalogue_list(league))).token
    told = visit(Campaign(league), "Ada").post("list-hand-in", "1", warband=roster)
    words = re.findall(r"List handed in: ([^<]*)", told.content.decode())
    assert words == ["120 gold crowns, no errors."]
