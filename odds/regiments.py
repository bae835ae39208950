"""Two regiments: attacks of a front rank and volleys, the casualties each may cost."""

from fractions import Fraction

from engine.calls import explain
from engine.calls.questions import Casualties
from engine.calls.regiments import casualty_steps, panic_casualties, unit_attack, unit_shot
from engine.combat.fighters import Attacker, Target
from engine.records import Fields
from engine.rules import CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    SHOOTING,
    TARGET,
    Circumstance,
    Encounter,
    active_modifiers,
    flag,
    number,
    shooting_modifiers,
)
from odds.combat_profiles import CombatProfile
from odds.exhibits import Exhibit, OutcomeChance, percent

MOST_ATTACKS, MOST_LISTED = 200, 12


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    for fighter, needed in (
        (attacker, ("ws", "strength", "attacks")),
        (target, ("ws", "toughness")),
    ):
        for name in needed:
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
    weapon = attacker.held("")
    each = (weapon.attacks if weapon else None) or 1
    models = min(max(target.count, 1), 200)
    circumstances = [
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
        circumstances.append(
            number("shots", "Shots", SHOOTING, default=shots, high=MOST_ATTACKS)
        )
        circumstances += [row for row in shooting_modifiers(system) if not row.default]
    return tuple(circumstances)


def _blows(encounter: Encounter) -> Casualties | None:
    """All attacks of a phase; None where a figure is missing."""
    weapon, target, rules = encounter.weapon, encounter.target, encounter.rules
    toughness, enemy_skill = target.figure("toughness"), target.figure("ws")
    if weapon is None or toughness is None or enemy_skill is None:
        return None
    skill, strength = weapon.weapon_skill, weapon.strength()
    if skill is None or strength is None:
        return None
    attacker = Attacker(skill, strength)
    struck = Target(enemy_skill, toughness, save=target.save_in_combat(encounter.against))
    at_obstacle = bool(encounter.settings.get("six"))
    attack = unit_attack(rules, attacker, struck, at_obstacle=at_obstacle)
    why = f"Weapon Skill {skill} against {enemy_skill}"
    if at_obstacle:
        why = "the enemy is behind a defended obstacle"
    hits = f"Hits on {explain.score_text(attack.aim.need or 6)}: {why}."
    steps = (hits, *casualty_steps(rules, attacker, struck))
    return Casualties(attack, encounter.settings.get("attacks", 1), "each", steps=steps)


def _volley(encounter: Encounter) -> Casualties | None:
    """All shots of a phase; None where there is nothing to shoot with, or a figure is missing."""
    weapon, target, rules = encounter.missile, encounter.target, encounter.rules
    toughness = target.figure("toughness")
    if weapon is None or toughness is None:
        return None
    skill, strength = weapon.figure("bs"), weapon.strength()
    if skill is None or strength is None:
        return None
    modifiers = active_modifiers(shooting_modifiers(encounter.system), encounter.settings)
    has_modifier = "save_modifier" in weapon.weapon.traits
    modifier = -weapon.number("save_modifier") if has_modifier else None
    shooter = Attacker(1, strength, save_modifier=modifier)
    struck = Target(1, toughness, save=target.save_from_missiles())
    shot = unit_shot(rules, skill, modifiers, shooter, struck)
    steps = (
        explain.shot_steps(rules, skill, modifiers),
        *casualty_steps(rules, shooter, struck),
    )
    return Casualties(shot, encounter.settings.get("shots", 1), "each", steps=steps)


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """The attacks of a phase and a volley, with the chance of so many casualties."""
    exhibits = []
    if blows := _blows(encounter):
        rows, note = _losses(blows)
        title = "The attacks of one phase"
        exhibits.append(Exhibit("phase", title, rows, note, blows.steps))
    if (volley := _volley(encounter)) and (weapon := encounter.missile):
        enough = panic_casualties(encounter.rules, encounter.settings.get("models", 1))
        panic = volley.counted(enough).chance(enough)
        rows, note = _losses(
            volley,
            f"{weapon.name}, range {weapon.weapon.range}″. {enough} casualties call a "
            f"Panic test: {percent(panic)}.",
        )
        exhibits.append(Exhibit("volley", "A volley", rows, note, volley.steps))
    return tuple(exhibits)


def _losses(attacks: Casualties, note: str = "") -> tuple[tuple[OutcomeChance, ...], str]:
    """The chances of casualties by so many attacks, and what is said of them."""
    each, count = attacks.each(), attacks.count
    # Losses beyond the last listed line are counted together, which keeps the table quick to make.
    most = min(count, MOST_LISTED)
    law = attacks.counted(most)
    rows = [
        OutcomeChance("A casualty, each", each),
        OutcomeChance("Casualties to expect", each * count, is_chance=False),
    ]
    weights = dict(zip(law.values, law.weights, strict=True))
    for least in range(1, most + 1):
        reached = sum(weight for lost, weight in weights.items() if lost >= least)
        rows.append(OutcomeChance(f"At least {least}", Fraction(reached, law.total)))
    note = f"{count} in all. {note}".strip()
    if count > MOST_LISTED:
        note += f" Shown up to {MOST_LISTED} casualties."
    return tuple(rows), note


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """The chance of a casualty by one attack or shot, None where there is none."""
    attacks = _volley(encounter) if measure == "volley" else _blows(encounter)
    return attacks.each() if attacks else None


MEASURES = HEADLINES = (
    ("each", "A casualty, each attack"),
    ("volley", "A casualty, each shot"),
)
CALL = "unit_attacks"
SECTIONS = ("charts", "units")
MISSILE_MEASURES = ("volley",)
YARDSTICK = ("WS", "S", "T")
WORTH: tuple[tuple[str, str, Fields], ...] = (
    ("a casualty, each attack", "each", {}),
    ("a casualty, each shot", "volley", {}),
)
BOTH_STRIKE = None
SUFFERED = (("struck down by an attack", "each"),)
LEFT_OUT = "What special rules add is not counted, and nobody strikes back."
