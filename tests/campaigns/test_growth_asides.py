"""What corrections, disputes and purchases set aside, and who is told of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.errors import NotAllowed, WrongState
from battles.access import BattleCall
from battles.models import Battle, ResultVerb
from battles.operations.results import take_step
from battles.result_rules import Claim
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.growth.queries import ledger
from campaigns.growth.queries.ledger_pages import load_ledger_page
from campaigns.models import Fixture, FixtureStatus, GrowthRow
from campaigns.operations.fixtures import FixtureDraft, add_fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import accept_result, report_result
from campaigns.operations.rounds import publish_round
from campaigns.queries.events import load_entry, load_event
from campaigns.queries.records import Outcome
from engine.errors import Refusal
from engine.growth.differences import difference
from engine.growth.state import WarbandGrowth
from engine.records import Fields
from notices.models import Notice
from rulesdata.campaign_documents import packed_rules
from tests.battles.steps import dispute_result
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
    assert not campaign.ledger.state.superseded_acts
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


def read(campaign: Campaign, unit: str = "", number: int | None = None) -> Fields:
    ben = campaign.league.player("Ben")
    event = load_event(ben, campaign.league.token)
    assert event
    entry = load_entry(ben, event, campaign.league.entry("Ben").token)
    assert entry
    return load_ledger_page(event, entry, unit=unit, number=number)


def words(page: Fields) -> list[str]:
    return [line.text for line in page["lines"].rows]


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
    assert read(campaign)["rounds"] == [1, 2]
    assert len(one) + len(two) + 2 == len(whole)  # and the rules, and the founding
    values = [line.partition(":")[0] for line in two]
    assert values == ["Bought Physick's bag for Otto, 12 crowns", "Game against Ada"]
    assert sum(line.startswith("Game against Ada") for line in one) == 2
    ilse = words(read(campaign, "w2"))
    assert len(ilse) == 4  # two reports of the first game, the injury, and the second game
    assert words(read(campaign, "w2", 2)) == ["Game against Ada: won"]
    assert words(read(campaign, "w99")) == []
    assert ("w2", "Ilse") in read(campaign)["units"]


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


# A result counts in its campaign before the other side has confirmed it, and not while di


def rows() -> int:
    return GrowthRow.objects.filter(kind="result").count()


def status(fixture: str) -> str:
    return Fixture.objects.get(token=fixture).status


def step(campaign: Campaign, name: str, verb: ResultVerb, claim: Claim) -> None:
    call = BattleCall(campaign.league.player(name), Battle.objects.get().token)
    take_step(call, verb, claim)


def test_a_reported_result_counts_at_once_and_a_disputed_one_not(
    campaign: Campaign,
) -> None:
    league, fixture = campaign.league, campaign.game("Ada", "Ben")
    before = campaign.ledger.state
    asked = league.by("Ada")
    report_result(asked, fixture, Outcome(how="rout", winner=league.entry("Ada").token))
    assert status(fixture) == FixtureStatus.WAITING
    told = campaign.ledger.state
    assert difference(before, told)
    due = GivenAnswer(f"{fixture}/income", (4,))
    answer_dues(league.by("Ben"), campaign.warbands["Ben"], [due])
    answered, written = campaign.ledger.state, rows()
    # A dispute skips the battle and keeps its dice; what is agreed then counts them again.
    step(campaign, "Ben", ResultVerb.DISPUTE, Claim(reason="We drew."))
    assert status(fixture) == FixtureStatus.DISPUTED
    assert campaign.ledger.state.superseded == ((campaign.warbands["Ben"], due.due),)
    assert not campaign.ledger.state.open
    check_stored(campaign)
    step(campaign, "Ada", ResultVerb.CORRECT, Claim("a", "rout", "We looked again."))
    assert rows() == written + 2
    assert not difference(answered, campaign.ledger.state)
    step(campaign, "Ben", ResultVerb.CONFIRM, Claim())
    assert status(fixture) == FixtureStatus.FINAL
    # The confirmation changes nothing here.
    assert rows() == written + 2
    check_stored(campaign)


# What players are told of their growing warbands


CAPTIVE = (5, 6)


def asked_by(campaign: Campaign, name: str, reason: str = "") -> ChangeRequest:
    return campaign.league.by(name, reason=reason)


def told(campaign: Campaign, name: str, kind: str) -> list[str]:
    """The notices of a kind that a player got, the first first, without the event's name."""
    user = campaign.league.player(name).user_id
    rows = Notice.objects.filter(user=user, kind=kind).order_by("pk")
    head = f"{campaign.league.event.name}: "
    return [one.removeprefix(head) for one in rows.values_list("words", flat=True)]


def test_a_first_result_tells_each_player_what_is_open(campaign: Campaign) -> None:
    fought(campaign)
    assert told(campaign, "Ben", "growth_dues") == [
        "after your game against Ada, your warband has rolls or choices open: 2 × Injury, Income."
    ]
    assert len(told(campaign, "Ada", "growth_dues")) == 1
    assert not Notice.objects.filter(kind="growth_changed").exists()


def test_whoever_is_held_and_whoever_is_ransomed_is_told(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", CAPTIVE)])
    assert told(campaign, "Ben", "growth_captive") == [
        "Ilse is held by Ada. Pay 28 crowns or refuse."
    ]
    assert told(campaign, "Ada", "growth_captive") == [
        "you hold a captive of Ben, who pays a ransom or refuses."
    ]
    row = Notice.objects.get(kind="growth_captive", words__contains="Ilse")
    assert row.path.endswith(f"{fixture}/after/")
    ransom = GivenAnswer(f"ransom/{fixture}/w2", choice="pay")
    crowns = campaign.ledger.state.warbands[band].treasury["crowns"]
    fine = GivenAct("adjust", currency="crowns", amount=27 - crowns, reason="A fine.")
    act = take_act(campaign.asked, band, fine)
    with pytest.raises(Refusal, match="It costs 28 crowns, and the treasury has 27"):
        answer_dues(asked_by(campaign, "Ben"), band, [ransom])
    take_back(replace(campaign.asked, reason="Enough."), band, Withdrawal(act=act))
    answer_dues(asked_by(campaign, "Ben"), band, [ransom])
    assert told(campaign, "Ada", "growth_ransom") == [
        "Ben ransomed your captive. You get 28 crowns."
    ]
    assert not told(campaign, "Ben", "growth_ransom")


def test_a_named_price_and_a_release_are_told(campaign: Campaign) -> None:
    named = {"captives": {"ransom": {"named": True}}}
    asked = replace(campaign.asked, reason="Agreed.")
    set_growth_rules(asked, RulesDraft(changes=named, since="start"))
    fixture, ada = fought(campaign), campaign.warbands["Ada"]
    injury = GivenAnswer(f"{fixture}/injury/w2", CAPTIVE)
    answer_dues(campaign.asked, campaign.warbands["Ben"], [injury])
    assert told(campaign, "Ada", "growth_captive")[0].endswith("or set the captive free.")
    # Another act tells nothing again.
    for amount in (40, 40, 0):
        act = GivenAct("captive", source=campaign.warbands["Ben"], who="w2", amount=amount)
        take_act(asked_by(campaign, "Ada"), ada, act)
    assert told(campaign, "Ben", "growth_captive")[1:] == [
        "Ilse is held by Ada. Pay 40 crowns or refuse."
    ]
    assert told(campaign, "Ben", "growth_ransom") == ["Ada set Ilse free."]
    assert not told(campaign, "Ada", "growth_ransom")


def test_a_refusal_is_told_with_what_it_pays(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", CAPTIVE)])
    ransom = GivenAnswer(f"ransom/{fixture}/w2", choice="refuse")
    answer_dues(asked_by(campaign, "Ben"), band, [ransom])
    assert told(campaign, "Ada", "growth_ransom") == [
        "Ben refused to ransom your captive, who is gone. You get 10 crowns."
    ]
    # What is answered after it ends no captivity once more.
    roll_dues(campaign.asked, band)
    assert len(told(campaign, "Ada", "growth_ransom")) == 1


def test_other_rules_are_told_by_their_name(campaign: Campaign) -> None:
    fought(campaign)
    asked = replace(campaign.asked, reason="Winning pays more.")
    document = packed_rules()["muster-campaign"].document
    income = [dict(one) for one in document["income"]]
    income[0] |= {"won": income[0]["won"] + 5}
    set_growth_rules(asked, RulesDraft(changes={"income": income}, since="start"))
    [words] = told(campaign, "Ada", "growth_changed")
    assert words.startswith("other campaign rules changed your warband: crowns ")


def test_a_correction_tells_what_it_changed(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (1, 1))])
    campaign.report(fixture, "Ada", fates={"Ben": []})
    [words] = told(campaign, "Ben", "growth_changed")
    head = "the result of Ada against Ben was corrected, which changed your warband: "
    assert words.startswith(head)
    assert "Ilse: models 0 → 1; experience 0 → 1; back in the warband" in words
    assert "no longer called for: Injury" in words


def test_a_correction_is_told_once(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (1, 1))])
    campaign.report(fixture, "Ada", fates={"Ben": []})
    assert len(told(campaign, "Ben", "growth_changed")) == 1
    own = [GivenAnswer(f"{fixture}/income", (3,))]
    answer_dues(asked_by(campaign, "Ada"), campaign.warbands["Ada"], own)
    assert len(told(campaign, "Ben", "growth_changed")) == 1


def test_a_result_that_is_disputed_and_accepted_says_so(campaign: Campaign) -> None:
    fixture = campaign.game("Ada", "Ben")
    won = Outcome(how="rout", winner=campaign.league.entry("Ada").token)
    report_result(asked_by(campaign, "Ada"), fixture, won)
    battle, ben = Battle.objects.get().token, campaign.league.player("Ben")
    dispute_result(ben, battle, reason="No.", winner=None, how="drawn")
    accept_result(campaign.asked, fixture)
    heads = [
        words.partition(", which changed your warband: crowns ")[0]
        for words in told(campaign, "Ada", "growth_changed")
    ]
    assert heads == [
        "the result of Ada against Ben does not count now",
        "the result of Ada against Ben counts again",
    ]
    user = campaign.league.player("Ada").user_id
    disputed = Notice.objects.get(user=user, kind="result_dispute").words
    assert disputed.endswith(
        "Ben disputed the result. No. Ben says: draw. It does not count until both players "
        "agree or an organiser decides."
    )


def test_who_made_the_change_is_not_told(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    dead = GivenAnswer(f"{fixture}/injury/w2", (1, 1))
    answer_dues(asked_by(campaign, "Ben"), band, [dead])
    take_back(asked_by(campaign, "Ben"), band, Withdrawal(due=dead.due))
    assert not told(campaign, "Ben", "growth_changed")


def test_what_organisers_do_for_a_player_is_told(campaign: Campaign) -> None:
    band = campaign.warbands["Ben"]
    fine = GivenAct("adjust", currency="crowns", amount=-5, reason="A fine.")
    number = take_act(campaign.asked, band, fine)
    take_back(replace(campaign.asked, reason="Not so."), band, Withdrawal(act=number))
    assert told(campaign, "Ben", "growth_changed") == [
        "an organiser changed your warband: crowns 76 → 71. Reason: A fine.",
        "a correction changed your warband: crowns 71 → 76. Reason: Not so.",
    ]
    # What anybody may roll for a player is no change of the past.
    fought(campaign)
    roll_dues(campaign.asked, band)
    assert len(told(campaign, "Ben", "growth_changed")) == 2
    assert not told(campaign, "Ada", "growth_changed")


def test_casualties_and_winner_corrected_at_once_are_one_notice(campaign: Campaign) -> None:
    fixture, band = fought(campaign), campaign.warbands["Ben"]
    answer_dues(campaign.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (1, 1))])
    campaign.report(fixture, "Ben", fates={"Ben": []})
    [words] = told(campaign, "Ben", "growth_changed")
    assert "crowns 88 → 89; renown 1 → 3" in words
    assert "Ilse: models 0 → 1" in words


def test_a_long_change_is_counted() -> None:
    campaign = make_growing(players=2, singles=14)
    fixture, band = campaign.game("Ada", "Ben"), campaign.warbands["Ben"]
    out = [{"who": f"w{number}", "by": None} for number in range(2, 16)]
    campaign.report(fixture, "Ada", fates={"Ben": out})
    dead = [GivenAnswer(f"{fixture}/injury/{one['who']}", (1,)) for one in out]
    answer_dues(campaign.asked, band, dead)
    campaign.report(fixture, "Ada", fates={"Ben": []})
    [words] = told(campaign, "Ben", "growth_changed")
    assert words.endswith("; 11 more.")
