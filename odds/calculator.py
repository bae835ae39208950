"""The test calculator: a form out of a call's inputs, the inputs out of what was sent, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.calls import CALLS, Input, available, evaluate
from engine.errors import Refusal
from engine.rules import CombatRules
from engine.types import System
from odds.exhibits import Exhibit, outcome_name, outcomes_of
from odds.rulesets import UnknownSubject, ruleset
from rulesdata import registry

TOPICS = (
    (
        "Nerve",
        ("rout_test", "leadership_test", "all_alone", "stupidity", "leadership_table"),
    ),
    (
        "Agility, jumps and falls",
        (
            "initiative_test",
            "initiative_table",
            "jump_down",
            "diving_charge",
            "fall",
            "fall_003a",
            "fall_from_edge",
        ),
    ),
    ("Regiments", ("break_test", "pursuit", "combat_result", "unit_attacks", "volley")),
    (
        "Rounds and casualties",
        (
            "casualty_test",
            "big_casualty_test",
            "affordable_bonus_dice",
            "action_points_at_least",
            "round_length",
        ),
    ),
    ("Opposed rolls", ("duel_ranged", "duel_melee", "ranged_then_casualty")),
    (
        "Blows and shots",
        ("hit", "melee", "melee_sequence", "attack_downed", "shoot", "swarm_hits", "cavalry_hit"),
    ),
)

TITLES = {
    "leadership_test": "Leadership: rallying, Panic and the like",
    "initiative_test": "Initiative: climbing and the like",
    "all_alone": "All Alone",
    "fall_003a": "A fall that tests may soften",
}

LABELS: dict[str, tuple[str, str]] = {
    "leadership": ("Leadership", ""),
    "loser_leadership": ("The loser's Leadership", "Needed unless it is a draw."),
    "reroll_failed": ("A failed test is rolled again", ""),
    "initiative": ("Initiative", ""),
    "values": ("Values", "Numbers with commas between."),
    "force_size": ("Models at the start", ""),
    "out_of_action": ("Out of action or fled", ""),
    "leader": ("The leader", ""),
    "others": ("Others who could lend Leadership", "Leave a line empty where there is nobody."),
    "state": ("State", ""),
    "turns": ("Turns", ""),
    "opponents": (
        "Strengths of the opponents",
        "One number for each opponent, with commas between; two or more.",
    ),
    "toughness": ("Toughness", ""),
    "strength": ("Strength", ""),
    "wounds": ("Wounds", ""),
    "save": ("Armour save", "5 for 5+; empty for none."),
    "height": ("Height in inches", ""),
    "attacker": ("The attacker", ""),
    "attackers": ("The attackers in turn", "Leave a line empty where there is nobody."),
    "defender": ("The defender", ""),
    "ws": ("Weapon Skill", ""),
    "bs": ("Ballistic Skill", ""),
    "ws_attacker": ("The attackers' Weapon Skill", ""),
    "ws_defender": ("The defenders' Weapon Skill", ""),
    "attacks": ("Attacks", ""),
    "hits": ("Hits", ""),
    "shots": ("Shots", ""),
    "to_hit_bonus": ("Added to hit", ""),
    "killing_blow": ("Killing blow", ""),
    "poison": ("Poison", ""),
    "parry": ("The defender parries", ""),
    "defender_strength": ("The defender's Strength", ""),
    "reroll": ("With sword and buckler", ""),
    "critical_available": ("May strike critically", ""),
    "injury_table": ("Injury table", ""),
    "helmet": ("Wears a helmet", ""),
    "target_state": ("The target is", ""),
    "modifiers": (
        "Modifiers to hit",
        "Numbers with commas between, such as -1, -2; empty for none.",
    ),
    "armour": ("Armour", ""),
    "mounted": ("Mounted", ""),
    "target": ("Carries a target", ""),
    "defended_obstacle": ("Behind a defended obstacle", ""),
    "at_least": ("At least so many casualties", "Empty where that is not asked."),
    "weapon_save_modifier": (
        "The weapon's own save modifier",
        "2 for -2; empty where it has none.",
    ),
    "unit_size": (
        "Models in the target unit",
        "For its Panic test; empty where that is not asked.",
    ),
    "side_a": ("One side", ""),
    "side_b": ("The other side", ""),
    "wounds_caused": ("Wounds caused", ""),
    "rank": ("Ranks behind the first", ""),
    "standard": ("A standard", ""),
    "high_ground": ("Uphill", ""),
    "flank": ("In the flank", ""),
    "rear": ("In the rear", ""),
    "outnumber": ("Outnumbers the other", ""),
    "lost_by": ("Lost by", ""),
    "pursuer_dice": ("Pursuers' dice", "Two on foot, three mounted."),
    "fleer_dice": ("Fleers' dice", "Two on foot, three mounted."),
    "attack_modifier": ("Modifier of the attack", ""),
    "defence_modifier": ("Modifier of the defence", "Cover and armour counted in."),
    "attack_bonus_dice": ("Bonus dice on the attack", ""),
    "defence_bonus_dice": ("Bonus dice on the defence", ""),
    "casualty_bonus_dice": ("Bonus dice on the casualty test", ""),
    "bonus_dice": ("Bonus dice", ""),
    "mode": ("Price of bonus dice", ""),
    "points": ("Action points", ""),
}

# What a form shows before anybody typed: an ordinary case of each.
EXAMPLES = {
    "leadership": "7",
    "initiative": "3",
    "values": "1, 2, 3, 4, 5, 6",
    "force_size": "12",
    "out_of_action": "3",
    "opponents": "3, 3",
    "toughness": "3",
    "strength": "3",
    "height": "4",
    "ws": "3",
    "bs": "3",
    "ws_attacker": "3",
    "ws_defender": "3",
    "lost_by": "2",
    "points": "6",
    "turns": "3",
    "leader.leadership": "8",
    "attacker.ws": "3",
    "attacker.strength": "3",
    "defender.ws": "3",
    "defender.toughness": "3",
    "side_a.wounds_caused": "3",
    "side_b.wounds_caused": "1",
    "loser_leadership": "7",
    "defender_strength": "3",
    "attackers.0.ws": "3",
    "attackers.0.strength": "3",
    "attackers.1.ws": "3",
    "attackers.1.strength": "3",
}
GROUPS_ON = frozenset({"leader"})


def label_of(name: str) -> str:
    """What an input is called."""
    return LABELS[name][0] if name in LABELS else name.replace("_", " ").capitalize()


def help_of(name: str) -> str:
    return LABELS[name][1] if name in LABELS else ""


def title_of(call: str, printed: str) -> str:
    """What a call is called in the calculator."""
    return TITLES.get(call, printed)


ROWS = 3
WITH = "with-"


@dataclass(frozen=True, slots=True)
class FormControl:
    """One control of ``kind`` number, height, flag, choice or numbers; a group holds ``fields``,
    perhaps a switch.
    """

    name: str
    label: str
    kind: str
    value: str = ""
    help: str = ""
    error: str = ""
    low: int = 0
    high: int = 0
    is_required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    fields: tuple[FormControl, ...] = ()
    switch: str = ""
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Calculator:
    """The page of one call: what else there is to ask, the form, and the answer (None while
    something is wrong).
    """

    system: System
    books: tuple[tuple[str, str], ...]
    topics: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    call: str
    title: str
    fields: tuple[FormControl, ...]
    answer: Exhibit | None
    values: tuple[tuple[str, str], ...]
    fault: str


def build_calculator(sent: Mapping[str, str], *, is_asked: bool) -> Calculator:
    """The calculator as a form asked for it. Raises NotThere for rules or a call there are not."""
    system = ruleset(sent.get("book") or registry.rulesets()[0].address)
    rules = registry.combat_rules(system.key, system.variant)
    topics = _topics(rules)
    call = sent.get("call") or next((names[0][0] for _, names in topics), "")
    if call not in available(rules):
        raise UnknownSubject(f"These rules have no such test: '{call[:60]}'.")
    given = sent if is_asked else {}
    answer, values, fault = None, {}, Refusal("")
    try:
        inputs = {
            i.name: v
            for i in CALLS[call].inputs
            if (v := _sent(i, i.name, given, is_asked)) is not _NOTHING
        }
        found = evaluate(rules, call, inputs)
        answer = Exhibit(
            "answer",
            title_of(call, CALLS[call].title),
            outcomes_of(found.outcomes),
            "",
            found.steps,
        )
        values = found.values
    except Refusal as refusal:
        fault = refusal
    return Calculator(
        system=system,
        books=tuple((s.address, s.full_name) for s in registry.rulesets()),
        topics=topics,
        call=call,
        title=title_of(call, CALLS[call].title),
        fields=tuple(_field(i, i.name, given, is_asked, fault) for i in CALLS[call].inputs),
        answer=answer,
        values=tuple((outcome_name(name), _word(value)) for name, value in values.items()),
        fault=_sentence(fault),
    )


def _topics(rules: CombatRules) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    known = tuple(name for name in available(rules) if not _is_idle(rules, name))
    listed = {name for _, names in TOPICS for name in names}
    topics = (*TOPICS, ("More", tuple(name for name in known if name not in listed)))
    found = (
        (t, tuple((n, title_of(n, CALLS[n].title)) for n in names if n in known))
        for t, names in topics
    )
    return tuple((topic, names) for topic, names in found if names)


def _is_idle(rules: CombatRules, call: str) -> bool:
    """Whether a call could only ever answer that nothing is rolled: a Rout test where the text has
    none.
    """
    return call == "rout_test" and (rules.morale is None or rules.morale.rout_played is None)


class _Nothing:
    """An input that was left empty."""


_NOTHING = _Nothing()


def _example(path: str, name: str) -> str:
    return EXAMPLES.get(path, EXAMPLES.get(name, ""))


def _text(one: Input, path: str, given: Mapping[str, str], is_asked: bool) -> str:
    """What stands in the control: what was sent, else an ordinary case, else the default."""
    if is_asked:
        return given.get(path, "")[:200]
    if one.is_required:
        return _example(path, one.name) if path.count(".") < 2 else EXAMPLES.get(path, "")
    if isinstance(one.default, bool):
        return "1" if one.default else ""
    return _example(path, "") or ("" if one.default in (None, ()) else str(one.default))


def _is_on(one: Input, path: str, given: Mapping[str, str], is_asked: bool) -> bool:
    """Whether an optional group counts."""
    if one.default is not None:
        return True
    return bool(given.get(WITH + path)) if is_asked else path in GROUPS_ON


def _sent(one: Input, path: str, given: Mapping[str, str], is_asked: bool) -> Any:
    if one.kind == "group":
        if not _is_on(one, path, given, is_asked):
            return _NOTHING
        return _group(one, path, given, is_asked)
    if one.kind == "groups":
        rows = (_group(one, f"{path}.{place}", given, is_asked) for place in range(ROWS))
        needed = {i.name for i in one.fields if i.is_required}
        return [row for row in rows if needed & set(row)]
    text = _text(one, path, given, is_asked).strip()
    if one.kind == "flag":
        return text == "1"
    if not text:
        return _NOTHING
    if one.kind == "numbers":
        return [_whole(part.strip()) for part in text.split(",") if part.strip()]
    if one.kind == "height":
        return _decimal(text)
    return text if one.kind == "choice" else _whole(text)


def _group(one: Input, path: str, given: Mapping[str, str], is_asked: bool) -> dict[str, Any]:
    found = {i.name: _sent(i, f"{path}.{i.name}", given, is_asked) for i in one.fields}
    return {name: value for name, value in found.items() if value is not _NOTHING}


def _whole(text: str) -> int | str:
    """A number, or the text as it is, which the engine then refuses by name and range."""
    digits = text.removeprefix("-").removeprefix("+").removeprefix("−")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 7):
        return text
    return -int(digits) if text[0] in "-−" else int(digits)


def _decimal(text: str) -> float | str:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def _field(
    one: Input, path: str, given: Mapping[str, str], is_asked: bool, fault: Refusal
) -> FormControl:
    error = _sentence(fault) if fault.field == path or fault.field.startswith(f"{path}.") else ""
    made = FormControl(
        name=path, label=label_of(one.name), kind=one.kind, help=help_of(one.name), error=error
    )
    if one.kind == "group":
        fields = tuple(_field(i, f"{path}.{i.name}", given, is_asked, fault) for i in one.fields)
        switch = f"{WITH}{path}" if one.default is None else ""
        return replace(
            made, fields=fields, switch=switch, is_on=_is_on(one, path, given, is_asked), error=""
        )
    if one.kind == "groups":
        rows = tuple(_row(one, f"{path}.{place}", given, is_asked, fault) for place in range(ROWS))
        return replace(made, fields=rows, error=error if fault.field == path else "")
    value = _text(one, path, given, is_asked)
    choices = tuple((c, outcome_name(c)) for c in one.choices)
    if one.kind == "choice" and one.default is None:
        choices = (("", "As the rules say"), *choices)
    return replace(
        made, value=value, low=one.low, high=one.high, is_required=one.is_required, choices=choices
    )


def _row(
    one: Input, path: str, given: Mapping[str, str], is_asked: bool, fault: Refusal
) -> FormControl:
    fields = tuple(_field(i, f"{path}.{i.name}", given, is_asked, fault) for i in one.fields)
    return FormControl(path, f"No. {int(path.rpartition('.')[2]) + 1}", "group", fields=fields)


def _sentence(fault: Refusal) -> str:
    """The engine's refusal with the words of the form instead of its own names."""
    if not fault.message:
        return ""
    path, colon, rest = fault.message.partition(": ")
    if not colon or path != fault.field:
        return fault.message
    names = [label_of(part) for part in path.split(".") if not part.isdigit()]
    return f"{', '.join(names)}: {rest}"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nobody" if value is None else str(value)
