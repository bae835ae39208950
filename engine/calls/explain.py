"""The steps of a call in words: what is needed, and why."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from engine.combat.attacks import prone_target
from engine.combat.fighters import (
    BEYOND_SIX,
    NO_ARMOUR,
    STUN,
    Attacker,
    Parry,
    Target,
    effective_save,
    need_to_hit_melee,
    need_to_hit_shooting,
    need_to_wound,
)
from engine.combat.hits import Hit, hit_with, system_helmet
from engine.records import Texts
from engine.rules import INJURIES, CombatRules, CriticalRow

T = TypeVar("T")

_COUNTS = ("no", "one", "two", "three")
_SAVES = {
    "none": "without a save",
    "each": "with a save for each",
    "first": "after one save",
}


def score_text(need: int) -> str:
    """A score as players write it: 4+, or a plain 6."""
    return "6" if need == 6 else f"{need}+"


def dice_text(count: int) -> str:
    """Dice as players write them: 2D6, or a plain D6."""
    return "D6" if count == 1 else f"{count}D6"


def hit_steps(rules: CombatRules, attacker: Attacker, target: Target) -> str:
    need = need_to_hit_melee(rules, attacker, target)
    bonus = f", {attacker.to_hit_bonus:+d} to hit" if attacker.to_hit_bonus else ""
    bonus += ", misses rolled again for hatred" if attacker.hatred else ""
    return f"Hits on {score_text(need)}: Weapon Skill {attacker.ws} against {target.ws}{bonus}."


def shot_steps(rules: CombatRules, ballistic_skill: int, modifiers: Iterable[int]) -> str:
    """What a shot needs to hit on a D6, a second roll included, and why."""
    need = need_to_hit_shooting(rules, ballistic_skill, modifiers)
    shift = sum(modifiers)
    why = f"Ballistic Skill {ballistic_skill}" + (f", {shift:+d} to hit" if shift else "")
    if need is None:
        return f"Cannot hit: {why}."
    if need <= 6:
        return f"Hits on {score_text(need)}: {why}."
    return f"Hits on a 6 and then {score_text(BEYOND_SIX[need])}: {why}."


def wound_steps(rules: CombatRules, strength: int, toughness: int) -> str:
    """The score a Strength needs on a D6 to wound a Toughness."""
    need = need_to_wound(rules, strength, toughness)
    if need is None:
        return f"Strength {strength} cannot wound Toughness {toughness}."
    return (
        f"Wounds on {score_text(need)}: Strength {strength} against Toughness {toughness}."
    )


def critical_steps(hit: Hit) -> str:
    """What a 6 to wound does, with the rows of a critical's table."""
    if hit.kills:
        return "A 6 to wound takes the target out of action at once."
    if not hit.critical:
        return "No critical hit can come of it."
    if len(hit.critical) == 1:
        (row,) = hit.critical
        return f"A 6 to wound is a critical hit: {_row(row)}."
    rows = [f"{faces} {_row(row)}" for faces, row in _ranges(hit.critical)]
    return f"A 6 to wound is a critical hit; its die: {'; '.join(rows)}."


def _row(row: CriticalRow) -> str:
    """A row of the critical table: wounds, saves, bonus to injuries."""
    wounds = f"{_COUNTS[row.wounds]} wound{'s' if row.wounds > 1 else ''}"
    if row.must_wound:
        wounds += ", each after the first only if it wounds as well"
    bonus = f", +{row.injury_bonus} to injuries" if row.injury_bonus else ""
    return f"{wounds} {_SAVES[row.save]}{bonus}"


def _ranges(rows: Sequence[T]) -> Iterator[tuple[str, T]]:
    """Yield the faces of equal rows, such as "3–4", and the row."""
    for row, group in groupby(enumerate(rows, start=1), key=itemgetter(1)):
        first, *others = (str(face) for face, _ in group)
        yield f"{first}–{others[-1]}" if others else first, row


def save_steps(
    rules: CombatRules, printed: int | None, strength: int, weapon_total: int | None
) -> str:
    """What is needed on a D6 to save, after Strength and weapon."""
    if printed is None:
        return "No save."
    need = effective_save(rules, printed, strength, weapon_total)
    sign = "+" if weapon_total and weapon_total < 0 else "-"
    weapon = "" if weapon_total is None else f", weapon {sign}{abs(weapon_total)}"
    worn = "no armour" if printed == NO_ARMOUR else f"{score_text(printed)} printed"
    why = f"{worn}, Strength {strength}{weapon}"
    if need is None:
        return f"No save is left: {why}."
    return f"Saves on {score_text(need)}: {why}."


def injury_steps(
    rules: CombatRules, table: str = "standard", *, helmet: bool = False
) -> Texts:
    """An injury table by faces of a D6, and what a helmet changes about it."""
    parts = [
        f"{faces} {INJURIES[injury].replace('_', ' ')}"
        for faces, injury in _ranges(rules.injuries.tables[table])
    ]
    step = f"Injury: {', '.join(parts)}."
    if not helmet:
        return (step,)
    worn = system_helmet(rules)
    saved = INJURIES[worn.saved].replace("_", " ") or "unhurt"
    return step, f"A helmet turns stunned into {saved} on {score_text(worn.need)}."


def blow_steps(rules: CombatRules, attacker: Attacker, target: Target, hit: Hit) -> Texts:
    """All that follows a hit: wound, critical, save, injury and helmet."""
    injury = injury_steps(rules, attacker.injury_table, helmet=target.helmet)
    return *wound_and_save_steps(rules, attacker, target, hit), *injury


def wound_and_save_steps(
    rules: CombatRules, attacker: Attacker, target: Target, hit: Hit
) -> Texts:
    """What follows a hit as far as the save."""
    return (
        wound_steps(rules, attacker.strength, target.toughness),
        critical_steps(hit),
        save_steps(rules, target.save, attacker.strength, attacker.save_modifier),
    )


def attack_steps(rules: CombatRules, attacker: Attacker, target: Target) -> Texts:
    """All that one warrior's attacks on one who stands go through."""
    if attacker.second is None:
        return _weapon_steps(rules, attacker, target)
    return (
        "With the main weapon:",
        *_weapon_steps(rules, attacker, target),
        "With the other weapon:",
        *_weapon_steps(rules, attacker.second, target),
        "A parry, and a limit on critical hits, count for both weapons together.",
    )


def _weapon_steps(rules: CombatRules, attacker: Attacker, target: Target) -> Texts:
    doubled = f": frenzy doubles {attacker.attacks}" if attacker.frenzy else ""
    steps = [f"Attacks: {attacker.blows}{doubled}.", hit_steps(rules, attacker, target)]
    if attacker.parry is not None:
        steps.append(_parry_steps(rules, attacker, target, attacker.parry))
    if attacker.poison:
        steps.append("A 6 to hit wounds by itself.")
        if hit_with(rules, attacker, target, is_poisoned=True).critical:
            steps.append("House rule: a D6 still shows whether that wound is critical.")
    return (*steps, *blow_steps(rules, attacker, target, hit_with(rules, attacker, target)))


def finish_steps(
    rules: CombatRules, attacker: Attacker, target: Target, injury: int
) -> Texts:
    """How a stunned or knocked down model is attacked."""
    if injury == STUN:
        return ("A stunned model is out of action once it is attacked.",)
    if rules.melee.attack_knocked_down == "roll_to_hit":
        rolls = (hit_steps(rules, armed, target) for armed in attacker.by_weapon)
        return *dict.fromkeys(rolls), "A hit takes the model out of action."
    down = prone_target(rules, target)
    wounds: list[str] = []
    for armed in attacker.by_weapon:
        wounds += wound_and_save_steps(rules, armed, down, hit_with(rules, armed, down))
    return (
        "Attacks on the knocked down hit by themselves.",
        *wounds,
        "An unsaved wound takes the model out of action.",
    )


def _parry_steps(
    rules: CombatRules, attacker: Attacker, target: Target, parry: Parry
) -> str:
    """What a parry needs, or why there is none."""
    melee = rules.melee
    if melee.parry is None:
        return "No parry."
    rule = melee.parries[melee.parry]
    if rule.double_strength_bar and attacker.strength >= 2 * parry.defender_strength:
        return "No parry: twice the defender's Strength."
    twice = ", rolled twice if need be" if parry.reroll and rule.reroll else ""
    is_met = rule.needed_six and need_to_hit_melee(rules, attacker, target) == 6
    six = "a 6 parries the 6 that was needed" if is_met else "a 6 is safe"
    return f"One parry against the highest hit, on a higher roll{twice}; {six}."
