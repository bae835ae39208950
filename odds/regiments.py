"""Two regiments: attacks of a front rank and volleys, the casualties each may cost."""

from __future__ import annotations

from fractions import Fraction

from engine.calls import explain
from engine.combat.fighters import Attacker, Target
from engine.odds import distribution_of, repeated
from engine.rules import CombatRules
from engine.types import System
from engine.units import (
    CountedCasualties,
    UnitAttack,
    panic_casualties,
    unit_attack,
    unit_shot,
    weapon_modifier,
)
from odds.circumstances import (
    ATTACKER,
    SHOOTING,
    TARGET,
    Circumstance,
    Given,
    flag,
    modifiers_of,
    number,
)
from odds.circumstances import shooting_modifiers as chart_rows
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, Headline, OutcomeChance, headlines_of, percent

CALL = "unit_attacks"
SECTIONS = ("charts", "units")
MEASURES = (("each", "A casualty, each attack"), ("volley", "A casualty, each shot"))
YARDSTICK = ("WS", "S", "T")
MISSILE_MEASURES = frozenset({"volley"})
WORTH = (("a casualty, each attack", "each", ()), ("a casualty, each shot", "volley", ()))
SUFFERED = (("struck down by an attack", "each"),)
LEFT_OUT = "What special rules add is not counted, and nobody strikes back."
MOST_ATTACKS, MOST_LISTED = 200, 12
_NEEDED = {"attacker": ("ws", "strength", "attacks"), "target": ("ws", "toughness")}


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    for who, fighter in (("attacker", attacker), ("target", target)):
        for name in _NEEDED[who]:
            if fighter.figure(name, 1, 20) is None:
                return (
                    f"{fighter.title} has no figure for "
                    f"{name.replace('ws', 'Weapon Skill').capitalize()} to roll with."
                )
    return ""


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """How many strike and shoot, how many stand against them, and what lies between."""
    frontage = system.regiments.frontage if system.regiments else attacker.count
    held = attacker.held("")
    each = (held.attacks if held else None) or 1
    found: list[Circumstance] = [
        number("attacks", "Attacks", ATTACKER, 0, MOST_ATTACKS, min(attacker.count, frontage) * each,
               "One rank of the unit strikes unless you say more."),
        flag("six", "At a defended obstacle", ATTACKER),
        number("models", "Models in the target unit", TARGET, 1, 200, min(max(target.count, 1), 200)),
    ]  # fmt: skip
    if attacker.missiles:
        found.append(
            number("shots", "Shots", SHOOTING, 0, MOST_ATTACKS, min(attacker.count, MOST_ATTACKS))
        )
        found += [one for one in chart_rows(system) if not one.default]
    return tuple(found)


def blow(
    rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> UnitAttack | None:
    """One attack; None where a figure is missing."""
    held, other = attacker.held(given.get("weapon", "")), target.held(given.get("against", ""))
    toughness, skill = target.figure("toughness"), target.figure("ws")
    if held is None or toughness is None or skill is None:
        return None
    own, strength = held.weapon_skill, held.strength(charging=bool(given.get("charging")))
    if own is None or strength is None:
        return None
    attacking = Attacker(own, strength)
    struck = Target(skill, toughness, save=target.save_in_combat(other))
    return unit_attack(rules, attacking, struck, at_obstacle=bool(given.get("six")))


def shot(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[UnitAttack, Held, int, int, tuple[int, ...]] | None:
    """One shot of a volley with its weapon, skill, Strength and modifiers; None where there is
    none.
    """
    held = attacker.held(given.get("missile", ""), missile=True)
    toughness = target.figure("toughness")
    if held is None or toughness is None:
        return None
    skill, strength = held.figure("bs"), held.strength()
    if skill is None or strength is None:
        return None
    modifiers = modifiers_of(chart_rows(system), given)
    shooter = Attacker(1, strength, save_modifier=_own_modifier(held))
    struck = Target(1, toughness, save=target.save_from_missiles())
    one = unit_shot(rules, skill, modifiers, shooter, struck)
    return one, held, skill, strength, modifiers


def _own_modifier(held: Held) -> int | None:
    return -held.number("save_modifier") if "save_modifier" in held.weapon.traits else None


def exhibits(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Exhibit, ...]:
    """The attacks of a phase and a volley, each with the chance of at least so many casualties."""
    found = []
    one = blow(rules, attacker, target, given)
    held, toughness = attacker.held(given.get("weapon", "")), target.figure("toughness") or 1
    if one is not None and held is not None:
        strength = held.strength() or 1
        save = target.save_in_combat(target.held(given.get("against", "")))
        steps = (
            _aim(one, held, target, given),
            explain.wound_steps(rules, strength, toughness),
            explain.save_steps(rules, save, strength),
        )
        found.append(
            _losses("phase", "The attacks of one phase", one, given.get("attacks", 1), steps)
        )
    volley = shot(system, rules, attacker, target, given)
    if volley is not None:
        one, weapon, skill, strength, modifiers = volley
        enough, own = panic_casualties(rules, given.get("models", 1)), _own_modifier(weapon)
        steps = (
            explain.shot_steps(rules, skill, modifiers),
            explain.wound_steps(rules, strength, toughness),
            explain.save_steps(
                rules, target.save_from_missiles(), strength, weapon_modifier(rules, strength, own)
            ),
        )
        shots = given.get("shots", 1)
        panic = repeated(CountedCasualties(one, enough), shots, 0).chance(enough)
        note = (
            f"{weapon.name}, range {weapon.weapon.range}″. {enough} casualties call a Panic "
            f"test: {percent(panic)}."
        )
        found.append(_losses("volley", "A volley", one, shots, steps, note))
    return tuple(found)


def _aim(one: UnitAttack, held: Held, target: CombatProfile, given: Given) -> str:
    """What a blow needs to hit, and why."""
    why = "the enemy is behind a defended obstacle"
    if not given.get("six"):
        why = f"Weapon Skill {held.weapon_skill} against {target.figure('ws')}"
    return f"Hits on {explain.score_text(one.aim.need or 6)}: {why}."


def _losses(
    key: str, title: str, one: UnitAttack, count: int, steps: tuple[str, ...], note: str = ""
) -> Exhibit:
    each = distribution_of(one, None).chance(True)
    most = min(count, MOST_LISTED)
    law = repeated(CountedCasualties(one, most), count, 0)
    rows = [
        OutcomeChance("A casualty, each", each),
        OutcomeChance("Casualties to expect", each * count, is_chance=False),
    ]
    weights = dict(zip(law.values, law.weights, strict=True))
    for least in range(1, most + 1):
        reached = sum(weight for lost, weight in weights.items() if lost >= least)
        rows.append(OutcomeChance(f"At least {least}", Fraction(reached, law.total)))
    told = f"{count} in all. {note}".strip()
    if count > MOST_LISTED:
        told += f" Shown up to {MOST_LISTED} casualties."
    return Exhibit(key, title, tuple(rows), told, steps)


def headlines(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Headline, ...]:
    """A casualty by each attack, and by each shot."""
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
    """One cell of a table: the chance of a casualty."""
    if measure == "volley":
        volley = shot(system, rules, attacker, target, given)
        return None if volley is None else distribution_of(volley[0], None).chance(True)
    one = blow(rules, attacker, target, given)
    return None if one is None else distribution_of(one, None).chance(True)
