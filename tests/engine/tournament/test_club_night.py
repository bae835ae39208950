"""Club nights: whoever is here, tables of three, and what an evening remembers of the
ones before.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from campaigns.matching import max_weight_matching
from engine.tournament.pairing import Pairing, Player, club_night
from tests.engine.tournament.playing import Event


def here(names: str, **lasts: int) -> dict[str, Player]:
    """Players by a letter each; ``ab=3``: a and b met once, on evening 3."""
    field = {key: Player(key) for key in names}
    for (one, other), last in lasts.items():
        for key, opponent in ((one, other), (other, one)):
            now = field[key]
            field[key] = replace(
                now, met={**now.met, opponent: 1}, met_last={**now.met_last, opponent: last}
            )
    return field


def paired(field, seed="s", odd="bye") -> tuple[Pairing, ...]:
    return club_night(list(field.values()), seed=seed, match=max_weight_matching, odd=odd)


def told(pairings: Sequence[Pairing]) -> frozenset[str]:
    return frozenset("".join(sorted(pairing.ids)) for pairing in pairings)


def every_draw(field: dict[str, Player], odd: str = "bye") -> set[frozenset[str]]:
    return {told(paired(field, f"draw {n}", odd=odd)) for n in range(20)}


# Who is here


def test_nobody_one_and_two() -> None:
    assert paired(here("")) == ()
    assert paired(here("a")) == (Pairing("a", None, reason="Bye: no opponent is left."),)
    (pairing,) = paired(here("ab"))
    assert (told([pairing]), pairing.table, pairing.reason) == (
        frozenset({"ab"}), 1, "First meeting.",
    )  # fmt: skip


def test_scores_do_not_matter() -> None:
    field = {
        key: Player(key, score) for key, score in {"a": 9, "b": 9, "c": 0, "d": 0}.items()
    }
    assert every_draw(field) == {
        frozenset({"ab", "cd"}), frozenset({"ac", "bd"}), frozenset({"ad", "bc"}),
    }  # fmt: skip
    lonely = {key: Player(key, score) for key, score in {"a": 9, "b": 9, "c": 0}.items()}
    assert {
        next(iter(one for one in pairs if len(one) == 1)) for pairs in every_draw(lonely)
    } == {"a", "b", "c"}


def test_late_rematches_are_worse_than_old_ones() -> None:
    field = here("abcd", ab=7, cd=1, ac=6, bd=2, ad=5, bc=5)
    assert every_draw(field) == {frozenset({"ad", "bc"})}
    assert paired(field)[0].reason == "Rematch (met once before): could not be avoided."


def test_scenarios_go_round() -> None:
    """Over as many evenings as the pool is deep everybody who plays has seen all of it."""
    field = [Player(key) for key in "ab"]
    seen: dict[str, int] = {}
    for evening in range(6):
        now = [replace(player, scenarios=dict(seen)) for player in field]
        (pairing,) = club_night(
            now, seed=str(evening), match=max_weight_matching, scenarios=["x", "y", "z"]
        )
        assert pairing.scenario
        seen[pairing.scenario] = seen.get(pairing.scenario, 0) + 1
    assert seen == {"x": 2, "y": 2, "z": 2}


def test_tables_are_numbered_and_byes_have_none() -> None:
    pairings = paired(here("abcdefg"))
    assert [pairing.table for pairing in pairings] == [1, 2, 3, None]


def test_bad_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="three-player game"):
        paired(here("abc"), odd="four")
    with pytest.raises(ValueError, match="A player is in the pairings twice"):
        club_night(
            [Player("a"), Player("a"), Player("b")], seed="s", match=max_weight_matching
        )


# A table of three


def test_three_play_at_one_table() -> None:
    (pairing,) = paired(here("abc"), odd="three")
    assert sorted(pairing.ids) == ["a", "b", "c"]
    assert pairing.attacker in pairing.ids
    assert (pairing.table, pairing.is_rematch) == (1, False)
    assert pairing.reason == "Three-player game: odd number of players. First meeting."


def test_even_number_has_no_table_of_three() -> None:
    assert {len(pairing.ids) for pairing in paired(here("abcd"), odd="three")} == {2}


def test_one_alone_sits_out_all_the_same() -> None:
    assert paired(here("a"), odd="three")[0].is_bye


def test_table_of_three_is_where_nobody_has_met() -> None:
    """abc and de are the one round of five without a rematch."""
    field = here("abcde", ad=1, ae=1, bd=1, be=1, cd=1, ce=1)
    assert every_draw(field, "three") == {frozenset({"abc", "de"})}


def test_table_of_three_is_a_rematch_where_any_two_have_met() -> None:
    (pairing,) = paired(here("abc", bc=3), odd="three")
    assert pairing.is_rematch
    assert (
        pairing.reason
        == "Three-player game: odd number of players. Rematch: could not be avoided."
    )


def test_third_has_a_say_in_attacker_and_scenario() -> None:
    field = [
        Player("a", attacked=1, scenarios={"x": 1}),
        Player("b", attacked=1),
        Player("c", scenarios={"y": 2}),
    ]
    for number in range(9):
        (pairing,) = club_night(
            field,
            seed=str(number),
            match=max_weight_matching,
            scenarios=["x", "y"],
            odd="three",
        )
        assert (pairing.attacker, pairing.scenario) == ("c", "x")


# A season


@pytest.mark.parametrize("odd", ["bye", "three"])
def test_five_regulars_share_opponents_and_byes(odd: str) -> None:
    """Ten evenings: everybody meets everybody, and sits out, as often as everybody else, but for
    one.
    """
    event = Event(5, random.Random(1))
    for evening in range(10):
        event.play(
            club_night(
                event.players(), seed=str(evening), match=max_weight_matching, odd=odd
            )
        )
    games = [len(rounds) for rounds in event.met.values()]
    assert len(games) == 10
    if odd == "bye":
        assert set(games) == {2}
        assert {event.byes[one] for one in event.here} == {2}
    else:
        assert max(games) - min(games) <= 1
        assert not event.byes
    assert max(abs(event.attacked[one] - event.defended[one]) for one in event.here) <= (
        2 if odd == "bye" else 6
    )
