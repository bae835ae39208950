"""The pages of rounds: who sees what, ticks and parts, two organisers at once, and a fixed number
of queries.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from campaigns.models import EventLog, Presence
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import RoundDraft, add_round, publish_round, set_present
from campaigns.queries.rounds import load_round, load_schedule
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_league, make_night, names_in
from tests.campaigns.results import put_up, report

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """A club night of five with four of them here, drawn and not published."""
    league = make_night(players=5)
    add_round(league.ask(), RoundDraft())
    set_present(league.ask(), 1, {one.token: True for one in league.entries[:4]})
    draw_round(league.ask(), 1, seed="s")
    return league


def address(league: League, name: str, *more: Any) -> str:
    return reverse(name, args=[league.token, *([] if name == "round-list" else [1]), *more])


def test_draft_is_the_organisers_until_it_is_published(league: League) -> None:
    first = league.fixtures(1)[0]
    player, organiser = browser_of(league.player("Ada")), browser_of(league.organiser)
    assert (
        reverse("fixture-keep", args=[league.token, 1, first.token])
        in organiser.get(address(league, "round-read")).content.decode()
    )
    for name in ("round-read", "round-list"):
        page = player.get(address(league, name)).content.decode()
        assert f"{names_in(first)[0]} against" not in page
    assert (
        "The pairings appear here"
        in player.get(address(league, "round-read")).content.decode()
    )
    answer = organiser.post(
        address(league, "round-publish"), {"version": league.fresh().version}
    )
    assert answer["Location"] == address(league, "round-read")
    page = load_round(league.player("Ada"), league.token, 1)
    assert page
    assert sorted(line.is_mine for line in page.fixtures) == [False, True]
    assert ">Result</a>" in player.get(address(league, "round-read")).content.decode()


def test_menu_names_the_rounds_before_and_after(league: League) -> None:
    for name in ("", "Late games"):
        add_round(league.ask(), RoundDraft(name=name))
    address_of = [reverse("round-read", args=[league.token, number]) for number in (1, 3)]
    page = browser_of(league.organiser).get(reverse("round-read", args=[league.token, 2]))
    links = dict(
        re.findall(r'<a href="([^"]+)"><svg.*?</svg>([^<]*)</a>', page.text, re.DOTALL)
    )
    assert [links[one] for one in address_of] == ["Round 1", "Late games"]


def test_single_tick_answers_with_the_pairings_alone(league: League) -> None:
    emil = league.entry("Emil")
    answer = browser_of(league.organiser).post(
        address(league, "round-present"),
        {"one": emil.token, "here": [emil.token]},
        headers=HTMX,
    )
    page = " ".join(answer.content.decode().split())
    assert Presence.objects.get(entry=emil).is_here
    values = ('id="drawn"' in page, 'id="ticks"' in page, "5 of 5" in page)
    assert values == (True, False, True)
    assert "<strong>Emil</strong> is here and not paired yet." in page


def test_form_of_ticks_changes_only_what_was_changed(league: League) -> None:
    ada, ben, cleo = league.entries[:3]
    set_present(
        league.ask(), 1, {cleo.token: False}
    )  # by somebody else, after the page was drawn
    was = [ada.token, ben.token, cleo.token]
    browser_of(league.organiser).post(
        address(league, "round-present"), {"was": was, "here": [ben.token, cleo.token]}
    )
    told = dict(Presence.objects.values_list("entry_id", "is_here"))
    assert (told[ada.pk], told[ben.pk], told[cleo.pk]) == (False, True, False)


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_late_organiser_sees_the_newer_state_and_loses_nothing(league, headers):
    seen = league.fresh().version
    publish_round(league.ask(), 1)
    answer = browser_of(league.organiser).post(
        address(league, "round-draw"), {"version": seen}, headers=headers
    )
    page = answer.content.decode()
    assert answer.status_code == 409
    assert ("Olga: Published round 1." in page, "Close round" in page) == (True, True)
    assert league.round(1).status == "published"


def test_what_cannot_be_done_is_told_on_the_page(league: League) -> None:
    client = browser_of(league.organiser)
    publish_round(league.ask(), 1)
    answer = client.post(address(league, "round-draw"))
    assert (
        answer.status_code,
        "is published. Unpublish it" in answer.content.decode(),
    ) == (422, True)
    answer = client.post(address(league, "round-guest"), {"name": "Ada"})
    assert (answer.status_code, 'value="Ada"' in answer.content.decode()) == (422, True)


def test_swap_is_shown_first_and_then_done(league: League) -> None:
    publish_round(league.ask(), 1)
    client = browser_of(league.organiser)
    first, second = league.fixtures(1)[:2]
    ask = {
        "one": first.one.token,
        "other": second.one.token,
        "reason": "A lift home",
        "version": league.fresh().version,
    }
    url = address(league, "fixture-swap", first.token)
    shown = client.post(url, ask)
    assert (
        shown.status_code,
        "Swap players" in shown.content.decode(),
        league.fixtures(1)[0].one,
    ) == (200, True, first.one)
    assert client.post(url, {**ask, "go": "1"}).status_code == 302
    assert league.fixtures(1)[0].one == second.one
    line = EventLog.objects.filter(event=league.event).first()
    assert line
    assert line.reason == "A lift home"


def test_game_counts_no_more_once_it_was_told_what_that_moves() -> None:
    league = make_league(players=4)
    first, second = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora")])
    report(league, first, "Ben")
    client, url = (
        browser_of(league.organiser),
        address(league, "fixture-change", first.token),
    )
    asked = {"table": "", "plays_at": "", "is_friendly": "on", "reason": "Played for fun"}
    told = " ".join(client.post(url, asked).content.decode().split())
    values = ("Changes in the standings" in told, "Ben: 3 → 0 points." in told)
    assert values == (True, True)
    assert not league.fixture(1, "Ben").is_friendly
    # What could not be done is said before it is told what it would move.
    assert client.post(url, {**asked, "reason": ""}).status_code == 422
    seen = league.fresh().version
    assert client.post(url, {**asked, "is_friendly": "", "table": "7"}).status_code == 302
    assert client.post(url, {**asked, "version": seen}).status_code == 409
    assert client.post(url, {**asked, "go": "1"}).status_code == 302
    assert league.fixture(1, "Ben").is_friendly
    # What moves nothing in the table is not asked twice.
    open_one = address(league, "fixture-change", second.token)
    assert client.post(open_one, asked).status_code == 302


@pytest.mark.parametrize("players", [3, 9])
def test_round_and_schedule_take_as_many_queries_for_many(
    players: int, django_assert_num_queries: Callable[..., Any]
) -> None:
    league = make_league(players=players)
    draw_round(league.ask(), add_round(league.ask(), RoundDraft()))
    with django_assert_num_queries(6):
        load_round(league.organiser, league.token, 1)
    with django_assert_num_queries(4):
        load_schedule(league.organiser, league.token)
    client = browser_of(league.organiser)
    client.get(address(league, "round-read"))
    with django_assert_num_queries(7):
        client.get(address(league, "round-read"))
