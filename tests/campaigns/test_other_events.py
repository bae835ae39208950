"""What is done in an event is done in it alone: another one of the same players stays as it is.

The other event is made first, has the lower ids and the higher numbers, and everything in it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from accounts.errors import NotFound, Refusal, WrongState
from accounts.operations.people import close_account
from battles.models import Battle
from campaigns.models import (
    ENTRIES_MAX,
    CalendarEdition,
    Entry,
    EntryStatus,
    EventLog,
    EventStatus,
    Fixture,
    FixtureStatus,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.operations.challenges import answer_challenge, create_challenge
from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import (
    add_entry,
    change_entry,
    drop_entry,
    enter_event,
    rejoin_entry,
)
from campaigns.operations.events import change_event, create_event, settle_event
from campaigns.operations.fixtures import (
    FixtureDraft,
    add_fixture,
    change_fixture,
    remove_fixture,
    swap_entries,
)
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round, pair_late
from campaigns.operations.results import (
    accept_result,
    accept_round,
    open_fixture,
    report_result,
)
from campaigns.operations.round_lists import revoke_waiver, unlock_list, waive
from campaigns.operations.round_robin import plan_rounds
from campaigns.operations.rounds import (
    RoundDraft,
    add_guest,
    add_round,
    check_in,
    close_round,
    publish_round,
    remove_round,
    renew_calendars,
    reopen_round,
    set_present,
    withdraw_round,
)
from campaigns.queries.records import Outcome
from notices.models import Notice
from tests.campaigns.leagues import make_draft, names_in
from tests.campaigns.results import faults, fresh, put_up, report
from tests.campaigns.two_events import GUEST, PAIRS, TwoEvents, make_two, pairs, untouched
from tests.factories import make_club, make_legal_warband

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# Entries


def test_entering_looks_at_the_players_of_its_own_event(two: TwoEvents) -> None:
    with untouched(two.other):
        token = add_entry(two.asked, name=GUEST)
        assert two.here.entry(GUEST).joined == 1
        change_entry(two.asked, token, name="ZOE")
        with pytest.raises(Refusal, match="already a player zoe"):
            add_entry(two.asked, name="zoe")
        with pytest.raises(NotFound):
            change_entry(two.asked, two.other.entry(GUEST).token, name="Eve")
    own = enter_event(two.by("Ada"))
    assert own == two.here.entry("Ada").token


def test_entering_counts_the_players_of_its_own_event(two: TwoEvents) -> None:
    more = [Entry(event=two.other.event, name=f"More {n}") for n in range(ENTRIES_MAX - 5)]
    Entry.objects.bulk_create(more)
    add_entry(two.asked, name="Eve")
    assert two.here.entry("Eve").joined == 1


def test_member_of_another_event_is_entered_under_the_same_name(two: TwoEvents) -> None:
    Entry.objects.filter(event=two.here.event, name="Dora").delete()
    dora = two.other.player("Dora")
    add_entry(two.asked, user_id=dora.user_id)
    assert two.here.entry("Dora").user_id == dora.user_id


def test_dropping_out_is_from_one_event(two: TwoEvents) -> None:
    put_up(two.here, 1, PAIRS)
    ada = two.here.entry("Ada")
    with untouched(two.other):
        drop_entry(two.by("Ada"), ada.token)
        values = (two.here.entry("Ada").dropped, two.here.entry("Ben").status)
        assert values == (2, EntryStatus.ACTIVE)
        rejoin_entry(two.by("Ada"), ada.token)
    # The other event has a draft, this one has none.
    line = EventLog.objects.filter(event=two.here.event, verb="drop").get()
    assert line.area == ""


# What an event agrees on, and its states


def test_changed_terms_reach_the_battles_and_warbands_of_one_event(two: TwoEvents) -> None:
    game = put_up(two.here, 1, PAIRS)[0]
    token = open_fixture(two.asked, game.token)
    with untouched(two.other):
        change_event(two.asked, make_draft(confirmation="organiser", has_one_list=True))
    assert Battle.objects.get(token=token).confirmation == "organiser"
    assert two.here.fresh().has_one_list


def test_another_system_takes_the_warbands_off_one_event(two: TwoEvents) -> None:
    warband = make_legal_warband(actor=two.here.player("Ada"))
    change_entry(two.by("Ada"), two.here.entry("Ada").token, warband=warband.token)
    with untouched(two.other):
        change_event(two.asked, make_draft(system="mordheim-draft"))
    assert two.here.entry("Ada").warband is None


def test_event_that_has_not_begun_is_open_again(two: TwoEvents) -> None:
    with untouched(two.other):
        settle_event(two.asked, "finish")
        settle_event(two.asked, "reopen")
    assert two.here.fresh().status == EventStatus.OPEN


def test_event_is_made_in_the_club_that_is_named(two: TwoEvents) -> None:
    club = make_club(owner=two.here.organiser, name="Second club")
    token = create_event(two.here.organiser, club.slug, make_draft())
    assert club.events.get().token == token


# Rounds


def test_rounds_are_numbered_in_their_own_event(two: TwoEvents) -> None:
    with untouched(two.other):
        assert add_round(two.asked, RoundDraft()) == 1
        assert add_round(two.asked, RoundDraft(name="Last")) == 2
        remove_round(two.asked, 2)
        with pytest.raises(NotFound):
            remove_round(two.asked, 3)
    assert list(two.here.event.rounds.values_list("number", flat=True)) == [1]


def test_round_goes_through_its_states_alone(two: TwoEvents) -> None:
    put_up(two.here, 1, [*PAIRS, ("Ada",)], is_friendly=True)
    second = put_up(two.here, 2, [("Ada",), ("Ben", "Cleo")])
    two.here.event.rounds.filter(number=2).update(status=RoundStatus.DRAFT)
    Fixture.objects.filter(round__event=two.here.event).update(status=FixtureStatus.OPEN)
    with untouched(two.other):
        publish_round(two.asked, 2)
        assert [one.status for one in two.here.fixtures(2)] == ["final", "open"]
        # Byes of other rounds stay as they are.
        assert two.here.fixtures(1)[2].status == "open"
        with pytest.raises(WrongState, match="Ben against Cleo"):
            close_round(two.asked, 2)
        Fixture.objects.filter(round__number=1, round__event=two.here.event).update(
            status=FixtureStatus.FINAL
        )
        withdraw_round(two.asked, 2)
        assert fresh(second[0]).status == "open"
        assert [one.status for one in two.here.fixtures(1)] == ["final"] * 3
        withdraw_round(two.asked, 2)
        close_round(two.asked, 1)
        reopen_round(two.asked, 1)
    assert (len(pairs(two.here, 1)), pairs(two.here, 2)) == (3, [])


def test_ticks_are_of_one_round_and_its_own_players(two: TwoEvents) -> None:
    for _ in range(2):
        add_round(two.asked, RoundDraft())
    with untouched(two.other):
        check_in(two.by("Ada"), 2)
        set_present(two.asked, 2, {two.here.entry("Ben").token: False})
        guest = add_guest(two.asked, 2, GUEST)
        with pytest.raises(NotFound):
            set_present(two.asked, 2, {two.other.entry("Ben").token: True})
    ticks = Presence.objects.filter(round__event=two.here.event).order_by("pk")
    values = [(one.round.number, one.entry.name, one.is_here) for one in ticks]
    assert values == [(2, "Ada", True), (2, "Ben", False), (2, GUEST, True)]
    assert two.here.entry(GUEST).token == guest


# Drawing


def test_swiss_round_pairs_the_players_of_its_event(two: TwoEvents) -> None:
    add_round(two.asked, RoundDraft())
    with untouched(two.other):
        draw_round(two.asked, 1, seed="s")
        drawn = draw_round(two.asked, 1, seed="s")
        assert (drawn.pairs, drawn.byes, drawn.rematches) == (2, 0, 0)
        publish_round(two.asked, 1)
    assert [one.table for one in two.here.fixtures(1)] == [1, 2]
    assert [one.position for one in two.here.fixtures(1)] == [1, 2]


def test_club_night_pairs_who_is_here_and_then_who_comes() -> None:
    two = make_two(kind="night", method="present")
    ada, ben, cleo, dora = (one.token for one in two.here.entries)
    for _ in range(2):
        add_round(two.asked, RoundDraft())
    set_present(two.asked, 1, {dora: True})
    with untouched(two.other):
        draw_round(two.asked, 2, present=[ada, ben, cleo])
        publish_round(two.asked, 2)
        resting = [names for names in pairs(two.here, 2) if len(names) == 1]
        assert len(pairs(two.here, 2)) == 2
        pair_late(two.asked, 2, present=[dora])
        with pytest.raises(Refusal, match="is not a player of this event"):
            pair_late(two.asked, 2, present=[two.other.entry(GUEST).token])
    assert {*resting[0], "Dora"} in [set(names) for names in pairs(two.here, 2)]
    assert len(pairs(two.here, 2)) == 2
    ticks = Presence.objects.filter(round=two.here.round(2))
    assert ticks.count() == 4


def test_schedule_is_of_the_games_of_its_event() -> None:
    two = make_two(method="robin")
    with untouched(two.other):
        assert plan_rounds(two.asked, seed="s") == 3
        draw_round(two.asked, 1, seed="t")
        publish_round(two.asked, 1)
        first = pairs(two.here, 1)
        assert plan_rounds(two.asked, seed="u") == 2
    numbers = two.here.event.rounds.values_list("number", "seed")
    assert list(numbers) == [(1, "t"), (2, "u"), (3, "u")]
    met = [frozenset(names) for n in (1, 2, 3) for names in pairs(two.here, n)]
    assert (len(met), len(set(met)), pairs(two.here, 1)) == (6, 6, first)


def test_calendars_are_renewed_for_one_event(two: TwoEvents) -> None:
    with untouched(two.other):
        renew_calendars(two.asked)
        renew_calendars(two.asked)
    assert CalendarEdition.objects.get(event=two.here.event).number == 2


# Games


def test_games_are_added_and_changed_in_one_round(two: TwoEvents) -> None:
    put_up(two.here, 1, [("Ada",), ("Ben",), ("Dora",)])
    ada, ben, cleo, dora = (one.token for one in two.here.entries)
    two.here.event.rounds.create(number=2)
    with untouched(two.other):
        third = add_fixture(two.asked, 2, FixtureDraft(entries=(cleo, dora)))
        other = add_fixture(two.asked, 2, FixtureDraft(entries=(ada, ben)))
        # Byes of another round stay, and whoever was to come later plays from this one on.
        assert pairs(two.here, 1) == [("Ada",), ("Ben",), ("Dora",)]
        assert pairs(two.here, 2) == [("Cleo", "Dora"), ("Ada", "Ben")]
        rows = two.here.fixtures(2)
        values = [(one.position, one.table, one.is_rematch) for one in rows]
        assert values == [(1, 1, False), (2, 2, False)]
        change_fixture(two.asked, other, FixtureDraft(table=1))
        assert [one.table for one in two.here.fixtures(2)] == [2, 1]
        swap_entries(two.asked, 2, ada, dora)
        assert pairs(two.here, 2) == [("Cleo", "Ada"), ("Dora", "Ben")]
        remove_fixture(two.asked, third)
        with pytest.raises(NotFound):
            remove_fixture(two.asked, two.other.fixture(2, "Ada").token)
    assert pairs(two.here, 2) == [("Dora", "Ben")]


def test_game_added_to_a_round_ends_the_byes_of_its_players(two: TwoEvents) -> None:
    put_up(two.here, 1, [("Ada",), ("Ben",), ("Cleo",), ("Dora",)])
    ada, ben, *_ = (one.token for one in two.here.entries)
    with untouched(two.other):
        add_fixture(two.asked, 1, FixtureDraft(entries=(ada, ben)))
    assert pairs(two.here, 1) == [("Cleo",), ("Dora",), ("Ada", "Ben")]
    assert two.here.fixture(1, "Ada").position == 5


# Results


def test_results_and_decisions_are_of_one_game(two: TwoEvents) -> None:
    one, other = put_up(two.here, 1, PAIRS)
    told = {two.here.entry("Cleo").token: {"out": 2, "destroyed": 9}}
    winner = two.here.entry("Cleo").token
    with untouched(two.other):
        report(two.here, one, "Ada", by=two.here.player("Ada"))
        report_result(
            two.asked, other.token, Outcome(how="conceded", winner=winner, figures=told)
        )
        assert (fresh(one).told, fresh(other).told["a"]["out"]) == ({}, 2)
        asked = replace(two.asked, expected=None)
        decide_fixture(asked, one.token, decision="unplayed")
        assert fresh(other).decision == ""
        decide_fixture(asked, one.token, decision="")
        accept_result(two.asked, one.token)
        with pytest.raises(NotFound):
            accept_result(two.asked, two.other.fixture(2, "Cleo").token)
    assert not faults(one) + faults(other)
    assert fresh(one).played_at != fresh(other).played_at


def test_results_of_one_round_are_accepted(two: TwoEvents) -> None:
    first = put_up(two.here, 1, [("Ada", "Ben"), ("Cleo", "Dora"), ("Ada",)])
    later = put_up(two.here, 2, PAIRS)
    for game in (first[0], *later):
        report(two.here, game, "", by=two.here.player(names_in(game)[0]))
    Notice.objects.all().delete()
    with untouched(two.other):
        assert accept_round(two.asked, 1) == 1
    values = [fresh(one).status for one in (*first, *later)]
    assert values == ["final", "open", "final", "waiting", "waiting"]


# Challenges


def test_challenge_is_made_in_the_round_of_its_event() -> None:
    two = make_two(kind="campaign", method="challenge")
    for number in (1, 2):
        put_up(two.here, number, [("Ada", "Ben")])
    Fixture.objects.filter(round=two.here.round(2)).update(status=FixtureStatus.FINAL)
    two.here.event.rounds.create(number=3)
    ben, cleo = two.here.entry("Ben").token, two.here.entry("Cleo").token
    with untouched(two.other):
        first = create_challenge(two.by("Ada"), ben)
        second = create_challenge(two.by("Ada"), cleo)
        third = create_challenge(two.by("Cleo"), ben)
        # Whoever was challenged by one may be challenged by another.
        fourth = create_challenge(two.by("Dora"), cleo)
        with pytest.raises(NotFound):
            create_challenge(two.by("Ada"), two.other.entry("Cleo").token)
        answer_challenge(two.by("Cleo"), second, "accept")
        with pytest.raises(NotFound):
            answer_challenge(two.by("Ben"), two.here.fixture(1, "Ben").token, "accept")
        answer_challenge(two.by("Ben"), third, "decline")
        answer_challenge(two.by("Cleo"), fourth, "decline")
    made = list(Fixture.objects.filter(token__in=(first, second)).order_by("pk"))
    values = [(one.round.number, one.position, one.status) for one in made]
    assert values == [(2, 2, "asked"), (2, 3, "open")]
    assert len(pairs(two.here, 1)) == 1


def test_challenge_of_the_other_event_is_not_found_here() -> None:
    two = make_two(kind="campaign", method="challenge")
    theirs = two.other.fixture(2, "Ada")
    Fixture.objects.filter(pk=theirs.pk).update(
        asked_by=two.other.entry("Ada"), status=FixtureStatus.ASKED
    )
    with untouched(two.other), pytest.raises(NotFound):
        answer_challenge(two.by("Ben"), theirs.token, "accept")
    # Nobody but the two of them is asked.
    put_up(two.here, 1, [("Ada", "Ben", "Cleo")])
    token = create_challenge(two.by("Ada"), two.here.entry("Ben").token)
    assert pairs(two.here, 1) == [("Ada", "Ben", "Cleo"), ("Ada", "Ben")]
    assert Round.objects.get(fixtures__token=token).event == two.here.event


# Leaving


def test_who_leaves_is_forgotten_in_their_own_events_alone() -> None:
    two = make_two(shares_people=False)
    two.other.event.entries.filter(name="Dora").update(name="Former player 1")
    Fixture.objects.filter(round__event=two.other.event).update(reason="Ada was late.")
    put_up(two.here, 1, PAIRS, reason="Ada and Cleo swapped.")
    game = two.here.fixture(1, "Ada")
    open_fixture(two.asked, game.token)
    ada = two.here.player("Ada")
    with untouched(two.other):
        close_account(ada.user_id or 0)
    gone = two.here.event.entries.get(user=None)
    assert (gone.name, gone.status, gone.dropped) == ("Former player 1", "dropped", 2)
    rows = two.here.fixtures(1)
    assert [one.decision for one in rows] == ["unplayed", ""]
    assert rows[1].reason == "Former player 1 and Cleo swapped."
    battle = fresh(rows[0]).battle
    assert battle is not None
    assert [side["name"] for side in battle.locked["sides"]] == ["Former player 1", "Ben"]
    values = list(battle.sides.order_by("key").values_list("name", flat=True))
    assert values == ["Former player 1", "Ben"]


# What is the other event's is not found

Foreign = Callable[[ChangeRequest, str, str], object]
FOREIGN: dict[str, Foreign] = {
    "set_present": lambda ask, entry, game: set_present(ask, 1, {entry: True}),
    "change_entry": lambda ask, entry, game: change_entry(ask, entry, name="Eve"),
    "drop_entry": lambda ask, entry, game: drop_entry(ask, entry),
    "rejoin_entry": lambda ask, entry, game: rejoin_entry(ask, entry),
    "waive": lambda ask, entry, game: waive(ask, entry, "leader.missing"),
    "revoke_waiver": lambda ask, entry, game: revoke_waiver(ask, entry, "leader.missing"),
    "unlock_list": lambda ask, entry, game: unlock_list(ask, 1, entry),
    "change_fixture": lambda ask, entry, game: change_fixture(
        ask, game, FixtureDraft(table=5)
    ),
    "remove_fixture": lambda ask, entry, game: remove_fixture(ask, game),
    "decide_fixture": lambda ask, entry, game: decide_fixture(
        ask, game, decision="unplayed"
    ),
    "undecide_fixture": lambda ask, entry, game: decide_fixture(ask, game, decision=""),
    "open_fixture": lambda ask, entry, game: open_fixture(ask, game),
    "accept_challenge": lambda ask, entry, game: answer_challenge(ask, game, "accept"),
    "withdraw_challenge": lambda ask, entry, game: answer_challenge(ask, game, "withdraw"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_is_the_other_events_is_not_found(two: TwoEvents, what: str) -> None:
    put_up(two.here, 1, PAIRS)
    entry, game = two.other.entry("Ada").token, two.other.fixtures(1)[0].token
    Fixture.objects.filter(token=game).update(asked_by=two.other.entry("Ada"))
    with untouched(two.other), untouched(two.here), pytest.raises(NotFound):
        FOREIGN[what](two.asked, entry, game)


@pytest.mark.parametrize("names", [("Ada", "Ben"), ("Ben", "Ada")])
def test_nobody_of_the_other_event_is_put_into_a_game(two, names):
    put_up(two.here, 1, PAIRS)
    leagues = {"Ada": two.here, "Ben": two.other}
    tokens = [leagues[name].entry(name).token for name in names]
    draft = FixtureDraft(entries=tuple(tokens), is_friendly=True)
    with untouched(two.here), pytest.raises(NotFound):
        add_fixture(two.asked, 1, draft)
    with untouched(two.here), pytest.raises(NotFound):
        swap_entries(two.asked, 1, *tokens)
