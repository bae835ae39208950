"""Purchases that a correction set aside, and the rows of a ledger that somebody looks for."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.errors import NotAllowed, WrongState
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    take_back,
)
from campaigns.growth.queries import ledger
from campaigns.growth.queries.ledger_pages import LedgerPage, load_ledger_page
from campaigns.models import Fixture, GrowthRow
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.rounds import publish_round
from campaigns.queries.events import load_entry, load_event
from engine.errors import Refusal
from engine.growth.state import WarbandGrowth
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.leagues import make_round
from tests.campaigns.test_growth import check_stored, fought
from tests.campaigns.test_growth_lineups import KILLED
from tests.campaigns.visitors import Visitor

pytestmark = pytest.mark.django_db


def of_ben(campaign: Campaign) -> WarbandGrowth:
    return campaign.ledger.state.warbands[campaign.warbands["Ben"]]


def bought_for_the_dead(campaign: Campaign) -> int:
    """Ben's purchase for an engineer who turns out to be dead, after the next battle; its number."""
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    ben = campaign.league.by("Ben")
    done = take_act(ben, band, GivenAct("buy", bearer="w2", option="physick"))
    campaign.report(campaign.game("Ada", "Ben"), "Ada", fates={"Ben": [], "Ada": []})
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", KILLED)])
    assert campaign.ledger.state.acts[done].why
    return done


def test_a_purchase_for_the_dead_goes_to_somebody_else_at_its_price(
    campaign: Campaign,
) -> None:
    number, band = bought_for_the_dead(campaign), campaign.warbands["Ben"]
    before = of_ben(campaign).treasury["crowns"]
    ben = campaign.league.by("Ben")
    redirect = GivenAct("redirect", act=number, bearer="w1")
    done = take_act(ben, band, redirect)
    grown, bought = of_ben(campaign), GrowthRow.objects.get(act=done).payload
    assert [piece.id for piece in grown.warriors["w1"].gear][-1] == "physick"
    first = GrowthRow.objects.get(act=number, kind="act").payload
    assert (bought["price"], bought["item"]) == (first["price"], "physick")
    assert grown.treasury["crowns"] == before - first["paid"]
    # The first one is taken back: it would be paid twice if the engineer came back.
    assert number not in campaign.ledger.state.acts
    check_stored(campaign)
    for act in (number, done, 99, None):
        with pytest.raises(Refusal) as refused:
            take_act(ben, band, GivenAct("redirect", act=act, bearer="w1"))
        assert refused.value.field == "act"


def test_a_purchase_is_redirected_to_somebody_who_is_there(campaign: Campaign) -> None:
    number, rows = bought_for_the_dead(campaign), GrowthRow.objects.count()
    ben = campaign.league.by("Ben")
    with pytest.raises(Refusal) as refused:
        take_act(
            ben, campaign.warbands["Ben"], GivenAct("redirect", act=number, bearer="w2")
        )
    assert refused.value.field == "for"
    ada = campaign.league.by("Ada")
    with pytest.raises(NotAllowed):
        take_act(
            ada, campaign.warbands["Ben"], GivenAct("redirect", act=number, bearer="w1")
        )
    assert GrowthRow.objects.count() == rows


def test_a_player_leaves_out_what_was_set_aside_after_the_next_battle(
    campaign: Campaign,
) -> None:
    number, band = bought_for_the_dead(campaign), campaign.warbands["Ben"]
    ben, before = campaign.league.by("Ben"), of_ben(campaign)
    take_back(ben, band, Withdrawal(act=number))
    assert of_ben(campaign) == before
    assert not campaign.ledger.state.acts_aside
    with pytest.raises(WrongState):
        take_back(ben, band, Withdrawal(act=number))


def test_the_ledger_offers_both_for_what_was_set_aside(campaign: Campaign) -> None:
    number, entry = bought_for_the_dead(campaign), campaign.league.entry("Ben").token
    ben = Visitor(campaign, campaign.league.player("Ben"))
    page = ben.get("warband-ledger", entry)
    assert page.count("Leave it out") == page.count("For somebody else") == 1
    ada = Visitor(campaign, campaign.league.player("Ada"))
    assert "Leave it out" not in ada.get("warband-ledger", entry)
    done = ben.post("warband-trade", entry, kind="redirect", act=number, bearer="stash")
    assert "Bought Physick" in done.content.decode()
    assert [piece.id for piece in of_ben(campaign).stash].count("physick") == 1
    assert "Leave it out" not in ben.get("warband-ledger", entry)


# What is looked for in a ledger


def read(campaign: Campaign, unit: str = "", number: int | None = None) -> LedgerPage:
    ben = campaign.league.player("Ben")
    event = load_event(ben, campaign.league.token)
    assert event
    entry = load_entry(ben, event, campaign.league.entry("Ben").token)
    assert entry
    return load_ledger_page(event, entry, unit=unit, number=number)


def words(page: LedgerPage) -> list[str]:
    assert page.lines
    return [line.text for line in page.lines.rows]


def test_a_ledger_is_read_by_unit_and_by_round(campaign: Campaign) -> None:
    first, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{first}/injury/w3#1", (6,))])
    make_round(campaign.league)
    publish_round(campaign.asked, 2)
    pair = (campaign.league.entry("Ada").token, campaign.league.entry("Ben").token)
    second = add_fixture(campaign.asked, 2, FixtureDraft(entries=pair))
    campaign.report(second, "Ben", fates={"Ben": [], "Ada": []})
    take_act(campaign.asked, band, GivenAct("buy", bearer="w1", option="physick"))
    # What is answered late is of its game, and a correction of it too.
    answer_dues(campaign.asked, band, [GivenAnswer(f"{first}/injury/w2", KILLED)])
    campaign.report(first, fates={"Ada": []})
    whole = words(read(campaign))
    one, two = (words(read(campaign, number=number)) for number in (1, 2))
    assert read(campaign).rounds == (1, 2)
    assert len(one) + len(two) + 2 == len(whole)  # and the rules, and the founding
    assert [line.partition(":")[0] for line in two] == [
        "Bought Physick's bag for Otto, 12 crowns",
        "Game against Ada",
    ]
    assert sum(line.startswith("Game against Ada") for line in one) == 2
    ilse = words(read(campaign, "w2"))
    assert len(ilse) == 4  # two reports of the first game, the injury, and the second game
    assert words(read(campaign, "w2", 2)) == ["Game against Ada: won"]
    assert words(read(campaign, "w99")) == []
    assert ("w2", "Ilse") in read(campaign).units


def test_a_filter_of_a_ledger_that_cannot_be_read_shows_all(campaign: Campaign) -> None:
    fought(campaign)
    ben, entry = (
        Visitor(campaign, campaign.league.player("Ben")),
        campaign.league.entry("Ben").token,
    )
    address = ben.url("warband-ledger", entry)
    for query, status in (("round=1", 200), ("round=0", 400), ("round=x&unit=w2", 400)):
        page = ben.client.get(f"{address}?{query}")
        assert page.status_code == status
        assert "Game against Ada" in page.content.decode()


def test_a_ledger_tells_no_rules_of_another_campaign(campaign: Campaign) -> None:
    other = make_growing(players=2, organiser=campaign.league.organiser)
    assert other.warbands
    assert sum(line.startswith("Campaign rules") for line in words(read(campaign))) == 1


def test_a_ledger_takes_seven_queries_at_most(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    fought(campaign)
    ben = campaign.league.player("Ben")
    event = load_event(ben, campaign.league.token)
    assert event
    entry = load_entry(ben, event, campaign.league.entry("Ben").token)
    assert entry
    ledger.folds.entries.clear()
    with django_assert_max_num_queries(7):
        load_ledger_page(event, entry, unit="w1", number=1)
    assert Fixture.objects.count() == 1
