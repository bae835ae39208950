"""Round robins through the operations: planned, drawn, mended after late entries and departures."""

from collections import Counter
from collections.abc import Callable

import pytest

from accounts.errors import Refusal
from campaigns.matching import max_weight_matching
from campaigns.models import Entry, Fixture, Round, RoundStatus
from campaigns.operations.entries import add_entry, drop_entry
from campaigns.operations.fixtures import swap_entries
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.round_robin import plan_rounds
from campaigns.operations.rounds import publish_round, withdraw_round
from engine.tournament.pairing import rest_of_robin
from tests.campaigns.leagues import League, make_event, make_league, names_in
from tests.factories import make_person

pytestmark = pytest.mark.django_db


def planned(players: int = 4, **fields: object) -> League:
    league = make_league(players=players, method="robin", **fields)
    plan_rounds(league.ask(), seed="s")
    return league


def hold(league: League, number: int) -> None:
    draw_round(league.ask(), number)
    publish_round(league.ask(), number)


def hold_all(league: League) -> None:
    """Every round to come, whatever is planned by then."""
    for _ in range(60):
        row = (
            Round.objects.filter(event=league.event, status=RoundStatus.PLANNED)
            .order_by("number")
            .first()
        )
        if row is None:
            return
        hold(league, row.number)
    raise AssertionError("no end of rounds")


def met(league: League) -> Counter[frozenset[str]]:
    rows = Fixture.objects.filter(
        round__event=league.event, other__isnull=False
    ).select_related("one", "other")
    return Counter(frozenset(names_in(row)) for row in rows)


def attacks(league: League) -> Counter[tuple[str, str]]:
    rows = Fixture.objects.filter(
        round__event=league.event, other__isnull=False
    ).select_related("one", "other")
    return Counter(
        (row.one.name, row.other.name)
        for row in rows
        if row.attacker_id == row.one_id and row.other
    )


def test_whole_schedule_is_planned_in_advance_and_drawn_as_it_stands() -> None:
    league = planned()
    assert [row.status for row in Round.objects.filter(event=league.event)] == [
        "planned"
    ] * 3
    assert sorted(met(league).values()) == [1] * 6
    before = [[names_in(row) for row in league.fixtures(number)] for number in (1, 2, 3)]
    hold_all(league)
    assert [
        [names_in(row) for row in league.fixtures(number)] for number in (1, 2, 3)
    ] == before
    assert [row.table for row in league.fixtures(3)] == [1, 2]


def test_second_leg_swaps_the_sides() -> None:
    league = planned(players=3, legs=2)
    assert Round.objects.filter(event=league.event).count() == 6
    assert sorted(met(league).values()) == [2, 2, 2]
    assert all(times == 1 for times in attacks(league).values())


def test_who_drops_out_leaves_a_bye_and_the_timetable_stays() -> None:
    league = planned()
    hold(league, 1)
    before = {
        number: [names_in(row) for row in league.fixtures(number)] for number in (2, 3)
    }
    gone = league.entry("Ada")
    drop_entry(league.ask(), gone.token)
    for number in (2, 3):
        hold(league, number)
        stay = {tuple(name for name in names if name != "Ada") for names in before[number]}
        assert {names_in(row) for row in league.fixtures(number)} == stay
        bye = next(row for row in league.fixtures(number) if row.other_id is None)
        assert (bye.reason, bye.status) == ("Bye: the scheduled opponent is away.", "final")


@pytest.mark.parametrize("players, legs", [(4, 1), (5, 1), (3, 2)])
def test_late_entry_is_fitted_in_so_that_all_still_meet(players: int, legs: int) -> None:
    league = planned(players, legs=legs)
    hold(league, 1)
    add_entry(league.ask(), name="Zoe")
    hold_all(league)
    names = Entry.objects.filter(event=league.event).count()
    assert len(met(league)) == names * (names - 1) // 2
    assert set(met(league).values()) == {legs}
    assert set(attacks(league).values()) <= {1}


def test_swap_by_hand_is_made_good_in_the_rounds_to_come() -> None:
    league = planned()
    draw_round(league.ask(), 1)
    one, other = (league.fixtures(1)[place].one for place in (0, 1))
    swap_entries(league.ask(), 1, one.token, other.token)
    publish_round(league.ask(), 1)
    hold_all(league)
    assert set(met(league).values()) == {1}


def test_plan_keeps_published_rounds_and_waits_for_a_draft() -> None:
    league = planned()
    hold(league, 1)
    first = [names_in(row) for row in league.fixtures(1)]
    draw_round(league.ask(), 2)
    with pytest.raises(Refusal, match="Round 2 is paired"):
        plan_rounds(league.ask())
    withdraw_round(league.ask(), 2)
    assert plan_rounds(league.ask(), seed="other") == 2
    assert [names_in(row) for row in league.fixtures(1)] == first
    assert set(met(league).values()) == {1}


def test_too_many_and_too_few_are_told() -> None:
    league = make_league(players=1, method="robin")
    with pytest.raises(Refusal, match="at least two players"):
        plan_rounds(league.ask())
    organiser = make_person()
    event = make_event(organiser=organiser, method="robin")
    Entry.objects.bulk_create(Entry(event=event, name=f"G{n}") for n in range(62))
    with pytest.raises(Refusal, match="would be 61 rounds; at most 60"):
        plan_rounds(ChangeRequest(organiser, event.token))
    with pytest.raises(Refusal, match="Only a round robin"):
        plan_rounds(ChangeRequest(organiser, make_event(organiser=organiser).token))


def test_rest_is_short_and_complete(soak: Callable[[int, int], int]) -> None:
    """Nobody came late, nothing was played: the rest is a whole league in about as few rounds as
    one needs.
    """
    for number in range(2, soak(8, 20)):
        ids = [f"p{place}" for place in range(number)]
        rounds = rest_of_robin(ids, [], legs=1, seed="s", match=max_weight_matching)
        games = Counter(
            frozenset(one.ids) for told in rounds for one in told if not one.is_bye
        )
        assert len(games) == number * (number - 1) // 2
        assert set(games.values()) == {1}
        assert all(
            sorted(pk for one in told for pk in one.ids) == sorted(ids) for told in rounds
        )
        assert len(rounds) <= number + 1
