"""The pages of campaigns whose warbands grow: what they show, and what their forms do."""

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.growth.queries.lineups import load_fielded_sides
from campaigns.models import CampaignWarband, ClubEvent, Fixture, GrowthRow
from campaigns.operations.results import open_fixture
from tests.campaigns.growing import RULES, Campaign, make_growing, roster
from tests.campaigns.leagues import make_campaign, make_league, make_round
from tests.campaigns.results import put_up, report
from tests.campaigns.test_growth import fought
from tests.campaigns.visitors import Visitor, organise, visit
from tests.factories import SYSTEM, make_warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document

pytestmark = pytest.mark.django_db


def test_an_organiser_chooses_rules_and_a_player_founds_a_warband() -> None:
    league = make_campaign(players=2)
    make_round(league)
    campaign = Campaign(league)
    olga, ada = organise(campaign), visit(campaign, "Ada")
    assert "Muster campaign" in olga.get("growth-rules")
    ada.get("growth-rules", status=403)
    done = olga.post("growth-rules", rules=RULES)
    assert "Found your warband" not in done.content.decode()
    assert league.fresh().growth_position == 1
    assert "Found your warband" in ada.get("event-read")
    entry = league.entry("Ada").token
    dear = roster(name="Too dear")
    dear["warriors"][2]["count"] = 30
    tokens = [
        import_document(WriteContext(league.player("Ada")), document).token
        for document in (dear, roster(name="River patrol"))
    ]
    page = ada.get("warband-found", entry)
    assert "250 crowns" in page
    assert "River patrol, The Empire, 174 crowns → 76 left" in page
    assert "Too dear, The Empire, 349 crowns → 99 more than the purse" in page
    assert f"{reverse('warband-new')}?system={SYSTEM}&amp;points_limit=250" in page
    assert f"{reverse('starter-list')}?system={SYSTEM}" in page
    refused = ada.post("warband-found", entry, warband=tokens[0])
    assert refused.status_code == 422
    told = refused.content.decode()
    assert "costs 349 crowns, 99 more than the purse of 250" in told
    assert f'<a href="{reverse("warband-read", args=[tokens[0]])}">Too dear' in told
    ada.post("warband-found", entry, warband=tokens[1])
    assert CampaignWarband.objects.get(entry__token=entry).rating
    assert "River patrol" in ada.get("campaign-warband", entry)
    assert "has a warband in the campaign already" in ada.get("warband-found", entry)
    visit(campaign, "Ben").get("warband-found", entry, status=403)


def test_the_page_of_a_roster_leads_to_founding_with_it() -> None:
    league = make_campaign(players=2)
    make_round(league)
    campaign = Campaign(league)
    ada = visit(campaign, "Ada")
    owner = league.player("Ada")
    first, second = (
        import_document(WriteContext(owner), roster(name=name)).token
        for name in ("River patrol", "Night watch")
    )
    elsewhere = make_warband(actor=owner, system="english-civil-war", army="parliament")

    def offered(token: str) -> str | None:
        page = ada.client.get(reverse("warband-read", args=[token])).content.decode()
        found = re.search(r'<a href="([^"]+)">Found your warband with this roster', page)
        return found and found[1]

    assert offered(first) is None  # its warbands do not grow yet
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    assert offered(elsewhere.token) is None
    address = offered(first)
    assert address
    assert offered(second)
    founding = ada.client.get(address).content.decode()
    chosen = re.search(r'<input[^>]*value="([^"]+)"[^>]*checked', founding)
    assert chosen
    assert chosen[1] == first
    ada.post("warband-found", league.entry("Ada").token, warband=first)
    assert offered(second) is None


def test_rules_are_previewed_once_somebody_has_founded(campaign: Campaign) -> None:
    olga, before = organise(campaign), GrowthRow.objects.count()
    told = olga.post("growth-rules", rules=RULES, since="start", reason="Agreed.")
    assert "What changes" in told.content.decode()
    assert GrowthRow.objects.count() == before
    # What was previewed is saved; another choice is previewed first.
    seen = {"reason": "Agreed.", "previewed": f"{RULES} start"}
    told = olga.post("growth-rules", rules=RULES, since="now", **seen)
    assert "What changes" in told.content.decode()
    assert f'value="{RULES} now"' in told.content.decode()
    assert GrowthRow.objects.count() == before
    olga.post("growth-rules", rules=RULES, since="start", **seen)
    assert GrowthRow.objects.count() == before + 1


def test_everybody_reads_the_rules_as_they_are_played(campaign: Campaign) -> None:
    ada, league = visit(campaign, "Ada"), campaign.league
    asked = replace(league.ask(), reason="Slower.")
    printed = ada.get("growth-book")
    assert "Back on their feet" in printed
    assert "Change campaign rules" not in printed
    assert ada.url("growth-book") in ada.get("event-read")
    changes = {"name": "Muster, slowly"}
    set_growth_rules(asked, RulesDraft(changes=changes, since="now"))
    played = ada.get("growth-book")
    assert "Muster, slowly" in played
    # What the site prints are its own rules, not these.
    paper = reverse("campaign-pdf", args=[RULES])
    assert (paper in printed, paper in played) == (True, False)
    assert "Change campaign rules" in organise(campaign).get("growth-book")
    plain = make_campaign(players=2)
    assert organise(Campaign(plain)).get("growth-book", status=404)


def test_a_disbanded_warband_leads_to_the_next_one(campaign: Campaign) -> None:
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    ada.post("warband-trade", entry, kind="disband", reason="Moving on.")
    page = ada.get("campaign-warband", entry)
    assert ada.url("warband-found", entry) in page
    # There is nothing left to trade with.
    assert ada.url("warband-trade", entry) not in page


def test_the_game_tells_ratings_and_the_underdog_before_it_is_played(campaign):
    fixture, ada = campaign.game("Ada", "Ben"), visit(campaign, "Ada")
    own = campaign.league.entry("Ada").token
    ada.post("warband-trade", own, kind="recruit", into="w3", count="2")
    page = ada.get("fixture-read", fixture)
    assert "Warbands before the game" in page
    ratings = [one.rating for one in campaign.ledger.state.warbands.values()]
    for rating in ratings:
        assert f'<td class="n">{rating}</td>' in page
    assert "after the game" not in page
    ClubEvent.objects.update(is_secret=True, needs_list=True)
    assert "Warbands before the game" not in ada.get("fixture-read", fixture)
    ClubEvent.objects.update(is_secret=False, needs_list=False)
    low = {"underdog": [{"from": 0, "experience": 2, "kinds": [], "amount": 9}]}
    low["underdog"][0]["from"] = max(ratings) - min(ratings)
    asked = campaign.league.ask(reason="Why.")
    set_growth_rules(asked, RulesDraft(changes=low, since="start"))
    page = ada.get("fixture-read", fixture)
    assert page.count("2 experience and 9 crowns after the game") == 1
    fought(campaign)
    told = Fixture.objects.exclude(position=None).order_by("-pk")[0].token
    assert "Warbands before the game" not in ada.get("fixture-read", told)


def test_the_rules_of_a_campaign_tell_what_each_version_changed(campaign: Campaign) -> None:
    ada = visit(campaign, "Ada")
    assert "Changes in this campaign" not in ada.get("growth-book")
    asked = campaign.league.ask(reason="Poor.")
    for since, limit in (("now", "models"), ("start", "recruits_after_battle")):
        changes = {"limits": {limit: 9}}
        set_growth_rules(asked, RulesDraft(changes=changes, since=since))
    page = ada.get("growth-book")
    first, last = page.index("earlier games keep"), page.index("worked out again")
    assert last < first
    assert page.count("Limits, models") == 1
    assert page.count("Limits, recruits after battle") == 1
    assert page.count("Reason: Poor.") == 2
    ClubEvent.objects.update(visibility="public")
    address = ada.url("growth-book")
    visitor = Client().get(address).content.decode()
    assert visitor.count("Limits, models") == 1
    assert "Poor." not in visitor


def test_who_fights_is_chosen_and_locked(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ada").token
    page = ada.get("fixture-field", fixture)
    assert "all units fight that miss no game" in page
    assert "Against <b>Ben</b>, rating 174." in page
    assert "32 points" in page
    assert campaign.league.entry("Ben").token not in page
    nobody = ada.post("fixture-field", fixture)
    assert "has no model left to fight" in nobody.content.decode()
    ada.post("fixture-field", fixture, fights=[f"{entry}/w1", f"{entry}/w3"])
    battle = Fixture.objects.get(token=fixture).battle
    assert battle
    fighting = load_fielded_sides(battle)
    assert fighting["a"].warriors == ("w1", "w3")
    assert fighting["b"].warriors == ("w1", "w2", "w3", "w4")
    assert "locked already" in ada.get("fixture-field", fixture)


def test_a_campaign_is_made_with_its_rules() -> None:
    league = make_campaign(players=0)
    campaign = Campaign(league)
    olga = organise(campaign)
    address = f"{reverse('event-new')}?kind=campaign"
    page = olga.client.get(address).content.decode()
    assert "None: results and standings alone" in page
    sent = {"kind": "campaign", "method": "challenge", "name": "N", "growth": RULES}
    points = {f"points_{one}": "1" for one in ("win", "draw", "loss", "bye", "unplayed")}
    more = {"visibility": "club", "confirm_days": "3", "system": SYSTEM}
    club = {"club": league.event.club.slug}
    made = olga.client.post(reverse("event-new"), {**sent, **points, **more, **club})
    assert made.status_code == 302
    assert ClubEvent.objects.get(name="N").growth_position == 1


def test_pages_for_a_phone_end_with_treasury_rating_and_what_is_open(campaign):
    fixture, ben = fought(campaign), visit(campaign, "Ben")
    entry = campaign.league.entry("Ben").token
    after = ben.url("fixture-after", fixture)
    for page, to in (
        (ben.get("campaign-warband", entry), after),
        (ben.get("warband-trade", entry), after),
        (ben.get("fixture-after", fixture), f"#side-{entry}"),
    ):
        bar = page[page.index('class="purse-bar') :].partition("</p>")[0]
        assert "crowns" in bar
        assert f'<a href="{to}">3 open</a>' in bar
    assert "purse-bar" not in organise(campaign).get("fixture-after", fixture)
    trade = ben.get("warband-trade", entry)
    for part in ("buy", "recruit", "rare", "sell"):
        assert f'<a href="#{part}">' in trade
        assert f'id="{part}"' in trade
    campaign.settle("Ben")
    assert "Settled</span>" in ben.get("campaign-warband", entry)


def queries_of_pages(singles: int, *, is_secret: bool) -> dict[str, int]:
    """Queries of the pages of a warband whose single swordsmen all went out in its first game."""
    campaign = make_growing(players=2, singles=singles)
    league, ben = campaign.league, visit(campaign, "Ben")
    ClubEvent.objects.update(is_secret=is_secret, needs_list=is_secret)
    fixture, entry = campaign.game("Ada", "Ben"), league.entry("Ben").token
    out = [{"who": f"w{number + 2}", "by": None} for number in range(singles)]
    campaign.report(fixture, "Ada", fates={"Ben": out, "Ada": []})
    dues = [GivenAnswer(f"{fixture}/injury/{one['who']}", (3,)) for one in out]
    answer_dues(campaign.asked, campaign.warbands["Ben"], dues[::2])
    growth = f"/api/v1/events/{league.token}/growth/"
    own = f"{growth}warbands/{campaign.warbands['Ben']}/"
    addresses = {
        "after": ben.url("fixture-after", fixture),
        "game": ben.url("fixture-read", fixture),
        "event": ben.url("event-read"),
        "warband": ben.url("campaign-warband", entry),
        "ledger": ben.url("warband-ledger", entry),
        "unit": ben.url("campaign-unit", entry, "w1"),
        "trade": ben.url("warband-trade", entry),
        "API": growth,
        "API, warband": own,
        "API, dues": f"{own}dues/",
        "API, ledger": f"{own}ledger/",
    }
    counts = {}
    for name, address in addresses.items():
        assert ben.client.get(address).status_code == 200
        with CaptureQueriesContext(connection) as queries:
            ben.client.get(address)
        counts[name] = len(queries)
    return counts


@pytest.mark.parametrize("is_secret", [False, True])
def test_pages_take_as_few_queries_for_few_and_many_warriors(is_secret: bool) -> None:
    few, many = (queries_of_pages(singles, is_secret=is_secret) for singles in (2, 6))
    assert few == many
    # Whether lists are still secret costs one more, of an event that has secrets.
    assert max(many.values()) <= 10 + is_secret, many
    assert many["after"] == 9 + is_secret, many


def test_a_secret_roster_stays_secret(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ClubEvent.objects.filter(token=campaign.league.token).update(
        needs_list=True, is_secret=True
    )
    ada, entry = visit(campaign, "Ada"), campaign.league.entry("Ben").token
    for name, args in (
        ("fixture-after", (fixture,)),
        ("campaign-warband", (entry,)),
        ("warband-ledger", (entry,)),
    ):
        page = ada.get(name, *args)
        assert "secret until an organiser reveals" in page
        # Her own units are named after the battle, his on no page.
        assert ("Ilse" in page) == (name == "fixture-after")


def test_game_and_battle_lead_to_the_page_after_them(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    ada = visit(campaign, "Ada")
    address = ada.url("fixture-after", fixture)
    assert address not in ada.get("fixture-read", fixture)
    fixture = fought(campaign)
    address = ada.url("fixture-after", fixture)
    assert address in ada.get("fixture-read", fixture)
    row = Fixture.objects.select_related("battle").get(token=fixture)
    assert row.battle
    battle = ada.client.get(reverse("battle-read", args=[row.battle.token]))
    assert address in battle.content.decode()


def test_plain_campaign_has_no_page_after_its_games() -> None:
    league = make_campaign(players=2)
    (game,) = put_up(league, 1, [("Ada", "Ben")])
    asked = league.ask()
    battle = open_fixture(asked, game.token)
    report(league, game, "Ada")
    olga = organise(Campaign(league))
    address = olga.url("fixture-after", game.token)
    assert address not in olga.get("fixture-read", game.token)
    read = olga.client.get(reverse("battle-read", args=[battle]))
    assert address not in read.content.decode()


def test_first_steps_of_a_campaign_name_rules_and_warbands() -> None:
    league = make_campaign(players=2)
    olga = organise(Campaign(league))
    assert olga.url("growth-rules") in first_steps(olga)
    assert "founds a warband" not in first_steps(olga)
    olga.post("growth-rules", rules=RULES)
    steps = first_steps(olga)
    wanted = ("Campaign rules are chosen", "Add players", "founds a warband", "Add a round")
    places = [steps.index(words) for words in wanted]
    assert places == sorted(places)
    plain = organise(Campaign(make_league(players=2)))
    assert "campaign rules" not in first_steps(plain)


def first_steps(organiser: Visitor) -> str:
    page = organiser.get("event-entries")
    return page.split('id="first-steps"', 1)[1].split("</section>", 1)[0]


def test_only_a_round_that_pairs_says_that_all_are_paired() -> None:
    challenge, swiss = make_campaign(players=2), make_campaign(players=2, method="swiss")
    told = []
    for league in (challenge, swiss):
        make_round(league)
        page = organise(Campaign(league)).get("round-read", "1")
        told.append("Ticked players are paired" in page)
    assert told == [False, True]
