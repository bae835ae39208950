"""What rounds, schedules and terms take at their bounds, and what stays of a plan."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import Refusal, Stale, WrongState
from campaigns.models import ListLock, Presence, Round
from campaigns.operations.entries import add_entry, drop_entry, rejoin_entry
from campaigns.operations.events import change_event
from campaigns.operations.pairing import draw_round, plan_rounds
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    change_round,
    publish_round,
    remove_round,
)
from tests.campaigns.leagues import League, make_draft, make_league, names_in
from warbands.rulebook import offered_scenarios

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def numbers(league: League) -> list[int]:
    return list(league.event.rounds.order_by("number").values_list("number", flat=True))


# Dates


@pytest.mark.parametrize("field", ["starts_at", "lists_due_at"])
def test_dates_are_of_this_century_and_have_a_time_zone(field: str) -> None:
    league = make_league(players=2)
    add_round(league.ask(), RoundDraft())
    for moment in (
        datetime(1999, 12, 31, 12, tzinfo=UTC),
        datetime(2101, 1, 1, 12, tzinfo=UTC),
        datetime(2030, 1, 1, 12),
        "2030-01-01",
    ):
        with pytest.raises(Refusal) as refused:
            change_round(league.ask(), 1, RoundDraft(**{field: moment}))
        assert refused.value.field == field
    for year in (2000, 2100):
        moment = datetime(year, 6, 1, 12, tzinfo=UTC)
        change_round(league.ask(), 1, RoundDraft(**{field: moment}))
        assert getattr(league.round(1), field) == moment
    change_round(league.ask(), 1, RoundDraft(**{field: None}))
    assert getattr(league.round(1), field) is None
    lines = league.event.log.filter(verb="change_round")
    assert lines.count() == 3
    assert lines[0].changes == {field: ["2100-06-01T12:00:00+00:00", None]}


# A schedule that is planned anew


@pytest.mark.parametrize(
    "columns",
    [
        {"name": "Final"},
        {"starts_at": timezone.now()},
        {"lists_due_at": timezone.now()},
        {"points_limit": 100},
        {},
    ],
    ids=lambda columns: "-".join(columns) or "nothing",
)
def test_round_that_somebody_described_stays_though_it_is_not_needed(
    columns: dict[str, Any],
) -> None:
    league = make_league(players=4, method="robin")
    assert plan_rounds(league.ask(), seed="s") == 3
    Round.objects.filter(event=league.event, number=3).update(**columns)
    for name in ("Cleo", "Dora"):
        drop_entry(league.ask(), league.entry(name).token)
    assert plan_rounds(league.ask(), seed="s") == 1
    assert numbers(league) == ([1, 3] if columns else [1])
    assert [len(league.fixtures(number)) for number in (1, 3)] == [1, 0]


@pytest.mark.parametrize("what", ["list", "tick"])
def test_round_for_which_somebody_did_something_stays(what: str) -> None:
    league = make_league(players=4, method="robin")
    plan_rounds(league.ask(), seed="s")
    entry, row = league.entry("Ada"), league.round(2)
    if what == "list":
        ListLock.objects.create(round=row, entry=entry)
    else:
        Presence.objects.create(round=row, entry=entry, is_here=True)
    for name in ("Cleo", "Dora"):
        drop_entry(league.ask(), league.entry(name).token)
    plan_rounds(league.ask(), seed="s")
    assert numbers(league) == [1, 2]


def test_plan_goes_on_behind_what_was_held() -> None:
    league = make_league(players=2, method="robin", legs=2, has_one_list=True)
    plan_rounds(league.ask(), seed="s")
    league.event.rounds.update(lists_published_at=timezone.now())
    draw_round(league.ask(), 1)
    publish_round(league.ask(), 1)
    remove_round(league.ask(), 2)
    add_entry(league.ask(), name="Cleo")
    assert plan_rounds(league.ask(), seed="s") == 5
    assert numbers(league) == [1, 2, 3, 4, 5, 6]
    # A round is added behind them with the lists that are shown for the event.
    league.event.rounds.filter(number__gt=1).update(lists_published_at=None)
    number = add_round(league.ask(), RoundDraft())
    assert league.round(number).lists_published_at == league.round(1).lists_published_at


def test_schedule_with_nothing_left_is_told() -> None:
    league = make_league(players=2, method="robin")
    plan_rounds(league.ask(), seed="s")
    draw_round(league.ask(), 1)
    publish_round(league.ask(), 1)
    add_round(league.ask(), RoundDraft())
    with pytest.raises(WrongState, match="All players have met"):
        draw_round(league.ask(), 2)


def test_round_of_a_schedule_has_scenarios_of_the_pool() -> None:
    league = make_league(players=3, method="robin")
    plan_rounds(league.ask(), seed="s")
    pool = [offered_scenarios(league.organiser, league.event.system)[0][0]]
    league.event.rounds.update(scenarios=pool)
    draw_round(league.ask(), 1)
    told = {len(names_in(row)): row.scenario for row in league.fixtures(1)}
    assert told == {2: pool[0], 1: ""}


def test_game_of_two_who_left_is_left_out() -> None:
    league = make_league(players=4, method="robin")
    plan_rounds(league.ask(), seed="s")
    one, other = names_in(league.fixtures(1)[0])
    left = names_in(league.fixtures(1)[1])
    for name in (one, other):
        drop_entry(league.ask(), league.entry(name).token)
    draw_round(league.ask(), 1, seed="s")
    assert [names_in(row) for row in league.fixtures(1)] == [left]
    rejoin_entry(league.ask(), league.entry(one).token)
    draw_round(league.ask(), 1, seed="s")
    assert sorted(len(names_in(row)) for row in league.fixtures(1)) == [1, 2]


# Pages that are stale


def test_stale_page_names_the_last_changes() -> None:
    league = make_league(players=2)
    seen, words = league.fresh().version, "Olga: Added round"
    for _ in range(4):
        add_round(league.ask(), RoundDraft())
    with pytest.raises(Stale) as stale:
        add_round(league.ask(seen), RoundDraft())
    told = str(stale.value)
    assert f"{words} 1." not in told
    assert f"{words} 2. {words} 3. {words} 4." in told
    # Who saw a later version than there is, or none that the log knows, saw no such event.
    for version in (league.fresh().version + 1, 0):
        with pytest.raises(Stale):
            add_round(league.ask(version), RoundDraft())
    add_round(league.ask(league.fresh().version), RoundDraft())


# Terms


@pytest.mark.parametrize(
    "terms, field",
    [
        ({"shows_treasury": True}, "shows_treasury"),
        ({"needs_list": 1}, "needs_list"),
        ({"is_secret": "yes"}, "is_secret"),
        ({"legs": 0}, "legs"),
        ({"legs": 3}, "legs"),
        ({"legs": 2}, "legs"),
        ({"tables": 65}, "tables"),
        ({"tables": -1}, "tables"),
        ({"rounds_planned": 61}, "rounds_planned"),
        ({"odd": "three"}, "odd"),
        ({"has_core": True}, "has_core"),
        ({"has_core": True, "needs_list": True, "has_one_list": True}, "has_one_list"),
        ({"tie_breaks": ("head_to_head", "head_to_head")}, "tie_breaks"),
        ({"tie_breaks": ("campaign_points",)}, "tie_breaks"),
        ({"visibility": "nobody"}, "visibility"),
        ({"name": "!!"}, "name"),
    ],
)
def test_terms_that_cannot_be_name_their_field(terms: dict[str, Any], field: str) -> None:
    league = make_league(players=0)
    before = league.fresh().version
    with pytest.raises(Refusal) as refused:
        change_event(league.ask(), make_draft(**terms))
    assert (refused.value.field, league.fresh().version) == (field, before)


def test_terms_at_their_bounds_are_kept() -> None:
    league = make_league(players=0)
    terms = {"method": "robin", "legs": 2, "tables": 64, "rounds_planned": 60}
    change_event(league.ask(), make_draft(**terms, place="The Quay", description="a\nb"))
    row = league.fresh()
    assert (row.legs, row.tables, row.rounds_planned, row.description) == (
        2,
        64,
        60,
        "a\nb",
    )
