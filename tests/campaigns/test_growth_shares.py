"""How much a player may add to the log of a campaign, and what adds nothing to it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    take_back,
)
from campaigns.growth.operations.ledger import write_position
from campaigns.growth.operations.results import tell_objectives
from campaigns.growth.payloads import to_payload
from campaigns.models import CampaignWarband, EventLog, GrowthRow
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import report_result
from campaigns.queries.records import Outcome
from engine.errors import Refusal
from engine.growth import log as logs
from engine.growth.log import ACTS_MOST, TakeBack
from tests.battles.pages import browser_of
from tests.campaigns.growing import Campaign
from tests.campaigns.test_growth import by, fought

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


SEARCH = GivenAct("search", good="long-glass", seeker="w1", bearer="w1", faces=(1, 1))
"""Finds nothing and costs nothing."""


def reverse_often(campaign: Campaign, name: str, times: int) -> None:
    """So many rows of a player's warband, as somebody leaves them who acts and takes back."""
    event = campaign.league.fresh()
    warband = CampaignWarband.objects.get(token=campaign.warbands[name])
    payload = to_payload(TakeBack(warband.token, due="nothing"))
    start = event.growth_position
    rows = [
        GrowthRow(
            event=event,
            position=position,
            kind="take_back",
            warband=warband,
            payload=payload,
        )
        for position in range(start + 1, start + times + 1)
    ]
    GrowthRow.objects.bulk_create(rows)
    write_position(event, start + times)


def ben(campaign: Campaign, reason: str = "") -> ChangeRequest:
    return campaign.league.by("Ben", reason=reason)


def trade(campaign: Campaign, name: str = "Ben") -> str:
    entry = campaign.league.entry(name).token
    return reverse("warband-trade", args=[campaign.league.token, entry])


def test_a_warband_acts_and_reverses_so_often_between_two_games(campaign: Campaign) -> None:
    warband = campaign.warbands["Ben"]
    reverse_often(campaign, "Ben", ACTS_MOST - 2)
    number = take_act(ben(campaign), warband, SEARCH)
    take_act(ben(campaign), warband, SEARCH)
    before = GrowthRow.objects.count()
    with pytest.raises(Refusal, match="at most 300 times between two games") as refusal:
        take_act(ben(campaign), warband, SEARCH)
    assert refusal.value.field == "growth"
    bought = GivenAct("buy", bearer="stash", option="physick")
    with pytest.raises(Refusal, match="at most 300 times between two games"):
        take_act(ben(campaign), warband, bought)
    assert GrowthRow.objects.count() == before
    # The share is each warband's own, and organisers go on.
    take_act(campaign.league.by("Ada"), campaign.warbands["Ada"], SEARCH)
    take_back(
        by(campaign, campaign.league.organiser, reason="So."),
        warband,
        Withdrawal(act=number),
    )
    with pytest.raises(Refusal, match="at most 300"):
        take_act(ben(campaign), warband, SEARCH)
    # Another game begins it anew, and telling it once more does not.
    game = fought(campaign)
    reverse_often(campaign, "Ben", ACTS_MOST - 1)
    take_act(ben(campaign), warband, SEARCH)
    campaign.report(game, "Ben", fates={"Ben": []})
    with pytest.raises(Refusal, match="at most 300"):
        take_act(ben(campaign), warband, SEARCH)


def test_a_player_reverses_within_the_share(campaign: Campaign) -> None:
    warband = campaign.warbands["Ben"]
    bought = GivenAct("buy", bearer="stash", option="physick")
    first = take_act(ben(campaign), warband, bought)
    second = take_act(ben(campaign), warband, bought)
    reverse_often(campaign, "Ben", ACTS_MOST - 3)
    take_back(ben(campaign), warband, Withdrawal(act=first))
    with pytest.raises(Refusal, match="at most 300 times between two games"):
        take_back(ben(campaign), warband, Withdrawal(act=second))


def test_pages_tell_the_share_when_it_is_near_and_refuse_when_it_is_full(
    campaign: Campaign,
) -> None:
    client = browser_of(campaign.league.player("Ben"))
    sent = {"kind": "search", "good": "long-glass", "seeker": "w1", "bearer": "w1"}
    ledger = reverse(
        "warband-ledger", args=[campaign.league.token, campaign.league.entry("Ben").token]
    )
    reverse_often(campaign, "Ben", ACTS_MOST - 31)
    assert "left until the next game" not in client.get(trade(campaign)).content.decode()
    client.post(trade(campaign), {**sent, "faces": "1 1", "key": "a"})
    for address in (trade(campaign), ledger):
        text = client.get(address).content.decode()
        assert "30 of 300 purchases, sales and reversals are left" in text
    reverse_often(campaign, "Ben", 30)
    answer = client.post(trade(campaign), {**sent, "faces": "1 1", "key": "b"})
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "at most 300 times between two games" in text
    assert "All 300 purchases, sales and reversals until the next game are used" in text


def test_the_api_refuses_when_the_share_is_full(campaign: Campaign) -> None:
    warband = campaign.warbands["Ben"]
    client = browser_of(campaign.league.player("Ben"))
    body = {"kind": "search", "good": "long-glass", "seeker": "w1", "for": "w1"}
    address = reverse("api-growth-acts", args=[campaign.league.token, warband])
    reverse_often(campaign, "Ben", ACTS_MOST - 1)
    assert _post(client, address, {**body, "faces": [1, 1]}).status_code == 201
    answer = _post(client, address, {**body, "faces": [1, 1]})
    assert answer.status_code == 400
    assert "at most 300 times between two games" in answer.json()["detail"]
    # A preview says so too.
    assert _post(client, f"{address}?preview=1", body).status_code == 400


def _post(client: Client, address: str, body: Any) -> Any:
    return client.post(address, body, "application/json")


def test_the_last_rows_are_for_results_and_organisers(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = fought(campaign)
    warband = campaign.warbands["Ben"]
    monkeypatch.setattr(logs, "PLAYERS_ROWS_MAX", len(campaign.ledger.log.rows) + 1)
    take_act(ben(campaign), warband, SEARCH)
    with pytest.raises(Refusal, match="rest is for results and organisers"):
        take_act(ben(campaign), warband, SEARCH)
    with pytest.raises(Refusal, match="rest is for results and organisers"):
        answer_dues(ben(campaign), warband, [GivenAnswer(f"{game}/income")])
    client = browser_of(campaign.league.player("Ben"))
    answer = client.post(
        trade(campaign), {"kind": "buy", "bearer": "stash", "option": "physick"}
    )
    values = (answer.status_code, "rest is for results" in answer.content.decode())
    assert values == (422, True)
    take_act(campaign.asked, warband, SEARCH)
    before = campaign.ledger.position
    campaign.report(game, "Ben", fates={"Ben": []})
    assert campaign.ledger.position > before


def test_an_answer_without_news_writes_nothing(campaign: Campaign) -> None:
    game = fought(campaign)
    ada = campaign.league.by("Ada")
    warband = campaign.warbands["Ada"]
    adjust = GivenAct("adjust", who="w1", experience=4, reason="A lesson.")
    take_act(campaign.asked, warband, adjust)
    # The first row of its table leaves a choice, so the advance stays open.
    answer_dues(ada, warband, [GivenAnswer("advance/w1/1", faces=(1,))])
    before = GrowthRow.objects.count(), EventLog.objects.count()
    for again in (GivenAnswer("advance/w1/1"), GivenAnswer("advance/w1/1", faces=(1,))):
        assert answer_dues(ada, warband, [again]) == ["advance/w1/1"]
        assert (GrowthRow.objects.count(), EventLog.objects.count()) == before
    # An organiser's faces that wait, sent twice.
    waits = [GivenAnswer("advance/w2/1", faces=(2,))]
    answer_dues(campaign.asked, warband, waits)
    before = GrowthRow.objects.count(), EventLog.objects.count()
    answer_dues(campaign.asked, warband, waits)
    assert (GrowthRow.objects.count(), EventLog.objects.count()) == before
    # What says something new is written.
    answer_dues(ada, warband, [GivenAnswer("advance/w1/1", choice="WS")])
    assert GrowthRow.objects.count() == before[0] + 1
    assert game


def test_nothing_is_chosen_where_nothing_can_be(campaign: Campaign) -> None:
    """A leader is gone and nobody may follow: any text as a choice would add a row each time."""
    game = campaign.game("Ada", "Ben")
    fates = [{"who": "w1"}, {"who": "w2"}, *({"who": f"w3#{n}"} for n in range(1, 6))]
    fates += [{"who": f"w4#{n}"} for n in range(1, 5)]
    campaign.report(game, "Ada", fates={"Ben": fates, "Ada": []})
    warband = campaign.warbands["Ben"]
    faces = {"w1": (1, 1), "w2": (1, 1)}
    given = [
        GivenAnswer(f"{game}/injury/{one['who']}", faces=faces.get(one["who"], (1,)))
        for one in fates
    ]
    answer_dues(campaign.asked, warband, given)
    due = campaign.ledger.state.find_due(warband, "succession/w1")
    assert due
    assert not due.choices
    with pytest.raises(Refusal, match="Nothing can be chosen now") as refusal:
        answer_dues(ben(campaign), warband, [GivenAnswer("succession/w1", choice="w9")])
    assert refusal.value.field == "answers[0].choice"


def test_players_tell_a_result_so_often(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "RESULTS_MOST", 4)
    ada, entry = campaign.league.by("Ada", reason="So."), campaign.league.entry("Ben").token
    won = Outcome(how="rout", winner=entry)
    game = campaign.game("Ada", "Ben")
    report_result(ben(campaign), game, Outcome(how="drawn"))

    def retell(request: ChangeRequest, loot: int) -> None:
        tell_objectives(request, game, Outcome(objectives={entry: {"loot": loot}}))

    for loot in (1, 2, 1):
        retell(ben(campaign), loot)
    before = campaign.ledger.position
    with pytest.raises(Refusal, match="told 4 times"):
        retell(ben(campaign), 2)
    with pytest.raises(Refusal, match="told 4 times"):
        report_result(ada, game, won)
    assert campaign.ledger.position == before
    retell(campaign.asked, 2)
    # The last rows are for the first report of each game.
    monkeypatch.setattr(logs, "PLAYERS_ROWS_MAX", campaign.ledger.position)
    game = campaign.game("Ada", "Ben")
    report_result(ben(campaign), game, Outcome(how="drawn"))
    with pytest.raises(Refusal, match="rest is for results and organisers"):
        report_result(ada, game, won)
