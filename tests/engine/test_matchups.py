"""Everybody against everybody, and one pair over several rounds."""

from fractions import Fraction
from fractions import Fraction as F

from engine.calls import evaluate
from engine.combat.attacks import CombatPhase, attacks_on_downed, attacks_on_standing
from engine.combat.fighters import OUT, Attacker, CasualtyCount, Target
from engine.combat.hits import system_helmet
from engine.dice import as_series
from engine.odds import Distribution, series
from engine.rules import CombatRules
from tests.engine.combat_rules import (
    DRAFT_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    WARRIOR_SYSTEMS,
    rules,
)
from tests.engine.matchups import match_up

ATTACKERS = [Attacker(3, 3), Attacker(5, 4, 3), None]
TARGETS = [Target(3, 3), Target(4, 4, 3, 4), None, Target(3, 3)]


def test_each_cell_is_the_melee_of_that_pair():
    for system in WARRIOR_SYSTEMS:
        grid = match_up(ATTACKERS, TARGETS, rules(system))
        assert [len(row) for row in grid] == [4, 4, 4]
        for attacker, row in zip(ATTACKERS[:2], grid, strict=False):
            for target, cell in zip(TARGETS, row, strict=True):
                if target is None:
                    assert cell is None
                    continue
                striking = {
                    "ws": attacker.ws,
                    "strength": attacker.strength,
                    "attacks": attacker.attacks,
                }
                struck = {
                    "ws": target.ws,
                    "toughness": target.toughness,
                    "wounds": target.wounds,
                    "save": target.save,
                }
                inputs = {"attacker": striking, "defender": struck}
                assert cell.chances == evaluate(rules(system), "melee", inputs).outcomes
        assert grid[2] == (None,) * 4


def test_a_cell_gives_numbers_for_people():
    cell = match_up([Attacker(3, 3)], [Target(3, 3)], rules(SKIRMISH_KEY))[0][0]
    assert abs(cell.decimal("out_of_action") - 11 / 108) < 1e-12
    assert abs(cell.decimal("knocked_down", "stunned", "out_of_action") - 0.25) < 1e-12


def test_a_helmet_counts_on_the_final_result():
    bare, helmed = match_up(
        [Attacker(3, 3)], [Target(3, 3), Target(3, 3, helmet=True)], rules(SUMMARY_KEY)
    )[0]
    assert helmed.chances["stunned"] == bare.chances["stunned"] / 2
    assert helmed.chances["out_of_action"] == bare.chances["out_of_action"]


def out_within(
    rules: CombatRules, attacker: Attacker, target: Target, rounds: int
) -> tuple[Fraction, ...]:
    """The chance that the target is out of action after one phase, after two, and so on to
    ``rounds``.

    The attacker's turn comes first and the turns alternate. In its own turn the target recovers by
    one step before the fight (stunned to knocked down, knocked down to its feet) and then fights on
    without Wounds. Nobody strikes back here, and a bonus of the first round (a charge, a dive) is
    left to the caller.
    """
    helmet = system_helmet(rules) if target.helmet else None
    turn, finish = (
        attacks_on_standing(rules, attacker, target),
        attacks_on_downed(rules, attacker, target),
    )
    phases = tuple(
        CombatPhase(turn, finish, bool(number % 2), helmet) for number in range(rounds)
    )
    return tuple(
        _out(series(as_series(phases[:number]), CasualtyCount(target.wounds)))
        for number in range(1, rounds + 1)
    )


def _out(law: Distribution[CasualtyCount]) -> Fraction:
    out = sum(
        weight
        for tally, weight in zip(law.values, law.weights, strict=True)
        if tally.injury == OUT
    )
    return Fraction(out, law.total)


def test_rounds_go_on_from_what_the_last_one_left():
    chances = out_within(rules(SKIRMISH_KEY), Attacker(3, 3), Target(3, 3), 3)
    once = F(11, 108)
    assert chances[0] == once
    down, stunned, unhurt = F(7, 108), F(1, 12), F(3, 4)
    finished = F(1, 2)
    assert chances[1] == once + (unhurt + down) * once + stunned * finished
    assert list(chances) == sorted(chances)


def test_a_target_stays_down_in_the_attackers_turn():
    chances = out_within(rules(SKIRMISH_KEY), Attacker(3, 3), Target(3, 3), 3)
    once, down, stunned, unhurt = F(11, 108), F(7, 108), F(1, 12), F(3, 4)
    wounded = F(1, 2)  # a knocked down model; a stunned one is out without a roll
    # In its own turn a stunned target gets as far as knocked down, all others stand.
    standing = unhurt + down
    lying = standing * down + stunned * (1 - wounded)
    out = standing * (unhurt * once + stunned) + lying * wounded
    assert chances[2] - chances[1] == out


def test_the_chance_of_being_out_only_grows():
    rounds = out_within(rules(DRAFT_KEY), Attacker(10, 1), Target(1, 4, 1), 6)
    assert list(rounds) == sorted(rounds)
    assert rounds[-1] < 1
