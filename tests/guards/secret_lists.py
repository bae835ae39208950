"""A list and a campaign's warband that are secret, with figures that nothing else has."""

from dataclasses import dataclass

from battles.models import Battle, BattleSide
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    take_back,
)
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import Fixture, ListLock
from campaigns.operations.entries import change_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import hand_in_list
from campaigns.operations.rounds import publish_round
from tests.campaigns.growing import RULES, Campaign, roster
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.campaigns.results import put_up
from tests.campaigns.test_growth import fought
from tests.factories import make_legal_warband, make_warrior
from warbands.models import Warband

UNIT, ITEM = "Zyxwell the Marked", "Crossbow"
POINTS, ARMY = 48_613, "The Dwarfs of the Deep"
MARKERS = (UNIT, ITEM, "crossbowmen", str(POINTS), f"{POINTS:,}", ARMY)
RICH = 9_876
DONE = (UNIT, "physick", "Took back for Ben", "Answered for Ben")
DONE += tuple(f"Ben: {kind}" for kind in ("recruit", "buy", "search", "adjust"))
"""What tells of acts and answers of Ben's warband."""


@dataclass
class Secret:
    """An event, a game of its first round, and the warband that is secret, where it is named."""

    league: League
    fixture: Fixture
    markers: tuple[str, ...] = MARKERS
    warband: str = ""


def make_secret_list() -> Secret:
    league = make_league(players=3, needs_list=True, visibility="public")
    ada, ben = league.player("Ada"), league.player("Ben")
    (fixture,) = put_up(league, 1, [("Ada", "Ben")])
    secret = make_legal_warband(actor=ada, name="The Ferrymen")
    make_warrior(warband=secret, profile="crossbowmen", name=UNIT)
    hand_in_list(ChangeRequest(ada, league.token), 1, secret.token)
    # The entry names what she means to bring, at a price that nothing else has.
    change_entry(
        ChangeRequest(ada, league.token), league.entry("Ada").token, warband=secret.token
    )
    open_fixture(ChangeRequest(ben, league.token), fixture.token)
    for model in (ListLock, Warband, BattleSide):
        model._default_manager.filter(points__gt=0).update(points=POINTS)
    Battle.objects.update(visibility="public")
    return Secret(league, fixture)


def grow() -> Secret:
    """A campaign in which Ben's warband, secret from others, has acts and answers in every state.

    Its figures are unlike any others. The first round is published.
    """
    league = make_campaign(players=3, needs_list=True, visibility="public")
    make_round(league)
    campaign = Campaign(league)
    set_growth_rules(campaign.asked, RulesDraft(RULES))
    publish_round(campaign.asked, 1)
    campaign.found("Ada")
    campaign.found("Cleo")
    secret = roster(name="The Ferrymen")
    secret["warriors"][1]["name"] = UNIT
    entry = league.entry("Ben").token
    warband = found_warband(campaign.asked, FoundingDraft(entry, secret))
    campaign.warbands["Ben"] = warband
    fixture = Fixture.objects.get(token=fought(campaign))
    make_rich(campaign)
    ben = ChangeRequest(league.player("Ben"), league.token, reason="So it was.")
    take_act(ben, warband, GivenAct("recruit", into="w3", count=2))
    reversed_act = take_act(ben, warband, GivenAct("recruit", into="w4", count=1))
    take_back(ben, warband, Withdrawal(act=reversed_act))
    take_act(ben, warband, GivenAct("buy", bearer="w2", option="physick"))
    search = GivenAct("search", good="long-glass", seeker="w1", bearer="w1", faces=(1, 1))
    take_act(ben, warband, search)
    # The engineer is killed, so that what was bought for her is set aside.
    killed = GivenAnswer(f"{fixture.token}/injury/w2", (1, 1))
    answer_dues(campaign.asked, warband, [killed])
    waiting = GivenAnswer("advance/w1/1", (1,))
    answer_dues(campaign.asked, warband, [waiting])
    grown = campaign.ledger.state
    assert {bool(act.why) for act in grown.acts.values()} == {True, False}
    assert {one.is_found for one in grown.acts.values()} == {True, False}
    assert [due.key for due in grown.open if due.warband == warband]
    Battle.objects.update(visibility="public")
    dues = (f"{fixture.token}/injury", "advance/w1")
    markers = (*figures(campaign), *DONE, *dues)
    return Secret(league, fixture, markers, warband)


def make_rich(campaign: Campaign) -> None:
    """Give Ben's warband figures that nothing else has."""
    for given in (
        GivenAct("adjust", currency="crowns", amount=RICH, reason="Found."),
        GivenAct("adjust", currency="renown", amount=RICH, reason="Sung of."),
        GivenAct("adjust", who="w1", experience=RICH, reason="Taught."),
    ):
        take_act(campaign.asked, campaign.warbands["Ben"], given)


def figures(campaign: Campaign) -> tuple[str, ...]:
    """The rating of Ben's warband and what is in its treasury."""
    grown = campaign.ledger.state.warbands[campaign.warbands["Ben"]]
    found = (grown.rating, *grown.treasury.values())
    assert min(found) >= RICH
    return tuple(map(str, found))
