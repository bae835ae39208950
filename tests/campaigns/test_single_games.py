"""Single games, rounds and terms at their bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, Stale, WrongState
from campaigns.models import (
    EventLog,
    Fixture,
    FixtureStatus,
    ListLock,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.operations.entries import add_entry, drop_entry, rejoin_entry
from campaigns.operations.events import change_event
from campaigns.operations.fixtures import (
    FixtureDraft,
    add_fixture,
    change_fixture,
    check_fixture_change,
    remove_fixture,
    swap_in_fixture,
)
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import check_present, draw_round, pair_late
from campaigns.operations.results import accept_round, open_fixture
from campaigns.operations.round_robin import plan_rounds
from campaigns.operations.rounds import (
    RoundDraft,
    add_round,
    change_round,
    close_round,
    publish_round,
    remove_round,
    withdraw_round,
)
from notices.models import Notice
from rulesdata.queries.scenarios import scenario_choices
from tests.campaigns.leagues import (
    League,
    make_draft,
    make_league,
    make_night,
    make_round,
    names_in,
)
from tests.campaigns.results import fresh, put_up, report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAIRS = (("Ada", "Ben"), ("Cleo", "Dora"))


def asked(league: League, reason: str = "It was so.") -> ChangeRequest:
    return league.ask(reason=reason)


def tokens(league: League, *names: str) -> tuple[str, ...]:
    return tuple(league.entry(name).token for name in names)


def pairs(league: League, number: int = 1) -> list[tuple[str, ...]]:
    return [names_in(one) for one in league.fixtures(number)]


# By hand


def test_two_or_three_players_make_a_game() -> None:
    league = make_night(players=5)
    make_round(league)
    for names in (("Ada",), ("Ada", "Ben", "Cleo", "Dora")):
        with pytest.raises(Refusal) as refused:
            add_fixture(asked(league), 1, FixtureDraft(entries=tokens(league, *names)))
        assert refused.value.field == "entries"
    three = FixtureDraft(entries=tokens(league, "Ada", "Ben", "Cleo"))
    add_fixture(asked(league), 1, three)
    add_fixture(asked(league), 1, FixtureDraft(entries=tokens(league, "Dora", "Emil")))
    assert pairs(league) == [("Ada", "Ben", "Cleo"), ("Dora", "Emil")]
    assert league.round(1).status == RoundStatus.DRAFT
    words = EventLog.objects.filter(verb="add_fixture").order_by("pk")[0].words
    assert words == "Added Ada, Ben and Cleo to round 1."
    # Games by hand stay as they are when the round is drawn again.
    everybody = [one.token for one in league.entries]
    draw_round(asked(league), 1, present=everybody)
    assert pairs(league) == [("Ada", "Ben", "Cleo"), ("Dora", "Emil")]


def test_game_by_hand_agrees_on_what_is_said() -> None:
    league = make_league(players=4, tables=1)
    put_up(league, 1, [("Ada", "Ben")])
    make_round(league)
    at = timezone.now() + timedelta(days=2)
    ada, ben, cleo, dora = tokens(league, "Ada", "Ben", "Cleo", "Dora")
    first = FixtureDraft(entries=(ada, ben), plays_at=at, attacker=ben, table=1)
    add_fixture(asked(league), 2, first)
    add_fixture(asked(league), 2, FixtureDraft(entries=(cleo, dora)))
    add_fixture(asked(league), 2, FixtureDraft(entries=(ada, dora), is_friendly=True))
    rows = league.fixtures(2)
    assert [(one.table, one.plays_at, one.is_kept, one.is_friendly) for one in rows] == [
        (1, at, True, False),
        (None, None, True, False),
        (None, None, True, True),
    ]
    assert [one.attacker and one.attacker.name for one in rows] == ["Ben", None, None]
    assert [(one.is_rematch, one.reason) for one in rows[:2]] == [
        (True, "Paired by an organiser. Rematch."),
        (False, "Paired by an organiser. First meeting."),
    ]
    words = EventLog.objects.filter(verb="add_fixture").order_by("pk")[2].words
    assert words == "Added Ada against Dora to round 2, friendly."


def test_who_comes_late_plays_from_the_round_of_a_game_by_hand_on() -> None:
    league = make_league(players=3)
    make_round(league)
    make_round(league)
    for name, joined in (("Ada", 3), ("Ben", 1), ("Cleo", 3)):
        league.event.entries.filter(name=name).update(joined=joined)
    add_fixture(asked(league), 2, FixtureDraft(entries=tokens(league, "Ada", "Ben")))
    assert [league.entry(name).joined for name in ("Ada", "Ben", "Cleo")] == [2, 1, 3]


def test_planned_round_of_a_schedule_stays_planned_with_another_game() -> None:
    league = make_league(players=4, method="robin")
    plan_rounds(asked(league), seed="s")
    friendly = FixtureDraft(entries=tokens(league, "Ada", "Ben"), is_friendly=True)
    add_fixture(asked(league), 1, friendly)
    assert league.round(1).status == RoundStatus.PLANNED


def test_game_is_changed_within_its_bounds() -> None:
    league = make_league(players=5, tables=3)
    one, other, bye = put_up(league, 1, [*PAIRS, ("Emil",)])
    for table in (0, 4):
        with pytest.raises(Refusal) as refused:
            change_fixture(asked(league), one.token, FixtureDraft(table=table))
        assert refused.value.field == "table"
    change_fixture(asked(league), one.token, FixtureDraft(table=3))
    change_fixture(asked(league), other.token, FixtureDraft(table=1))
    version = fresh(one).version
    change_fixture(asked(league), other.token, FixtureDraft(table=3))
    assert [fresh(row).table for row in (one, other)] == [1, 3]
    assert fresh(one).version == version + 1
    change_fixture(asked(league), other.token, FixtureDraft(table=None))
    assert fresh(other).table is None
    with pytest.raises(Refusal) as refused:
        change_fixture(
            asked(league), one.token, FixtureDraft(attacker=tokens(league, "Cleo")[0])
        )
    assert refused.value.field == "attacker"
    with pytest.raises(Refusal):
        change_fixture(asked(league), bye.token, FixtureDraft(table=1))
    # Whether it counts is changed for a reason.
    with pytest.raises(Refusal) as refused:
        change_fixture(asked(league, " "), one.token, FixtureDraft(is_friendly=True))
    assert refused.value.field == "reason"
    before = fresh(one)
    check_fixture_change(asked(league), one.token, FixtureDraft(is_friendly=True))
    assert fresh(one).version == before.version
    open_fixture(asked(league), one.token)
    with pytest.raises(Refusal) as refused:
        change_fixture(
            asked(league), one.token, FixtureDraft(attacker=tokens(league, "Ben")[0])
        )
    assert refused.value.field == "attacker"
    change_fixture(asked(league), one.token, FixtureDraft(table=2))
    with pytest.raises(WrongState, match="has started and cannot be removed"):
        remove_fixture(asked(league), one.token)


# Swapping within a game


def test_swap_in_a_game_names_who_plays_in_it() -> None:
    league = make_league(players=5)
    one, other, _ = put_up(league, 1, [*PAIRS, ("Emil",)])
    ada, cleo, emil = tokens(league, "Ada", "Cleo", "Emil")
    with pytest.raises(Refusal) as refused:
        swap_in_fixture(asked(league), one.token, cleo, ada)
    assert refused.value.field == "one"
    with pytest.raises(NotAllowed):
        swap_in_fixture(league.by("Ada"), one.token, ada, cleo)
    with pytest.raises(Stale):
        swap_in_fixture(league.ask(7), one.token, ada, cleo)
    seen = league.ask(1)
    told = swap_in_fixture(seen, one.token, ada, cleo, is_preview=True)
    assert pairs(league) == [*PAIRS, ("Emil",)]
    done = swap_in_fixture(league.ask(1, reason="Late."), one.token, ada, cleo)
    assert told == done
    assert (done.before, done.after) == (
        ("Ada against Ben", "Cleo against Dora"),
        ("Cleo against Ben", "Ada against Dora"),
    )
    assert (done.rematches, done.left) == ((), "")
    line = EventLog.objects.filter(verb="swap").get()
    assert (line.area, line.subject, line.reason) == ("round 1", one.token, "Late.")
    assert not fresh(other).is_rematch
    swap_in_fixture(asked(league), other.token, ada, emil)
    assert pairs(league) == [("Cleo", "Ben"), ("Emil", "Dora"), ("Ada",)]
    assert fresh(other).reason == "Paired by an organiser. First meeting."
    assert league.fixtures(1)[2].reason == "Bye: set by an organiser."


# Rounds


def test_published_again_it_is_told_again_where_it_changed(pair: League) -> None:
    put_up(pair, 1, [("Ada", "Ben")])
    pair.event.rounds.update(status=RoundStatus.DRAFT)
    game = pair.fixtures(1)[0]
    at = timezone.now() + timedelta(days=1)
    told = []
    for columns in (
        {},
        {},
        {"table": 1},
        {"plays_at": at},
        {"plays_at": at + timedelta(days=1)},
        {"scenario": "own"},
        {"one": game.other, "other": game.one},
        {},
    ):
        Fixture.objects.filter(pk=game.pk).update(**columns)
        publish_round(asked(pair), 1)
        told.append(Notice.objects.filter(kind="round").count() // 2)
        withdraw_round(asked(pair), 1)
    assert told == [1, 1, 2, 3, 4, 5, 6, 6]


def test_rounds_are_numbered_past_those_there_are(pair: League) -> None:
    pair.event.rounds.create(number=2)
    assert add_round(asked(pair), RoundDraft()) == 3
    assert add_round(asked(pair), RoundDraft()) == 4
    pair.event.rounds.all().delete()
    for number in range(1, 61):
        pair.event.rounds.create(number=number)
    with pytest.raises(Refusal) as refused:
        add_round(asked(pair), RoundDraft())
    assert refused.value.field == "number"


def test_games_that_keep_a_round_open_are_named() -> None:
    league = make_league(players=12)
    names = [one.name for one in league.entries]
    games = [tuple(names[place : place + 2]) for place in range(0, 12, 2)]
    put_up(league, 1, games)
    with pytest.raises(WrongState) as refused:
        close_round(asked(league), 1)
    assert str(refused.value) == (
        "Games without a result: Ada against Ben; Cleo against Dora; Emil against Fritz "
        "and 3 more. Enter their results, then close the round."
    )
    first = league.fixtures(1)[0]
    Fixture.objects.exclude(pk=first.pk).update(status=FixtureStatus.FINAL)
    with pytest.raises(WrongState, match=r"Game without a result: Ada against Ben\. "):
        close_round(asked(league), 1)
    Fixture.objects.update(is_friendly=True)
    close_round(asked(league), 1)


def test_results_of_a_draft_are_not_accepted(league: League) -> None:
    put_up(league, 1, PAIRS)
    league.event.rounds.update(status=RoundStatus.DRAFT)
    with pytest.raises(WrongState, match="not published yet"):
        accept_round(asked(league), 1)


def test_what_silence_is_due_to_confirm_is_confirmed_once(league: League) -> None:
    game = put_up(league, 1, PAIRS)[0]
    report(league, game, "Ada", by=league.player("Ada"))
    battle = fresh(game).battle
    assert battle is not None
    type(battle).objects.update(confirm_by=timezone.now() - timedelta(minutes=1))
    assert accept_round(asked(league), 1) == 1
    verbs = battle.results.order_by("number").values_list("verb", "author")
    assert list(verbs) == [("propose", league.player("Ada").user_id), ("confirm", None)]


# Presence


def test_who_is_ticked_is_in_the_event_and_plays_on() -> None:
    league = make_night(players=4)
    make_round(league)
    check_present(["one"] * 128)
    with pytest.raises(Refusal) as refused:
        check_present(["one"] * 129)
    assert refused.value.field == "present"
    drop_entry(asked(league), league.entry("Dora").token)
    for name, words in (("nobody", "is not a player"), ("Dora", "Dora dropped out")):
        token = league.entry(name).token if name == "Dora" else name
        with pytest.raises(Refusal, match=words) as refused:
            draw_round(asked(league), 1, present=[token])
        assert refused.value.field == "present"
    draw_round(asked(league), 1, present=tokens(league, "Ada", "Ben"))
    publish_round(asked(league), 1)
    drawn = pair_late(asked(league), 1, present=tokens(league, "Cleo"))
    assert (drawn.pairs, drawn.byes, pairs(league)[-1]) == (1, 1, ("Cleo",))
    ticks = league.round(1).presences.values_list("entry__name", "is_here")
    assert dict(ticks) == {"Ada": True, "Ben": True, "Cleo": True}


# What rounds, schedules and terms take at their bounds, and what stays of a plan


def numbers(league: League) -> list[int]:
    return list(league.event.rounds.order_by("number").values_list("number", flat=True))


# Dates


@pytest.mark.parametrize("field", ["starts_at", "lists_due_at"])
def test_dates_are_of_this_century(pair: League, field: str) -> None:
    add_round(pair.ask(), RoundDraft())
    for moment in (
        datetime(1999, 12, 31, 12, tzinfo=UTC),
        datetime(2101, 1, 1, 12, tzinfo=UTC),
    ):
        with pytest.raises(Refusal) as refused:
            change_round(pair.ask(), 1, RoundDraft(**{field: moment}))
        assert refused.value.field == field
    for year in (2000, 2100):
        moment = datetime(year, 6, 1, 12, tzinfo=UTC)
        change_round(pair.ask(), 1, RoundDraft(**{field: moment}))
        assert getattr(pair.round(1), field) == moment
    change_round(pair.ask(), 1, RoundDraft(**{field: None}))
    assert getattr(pair.round(1), field) is None
    lines = pair.event.log.filter(verb="change_round")
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
    pool = [scenario_choices(league.event.system, league.organiser)[0][0]]
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


def test_stale_page_names_the_last_changes(pair: League) -> None:
    seen, words = pair.fresh().version, "Olga: Added round"
    for _ in range(4):
        add_round(pair.ask(), RoundDraft())
    with pytest.raises(Stale) as stale:
        add_round(pair.ask(seen), RoundDraft())
    told = str(stale.value)
    assert f"{words} 1." not in told
    assert f"{words} 2. {words} 3. {words} 4." in told
    # Who saw a later version than there is, or none that the log knows, saw no such event.
    for version in (pair.fresh().version + 1, 0):
        with pytest.raises(Stale):
            add_round(pair.ask(version), RoundDraft())
    add_round(pair.ask(pair.fresh().version), RoundDraft())


# Terms


@pytest.mark.parametrize(
    "terms, field",
    [
        ({"shows_treasury": True}, "shows_treasury"),
        ({"legs": 0}, "legs"),
        ({"tables": -1}, "tables"),
        ({"has_core": True, "needs_list": True, "has_one_list": True}, "has_one_list"),
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
    values = (row.legs, row.tables, row.rounds_planned, row.description)
    assert values == (2, 64, 60, "a\nb")
