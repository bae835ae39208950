"""What is given out at the end."""

from __future__ import annotations

import pytest

from engine.tournament.awards import (
    DiceRecord,
    WarriorRecord,
    awards,
    luckiest_dice,
    most_kills,
    sturdiest_leader,
)


def warrior(
    key: str, battles: int = 3, kills: int = 0, out: int = 0, is_leader: bool = False
) -> WarriorRecord:
    return WarriorRecord(
        key, key.upper(), f"entry of {key}", battles, kills, out, is_leader
    )


def leader(key: str, battles: int, out: int) -> WarriorRecord:
    return warrior(key, battles=battles, out=out, is_leader=True)


def six(entry: str, *faces: int, is_low_good: bool = False) -> DiceRecord:
    return DiceRecord(entry, 6, {face: faces.count(face) for face in faces}, is_low_good)


def test_most_kills() -> None:
    award = most_kills(
        [warrior("a", kills=2), warrior("b", kills=5), warrior("c", kills=4)]
    )
    assert award
    assert (award.key, award.winners, award.why) == (
        "most_kills",
        ("b",),
        "5 models taken out of action",
    )


def test_most_kills_is_shared() -> None:
    award = most_kills([warrior("b", kills=1), warrior("a", kills=1), warrior("c")])
    assert award
    assert (award.winners, award.why) == (("a", "b"), "1 model taken out of action")


def test_sturdiest_leader_was_out_least_often_for_its_battles() -> None:
    award = sturdiest_leader(
        [leader("a", 4, 2), leader("b", 3, 1), leader("c", 2, 1), warrior("d", battles=4)]
    )
    assert award
    assert (award.winners, award.why) == (("b",), "taken out of action once in 3 battles")


def test_sturdiest_leader_of_the_unharmed_stood_in_most_battles() -> None:
    award = sturdiest_leader([leader("a", 4, 0), leader("b", 5, 0), leader("c", 5, 0)])
    assert award
    assert (award.winners, award.why) == (
        ("b", "c"),
        "never taken out of action in 5 battles",
    )


def test_sturdiest_leader_has_stood_in_half_as_many_battles_as_any() -> None:
    """One battle without harm is less than six of seven."""
    award = sturdiest_leader([leader("a", 7, 1), leader("b", 3, 0)])
    assert award
    assert award.winners == ("a",)
    award = sturdiest_leader([leader("a", 6, 1), leader("b", 3, 0)])
    assert award
    assert award.winners == ("b",)


def test_luckiest_dice_are_furthest_above_their_average() -> None:
    award = luckiest_dice([six("a", 4, 4, 4, 4), six("b", 6, 6, 5, 4), six("c", 1, 2, 3)])
    assert award
    assert (award.winners, award.why) == (
        ("b",),
        "4 dice, each better than average by 1.75 of a pip",
    )


def test_luckiest_dice_are_many_rather_than_one() -> None:
    """A hundred that fell half a pip high are luckier than one six."""
    award = luckiest_dice([six("a", *[4] * 100), six("b", 6)])
    assert award
    assert award.winners == ("a",)


def test_luckiest_dice_are_few_rather_than_many_hardly_better() -> None:
    """Four sixes are 10 pips too many, and rarer than the 11 of a hundred dice."""
    award = luckiest_dice([six("a", *[4, 3] * 39, *[4] * 22), six("b", *[6] * 4)])
    assert award
    assert (award.winners, award.why) == (
        ("b",),
        "4 dice, each better than average by 2.50 of a pip",
    )


def test_luckiest_dice_may_be_low_ones() -> None:
    award = luckiest_dice(
        [six("a", 1, 1, is_low_good=True), six("a", 3), six("b", 5, 5), six("c", 1, 1)]
    )
    assert award
    assert (award.winners, award.why) == (
        ("a",),
        "3 dice, each better than average by 1.50 of a pip",
    )


def test_luckiest_dice_of_several_kinds_are_one_sum() -> None:
    award = luckiest_dice(
        [DiceRecord("a", 10, {10: 1}), DiceRecord("a", 6, {1: 1}), six("b", 4)]
    )
    assert award
    assert (award.winners, award.why) == (
        ("a",),
        "2 dice, each better than average by 1.00 of a pip",
    )


def test_nobody_is_given_what_there_is_no_ground_for() -> None:
    assert awards([], []) == ()
    assert (
        awards(
            [warrior("a"), leader("b", 0, 0)],
            [six("a", 3), DiceRecord("b", 6, {}), DiceRecord("c", 1, {1: 5})],
        )
        == ()
    )


def test_awards_come_in_a_fixed_order_whatever_that_of_the_records() -> None:
    warriors = [leader("b", 2, 0), warrior("a", kills=3), leader("c", 2, 0)]
    dice = [six("x", 6), six("y", 6)]
    told = awards(warriors, dice)
    assert [(award.key, award.winners) for award in told] == [
        ("most_kills", ("a",)),
        ("sturdiest_leader", ("b", "c")),
        ("luckiest_dice", ("x", "y")),
    ]
    assert awards(warriors[::-1], dice[::-1]) == told


@pytest.mark.parametrize("face", [0, 7])
def test_faces_that_a_die_does_not_have_are_refused(face: int) -> None:
    with pytest.raises(ValueError, match="1 to 6"):
        luckiest_dice([DiceRecord("a", 6, {face: 1})])


def test_a_single_leader_is_the_sturdiest_however_it_fared() -> None:
    award = sturdiest_leader([leader("a", 1, 1), warrior("b", battles=9)])
    assert award
    assert (award.winners, award.why) == (("a",), "taken out of action once in 1 battle")
    assert sturdiest_leader([leader("a", 0, 0)]) is None


def test_dice_that_fell_as_well_as_average_are_not_lucky() -> None:
    assert luckiest_dice([six("a", 3, 4)]) is None
    assert luckiest_dice([six("a", 4, 3, is_low_good=True)]) is None
    award = luckiest_dice([six("a", 4)])
    assert award
    assert award.why == "1 die, each better than average by 0.50 of a pip"


def test_luck_is_shared_by_one_die_and_by_four_that_are_as_rare() -> None:
    """One six is 2.5 pips too many and four dice are 5: as far in deviations."""
    one, four = six("a", 6), six("b", 5, 5, 5, 4)
    for dice in ([one, four], [four, one]):
        award = luckiest_dice(dice)
        assert award
        assert award.winners == ("a", "b")
        assert award.why.startswith("4 dice, ")
    award = luckiest_dice([six("a", 6), six("b", 5, 5, 5, 5)])
    assert award
    assert award.winners == ("b",)
