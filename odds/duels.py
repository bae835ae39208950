"""Two models that settle everything by opposed rolls: a shot, a melee, the casualty test."""

from fractions import Fraction

from engine.calls import evaluate
from engine.calls.duels import may_be_hurt
from engine.records import Fields, Texts
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    BONUS,
    TARGET,
    Circumstance,
    Encounter,
    Given,
    choice,
    flag,
    number,
)
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, chance_of, outcomes_of

CALL = "duel_ranged"
SECTIONS = ("duels",)
MEASURES = (
    ("melee", "Target loses the melee"),
    ("shot", "Down by a shot"),
    ("removed", "Removed after a shot"),
)
HEADLINES = MEASURES
BOTH_STRIKE = None  # a melee is one opposed roll already
YARDSTICK = ("Sh", "Me", "Df")
MISSILE_MEASURES = frozenset({"shot", "removed"})
WORTH = (("wins a melee", "melee", ()), ("puts down by shooting", "shot", ()))
SUFFERED = (("put down in melee", "melee"),)
LEFT_OUT = "What scenery, traits beyond the stat line and agreements add is not counted."
FACINGS = (("front", "Its front"), ("side", "Its side"), ("rear", "Its rear"))
BIG_TEST = "big_casualty_test"
_AFTER_DOWN = {"recovers": "down_then_recovers"}
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
    # More dice than the rules sell would be a question that the engine refuses.
    most = rules.duels.most_bonus_dice
    found = [
        number("attack-dice", "Bonus dice on the attack", BONUS, high=most),
        number("defence-dice", "Bonus dice on the defence", BONUS, high=most),
        number("casualty-dice", "Bonus dice on the casualty test", BONUS, high=most),
        number(
            "cover",
            "Cover and other help in defence",
            BONUS,
            low=-5,
            high=5,
            help="Cover is 1.",
        ),
    ]
    if any("close_shots" in held.weapon.traits for held in attacker.missiles):
        found.append(flag("close", "Shoots at close range", ATTACKER))
    if target.figure("front", 0) is not None:
        found.append(choice("facing", "The attack meets", TARGET, FACINGS))
    return tuple(found)


def _defence(encounter: Encounter) -> int:
    bonus = encounter.target.figure("defence", _LOW, _HIGH) or 0
    return bonus + encounter.given.get("cover", 0)


def _weapon_in_defence(encounter: Encounter) -> int:
    """What the target's own weapon adds in melee: nothing but where a group plays so (G44)."""
    held = encounter.against
    is_counted = encounter.rules.duels.melee_weapon_defends and held is not None
    return held.number("melee_attack") if is_counted and held else 0


def _dice(given: Given) -> dict[str, int]:
    return {
        "attack_bonus_dice": given.get("attack-dice", 0),
        "defence_bonus_dice": given.get("defence-dice", 0),
    }


def _hurts(encounter: Encounter, held: Held | None, *, is_melee: bool) -> bool:
    value = encounter.target.figure(encounter.given.get("facing", "front"), 0)
    penetration = held.number("armour_penetration") if held else 0
    return may_be_hurt(encounter.rules, value, penetration or None, is_melee=is_melee)


def melee_inputs(encounter: Encounter) -> Fields:
    """Return the inputs of a melee."""
    held = encounter.weapon
    more = held.number("melee_attack") if held else 0
    bonus = (encounter.attacker.figure("melee", _LOW, _HIGH) or 0) + more
    return {
        "attack_modifier": bonus,
        "defence_modifier": _defence(encounter) + _weapon_in_defence(encounter),
        **_dice(encounter.given),
    }


def ranged_inputs(encounter: Encounter, held: Held) -> Fields:
    """Return the inputs of a ranged duel with this weapon."""
    dice, shots = _dice(encounter.given), held.number("shots")
    if encounter.given.get("close"):
        shots = held.number("close_shots") or shots
    # Bonus dice are bought for one roll, so only a single shot can have them.
    if any(dice.values()):
        shots = 1
    return {
        "attack_modifier": encounter.attacker.figure("shooting", _LOW, _HIGH) or 0,
        "defence_modifier": _defence(encounter),
        "shots": min(max(shots, 1), 10),
        **dice,
    }


_NO_HARM = "This weapon cannot harm the armour it meets."


def _harmless(chances: dict[str, Fraction]) -> dict[str, Fraction]:
    """A melee whose attacker can lose but not win: where the defender would lose, nothing happens."""
    left = chance_of(chances, "attacker_loses", "tie_both_lose")
    return {"attacker_loses": left, "no_effect": 1 - left}


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """Return the melee, a ranged duel, and what the casualty test makes of it."""
    return _melee(encounter), *_ranged(encounter), _casualty(encounter)


def _melee(encounter: Encounter) -> Exhibit:
    held = encounter.weapon
    answer = evaluate(encounter.rules, "duel_melee", melee_inputs(encounter))
    told, chances = f"{held.name}." if held else "", answer.outcomes
    if not _hurts(encounter, held, is_melee=True):
        told, chances = f"{told} {_NO_HARM}".strip(), _harmless(answer.outcomes)
    elif held is not None and held.trait("removes_loser"):
        told += " A defender who loses is removed at once."
    return Exhibit("melee", "Melee", outcomes_of(chances), told, answer.steps)


def _ranged(encounter: Encounter) -> list[Exhibit]:
    """Return a shot and the casualty test after it, nothing without a missile weapon."""
    weapon, rules = encounter.missile, encounter.rules
    if weapon is None:
        return []
    inches = "″" if isinstance(weapon.weapon.range, int) else ""
    told = f"{weapon.name}, range {weapon.weapon.range}{inches}."
    if not _hurts(encounter, weapon, is_melee=False):
        nothing = outcomes_of({"no_effect": Fraction(1)})
        return [Exhibit("ranged", "A shot", nothing, f"{told} {_NO_HARM}")]
    if any(_dice(encounter.given).values()) and weapon.number("shots") > 1:
        told += " Bonus dice go with a single shot, so one is shown."
    inputs = ranged_inputs(encounter, weapon)
    shot = evaluate(rules, "duel_ranged", inputs)
    chances, steps = _after_shot(encounter, inputs)
    title = "A shot" if inputs["shots"] == 1 else f"{inputs['shots']} shots"
    after = "The shot and the casualty test after it"
    return [
        Exhibit("ranged", title, outcomes_of(shot.outcomes), told, shot.steps),
        Exhibit("removed", after, outcomes_of(chances), "", steps),
    ]


def _after_shot(encounter: Encounter, inputs: Fields) -> tuple[dict[str, Fraction], Texts]:
    """The chances after a shot and the casualty test of the target's kind, and how it is read."""
    rules, dice = encounter.rules, encounter.given.get("casualty-dice", 0)
    if not _is_big(encounter.target):
        given = {**inputs, "casualty_bonus_dice": dice}
        answer = evaluate(rules, "ranged_then_casualty", given)
        return dict(answer.outcomes), answer.steps
    shot = evaluate(rules, "duel_ranged", inputs)
    test = evaluate(rules, BIG_TEST, {"bonus_dice": dice})
    # The test does not depend on how the shot was rolled, so the chances multiply.
    down = chance_of(shot.outcomes, "defender_down")
    after = {
        _AFTER_DOWN.get(name, name): down * part for name, part in test.outcomes.items()
    }
    return {"never_down": 1 - down, **after}, (*shot.steps, *test.steps)


def _is_big(target: CombatProfile) -> bool:
    return "big_model" in target.flags


def _casualty(encounter: Encounter) -> Exhibit:
    call, title = "casualty_test", "Casualty test of one who is down"
    if _is_big(encounter.target):
        call, title = BIG_TEST, "Casualty test of a big model that is down"
    dice = encounter.given.get("casualty-dice", 0)
    answer = evaluate(encounter.rules, call, {"bonus_dice": dice})
    return Exhibit("casualty", title, outcomes_of(answer.outcomes), "", answer.steps)


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """Return the chance of what is measured, 0 where the armour cannot be harmed.

    None where there is nothing to shoot with.
    """
    if measure == "melee":
        return _melee_lost(encounter)
    held = encounter.missile
    if held is None:
        return None
    if not _hurts(encounter, held, is_melee=False):
        return Fraction(0)
    inputs = ranged_inputs(encounter, held)
    if measure == "removed":
        chances, _ = _after_shot(encounter, inputs)
        return chance_of(chances, "removed", "explodes")
    shot = evaluate(encounter.rules, "duel_ranged", inputs)
    return chance_of(shot.outcomes, "defender_down")


def _melee_lost(encounter: Encounter) -> Fraction:
    if not _hurts(encounter, encounter.weapon, is_melee=True):
        return Fraction(0)
    chances = evaluate(encounter.rules, "duel_melee", melee_inputs(encounter)).outcomes
    return chance_of(chances, "defender_loses", "tie_both_lose")
