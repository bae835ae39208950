"""A question about dice as programs send it, read strictly and answered in plain values.

A question is a mapping with ``system``, ``variant``, ``call``, ``inputs`` and ``rulings`` (and
``dice`` for one play). No request and no database here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from secrets import SystemRandom
from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.calls import CALLS, CallResult, Record, available, evaluate, play, question
from engine.calls.attacks import POISON, with_poison
from engine.dice import MOST_SIDES, GivenDice, ThrownDice, WrongFace
from engine.errors import Refusal, refused_at
from engine.records import JsonObject, NamedValues, TextByKey, is_int_within, named_values
from engine.rules import CombatRules
from engine.types.systems import System
from engine.words import capital
from rulesdata import registry

KEYS = ("system", "variant", "call", "inputs", "rulings")
DICE_MAX = 2000
PLACES = 6
SHOWN = 10
_CHANCE = SystemRandom()


class QuestionRefused(FaultyDocument):
    """A question that cannot be read or asked; ``errors`` are fields and a sentence for each."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        faults = [Fault(path, message) for path, message in errors.items()]
        super().__init__(faults, "; ".join(errors.values()))
        self.errors = dict(errors)


def odds(body: NamedValues) -> JsonObject:
    """Return the exact answer: outcomes with their chances, other values, the steps in words.

    Raises QuestionRefused with every field that cannot be read and a sentence for each.
    """
    rules, call, inputs = _read_question(body, KEYS)
    with _input_refused():
        return _answer(evaluate(rules, call, inputs))


def roll(body: NamedValues) -> JsonObject:
    """Return one play with the ``dice`` of the body, or with dice thrown where it gives none.

    Raises QuestionRefused.
    """
    rules, call, inputs = _read_question(body, (*KEYS, "dice"))
    with _input_refused():
        # Refused before a die is thrown, so that no fault of an input is taken for one of the dice.
        question(rules, call, inputs)
    given = body.get("dice")
    if given is None:
        thrown = ThrownDice(lambda sides: _CHANCE.randint(1, sides))
        return _record(play(rules, call, inputs, thrown))
    dice = GivenDice(_read_faces(given))
    try:
        return _record(play(rules, call, inputs, dice))
    except WrongFace as refusal:
        raise QuestionRefused(
            {f"dice.{len(given) - dice.left_over - 1}": refusal.message}
        ) from None
    except Refusal as refusal:
        raise QuestionRefused({"dice": refusal.message}) from None


def fraction(chance: Fraction) -> JsonObject:
    """A chance as programs read it: exactly, and to six places."""
    return {"fraction": str(chance), "decimal": float(round(chance, PLACES))}


def _answer(answer: CallResult) -> JsonObject:
    outcomes = {name: fraction(chance) for name, chance in answer.outcomes.items()}
    return {"outcomes": outcomes, "values": answer.values, "steps": list(answer.steps)}


def _record(record: Record) -> JsonObject:
    dice = [
        named_values(die, "why", "sides", "face", "need", "outcome") for die in record.dice
    ]
    told = named_values(record, "outcome", "values")
    return {**told, "steps": list(record.steps), "record": dice}


def _read_question(
    body: NamedValues, keys: Sequence[str]
) -> tuple[CombatRules, str, NamedValues]:
    """Return the rules as agreed, the call and its inputs.

    Raises QuestionRefused with everything that is wrong with the outermost level.
    """
    errors = _unknown_keys(body, keys)
    system = _system(body, errors)
    rules = registry.combat_rules(system.key, system.variant) if system else None
    if fault := _call_fault(body, rules):
        errors["call"] = fault
    inputs = body.get("inputs", {})
    if not isinstance(inputs, Mapping):
        errors["inputs"] = "Give an object with the names and values of the call."
    # Rulings are read although something is wrong before: a program is told of everything at once.
    rulings = _rulings(body, errors)
    if system and rules:
        rules = _agreed_rules(system, rules, rulings, errors)
    if errors or rules is None:
        raise QuestionRefused(errors)
    if POISON not in rulings:
        rules = with_poison(rules, inputs)
    return rules, str(body["call"]), inputs


def _unknown_keys(body: NamedValues, keys: Sequence[str]) -> TextByKey:
    unknown = [key for key in body if key not in keys][:SHOWN]
    return {
        key[:80]: f"There is no such key; there may be {', '.join(keys)}."
        for key in unknown
    }


def _call_fault(body: NamedValues, rules: CombatRules | None) -> str:
    """Return why the call cannot be asked, "" where it can or the rules are not known."""
    call = body.get("call")
    if "call" not in body:
        return f"This is needed: one of {', '.join(CALLS)}."
    if not isinstance(call, str) or call not in CALLS:
        return f"There is no such call; give one of {', '.join(CALLS)}."
    if rules and call not in available(rules):
        return f"This system has no call '{call}'; it has {', '.join(available(rules))}."
    return ""


def _rulings(body: NamedValues, errors: TextByKey) -> NamedValues:
    """Return the rulings that may be tried; what is wrong with the others is written down."""
    rulings = body.get("rulings")
    if rulings is None:
        return {}
    if not isinstance(rulings, Mapping):
        errors["rulings"] = "Give an object with keys and values of rulings."
        return {}
    invalid = _invalid_rulings(rulings)
    errors |= invalid
    return {
        key: value for key, value in rulings.items() if f"rulings.{key[:80]}" not in invalid
    }


def _agreed_rules(
    system: System, rules: CombatRules, rulings: NamedValues, errors: TextByKey
) -> CombatRules:
    """Return the rules as agreed, or as printed where a ruling is refused and written down."""
    try:
        return _apply_rulings(system, rules, rulings)
    except Refusal as refusal:
        errors[refusal.field] = refusal.message
        return rules


def _apply_rulings(system: System, rules: CombatRules, given: NamedValues) -> CombatRules:
    """The rules of a system under other rulings: what is named by its number goes by that ruling's
    key.

    A ruling no die knows is taken and changes nothing. Raises Refusal with the field named as it
    was given, for a ruling the system has not got, for a value it cannot have, and for one that is
    given under both its names.
    """
    keys = {ruling.ref: ruling.key for ruling in system.rulings}
    named: TextByKey = {}
    for name, value in given.items():
        field, key = f"rulings.{name[:80]}", keys.get(name, name)
        if not key or (name in keys and key not in rules.rulings()):
            continue
        if key in named:
            raise Refusal(
                f"'{named[key]}' and '{name}' are one ruling; give it once.", field=field
            )
        named[key] = name
        with refused_at(field):
            rules = rules.with_rulings({key: value})
    return rules


def _system(body: NamedValues, errors: TextByKey) -> System | None:
    """The system and variant named, or None with the fault written down."""
    system, variant = body.get("system"), body.get("variant")
    known = ", ".join(registry.systems())
    if not isinstance(system, str) or system not in registry.systems():
        asked = "There is no such rule system" if "system" in body else "This is needed"
        errors["system"] = f"{asked}; give one of {known}."
        return None
    if variant is not None and not isinstance(variant, str):
        errors["variant"] = "Give the key of a variant, or null for a system that has none."
        return None
    try:
        return registry.load_system(system, variant)
    except registry.UnknownVariant as error:
        errors["variant"] = str(error)
        return None


def _invalid_rulings(rulings: NamedValues) -> TextByKey:
    """Rulings whose value is no single figure or word."""
    found = [key for key, value in rulings.items() if isinstance(value, list | Mapping)][
        :SHOWN
    ]
    return {
        f"rulings.{key[:80]}": "Give a word, a whole number, true, false or null."
        for key in found
    }


def _read_faces(given: Any) -> list[int]:
    """The dice somebody threw: whole numbers, none higher than the largest die."""
    if not isinstance(given, list) or len(given) > DICE_MAX:
        raise QuestionRefused(
            {
                "dice": f"Give a list of at most {DICE_MAX:,} faces, or null to have the dice thrown."
            }
        )
    for place, face in enumerate(given):
        if not is_int_within(face, 1, MOST_SIDES):
            sentence = f"Give the face of a die, a whole number from 1 to {MOST_SIDES}."
            raise QuestionRefused({f"dice.{place}": sentence})
    return given


@contextmanager
def _input_refused() -> Iterator[None]:
    """Let the engine's refusal of an input name it as the body does."""
    try:
        yield
    except Refusal as refusal:
        told = refusal.message.removeprefix(f"{refusal.field}: ")
        raise QuestionRefused({f"inputs.{refusal.field}": capital(told)}) from None
