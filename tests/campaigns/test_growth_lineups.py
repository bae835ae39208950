"""Who fights for a campaign's warbands: who chooses it, and what is unusual about it."""

from __future__ import annotations

import pytest

from accounts.errors import NotAllowed
from accounts.operations.people import close_account
from campaigns.models import ClubEvent
from campaigns.operations.growth.answers import GivenAnswer, answer_dues
from campaigns.operations.growth.lineups import FieldChoice
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import field_fixture, report_result
from campaigns.queries.growth.aftermaths import load_after_page
from campaigns.queries.growth.lineups import load_fielded_battle
from campaigns.queries.growth.reports import load_growth
from campaigns.queries.records import Outcome
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.test_growth import fought
from tests.campaigns.test_growth_pages import Visitor

pytestmark = pytest.mark.django_db
LAID_UP, KILLED = (2, 4), (1, 1)


@pytest.fixture
def campaign() -> Campaign:
    return make_growing(players=2)


def test_who_fights_with_an_open_injury_or_though_he_should_not_is_told(
    campaign: Campaign,
) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", LAID_UP)])
    grown = campaign.ledger.state.warbands[band]
    assert grown.warriors["w2"].misses
    second, ben = campaign.game("Ada", "Ben"), campaign.league.entry("Ben").token
    choice = FieldChoice(fielded={ben: ("w2",)})
    field_fixture(campaign.asked, second, choice)
    told = {}
    for name in ("Ben", "Ada"):
        reader = campaign.league.player(name)
        ClubEvent.objects.update(is_secret=True, needs_list=True)
        report = load_growth(reader, campaign.league.token)
        told[name] = load_fielded_battle(report, second)
    assert [one["message"] for one in told["Ben"].findings] == [
        "Ilse should miss this game.",
        "Swordsmen has an injury that is not rolled yet. Roll it before the game.",
    ]
    # Before lists are shown, what names units is for their own player.
    assert not told["Ada"].findings
    hers, his = told["Ada"].sides
    assert {one["name"] for one in hers["combatants"]} >= {"Otto", "Ilse"}
    assert {one["who"] for one in his["combatants"]} == {None}
    assert his["combatants"][0]["name"] == "Model 1"


def test_a_player_chooses_who_fights_of_the_own_side_alone(campaign: Campaign) -> None:
    fixture, ben = campaign.game("Ada", "Ben"), campaign.league.entry("Ben").token
    asked = ChangeRequest(campaign.league.player("Ada"), campaign.league.token)
    choice = FieldChoice(absent={ben: ("w2", "w3", "w4")})
    with pytest.raises(NotAllowed):
        field_fixture(asked, fixture, choice)
    hers = campaign.league.entry("Ada").token
    field_fixture(asked, fixture, FieldChoice(absent={hers: ("w2",)}))


def test_who_fought_and_was_dead_by_then_is_told_after_the_battle(
    campaign: Campaign,
) -> None:
    first, band = fought(campaign), campaign.warbands["Ben"]
    second = campaign.game("Ada", "Ben")
    campaign.report(second, "Ben", fates={"Ben": []})
    answer_dues(campaign.asked, band, [GivenAnswer(f"{first}/injury/w2", KILLED)])
    ben = campaign.league.player("Ben")
    told = {}
    for fixture in (first, second):
        page = load_after_page(ben, campaign.league.token, fixture)
        assert page
        told[fixture] = [side.notes for side in page.sides]
    assert told[first] == [(), ()]
    assert told[second] == [
        ("Ilse fought, but is not in the warband by then: earns nothing.",),
        (),
    ]


def test_a_deleted_account_leaves_its_warband_to_the_campaign(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    before = campaign.ledger.state
    gone = campaign.league.player("Ben").user_id
    assert gone
    close_account(gone)
    assert campaign.ledger.state == before
    olga = Visitor(campaign, campaign.league.organiser)
    entry = campaign.league.entry("Former player 1").token
    for name, args in (
        ("event-read", ()),
        ("standings-read", ()),
        ("fixture-after", (fixture,)),
        ("campaign-warband", (entry,)),
        ("warband-ledger", (entry,)),
        ("warband-trade", (entry,)),
    ):
        page = olga.get(name, *args)
        assert "Ben" not in page.replace("Bend", "")
        assert "Former player 1" in page
    # A correction still knows who fought, and an organiser answers for who is left.
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", KILLED)])
    outcome = Outcome(how="drawn", winner="")
    asked = ChangeRequest(campaign.league.organiser, campaign.league.token, reason="So.")
    report_result(asked, fixture, outcome)
    state = campaign.ledger.state
    assert [sorted(one.ratings) for one in state.battles] == [
        sorted(campaign.warbands.values())
    ]
    assert state.warbands[band].warriors["w2"].gone
