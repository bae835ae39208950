"""Rounds from planned to closed, and the ticks of who is here."""

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from campaigns.models import EventStatus, Fixture, Presence, RoundStatus
from campaigns.operations.events import settle_event
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.results import open_fixture
from campaigns.operations.rounds import (
    RoundDraft,
    add_guest,
    add_round,
    change_round,
    check_in,
    close_round,
    publish_round,
    remove_round,
    reopen_round,
    set_present,
    withdraw_round,
)
from tests.campaigns.leagues import League, make_league, make_night, make_round
from tests.factories import make_person

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 18, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept_league(module_rows: None) -> League:
    league = make_league(players=3)
    draw_round(league.ask(), add_round(league.ask(), RoundDraft()))
    return league


def test_round_goes_from_planned_to_closed_and_back(league: League) -> None:
    ask = (league.ask(), 1)
    publish_round(*ask)
    bye = next(row for row in league.fixtures(1) if row.other_id is None)
    values = (bye.status, league.round(1).status, league.fresh().status)
    assert values == ("final", "published", EventStatus.RUNNING)
    assert league.round(1).published_at is not None
    withdraw_round(*ask)
    values = (league.round(1).status, {row.status for row in league.fixtures(1)})
    assert values == (RoundStatus.DRAFT, {"open"})
    withdraw_round(*ask)
    assert (league.round(1).status, league.fixtures(1)) == (RoundStatus.PLANNED, [])
    draw_round(*ask)
    publish_round(*ask)
    Fixture.objects.filter(round=league.round(1)).update(status="final")
    close_round(*ask)
    reopen_round(*ask)
    assert league.round(1).status == RoundStatus.PUBLISHED


@pytest.mark.parametrize("planned, rounds", [(0, 3), (5, 5)])
def test_one_day_is_planned_when_its_first_round_is_published(planned, rounds):
    terms = {"kind": "one_day", "method": "swiss", "rounds_planned": planned}
    league = make_league(players=4, **terms)
    make_round(league)
    draw_round(league.ask(), 1)
    assert league.fresh().rounds_planned == planned
    publish_round(league.ask(), 1)
    assert league.fresh().rounds_planned == rounds


def test_withdrawn_only_while_nothing_is_played(league: League) -> None:
    publish_round(league.ask(), 1)
    open_fixture(league.ask(), league.fixtures(1)[0].token)
    with pytest.raises(Refusal, match="has started, so Round 1 cannot be unpublished"):
        withdraw_round(league.ask(), 1)


def test_round_is_added_changed_and_taken_away(pair: League) -> None:
    number = add_round(
        pair.ask(), RoundDraft(name="Opening night", points_limit=150, starts_at=EVENING)
    )
    change_round(pair.ask(reason="More models"), number, RoundDraft(points_limit=200))
    row = pair.round(number)
    assert (str(row), row.points_limit, row.starts_at) == ("Opening night", 200, EVENING)
    before = pair.fresh().version
    change_round(pair.ask(), number, RoundDraft(points_limit=200))
    assert before == pair.fresh().version
    add_round(pair.ask(), RoundDraft())
    with pytest.raises(Refusal, match="only the last round"):
        remove_round(pair.ask(), number)
    remove_round(pair.ask(), 2)
    remove_round(pair.ask(), 1)
    assert not pair.event.rounds.exists()


BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "limit": ("points_limit", {"points_limit": -1}),
    "scenario": ("scenarios", {"scenarios": ["no-such"]}),
    "name": ("name", {"name": "x" * 500}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_round_cannot_be_is_told(league: League, case: str) -> None:
    field, fields = BAD[case]
    with pytest.raises(Refusal) as refused:
        add_round(league.ask(), RoundDraft(**fields))
    assert (refused.value.field, league.event.rounds.count()) == (field, 1)


def test_steps_in_the_wrong_order_are_told(league: League) -> None:
    ask = (league.ask(), 1)
    with pytest.raises(Refusal, match="not closed"):
        reopen_round(*ask)
    with pytest.raises(Refusal, match="not published yet"):
        close_round(*ask)
    withdraw_round(*ask)
    with pytest.raises(Refusal, match="not paired yet"):
        publish_round(*ask)
    settle_event(league.ask(), "finish")
    with pytest.raises(Refusal, match="finished"):
        draw_round(*ask)


def test_only_organisers_and_only_what_they_saw(league: League) -> None:
    version = league.fresh().version
    for step in (publish_round, withdraw_round, close_round, reopen_round, remove_round):
        with pytest.raises(NotAllowed):
            step(league.by("Ada"), 1)
        with pytest.raises(NotFound):
            step(ChangeRequest(make_person(), league.token), 1)
        with pytest.raises(Stale):
            step(league.ask(version - 1), 1)
    assert league.fresh().version == version


# Who is here


def test_ticks_stand_for_themselves_and_make_no_page_stale() -> None:
    league = make_night(players=3)
    add_round(league.ask(), RoundDraft())
    version = league.fresh().version
    ada, ben, cleo = league.entries
    set_present(league.ask(), 1, {ada.token: True})
    set_present(league.ask(), 1, {ben.token: True, ada.token: False})
    check_in(league.by("Cleo"), 1)
    told = dict(
        Presence.objects.filter(round=league.round(1)).values_list("entry_id", "is_here")
    )
    assert told == {ada.pk: False, ben.pk: True, cleo.pk: True}
    assert league.fresh().version == version
    with pytest.raises(NotAllowed):
        set_present(league.by("Ada"), 1, {ada.token: True})
    with pytest.raises(NotFound):
        set_present(league.ask(), 1, {"nobody": True})
    with pytest.raises(NotAllowed):
        check_in(league.ask(), 1)


def test_guest_is_entered_and_here_once_however_often_it_is_sent() -> None:
    league = make_night(players=1)
    add_round(league.ask(), RoundDraft())
    first = add_guest(league.ask(key="k"), 1, "Ruth")
    again = add_guest(league.ask(key="k"), 1, "Ruth")
    assert first == again
    assert Presence.objects.filter(entry__name="Ruth", is_here=True).count() == 1
    with pytest.raises(Refusal, match="There is already a player ruth"):
        add_guest(league.ask(), 1, "ruth")
