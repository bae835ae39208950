"""What the oracle does not reach: parts of a blow by themselves, and what is decided without dice."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from engine.calls import evaluate, play
from engine.calls.duels import BonusDiceBought, may_be_hurt
from engine.calls.falls import dive_strength, fall_hits, fall_strength, softened_fall
from engine.calls.psychology import may_test_voluntarily
from engine.calls.regiments import panic_casualties
from engine.combat.attacks import (
    DiceToHit,
    Hits,
    LandedHits,
    ParriedAttacks,
    ParryRoll,
    prone_target,
)
from engine.combat.fighters import (
    DOWN,
    OUT,
    STUN,
    Attacker,
    CasualtyCount,
    Target,
    effective_save,
    name_outcome,
    need_to_hit_melee,
)
from engine.combat.hits import Helmet, Hit, Strike, hit_with, injury_roll
from engine.dice import GivenDice
from engine.odds import exact_distribution
from tests.engine.combat_rules import (
    D10_KEY,
    DRAFT_KEY,
    PAGE_KEY,
    REGIMENTS_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    rules,
)

MAN, TARGET = Attacker(3, 3), Target(3, 3)


# Dice to hit, parried


def parried(attacks: int, *, need: int = 4, poison: bool = False) -> dict[LandedHits, F]:
    dice = DiceToHit(need, attacks, poison, ParryRoll(reroll=False), 3)
    return exact_distribution(ParriedAttacks((dice,)), None).chances()


def landed(*weapons: tuple[int, int], parried: bool = False) -> LandedHits:
    return LandedHits(tuple(Hits(*hits) for hits in weapons), parried)


def test_a_hit_is_parried_by_a_higher_roll_and_no_six_is() -> None:
    # 4 and 5 are met by a higher roll, 6 is safe and the parry waits.
    met = F(1, 6) * F(2, 6) + F(1, 6) * F(1, 6)
    assert parried(1) == {
        landed((0, 0)): F(1, 2),
        landed((1, 0)): F(1, 6),
        landed((0, 0), parried=True): met,
        landed((1, 0), parried=True): F(2, 6) - met,
    }


@pytest.mark.parametrize("poison", [False, True])
def test_hits_that_are_left_do_not_tell_the_highest_roll(poison: bool) -> None:
    found = parried(3, need=3, poison=poison)
    assert sum(found.values()) == 1
    hits = [hits for each in found for hits in each.weapons]
    assert {each.best for each in hits} == {0}
    assert any(each.poisoned for each in hits) is poison
    assert max(each.plain + each.poisoned for each in hits) == 3


@pytest.mark.parametrize(
    "best, meets_six, may", [(0, True, False), (1, False, True), (5, False, True),
                             (6, False, False), (6, True, True)],
)  # fmt: skip
def test_a_parry_is_thrown_where_it_could_succeed(best, meets_six, may):
    assert ParryRoll(reroll=False, meets_six=meets_six).may_beat(best) is may


@pytest.mark.parametrize("best, chance", [(3, F(3, 6)), (5, F(1, 6)), (6, F(1, 6))])
def test_a_parry_is_strictly_higher_and_may_be_rolled_twice(best: int, chance: F) -> None:
    once = exact_distribution(ParryRoll(reroll=False, meets_six=True), best)
    twice = exact_distribution(ParryRoll(reroll=True, meets_six=True), best)
    assert once.chance(value=True) == chance
    assert twice.chance(value=True) == chance + (1 - chance) * chance


def test_of_parried_hits_a_plain_one_goes_before_a_poisoned_one() -> None:
    six = DiceToHit(6, 1, True, ParryRoll(False, meets_six=True), 3)
    assert ParriedAttacks((six,)).play(GivenDice([6, 6]), None) == landed(
        (0, 0), parried=True
    )
    # A plain hit of 5 is parried by a 6; the poisoned one of 6 would have been safe.
    rule = ParriedAttacks((DiceToHit(4, 2, True, ParryRoll(False), 3),))
    assert rule.play(GivenDice([5, 4, 6]), None) == landed((1, 0), parried=True)
    assert rule.play(GivenDice([5, 6]), None) == landed((1, 1))


@pytest.mark.parametrize("faces, weapons, is_tried", [
    ([4, 5, 6], ((1, 0), (0, 0)), True),
    ([5, 4, 6], ((0, 0), (1, 0)), True),
    # Of equal dice the stronger blow is met, of the other weapon here.
    ([5, 5, 6], ((1, 0), (0, 0)), True),
    ([5, 5, 2], ((1, 0), (1, 0)), True),
    ([6, 5], ((1, 0), (1, 0)), False),
    ([3, 5, 6], ((0, 0), (0, 0)), True),
])  # fmt: skip
def test_a_parry_meets_the_highest_die_of_both_weapons(faces, weapons, is_tried):
    parry = ParryRoll(False)
    rule = ParriedAttacks(
        (DiceToHit(4, 1, False, parry, 3), DiceToHit(4, 1, False, parry, 5))
    )
    assert rule.play(GivenDice(faces), None) == landed(*weapons, parried=is_tried)


def test_a_blow_that_cannot_be_parried_bars_no_equal_one_and_shields_no_lower_one() -> None:
    strong, weak = (
        DiceToHit(4, 1, False, None, 6),
        DiceToHit(4, 1, False, ParryRoll(False), 3),
    )
    rule = ParriedAttacks((strong, weak))
    assert rule.play(GivenDice([4, 4, 6]), None) == landed((1, 0), (0, 0), parried=True)
    assert rule.play(GivenDice([5, 4]), None) == landed((1, 0), (1, 0))


# Scores


def test_whoever_needs_a_six_needs_it_whatever_the_skills() -> None:
    book = rules(SKIRMISH_KEY)
    sure = Attacker(10, 3, to_hit_bonus=5)
    assert need_to_hit_melee(book, sure, TARGET) == 2
    assert need_to_hit_melee(book, replace(sure, needs_six=True), TARGET) == 6


@pytest.mark.parametrize(
    "printed, strength, weapon, save",
    [(5, 3, None, 5), (5, 4, None, 6), (5, 5, None, None), (6, 3, None, 6), (1, 3, None, 2),
     (1, 4, None, 2), (1, 5, None, 3), (4, 9, 0, 4), (4, 3, 2, 6), (4, 3, 3, None),
     (None, 3, None, None)],
)  # fmt: skip
def test_a_save_is_worsened_by_strength_or_by_the_weapon_alone(
    printed: int | None, strength: int, weapon: int | None, save: int | None
) -> None:
    assert effective_save(rules(SKIRMISH_KEY), printed, strength, weapon) == save


@pytest.mark.parametrize("tally, wounds, outcome", [
    (CasualtyCount(2), 2, "unhurt"),
    (CasualtyCount(1), 2, "wounded_1_left"),
    (CasualtyCount(0, DOWN), 2, "knocked_down"),
    (CasualtyCount(2, STUN), 2, "stunned"),
    (CasualtyCount(0, OUT), 1, "out_of_action"),
])  # fmt: skip
def test_what_became_of_a_model_is_named(tally, wounds, outcome):
    assert name_outcome(tally, wounds) == outcome


# Hits


def test_without_criticals_a_hit_has_none_and_may_kill() -> None:
    book = rules(REGIMENTS_KEY)
    assert book.criticals is None
    assert hit_with(book, MAN, TARGET) == Hit(4, None)
    killer = replace(MAN, killing_blow=True)
    assert hit_with(book, killer, TARGET, is_poisoned=True) == Hit(
        4, None, kills=True, is_poisoned=True
    )
    # What cannot wound at all does not kill.
    assert hit_with(book, killer, Target(3, 9)) == Hit(None, None)


def test_hits_are_equal_by_their_figures_and_hash_alike() -> None:
    one, other = (hit_with(rules(SKIRMISH_KEY), MAN, TARGET) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    kills = Hit(4, None, kills=True)
    assert len({one, other, Hit(4, None), kills, replace(kills, limited=True)}) == 4
    # What is worked out is not shown.
    assert repr(Hit(4, 5)).startswith("Hit(need=4, save=5, critical=()")
    assert "hash" not in repr(Hit(4, 5))


@pytest.mark.parametrize(
    "available, toughness, has_critical",
    [(True, 3, True), (False, 3, False), (True, 5, False), (True, 9, False)],
)
def test_a_critical_is_barred_where_only_a_six_wounds_or_nothing(
    available: bool, toughness: int, has_critical: bool
) -> None:
    target = Target(3, toughness)
    hit = hit_with(rules(SKIRMISH_KEY), MAN, target, critical_available=available)
    assert bool(hit.critical) is has_critical
    # The draft has criticals on a 6 that was needed.
    drafted = hit_with(rules(DRAFT_KEY), MAN, target, critical_available=available)
    assert bool(drafted.critical) is available


def test_a_limit_of_criticals_is_the_systems() -> None:
    assert hit_with(rules(SKIRMISH_KEY), MAN, TARGET).limited
    assert not hit_with(rules(DRAFT_KEY), MAN, TARGET).limited


def test_a_used_critical_is_none_only_where_it_is_limited() -> None:
    hit = hit_with(rules(SKIRMISH_KEY), MAN, TARGET)
    assert hit.play(GivenDice([6]), critical_used=False).critical
    assert not hit.play(GivenDice([6]), critical_used=True).critical
    free = replace(hit, limited=False)
    assert free.play(GivenDice([6]), critical_used=True).critical


@pytest.mark.parametrize(
    "injury, face, after",
    [(STUN, 4, DOWN), (STUN, 3, STUN), (DOWN, 6, DOWN), (OUT, 6, OUT)],
)
def test_a_helmet_saves_the_stunned_alone(injury: int, face: int, after: int) -> None:
    helmet = Helmet(4, DOWN)
    tally = CasualtyCount(0, injury)
    # A die is thrown for the stunned alone.
    dice = GivenDice([face] if injury == STUN else [])
    assert helmet.play(dice, tally) == CasualtyCount(0, after)


def test_nothing_is_rolled_against_one_who_is_out() -> None:
    book = rules(SKIRMISH_KEY)
    strike = Strike(hit_with(book, MAN, TARGET), injury_roll(book))
    gone = CasualtyCount(0, OUT)
    assert strike.play(GivenDice([]), gone) is gone


def test_a_killing_blow_takes_out_at_once_and_uses_no_critical() -> None:
    book = rules(SKIRMISH_KEY)
    killer = replace(MAN, killing_blow=True)
    strike = Strike(hit_with(book, killer, TARGET), injury_roll(book))
    assert strike.play(GivenDice([6]), CasualtyCount(3)) == CasualtyCount(3, OUT)


@pytest.mark.parametrize(
    "way, save", [("auto_hit", 4), ("auto_hit_no_save", None), ("roll_to_hit", 4)]
)
def test_armour_counts_on_the_ground_unless_it_is_played_otherwise(way, save):
    book = rules(SKIRMISH_KEY).with_rulings({"attack_knocked_down": way})
    assert prone_target(book, Target(3, 3, save=4)).save == save


# Falls


def test_a_fall_hits_a_d3_times_and_its_hits_are_never_critical() -> None:
    found = fall_hits(rules(SKIRMISH_KEY), 4, 3)
    assert found.dice == (3,)
    hit = found.strike.hit
    assert (hit.need, hit.save, hit.critical) == (3, None, ())


@pytest.mark.parametrize(
    "inches, strength", [(0.5, 1), (1, 1), (3.9, 3), (10, 10), (60, 10)]
)
def test_a_fall_is_as_strong_as_it_is_deep(inches: float, strength: int) -> None:
    assert fall_strength(rules(SKIRMISH_KEY), inches) == strength


@pytest.mark.parametrize("strength, dived", [(1, 4), (6, 9), (7, 10), (8, 10), (10, 10)])
def test_the_strength_of_a_dive_is_held_to_ten(strength: int, dived: int) -> None:
    assert dive_strength(rules(DRAFT_KEY), 6, strength) == dived


def test_a_fall_may_be_spared_by_tests_where_they_are_played() -> None:
    assert softened_fall(rules(SKIRMISH_KEY), 4, 3, 3).tests is None
    tests = softened_fall(rules(PAGE_KEY), 4.5, 3, 3).tests
    assert tests is not None
    assert (tests.initiative, tests.count, tests.six_fails) == (3, 3, False)


# Rout and panic


@pytest.mark.parametrize("state,used", [
    ("standing", 9), ("hidden", 9), ("knocked_down", 9), ("fleeing", 9),
    ("stunned", 7), ("out_of_action", 7), ("left_table", 7),
])  # fmt: skip
def test_only_a_stunned_or_lost_leader_lends_nothing(state, used):
    inputs = {
        "force_size": 4,
        "out_of_action": 3,
        "leader": {"leadership": 9, "state": state},
        "others": [
            {"leadership": 8, "state": "stunned"},
            {"leadership": 7, "state": "knocked_down"},
            {"leadership": 6},
        ],
    }
    answer = evaluate(rules(SKIRMISH_KEY), "rout_test", inputs)
    assert answer.values["leadership_used"] == used


def test_volunteering_is_for_the_rulings_page():
    assert [may_test_voluntarily(rules(PAGE_KEY), out) for out in (1, 2)] == [False, True]
    assert not may_test_voluntarily(rules(SKIRMISH_KEY), 5)
    assert not may_test_voluntarily(rules(SUMMARY_KEY), 5)


@pytest.mark.parametrize("size,casualties", [(1, 1), (4, 1), (5, 2), (12, 3), (13, 4)])
def test_a_quarter_is_rounded_up(size, casualties):
    assert panic_casualties(rules(REGIMENTS_KEY), size) == casualties


# Duels

DUEL = rules(D10_KEY)


def test_after_the_target_is_down_no_more_shots_are_rolled():
    record = play(DUEL, "duel_ranged", {"shots": 3}, GivenDice([5, 5, 6, 5]))
    assert record.outcome == "defender_down"
    assert len(record.dice) == 4


@pytest.mark.parametrize("armour,penetration,melee,hurt", [
    (None, None, False, True), (0, None, False, False), (1, 8, False, False), (1, None, True, True),
    (2, None, True, False), (2, None, False, False), (2, 1, False, True), (5, 1, False, True),
])  # fmt: skip
def test_armour_values_say_what_may_hurt(armour, penetration, melee, hurt):
    assert may_be_hurt(DUEL, armour, penetration, is_melee=melee) is hurt


def test_armour_values_may_be_ruled_otherwise():
    assert may_be_hurt(
        DUEL.with_rulings({"low_av_melee_only": False}), 1, None, is_melee=False
    )
    assert not may_be_hurt(
        DUEL.with_rulings({"penetration_must_reach": True}), 5, 1, is_melee=False
    )


def test_a_one_ends_the_round_whatever_the_first_die_costs():
    dear = BonusDiceBought(20, (3, 6, 9), 2)
    assert exact_distribution(dear, None).chances() == {
        "round_ends": F(1, 20),
        "dice_0": F(1, 20),
        "dice_1": F(3, 20),
        "dice_2": F(15, 20),
    }
