"""A club's own list in a campaign: rare and traded gear, hired swords, experience, limits."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.utils.html import strip_tags

from campaigns.growth.operations.acts import GivenAct, preview_act, take_act
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.growth.queries.reports import load_growth
from campaigns.models import CampaignWarband
from campaigns.operations.round_lists import hand_in_list
from campaigns.operations.rounds import publish_round
from engine.errors import Refusal
from engine.growth.state import WarbandGrowth
from rulesdata.campaign_documents import packed_rules
from tests.campaigns.growing import RULES, Campaign
from tests.campaigns.lantern_lists import lantern_roster, make_lantern_list
from tests.campaigns.leagues import make_campaign, make_round
from tests.campaigns.test_growth import check_stored
from tests.campaigns.visitors import Visitor, organise, visit
from warbands.queries.warbands import load_warband, sheet_of

pytestmark = pytest.mark.django_db
SIX = (6, 6)
ONE = (1, 1)


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Ada and Ben have founded warbands of the club's own list, in a round that is published."""
    league = make_campaign(players=2)
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    publish_round(campaign.asked, 1)
    army = make_lantern_list(league.club, league.organiser)
    for name in ("Ada", "Ben"):
        draft = FoundingDraft(league.entry(name).token, lantern_roster(army))
        campaign.warbands[name] = found_warband(campaign.asked, draft)
    return campaign


def grown(campaign: Campaign, name: str = "Ada") -> WarbandGrowth:
    return campaign.ledger.state.warbands[campaign.warbands[name]]


def act(campaign: Campaign, kind: str, **given: Any) -> int:
    asked, token = campaign.asked, campaign.warbands["Ada"]
    return take_act(asked, token, GivenAct(kind, **given))


def crowns(campaign: Campaign) -> int:
    return grown(campaign).treasury["crowns"]


def refused(campaign: Campaign, kind: str, **given: Any) -> tuple[str, str]:
    with pytest.raises(Refusal) as error:
        act(campaign, kind, **given)
    check_stored(campaign)
    return error.value.field, str(error.value)


def test_a_list_says_how_its_units_begin_and_to_which_kind_they_belong(campaign):
    captain, lighters = grown(campaign).warriors.values()
    assert (captain.kind, captain.experience) == ("hero", 20)
    assert (lighters.kind, lighters.experience) == ("soldier", 0)
    assert campaign.ledger.state.open == ()
    assert crowns(campaign) == 250 - 60 - 75


def test_what_is_rare_in_the_list_is_looked_for(campaign: Campaign) -> None:
    before = crowns(campaign)
    told = {"bearer": "w1", "seeker": "w1"}
    values = refused(campaign, "buy", bearer="w1", option="lamp")
    assert values == ("option", "Night lamp is rare: look for it.")
    values = refused(campaign, "search", good="hook", **told)
    assert values == ("good", "Long hook is not rare: buy it.")
    assert refused(campaign, "search", good="lamp", bearer="w1")[0] == "seeker"
    # Soldiers do not look for anything by the default rules.
    assert refused(campaign, "search", good="lamp", bearer="w1", seeker="w2")[0] == "seeker"
    values = refused(campaign, "search", good="lamp", bearer="stash", seeker="w1")
    assert values == ("good", '"lamp" is not for sale here.')
    act(campaign, "search", good="lamp", faces=(4, 3), **told)
    assert (crowns(campaign), grown(campaign).warriors["w1"].gear) == (before, ())
    act(campaign, "search", good="lamp", faces=(4, 4), **told)
    assert [one.id for one in grown(campaign).warriors["w1"].gear] == ["lamp"]
    assert crowns(campaign) == before - 12
    check_stored(campaign)


def test_a_rare_thing_that_is_too_dear_is_not_thrown_for(campaign: Campaign) -> None:
    act(campaign, "adjust", currency="crowns", amount=11 - crowns(campaign), reason="Poor.")
    told = {"good": "lamp", "bearer": "w1", "seeker": "w1", "faces": SIX}
    field, words = refused(campaign, "search", **told)
    values = (field, words)
    assert values == ("kind", "It costs 12 crowns, and the treasury has 11.")


def test_a_treasury_below_0_gets_nothing_even_what_is_free(campaign: Campaign) -> None:
    """The issue says that nothing can be bought: so do the shop and the act."""
    adjust: dict[str, Any] = {"currency": "crowns", "reason": "A correction."}
    act(campaign, "adjust", amount=-crowns(campaign), **adjust)
    act(campaign, "buy", bearer="w1", option="badge")
    act(campaign, "adjust", amount=-1, **adjust)
    values = refused(campaign, "buy", bearer="w2", option="badge")
    assert values == ("kind", "It costs 0 crowns, and the treasury has -1.")
    # What buys nothing goes on.
    act(campaign, "dismiss", who="w2", count=1)
    act(campaign, "adjust", amount=1, **adjust)
    act(campaign, "buy", bearer="w2", option="badge")
    assert crowns(campaign) == 0


def test_the_stash_is_told_in_the_names_of_the_army_list(campaign: Campaign) -> None:
    act(campaign, "buy", bearer="w1", option="hook")
    act(campaign, "give", item="hook", source="w1", target="stash")
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    record = load_warband(campaign.league.player("Ada"), row.warband.token)
    assert record is not None
    growth = record.roster.growth
    assert growth
    assert growth.stash == ("Long hook",)
    page = visit(campaign, "Ada").get(
        "campaign-warband", campaign.league.entry("Ada").token
    )
    assert "Long hook" in page


def test_units_are_priced_in_the_currency_of_their_list(campaign: Campaign) -> None:
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    assert "60 gold crowns" in ada.get("campaign-warband", entry)
    fixture = campaign.game("Ada", "Ben")
    assert "60 gold crowns</span>" in ada.get("fixture-field", fixture)


def test_a_list_handed_in_is_priced_in_the_currency_of_its_list(campaign: Campaign) -> None:
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    ada = visit(campaign, "Ada")
    asked = campaign.league.by("Ada")
    points = hand_in_list(asked, 1, row.warband.token).points
    for page in (
        ada.get("event-lists"),
        ada.get("entry-read", campaign.league.entry("Ada").token),
    ):
        text = " ".join(strip_tags(page).split())
        assert re.search(rf"{points}( of \d+)? gold crowns", text)


def test_a_campaign_sells_what_is_for_trade_alone(campaign: Campaign) -> None:
    before = crowns(campaign)
    # A group buys the same for each of its models.
    act(campaign, "buy", bearer="w2", option="oil")
    assert crowns(campaign) == before - 9
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    record = load_warband(campaign.league.player("Ada"), row.warband.token)
    assert record is not None
    codes = {one.code for one in sheet_of(record).findings}
    assert "list.trade" not in codes


def test_a_rare_unit_joins_where_somebody_finds_it(campaign: Campaign) -> None:
    before = crowns(campaign)
    assert refused(campaign, "recruit", profile="diver")[0] == "seeker"
    missed = act(campaign, "recruit", profile="diver", seeker="w1", faces=(4, 4))
    assert (crowns(campaign), set(grown(campaign).warriors)) == (before, {"w1", "w2"})
    report = load_growth(campaign.league.organiser, campaign.league.token)
    assert report is not None
    told = report.act_json(missed)
    values = (told["words"], told["warrior"], told["faces"])
    assert values == ("Nothing was found.", None, [4, 4])
    act(campaign, "recruit", profile="diver", name="Reed", seeker="w1", faces=(4, 5))
    # The number of whoever was not found is not given again.
    assert grown(campaign).warriors["w4"].kind == "hero"
    assert crowns(campaign) == before - 25
    check_stored(campaign)
    page = organise(campaign).get("warband-ledger", campaign.league.entry("Ada").token)
    assert "Wick looked for Canal diver (4, 4): not found" in page
    assert "Wick looked for Reed (4, 5): found, 25 crowns" in page


def test_looking_at_a_rare_unit_first_throws_nothing(campaign: Campaign) -> None:
    given = GivenAct("recruit", profile="diver", seeker="w1")
    moved = preview_act(campaign.asked, campaign.warbands["Ada"], given)
    assert not moved.warbands


def test_a_hired_sword_of_the_list_costs_upkeep_for_each_battle(campaign: Campaign) -> None:
    act(campaign, "recruit", profile="catcher", hired=True)
    act(campaign, "recruit", profile="catcher")
    hired = [one for one in grown(campaign).warriors.values() if one.kind == "hired"]
    assert [(one.joined.price, one.joined.upkeep) for one in hired] == [(18, 7)] * 2
    assert refused(campaign, "recruit", profile="lighter", hired=True)[0] == "profile"
    campaign.report(campaign.game("Ada", "Ben"))
    moves = [one for one in campaign.ledger.state.moves if one.why == "upkeep"]
    # Six models are within those that are free, so the two catchers alone cost something.
    assert [(one.warband, one.amount) for one in moves] == [(campaign.warbands["Ada"], -14)]
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    assert row.warband.growth["recruits"] == 0


def test_the_limits_of_a_list_are_issues_and_refuse_nothing(campaign: Campaign) -> None:
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband

    def told() -> list[str]:
        assert row.warband
        record = load_warband(campaign.league.player("Ada"), row.warband.token)
        assert record is not None
        return [one.message for one in sheet_of(record).findings if one.code[:5] == "list."]

    act(campaign, "recruit", profile="owl-keeper")
    assert told() == []
    act(campaign, "recruit", profile="owl-keeper")
    assert told() == ["2 of Owl keepers; the army list allows 1."]
    page = visit(campaign, "Ada").get(
        "campaign-warband", campaign.league.entry("Ada").token
    )
    assert "2 of Owl keepers; the army list allows 1." in page


def offers(page: str, of: str) -> list[str]:
    """What a choice of a page offers, without what is left then."""
    block = re.search(rf'<select id="{of}".*?</select>', page, re.DOTALL)
    assert block
    told = re.findall(r"<option[^>]*>(.*?)</option>", block[0])
    return [one.partition(" → ")[0] for one in told]


def test_the_shop_shows_what_is_rare_who_is_hired_and_who_looks(campaign: Campaign) -> None:
    entry = campaign.league.entry("Ada").token
    ada: Visitor = visit(campaign, "Ada")
    page = ada.client.get(ada.url("warband-trade", entry) + "?for=w1").content.decode()
    assert "Long hook" in page
    assert "Fine oil" in page
    units = offers(page, "t-profile")
    assert "Rat catcher, hired, 18 crowns, upkeep 7" in units
    assert "Canal diver, 25 crowns, found on 9 or more" in units
    assert not [one for one in units if one.startswith("Rat catcher, 18")]
    assert "Night lamp, 12 crowns, found on 8 or more" in offers(page, "t-good")
    assert offers(page, "t-scout") == ["Nobody", "Wick"]
    sent = {"kind": "search", "good": "lamp", "bearer": "w1", "seeker": "w1"}
    ada.post("warband-trade", entry, **sent, faces="6 6")
    assert [one.id for one in grown(campaign).warriors["w1"].gear] == ["lamp"]
    lone = {"kind": "recruit", "profile": "diver", "count": "1"}
    answer = ada.post("warband-trade", entry, **lone, key="k2")
    assert answer.status_code == 422
    ada.post("warband-trade", entry, **lone, seeker="w1", faces="1 1", key="k3")
    assert len(grown(campaign).warriors) == 2
    ada.post("warband-trade", entry, **lone, seeker="w1", faces="6 6", key="k4")
    ada.post("warband-trade", entry, kind="recruit", profile="hired:catcher", key="k5")
    assert [one.kind for one in grown(campaign).warriors.values()] == [
        "hero", "soldier", "hero", "hired",
    ]  # fmt: skip


def test_without_a_search_in_the_rules_nothing_is_rare(campaign: Campaign) -> None:
    document = {**packed_rules()[RULES].document, "trade": {"sell": [1, 2], "lists": True}}
    asked = replace(campaign.asked, reason="No market.")
    set_growth_rules(asked, RulesDraft(document=document, since="now"))
    act(campaign, "buy", bearer="w1", option="lamp")
    assert [one.id for one in grown(campaign).warriors["w1"].gear] == ["lamp"]
