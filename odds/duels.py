"""Two models that settle everything by opposed rolls: ranged, melee, and the casualty test of who
went down.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from engine.calls import evaluate
from engine.duels import duels_of, may_be_hurt
from engine.rules import CombatRules
from engine.types import System
from odds.circumstances import ATTACKER, BONUS, TARGET, Circumstance, Given, choice, flag, number
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, Headline, headlines_of, outcomes_of

CALL = "duel_ranged"
SECTIONS = ("duels",)
MEASURES = (
    ("melee", "Target loses the melee"),
    ("shot", "Down by a shot"),
    ("removed", "Removed after a shot"),
)
YARDSTICK = ("Sh", "Me", "Df")
MISSILE_MEASURES = frozenset({"shot", "removed"})
WORTH = (("wins a melee", "melee", ()), ("puts down by shooting", "shot", ()))
SUFFERED = (("put down in melee", "melee"),)
LEFT_OUT = "What scenery, traits beyond the stat line and agreements add is not counted."
FACINGS = (("front", "Its front"), ("side", "Its side"), ("rear", "Its rear"))
_LOW, _HIGH = -20, 20


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    for fighter, name in ((attacker, "melee"), (target, "defence")):
        if fighter.figure(name, _LOW, _HIGH) is None:
            return f"{fighter.title} has no {name} bonus to roll with."
    return ""


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """Cover, bonus dice of both sides, range and the side of the armour that is faced."""
    most = duels_of(rules).most_bonus_dice
    found = [
        number("attack-dice", "Bonus dice on the attack", BONUS, 0, most, 0),
        number("defence-dice", "Bonus dice on the defence", BONUS, 0, most, 0),
        number("casualty-dice", "Bonus dice on the casualty test", BONUS, 0, most, 0),
        number("cover", "Cover and other help in defence", BONUS, -5, 5, 0, "Cover is 1."),
    ]
    if any("close_shots" in held.weapon.traits for held in attacker.missiles):
        found.append(flag("close", "Shoots at close range", ATTACKER))
    if target.figure("front", 0) is not None:
        found.append(choice("facing", "The attack meets", TARGET, FACINGS))
    return tuple(found)


def _defence(target: CombatProfile, given: Given) -> int:
    return (target.figure("defence", _LOW, _HIGH) or 0) + given.get("cover", 0)


def _dice(given: Given) -> dict[str, int]:
    return {
        "attack_bonus_dice": given.get("attack-dice", 0),
        "defence_bonus_dice": given.get("defence-dice", 0),
    }


def _hurts(
    rules: CombatRules, target: CombatProfile, held: Held | None, given: Given, *, is_melee: bool
) -> bool:
    value = target.figure(given.get("facing", "front"), 0)
    penetration = held.number("armour_penetration") if held else 0
    return may_be_hurt(rules, value, penetration or None, is_melee)


def melee_inputs(
    attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Held | None, dict[str, Any]]:
    """The weapon and the inputs of a melee."""
    held = attacker.held(given.get("weapon", ""))
    more = held.number("melee_attack") if held else 0
    bonus = (attacker.figure("melee", _LOW, _HIGH) or 0) + more
    return held, {
        "attack_modifier": bonus,
        "defence_modifier": _defence(target, given),
        **_dice(given),
    }


def ranged_inputs(
    attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Held, dict[str, Any]] | None:
    """The weapon and the inputs of a ranged duel; None where there is nothing to shoot with."""
    held = attacker.held(given.get("missile", ""), missile=True)
    if held is None:
        return None
    shots = (
        held.number("close_shots")
        if given.get("close") and held.number("close_shots")
        else held.number("shots")
    )
    dice = _dice(given)
    if any(dice.values()):
        shots = 1
    bonus = attacker.figure("shooting", _LOW, _HIGH) or 0
    return held, {
        "attack_modifier": bonus,
        "defence_modifier": _defence(target, given),
        "shots": min(max(shots, 1), 10),
        **dice,
    }


_NO_HARM = "This weapon cannot harm the armour it meets."


def _harmless(chances: dict[str, Fraction]) -> dict[str, Fraction]:
    """A melee whose attacker can lose but not win: where the defender would lose, nothing happens."""
    left = sum(
        (chances.get(name, Fraction(0)) for name in ("attacker_loses", "tie_both_lose")),
        Fraction(0),
    )
    return {"attacker_loses": left, "no_effect": 1 - left}


def exhibits(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Exhibit, ...]:
    """Melee, a ranged duel, and what the casualty test makes of it."""
    held, inputs = melee_inputs(attacker, target, given)
    answer = evaluate(rules, "duel_melee", inputs)
    told, chances = f"{held.name}." if held else "", answer.outcomes
    if not _hurts(rules, target, held, given, is_melee=True):
        told, chances = f"{told} {_NO_HARM}".strip(), _harmless(answer.outcomes)
    elif held is not None and held.trait("removes_loser"):
        told += " A defender who loses is removed at once."
    found = [Exhibit("melee", "Melee", outcomes_of(chances), told, answer.steps)]
    ranged = ranged_inputs(attacker, target, given)
    if ranged is None:
        return (*found, *_casualty(rules, target, given))
    weapon, inputs = ranged
    told = (
        f"{weapon.name}, range "
        f"{weapon.weapon.range}{'″' if isinstance(weapon.weapon.range, int) else ''}."
    )
    if not _hurts(rules, target, weapon, given, is_melee=False):
        nothing = outcomes_of({"no_effect": Fraction(1)})
        found.append(Exhibit("ranged", "A shot", nothing, f"{told} {_NO_HARM}"))
        return (*found, *_casualty(rules, target, given))
    if any(_dice(given).values()) and weapon.number("shots") > 1:
        told += " Bonus dice go with a single shot, so one is shown."
    answer = evaluate(rules, "duel_ranged", inputs)
    found.append(Exhibit("ranged", "A shot" if inputs["shots"] == 1 else f"{inputs['shots']} shots",
                         outcomes_of(answer.outcomes), told, answer.steps))  # fmt: skip
    removed = evaluate(
        rules,
        "ranged_then_casualty",
        {**inputs, "casualty_bonus_dice": given.get("casualty-dice", 0)},
    )
    found.append(
        Exhibit(
            "removed",
            "The shot and the casualty test after it",
            outcomes_of(removed.outcomes),
            "",
            removed.steps,
        )
    )
    return (*found, *_casualty(rules, target, given))


def _casualty(rules: CombatRules, target: CombatProfile, given: Given) -> tuple[Exhibit, ...]:
    call, title = "casualty_test", "Casualty test of one who is down"
    if "big_model" in target.flags:
        call, title = "big_casualty_test", "Casualty test of a big model that is down"
    answer = evaluate(rules, call, {"bonus_dice": given.get("casualty-dice", 0)})
    return (Exhibit("casualty", title, outcomes_of(answer.outcomes), "", answer.steps),)


def headlines(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Headline, ...]:
    """The melee lost, the shot that hits, and the target removed by it."""
    return headlines_of(
        MEASURES, lambda measure: measured(system, rules, attacker, target, given, measure)
    )


def measured(
    system: System,
    rules: CombatRules,
    attacker: CombatProfile,
    target: CombatProfile,
    given: Given,
    measure: str,
) -> Fraction | None:
    """One cell of a table: the chance of what is measured; 0 where the armour cannot be harmed."""
    if measure == "melee":
        held, inputs = melee_inputs(attacker, target, given)
        if not _hurts(rules, target, held, given, is_melee=True):
            return Fraction(0)
        chances = evaluate(rules, "duel_melee", inputs).outcomes
        return sum(
            (chances.get(name, Fraction(0)) for name in ("defender_loses", "tie_both_lose")),
            Fraction(0),
        )
    ranged = ranged_inputs(attacker, target, given)
    if ranged is None:
        return None
    held, inputs = ranged
    if not _hurts(rules, target, held, given, is_melee=False):
        return Fraction(0)
    if measure == "shot":
        return evaluate(rules, "duel_ranged", inputs).outcomes.get("defender_down", Fraction(0))
    asked = {**inputs, "casualty_bonus_dice": given.get("casualty-dice", 0)}
    return evaluate(rules, "ranged_then_casualty", asked).outcomes.get("removed", Fraction(0))
