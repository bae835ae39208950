"""Leagues in which everybody meets everybody: worked cases of the circle, then what must hold for
every size.
"""

from collections import Counter
from itertools import combinations

import pytest

from engine.tournament.pairing import Pairing, round_robin

SIZES = range(2, 18)


def league(count: int, legs: int = 1, seed: str = "s") -> tuple[tuple[Pairing, ...], ...]:
    return round_robin([f"p{n}" for n in range(count)], legs=legs, seed=seed)


def met(rounds: tuple[tuple[Pairing, ...], ...]) -> Counter[frozenset[str]]:
    return Counter(
        frozenset(pairing.ids) for told in rounds for pairing in told if not pairing.is_bye
    )


def byes(rounds: tuple[tuple[Pairing, ...], ...]) -> Counter[str]:
    return Counter(pairing.one for told in rounds for pairing in told if pairing.is_bye)


def leans(rounds: tuple[tuple[Pairing, ...], ...]) -> Counter[str]:
    told: Counter[str] = Counter()
    for pairing in (pairing for one in rounds for pairing in one if not pairing.is_bye):
        for one in pairing.ids:
            told[one] += 1 if one == pairing.attacker else -1
    return told


def test_two_meet_once() -> None:
    (told,) = league(2)
    assert [
        (set(pairing.ids), pairing.attacker in pairing.ids, pairing.table)
        for pairing in told
    ] == [({"p0", "p1"}, True, 1)]


def test_second_leg_swaps_the_sides() -> None:
    first, second = league(2, legs=2)
    assert (second[0].one, second[0].other) == (first[0].other, first[0].one)
    assert second[0].attacker == first[0].other
    assert second[0].reason == "Second leg: sides swapped."


def test_three_sit_out_in_turn() -> None:
    rounds = league(3)
    assert [len(told) for told in rounds] == [2, 2, 2]
    assert byes(rounds) == {"p0": 1, "p1": 1, "p2": 1}
    assert [told[-1].table for told in rounds] == [None] * 3


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_have_no_round(count: int) -> None:
    assert league(count) == ()


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("count", SIZES)
def test_everybody_meets_everybody_once_a_leg(count: int, legs: int) -> None:
    rounds = league(count, legs)
    everybody = [f"p{n}" for n in range(count)]
    assert len(rounds) == legs * (count - 1 + count % 2)
    assert all(
        sorted(one for pairing in told for one in pairing.ids) == sorted(everybody)
        for told in rounds
    )
    assert met(rounds) == {frozenset(pair): legs for pair in combinations(everybody, 2)}


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("count", SIZES)
def test_byes_are_spread(count: int, legs: int) -> None:
    assert byes(league(count, legs)) == (
        {f"p{n}": legs for n in range(count)} if count % 2 else {}
    )


@pytest.mark.parametrize("count", SIZES)
def test_attackers_are_balanced(count: int) -> None:
    """Within one after one leg, even where that is possible; even for all after two."""
    assert {abs(lean) for lean in leans(league(count)).values()} == (
        {0} if count % 2 else {1}
    )
    assert set(leans(league(count, legs=2)).values()) == {0}


@pytest.mark.parametrize("count", range(4, 18))
def test_nobody_is_on_one_side_more_than_twice_running(count: int) -> None:
    rounds = league(count)
    for one in (f"p{n}" for n in range(count)):
        sides = "".join(
            "a" if pairing.attacker == one else "d"
            for told in rounds
            for pairing in told
            if one in pairing.ids and not pairing.is_bye
        )
        assert "aaa" not in sides
        assert "ddd" not in sides


@pytest.mark.parametrize("count", SIZES)
def test_tables_are_numbered_from_one(count: int) -> None:
    for told in league(count, legs=2):
        assert [pairing.table for pairing in told if not pairing.is_bye] == list(
            range(1, count // 2 + 1)
        )


def test_same_seed_is_the_same_league_in_any_order() -> None:
    ids = [f"p{n}" for n in range(9)]
    assert round_robin(ids, seed="s") == round_robin(ids[::-1], seed="s")
    assert round_robin(ids, seed="s") != round_robin(ids, seed="t")


def test_bad_values_are_refused() -> None:
    for legs in (0, 3):
        with pytest.raises(ValueError, match="one leg or two"):
            round_robin(["a", "b"], legs=legs)
    with pytest.raises(ValueError, match="A player is in the pairings twice"):
        round_robin(["a", "a"])
    with pytest.raises(ValueError, match="no id"):
        round_robin(["a", ""])
