"""A Swiss draft notices results that came in after it was drawn."""

import pytest
from django.urls import reverse

from accounts.errors import WrongState
from campaigns.models import RoundStatus
from campaigns.operations.fixtures import swap_entries
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import DRAWN_BEFORE, publish_round
from tests.battles.pages import browser_of
from tests.campaigns.leagues import League, make_entry, make_league, make_round, names_in
from tests.campaigns.results import put_up, report

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    """Round 2 is drawn while the game of Cleo and Dora has no result."""
    league = make_league(players=6)
    one, _, third = put_up(league, 1, [("Ada", "Ben"), ("Cleo", "Dora"), ("Emil", "Fritz")])
    report(league, one, "Ada")
    report(league, third, "Emil")
    make_round(league)
    draw_round(league.ask(), 2, seed="x")
    return league


def page(league: League) -> str:
    client = browser_of(league.organiser)
    shown = client.get(reverse("round-read", args=[league.token, 2]))
    return " ".join(shown.content.decode().split())


def met(league: League) -> set[frozenset[str]]:
    return {frozenset(names_in(row)) for row in league.fixtures(2)}


def test_draft_says_which_results_came_in_since_and_is_not_published(league):
    assert "after this pairing" not in page(league)
    report(league, league.fixture(1, "Cleo"), "Dora")
    shown = page(league)
    assert "1 result changed after this pairing" in shown
    assert "Cleo against Dora, round 1: Dora won" in shown
    assert "Publish as paired" in shown
    with pytest.raises(WrongState, match="Cleo against Dora"):
        publish_round(league.ask(), 2)
    draw_round(league.ask(), 2)
    assert "after this pairing" not in page(league)
    publish_round(league.ask(), 2)
    assert not any(DRAWN_BEFORE in row.reason for row in league.fixtures(2))


def test_corrected_result_makes_a_draft_stale_and_the_same_again_does_not(league):
    game = league.fixture(1, "Ada")
    report(league, game, "Ben", reason="Wrong way round")
    assert "Ada against Ben, round 1: Ben won" in page(league)
    report(league, game, "Ada", reason="It was right before")
    assert "after this pairing" not in page(league)


def test_draft_published_all_the_same_says_so_in_its_reasons(league: League) -> None:
    report(league, league.fixture(1, "Cleo"), "Dora")
    client = browser_of(league.organiser)
    client.post(
        reverse("round-publish", args=[league.token, 2]),
        {"version": league.fresh().version, "as_drawn": "1"},
    )
    assert league.round(2).status == RoundStatus.PUBLISHED
    for row in league.fixtures(2):
        touched = bool({"Cleo", "Dora"} & set(names_in(row)))
        assert (DRAWN_BEFORE in row.reason) == touched


def test_pairing_again_keeps_swaps_that_still_hold(league: League) -> None:
    one, other = league.entry("Ada"), league.entry("Ben")
    before = league.fixture(2, "Ada")
    swap_entries(league.ask(), 2, one.token, other.token)
    mine = frozenset(names_in(league.fixture(2, "Ada")))
    assert mine != frozenset(names_in(before))
    report(league, league.fixture(1, "Cleo"), "Dora")
    draw_round(league.ask(), 2)
    assert mine in met(league)
    assert len(met(league)) == 3


def test_bye_given_by_hand_stays_while_the_others_are_even() -> None:
    league = make_league(players=5)
    make_round(league)
    draw_round(league.ask(), 1, seed="x")
    bye = next(row for row in league.fixtures(1) if row.other_id is None)
    other = next(one for one in league.entries if one.pk != bye.one_id)
    swap_entries(league.ask(), 1, bye.one.token, other.token)
    for seed in ("y", "z"):
        draw_round(league.ask(), 1, seed=seed)
        assert frozenset({other.name}) in {
            frozenset(names_in(r)) for r in league.fixtures(1)
        }
    make_entry(event=league.event, organiser=league.organiser, name="Guest")
    draw_round(league.ask(), 1)
    assert all(row.other_id for row in league.fixtures(1))


def test_players_see_nothing_of_a_stale_draft(league: League) -> None:
    report(league, league.fixture(1, "Cleo"), "Dora")
    client = browser_of(league.player("Ada"))
    shown = client.get(reverse("round-read", args=[league.token, 2])).content.decode()
    assert "after this pairing" not in shown
