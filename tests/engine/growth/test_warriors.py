"""Warriors of a campaign one by one: what a loss leaves, and what may still rise."""

from dataclasses import replace

from engine.growth.document import read_rules
from engine.growth.warriors import GearPiece, GrownWarrior, lose_models
from engine.growth.worth import raisable
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS, muster_document

LINE = [4, 3, 3, 3, 3, 1, 3, 1, 7]
RULES = read_rules(muster_document(), STATS)
GEAR = (GearPiece("bow", 2),)


def warrior(kind: str = "soldier", count: int = 1, **others: object) -> GrownWarrior:
    made = joiner("w1", LINE, 6, category="core", count=count, gear=GEAR)
    return GrownWarrior("w1", made, kind, count=count, gear=GEAR, **others)  # type: ignore[arg-type]


def test_whoever_has_no_model_left_is_gone_and_misses_nothing() -> None:
    group = warrior(count=3, misses=(1, 2))
    smaller = lose_models(group, 2, "gone")
    assert (smaller.count, smaller.misses, smaller.gone) == (1, (1,), "")
    assert smaller.gear == GEAR
    nobody = lose_models(group, 3, "refused")
    assert (nobody.count, nobody.misses, nobody.gone, nobody.gear) == (0, (), "refused", ())


def test_what_a_kind_may_not_gain_cannot_be_raised() -> None:
    # Soldiers never gain a wound or an attack, and one strength alone.
    stats = ("S", "W", "A")
    assert raisable(RULES, "the-empire", warrior(), stats) == ["S"]
    assert raisable(RULES, "the-empire", warrior(gains={"S": 1}), stats) == []
    assert raisable(RULES, "the-empire", warrior("hero"), stats) == ["S", "W", "A"]


def test_the_most_of_an_army_holds_for_what_is_gained() -> None:
    # Dwarfs move 4 at most, and this one does.
    assert raisable(RULES, "dwarfs", warrior("hero"), ("M",)) == []
    assert raisable(RULES, "the-empire", warrior("hero"), ("M",)) == ["M"]


def test_what_a_stat_line_lacks_cannot_be_raised() -> None:
    line = {"Mettle": 4, "Ld": 7}
    made = replace(warrior("hero"), joined=replace(warrior().joined, stats=line))
    assert raisable(RULES, "the-empire", made, ("WS", "S", "Ld")) == ["Ld"]
