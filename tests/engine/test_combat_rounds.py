"""One pair over several rounds."""

from fractions import Fraction
from fractions import Fraction as F

from engine.combat.attacks import CombatPhase, attacks_on_downed, attacks_on_standing
from engine.combat.fighters import OUT, Attacker, CasualtyCount, Target
from engine.dice import as_series
from engine.odds import series
from tests.engine.combat_rules import DRAFT_KEY, SKIRMISH_KEY, rules


def out_within(rules, attacker, target, rounds) -> tuple[Fraction, ...]:
    """The chance that the target is out of action after one phase, after two, and so on.

    The attacker's turn comes first and the turns alternate. In its own turn the target recovers by
    one step before the fight and then fights on without Wounds. Nobody strikes back here.
    """
    turn = attacks_on_standing(rules, attacker, target)
    finish = attacks_on_downed(rules, attacker, target)
    phases = [CombatPhase(turn, finish, bool(n % 2), None) for n in range(rounds)]
    chances = []
    for number in range(1, rounds + 1):
        law = series(as_series(phases[:number]), CasualtyCount(target.wounds)).chances()
        chances.append(sum(c for tally, c in law.items() if tally.injury == OUT))
    return tuple(chances)


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
