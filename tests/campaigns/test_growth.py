"""Campaigns in which warbands grow: what is stored, who may do what, and what is refused."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command

from accounts.errors import NotAllowed, NotFound, WrongState
from accounts.owner import Owner
from battles.access import BattleCall
from battles.models import ResultVerb
from battles.operations.results import take_step
from battles.result_rules import Claim
from campaigns.growth.operations import answers as answering
from campaigns.growth.operations.acts import GivenAct, preview_act, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    take_back,
)
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.growth.queries.reports import load_growth
from campaigns.models import CampaignWarband, EventLog, Fixture, GrowthRow
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import preview_result
from campaigns.queries.records import Outcome
from engine.errors import Refusal
from engine.growth.differences import difference
from engine.growth.dues import Due
from tests.campaigns.growing import RULES, Campaign, make_growing
from tests.campaigns.leagues import League
from warbands.models import Warrior

pytestmark = pytest.mark.django_db


def by(campaign: Campaign, who: Owner, key: str = "", reason: str = "") -> ChangeRequest:
    return ChangeRequest(who, campaign.league.token, reason=reason, key=key)


def fought(campaign: Campaign) -> str:
    """Ada beats Ben, whose first swordsman and engineer were put out."""
    fixture = campaign.game("Ada", "Ben")
    ada = campaign.league.entry("Ada").token
    fates: list[dict[str, Any]] = [
        {"who": "w3#1", "by": f"{ada}/w1"},
        {"who": "w2", "by": None},
    ]
    campaign.report(fixture, "Ada", fates={"Ben": fates, "Ada": []})
    return fixture


def check_stored(campaign: Campaign) -> None:
    """What is stored is what the fold says, and every coin came from somewhere."""
    state = campaign.ledger.state
    rows = CampaignWarband.objects.filter(entry__event=campaign.league.event)
    assert rows.count() == len(state.warbands)
    for row in rows.select_related("warband"):
        grown = state.warbands[row.token]
        assert (row.state, row.rating) == (grown.to_json(), grown.rating)
        counts = {one.pk: one.count for one in Warrior.objects.filter(warband=row.warband)}
        alive = [one for one in grown.warriors.values() if not one.gone]
        assert counts == {row.rows[one.key]: one.count for one in alive}
    moved: Counter[tuple[str, str]] = Counter()
    for move in state.moves:
        moved[move.warband, move.currency] += move.amount
    for token, grown in state.warbands.items():
        for currency, amount in grown.treasury.items():
            assert moved[token, currency] == amount


def dues_of(campaign: Campaign, name: str) -> dict[str, Due]:
    token = campaign.warbands[name]
    owed = (one for one in campaign.ledger.state.open if one.warband == token)
    return {one.key.partition("/")[2]: one for one in owed}


def list_paths(error: Refusal) -> list[str]:
    return [one.path for one in getattr(error, "faults", ())]


def test_a_result_is_a_row_and_a_correction_another_of_the_same_slot(campaign):
    fixture = fought(campaign)
    rows = GrowthRow.objects.filter(kind="result")
    assert rows.count() == 1
    assert set(dues_of(campaign, "Ben")) == {"injury/w2", "injury/w3#1", "income"}
    assert set(dues_of(campaign, "Ada")) == {"claim", "income"}
    check_stored(campaign)
    campaign.report(fixture, "Ben", fates={"Ben": [{"who": "w2", "by": None}]})
    # Its events and its result are told one after the other.
    assert rows.count() == 3
    assert set(rows.values_list("fixture__token", flat=True)) == {fixture}
    assert set(dues_of(campaign, "Ben")) == {"injury/w2", "income", "claim"}
    check_stored(campaign)


def test_void_and_restore_bring_back_the_state_with_its_dice(campaign: Campaign) -> None:
    fixture = fought(campaign)
    ben = campaign.warbands["Ben"]
    keys = (f"{fixture}/income", f"{fixture}/injury/w3#1")
    given = [GivenAnswer(keys[0], (4,)), GivenAnswer(keys[1], (1,))]
    answer_dues(campaign.asked, ben, given)
    before = campaign.ledger.state
    assert before.warbands[ben].warriors["w3"].count == 4
    row = Fixture.objects.select_related("battle").get(token=fixture)
    assert row.battle
    call = BattleCall(campaign.league.organiser, row.battle.token)
    take_step(call, ResultVerb.VOID, Claim(reason="Never fought."))
    assert campaign.ledger.state.warbands[ben].warriors["w3"].count == 5
    assert len(campaign.ledger.state.superseded) == 2
    check_stored(campaign)
    take_step(call, ResultVerb.RESTORE, Claim(reason="It was."))
    assert not difference(before, campaign.ledger.state)
    check_stored(campaign)


def test_a_due_is_thrown_once_and_keeps_its_faces(campaign: Campaign) -> None:
    fixture, ben = fought(campaign), campaign.league.player("Ben")
    band, due = campaign.warbands["Ben"], f"{fixture}/income"
    answer_dues(by(campaign, ben), band, [GivenAnswer(due)])
    faces = campaign.ledger.answers[band, due].faces
    assert len(faces) == 1
    with pytest.raises(WrongState):
        answer_dues(by(campaign, ben), band, [GivenAnswer(due)])
    take_back(by(campaign, ben), band, Withdrawal(due=due))
    assert "income" in dues_of(campaign, "Ben")
    other = tuple(7 - face for face in faces)
    with pytest.raises(WrongState):
        answer_dues(by(campaign, ben), band, [GivenAnswer(due, other)])
    answer_dues(by(campaign, ben), band, [GivenAnswer(due)])
    assert campaign.ledger.answers[band, due].faces == faces
    check_stored(campaign)


def test_a_request_key_throws_once(campaign: Campaign) -> None:
    fixture, ben = fought(campaign), campaign.league.player("Ben")
    band, given = campaign.warbands["Ben"], [GivenAnswer(f"{fixture}/income")]
    for _ in range(2):
        answer_dues(by(campaign, ben, key="one"), band, given)
    assert GrowthRow.objects.filter(kind="answer").count() == 1


@pytest.mark.parametrize("given, field", [
    (GivenAnswer("income", (7,)), "answers[0].faces"),
    (GivenAnswer("income", (1, 2)), "answers[0].faces"),
    (GivenAnswer("income", (1, 2, 3, 4, 5)), "answers[0].faces"),
    (GivenAnswer("income", (0,)), "answers[0].faces"),
    (GivenAnswer("income", row=2), "answers[0].row"),
    (GivenAnswer("x" * 121), "answers[0].due"),
    (GivenAnswer("income", (3,), "x" * 61), "answers[0].choice"),
])  # fmt: skip
def test_an_answer_that_cannot_be_names_its_field(campaign, given, field):
    fixture, ben = fought(campaign), campaign.league.player("Ben")
    due = f"{fixture}/income" if given.due == "income" else given.due
    asked = [replace(given, due=due)]
    with pytest.raises(Refusal) as error:
        answer_dues(by(campaign, ben), campaign.warbands["Ben"], asked)
    assert error.value.field == field
    assert not GrowthRow.objects.filter(kind="answer").exists()


def test_answers_are_the_players_and_the_organisers(campaign: Campaign) -> None:
    fixture = fought(campaign)
    band, given = campaign.warbands["Ben"], [GivenAnswer(f"{fixture}/income", (3,))]
    with pytest.raises(NotAllowed):
        answer_dues(campaign.league.by("Ada"), band, given)
    unasked = [GivenAnswer("advance/w1/1", (3,))]
    with pytest.raises(WrongState):
        answer_dues(campaign.league.by("Ben"), band, unasked)
    answer_dues(campaign.asked, band, unasked)
    assert campaign.ledger.state.answers[band, "advance/w1/1"] == "waits"
    answer_dues(campaign.asked, band, given)
    with pytest.raises(WrongState):
        answer_dues(campaign.asked, band, given)
    ruling = GivenAnswer(f"{fixture}/injury/w3#1", row=1, reason="It fell off the table.")
    answer_dues(campaign.asked, band, [ruling])
    assert campaign.ledger.state.warbands[band].warriors["w3"].count == 4


def test_all_answers_count_or_none(campaign: Campaign) -> None:
    fixture, ben = fought(campaign), campaign.league.player("Ben")
    given = [GivenAnswer(f"{fixture}/income", (3,)), GivenAnswer("advance/w1/1", (3,))]
    with pytest.raises(WrongState):
        answer_dues(by(campaign, ben), campaign.warbands["Ben"], given)
    with pytest.raises(Refusal):
        answer_dues(by(campaign, ben), campaign.warbands["Ben"], given[:1] * 2)
    assert not GrowthRow.objects.filter(kind="answer").exists()


def test_an_answer_may_open_the_next_in_one_call(campaign: Campaign) -> None:
    fixture, ben = fought(campaign), campaign.league.player("Ben")
    due = f"{fixture}/injury/w2"
    given = [GivenAnswer(f"{due}/lasting", (2,)), GivenAnswer(due, (1, 4))]
    answer_dues(by(campaign, ben), campaign.warbands["Ben"], given)
    state = campaign.ledger.state.warbands[campaign.warbands["Ben"]]
    assert state.stats["w2"] == {"WS": 2}


def test_acts_are_paid_at_the_price_of_then(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], campaign.league.player("Ada")
    done = take_act(by(campaign, ada), band, GivenAct("recruit", into="w3", count=2))
    shield = GivenAct("buy", bearer="w1", option="light-armour")
    take_act(by(campaign, ada), band, shield)
    row = GrowthRow.objects.get(act=done)
    assert row.payload["paid"] == 14
    take_back(by(campaign, ada), band, Withdrawal(act=done))
    state = campaign.ledger.state.warbands[band]
    assert state.warriors["w3"].count == 5
    recruit = GivenAct("recruit", profile="halberdiers", name="New", count=2)
    take_act(by(campaign, ada), band, recruit)
    assert "w5" in campaign.ledger.state.warbands[band].warriors
    check_stored(campaign)


@pytest.mark.parametrize("act, field", [
    (GivenAct("dance"), "kind"),
    (GivenAct("recruit", into="w9"), "into"),
    (GivenAct("recruit", into="w1"), "into"),
    (GivenAct("recruit", profile="captain", count=2), "kind"),
    (GivenAct("recruit", profile="nobody"), "profile"),
    (GivenAct("recruit", profile="halberdiers", count=0), "count"),
    (GivenAct("recruit", profile="nobody", hired=True), "profile"),
    (GivenAct("buy", bearer="w9", option="shield"), "for"),
    (GivenAct("buy", bearer="w1", option="moon"), "option"),
    (GivenAct("buy", bearer="w1", option="long-glass"), "option"),
    (GivenAct("buy", bearer="stash", option="shield"), "option"),
    (GivenAct("search", good="moon", seeker="w1", bearer="w1"), "good"),
    (GivenAct("search", good="physick", seeker="w1", bearer="w1"), "good"),
    (GivenAct("search", good="long-glass", seeker="w3", bearer="w1"), "seeker"),
    (GivenAct("sell", source="w1", item="moon"), "item"),
    (GivenAct("give", source="w1", item="shield", target="w3"), "to"),
    (GivenAct("give", source="w1", item="shield", target="w9"), "to"),
    (GivenAct("give", source="w1", item="moon", target="stash"), "item"),
    (GivenAct("dismiss", who="w3", count=9), "who"),
    (GivenAct("disband"), "reason"),
])  # fmt: skip
def test_an_act_that_cannot_be_names_its_field(campaign, act, field):
    ada, band = campaign.league.player("Ada"), campaign.warbands["Ada"]
    with pytest.raises(Refusal) as error:
        take_act(by(campaign, ada), band, act)
    assert error.value.field == field
    assert not GrowthRow.objects.filter(kind="act").exists()


@pytest.mark.parametrize(
    "item, owner, other",
    [("rope", "w1", "w2"), ("bell", "w2", "w1"), ("light-armour", "w1", "w2")],
)
def test_a_piece_is_given_to_whoever_could_buy_it(item, owner, other):
    """Of the rules' goods by kind, of the army list by the options of the unit."""
    campaign = make_growing(players=1, singles=1)
    band = campaign.warbands["Ada"]
    goods = [
        {"id": "rope", "name": "Rope", "price": 1, "kinds": ["hero"]},
        {"id": "bell", "name": "Bell", "price": 1, "kinds": ["soldier"]},
    ]
    rules = RulesDraft(changes={"trade": {"goods": goods}}, since="start")
    set_growth_rules(replace(campaign.asked, reason="Goods."), rules)

    def act(kind: str, **order: str) -> None:
        take_act(campaign.asked, band, GivenAct(kind, **order))

    with pytest.raises(Refusal):
        act("buy", option=item, bearer=other)
    act("buy", option=item, bearer=owner)
    with pytest.raises(Refusal) as error:
        act("give", item=item, source=owner, target=other)
    assert error.value.field == "to"
    act("give", item=item, source=owner, target="stash")
    with pytest.raises(Refusal) as error:
        act("give", item=item, source="stash", target=other)
    assert error.value.field == "to"
    act("give", item=item, source="stash", target=owner)
    grown = campaign.ledger.state.warbands[band]
    assert not grown.stash
    assert item in {piece.id for piece in grown.warriors[owner].loose}


def test_organisers_alone_adjust(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], campaign.league.player("Ada")
    act = GivenAct("adjust", currency="crowns", amount=5, reason="A gift.")
    with pytest.raises(NotAllowed):
        take_act(by(campaign, ada), band, act)
    take_act(campaign.asked, band, act)
    for faulty, field in (
        (replace(act, reason=""), "reason"),
        (replace(act, amount=0), "amount"),
        (replace(act, amount=10_001), "amount"),
        (replace(act, currency="moons"), "currency"),
        (replace(act, who="w1", experience=0), "experience"),
        (GivenAct("unfought", word="rain"), "as"),
    ):
        with pytest.raises(Refusal) as error:
            take_act(campaign.asked, band, faulty)
        assert error.value.field == field
    assert campaign.ledger.state.warbands[band].treasury["crowns"] == 81
    check_stored(campaign)


def test_organisers_alone_rule_what_befalls_somebody(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], campaign.league.player("Ada")
    act = GivenAct("effect", who="w1", effect={"raise": ["S"]}, reason="A test.")
    with pytest.raises(NotAllowed):
        take_act(by(campaign, ada), band, act)
    for faulty, field in (
        (replace(act, reason=""), "reason"),
        (replace(act, who="w9"), "who"),
        (replace(act, who=""), "who"),
        (replace(act, effect=None), "who"),
        (replace(act, effect={"raise": ["X"]}), "effect"),
        (replace(act, effect={"skill": ["none"]}), "effect"),
        (replace(act, effect={"fly": True}), "effect"),
        (replace(act, effect={"captive": True}), "effect"),
    ):
        with pytest.raises(Refusal) as error:
            take_act(campaign.asked, band, faulty)
        assert error.value.field == field
    take_act(campaign.asked, band, act)
    warband = campaign.ledger.state.warbands[band]
    assert warband.warriors["w1"].gains == {"S": 1}
    check_stored(campaign)
    # A request of before the update is known by the text that it was hashed by.
    assert "effect" not in repr(GivenAct("buy"))
    assert "raise" in repr(act)


def test_players_take_back_their_own_until_the_next_battle(campaign: Campaign) -> None:
    band, ada = campaign.warbands["Ada"], campaign.league.player("Ada")
    buy = GivenAct("buy", bearer="w1", option="light-armour")
    act = Withdrawal(act=take_act(by(campaign, ada), band, buy))
    theirs = Withdrawal(act=take_act(campaign.asked, band, buy))
    with pytest.raises(WrongState):
        take_back(by(campaign, ada), band, theirs)
    fought(campaign)
    with pytest.raises(NotAllowed):
        take_back(by(campaign, ada), band, act)
    with pytest.raises(Refusal):
        take_back(campaign.asked, band, act)
    take_back(replace(campaign.asked, reason="It was agreed."), band, act)
    with pytest.raises(WrongState):
        take_back(campaign.asked, band, act)
    check_stored(campaign)


def test_rules_change_from_now_or_from_the_start_for_a_reason(campaign: Campaign) -> None:
    fixture = fought(campaign)
    answer_dues(
        campaign.asked, campaign.warbands["Ada"], [GivenAnswer(f"{fixture}/income", (1,))]
    )
    changes = {"upkeep": {"each": 0}}
    before = campaign.ledger.state.warbands[campaign.warbands["Ada"]].treasury["crowns"]
    for draft, field in (
        (RulesDraft(changes=changes), "from"),
        (RulesDraft(changes=changes, since="later"), "from"),
        (RulesDraft(changes=changes, since="now"), "reason"),
        (RulesDraft(RULES, document={}, since="now"), "reason"),
    ):
        with pytest.raises(Refusal) as error:
            set_growth_rules(campaign.asked, draft)
        assert error.value.field == field
    asked = replace(campaign.asked, reason="Too dear.")
    set_growth_rules(asked, RulesDraft(changes=changes, since="now"))
    now = campaign.ledger.state.warbands[campaign.warbands["Ada"]].treasury["crowns"]
    assert now == before
    set_growth_rules(asked, RulesDraft(changes=changes, since="start"))
    now = campaign.ledger.state.warbands[campaign.warbands["Ada"]].treasury["crowns"]
    assert now == before + 9
    with pytest.raises(Refusal) as error:
        set_growth_rules(asked, RulesDraft(changes={"kinds": 5}, since="now"))
    assert "document.kinds" in list_paths(error.value)
    check_stored(campaign)


def test_warbands_grow_in_campaigns_alone(pair: League) -> None:
    asked = pair.ask()
    with pytest.raises(Refusal):
        set_growth_rules(asked, RulesDraft(RULES))
    with pytest.raises(NotFound):
        load_growth(pair.organiser, pair.token)


def test_a_preview_is_what_the_act_then_does(campaign: Campaign) -> None:
    fixture = fought(campaign)
    told = Outcome(how="drawn", fates={campaign.league.entry("Ben").token: []})
    asked = replace(campaign.asked, reason="A draw.")
    rows, before = GrowthRow.objects.count(), campaign.ledger.state
    moved = preview_result(asked, fixture, told)
    assert moved
    assert GrowthRow.objects.count() == rows
    assert not difference(before, campaign.ledger.state)
    campaign.report(fixture, fates={"Ben": []})
    assert difference(before, campaign.ledger.state) == moved
    ada = campaign.league.by("Ada")
    act = GivenAct("buy", bearer="w1", option="light-armour")
    before = campaign.ledger.state
    moved = preview_act(ada, campaign.warbands["Ada"], act)
    take_act(ada, campaign.warbands["Ada"], act)
    assert difference(before, campaign.ledger.state) == moved


def test_a_preview_throws_no_dice(campaign, monkeypatch):
    fixture = fought(campaign)
    monkeypatch.setattr(answering, "throw", lambda dice: pytest.fail("thrown"))
    given = [GivenAnswer(f"{fixture}/income")]
    moved = answering.preview_answers(campaign.asked, campaign.warbands["Ben"], given)
    assert not moved


def test_recounting_puts_a_wrong_state_right(campaign, capsys):
    fought(campaign)
    call_command("recount_growth")
    assert "1 campaigns, 0 warbands corrected." in capsys.readouterr().out
    CampaignWarband.objects.filter(token=campaign.warbands["Ada"]).update(
        state={}, rating=5
    )
    call_command("recount_growth")
    assert "1 warbands corrected." in capsys.readouterr().out
    check_stored(campaign)


def test_every_change_has_a_line_of_the_log(campaign: Campaign) -> None:
    fixture = fought(campaign)
    answer_dues(
        campaign.asked, campaign.warbands["Ada"], [GivenAnswer(f"{fixture}/income", (1,))]
    )
    verbs = Counter(EventLog.objects.values_list("verb", flat=True))
    found = {verb: n for verb, n in verbs.items() if verb.startswith("growth")}
    assert found == {"growth_rules": 1, "growth_found": 2, "growth_answer": 1}
