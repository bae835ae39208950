"""What the charts of a table show."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.tournament.awards import (
    Matrix,
    OpponentRecord,
    PlaceHistories,
    PlaceHistory,
    head_to_head_matrix,
    position_by_round,
)
from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring

THREE = [Entrant("a", "A"), Entrant("b", "B"), Entrant("c", "C")]
GAMES = [
    Result(1, "a", "b", "b"),
    Result(1, "c", None),
    Result(2, "a", "c", "a"),
    Result(2, "b", None),
    Result(3, "b", "c"),
    Result(3, "a", None),
]


def places(
    field: Sequence[Entrant],
    games: Sequence[Result],
    scoring: Scoring,
    ties: Sequence[str] = (),
) -> PlaceHistories:
    """Everybody's place by round, from the table of these games."""
    return position_by_round(standings(field, games, scoring, ties), games, scoring, ties)


def matrix(field: Sequence[Entrant], games: Sequence[Result]) -> Matrix:
    """The games of a table, whose lines stand in the order of ``field``."""
    lines = {line.id: line for line in standings(field, games, Scoring())}
    return head_to_head_matrix([lines[one.id] for one in field])


def test_position_by_round_is_the_table_after_each() -> None:
    assert places(THREE, GAMES, Scoring(bye=1)) == PlaceHistories(
        (1, 2, 3),
        (
            PlaceHistory("b", "B", (1, 1, 1)),
            PlaceHistory("a", "A", (3, 2, 2)),
            PlaceHistory("c", "C", (2, 3, 3)),
        ),
    )


def test_position_by_round_shares_places() -> None:
    assert [one.places for one in places(THREE, GAMES[:2], Scoring(bye=3)).courses] == [
        (1,),
        (1,),
        (3,),
    ]


def test_position_of_late_entries_begins_with_their_round() -> None:
    late = [*THREE, Entrant("d", "D", joined=3)]
    told = places(late, [*GAMES, Result(3, "d", None)], Scoring())
    assert {one.id: one.places for one in told.courses}["d"] == (None, None, 4)


def test_position_of_somebody_who_played_before_they_joined_is_known() -> None:
    told = places([*THREE[:2], Entrant("c", "C", joined=9)], GAMES, Scoring(bye=1))
    assert [one.places for one in told.courses] == [(1, 1, 1), (3, 2, 2), (2, 3, 3)]


def test_play_off_counts_in_the_last_round_only() -> None:
    field = [Entrant("a", "A", play_off=2), Entrant("b", "B", play_off=1)]
    games = [Result(1, "a", "b"), Result(2, "a", "b")]
    told = places(field, games, Scoring(), ["play_off"])
    assert [(one.id, one.places) for one in told.courses] == [("b", (1, 1)), ("a", (1, 2))]


def test_no_rounds_have_no_positions() -> None:
    assert places(THREE[:1], [], Scoring()) == PlaceHistories(
        (), (PlaceHistory("a", "A", ()),)
    )
    assert places([], [], Scoring()) == PlaceHistories((), ())


def test_last_position_is_that_of_the_table() -> None:
    chance = random.Random(3)
    field = [
        Entrant(f"p{n}", f"P{n}", joined=chance.choice([1, 1, 2, 9])) for n in range(12)
    ]
    games = []
    for number in (1, 2, 4):
        here = chance.sample([one.id for one in field if one.joined <= number], 6)
        games += [
            Result(number, a, b, chance.choice([a, b]))
            for a, b in zip(here[::2], here[1::2], strict=True)
        ]
    ties = ["head_to_head", "opponents_score", "wins"]
    told = places(field, games, Scoring(), ties)
    assert told.rounds == (1, 2, 4)
    assert [(one.id, one.places[-1]) for one in told.courses] == [
        (one.id, one.place) for one in standings(field, games, Scoring(), ties)
    ]


def test_matrix_shows_each_game_from_both_sides() -> None:
    games = [
        *GAMES,
        Result(4, "b", "a", "b"),
        Result(5, "a", "b"),
        Result(6, "a", "c", is_unplayed=True),
    ]
    assert matrix(THREE, games) == Matrix(
        ("a", "b", "c"),
        ("A", "B", "C"),
        (
            (None, OpponentRecord(0, 1, 2, (1, 4, 5)), OpponentRecord(1, 0, 0, (2,))),
            (OpponentRecord(2, 1, 0, (1, 4, 5)), None, OpponentRecord(0, 1, 0, (3,))),
            (OpponentRecord(0, 0, 1, (2,)), OpponentRecord(0, 1, 0, (3,)), None),
        ),
    )


def test_matrix_keeps_the_order_of_the_entries() -> None:
    assert matrix(THREE[::-1], GAMES).ids == ("c", "b", "a")


def test_matrix_of_nobody_and_of_one() -> None:
    assert matrix([], []) == Matrix((), (), ())
    assert matrix(THREE[:1], []).rows == ((None,),)
