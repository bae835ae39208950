"""Warbands that grow in one campaign: those of another campaign of the same players stay."""

from copy import deepcopy
from dataclasses import replace

import pytest

from accounts.errors import NotAllowed, NotFound, WrongState
from campaigns.growth.operations.acts import GivenAct, take_act
from campaigns.growth.operations.answers import (
    GivenAnswer,
    Withdrawal,
    answer_dues,
    roll_dues,
    take_back,
)
from campaigns.growth.operations.ledger import recount_growth
from campaigns.growth.operations.results import FieldChoice, remind_of_dues, tell_objectives
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import CampaignWarband, ClubEvent, GrowthRow, RoundStatus
from campaigns.operations.results import field_fixture
from campaigns.queries.records import Outcome
from notices.models import Notice
from rulesdata.campaign_documents import packed_rules
from tests.campaigns.growing import RULES, Campaign, make_growing, roster
from tests.campaigns.leagues import (
    League,
    make_campaign,
    make_entry,
    make_event,
    make_round,
)
from tests.campaigns.test_growth import fought
from tests.campaigns.two_events import untouched
from warbands.models import Warrior

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BUY = GivenAct("buy", bearer="w1", option="light-armour")


@pytest.fixture(scope="module")
def kept_campaign(module_rows: None) -> Campaign:
    """A campaign with a battle, answers and a purchase behind it: its log is long."""
    made = make_growing(players=2)
    fought(made)
    for name in ("Ada", "Ben"):
        made.settle(name)
        take_act(made.league.by(name), made.warbands[name], BUY)
    return made


@pytest.fixture(scope="module")
def kept_here(kept_campaign: Campaign) -> Campaign:
    """Another campaign of the same club and players, with a published round; all have founded."""
    past = kept_campaign.league
    event = make_event(
        organiser=past.organiser,
        club=past.club,
        name="The short summer",
        kind="campaign",
        method="challenge",
    )
    for entry in past.entries:
        make_entry(event=event, organiser=past.organiser, user_id=entry.user_id)
    entries = list(event.entries.order_by("pk"))
    made = Campaign(
        League(ClubEvent.objects.get(pk=event.pk), past.organiser, entries, past.club)
    )
    make_round(made.league)
    set_growth_rules(made.asked, RulesDraft(RULES))
    event.rounds.update(status=RoundStatus.PUBLISHED)
    for name in ("Ada", "Ben"):
        made.found(name)
    return made


@pytest.fixture
def other(campaign: Campaign) -> Campaign:
    return campaign


@pytest.fixture
def here(kept_here: Campaign, other: Campaign) -> Campaign:
    return deepcopy(kept_here)


def crowns(campaign: Campaign, name: str) -> int:
    return campaign.ledger.state.warbands[campaign.warbands[name]].treasury["crowns"]


def test_warbands_are_founded_and_numbered_in_their_own_campaign(other, here):
    rows = CampaignWarband.objects.filter(entry__event=here.league.event).order_by("pk")
    values = [(row.entry.name, row.number, row.token) for row in rows]
    assert values == [("Ada", 1, here.warbands["Ada"]), ("Ben", 1, here.warbands["Ben"])]
    values = list(here.league.event.growth_rows.values_list("position", "kind"))
    assert values == [(1, "rules"), (2, "found"), (3, "found")]
    band, entry = here.warbands["Ada"], here.league.entry("Ada").token
    with untouched(other.league):
        with pytest.raises(WrongState, match="has a warband in this campaign already"):
            found_warband(here.asked, FoundingDraft(entry, roster()))
        take_act(here.asked, band, GivenAct("disband", reason="It is over."))
        second = found_warband(here.asked, FoundingDraft(entry, roster()))
    assert CampaignWarband.objects.get(token=second).number == 2
    is_open = [row.closed_at is None for row in rows.all()]
    assert is_open == [False, True, True]
    # The rows of a copy are named by the keys of its warriors.
    row = CampaignWarband.objects.select_related("warband").get(token=second)
    assert row.warband is not None
    ids = list(row.warband.warriors.order_by("pk").values_list("pk", flat=True))
    assert row.rows == dict(zip(("w1", "w2", "w3", "w4"), ids, strict=True))


def test_a_game_its_rolls_and_purchases_are_of_one_campaign(other, here):
    with untouched(other.league):
        fixture = fought(here)
        here.settle("Ben")
        done = take_act(here.league.by("Ada"), here.warbands["Ada"], BUY)
        # Numbers of acts are counted for each campaign.
        assert done == 1
        take_back(here.league.by("Ada"), here.warbands["Ada"], Withdrawal(act=1))
        with pytest.raises(NotFound):
            take_act(here.asked, other.warbands["Ada"], BUY)
        with pytest.raises(NotFound):
            roll_dues(here.asked, other.warbands["Ben"])
        remind_of_dues(here.asked)
        taken = {here.league.entry("Ada").token: {"loot": 2}}
        tell_objectives(here.asked, fixture, Outcome(objectives=taken))
    assert here.league.fresh().growth_position == here.ledger.position
    positions = here.league.event.growth_rows.values_list("position", flat=True)
    assert list(positions) == list(range(1, len(positions) + 1))


def test_one_of_two_games_is_told_of_its_objectives(here: Campaign) -> None:
    first = here.game("Ada", "Ben")
    here.report(first, "Ada")
    second = here.game("Ada", "Ben")
    here.report(second, "Ben")
    ada = here.league.entry("Ada").token
    tell_objectives(here.asked, second, Outcome(objectives={ada: {"loot": 2}}))
    told = [one.told for one in here.league.fixtures(1)]
    assert told[0] == {}
    assert told[1]["a"]["objectives"] == {"loot": 2}


def test_a_correction_is_of_one_game_and_tells_its_players(other, here):
    first = fought(here)
    second = here.game("Ada", "Ben")
    here.report(second, "Ben", fates={"Ben": [], "Ada": []})
    Notice.objects.all().delete()
    with untouched(other.league):
        here.report(first, "Ada", fates={"Ben": [], "Ada": []})
    rows = GrowthRow.objects.filter(event=here.league.event, kind="result")
    values = [row.fixture.token if row.fixture else "" for row in rows]
    assert values == [first, second, first]
    told = Notice.objects.filter(kind="growth_changed").values_list("user__name", "words")
    assert [name for name, _ in told] == ["Ada"]
    assert told[0][1].startswith(
        "The short summer: the result of Ada against Ben was corrected"
    )


def test_rules_of_one_campaign_change(other: Campaign, here: Campaign) -> None:
    fought(here)
    document = packed_rules()["muster-campaign"].document
    income = [dict(one) for one in document["income"]]
    income[0] |= {"won": income[0]["won"] + 5}
    asked = replace(here.asked, reason="Winning pays more.")
    with untouched(other.league):
        set_growth_rules(asked, RulesDraft(changes={"income": income}, since="start"))
    paid = [one.ledger.rules.income[0].amounts["won"] for one in (here, other)]
    assert paid[0] == paid[1] + 5


def test_a_player_takes_back_until_their_own_warband_fights_again(other, here):
    ada = here.league.by("Ada")
    fought(here)
    act = Withdrawal(act=take_act(ada, here.warbands["Ada"], BUY))
    # The battles of the other campaign, and those of before, are none of this warband.
    other.report(other.game("Ada", "Ben"), "Ada")
    with untouched(other.league):
        take_back(ada, here.warbands["Ada"], act)
    again = Withdrawal(act=take_act(ada, here.warbands["Ada"], BUY))
    field_fixture(here.asked, here.game("Ada", "Ben"), FieldChoice())
    with pytest.raises(NotAllowed, match="next battle"):
        take_back(ada, here.warbands["Ada"], again)


def test_recounting_looks_at_campaigns_in_which_warbands_grow(other, here):
    make_campaign(players=0)
    assert recount_growth() == (2, [])
    CampaignWarband.objects.filter(token=here.warbands["Ben"]).update(rating=-1, state={})
    with untouched(other.league):
        assert recount_growth() == (2, ["Ben (1)"])
    assert recount_growth() == (2, [])


def test_a_roster_that_says_something_else_is_printed_anew(other, here):
    """What a roster shows is compared with the rows of its own campaign."""
    row = CampaignWarband.objects.get(token=here.warbands["Ben"])
    before = Warrior.objects.get(pk=row.rows["w1"]).growth
    Warrior.objects.filter(pk=row.rows["w1"]).update(growth={})
    with untouched(other.league):
        assert recount_growth() == (2, ["Ben (1)"])
    assert Warrior.objects.get(pk=row.rows["w1"]).growth == before


def test_a_correction_is_told_as_one_though_another_log_is_longer(other, here):
    fixture, band = fought(here), here.warbands["Ben"]
    answer_dues(here.asked, band, [GivenAnswer(f"{fixture}/injury/w2", (1, 1))])
    assert other.ledger.position > here.ledger.position + 2
    Notice.objects.all().delete()
    with untouched(other.league):
        here.report(fixture, "Ben", fates={"Ben": [], "Ada": []})
    ben = here.league.player("Ben").user_id
    [words] = Notice.objects.filter(kind="growth_changed", user=ben).values_list(
        "words", flat=True
    )
    assert "crowns 88 → 89" in words
    assert "Ilse: models 0 → 1" in words
