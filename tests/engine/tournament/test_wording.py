"""What tables and pairings say: names cut short, figures told apart, reasons for a table or a bye."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from campaigns.matching import max_weight_matching
from engine.tournament.matching import PairPenalties, check_unique_ids, seeded_order
from engine.tournament.pairing import Player, club_night, scenario_for
from engine.tournament.standings import (
    CAMPAIGN_POINTS,
    TIE_BREAKS,
    figures_apart,
    standings,
    tie_break,
)
from engine.tournament.types import (
    Entrant,
    Pairing,
    Result,
    Scoring,
    games_between,
    last_between,
    times_text,
)

FIELD = [Entrant("a", "A"), Entrant("b", "B")]
SHORT, LONG = "x" * 40, "x" * 41


def refused(*results: Result) -> str:
    with pytest.raises(ValueError, match="A result of round 7") as caught:
        standings(FIELD, results, Scoring())
    return str(caught.value)


@pytest.mark.parametrize("name", [SHORT, LONG, LONG * 9])
def test_a_name_from_outside_is_told_by_its_first_40_characters(name: str) -> None:
    told = f"{SHORT!r}"
    assert refused(Result(7, "a", name)) == (
        f"A result of round 7 names {told}, who is not in the table."
    )
    assert refused(Result(7, "a", "b", name)) == (
        f"A result of round 7 is won by {told}, who is not in it."
    )
    with pytest.raises(ValueError, match="both sides") as caught:
        standings([Entrant(name, "X")], [Result(7, name, name)], Scoring())
    assert str(caught.value) == f"A result of round 7 has {told} on both sides."
    with pytest.raises(ValueError, match="no tie-breaker") as caught:
        tie_break(name)
    assert str(caught.value) == (
        f"There is no tie-breaker {told}; they are {', '.join(TIE_BREAKS)}."
    )


@pytest.mark.parametrize("apart, told", [
    (Fraction(1, 100), ("0.50", "0.51")),
    (Fraction(1, 1000), ("0.500", "0.501")),
    (Fraction(1, 10**4), ("0.5000", "0.5001")),
    (Fraction(1, 10**11), ("0.50000000000", "0.50000000001")),
    # More places than these are not told.
    (Fraction(1, 10**12), ("0.50000000000", "0.50000000000")),
])  # fmt: skip
def test_two_values_are_told_with_as_many_places_as_part_them(apart, told):
    half = Fraction(1, 2)
    tie = tie_break("opponents_score")
    assert figures_apart(tie, half, half + apart) == told
    assert figures_apart(tie, Fraction(3), half)[0] == "3"


def test_figures_are_written_as_people_write_them() -> None:
    signed, negated = tie_break("out_difference"), tie_break("fewest_lost")
    assert [signed.figure(value) for value in (2, 0, -2)] == ["+2", "0", "−2"]
    assert [negated.figure(value) for value in (0, -3)] == ["0", "3"]
    assert tie_break("wins").figure(2) == "2"


def test_campaign_points_part_those_who_have_more() -> None:
    field = [
        replace(one, campaign_points=points)
        for one, points in zip([*FIELD, Entrant("c", "C")], (3, 5, None), strict=True)
    ]
    told = standings(field, [], Scoring(), [CAMPAIGN_POINTS])
    assert [(one.id, one.place, one.ties) for one in told] == [
        ("b", 1, ("5",)),
        ("a", 2, ("3",)),
        ("c", 3, ("–",)),
    ]
    assert told[0].explained == "tied on points; ahead on campaign points (5 to 3)"
    assert told[1].explained == "tied on points; ahead on campaign points"


@pytest.mark.parametrize(
    "number, words", [(1, "once"), (2, "twice"), (3, "3 times"), (0, "0 times")]
)
def test_how_often_is_told_in_words(number: int, words: str) -> None:
    assert times_text(number) == words


# Players


def test_two_have_met_as_often_as_either_knows() -> None:
    one = Player("a", met={"b": 2, "c": 1}, met_last={"b": 4})
    other = Player("b", met={"a": 3}, met_last={"a": 5})
    stranger = Player("d")
    assert (games_between(one, other), games_between(other, one)) == (3, 3)
    assert (last_between(one, other), last_between(other, one)) == (5, 5)
    assert (games_between(one, stranger), last_between(stranger, one)) == (0, 0)
    assert (games_between(Player("c"), one), last_between(Player("c"), one)) == (1, 0)


def test_a_pairing_names_those_at_its_table() -> None:
    assert (Pairing("a", None).ids, Pairing("a", None).is_bye) == (("a",), True)
    assert (Pairing("a", "b").ids, Pairing("a", "b").is_bye) == (("a", "b"), False)
    assert Pairing("a", "b", third="c").ids == ("a", "b", "c")


def test_whoever_attacked_oftener_leans_to_it() -> None:
    assert Player("a", attacked=3, defended=1).lean == 2
    assert Player("a", attacked=1, defended=3).lean == -2


def test_nobody_is_drawn_twice_or_without_an_id() -> None:
    check_unique_ids(["a", "b"])
    assert sorted(seeded_order(["b", "a"], "s")) == ["a", "b"]
    for ids, words in ((["a", "a"], "twice"), (["", "a"], "no id")):
        with pytest.raises(ValueError, match=words):
            check_unique_ids(ids)


def test_faults_of_a_pair_stand_worst_first() -> None:
    one = Player(
        "a", score=5, played=2, attacked=2, floats=1, met={"b": 2}, met_last={"b": 3}
    )
    other, third = Player("b", score=2, floats=2), Player("c", score=2, byes=1)
    faults = PairPenalties([one, other, third], "s", by_score=True)
    again, bye, unplayed, age, lowest, apart, floats, lean, _ = faults.of_pair(one, other)
    assert (again, bye, unplayed, lowest, apart, floats, lean) == (1, 0, 0, 0, 9, 3, 0)
    assert age > 0
    # Whoever has not met has no age, those on the same score float to nobody.
    assert faults.of_pair(other, third)[:8] == (0, 0, 0, 0, 0, 0, 0, 2)
    assert faults.of_bye(one)[:8] == (0, 0, 0, 0, 3, 0, 0, 0)
    assert faults.of_bye(third)[:8] == (0, 1, 2, 0, 0, 0, 0, 0)
    level = PairPenalties([one, other, third], "s", by_score=False)
    assert level.of_pair(one, other)[5:8] == (0, 0, 0)
    assert level.of_bye(one)[:8] == (0, 0, 0, 0, 0, 0, 0, 0)
    # At a table of three everybody meets everybody.
    three = faults.of_table([one, other, third])
    pairs = [(one, other), (one, third), (other, third)]
    assert three == tuple(map(sum, zip(*(faults.of_pair(*p) for p in pairs), strict=True)))


# Reasons


def met(*pairs: str, **scores: int) -> list[Player]:
    """Players with these scores, of whom these pairs have met once."""
    field = []
    for key, score in scores.items():
        others = {pair.replace(key, ""): 1 for pair in pairs if key in pair}
        field.append(Player(key, score, met=others, met_last=others))
    return field


@pytest.mark.parametrize(
    "pairs, is_rematch", [((), False), (("ab",), True), (("bc",), True), (("ac",), True)]
)
def test_a_table_of_three_tells_whether_any_two_met(pairs, is_rematch):
    field = met(*pairs, a=0, b=0, c=0)
    [table] = club_night(field, seed="s", match=max_weight_matching, odd="three")
    words = "Rematch: could not be avoided." if is_rematch else "First meeting."
    assert table.reason == f"Three-player game: odd number of players. {words}"
    assert (table.is_rematch, table.table) == (is_rematch, 1)


def test_a_scenario_is_what_a_table_saw_least_and_few_others_play() -> None:
    used: Counter[str] = Counter()
    table = [Player("a", scenarios={"x": 1}), Player("b", scenarios={"y": 1})]
    assert scenario_for(table, ["x", "y", "z"], "s", used) == "z"
    assert scenario_for(table, [], "s", used) is None
    assert used == {"z": 1}
    # Of those seen alike the one that fewest tables play.
    assert scenario_for(table, ["x", "y"], "s", Counter({"x": 1})) == "y"
    assert scenario_for(table, ["x", "y"], "s", Counter({"y": 1})) == "x"
    # Seen twice by one is worse than once by each.
    apart = [Player("a", scenarios={"x": 2, "y": 1}), Player("b", scenarios={"y": 1})]
    assert scenario_for(apart, ["x", "y"], "s", Counter({"y": 9})) == "y"
