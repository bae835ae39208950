"""Careers of warriors of a growing campaign: experience, advances, injuries, and how they ended."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.owner import Owner
from battles.queries.careers import load_career
from battles.results import GrownCareer
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.models import CampaignWarband, ClubEvent
from tests.battles.pages import browser_of
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.test_growth import fought
from tests.factories import make_person
from warbands.models import Warband

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """Ben lost to Ada: Ilse was killed, a swordsman died, and Otto has learned."""
    made = make_growing(players=2)
    fixture, band = fought(made), made.warbands["Ben"]
    dead = [
        GivenAnswer(f"{fixture}/injury/w2", (1, 1)),
        GivenAnswer(f"{fixture}/injury/w3#1", (1,)),
    ]
    answer_dues(made.asked, band, dead)
    taught = GivenAct("adjust", who="w1", experience=4, reason="A gift.")
    take_act(made.asked, band, taught)
    answer_dues(made.asked, band, [GivenAnswer("advance/w1/1", (1,), "WS")])
    return made


def warband_of(campaign: Campaign, name: str) -> Warband:
    row = CampaignWarband.objects.get(token=campaign.warbands[name])
    return Warband.objects.get(pk=row.warband_id)


def grown(campaign: Campaign, reader: Owner, name: str = "Ben") -> dict[str, GrownCareer]:
    """The careers of a warband's units by name, each told once."""
    career = load_career(reader, warband_of(campaign, name).token)
    assert career
    fighters = [(one["fighter"], one["growth"]) for one in career["warriors"]]
    told = [(one.name or one.title, growth) for one, growth in fighters if growth]
    assert len(dict(told)) == len(told)
    return dict(told)


def test_a_career_tells_what_a_warrior_became_and_how_it_ended(campaign: Campaign) -> None:
    told = grown(campaign, campaign.league.player("Ben"))
    otto, ilse = told["Otto"], told["Ilse"]
    assert (otto.kind, otto.experience) == ("Hero", 5)
    assert (otto.advances, otto.ended) == (("+1 WS (round 1)",), "")
    assert (ilse.experience, ilse.ended) == (0, "Killed (round 1)")
    [swordsmen] = [one for one in told.values() if one.lost]
    assert swordsmen.lost == ("Gone for good (round 1)",)
    page = browser_of(campaign.league.player("Ben")).get(
        reverse("warband-career", args=[warband_of(campaign, "Ben").token])
    )
    text = page.content.decode()
    entry = campaign.league.entry("Ben").token
    fallen = browser_of(campaign.league.player("Ben")).get(
        reverse("campaign-warband", args=[campaign.league.token, entry])
    )
    assert "Killed. Hero, experience 0" in fallen.content.decode()
    for words in ("Killed (round 1)", "Advances: +1 WS (round 1)", "Models lost: Gone for"):
        assert words in text


def test_a_career_follows_a_correction(campaign: Campaign) -> None:
    fixture = campaign.league.fixture(1, "Ben").token
    campaign.report(fixture, "Ada", fates={"Ben": []})
    told = grown(campaign, campaign.league.player("Ben"))
    assert (told["Ilse"].ended, told["Ilse"].experience) == ("", 1)
    assert not any(one.lost for one in told.values())


def test_a_captive_a_successor_and_a_dismissal_are_told() -> None:
    campaign = make_growing(players=2)
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (5, 6))])
    take_act(campaign.asked, band, GivenAct("dismiss", who="w4", count=4))
    take_act(campaign.asked, band, GivenAct("dismiss", who="w1", count=1))
    answer_dues(campaign.asked, band, [GivenAnswer("succession/w1", choice="w3")])
    told = grown(campaign, campaign.league.player("Ben"))
    assert told["Ilse"].ended == "Held captive (round 1)"
    assert told["Otto"].ended == "Dismissed (round 1)"
    row = CampaignWarband.objects.get(token=band)
    assert "w3.leader" in row.rows


def test_a_secret_or_closed_campaign_tells_no_stranger(campaign: Campaign) -> None:
    Warband.objects.update(visibility="public")
    stranger, ada = make_person(), campaign.league.player("Ada")
    ClubEvent.objects.update(visibility="public")
    assert grown(campaign, stranger)
    ClubEvent.objects.update(visibility="club")
    assert not grown(campaign, stranger)
    assert grown(campaign, ada)
    ClubEvent.objects.update(visibility="public", is_secret=True, needs_list=True)
    assert not grown(campaign, ada)
    assert grown(campaign, campaign.league.organiser)
    assert grown(campaign, campaign.league.player("Ben"))


def test_a_career_takes_few_queries(campaign: Campaign) -> None:
    ben, token = campaign.league.player("Ben"), warband_of(campaign, "Ben").token
    # Secret lists and a club's own event each ask for more, with growth or without.
    ClubEvent.objects.update(visibility="public", is_secret=False)
    with CaptureQueriesContext(connection) as asked:
        load_career(ben, token)
    assert len(asked) <= 9
    client, address = browser_of(ben), reverse("warband-career", args=[token])
    client.get(address)
    with CaptureQueriesContext(connection) as page:
        client.get(address)
    assert len(page) <= 10
