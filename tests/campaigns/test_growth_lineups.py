"""Who fights for a campaign's warbands: who chooses it, and what is unusual about it."""

import re

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.errors import NotAllowed
from accounts.operations.people import close_account
from battles.access import BattleCall
from battles.models import BattleCombatant
from battles.operations.log import append_events
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import GivenAnswer, answer_dues
from campaigns.growth.operations.results import EVERYBODY, FieldChoice
from campaigns.growth.queries import ledger
from campaigns.growth.queries.aftermaths import load_after_page
from campaigns.growth.queries.lineups import (
    load_fielded_battle,
    load_fielded_sides,
    load_lineup_page,
)
from campaigns.growth.queries.reports import load_growth
from campaigns.growth.queries.results import load_experience
from campaigns.models import ClubEvent, Fixture, Round
from campaigns.operations.results import field_fixture, report_result
from campaigns.queries.records import Outcome
from tests.campaigns.growing import Campaign
from tests.campaigns.test_growth import fought
from tests.campaigns.visitors import Visitor
from tests.factories import make_event

pytestmark = pytest.mark.django_db
LAID_UP, KILLED = (2, 4), (1, 1)


def test_who_fights_with_an_open_injury_or_though_he_should_not_is_told(campaign):
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
    assert [one["message"] for one in told["Ben"]["findings"]] == [
        "Ilse should miss this game.",
        "Swordsmen has an injury that is not rolled yet. Roll it before the game.",
    ]
    # Before lists are shown, what names units is for their own player.
    assert not told["Ada"]["findings"]
    hers, his = told["Ada"]["sides"]
    assert {one["name"] for one in hers["combatants"]} >= {"Otto", "Ilse"}
    assert {one["who"] for one in his["combatants"]} == {None}
    assert his["combatants"][0]["name"] == "Model 1"


def test_who_is_dead_by_a_correction_since_the_lock_is_told_before_the_result(campaign):
    first, band = fought(campaign), campaign.warbands["Ben"]
    second = campaign.game("Ada", "Ben")
    field_fixture(campaign.asked, second, EVERYBODY)
    answer_dues(campaign.asked, band, [GivenAnswer(f"{first}/injury/w2", KILLED)])
    report = load_growth(campaign.league.organiser, campaign.league.token)
    (dead, undecided) = load_fielded_battle(report, second)["findings"]
    words = (
        "Ilse left the warband after the battle was locked, and earns nothing. "
        "Play without Ilse."
    )
    assert (dead["code"], dead["level"]) == ("growth_gone_fielded", "error")
    assert (dead["warrior"], dead["message"]) == ("w2", words)
    assert undecided["code"] == "growth_undecided_fielded"
    # On pages everybody reads it of the own side; an organiser of both.
    token = campaign.league.token
    told = {}
    for name in ("Ada", "Ben"):
        page = load_lineup_page(campaign.league.player(name), token, second)
        assert page
        told[name] = [one["code"] for one in page.issues]
    assert told == {"Ada": [], "Ben": ["growth_gone_fielded", "growth_undecided_fielded"]}
    ben = Visitor(campaign, campaign.league.player("Ben"))
    assert words in ben.get("fixture-field", second)
    assert ben.url("fixture-field", second) in ben.get("fixture-read", second)
    # With a result the page after the battle tells it.
    campaign.report(second, "Ben", fates={"Ben": []})
    page = load_lineup_page(campaign.league.organiser, token, second)
    assert page
    assert not page.issues


def test_the_points_of_who_fights_are_held_against_the_limit_of_the_round(campaign):
    fixture = campaign.game("Ada", "Ben")
    ben, token = campaign.league.player("Ben"), campaign.league.token
    told = []
    for limit in (None, 174, 173):
        ClubEvent.objects.update(points_limit=limit)
        page = load_lineup_page(ben, token, fixture)
        assert page
        (side,) = page.sides
        told.append((page.limit, side.points, side.is_over))
    assert told == [(None, 174, False), (174, 174, False), (173, 174, True)]
    assert "174 of 173 points fielded" in Visitor(campaign, ben).get(
        "fixture-field", fixture
    )
    field_fixture(campaign.asked, fixture, EVERYBODY)
    found = {}
    for limit in (174, 173):
        Round.objects.update(points_limit=limit)
        page = load_lineup_page(ben, token, fixture)
        assert page
        found[limit] = [one["message"] for one in page.issues]
    words = "Ben fields 174 points. The limit of this round is 173."
    assert found == {174: [], 173: [words]}


def test_the_page_of_who_fights_takes_twelve_queries_at_most(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    fixture = campaign.game("Ada", "Ben")
    field_fixture(campaign.asked, fixture, EVERYBODY)
    organiser, token = campaign.league.organiser, campaign.league.token
    ledger.folds.entries.clear()
    with django_assert_max_num_queries(12):
        assert load_lineup_page(organiser, token, fixture)


def test_a_player_chooses_who_fights_of_the_own_side_alone(campaign: Campaign) -> None:
    fixture, ben = campaign.game("Ada", "Ben"), campaign.league.entry("Ben").token
    asked = campaign.league.by("Ada")
    choice = FieldChoice(absent={ben: ("w2", "w3", "w4")})
    with pytest.raises(NotAllowed):
        field_fixture(asked, fixture, choice)
    hers = campaign.league.entry("Ada").token
    field_fixture(asked, fixture, FieldChoice(absent={hers: ("w2",)}))


def test_who_fought_and_was_dead_by_then_is_told_after_the_battle(campaign):
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
    assert told[first] == [[], []]
    assert told[second] == [
        ["Ilse fought, but is not in the warband by then: earns nothing."],
        [],
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
        assert not re.search(r"\bBen\b", page)
        assert "Former player 1" in page
    # A correction still knows who fought, and an organiser answers for who is left.
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", KILLED)])
    outcome = Outcome(how="drawn", winner="")
    asked = campaign.league.ask(reason="So.")
    report_result(asked, fixture, outcome)
    state = campaign.ledger.state
    assert [sorted(one.ratings) for one in state.battles] == [
        sorted(campaign.warbands.values())
    ]
    assert state.warbands[band].warriors["w2"].gone


def test_the_page_that_reports_a_result_tells_the_experience_so_far(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    fixture = campaign.game("Ada", "Ben")
    token = field_fixture(campaign.asked, fixture, EVERYBODY)
    ada, ben = (campaign.league.player(name) for name in ("Ada", "Ben"))
    hers = BattleCombatant.objects.filter(battle__token=token, side__key="a")
    otto = hers.get(name="Otto").key
    # Otto puts two of Ben's models out, and one of Ben's own men a third.
    for seq, (key, by) in enumerate((("b2", otto), ("b3", otto), ("b4", "b1")), start=1):
        out = make_event("state", seq=seq, combatant=key, to="out_of_action", by=by)
        append_events(BattleCall(ada, token), [out])
    with django_assert_max_num_queries(12):
        told = load_experience(ada, token)
    assert dict(told[: len(told) // 2]) == {
        "Otto": "Came back from the battle +1, Put an enemy out of action +2",
        "Ilse": "Came back from the battle +1",
        "Swordsmen": "Came back from the battle +1",
        "Crossbowmen": "Came back from the battle +1",
    }
    page = Visitor(campaign, ada).client.get(
        reverse("battle-result", args=[token, "propose"])
    )
    assert "Experience so far" in page.content.decode()
    # A roster that is secret is not told; outside of growing campaigns nothing is.
    ClubEvent.objects.update(is_secret=True, needs_list=True)
    assert load_experience(ben, token) == told[len(told) // 2 :]
    ClubEvent.objects.update(growth_position=0)
    assert load_experience(ada, token) == ()


def test_points_before_a_battle_is_locked_are_those_that_it_locks(campaign):
    ada, asked = campaign.warbands["Ada"], campaign.asked
    # What the campaign sells is paid in the campaign; no army list counts it in a battle.
    take_act(asked, ada, GivenAct(kind="buy", bearer="w1", option="physick"))
    hired = GivenAct(kind="recruit", profile="pikeman", hired=True, name="Piet")
    take_act(asked, ada, hired)
    fixture = campaign.game("Ada", "Ben")
    page = load_lineup_page(campaign.league.organiser, campaign.league.token, fixture)
    assert page
    drawn = {side.name: side.points for side in page.sides}
    field_fixture(asked, fixture, EVERYBODY)
    battle = Fixture.objects.select_related("battle").get(token=fixture).battle
    assert battle
    locked = load_fielded_sides(battle).values()
    assert {side.row.entry.name: side.points for side in locked} == drawn
    assert drawn["Ada"] == drawn["Ben"] + 18
