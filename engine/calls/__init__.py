"""Questions by name: the exact odds of each, or one play of it with dice given or thrown.

    answer = evaluate(rules, "hit", {"strength": 3, "toughness": 3})
    answer.outcomes["out_of_action"]   # Fraction(11, 54)

Every call says what it takes (``CALLS[name].inputs``): a missing input has its default, an unknown
one is refused by name. All work is bounded by the ranges of the inputs.
"""

from collections.abc import Mapping

from engine.calls import attacks, duels, falls, psychology, regiments
from engine.calls.questions import (
    Call,
    CallResult,
    Inputs,
    Question,
    Spread,
    Steps,
    Value,
    checked,
)
from engine.dice import DieRecord, GivenDice, ThrownDice
from engine.errors import Refusal
from engine.records import NamedValues, Texts, frozen_dataclass
from engine.rules import CombatRules

CALLS: Mapping[str, Call] = {
    call.name: call
    for module in (attacks, falls, psychology, regiments, duels)
    for call in module.CALLS
}


@frozen_dataclass
class Record:
    """One play of a call: what came out, values that go with it, and every die in the order thrown."""

    outcome: str
    values: dict[str, Value]
    dice: tuple[DieRecord, ...]
    steps: Steps


def available(rules: CombatRules) -> Texts:
    """The calls a system has."""
    return tuple(name for name, call in CALLS.items() if call.is_known(rules))


def question(rules: CombatRules, call: str, inputs: NamedValues) -> Question:
    """The call with its inputs filled in.

    Raises Refusal naming the field: an unknown call or one the system has not got, an unknown or
    missing input, a value out of its range.
    """
    if not isinstance(call, str) or call not in CALLS:
        message = f"There is no call '{str(call)[:80]}'. There are: {', '.join(CALLS)}."
        raise Refusal(message, field="call")
    if not CALLS[call].is_known(rules):
        raise Refusal(f"This system has no call '{call}'.", field="call")
    return CALLS[call].ask(rules, Inputs(**checked(CALLS[call].inputs, inputs)))


def evaluate(rules: CombatRules, call: str, inputs: NamedValues) -> CallResult:
    """The exact chance of each outcome; those without a chance are left out of spreads.

    Raises as ``question``.
    """
    answered = question(rules, call, inputs)
    values = dict(answered.values) if isinstance(answered, Spread) else {}
    return CallResult(answered.chances(), values, answered.steps)


def play(rules: CombatRules, call: str, inputs: NamedValues, dice: ThrownDice) -> Record:
    """One play of the call with dice given (``GivenDice``) or thrown (``ThrownDice`` with a source
    of faces).

    Raises as ``question``; MissingDie, naming the next die, where the dice given run out; Refusal
    where some are left over.
    """
    played = question(rules, call, inputs)
    outcome, values = played.play(dice)
    if isinstance(dice, GivenDice) and dice.left_over:
        used, left = len(dice.record), dice.left_over
        message = f"The dice were settled after {used}; {left} too many were given."
        raise Refusal(message, field="dice")
    return Record(outcome, values, tuple(dice.record), played.steps)
