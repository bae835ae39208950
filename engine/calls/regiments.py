"""Regiments: attacks and volleys, combat results, breaking and pursuit, and their calls.

No criticals and no injuries: each unsaved wound is a casualty, or a Wound counted off models that
have several (G48). Source: Warhammer English Civil War.
"""

from engine.calls import explain
from engine.calls.psychology import (
    CertainOutcome,
    LeadershipTest,
    PassFail,
    again_steps,
    leadership_rule,
)
from engine.calls.questions import (
    MODELS_MAX,
    UNIT_ATTACKS_MAX,
    Call,
    Casualties,
    Inputs,
    Question,
    Spread,
    Steps,
    UnitAttack,
    Value,
    characteristic,
    choice,
    flag,
    group,
    missing,
    number,
    several,
)
from engine.combat.fighters import (
    Attacker,
    Target,
    effective_save,
    need_to_hit_melee,
    need_to_hit_shooting,
    need_to_wound,
    save_modifier,
)
from engine.combat.hits import Aim
from engine.dice import Dice, Meaning
from engine.records import Fields, Numbers, frozen_dataclass
from engine.rules import CombatRules

FLAGS = ("standard", "high_ground", "flank", "rear", "outnumber")


def unit_save(
    rules: CombatRules, armour: str, *, is_mounted: bool, has_target: bool
) -> int | None:
    """The printed save of a regiment: its armour on foot or in the saddle, and a target (a small
    shield) in melee only.

    Source: SAVING THROW CHART; a target turns no save into 6+ (ruling G46).
    """
    units = rules.units
    row = units.armour[armour]
    save = row.mounted if is_mounted else row.foot
    if not has_target:
        return save
    # Without armour the save is one worse than 6+, which a target then betters.
    return (7 if save is None else save) - units.target_bonus


def unit_attack(
    rules: CombatRules, attacker: Attacker, target: Target, *, at_obstacle: bool
) -> UnitAttack:
    """One attack of a regiment; a defended obstacle asks for a fixed score to hit.

    Source: HAND-TO-HAND COMBAT.
    """
    need = rules.units.obstacle_need
    if not at_obstacle:
        need = need_to_hit_melee(rules, attacker, target)
    return _attack_with(rules, need, attacker, target)


def unit_shot(
    rules: CombatRules,
    ballistic_skill: int,
    modifiers: Numbers,
    attacker: Attacker,
    target: Target,
) -> UnitAttack:
    """One shot of a regiment.

    ``attacker.save_modifier`` is the save note that the weapon prints, None without one. Source:
    SHOOTING CHART.
    """
    need = need_to_hit_shooting(rules, ballistic_skill, modifiers)
    return _attack_with(rules, need, attacker, target)


def _attack_with(
    rules: CombatRules, need_to_hit: int | None, attacker: Attacker, target: Target
) -> UnitAttack:
    need = need_to_wound(rules, attacker.strength, target.toughness)
    modifier = _weapon_modifier(rules, attacker)
    save = effective_save(rules, target.save, attacker.strength, modifier)
    return UnitAttack(Aim(need_to_hit), need, save)


def _weapon_modifier(rules: CombatRules, attacker: Attacker) -> int | None:
    """What a weapon's save note takes off in all; None where it prints none and its Strength
    counts.

    Source: SHOOTING CHART; ruling G46: the note is the whole, or comes on top of what the Strength
    takes off.
    """
    note = attacker.save_modifier
    if note is None or not rules.units.weapon_save_adds:
        return note
    return note + save_modifier(rules, attacker.strength)


def casualty_steps(rules: CombatRules, attacker: Attacker, target: Target) -> Steps:
    """What follows a hit on a regiment: the roll to wound and the save."""
    strength, modifier = attacker.strength, _weapon_modifier(rules, attacker)
    wound = explain.wound_steps(rules, strength, target.toughness)
    return wound, explain.save_steps(rules, target.save, strength, modifier)


def panic_casualties(rules: CombatRules, unit_size: int) -> int:
    """The casualties of one Shooting phase that call a Panic test: a quarter of the unit, rounded
    up.

    Source: PANIC, 6.
    """
    return -(-unit_size // rules.units.panic_part)


def combat_score(rules: CombatRules, side: Fields) -> int:
    """A side's points for the combat result: wounds, advantages, and ranks behind the first up to a
    limit.

    Source: COMBAT RESULTS.
    """
    worth = rules.units.score
    ranks = min(side["rank"], rules.units.most_ranks) * worth["rank"]
    advantages = sum(worth[flag] for flag in FLAGS if side[flag])
    return int(side["wounds_caused"] + ranks + advantages)


def break_test(
    rules: CombatRules, leadership: int, lost_by: int, *, reroll: bool = False
) -> LeadershipTest:
    """The loser's Break test: Leadership less the difference of the scores.

    Source: COMBAT RESULTS.
    """
    return leadership_rule(rules, leadership - lost_by, reroll=reroll, why="Break test")


@frozen_dataclass
class Pursuit:
    """Fleers first, then pursuers; strictly further runs them down (ruling G47).

    Source: PURSUIT.
    """

    pursuer_dice: int
    fleer_dice: int
    equal_catches: bool

    def play(self, dice: Dice, state: None) -> str:
        """Roll both distances in D6."""
        fled = dice.total((6,) * self.fleer_dice, Meaning("flight"))
        least = fled if self.equal_catches else fled + 1
        names, need = ("escapes", "run down"), f"{least} or more"
        meaning = Meaning("pursuit", (least,), names, need)
        ran = dice.total((6,) * self.pursuer_dice, meaning)
        return "run_down" if ran >= least else "escapes"


def _unit_attacks(rules: CombatRules, inputs: Inputs) -> Question:
    save = unit_save(
        rules, inputs.armour, is_mounted=inputs.mounted, has_target=inputs.target
    )
    attacker = Attacker(inputs.ws_attacker, inputs.strength)
    target = Target(inputs.ws_defender, inputs.toughness, save=save)
    attack = unit_attack(rules, attacker, target, at_obstacle=inputs.defended_obstacle)
    assert attack.aim.need is not None
    hits = f"Hits on {explain.score_text(attack.aim.need)}."
    steps = (hits, *casualty_steps(rules, attacker, target))
    per = "casualty_per_attack"
    return Casualties(attack, inputs.attacks, per, inputs.at_least, steps)


def _volley(rules: CombatRules, inputs: Inputs) -> Question:
    """A volley's casualties, and how many call a Panic test."""
    save = unit_save(rules, inputs.armour, is_mounted=inputs.mounted, has_target=False)
    shooter = Attacker(1, inputs.strength, save_modifier=inputs.weapon_save_modifier)
    target = Target(1, inputs.toughness, save=save)
    shot = unit_shot(rules, inputs.bs, inputs.modifiers, shooter, target)
    steps = [
        explain.shot_steps(rules, inputs.bs, inputs.modifiers),
        *casualty_steps(rules, shooter, target),
    ]
    size, enough = inputs.unit_size, None
    # Without a size nobody asks for Panic, so only the single shot is told.
    if size is not None:
        enough = panic_casualties(rules, size)
        steps.append(f"Casualties that call a Panic test: {enough} of {size}.")
    return Casualties(shot, inputs.shots, "casualty_per_shot", enough, tuple(steps))


def _combat_result(rules: CombatRules, inputs: Inputs) -> Question:
    """The scores of both sides and the odds that the loser holds.

    Raises Refusal without the loser's Leadership, unless it is a draw.
    """
    a, b = combat_score(rules, inputs.side_a), combat_score(rules, inputs.side_b)
    winner = "draw" if a == b else "a" if a > b else "b"
    values: dict[str, Value] = {"winner": winner, "score_a": a, "score_b": b}
    scores = f"Scores: {a} against {b}."
    if winner == "draw":
        steps = scores, "A draw: nobody tests."
        return Spread(CertainOutcome("loser_holds"), steps, values)
    if inputs.loser_leadership is None:
        raise missing("loser_leadership")
    test = break_test(rules, inputs.loser_leadership, abs(a - b))
    rule = PassFail(test, "loser_holds", "loser_breaks")
    return Spread(rule, (scores, _break_step(test)), values)


def _break_step(test: LeadershipTest) -> str:
    return f"Break test: {explain.dice_text(test.dice_thrown)}, {test.leadership} or less holds."


def _break_test(rules: CombatRules, inputs: Inputs) -> Question:
    again = inputs.reroll_failed
    test = break_test(rules, inputs.leadership, inputs.lost_by, reroll=again)
    steps = (_break_step(test), *again_steps(inputs))
    return Spread(PassFail(test, "holds", "breaks"), steps)


def _pursuit(rules: CombatRules, inputs: Inputs) -> Question:
    catches = rules.units.equal_pursuit_catches
    rule = Pursuit(inputs.pursuer_dice, inputs.fleer_dice, catches)
    further = "as far or further" if catches else "strictly further"
    thrown = f"Pursuers roll {rule.pursuer_dice}D6, fleers {rule.fleer_dice}D6"
    return Spread(rule, (f"{thrown}; {further} runs them down.",))


ARMOUR = ("none", "light", "heavy", "cuirassier")
_SIDE = (
    number("wounds_caused", 0, MODELS_MAX, 0),
    number("rank", 0, 20, 0),
    *(flag(name, is_counted=True) for name in FLAGS),
)
_UNITS = ("units", "charts", "tests")
_STRUCK = (
    characteristic("strength"), characteristic("toughness"), choice("armour", ARMOUR, "none"), flag("mounted"),
)  # fmt: skip
_DICE = (number("pursuer_dice", 1, 6, 2), number("fleer_dice", 1, 6, 2))

CALLS = (
    Call("unit_attacks", "A regiment's attacks", (
        number("attacks", 0, UNIT_ATTACKS_MAX, 1), characteristic("ws_attacker"), characteristic("ws_defender"),
        *_STRUCK, flag("target"), flag("defended_obstacle"), number("at_least", 0, UNIT_ATTACKS_MAX, None),
    ), _UNITS, _unit_attacks),
    Call("volley", "A volley", (
        number("shots", 0, UNIT_ATTACKS_MAX, 1), characteristic("bs"), several(number("modifiers", -9, 9), 0, 12, ()),
        *_STRUCK, number("weapon_save_modifier", 0, 9, None), number("unit_size", 1, MODELS_MAX, None),
    ), _UNITS, _volley),
    Call("combat_result", "The result of a combat", (
        group("side_a", _SIDE), group("side_b", _SIDE), characteristic("loser_leadership", None),
    ), _UNITS, _combat_result),
    Call("break_test", "Break test", (
        characteristic("leadership"), number("lost_by", 0, 99), flag("reroll_failed"),
    ), _UNITS, _break_test),
    Call("pursuit", "Pursuit", _DICE, _UNITS, _pursuit),
)  # fmt: skip
