"""Games, results, challenges and departures of an event: another one of the same players stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.errors import NotFound
from accounts.operations.people import close_account
from campaigns.models import Fixture, FixtureStatus, Round
from campaigns.operations.challenges import (
    accept_challenge,
    create_challenge,
    decline_challenge,
)
from campaigns.operations.fixtures import (
    FixtureDraft,
    add_fixture,
    change_fixture,
    remove_fixture,
    swap_entries,
)
from campaigns.operations.results import (
    accept_result,
    accept_round,
    decide_fixture,
    open_fixture,
    report_result,
    undecide_fixture,
)
from campaigns.queries.records import Outcome
from notices.models import Notice
from tests.campaigns.leagues import names_in
from tests.campaigns.results import faults, fresh, put_up, report
from tests.campaigns.two_events import PAIRS, TwoEvents, make_two, pairs, untouched

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


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
        assert [(one.position, one.table, one.is_rematch) for one in rows] == [
            (1, 1, False),
            (2, 2, False),
        ]
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
        undecide_fixture(asked, one.token)
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
    assert [fresh(one).status for one in (*first, *later)] == [
        "final",
        "open",
        "final",
        "waiting",
        "waiting",
    ]


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
        accept_challenge(two.by("Cleo"), second)
        with pytest.raises(NotFound):
            accept_challenge(two.by("Ben"), two.here.fixture(1, "Ben").token)
        decline_challenge(two.by("Ben"), third)
        decline_challenge(two.by("Cleo"), fourth)
    made = list(Fixture.objects.filter(token__in=(first, second)).order_by("pk"))
    assert [(one.round.number, one.position, one.status) for one in made] == [
        (2, 2, "asked"),
        (2, 3, "open"),
    ]
    assert len(pairs(two.here, 1)) == 1


def test_challenge_of_the_other_event_is_not_found_here() -> None:
    two = make_two(kind="campaign", method="challenge")
    theirs = two.other.fixture(2, "Ada")
    Fixture.objects.filter(pk=theirs.pk).update(
        asked_by=two.other.entry("Ada"), status=FixtureStatus.ASKED
    )
    with untouched(two.other), pytest.raises(NotFound):
        accept_challenge(two.by("Ben"), theirs.token)
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
    assert list(battle.sides.order_by("key").values_list("name", flat=True)) == [
        "Former player 1",
        "Ben",
    ]
