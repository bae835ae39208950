"""Opposed rolls, casualty tests and command rolls, and the calls about them.

Source: d10 Skirmish.
"""

from functools import partial

from engine.calls.questions import Call, Inputs, Question, Spread, choice, number
from engine.dice import Dice, Meaning, Thrown, at_least, change_faces
from engine.errors import Refusal
from engine.records import Numbers, Texts, frozen_dataclass
from engine.rules import CombatRules, Duels

SHOTS_MAX = 10
TURNS_MAX = 50


@frozen_dataclass
class OpposedRoll:
    """One opposed roll: the sides of each side's dice, its bonus dice among them.

    ``advantage`` is the attack's modifier less the defence's.

    ``win``, ``tie`` and ``loss`` are what the attacker's higher, equal and lower total mean. Bonus
    dice are committed before the roll (ruling G39). Rolled again on a win already had, it leaves it
    as it is. Source: Ranged; Melee.
    """

    attack: Thrown
    defence: Thrown
    advantage: int
    win: str
    tie: str
    loss: str

    def play(self, dice: Dice, state: str) -> str:
        if state == self.win:
            return state
        # Modifiers shift both totals by fixed figures, so their difference alone decides.
        even = dice.total(self.attack, Meaning("attack")) + self.advantage
        outcomes = (self.win, self.tie, self.loss)
        names = tuple(name.replace("_", " ") for name in outcomes)
        meaning = Meaning("defence", (even, even + 1), names, f"{even} or more")
        defence = dice.total(self.defence, meaning)
        return outcomes[(defence >= even) + (defence > even)]


@frozen_dataclass
class Duel:
    """So many opposed rolls, each shot one of its own (ruling G37); after a win no more are rolled.

    ``tie_again``: an even roll is made once more (ruling G33).
    """

    opposed: OpposedRoll
    shots: int
    tie_again: bool = False

    def play(self, dice: Dice, state: None) -> str:
        result = dice.series(((self.opposed, self.shots),), self.opposed.loss)
        if self.tie_again and result == self.opposed.tie:
            return dice.run(self.opposed, self.opposed.loss)
        return result


@frozen_dataclass
class CasualtyTest:
    """A model that is down at the end of the round: high enough and it recovers, else it is
    removed.

    A big model that fails rolls a further die (``instead``) that no bonus die is added to (ruling
    G41). Source: Recovery Phase.
    """

    dice: Thrown
    recovers_from: int
    instead: Texts = ()

    def play(self, dice: Dice, state: None) -> str:
        meaning = at_least(self.recovers_from, "casualty test", ("fails", "recovers"))
        if dice.total(self.dice, meaning) >= self.recovers_from:
            return "recovers"
        rows = self.instead
        if not rows:
            return "removed"
        turns = change_faces(rows)
        names = tuple(rows[face - 1] for face in (1, *turns))
        return rows[dice.roll(len(rows), Meaning("big casualty", turns or (1,), names)) - 1]


@frozen_dataclass
class ShotThenCasualty:
    """A ranged duel, and the casualty test of the model it put down."""

    duel: Duel
    test: CasualtyTest

    def play(self, dice: Dice, state: None) -> str:
        if dice.run(self.duel, None) != self.duel.opposed.win:
            return "never_down"
        recovers = dice.run(self.test, None) == "recovers"
        return "down_then_recovers" if recovers else "removed"


@frozen_dataclass
class BonusDiceBought:
    """The most bonus dice one command roll can buy.

    ``prices`` are for all dice of the turn together; a 1 buys nothing (G36).
    """

    die: int
    prices: Numbers
    most: int

    def play(self, dice: Dice, state: None) -> str:
        prices = self.prices[: self.most]
        # A 1 buys nothing, whatever the first die costs (ruling G36).
        cuts = tuple(sorted({2, *prices}))
        points = dice.roll(self.die, Meaning("command roll", cuts))
        bought = sum(price <= points for price in prices)
        return "round_ends" if points == 1 else f"dice_{bought}"


@frozen_dataclass
class PointsAtLeast:
    """Whether a command roll gives so many action points.

    A 1 ends the round and gives none (ruling G36).
    """

    die: int
    points: int

    def play(self, dice: Dice, state: None) -> str:
        least = max(self.points, 2)
        meaning = at_least(least, "command roll", ("not enough", "enough"))
        is_enough = dice.roll(self.die, meaning) >= least
        return "enough" if is_enough else "not_enough_or_round_ends"


@frozen_dataclass
class RoundLength:
    """Command rolls, turn after turn, until one is a 1 or so many turns were played.

    Source: Playing the Game.
    """

    die: int
    turns: int

    def play(self, dice: Dice, state: None) -> str:
        for turn in range(1, self.turns + 1):
            names = ("the round ends", "the turn is played")
            meaning = Meaning(f"command roll of turn {turn}", (2,), names)
            if dice.roll(self.die, meaning) == 1:
                return f"ends_on_turn_{turn}"
        return f"first_{self.turns}_turns_all_played"


def duel_rule(rules: CombatRules, inputs: Inputs, *, is_melee: bool = False) -> Duel:
    """An opposed roll, ranged or melee, out of the inputs of one.

    In a ranged one only a higher attack does something, in melee the lower side goes down. Weapons
    add only to the attack, Tough to both (ruling G44); cover and armour are part of the defence
    modifier.
    """
    duels = rules.duels
    even = "tie_both_lose" if duels.melee_ties == "both_down" else "tie_no_effect"
    opposed = OpposedRoll(
        attack=_dice_with(duels, inputs.attack_bonus_dice),
        defence=_dice_with(duels, inputs.defence_bonus_dice),
        advantage=inputs.attack_modifier - inputs.defence_modifier,
        win="defender_loses" if is_melee else "defender_down",
        tie=even if is_melee else "no_effect",
        loss="attacker_loses" if is_melee else "no_effect",
    )
    if is_melee:
        return Duel(opposed, 1, duels.melee_ties == "roll_once_more")
    return Duel(opposed, inputs.shots)


def _dice_with(duels: Duels, bonus_dice: int) -> Thrown:
    """The sides of one side's dice: its die and so many bonus dice."""
    return (duels.die, *(duels.bonus_die,) * bonus_dice)


def casualty_rule(
    rules: CombatRules, bonus_dice: int, *, is_big: bool = False
) -> CasualtyTest:
    """The casualty test of a small or a big model."""
    duels = rules.duels
    instead = duels.big_table if is_big else ()
    return CasualtyTest(_dice_with(duels, bonus_dice), duels.recovers_from, instead)


def may_be_hurt(
    rules: CombatRules, armour_value: int | None, penetration: int | None, *, is_melee: bool
) -> bool:
    """Whether an attack may damage a model at all, before any die.

    Armour 0 or 1: only in melee range; 2 and more: only with armour penetration, any figure or at
    least the armour's own where a group plays that. None is a model without armour values, or a
    weapon without penetration. Source: Big Models; rulings C49, C58, G35.
    """
    duels = rules.duels
    if armour_value is None:
        return True
    if armour_value < 2:
        return is_melee or not duels.low_av_melee_only
    least = armour_value if duels.penetration_must_reach else 1
    return penetration is not None and penetration >= least


_SIDES = ("attack_bonus_dice", "defence_bonus_dice")


def _check_bonus_dice(rules: CombatRules, inputs: Inputs, *names: str) -> None:
    """Raise Refusal for more bonus dice than a hand holds, or for some with several shots."""
    most = rules.duels.most_bonus_dice
    for name in names:
        if getattr(inputs, name) > most:
            raise Refusal(f"{name}: nobody holds more than {most} bonus dice.", field=name)
    for name in _SIDES:
        if getattr(inputs, "shots", 1) != 1 and getattr(inputs, name):
            message = f"{name}: bonus dice go with a single shot; give shots 1."
            raise Refusal(message, field=name)


def _sides(inputs: Inputs) -> str:
    attack = _side(inputs.attack_bonus_dice, inputs.attack_modifier)
    return f"{attack} against {_side(inputs.defence_bonus_dice, inputs.defence_modifier)}."


def _side(dice: int, modifier: int) -> str:
    bonus = f" + {dice}D6" if dice else ""
    return f"D10{bonus}{f' {modifier:+d}' if modifier else ''}"


def _duel_ranged(rules: CombatRules, inputs: Inputs) -> Question:
    _check_bonus_dice(rules, inputs, *_SIDES)
    shots = inputs.shots
    rolls = (f"Shots: {shots}, each a roll of its own.",) if shots > 1 else ()
    steps = (_sides(inputs), *rolls, "A higher attack puts the target down.")
    return Spread(duel_rule(rules, inputs), steps)


def _duel_melee(rules: CombatRules, inputs: Inputs) -> Question:
    _check_bonus_dice(rules, inputs, *_SIDES)
    step = f"The lower side goes down; {_TIES[rules.duels.melee_ties]}."
    return Spread(duel_rule(rules, inputs, is_melee=True), (_sides(inputs), step))


# What an even melee comes to: ruling G33.
_TIES = {
    "nothing": "a tie changes nothing",
    "roll_once_more": "a tie is rolled once more, and a second one changes nothing",
    "both_down": "a tie puts both down",
}


def _casualty_test(rules: CombatRules, inputs: Inputs, *, is_big: bool = False) -> Question:
    _check_bonus_dice(rules, inputs, "bonus_dice")
    rule = casualty_rule(rules, inputs.bonus_dice, is_big=is_big)
    step = f"{_side(inputs.bonus_dice, 0)}, {rule.recovers_from} or more recovers."
    further = ("Failed: a D4 without bonus dice.",) if is_big else ()
    return Spread(rule, (step, *further))


def _ranged_then_casualty(rules: CombatRules, inputs: Inputs) -> Question:
    _check_bonus_dice(rules, inputs, *_SIDES, "casualty_bonus_dice")
    test = casualty_rule(rules, inputs.casualty_bonus_dice)
    step = f"Casualty test of one who is down: {test.recovers_from} or more recovers."
    rule = ShotThenCasualty(duel_rule(rules, inputs), test)
    return Spread(rule, (_sides(inputs), step))


def _affordable(rules: CombatRules, inputs: Inputs) -> Question:
    """What a command roll can buy, by the table of prices or at one point each (C01)."""
    duels, mode = rules.duels, inputs.mode
    if mode is not None and mode not in duels.prices:
        raise Refusal(f"mode: give one of {', '.join(duels.prices)}.", field="mode")
    prices = duels.prices[mode or duels.bonus_dice_cost]
    costs = ", ".join(f"{count} for {price}" for count, price in enumerate(prices, start=1))
    rule = BonusDiceBought(duels.command_die, prices, duels.most_bonus_dice)
    return Spread(rule, (f"D20 action points; a 1 ends the round. Bonus dice: {costs}.",))


def _points(rules: CombatRules, inputs: Inputs) -> Question:
    rule = PointsAtLeast(rules.duels.command_die, inputs.points)
    return Spread(rule, ("D20 action points; a 1 ends the round and gives none.",))


def _round_length(rules: CombatRules, inputs: Inputs) -> Question:
    rule = RoundLength(rules.duels.command_die, inputs.turns)
    return Spread(rule, ("Each turn starts with a D20; a 1 ends the round.",))


_DUELS = ("duels",)
_MODIFIERS = (number("attack_modifier", -20, 20, 0), number("defence_modifier", -20, 20, 0))
_BONUSES = (number("attack_bonus_dice", 0, 6, 0), number("defence_bonus_dice", 0, 6, 0))
_SHOTS = number("shots", 1, SHOTS_MAX, 1)
_CASUALTY = number("bonus_dice", 0, 6, 0)

CALLS = (
    Call("duel_ranged", "A ranged duel", (*_MODIFIERS, *_BONUSES, _SHOTS), _DUELS, _duel_ranged),
    Call("duel_melee", "A melee duel", (*_MODIFIERS, *_BONUSES), _DUELS, _duel_melee),
    Call("casualty_test", "Casualty test", (_CASUALTY,), _DUELS, _casualty_test),
    Call(
        "big_casualty_test", "Casualty test of a big model", (_CASUALTY,), _DUELS,
        partial(_casualty_test, is_big=True),
    ),
    Call("ranged_then_casualty", "A ranged duel and its casualty test", (
        *_MODIFIERS, *_BONUSES, _SHOTS, number("casualty_bonus_dice", 0, 6, 0),
    ), _DUELS, _ranged_then_casualty),
    Call("affordable_bonus_dice", "Bonus dice a command roll buys", (
        choice("mode", ("table", "flat"), None),
    ), _DUELS, _affordable),
    Call("action_points_at_least", "Enough action points", (number("points", 1, 20),), _DUELS, _points),
    Call("round_length", "How long a round lasts", (number("turns", 1, TURNS_MAX),), _DUELS, _round_length),
)  # fmt: skip
