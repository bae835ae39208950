"""Every state of every method has a way on: an organiser goes from no round to the last result by
the buttons of the pages alone, and a reported result to its end in every way of confirmation.
"""

import re
from typing import Any

import pytest
from django.urls import reverse

from accounts.owner import Owner
from battles.models import Confirmation
from campaigns.models import (
    ClubEvent,
    EventKind,
    Fixture,
    FixtureStatus,
    PairingMethod,
    Round,
    RoundStatus,
)
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import accept_result
from campaigns.operations.rounds import close_round, set_present
from tests.battles.pages import browser_of
from tests.battles.steps import dispute_result, void_result
from tests.campaigns.leagues import League, make_league, make_round
from tests.campaigns.results import fresh, put_up, report

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
        self.client = browser_of(league.organiser)

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
        client = browser_of(league.player("Ada"))
        home = client.get(reverse("event-read", args=[league.token])).content.decode()
        assert f'action="{reverse("challenge-new", args=[league.token])}"' in home
        other = league.entry("Ben")
        client.post(reverse("challenge-new", args=[league.token]), {"other": other.token})
        client = browser_of(league.player("Ben"))
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
        set_present(league.ask(), 1, here)
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


def test_last_round_once_closed_leads_to_the_end_of_the_event(league: League) -> None:
    ClubEvent.objects.filter(pk=league.event.pk).update(rounds_planned=1)
    game = reported(league, Confirmation.PLAYERS)
    organiser = Organiser(league)
    settle = f'{reverse("event-edit", args=[league.token])}#settle"'
    assert settle not in organiser.round_page()
    close_round(league.ask(), 1)
    assert settle in organiser.round_page()
    assert f"{game.title}: waiting for confirmation" in organiser.page("event-edit")


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


# What becomes of a result in all ways of confirmation: provisional, disputed, accepted, void


BUTTON = re.compile(r'<(?:a|button)[^>]*class="btn[^>]*>(.*?)</(?:a|button)>', re.S)
PAIRS = (("Ada", "Ben"), ("Cleo", "Dora"))


def page_of(actor: Owner, name: str, *args: Any) -> str:
    client = browser_of(actor)
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return str(answer.content.decode()).split("<main", 1)[1]


def acts(league: League, actor: Owner, game: Fixture) -> set[str]:
    """What the page of a game offers somebody to do about its result."""
    page = page_of(actor, "fixture-read", league.token, game.token)
    section = page.split('class="verdict"', 1)[1].split("</section>", 1)[0]
    words = (re.sub(r"<[^>]+>", "", found) for found in BUTTON.findall(section))
    return {" ".join(word.split()) for word in words}


def reported(league: League, confirmation: str) -> Fixture:
    """A round of two games, one of which Ada has reported."""
    ClubEvent.objects.filter(pk=league.event.pk).update(confirmation=confirmation)
    first, second = put_up(league, 1, PAIRS)
    report(league, second, "Cleo")
    report(league, first, "Ada", by=league.player("Ada"))
    return fresh(first)


def dispute(league: League, game: Fixture) -> None:
    assert game.battle
    dispute_result(league.player("Ben"), game.battle.token, reason="It was a draw.")


def walk_to_the_end(league: League, game: Fixture) -> list[str]:
    """The organiser presses what the round offers, or else the game, until the round is closed."""
    organiser, done = Organiser(league), []
    close = reverse("round-close", args=[league.token, 1])
    while status_of(league) != RoundStatus.CLOSED:
        assert len(done) < 5, done
        page = organiser.round_page()
        if any(map(PRIMARY.search, FORM.findall(page))):
            done.append(organiser.press(page))
        elif fresh(game).status == FixtureStatus.DISPUTED:
            # The line of the game leads to its page.
            address = reverse("fixture-read", args=[league.token, game.token])
            assert f'href="{address}"' in page
            done.append(
                organiser.press(
                    page_of(league.organiser, "fixture-read", league.token, game.token)
                )
            )
        else:
            assert f'action="{close}"' in page, "no way to close the round"
            organiser.client.post(close, {"version": league.fresh().version})
            done.append(close)
    return done


@pytest.mark.parametrize("confirmation", Confirmation.values)
def test_reported_result_has_a_way_on(league: League, confirmation: str) -> None:
    game = reported(league, confirmation)
    assert "Provisional" in page_of(
        league.player("Ben"), "fixture-read", league.token, game.token
    )
    opponent = acts(league, league.player("Ben"), game)
    assert "Dispute result" in opponent
    assert ("Confirm result" in opponent) == (confirmation != Confirmation.ORGANISER)
    assert "Result" in acts(league, league.player("Ada"), game)
    assert "Accept result" in acts(league, league.organiser, game)
    assert acts(league, league.player("Cleo"), game) == set()
    walk_to_the_end(league, game)
    assert fresh(game).status == FixtureStatus.FINAL


@pytest.mark.parametrize("confirmation", Confirmation.values)
def test_disputed_result_has_a_way_on(league: League, confirmation: str) -> None:
    game = reported(league, confirmation)
    dispute(league, game)
    for name in ("Ada", "Ben"):
        assert acts(league, league.player(name), game) & {"Result", "Confirm result"}
    assert {"Accept result", "Result"} <= acts(league, league.organiser, game)
    walk_to_the_end(league, game)
    assert fresh(game).status == FixtureStatus.FINAL


@pytest.mark.parametrize("confirmation", Confirmation.values)
def test_accepted_result_leaves_nothing_to_do_but_for_organisers(league, confirmation):
    game = reported(league, confirmation)
    asked = league.ask()
    accept_result(asked, game.token)
    for name in ("Ada", "Ben", "Cleo"):
        assert acts(league, league.player(name), game) == set()
    assert acts(league, league.organiser, game) == {"Result", "Void result"}
    assert len(walk_to_the_end(league, game)) == 1


@pytest.mark.parametrize("confirmation", Confirmation.values)
def test_void_result_has_a_way_back(league: League, confirmation: str) -> None:
    game = reported(league, confirmation)
    assert game.battle
    void_result(league.organiser, game.battle.token, reason="Wrong table")
    assert "Restore result" in acts(league, league.organiser, game)
    walk_to_the_end(league, game)


@pytest.mark.parametrize("confirmation", Confirmation.values)
def test_stale_draft_has_a_way_on(league: League, confirmation: str) -> None:
    """A result comes in, is disputed and accepted after the pairing: pair again, and publish."""
    ClubEvent.objects.filter(pk=league.event.pk).update(confirmation=confirmation)
    first, second = put_up(league, 1, PAIRS)
    report(league, second, "Cleo")
    asked = league.ask()
    make_round(league)
    draw_round(asked, 2, seed="x")
    organiser = Organiser(league)
    for change in (
        lambda: report(league, first, "Ada", by=league.player("Ada")),
        lambda: dispute(league, fresh(first)),
        lambda: accept_result(asked, first.token),
    ):
        change()
        page = organiser.page("round-read", 2).split('id="drawn"', 1)[1]
        assert "1 result changed after this pairing" in page
        assert "Publish as paired" in page
        organiser.press(page)
        assert "after this pairing" not in organiser.page("round-read", 2)
    organiser.press(organiser.page("round-read", 2).split('id="drawn"', 1)[1])
    assert league.round(2).status == RoundStatus.PUBLISHED
