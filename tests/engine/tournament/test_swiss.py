"""Swiss rounds: worked cases, each with the one thing it shows."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from campaigns.matching import max_weight_matching
from engine.tournament import matching
from engine.tournament.matching import PairPenalties, as_edges
from engine.tournament.pairing import Pairing, Player, swiss, swiss_rounds
from engine.tournament.types import Edge


def players(**scores: int) -> dict[str, Player]:
    return {key: Player(key, score) for key, score in scores.items()}


def met(field, one, other, *, last=1, games=1) -> None:
    """The two have met so often, the last time in that round."""
    for key, opponent in ((one, other), (other, one)):
        now = field[key]
        field[key] = replace(
            now, met={**now.met, opponent: games}, met_last={**now.met_last, opponent: last}
        )


def change(field: dict[str, Player], key: str, **figures: int) -> None:
    field[key] = replace(field[key], **figures)


def paired(field: dict[str, Player], seed: str = "s") -> tuple[Pairing, ...]:
    return swiss(list(field.values()), seed=seed, match=max_weight_matching)


def told(field: dict[str, Player], seed: str = "s") -> set[str]:
    return {"".join(sorted(pairing.ids)) for pairing in paired(field, seed)}


def every_draw(field: dict[str, Player]) -> set[frozenset[str]]:
    return {frozenset(told(field, f"draw {n}")) for n in range(20)}


def distance(field: dict[str, Player], pairs: str) -> int:
    """The sum of the squared differences of the scores."""
    return sum((field[one].score - field[other].score) ** 2 for one, other in pairs.split())


# Tiny fields


def test_nobody_is_no_round() -> None:
    assert swiss([], seed="s", match=max_weight_matching) == ()


def test_one_alone_has_a_bye() -> None:
    assert paired(players(a=3)) == (Pairing("a", None, reason="Bye: no opponent is left."),)


def test_two_meet() -> None:
    (pairing,) = paired(players(a=3, b=0))
    assert (pairing.one, pairing.other, pairing.table) == ("a", "b", 1)
    assert pairing.reason == "3 and 0 points: the closest pairing possible. First meeting."


def test_two_meet_again_where_nobody_else_is_here() -> None:
    field = players(a=3, b=3)
    met(field, "a", "b", games=2)
    (pairing,) = paired(field)
    assert pairing.is_rematch
    assert (
        pairing.reason
        == "Both on 3 points. Rematch (met twice before): could not be avoided."
    )


def test_three_have_a_table_and_a_bye() -> None:
    table, bye = paired(players(a=0, b=0, c=0))
    assert {*table.ids, *bye.ids} == {"a", "b", "c"}
    assert (table.table, table.reason) == (1, "Both on 0 points. First meeting.")
    assert (bye.table, bye.reason) == (
        None,
        "Bye: odd number of players. Lowest score. First bye.",
    )


# Scores


def test_tables_go_by_rank() -> None:
    pairings = paired(players(e=0, f=0, a=6, b=6, c=3, d=3))
    assert [(pairing.table, set(pairing.ids)) for pairing in pairings] == [
        (1, {"a", "b"}),
        (2, {"c", "d"}),
        (3, {"e", "f"}),
    ]


def test_two_small_steps_are_better_than_one_large() -> None:
    """b and c are level, and yet a meets one of them and d the other: 9 + 9 against 36 + 0."""
    assert every_draw(players(a=6, b=3, c=3, d=0)) == {
        frozenset({"ab", "cd"}),
        frozenset({"ac", "bd"}),
    }


def test_nearness_is_counted_in_points_not_in_places() -> None:
    """By places of the table from 0 to 100 is one step, from 100 to 102 two."""
    field = players(a=0, f=0, b=100, e=100, g=101, h=101, c=102, d=102)
    may = {"gh", "ab", "cd", "ef", "bc", "de", "af"}
    for one, other in combinations("abcdefgh", 2):
        if f"{one}{other}" not in may:
            met(field, one, other)
    assert every_draw(field) == {frozenset({"gh", "bc", "de", "af"})}


# Moved to another score


def test_being_spared_counts_less_than_near_scores() -> None:
    """Everybody met other scores a hundred times.

    Two could be spared, at the price of a longer distance.
    """
    field = players(a=0, b=1, c=1, d=2, e=2, f=3)
    for one, other in combinations("abcdef", 2):
        if f"{one}{other}" not in {"ab", "cd", "ef", "bc", "de", "af"}:
            met(field, one, other)
    for key in "abcdef":
        change(field, key, floats=100)
    assert (distance(field, "ab cd ef"), distance(field, "bc de af")) == (3, 9)
    assert every_draw(field) == {frozenset({"ab", "cd", "ef"})}


# Byes


def test_nobody_has_a_second_bye_before_all_had_one() -> None:
    field = players(a=6, b=3, c=0)
    change(field, "c", byes=1)
    assert every_draw(field) == {frozenset({"ac", "b"})}
    change(field, "b", byes=1)
    assert every_draw(field) == {frozenset({"bc", "a"})}
    assert paired(field)[1].reason == (
        "Bye: odd number of players. On 6 points. First bye. Players with fewer points had a "
        "bye or fewer games, or mean a rematch."
    )
    change(field, "a", byes=1)
    assert every_draw(field) == {frozenset({"ab", "c"})}
    assert (
        paired(field)[1].reason
        == "Bye: odd number of players. Lowest score. Had a bye once before, like everyone else."
    )


# Everybody has met


def everybody_met(field: dict[str, Player], lasts: dict[str, int]) -> None:
    for (one, other), last in lasts.items():
        met(field, one, other, last=last)


def test_oldest_rematches_come_first() -> None:
    field = players(a=0, b=3, c=6, d=9)
    everybody_met(field, {"ab": 1, "cd": 1, "ac": 2, "bd": 2, "ad": 3, "bc": 3})
    assert every_draw(field) == {frozenset({"ab", "cd"})}


def test_one_late_rematch_is_better_than_two_however_many_games_came_before() -> None:
    field = players(a=0, b=0, c=0, d=0)
    everybody_met(field, {"cd": 1, "ac": 4, "bd": 4, "ad": 5, "bc": 5})
    met(field, "a", "b", last=4, games=9)
    assert every_draw(field) == {frozenset({"ab", "cd"})}


def test_fewer_games_come_before_more_of_the_same_age() -> None:
    field = players(a=0, b=0, c=0, d=0)
    everybody_met(field, dict.fromkeys(("ab", "cd", "ac", "bd", "ad", "bc"), 4))
    met(field, "a", "b", last=4, games=3)
    met(field, "a", "c", last=4, games=2)
    met(field, "b", "d", last=4, games=2)
    assert every_draw(field) == {frozenset({"ad", "bc"})}


# Attackers, scenarios


def test_who_defended_more_attacks() -> None:
    field = players(a=0, b=0)
    change(field, "a", attacked=3, defended=2)
    change(field, "b", attacked=1, defended=2)
    assert {pairing.attacker for n in range(9) for pairing in paired(field, str(n))} == {
        "b"
    }


def test_attacker_is_drawn_where_that_is_even() -> None:
    assert {
        pairing.attacker for n in range(20) for pairing in paired(players(a=0, b=0), str(n))
    } == {"a", "b"}


def test_scenario_is_what_both_saw_least() -> None:
    def scenario(one: dict[str, int], other: dict[str, int]) -> set[str | None]:
        field = [Player("a", scenarios=one), Player("b", scenarios=other)]
        return {
            pairing.scenario
            for n in range(20)
            for pairing in swiss(
                field, seed=str(n), match=max_weight_matching, scenarios=["x", "y"]
            )
        }

    assert scenario({"x": 1}, {}) == {"y"}
    assert scenario({"x": 2}, {"y": 1}) == {"y"}
    assert scenario({"x": 2, "y": 1}, {"y": 1}) == {
        "y"
    }  # seen twice by one, or once by both
    assert scenario({}, {}) == {"x", "y"}
    assert {pairing.scenario for pairing in paired(players(a=0, b=0))} == {None}


# The draw


def test_input_order_and_hash_seed_change_nothing() -> None:
    field = list(players(**{f"p{n}": n // 4 for n in range(11)}).values())
    assert swiss(field, seed="s", match=max_weight_matching) == swiss(
        field[::-1], seed="s", match=max_weight_matching
    )
    assert swiss(field, seed="s", match=max_weight_matching) != swiss(
        field, seed="t", match=max_weight_matching
    )


def test_any_exact_matching_gives_the_same_round() -> None:
    """The best round is the only one, so that it does not matter how the matching looks for it."""

    def backwards(edges: list[Edge]) -> list[tuple[str, str]]:
        return [
            (other, one)
            for one, other in max_weight_matching(
                [(b, a, weight) for a, b, weight in reversed(edges)]
            )
        ]

    field = list(players(**{f"p{n}": 0 for n in range(13)}).values())
    assert swiss(field, seed="s", match=max_weight_matching) == swiss(
        field, seed="s", match=backwards
    )


def test_meeting_is_known_whoever_tells_of_it() -> None:
    field = players(a=0, b=0, c=0, d=0)
    change(field, "a")
    field["a"] = replace(field["a"], met={"b": 1}, met_last={"b": 1})
    assert all("ab" not in pairs for pairs in every_draw(field))


def test_bad_fields_are_refused() -> None:
    for field, words in (
        ([Player("a"), Player("a")], "A player is in the pairings twice"),
        ([Player(""), Player("b")], "no id"),
    ):
        with pytest.raises(ValueError, match=words):
            swiss(field, seed="s", match=max_weight_matching)


def test_half_a_matching_is_refused() -> None:
    for broken in ([], [("a", "b")], [("a", "b"), ("a", "c")]):
        with pytest.raises(ValueError, match="left a player out"):
            swiss(
                [Player(key) for key in "abcd"],
                seed="s",
                match=lambda edges, told=broken: told,
            )


# Penalties


def test_no_number_of_small_faults_outweighs_a_large_one() -> None:
    count = 1024
    worst = (1, 5, 90**14, 900, 900**2, 14, 14, 2**48 - 1)
    free = (0,) * len(worst)
    everybody = [(f"p{n}", f"q{n}", worst) for n in range(count // 2 - 3)]
    for place in range(len(worst)):
        large = tuple(int(n == place) for n in range(len(worst)))
        small = tuple(0 if n <= place else figure for n, figure in enumerate(worst))
        penalties = as_edges(
            [("a", "b", large), ("c", "d", small), ("e", "f", free), *everybody]
        )
        one_large, one_small, none = (penalty for _, _, penalty in penalties[:3])
        assert none == 0
        assert one_large > count // 2 * one_small


def test_thousand_scores_do_not_outweigh_a_rematch() -> None:
    """1,024 players who all have another score: every distance together weighs less than one
    rematch.
    """
    field = [Player(f"p{n}", score=n * n) for n in range(1024)]
    field[0] = replace(field[0], met={"p1": 1}, met_last={"p1": 1})
    faults = PairPenalties(field, "s", by_score=True)
    pairs = [*pairwise(field), (field[0], field[-1])]
    penalty = {
        (one, other): number
        for one, other, number in as_edges(
            [(one.id, other.id, faults.of_pair(one, other)) for one, other in pairs]
        )
    }
    assert penalty["p0", "p1"] > 512 * penalty["p0", "p1023"]
    assert penalty["p0", "p1023"] > penalty["p1", "p2"]


# The one best round


def by_hand(penalties: Sequence[Edge]) -> int:
    """The smallest sum of a perfect matching, by trying every one."""
    names = sorted({name for edge in penalties for name in edge[:2]})
    if not names:
        return 0
    return min(
        penalty + by_hand([edge for edge in penalties if not {one, other} & set(edge[:2])])
        for one, other, penalty in penalties
        if names[0] in (one, other)
    )


@pytest.mark.parametrize("near", [0, 1, 2, matching.NEAR])
def test_lightest_round_is_found_whatever_is_left_out(near, monkeypatch):
    """Of pairs that a first look leaves aside none is missed."""
    monkeypatch.setattr(matching, "NEAR", near)
    chance = random.Random(near)
    for number in range(150):
        names = "abcdefgh"[: 2 * (1 + number % 4)]
        top = chance.choice([2, 50, 10**20])
        penalties = [
            (one, other, chance.randint(0, top)) for one, other in combinations(names, 2)
        ]
        penalty = {(one, other): number for one, other, number in penalties}
        assert min(left for _, _, left in matching._reduced_penalties(penalties)) >= 0
        assert sum(
            penalty[pair]
            for pair in matching.min_weight_matching(penalties, max_weight_matching)
        ) == by_hand(penalties)


def test_first_look_changes_nothing_in_a_large_field(monkeypatch):
    field = [Player(f"p{n}", n // 9) for n in range(90)]
    quick = swiss(field, seed="s", match=max_weight_matching)
    monkeypatch.setattr(matching, "NEAR", 999)
    assert swiss(field, seed="s", match=max_weight_matching) == quick


def test_rounds_leave_one_player_at_most_unbeaten() -> None:
    for players, rounds in ((1, 3), (8, 3), (9, 4), (16, 4), (17, 5), (128, 7)):
        assert swiss_rounds(players) == rounds, players
