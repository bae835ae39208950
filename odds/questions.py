"""A question about dice as programs send it, read strictly and answered in plain values.

A question is a mapping with ``system``, ``variant``, ``call``, ``inputs`` and ``rulings`` (and
``dice`` for one play). No request and no database here.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from secrets import SystemRandom

from accounts.errors import Fault, FaultyDocument
from engine.calls import CALLS, available, evaluate, play, question
from engine.dice import MOST_SIDES, GivenDice, ThrownDice, WrongFace
from engine.errors import Refusal, refused_at
from engine.records import JsonObject, NamedValues, TextByKey, is_int_within, named_values
from engine.rules import CombatRules
from engine.text import capital
from engine.types.systems import System
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
        answer = evaluate(rules, call, inputs)
    outcomes = {
        name: {"fraction": str(chance), "decimal": float(round(chance, PLACES))}
        for name, chance in answer.outcomes.items()
    }
    return {"outcomes": outcomes, "values": answer.values, "steps": list(answer.steps)}


def roll(body: NamedValues) -> JsonObject:
    """Return one play with the ``dice`` of the body, or with dice thrown where it gives none.

    Raises QuestionRefused.
    """
    rules, call, inputs = _read_question(body, (*KEYS, "dice"))
    with _input_refused():
        # Refused before a die is thrown, so that no fault of an input is taken for one of the dice.
        question(rules, call, inputs)
    faces = body.get("dice")
    if faces is None:
        thrown = ThrownDice(lambda sides: _CHANCE.randint(1, sides))
        record = play(rules, call, inputs, thrown)
    else:
        if not isinstance(faces, list) or len(faces) > DICE_MAX:
            most = f"at most {DICE_MAX:,} faces, or null to have the dice thrown."
            raise QuestionRefused({"dice": f"Give a list of {most}"})
        for place, face in enumerate(faces):
            if not is_int_within(face, 1, MOST_SIDES):
                message = f"Give the face of a die, a whole number from 1 to {MOST_SIDES}."
                raise QuestionRefused({f"dice.{place}": message})
        dice = GivenDice(faces)
        try:
            record = play(rules, call, inputs, dice)
        except WrongFace as refusal:
            place = len(faces) - dice.left_over - 1
            raise QuestionRefused({f"dice.{place}": refusal.message}) from None
        except Refusal as refusal:
            raise QuestionRefused({"dice": refusal.message}) from None
    return {
        "outcome": record.outcome,
        "values": record.values,
        "steps": list(record.steps),
        "record": [
            named_values(die, "why", "sides", "face", "need", "outcome")
            for die in record.dice
        ],
    }


def _read_question(
    body: NamedValues, keys: Sequence[str]
) -> tuple[CombatRules, str, NamedValues]:
    """Return the rules as agreed, the call and its inputs.

    Raises QuestionRefused with everything that is wrong with the outermost level.
    """
    message = f"There is no such key; there may be {', '.join(keys)}."
    unknown = [key for key in body if key not in keys][:SHOWN]
    errors = {key[:80]: message for key in unknown}
    system = _read_system(body, errors)
    rules = registry.combat_rules(system.key, system.variant) if system else None
    if fault := _call_fault(body, rules):
        errors["call"] = fault
    inputs = body.get("inputs", {})
    if not isinstance(inputs, Mapping):
        errors["inputs"] = "Give an object with the names and values of the call."
    # Rulings are read although something is wrong before: a program is told of everything at once.
    rulings = _read_rulings(body, errors)
    if system and rules:
        try:
            rules = _apply_rulings(system, rules, rulings)
        except Refusal as refusal:
            errors[refusal.field] = refusal.message
    if errors or rules is None:
        raise QuestionRefused(errors)
    return rules, str(body["call"]), inputs


def _read_system(body: NamedValues, errors: TextByKey) -> System | None:
    """The system and variant named, or None with the fault written down."""
    system, variant = body.get("system"), body.get("variant")
    if not isinstance(system, str) or system not in registry.systems():
        fault = "There is no such rule system" if "system" in body else "This is needed"
        errors["system"] = f"{fault}; give one of {', '.join(registry.systems())}."
        return None
    if variant is not None and not isinstance(variant, str):
        errors["variant"] = "Give the key of a variant, or null for a system that has none."
        return None
    try:
        return registry.load_system(system, variant)
    except registry.UnknownVariant as error:
        errors["variant"] = str(error)
        return None


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


def _read_rulings(body: NamedValues, errors: TextByKey) -> NamedValues:
    """Return the rulings that may be tried; what is wrong with the others is written down."""
    rulings = body.get("rulings")
    if rulings is None:
        return {}
    if not isinstance(rulings, Mapping):
        errors["rulings"] = "Give an object with keys and values of rulings."
        return {}
    # A ruling is a single figure or word.
    wrong = [key for key, value in rulings.items() if isinstance(value, list | Mapping)]
    for key in wrong[:SHOWN]:
        message = "Give a word, a whole number, true, false or null."
        errors[f"rulings.{key[:80]}"] = message
    return {
        key: value for key, value in rulings.items() if f"rulings.{key[:80]}" not in errors
    }


def _apply_rulings(system: System, rules: CombatRules, rulings: NamedValues) -> CombatRules:
    """The rules of a system under other rulings: what is named by its number goes by that ruling's
    key.

    A ruling of the book that no die knows changes nothing. Raises Refusal with the field named as
    it was given, for a ruling the book has not got, for a value it cannot have, and for one that
    is given under both its names.
    """
    keys = {ruling.ref: ruling.key for ruling in system.rulings}
    house_rules = (rule.key for rule in system.house_rules)
    book = {*keys.values(), *rules.rulings(), *house_rules} - {""}
    names: TextByKey = {}
    for name, value in rulings.items():
        field, key = f"rulings.{name[:80]}", keys.get(name, name)
        if name not in keys and key not in book:
            message = f"There is no ruling '{name[:80]}' in this system."
            raise Refusal(message, field=field)
        if not key or (name in keys and key not in rules.rulings()):
            continue
        if key in names:
            message = f"'{names[key]}' and '{name}' are one ruling; give it once."
            raise Refusal(message, field=field)
        names[key] = name
        with refused_at(field):
            rules = rules.with_rulings({key: value})
    return rules


@contextmanager
def _input_refused() -> Iterator[None]:
    """Let the engine's refusal of an input name it as the body does."""
    try:
        yield
    except Refusal as refusal:
        message = capital(refusal.message.removeprefix(f"{refusal.field}: "))
        raise QuestionRefused({f"inputs.{refusal.field}": message}) from None
