"""What the charts of a table show."""

import random

from engine.tournament.awards import (
    OpponentRecord,
    head_to_head_matrix,
    position_by_round,
    rounds_met,
)
from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring

THREE = [Entrant("a", "A"), Entrant("b", "B"), Entrant("c", "C")]
GAMES = [
    Result(1, "a", "b", "b"), Result(1, "c", None), Result(2, "a", "c", "a"),
    Result(2, "b", None), Result(3, "b", "c"), Result(3, "a", None),
]  # fmt: skip


def places(field, games, scoring, ties=()) -> dict[str, tuple[int | None, ...]]:
    """Everybody's place by round, from the table of these games."""
    return position_by_round(standings(field, games, scoring, ties), games, scoring, ties)


def matrix(field, games) -> dict[str, tuple[OpponentRecord | None, ...]]:
    """The games of a table, whose lines stand in the order of ``field``."""
    lines = {line.id: line for line in standings(field, games, Scoring())}
    return head_to_head_matrix([lines[one.id] for one in field])


def test_position_by_round_is_the_table_after_each() -> None:
    after = places(THREE, GAMES, Scoring(bye=1))
    assert list(after.items()) == [("b", (1, 1, 1)), ("a", (3, 2, 2)), ("c", (2, 3, 3))]


def test_position_by_round_shares_places() -> None:
    after = places(THREE, GAMES[:2], Scoring(bye=3))
    assert list(after.values()) == [(1,), (1,), (3,)]


def test_position_of_late_entries_begins_with_their_round() -> None:
    late = [*THREE, Entrant("d", "D", joined=3)]
    told = places(late, [*GAMES, Result(3, "d", None)], Scoring())
    assert told["d"] == (None, None, 4)


def test_position_of_somebody_who_played_before_they_joined_is_known() -> None:
    told = places([*THREE[:2], Entrant("c", "C", joined=9)], GAMES, Scoring(bye=1))
    assert list(told.values()) == [(1, 1, 1), (3, 2, 2), (2, 3, 3)]


def test_of_a_three_player_game_the_winner_beat_both_and_they_drew() -> None:
    won, drawn, lost = (
        OpponentRecord(*counts, (1,)) for counts in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    )
    assert matrix(THREE, [Result(1, "a", "b", "a", third="c")]) == {
        "a": (None, won, won),
        "b": (lost, None, drawn),
        "c": (lost, drawn, None),
    }


def test_play_off_counts_in_the_last_round_only() -> None:
    field = [Entrant("a", "A", play_off=2), Entrant("b", "B", play_off=1)]
    games = [Result(1, "a", "b"), Result(2, "a", "b")]
    told = places(field, games, Scoring(), ["play_off"])
    assert list(told.items()) == [("b", (1, 1)), ("a", (1, 2))]


def test_no_rounds_have_no_positions() -> None:
    assert places(THREE[:1], [], Scoring()) == {"a": ()}
    assert places([], [], Scoring()) == {}


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
    assert rounds_met(games) == (1, 2, 4)
    assert [(key, after[-1]) for key, after in told.items()] == [
        (one.id, one.place) for one in standings(field, games, Scoring(), ties)
    ]


def test_matrix_shows_each_game_from_both_sides() -> None:
    games = [
        *GAMES, Result(4, "b", "a", "b"), Result(5, "a", "b"),
        Result(6, "a", "c", is_unplayed=True),
    ]  # fmt: skip
    assert matrix(THREE, games) == {
        "a": (None, OpponentRecord(0, 1, 2, (1, 4, 5)), OpponentRecord(1, 0, 0, (2,))),
        "b": (OpponentRecord(2, 1, 0, (1, 4, 5)), None, OpponentRecord(0, 1, 0, (3,))),
        "c": (OpponentRecord(0, 0, 1, (2,)), OpponentRecord(0, 1, 0, (3,)), None),
    }


def test_matrix_keeps_the_order_of_the_entries() -> None:
    assert tuple(matrix(THREE[::-1], GAMES)) == ("c", "b", "a")


def test_matrix_of_nobody_and_of_one() -> None:
    assert matrix([], []) == {}
    assert matrix(THREE[:1], []) == {"a": (None,)}
