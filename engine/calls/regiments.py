"""Regiments: attacks and volleys, combat results, breaking and pursuit, and their calls.

No criticals and no injuries: each unsaved wound is a casualty, or a Wound counted off models that
have several (G48). Source: Warhammer English Civil War.
"""

from engine.calls import explain
from engine.calls.inputs import (
    MODELS_MAX,
    UNIT_ATTACKS_MAX,
    characteristic,
    choice,
    flag,
    group,
    missing,
    number,
    numbers,
)
from engine.calls.psychology import CertainOutcome, PassFail, again_steps
from engine.calls.questions import (
    Call,
    Casualties,
    Given,
    Question,
    Spread,
    Steps,
    UnitAttack,
    UnitHit,
    Value,
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
from engine.combat.psychology import LeadershipTest, leadership_rule
from engine.dice import Dice, Meaning
from engine.records import Numbers, frozen_dataclass, named_values
from engine.rules import CombatRules

FLAGS = ("standard", "high_ground", "flank", "rear", "outnumber")


@frozen_dataclass
class CombatSide:
    """One side of a combat: the wounds it caused, its ranks behind the first, and what else scores
    for it.
    """

    wounds_caused: int
    rank: int = 0
    standard: bool = False
    high_ground: bool = False
    flank: bool = False
    rear: bool = False
    outnumber: bool = False


@frozen_dataclass
class CombatScore:
    """Scores of both sides, the winner (a, b or draw) and by how much."""

    score_a: int
    score_b: int

    @property
    def winner(self) -> str:
        if self.score_a == self.score_b:
            return "draw"
        return "a" if self.score_a > self.score_b else "b"

    @property
    def difference(self) -> int:
        return abs(self.score_a - self.score_b)


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
    rules: CombatRules, attacker: Attacker, target: Target, *, at_obstacle: bool = False
) -> UnitAttack:
    """Return one attack of a regiment; a defended obstacle asks for a fixed score to hit.

    Source: HAND-TO-HAND COMBAT.
    """
    need = rules.units.obstacle_need
    if not at_obstacle:
        need = need_to_hit_melee(rules, attacker, target)
    return UnitAttack(Aim(need), _unit_hit(rules, attacker.strength, target, None))


def _unit_hit(
    rules: CombatRules, strength: int, target: Target, weapon_total: int | None
) -> UnitHit:
    need = need_to_wound(rules, strength, target.toughness)
    return UnitHit(need, effective_save(rules, target.save, strength, weapon_total))


def weapon_modifier(rules: CombatRules, strength: int, note: int | None) -> int | None:
    """What a weapon's save note takes off in all; None where it prints none and its Strength
    counts.

    Source: SHOOTING CHART; ruling G46: the note is the whole, or comes on top of what the Strength
    takes off.
    """
    if note is None or not rules.units.weapon_save_adds:
        return note
    return note + save_modifier(rules, strength)


def unit_shot(
    rules: CombatRules,
    ballistic_skill: int,
    modifiers: Numbers,
    attacker: Attacker,
    target: Target,
) -> UnitAttack:
    """Return one shot of a regiment.

    ``attacker.save_modifier`` is the save note that the weapon prints, None without one. Source:
    SHOOTING CHART.
    """
    worn_off = weapon_modifier(rules, attacker.strength, attacker.save_modifier)
    hit = _unit_hit(rules, attacker.strength, target, worn_off)
    return UnitAttack(Aim(need_to_hit_shooting(rules, ballistic_skill, modifiers)), hit)


def panic_casualties(rules: CombatRules, unit_size: int) -> int:
    """The casualties of one Shooting phase that call a Panic test: a quarter of the unit, rounded
    up.

    Source: PANIC, 6.
    """
    return -(-unit_size // rules.units.panic_part)


def combat_result(rules: CombatRules, a: CombatSide, b: CombatSide) -> CombatScore:
    """The scores of both sides. Ranks behind the first count up to a limit.

    Source: COMBAT RESULTS.
    """
    return CombatScore(_score(rules, a), _score(rules, b))


def _score(rules: CombatRules, side: CombatSide) -> int:
    """Return a side's points for the combat result: wounds, ranks, advantages."""
    worth = rules.units.score
    ranks = min(side.rank, rules.units.most_ranks) * worth["rank"]
    return (
        side.wounds_caused
        + ranks
        + sum(worth[flag] for flag in FLAGS if getattr(side, flag))
    )


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
        """Roll both distances in D6 and return "run_down" or "escapes"."""
        fled = dice.total((6,) * self.fleer_dice, Meaning("flight"))
        least = fled if self.equal_catches else fled + 1
        names, need = ("escapes", "run down"), f"{least} or more"
        ran = dice.total(
            (6,) * self.pursuer_dice, Meaning("pursuit", (least,), names, need)
        )
        return "run_down" if ran >= least else "escapes"


ARMOUR = ("none", "light", "heavy", "cuirassier")
_SIDE = (
    number("wounds_caused", 0, MODELS_MAX, 0),
    number("rank", 0, 20, 0),
    *(flag(name, is_counted=True) for name in FLAGS),
)


def _unit_attacks(rules: CombatRules, given: Given) -> Question:
    """Return the question of the casualties from one unit's attacks."""
    save = unit_save(rules, given.armour, is_mounted=given.mounted, has_target=given.target)
    attacker = Attacker(given.ws_attacker, given.strength)
    target = Target(given.ws_defender, given.toughness, save=save)
    attack = unit_attack(rules, attacker, target, at_obstacle=given.defended_obstacle)
    assert attack.aim.need is not None
    hits = f"Hits on {explain.score_text(attack.aim.need)}."
    steps = (hits, *_wound_and_save(rules, given, save, None))
    return Casualties(attack, given.attacks, "casualty_per_attack", given.at_least, steps)


def _volley(rules: CombatRules, given: Given) -> Question:
    """Return the question of a volley's casualties, and how many call a Panic test."""
    save = unit_save(rules, given.armour, is_mounted=given.mounted, has_target=False)
    weapon = given.weapon_save_modifier
    shooter = Attacker(1, given.strength, save_modifier=weapon)
    target = Target(1, given.toughness, save=save)
    shot = unit_shot(rules, given.bs, given.modifiers, shooter, target)
    worn_off = weapon_modifier(rules, given.strength, weapon)
    steps = [
        explain.shot_steps(rules, given.bs, given.modifiers),
        *_wound_and_save(rules, given, save, worn_off),
    ]
    size, enough = given.unit_size, None
    # Without a size nobody asks for Panic, so only the single shot is told.
    if size is not None:
        enough = panic_casualties(rules, size)
        steps.append(f"Casualties that call a Panic test: {enough} of {size}.")
    return Casualties(shot, given.shots, "casualty_per_shot", enough, tuple(steps))


def _wound_and_save(
    rules: CombatRules, given: Given, save: int | None, weapon: int | None
) -> Steps:
    wound = explain.wound_steps(rules, given.strength, given.toughness)
    return wound, explain.save_steps(rules, save, given.strength, weapon)


def _combat_result(rules: CombatRules, given: Given) -> Question:
    """Return the scores of both sides and the odds that the loser holds.

    Raises Refusal without the loser's Leadership, unless it is a draw.
    """
    scores = combat_result(rules, CombatSide(**given.side_a), CombatSide(**given.side_b))
    values: dict[str, Value] = named_values(scores, "winner", "score_a", "score_b")
    told = f"Scores: {scores.score_a} against {scores.score_b}."
    if scores.winner == "draw":
        return Spread(
            CertainOutcome("loser_holds"), (told, "A draw: nobody tests."), values
        )
    if given.loser_leadership is None:
        raise missing("loser_leadership")
    test = break_test(rules, given.loser_leadership, scores.difference)
    return Spread(
        PassFail(test, "loser_holds", "loser_breaks"), (told, _break_step(test)), values
    )


def _break_step(test: LeadershipTest) -> str:
    return f"Break test: {explain.dice_text(test.dice_thrown)}, {test.leadership} or less holds."


def _break_test(rules: CombatRules, given: Given) -> Question:
    test = break_test(rules, given.leadership, given.lost_by, reroll=given.reroll_failed)
    steps = (_break_step(test), *again_steps(given))
    return Spread(PassFail(test, "holds", "breaks"), steps)


def _pursuit(rules: CombatRules, given: Given) -> Question:
    """Return the odds that pursuers catch fleers, each with its number of D6."""
    catches = rules.units.equal_pursuit_catches
    rule = Pursuit(given.pursuer_dice, given.fleer_dice, catches)
    further = "as far or further" if rule.equal_catches else "strictly further"
    thrown = f"Pursuers roll {rule.pursuer_dice}D6, fleers {rule.fleer_dice}D6"
    return Spread(rule, (f"{thrown}; {further} runs them down.",))


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
        number("shots", 0, UNIT_ATTACKS_MAX, 1), characteristic("bs"), numbers(number("modifiers", -9, 9), 0, 12, ()),
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
