"""What is given out at the end."""

import pytest

from engine.tournament.awards import (
    Award,
    DiceRecord,
    WarriorRecord,
    awards,
    luckiest_dice,
    most_kills,
    sturdiest_leader,
)


def warrior(key, battles=3, kills=0, out=0, is_leader=False) -> WarriorRecord:
    return WarriorRecord(
        key, key.upper(), f"entry of {key}", battles, kills, out, is_leader
    )


def leader(key: str, battles: int, out: int) -> WarriorRecord:
    return warrior(key, battles=battles, out=out, is_leader=True)


def six(entry: str, *faces: int, is_low_good: bool = False) -> DiceRecord:
    return DiceRecord(entry, 6, {face: faces.count(face) for face in faces}, is_low_good)


def winners(award: Award | None) -> tuple[str, ...]:
    assert award
    return award.winners


def test_most_kills_may_be_shared() -> None:
    kills = [warrior("a", kills=2), warrior("b", kills=5), warrior("c", kills=4)]
    assert winners(most_kills(kills)) == ("b",)
    assert winners(
        most_kills([warrior("b", kills=1), warrior("a", kills=1), warrior("c")])
    ) == ("a", "b")


@pytest.mark.parametrize("records, winning", [
    # Out least often for its battles; of the unharmed whoever stood in most.
    ([("a", 4, 2), ("b", 3, 1), ("c", 2, 1)], ("b",)),
    ([("a", 4, 0), ("b", 5, 0), ("c", 5, 0)], ("b", "c")),
    # It has stood in half as many battles as any: one without harm is less than six of seven.
    ([("a", 7, 1), ("b", 3, 0)], ("a",)),
    ([("a", 6, 1), ("b", 3, 0)], ("b",)),
    # A single leader is the sturdiest however it fared.
    ([("a", 1, 1)], ("a",)),
])  # fmt: skip
def test_sturdiest_leader_was_out_least_often(records, winning):
    leaders = [leader(*one) for one in records]
    assert winners(sturdiest_leader([*leaders, warrior("w", battles=4)])) == winning


@pytest.mark.parametrize("dice, winning", [
    ([six("a", 4, 4, 4, 4), six("b", 6, 6, 5, 4), six("c", 1, 2, 3)], ("b",)),
    # A hundred that fell half a pip high are luckier than one six.
    ([six("a", *[4] * 100), six("b", 6)], ("a",)),
    # Four sixes are 10 pips too many, and rarer than the 11 of a hundred dice.
    ([six("a", *[4, 3] * 39, *[4] * 22), six("b", *[6] * 4)], ("b",)),
    # Low ones may be good.
    ([six("a", 1, 1, is_low_good=True), six("a", 3), six("b", 5, 5)], ("a",)),
    # Dice of several kinds are one sum.
    ([DiceRecord("a", 10, {10: 1}), DiceRecord("a", 6, {1: 1}), six("b", 4)], ("a",)),
    ([six("a", 4)], ("a",)),
])  # fmt: skip
def test_luckiest_dice_are_furthest_above_their_average(dice, winning):
    assert winners(luckiest_dice(dice)) == winning


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


def test_there_may_be_nobody_to_give_an_award_to() -> None:
    assert sturdiest_leader([leader("a", 0, 0)]) is None
    assert luckiest_dice([six("a", 3, 4)]) is None
    assert luckiest_dice([six("a", 4, 3, is_low_good=True)]) is None


def test_luck_is_shared_by_one_die_and_by_four_that_are_as_rare() -> None:
    """One six is 2.5 pips too many and four dice are 5: as far in deviations."""
    one, four = six("a", 6), six("b", 5, 5, 5, 4)
    for dice in ([one, four], [four, one]):
        assert winners(luckiest_dice(dice)) == ("a", "b")
    assert winners(luckiest_dice([six("a", 6), six("b", 5, 5, 5, 5)])) == ("b",)
