"""Every state of every method has a way on: an organiser goes from no round to the last result by
the buttons of the pages alone.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import EventKind, FixtureStatus, PairingMethod, Round, RoundStatus
from campaigns.operations.log import ChangeRequest
from campaigns.operations.rounds import set_present
from tests.campaigns.leagues import League, make_league
from tests.campaigns.results import report

pytestmark = pytest.mark.django_db

KINDS = {
    PairingMethod.ROBIN: EventKind.LEAGUE,
    PairingMethod.SWISS: EventKind.LEAGUE,
    PairingMethod.PRESENT: EventKind.NIGHT,
    PairingMethod.CHALLENGE: EventKind.CAMPAIGN,
}
FORM = re.compile(r"<form[^>]*>.*?</form>", re.S)
PRIMARY = re.compile(r'<(?:button|a) class="btn pri"[^>]*>')


class Organiser:
    """An organiser who presses what the pages offer first."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.client = Client()
        self.client.force_login(User.objects.get(pk=league.organiser.user_id))

    def page(self, name: str, *more: Any) -> str:
        """The page, from its heading on: the head of the site has buttons of its own."""
        answer = self.client.get(reverse(name, args=[self.league.token, *more]))
        assert answer.status_code == 200
        return str(answer.content.decode()).split("<main", 1)[1]

    def round_page(self) -> str:
        return self.page("round-read", 1).split('id="drawn"', 1)[1]

    def press(self, page: str) -> str:
        """Post the form with the first primary button; return its address. Fails without one."""
        forms = [form for form in FORM.findall(page) if PRIMARY.search(form)]
        assert forms, "no primary button to press"
        action = re.search(r'action="([^"]+)"', forms[0])
        assert action
        fields = re.findall(
            r'<input type="hidden" name="([^"]+)" value="([^"]*)"', forms[0]
        )
        answer = self.client.post(action[1], dict(fields))
        assert answer.status_code == 302, answer.content.decode()[:2000]
        return action[1]


def status_of(league: League) -> str:
    return str(Round.objects.get(event=league.event, number=1).status)


def play_everything(league: League) -> None:
    """Somebody challenges somebody where nobody is paired; each fixture gets a result."""
    if league.event.method == PairingMethod.CHALLENGE:
        client = Client()
        client.force_login(User.objects.get(pk=league.player("Ada").user_id))
        home = client.get(reverse("event-read", args=[league.token])).content.decode()
        assert f'action="{reverse("challenge-new", args=[league.token])}"' in home
        other = league.entry("Ben")
        client.post(reverse("challenge-new", args=[league.token]), {"other": other.token})
        client.force_login(User.objects.get(pk=league.player("Ben").user_id))
        asked = league.fixtures(1)[0].token
        accept = reverse("challenge-answer", args=[league.token, asked, "accept"])
        assert (
            f'action="{accept}"'
            in client.get(reverse("event-read", args=[league.token])).content.decode()
        )
        client.post(accept)
    for fixture in league.fixtures(1):
        if fixture.status == FixtureStatus.OPEN and fixture.other:
            report(league, fixture, fixture.one.name)


def test_every_method_has_its_kind() -> None:
    assert set(KINDS) == set(PairingMethod)


@pytest.mark.parametrize("method", PairingMethod.values)
def test_organiser_gets_on_from_every_state(method: str) -> None:
    league = make_league(players=4, kind=KINDS[PairingMethod(method)], method=method)
    organiser = Organiser(league)
    start = organiser.page("round-list")
    assert PRIMARY.search(start), "nothing to begin with"
    if method == PairingMethod.ROBIN:
        organiser.press(start)
    else:
        new = reverse("round-new", args=[league.token])
        assert f'href="{new}"' in start
        organiser.client.post(new, {"version": league.fresh().version, "name": ""})
    if method == PairingMethod.PRESENT:
        here = {one.token: True for one in league.entries}
        set_present(ChangeRequest(league.organiser, league.token), 1, here)
    seen = [status_of(league)]
    while seen[-1] not in (RoundStatus.PUBLISHED, RoundStatus.CLOSED):
        organiser.press(organiser.round_page())
        assert status_of(league) not in seen, "the button led nowhere"
        seen.append(status_of(league))
    play_everything(league)
    close = reverse("round-close", args=[league.token, 1])
    assert f'action="{close}"' in organiser.round_page()
    organiser.client.post(close, {"version": league.fresh().version})
    assert status_of(league) == RoundStatus.CLOSED
    # From a closed round a link leads on: to the next one, to adding it, or to the table.
    onward = PRIMARY.search(organiser.round_page())
    assert onward
    address = re.search(r'href="([^"]+)"', onward[0])
    assert address
    assert organiser.client.get(address[1]).status_code == 200


def test_campaign_without_an_open_round_leads_to_the_next() -> None:
    league = make_league(players=2, kind=EventKind.CAMPAIGN, method=PairingMethod.CHALLENGE)
    organiser = Organiser(league)
    assert f'href="{reverse("round-new", args=[league.token])}"' in organiser.page(
        "event-read"
    )
    organiser.client.post(
        reverse("round-new", args=[league.token]), {"version": league.fresh().version}
    )
    assert f'href="{reverse("round-read", args=[league.token, 1])}"' in organiser.page(
        "event-read"
    )
    organiser.press(organiser.round_page())
    assert status_of(league) == RoundStatus.PUBLISHED
    assert 'name="other"' not in organiser.page("event-read"), (
        "who is not in it asks nobody"
    )
