"""Two regiments: attacks of a front rank and volleys, the casualties each may cost."""

from fractions import Fraction

from engine.calls import explain
from engine.calls.questions import CountedCasualties, UnitAttack
from engine.calls.regiments import panic_casualties, unit_attack, unit_shot, weapon_modifier
from engine.combat.fighters import Attacker, Target
from engine.odds import distribution_of, series
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    SHOOTING,
    TARGET,
    Circumstance,
    Encounter,
    Given,
    flag,
    modifiers_of,
    number,
)
from odds.circumstances import shooting_modifiers as chart_rows
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, OutcomeChance, percent

CALL = "unit_attacks"
SECTIONS = ("charts", "units")
MEASURES = (("each", "A casualty, each attack"), ("volley", "A casualty, each shot"))
HEADLINES = MEASURES
BOTH_STRIKE = None
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
                figure = name.replace("ws", "Weapon Skill").capitalize()
                return f"{fighter.title} has no figure for {figure} to roll with."
    return ""


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """How many strike and shoot, how many stand against them, and what lies between."""
    # One rank fights: a unit narrower than the usual frontage with all it has.
    frontage = system.regiments.frontage if system.regiments else attacker.count
    held = attacker.held("")
    each = (held.attacks if held else None) or 1
    models = min(max(target.count, 1), 200)
    found: list[Circumstance] = [
        number(
            "attacks",
            "Attacks",
            ATTACKER,
            help="One rank of the unit strikes unless you say more.",
            default=min(attacker.count, frontage) * each,
            high=MOST_ATTACKS,
        ),
        flag("six", "At a defended obstacle", ATTACKER),
        number(
            "models", "Models in the target unit", TARGET, default=models, low=1, high=200
        ),
    ]
    if attacker.missiles:
        shots = min(attacker.count, MOST_ATTACKS)
        found.append(number("shots", "Shots", SHOOTING, default=shots, high=MOST_ATTACKS))
        found += [one for one in chart_rows(system) if not one.default]
    return tuple(found)


def blow(encounter: Encounter) -> UnitAttack | None:
    """Return one attack; None where a figure is missing."""
    held, target = encounter.weapon, encounter.target
    toughness, skill = target.figure("toughness"), target.figure("ws")
    if held is None or toughness is None or skill is None:
        return None
    own = held.weapon_skill
    strength = held.strength(charging=bool(encounter.given.get("charging")))
    if own is None or strength is None:
        return None
    struck = Target(skill, toughness, save=target.save_in_combat(encounter.against))
    at_obstacle = bool(encounter.given.get("six"))
    return unit_attack(
        encounter.rules, Attacker(own, strength), struck, at_obstacle=at_obstacle
    )


def shot(encounter: Encounter) -> tuple[UnitAttack, Held, int, int, tuple[int, ...]] | None:
    """Return one shot of a volley with its weapon, skill, Strength and modifiers.

    None where there is nothing to shoot with, or a figure is missing.
    """
    held, target = encounter.missile, encounter.target
    toughness = target.figure("toughness")
    if held is None or toughness is None:
        return None
    skill, strength = held.figure("bs"), held.strength()
    if skill is None or strength is None:
        return None
    modifiers = modifiers_of(chart_rows(encounter.system), encounter.given)
    shooter = Attacker(1, strength, save_modifier=_own_modifier(held))
    struck = Target(1, toughness, save=target.save_from_missiles())
    one = unit_shot(encounter.rules, skill, modifiers, shooter, struck)
    return one, held, skill, strength, modifiers


def _own_modifier(held: Held) -> int | None:
    return -held.number("save_modifier") if "save_modifier" in held.weapon.traits else None


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """Return the attacks of a phase and a volley, with the chance of so many casualties."""
    return *_phase(encounter), *_volley(encounter)


def _phase(encounter: Encounter) -> list[Exhibit]:
    rules, target, given = encounter.rules, encounter.target, encounter.given
    one, held = blow(encounter), encounter.weapon
    if one is None or held is None:
        return []
    strength = held.strength() or 1
    steps = (
        _aim(one, held, target, given),
        explain.wound_steps(rules, strength, target.figure("toughness") or 1),
        explain.save_steps(rules, target.save_in_combat(encounter.against), strength),
    )
    rows, told = _losses(one, given.get("attacks", 1))
    return [Exhibit("phase", "The attacks of one phase", rows, told, steps)]


def _volley(encounter: Encounter) -> list[Exhibit]:
    rules, target, given = encounter.rules, encounter.target, encounter.given
    volley = shot(encounter)
    if volley is None:
        return []
    one, weapon, skill, strength, modifiers = volley
    worn_off = weapon_modifier(rules, strength, _own_modifier(weapon))
    steps = (
        explain.shot_steps(rules, skill, modifiers),
        explain.wound_steps(rules, strength, target.figure("toughness") or 1),
        explain.save_steps(rules, target.save_from_missiles(), strength, worn_off),
    )
    enough, shots = panic_casualties(rules, given.get("models", 1)), given.get("shots", 1)
    panic = series(((CountedCasualties(one, enough), shots),), 0).chance(enough)
    note = (
        f"{weapon.name}, range {weapon.weapon.range}″. {enough} casualties call a Panic "
        f"test: {percent(panic)}."
    )
    rows, told = _losses(one, shots, note)
    return [Exhibit("volley", "A volley", rows, told, steps)]


def _aim(one: UnitAttack, held: Held, target: CombatProfile, given: Given) -> str:
    """What a blow needs to hit, and why."""
    why = "the enemy is behind a defended obstacle"
    if not given.get("six"):
        why = f"Weapon Skill {held.weapon_skill} against {target.figure('ws')}"
    return f"Hits on {explain.score_text(one.aim.need or 6)}: {why}."


def _losses(
    one: UnitAttack, count: int, note: str = ""
) -> tuple[tuple[OutcomeChance, ...], str]:
    """Return the chances of casualties by so many attacks, and what is said of them."""
    each = distribution_of(one, None).chance(value=True)
    # Losses beyond the last listed line are counted together, which keeps the table quick to make.
    most = min(count, MOST_LISTED)
    law = series(((CountedCasualties(one, most), count),), 0)
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
    return tuple(rows), told


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """Return the chance of a casualty by one attack or shot, None where there is none."""
    if measure == "volley":
        volley = shot(encounter)
        one = volley[0] if volley else None
    else:
        one = blow(encounter)
    return None if one is None else distribution_of(one, None).chance(value=True)
