"""After its end a campaign takes nothing: operations, API and pages say how to go on."""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest
from django.urls import reverse

from accounts.errors import WrongState
from campaigns import urls
from campaigns.growth import operations as growth
from campaigns.growth.api import calls as api
from campaigns.growth.operations.acts import GivenAct
from campaigns.growth.operations.answers import GivenAnswer, Withdrawal, answer_dues
from campaigns.growth.operations.results import EVERYBODY
from campaigns.growth.operations.setup import FoundingDraft, RulesDraft
from campaigns.models import CampaignWarband, GrowthRow
from campaigns.operations.events import settle_event
from campaigns.operations.results import field_fixture, report_result
from campaigns.queries.records import Outcome
from notices.models import Notice
from tests.battles.pages import browser_of
from tests.campaigns.growing import Campaign, make_growing, roster
from tests.campaigns.test_growth import by
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

BOUGHT = GivenAct("buy", bearer="stash", option="physick")
ORGANISERS = {"set_growth_rules", "preview_growth_rules", "remind_of_dues"}
"""What organisers alone ask for, who reopen the event first."""
AFTER_THE_END = {"preview_answers", "answer_dues", "tell_objectives", "roll_dues"}
"""What organisers do without reopening: what a correction changes and opens."""


@dataclass
class FinishedCampaign(Campaign):
    """A campaign with a game that was fought, and the next one."""

    token: str = ""
    next: str = ""


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> FinishedCampaign:
    """A finished campaign: Ada beat Ben, whose captain's injury is open; one game is not fought."""
    growing = make_growing(players=2)
    campaign = FinishedCampaign(growing.league, growing.warbands)
    campaign.token = campaign.game("Ada", "Ben")
    campaign.report(campaign.token, "Ada", fates={"Ben": [{"who": "w1"}], "Ada": []})
    campaign.next = campaign.game("Ben", "Ada")
    settle_event(campaign.asked, "finish")
    return campaign


def calls(campaign, asked) -> dict[str, Callable[[], object]]:
    """Every operation of growth with arguments that a campaign under way would take."""
    ben, game = campaign.warbands["Ben"], campaign.token
    answers = [GivenAnswer(f"{game}/injury/w1", faces=(3, 4))]
    draft = FoundingDraft(campaign.league.entry("Ben").token, roster())
    rules = RulesDraft(changes={"upkeep": {"each": 5}}, since="now")
    arguments: dict[str, tuple[Any, ...]] = {
        "take_act": (ben, BOUGHT), "preview_act": (ben, BOUGHT),
        "answer_dues": (ben, answers), "preview_answers": (ben, answers),
        "roll_dues": (ben,), "set_growth_rules": (rules,), "preview_growth_rules": (rules,),
        "found_warband": (draft,), "preview_founding": (draft,),
        "take_back": (ben, Withdrawal(act=1)),
        "preview_take_back": (ben, Withdrawal(act=1)),
        "tell_objectives": (game, Outcome(objectives={})), "remind_of_dues": (),
        "field_fixture": (campaign.next, EVERYBODY),
    }  # fmt: skip
    return {
        name: lambda name=name, operation=operation: operation(asked, *arguments[name])
        for name, operation in operations().items()
    }


def operations() -> dict[str, Callable[..., object]]:
    """Every public function of growth that somebody asks for, and what locks who fights."""
    modules = []
    for info in pkgutil.iter_modules(growth.__path__, f"{growth.__name__}."):
        modules.append(import_module(info.name))
    found = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and name[0] != "_"
        and next(iter(inspect.signature(value).parameters.values()), None)
        and (
            next(iter(inspect.signature(value).parameters.values())).annotation
            == "ChangeRequest"
            # Operations that one request key carries out once are wrapped.
            or hasattr(value, "__wrapped__")
        )
    }
    return {**found, "field_fixture": field_fixture}


def test_no_operation_of_growth_takes_anything_of_a_player(campaign):
    before = GrowthRow.objects.count()
    done = calls(campaign, campaign.league.by("Ben"))
    assert done.keys() > ORGANISERS | AFTER_THE_END
    for name in done.keys() - ORGANISERS:
        with pytest.raises(WrongState, match="Ask an organiser of the club to reopen"):
            done[name]()
    assert GrowthRow.objects.count() == before


def test_organisers_answer_and_reopen_for_everything_else(campaign):
    asked = replace(campaign.asked, reason="So it was.")
    done = calls(campaign, asked)
    for name in done.keys() - AFTER_THE_END:
        with pytest.raises(WrongState, match="Reopen it in its settings"):
            done[name]()
    for name in ("preview_answers", "answer_dues", "tell_objectives", "roll_dues"):
        done[name]()
    settle_event(campaign.asked, "reopen")
    for name in ("take_act", "take_back", "remind_of_dues", "field_fixture"):
        calls(campaign, asked)[name]()


def test_a_correction_opens_what_organisers_answer(campaign: FinishedCampaign) -> None:
    Notice.objects.all().delete()
    campaign.report(campaign.token, "Ben", fates={"Ben": [], "Ada": [{"who": "w2"}]})
    due = f"{campaign.token}/injury/w2"
    ada = campaign.warbands["Ada"]
    assert campaign.ledger.state.find_due(ada, due)
    given = [GivenAnswer(due, faces=(3, 4))]
    with pytest.raises(WrongState):
        answer_dues(campaign.league.by("Ada"), ada, given)
    answer_dues(campaign.asked, ada, given)
    assert not campaign.ledger.state.find_due(ada, due)
    # Nobody is asked to roll what they cannot.
    assert not Notice.objects.filter(kind="growth_dues").exists()


def test_a_player_names_the_warband_no_more_and_shares_it_still(campaign):
    ben = campaign.league.player("Ben")
    warband = CampaignWarband.objects.get(token=campaign.warbands["Ben"]).warband
    assert warband
    with pytest.raises(WrongState, match="reopen"):
        change_warband(WriteContext(ben, warband.token), name="The Drowned")
    change_warband(WriteContext(ben, warband.token), visibility="link")
    address = reverse("warband-change", args=[warband.token])
    sent = {"name": "The Drowned", "note": "", "version": "2", "key": "k"}
    assert browser_of(ben).post(address, sent).status_code == 409
    assert Warband.objects.get(pk=warband.pk).name == warband.name
    settle_event(campaign.asked, "reopen")
    change_warband(WriteContext(ben, warband.token), name="The Drowned")


def test_every_call_of_the_api_says_how_to_go_on(campaign: FinishedCampaign) -> None:
    client = browser_of(campaign.league.player("Ben"))
    event, warband = campaign.league.token, campaign.warbands["Ben"]
    founding = {"entry": campaign.league.entry("Ben").token, "roster": roster()}
    answers = {"answers": [{"due": f"{campaign.token}/injury/w1"}]}
    bought = {"kind": "buy", "for": "stash", "option": "physick"}
    sent: dict[str, tuple[list[str], Any]] = {
        "api-growth-warbands": ([event], founding),
        "api-growth-answers": ([event, warband], answers),
        "api-growth-acts": ([event, warband], bought),
        "api-growth-take-back": ([event, warband], {"act": 1}),
        "api-fixture-field": ([campaign.next], {}),
    }
    posted = {
        pattern.name
        for pattern in api.urlpatterns
        if "post" in pattern.callback.cls.http_method_names
    }
    assert posted == sent.keys()
    for name, (arguments, body) in sent.items():
        answer = client.post(reverse(name, args=arguments), body, "application/json")
        assert answer.status_code == 409, name
        assert "Ask an organiser of the club to reopen it" in answer.json()["detail"]


def growth_pages(campaign: FinishedCampaign) -> Iterator[str]:
    event, entry = campaign.league.token, campaign.league.entry("Ben").token
    values = {"token": event, "entry": entry, "fixture": campaign.token, "unit": "w1"}
    found = 0
    for pattern in urls.urlpatterns:
        module = pattern.callback.__module__
        if module == "campaigns.growth.views":
            found += 1
            names = pattern.pattern.converters
            yield reverse(pattern.name, kwargs={name: values[name] for name in names})
    assert found > 10


@pytest.mark.parametrize("who", ["Ben", "organiser"])
def test_no_page_offers_anything(campaign: FinishedCampaign, who: str) -> None:
    league = campaign.league
    user = league.organiser if who == "organiser" else league.player(who)
    client = browser_of(user)
    before = GrowthRow.objects.count()
    for address in growth_pages(campaign):
        text = client.get(address, follow=True).content.decode()
        main = text.partition("<main")[2].partition("</main>")[0]
        is_answer = address.endswith("after/") and who == "organiser"
        assert ('method="post"' in main) == is_answer, address
        for name in ("warband-trade", "warband-found", "growth-take-back"):
            link = reverse(name, args=[league.token, league.entry("Ben").token])
            assert link not in main, address
        assert reverse("growth-rules", args=[league.token]) not in main, address
        # What a correction changes and opens is the organisers'.
        if who == "organiser" and "/after/" in address:
            continue
        client.post(address, {"kind": "buy", "bearer": "stash", "option": "physick"})
    assert GrowthRow.objects.count() == before


def test_finishing_says_what_is_left(campaign: FinishedCampaign) -> None:
    league = campaign.league
    settle_event(campaign.asked, "reopen")
    reported = Outcome(how="rout", winner=league.entry("Ben").token)
    report_result(by(campaign, league.player("Ben")), campaign.next, reported)
    client = browser_of(league.organiser)
    sentences = [
        "Round 1, Ben against Ada: waiting for confirmation.",
        "Ada still owes: 2 × Income, Claim a territory.",
        "Ben still owes: Injury, 2 × Income, Claim a territory.",
    ]
    text = client.get(reverse("event-edit", args=[league.token])).content.decode()
    assert [words for words in sentences if words not in text] == []
    finish = reverse("event-finish", args=[league.token])
    version = str(league.fresh().version)
    text = client.post(finish, {"version": version}, follow=True).content.decode()
    assert [words for words in sentences if words not in text] == []
    for step, unsettled in (("finish", sentences), ("reopen", [])):
        path = f"/api/v1/events/{league.token}/{step}/"
        answer = client.post(path, {}, "application/json", headers={"If-Match": "*"})
        assert answer.json()["unsettled"] == unsettled
