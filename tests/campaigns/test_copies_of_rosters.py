"""The copy that a campaign has of a roster: marked in lists, last in them, and brought nowhere."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.owner import Owner
from campaigns.growth.operations.setup import (
    FoundingDraft,
    RulesDraft,
    found_warband,
    set_growth_rules,
)
from campaigns.models import CampaignWarband, ListLock
from campaigns.operations.entries import change_entry, enter_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.round_lists import hand_in_list
from engine.errors import Refusal
from tests.battles.pages import browser_of
from tests.campaigns.growing import RULES
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.factories import make_legal_warband
from warbands.models import Warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def played() -> tuple[League, Warband, Warband]:
    """A campaign in which Ada has founded: her roster, and the campaign's copy, changed last."""
    league = make_campaign(players=2)
    make_round(league)
    asked = league.ask()
    set_growth_rules(asked, RulesDraft(RULES))
    ada = league.player("Ada")
    token = make_legal_warband(actor=ada, name="River patrol").token
    draft = FoundingDraft(league.entry("Ada").token, warband=token)
    found_warband(ChangeRequest(ada, league.token), draft)
    copy = CampaignWarband.objects.get().warband
    assert copy
    Warband.objects.filter(pk=copy.pk).update(updated_at=timezone.now())
    return league, Warband.objects.get(token=token), copy


def other_event(ada: Owner) -> League:
    """Another event of Ada's, with a round for which lists are handed in."""
    league = make_league(players=0, visibility="public")
    enter_event(ChangeRequest(ada, league.token))
    make_round(league)
    return league


def test_lists_mark_the_copy_and_put_it_last(played):
    league, original, copy = played
    client = browser_of(league.player("Ada"))
    for address in (
        reverse("home"),
        reverse("warband-list"),
        reverse("battle-new"),
        f"{reverse('odds-choose')}?side=a",
        reverse("match-up-read"),
    ):
        text = client.get(address).content.decode()
        places = [text.find(f"{row.token}") for row in (original, copy)]
        assert -1 < places[0] < places[1], address
        assert "River patrol (in a campaign)" in text, address
    rows = client.get("/api/v1/warbands/").json()["results"]
    values = [(row["id"], row["in_campaign"]) for row in rows]
    assert values == [(original.token, False), (copy.token, True)]


def test_a_copy_alone_is_chosen_for_nobody(played: tuple[League, Warband, Warband]) -> None:
    league, original, copy = played
    Warband.objects.filter(pk=original.pk).update(archived_at=timezone.now())
    client = browser_of(league.player("Ada"))
    entered = make_league(players=0, visibility="public")
    other = make_campaign(players=0, visibility="public")
    set_growth_rules(other.ask(), RulesDraft(RULES))
    enter_event(ChangeRequest(league.player("Ada"), other.token))
    entry = other.event.entries.get().token
    for address in (
        reverse("battle-new"),
        reverse("match-up-read"),
        reverse("event-enter", args=[entered.token]),
        reverse("warband-found", args=[other.token, entry]),
    ):
        text = client.get(address).content.decode()
        chosen = re.findall(r'value="[^"]*"[^>]*(?:checked|selected)', text)
        assert not [tag for tag in chosen if copy.token in tag], address


def test_a_list_of_the_copy_is_handed_in_to_its_own_event_alone(played):
    league, original, copy = played
    ada = league.player("Ada")
    other = other_event(ada)
    asked = ChangeRequest(ada, other.token)
    entry = other.event.entries.get().token
    for bring in (
        lambda: hand_in_list(asked, 1, copy.token),
        lambda: change_entry(asked, entry, warband=copy.token),
    ):
        with pytest.raises(Refusal, match="grows in a campaign") as refusal:
            bring()
        assert refusal.value.field == "warband"
    client = browser_of(ada)
    page = reverse("list-hand-in", args=[other.token, 1])
    text = client.get(page).content.decode()
    assert (original.token in text, copy.token in text) == (True, False)
    sent = client.post(page, {"warband": copy.token})
    assert (sent.status_code, ListLock.objects.count()) == (422, 0)
    hand_in_list(asked, 1, original.token)
    # In its own campaign the copy is what its player brings.
    hand_in_list(ChangeRequest(ada, league.token), 1, copy.token)
