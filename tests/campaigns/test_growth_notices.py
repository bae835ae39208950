"""What players are told of their growing warbands: open rolls, captives, ransoms, corrections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from battles.models import Battle
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import accept_result, report_result
from campaigns.queries.records import Outcome
from notices.models import Notice
from rulesdata.campaign_documents import packed_rules
from tests.battles.steps import dispute_result
from tests.campaigns.growing import Campaign, make_growing
from tests.campaigns.test_growth import fought

pytestmark = pytest.mark.django_db
CAPTIVE = (5, 6)


def asked_by(campaign: Campaign, name: str, reason: str = "") -> ChangeRequest:
    """What a player asks of the campaign."""
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
    answer_dues(asked_by(campaign, "Ben"), band, [ransom])
    assert told(campaign, "Ada", "growth_ransom") == [
        "Ben ransomed your captive. You get 28 crowns."
    ]
    assert not told(campaign, "Ben", "growth_ransom")


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
    take_act(campaign.asked, band, fine)
    assert told(campaign, "Ben", "growth_changed") == [
        "an organiser changed your warband: crowns 76 → 71. Reason: A fine."
    ]
    # What anybody may roll for a player is no change of the past.
    fought(campaign)
    roll_dues(campaign.asked, band)
    assert len(told(campaign, "Ben", "growth_changed")) == 1
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
