"""Two models that settle everything by opposed rolls: a shot, a melee, the casualty test."""

from fractions import Fraction

from engine.calls import evaluate
from engine.calls.duels import may_be_hurt
from engine.records import Fields, NamedValues, Texts
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    BONUS,
    TARGET,
    Circumstance,
    Encounter,
    choice,
    flag,
    number,
)
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, outcome_rows, sum_chances

FACINGS = (("front", "Its front"), ("side", "Its side"), ("rear", "Its rear"))
BIG_TEST = "big_casualty_test"
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
    cover = "Cover and other help in defence"
    circumstances = [
        number("attack-dice", "Bonus dice on the attack", BONUS, high=most),
        number("defence-dice", "Bonus dice on the defence", BONUS, high=most),
        number("casualty-dice", "Bonus dice on the casualty test", BONUS, high=most),
        number("cover", cover, BONUS, low=-5, high=5, help="Cover is 1."),
    ]
    if any("close_shots" in weapon.weapon.traits for weapon in attacker.missiles):
        circumstances.append(flag("close", "Shoots at close range", ATTACKER))
    if target.figure("front", 0) is not None:
        circumstances.append(choice("facing", "The attack meets", TARGET, FACINGS))
    return tuple(circumstances)


def melee_inputs(encounter: Encounter) -> Fields:
    """The inputs of a melee.

    The target's own weapon adds nothing but where a group plays so (G44).
    """
    weapon, against = encounter.weapon, encounter.against
    attack, defence = _bonus(encounter.attacker, "melee"), _defence(encounter)
    if weapon:
        attack += weapon.number("melee_attack")
    if against and encounter.rules.duels.melee_weapon_defends:
        defence += against.number("melee_attack")
    modifiers = {"attack_modifier": attack, "defence_modifier": defence}
    return modifiers | _bonus_dice(encounter.settings)


def ranged_inputs(encounter: Encounter, weapon: Held) -> Fields:
    """The inputs of a ranged duel with this weapon."""
    dice, shots = _bonus_dice(encounter.settings), weapon.number("shots")
    if encounter.settings.get("close"):
        shots = weapon.number("close_shots") or shots
    # Bonus dice are bought for one roll, so only a single shot can have them.
    if any(dice.values()):
        shots = 1
    return {
        "attack_modifier": _bonus(encounter.attacker, "shooting"),
        "defence_modifier": _defence(encounter),
        "shots": min(max(shots, 1), 10),
        **dice,
    }


def _bonus(fighter: CombatProfile, name: str) -> int:
    return fighter.figure(name, _LOW, _HIGH) or 0


def _defence(encounter: Encounter) -> int:
    return _bonus(encounter.target, "defence") + int(encounter.settings.get("cover", 0))


def _bonus_dice(settings: NamedValues) -> dict[str, int]:
    return {
        "attack_bonus_dice": settings.get("attack-dice", 0),
        "defence_bonus_dice": settings.get("defence-dice", 0),
    }


def _hurts(encounter: Encounter, weapon: Held | None, *, is_melee: bool) -> bool:
    armour = encounter.target.figure(encounter.settings.get("facing", "front"), 0)
    penetration = weapon.number("armour_penetration") if weapon else 0
    return may_be_hurt(encounter.rules, armour, penetration or None, is_melee=is_melee)


_NO_HARM = "This weapon cannot harm the armour it meets."


def _melee(encounter: Encounter) -> tuple[dict[str, Fraction], str, Texts]:
    """The chances of a melee, what its armour changes, and how it is read.

    Who cannot be harmed stays up where it loses: the target, and by ruling G62 the attacker too.
    """
    rules = encounter.rules
    answer = evaluate(rules, "duel_melee", melee_inputs(encounter))
    notes, chances = [], answer.outcomes
    back = encounter._replace(target=encounter.attacker, settings={})
    sides = {
        "defender_loses": _hurts(encounter, encounter.weapon, is_melee=True),
        "attacker_loses": not rules.duels.armour_guards_attacker
        or _hurts(back, encounter.against, is_melee=True),
    }
    if not all(sides.values()):
        lost = {
            side: sum_chances(chances, side, "tie_both_lose")
            for side, is_hurt in sides.items()
            if is_hurt
        }
        chances = {**lost, "no_effect": 1 - sum_chances(lost, *lost)}
    if not sides["defender_loses"]:
        notes.append(_NO_HARM)
    if not sides["attacker_loses"]:
        notes.append("The target cannot harm the attacker's armour.")
    return chances, " ".join(notes), answer.steps


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """The melee, a ranged duel, and what the casualty test makes of it."""
    weapon = encounter.weapon
    chances, unharmed, steps = _melee(encounter)
    note = f"{weapon.name}. {unharmed}".strip() if weapon else unharmed
    if weapon is not None and weapon.trait("removes_loser") and _NO_HARM not in note:
        note += " A defender who loses is removed at once."
    melee = Exhibit("melee", "Melee", outcome_rows(chances), note, steps)
    call, title = "casualty_test", "Casualty test of one who is down"
    if _is_big(encounter.target):
        call, title = BIG_TEST, "Casualty test of a big model that is down"
    dice = {"bonus_dice": encounter.settings.get("casualty-dice", 0)}
    test = evaluate(encounter.rules, call, dice)
    casualty = Exhibit("casualty", title, outcome_rows(test.outcomes), "", test.steps)
    return melee, *_ranged(encounter), casualty


def _ranged(encounter: Encounter) -> list[Exhibit]:
    """A shot and the casualty test after it, nothing without a missile weapon."""
    weapon, rules = encounter.missile, encounter.rules
    if weapon is None:
        return []
    inches = "″" if isinstance(weapon.weapon.range, int) else ""
    note = f"{weapon.name}, range {weapon.weapon.range}{inches}."
    if not _hurts(encounter, weapon, is_melee=False):
        nothing = outcome_rows({"no_effect": Fraction(1)})
        return [Exhibit("ranged", "A shot", nothing, f"{note} {_NO_HARM}")]
    if any(_bonus_dice(encounter.settings).values()) and weapon.number("shots") > 1:
        note += " Bonus dice go with a single shot, so one is shown."
    inputs = ranged_inputs(encounter, weapon)
    shot = evaluate(rules, "duel_ranged", inputs)
    chances, steps = _after_shot(encounter, inputs)
    title = "A shot" if inputs["shots"] == 1 else f"{inputs['shots']} shots"
    after = "The shot and the casualty test after it"
    return [
        Exhibit("ranged", title, outcome_rows(shot.outcomes), note, shot.steps),
        Exhibit("removed", after, outcome_rows(chances), "", steps),
    ]


def _after_shot(encounter: Encounter, inputs: Fields) -> tuple[dict[str, Fraction], Texts]:
    """The chances after a shot and the casualty test of the target's kind, and how it is read."""
    rules, dice = encounter.rules, encounter.settings.get("casualty-dice", 0)
    if not _is_big(encounter.target):
        inputs = {**inputs, "casualty_bonus_dice": dice}
        answer = evaluate(rules, "ranged_then_casualty", inputs)
        return answer.outcomes, answer.steps
    shot = evaluate(rules, "duel_ranged", inputs)
    test = evaluate(rules, BIG_TEST, {"bonus_dice": dice})
    # The test does not depend on how the shot was rolled, so the chances multiply.
    down = sum_chances(shot.outcomes, "defender_down")
    chances = {"never_down": 1 - down}
    for name, chance in test.outcomes.items():
        chances["down_then_recovers" if name == "recovers" else name] = down * chance
    return chances, (*shot.steps, *test.steps)


def _is_big(target: CombatProfile) -> bool:
    return "big_model" in target.flags


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """The chance of what is measured, 0 where the armour cannot be harmed.

    None where there is nothing to shoot with.
    """
    if measure == "melee":
        return sum_chances(_melee(encounter)[0], "defender_loses", "tie_both_lose")
    weapon = encounter.missile
    if weapon is None:
        return None
    if not _hurts(encounter, weapon, is_melee=False):
        return Fraction(0)
    inputs = ranged_inputs(encounter, weapon)
    if measure == "removed":
        chances, _ = _after_shot(encounter, inputs)
        return sum_chances(chances, "removed", "explodes")
    shot = evaluate(encounter.rules, "duel_ranged", inputs)
    return sum_chances(shot.outcomes, "defender_down")


MEASURES = HEADLINES = (
    ("melee", "Target loses the melee"),
    ("shot", "Down by a shot"),
    ("removed", "Removed after a shot"),
)
CALL = "duel_ranged"
SECTIONS = ("duels",)
MISSILE_MEASURES = ("shot", "removed")
YARDSTICK = ("Sh", "Me", "Df")
WORTH: tuple[tuple[str, str, Fields], ...] = (
    ("wins a melee", "melee", {}),
    ("puts down by shooting", "shot", {}),
)
BOTH_STRIKE = None
SUFFERED = (("put down in melee", "melee"),)
LEFT_OUT = "What scenery, traits beyond the stat line and agreements add is not counted."
