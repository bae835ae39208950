"""A game whose stat lines have other columns, in play: each page, file and call of its warband.

Where a figure is missing that our rules need, the page leaves it out or says so in words.
"""

import re
from collections.abc import Mapping

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import Club
from accounts.owner import Owner
from battles.operations.setup import BattleDraft, open_battle
from battles.operations.sides import QuickSide, WarbandSide
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.models import CampaignWarband
from campaigns.operations.rounds import publish_round
from engine.records import JsonObject
from rulesdata.operations.own_lists import change_own_list
from tests.campaigns.growing import RULES, Campaign
from tests.campaigns.leagues import make_campaign, make_round
from tests.campaigns.test_growth import dues_of
from tests.campaigns.visitors import visit
from tests.factories import (
    SYSTEM,
    make_club,
    make_person,
    make_user,
    make_warband,
    make_warrior,
)
from tests.foreign.test_own_columns import COLUMNS, document_of, translated
from tests.foreign.test_own_columns_pages import EEL_CATCHER
from tests.guards.routes import routes
from tests.rulesdata.own_lists import make_list
from tests.systems import in_turn
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import import_document

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
GAMES = {
    "leadership alone": COLUMNS,
    "none that we know": ("Mettle", "Speed", "Nerve", "Grit", "Luck"),
    "some of ours": ("Mettle", "S", "Speed", "T", "Nerve", "Will", "W"),
}
# A page that is not there, or not for whoever asks.
OTHERS = (302, 403, 404, 405)


@pytest.fixture(params=in_turn(GAMES.values(), 2), ids=GAMES)
def columns(request: pytest.FixtureRequest) -> tuple[str, ...]:
    found: tuple[str, ...] = request.param
    return found


def fen_list(club: Club, actor: Owner, columns: tuple[str, ...]) -> str:
    own = make_list(club=club, actor=actor, name="The Fen", base="")
    made = document_of(translated(columns))
    change_own_list(actor, str(own.token), lambda data, _: data.update(made))
    return str(own.token)


@pytest.fixture
def actor(client: Client) -> Owner:
    user = make_user()
    client.force_login(user)
    return make_person(user=user)


@pytest.fixture
def warband(actor: Owner, columns: tuple[str, ...]) -> Warband:
    """Two eel catchers, and Wick who is alone."""
    army = fen_list(make_club(owner=actor), actor, columns)
    made = make_warband(actor=actor, army=army)
    make_warrior(warband=made, profile=EEL_CATCHER, count=2)
    make_warrior(warband=made, profile=EEL_CATCHER, name="Wick", is_leader=True)
    return made


def walk(client: Client, start: str, values: Mapping[str, object]) -> int:
    """Ask for every address below this one that the values fill; return how many answer."""
    found = [one for one in routes() if one.template.startswith(start)]
    urls = [one.url(values) for one in found if set(one.arguments) <= set(values)]
    statuses = {url: client.get(url).status_code for url in urls}
    odd = {url: one for url, one in statuses.items() if one not in (200, *OTHERS)}
    assert odd == {}
    return list(statuses.values()).count(200)


def words(answer: HttpResponse) -> str:
    main = answer.content.decode().partition("<main")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


def test_every_page_and_file_of_its_warband_answers(client, warband):
    row = warband.warriors.get(name="Wick")
    values = {"token": warband.token, "warrior_id": row.pk}
    assert walk(client, "warbands/{token}", values) >= 21
    for form in ("ros", "rosz", "newrecruit-json"):
        answer = client.get(f"/warbands/{warband.token}/export/{form}/")
        assert answer.status_code == 200
    text = client.get(f"/warbands/{warband.token}/roster.txt").content.decode()
    # Wounds, Leadership and saves are told where the stat line has them.
    assert "Met1" in text


def test_odds_say_which_figure_is_missing(client: Client, warband: Warband) -> None:
    row = warband.warriors.get(name="Wick")
    own, captain = f"w:{warband.token}:{row.pk}", f"p:{SYSTEM}:the-empire:captain"
    for asked, said in (
        (f"a={own}", "has no figures to attack with"),
        (f"a={own}&b={captain}", "has no figures to attack with"),
        (f"a={captain}&b={own}", "Eel Catcher has no figure for Weapon Skill"),
    ):
        page = client.get(f"/odds/?{asked}")
        assert page.status_code == 422
        assert said in words(page).replace("Wick", "Eel Catcher")
    page = client.get(f"/odds/match-up/?a=w:{warband.token}&b=w:{warband.token}")
    assert page.status_code == 400
    assert "their stat lines have nothing in common" in words(page)


def test_its_battle_is_set_up_recorded_and_read(client, warband, actor):
    sides = (WarbandSide(warband.token), QuickSide("Night Watch", 3, 7))
    battle = open_battle(actor, BattleDraft(SYSTEM, sides))
    assert walk(client, "battles/{token}", {"token": battle.token}) >= 6
    assert walk(client, "api/v1/battles/{token}", {"token": battle.token}) == 3


def test_calls_without_an_account_do_not_know_a_clubs_list(client, warband):
    document = client.get(f"/warbands/{warband.token}/roster.json").json()
    for call in ("check", "sheet"):
        answer = client.post(f"/api/v1/{call}/", document, content_type="application/json")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "army"


# A growing campaign


def gang(army: str) -> JsonObject:
    wick = {"profile": EEL_CATCHER, "name": "Wick", "leader": True}
    return {
        "format": "muster-roll/1",
        "system": SYSTEM,
        "army": army,
        "name": "The Fen",
        "warriors": [wick, {"profile": EEL_CATCHER, "count": 3}],
    }


@pytest.fixture
def campaign(columns: tuple[str, ...]) -> Campaign:
    """Ben beat Ada, whose Wick and one of her three others were put out."""
    league = make_campaign(players=2)
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    publish_round(campaign.asked, 1)
    army = fen_list(league.club, league.organiser, columns)
    for name in ("Ada", "Ben"):
        roster = import_document(WriteContext(league.player(name)), gang(army)).token
        entry = league.entry(name).token
        visit(campaign, name).post("warband-found", entry, warband=roster)
        row = CampaignWarband.objects.get(entry=league.entry(name))
        campaign.warbands[name] = row.token
    fates = [{"who": "w1", "by": None}, {"who": "w2#1", "by": None}]
    game = campaign.game("Ada", "Ben")
    campaign.report(game, "Ben", fates={"Ada": fates, "Ben": []})
    return campaign


def answer(campaign: Campaign, due: str, *faces: int) -> None:
    given = GivenAnswer(dues_of(campaign, "Ada")[due].key, faces, None)
    answer_dues(campaign.asked, campaign.warbands["Ada"], [given])


def test_a_campaign_hurts_what_a_stat_line_lacks_in_words_alone(campaign, columns):
    answer(campaign, "injury/w1", 2, 3)
    answer(campaign, "injury/w1/lasting", 2)
    league, ada = campaign.league, visit(campaign, "Ada")
    [fixture] = league.fixtures(1)
    values = {
        "token": league.token,
        "entry": league.entry("Ada").token,
        "fixture": fixture.token,
        "number": 1,
        "unit": "w1",
        "warband": campaign.warbands["Ada"],
    }
    assert walk(ada.client, "leagues/{token}", values) >= 26
    assert walk(ada.client, "api/v1/events/{token}", values) >= 12
    unit = ada.get("campaign-unit", str(values["entry"]), "w1")
    assert "Weak arm" in unit
    row = CampaignWarband.objects.get(token=campaign.warbands["Ada"])
    assert row.warband
    copy = {"token": row.warband.token, "warrior_id": row.rows["w1"]}
    assert walk(ada.client, "warbands/{token}", copy) >= 21
