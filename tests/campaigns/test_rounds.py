"""Rounds from planned to closed, and the ticks of who is here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from campaigns.models import EventStatus, Fixture, Presence, RoundStatus
from campaigns.operations.events import finish_event
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
from tests.campaigns.leagues import League, make_league, make_night
from tests.factories import make_person

pytestmark = pytest.mark.django_db
EVENING = datetime(2026, 11, 18, 19, tzinfo=UTC)


@pytest.fixture
def drawn() -> League:
    league = make_league(players=3)
    draw_round(
        ChangeRequest(league.organiser, league.token),
        add_round(ChangeRequest(league.organiser, league.token), RoundDraft()),
    )
    return league


def test_round_goes_from_planned_to_closed_and_back(drawn: League) -> None:
    ask = (ChangeRequest(drawn.organiser, drawn.token), 1)
    publish_round(*ask)
    bye = next(row for row in drawn.fixtures(1) if row.other_id is None)
    assert (bye.status, drawn.round(1).status, drawn.fresh().status) == (
        "final",
        "published",
        EventStatus.RUNNING,
    )
    assert drawn.round(1).published_at is not None
    withdraw_round(*ask)
    assert (drawn.round(1).status, {row.status for row in drawn.fixtures(1)}) == (
        RoundStatus.DRAFT,
        {"open"},
    )
    withdraw_round(*ask)
    assert (drawn.round(1).status, drawn.fixtures(1)) == (RoundStatus.PLANNED, [])
    draw_round(*ask)
    publish_round(*ask)
    Fixture.objects.filter(round=drawn.round(1)).update(status="final")
    close_round(*ask)
    reopen_round(*ask)
    assert drawn.round(1).status == RoundStatus.PUBLISHED


def test_withdrawn_only_while_nothing_is_played(drawn: League) -> None:
    publish_round(ChangeRequest(drawn.organiser, drawn.token), 1)
    open_fixture(ChangeRequest(drawn.organiser, drawn.token), drawn.fixtures(1)[0].token)
    with pytest.raises(Refusal, match="has started, so Round 1 cannot be unpublished"):
        withdraw_round(ChangeRequest(drawn.organiser, drawn.token), 1)


def test_round_is_added_changed_and_taken_away() -> None:
    league = make_league(players=2)
    number = add_round(
        ChangeRequest(league.organiser, league.token),
        RoundDraft(name="Opening night", points_limit=150, starts_at=EVENING),
    )
    change_round(
        ChangeRequest(league.organiser, league.token, reason="More models"),
        number,
        RoundDraft(points_limit=200),
    )
    row = league.round(number)
    assert (str(row), row.points_limit, row.starts_at) == ("Opening night", 200, EVENING)
    before = league.fresh().version
    change_round(
        ChangeRequest(league.organiser, league.token), number, RoundDraft(points_limit=200)
    )
    assert before == league.fresh().version
    add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
    with pytest.raises(Refusal, match="only the last round"):
        remove_round(ChangeRequest(league.organiser, league.token), number)
    remove_round(ChangeRequest(league.organiser, league.token), 2)
    remove_round(ChangeRequest(league.organiser, league.token), 1)
    assert not league.event.rounds.exists()


BAD: dict[str, tuple[str, dict[str, Any]]] = {
    "limit": ("points_limit", {"points_limit": -1}),
    "scenario": ("scenarios", {"scenarios": ["no-such"]}),
    "naive moment": ("starts_at", {"starts_at": datetime(2026, 11, 18)}),
    "ancient": ("lists_due_at", {"lists_due_at": datetime(1500, 1, 1, tzinfo=UTC)}),
    "name": ("name", {"name": "x" * 500}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_round_cannot_be_is_told(league: League, case: str) -> None:
    field, fields = BAD[case]
    with pytest.raises(Refusal) as refused:
        add_round(ChangeRequest(league.organiser, league.token), RoundDraft(**fields))
    assert (refused.value.field, league.event.rounds.count()) == (field, 0)


def test_steps_in_the_wrong_order_are_told(drawn: League) -> None:
    ask = (ChangeRequest(drawn.organiser, drawn.token), 1)
    with pytest.raises(Refusal, match="not closed"):
        reopen_round(*ask)
    with pytest.raises(Refusal, match="not published yet"):
        close_round(*ask)
    withdraw_round(*ask)
    with pytest.raises(Refusal, match="not paired yet"):
        publish_round(*ask)
    finish_event(ChangeRequest(drawn.organiser, drawn.token))
    with pytest.raises(Refusal, match="finished"):
        draw_round(*ask)


def test_only_organisers_and_only_what_they_saw(drawn: League) -> None:
    version = drawn.fresh().version
    for step in (publish_round, withdraw_round, close_round, reopen_round, remove_round):
        with pytest.raises(NotAllowed):
            step(ChangeRequest(drawn.player("Ada"), drawn.token), 1)
        with pytest.raises(NotFound):
            step(ChangeRequest(make_person(), drawn.token), 1)
        with pytest.raises(Stale):
            step(ChangeRequest(drawn.organiser, drawn.token, version - 1), 1)
    assert drawn.fresh().version == version


# Who is here


def test_ticks_stand_for_themselves_and_make_no_page_stale() -> None:
    league = make_night(players=3)
    add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
    version = league.fresh().version
    ada, ben, cleo = league.entries
    set_present(ChangeRequest(league.organiser, league.token), 1, {ada.token: True})
    set_present(
        ChangeRequest(league.organiser, league.token),
        1,
        {ben.token: True, ada.token: False},
    )
    check_in(ChangeRequest(league.player("Cleo"), league.token), 1)
    told = dict(
        Presence.objects.filter(round=league.round(1)).values_list("entry_id", "is_here")
    )
    assert told == {ada.pk: False, ben.pk: True, cleo.pk: True}
    assert league.fresh().version == version
    with pytest.raises(NotAllowed):
        set_present(ChangeRequest(league.player("Ada"), league.token), 1, {ada.token: True})
    with pytest.raises(NotFound):
        set_present(ChangeRequest(league.organiser, league.token), 1, {"nobody": True})
    with pytest.raises(NotAllowed):
        check_in(ChangeRequest(league.organiser, league.token), 1)


def test_guest_is_entered_and_here_once_however_often_it_is_sent() -> None:
    league = make_night(players=1)
    add_round(ChangeRequest(league.organiser, league.token), RoundDraft())
    first = add_guest(ChangeRequest(league.organiser, league.token, key="k"), 1, "Ruth")
    again = add_guest(ChangeRequest(league.organiser, league.token, key="k"), 1, "Ruth")
    assert first == again
    assert Presence.objects.filter(entry__name="Ruth", is_here=True).count() == 1
    with pytest.raises(Refusal, match="There is already a player ruth"):
        add_guest(ChangeRequest(league.organiser, league.token), 1, "ruth")
