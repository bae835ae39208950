"""Two warriors, each a miniature by itself: blows, shots, and how long the target lasts."""

from dataclasses import replace
from fractions import Fraction

from engine.calls import available, evaluate, explain
from engine.calls.attacks import AttackOutcome
from engine.calls.questions import Spread
from engine.combat.attacks import CombatPhase, attacks_on_downed, attacks_on_standing
from engine.combat.fighters import (
    DOWN,
    NO_ARMOUR,
    OUT,
    STANDING,
    STUN,
    Attacker,
    CasualtyCount,
    Parry,
    Target,
    save_modifier,
)
from engine.combat.hits import Helmet, build_shot, system_helmet
from engine.dice import as_series
from engine.errors import Refusal
from engine.odds import series
from engine.records import Fields, frozen_dataclass
from engine.rules import INJURIES, CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    TARGET,
    Circumstance,
    Encounter,
    active_modifiers,
    choice,
    flag,
    shooting_modifiers,
)
from odds.combat_profiles import MOUNT, CombatProfile, Held
from odds.exhibits import Exhibit, OutcomeChance, outcome_rows, sum_chances

PHASES = 6
STATES = (
    ("standing", "Standing"),
    ("knocked_down", "Knocked down"),
    ("stunned", "Stunned"),
)
_INJURED = {"standing": STANDING, "knocked_down": DOWN, "stunned": STUN}


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    is_able = any(
        None not in (weapon.weapon_skill, weapon.attacks, weapon.strength())
        for weapon in attacker.melee
    )
    may_shoot = any(
        None not in (weapon.figure("bs"), weapon.strength()) for weapon in attacker.missiles
    )
    if not is_able and not may_shoot:
        return f"{attacker.title} has no figures to attack with."
    for name in ("Weapon Skill", "Toughness", "Wounds"):
        if target.figure("ws" if name == "Weapon Skill" else name.lower()) is None:
            return f"{target.title} has no figure for {name}, so nothing can be rolled against it."
    return ""


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """Everything that may be said about these two; what could change nothing is left out."""
    charge = "A charge is also the first round of the fight."
    circumstances = [flag("charging", "Charges", ATTACKER, charge)]
    is_played = rules.melee.frenzy_and_hatred
    hates = is_played and "hatred" in attacker.flags
    if hates or any("strength_first_round" in w.weapon.traits for w in attacker.melee):
        circumstances.append(flag("first", "First round of the fight", ATTACKER))
    if is_played and "frenzy" in attacker.flags:
        until = "Over for the battle once it is knocked down or stunned."
        circumstances.append(flag("frenzy", "Frenzied", ATTACKER, until, default=True))
    if hates:
        whom = (
            "Misses of the first round are rolled again. Its army list says whom it hates."
        )
        name, is_on = "Hates the target", attacker.hates_all
        circumstances.append(flag("hatred", name, ATTACKER, whom, default=is_on))
    if rules.criticals is not None and rules.criticals.critical_limit is not None:
        label = "Already scored its critical this phase"
        circumstances.append(flag("used", label, ATTACKER))
    obstacle = "A defended obstacle lies between them, or the attacker fears the target."
    circumstances += [
        flag("six", "Needs a 6", ATTACKER, obstacle),
        choice("state", "The target is", TARGET, STATES),
    ]
    if target.has_shield:
        circumstances.append(flag("shield", "May use its shield", TARGET, default=True))
    if attacker.missiles:
        circumstances += shooting_modifiers(system)
    return tuple(circumstances)


@frozen_dataclass
class FightSetup:
    """Two warriors with their weapons chosen: what the engine is asked.

    The bonuses of a charge and of the first round end with the first phase: ``later`` is the
    attacker without them.
    """

    attacker: Attacker
    later: Attacker
    target: Target
    start: CasualtyCount


def fight_setup(encounter: Encounter) -> FightSetup | None:
    """What the engine is asked about a fight; None where a figure is missing."""
    settings, weapon, against = encounter.settings, encounter.weapon, encounter.against
    if weapon is None:
        return None
    skill = against.weapon_skill if against else None
    has_shield = settings.get("shield", True)
    save = encounter.target.save_in_combat(against, has_shield=has_shield)
    target = _target(encounter.target, weapon, skill or encounter.target.figure("ws"), save)
    charging = bool(settings.get("charging"))
    is_first = charging or bool(settings.get("first"))
    first = _attacker(encounter, weapon, charging=charging, first_round=is_first)
    later = first
    if is_first:
        later = _attacker(encounter, weapon, charging=False, first_round=False)
    if target is None or first is None or later is None:
        return None
    injury = _INJURED[settings.get("state", "standing")]
    # One that is down has no wounds left to lose.
    wounds = 0 if injury else target.wounds
    start = CasualtyCount(wounds, injury, bool(settings.get("used")))
    return FightSetup(first, later, target, start)


def _target(
    target: CombatProfile, weapon: Held, skill: int | None, save: int | None
) -> Target | None:
    """The target as this weapon meets it; None where a figure is missing."""
    toughness, wounds = target.figure("toughness"), target.figure("wounds")
    if skill is None or toughness is None or wounds is None:
        return None
    if weapon.trait("no_armour_save") and weapon.second is None:
        save = None
    armed = (weapon, weapon.second) if weapon.second else (weapon,)
    if save is None and any(each.number("enemy_save_bonus") for each in armed):
        save = NO_ARMOUR
    return Target(skill, toughness, wounds, save, target.has_helmet)


def _attacker(
    encounter: Encounter, weapon: Held, *, charging: bool, first_round: bool
) -> Attacker | None:
    rules = encounter.rules
    skill, attacks = weapon.weapon_skill, weapon.figure("attacks", 0, 20)
    extra_attacks = weapon.extra_attacks
    strength = weapon.strength(charging=charging, first_round=first_round)
    if skill is None or attacks is None or strength is None:
        return None
    second = None
    if weapon.second:
        second = _attacker(
            encounter, weapon.second, charging=charging, first_round=first_round
        )
        extra_attacks -= weapon.more_attacks
    # Tables are named by the injury rolls that stun: stun_2_4 for "2–4".
    table = f"stun_{weapon.trait('stun_on')}".replace("–", "_")
    # What the rider is and has does not strike with the mount.
    flags = frozenset() if weapon.key.startswith(f"{MOUNT}-") else encounter.attacker.flags
    if not rules.melee.frenzy_and_hatred:
        flags -= {"frenzy", "hatred"}
    settings = encounter.settings
    hates = "hatred" in flags and settings.get("hatred", encounter.attacker.hates_all)
    return Attacker(
        ws=skill,
        strength=strength,
        attacks=attacks,
        extra_attacks=extra_attacks,
        frenzy="frenzy" in flags and settings.get("frenzy", True),
        hatred=first_round and hates,
        to_hit_bonus=weapon.number("to_hit"),
        needs_six=bool(settings.get("six")),
        killing_blow="killing_blow" in flags,
        poison=bool(weapon.trait("poison") or flags & {"poison", "poisoned_attacks"}),
        parry=_parry(encounter),
        injury_table=table if table in rules.injuries.tables else "standard",
        save_modifier=_save_modifier(rules, weapon, strength),
        second=second,
    )


def _parry(encounter: Encounter) -> Parry | None:
    """The parry of the target, where these rules know one."""
    target, strength = encounter.target, encounter.target.figure("strength")
    if encounter.rules.melee.parry is None or strength is None:
        return None
    count = target.parries(encounter.against)
    return Parry(strength, reroll=count > 1) if count else None


def _save_modifier(rules: CombatRules, weapon: Held, strength: int) -> int | None:
    """A weapon's whole modifier, where it prints one or adds to what its Strength takes off."""
    if weapon.trait("no_armour_save"):
        return 9
    if "save_modifier" in weapon.weapon.traits:
        return min(-weapon.number("save_modifier"), 9)
    pierced = int(bool(weapon.trait("armour_piercing")))
    more = pierced - weapon.number("extra_save_modifier")
    more -= weapon.number("enemy_save_bonus")
    return min(save_modifier(rules, strength) + more, 9) if more else None


def outcome_chances(
    rules: CombatRules, setup: FightSetup, *, attacks: int | None = None
) -> dict[str, Fraction]:
    """The exact chance of each outcome of one phase, or of so many attacks."""
    attacker, target, start = setup.attacker, setup.target, setup.start
    if attacks is not None:
        attacker = replace(
            attacker, attacks=attacks, extra_attacks=0, frenzy=False, second=None
        )
    if start.injury:
        blows = as_series((attacks_on_downed(rules, attacker, target),))
        return Spread(AttackOutcome(blows, start)).chances()
    turn = as_series((attacks_on_standing(rules, attacker, target),))
    return Spread(AttackOutcome(turn, start, _helmet(rules, target))).chances()


def _helmet(rules: CombatRules, target: Target) -> Helmet | None:
    return system_helmet(rules) if target.helmet else None


def out_by_phase(
    rules: CombatRules, setup: FightSetup, phases: int = PHASES
) -> tuple[Fraction, ...]:
    """The chance to be out after one phase, two, and so on: the charge and a spent critical count
    in the first.
    """
    target, chances, fighting = setup.target, [], []
    for place in range(phases):
        attacker = setup.later if place else setup.attacker
        blows = attacks_on_standing(rules, attacker, target)
        finish = attacks_on_downed(rules, attacker, target)
        is_targets_turn = place % 2 == 1
        fighting.append(CombatPhase(blows, finish, is_targets_turn, _helmet(rules, target)))
        law = series(as_series(tuple(fighting)), setup.start)
        weights = zip(law.values, law.weights, strict=True)
        out = sum(weight for tally, weight in weights if tally.injury == OUT)
        chances.append(Fraction(out, law.total))
    return tuple(chances)


def shot(encounter: Encounter) -> Spread | None:
    """All shots of the missile weapon at once.

    None where there is nothing to shoot with, or a figure is missing.
    """
    weapon, rules, settings = encounter.missile, encounter.rules, encounter.settings
    if weapon is None:
        return None
    save = encounter.target.save_from_missiles(has_shield=settings.get("shield", True))
    target = _target(encounter.target, weapon, 1, save)
    skill, strength, bonus = weapon.figure("bs"), weapon.strength(), weapon.number("to_hit")
    if target is None or skill is None or strength is None:
        return None
    # The weapon's own bonus counts as one more modifier of the chart.
    modifiers = active_modifiers(shooting_modifiers(encounter.system), settings)
    if bonus:
        modifiers = (*modifiers, bonus)
    modifier = _save_modifier(rules, weapon, strength)
    shooter = Attacker(1, strength, save_modifier=modifier)
    each = build_shot(rules, skill, modifiers, shooter, target)
    blows = ((each, max(weapon.number("shots"), 1)),)
    steps = (
        explain.shot_steps(rules, skill, modifiers),
        *explain.blow_steps(rules, shooter, target, each.strike.hit),
    )
    start = CasualtyCount(target.wounds)
    return Spread(AttackOutcome(blows, start, _helmet(rules, target)), steps)


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """One attack, a phase, how long the target lasts, shooting, and house rules."""
    setup, rules, exhibits = fight_setup(encounter), encounter.rules, []
    shooting = _shooting(encounter)
    if setup is None:
        return shooting
    count = sum(armed.blows for armed in setup.attacker.by_weapon)
    title, note = "One attack, and so a whole phase", ""
    if count != 1:
        title, note = "One close combat phase", f"All {count} attacks together."
        chances = outcome_chances(rules, setup, attacks=1)
        alone = " with the main weapon" if setup.attacker.second else ""
        exhibits.append(Exhibit("attack", f"One attack{alone}", outcome_rows(chances)))
    chances = outcome_chances(rules, setup)
    start, fighters = setup.start, (rules, setup.attacker, setup.target)
    if start.injury:
        steps = explain.finish_steps(*fighters, start.injury)
    else:
        steps = explain.attack_steps(*fighters)
        if start.critical_used:
            used = "The critical of this phase is used: a 6 to wound is a normal wound."
            steps = (*steps, used)
    if rules.melee.parry is None and encounter.target.parries(encounter.against):
        steps = (*steps, "These rules have no parry, so none is counted.")
    exhibits.append(Exhibit("phase", title, outcome_rows(chances), note, steps))
    rows = tuple(
        OutcomeChance(f"After {n} phase{'s' if n > 1 else ''}", chance)
        for n, chance in enumerate(out_by_phase(rules, setup), start=1)
    )
    title = "Out of action within so many phases"
    exhibits.append(Exhibit("out", title, rows, _LASTS))
    return *exhibits, *shooting, *_house_rules(encounter, setup)


_LASTS = (
    "The attacker's turn comes first, then turns alternate. In its own turn the target gets "
    "up by one step before the "
    "fight. Nobody strikes back here, and a charge counts in the first phase alone."
)


def _shooting(encounter: Encounter) -> tuple[Exhibit, ...]:
    question, weapon = shot(encounter), encounter.missile
    if question is None or weapon is None:
        return ()
    title, shots = "One shot", weapon.number("shots")
    note = (
        f"{weapon.name}, range {weapon.weapon.range}″. At a standing target, whatever its "
        "state in close combat."
    )
    if shots > 1:
        title = f"{shots} shots"
        note += f" All {shots} shots at the same target."
    outcomes = outcome_rows(question.chances())
    return (Exhibit("shot", title, outcomes, note, question.steps),)


def _house_rules(encounter: Encounter, setup: FightSetup) -> list[Exhibit]:
    """A hit on a rider or a swarm where the text has a house rule for it, and the engine takes
    these figures.
    """
    target, exhibits = setup.target, []
    blow = {"strength": setup.attacker.strength, "toughness": target.toughness}
    save = None if target.save == NO_ARMOUR else target.save
    questions: list[tuple[str, str, Fields]] = []
    if encounter.target.is_mounted:
        title = "A hit on the rider, with the house rule that the mount falls first"
        questions.append(("cavalry_hit", title, {}))
    if "swarm" in encounter.target.flags:
        title = "A hit on the swarm, with the house rule that swarms wear away"
        questions.append(("swarm_hits", title, {"wounds": target.wounds, "hits": 1}))
    for call, title, more in questions:
        if call not in available(encounter.rules):
            continue
        try:
            answer = evaluate(encounter.rules, call, {**blow, "save": save, **more})
        except Refusal:
            continue
        outcomes = outcome_rows(answer.outcomes)
        exhibits.append(Exhibit(call, title, outcomes, "", answer.steps))
    return exhibits


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """The chance of what is measured, or None where it cannot be."""
    rules = encounter.rules
    if measure == "shot":
        question = shot(encounter)
        return sum_chances(question.chances(), "out_of_action") if question else None
    setup = fight_setup(encounter)
    if setup is None:
        return None
    if measure == "out_in_three":
        return out_by_phase(rules, setup, 3)[-1]
    chances = outcome_chances(rules, setup)
    if measure == "hurt":
        return 1 - sum_chances(chances, "unhurt")
    return sum_chances(chances, *(("out_of_action",) if measure == "out" else INJURIES[1:]))


CALL = "melee"
SECTIONS = ("charts", "criticals", "injuries", "melee")
MEASURES = (
    ("out", "Out of action"),
    ("down", "Down, stunned or out"),
    ("hurt", "Hurt at all"),
    ("shot", "Out by shooting"),
)
HEADLINES = (
    ("out", "Out in one phase"),
    ("out_in_three", "Out within three phases"),
    ("shot", "Out by shooting"),
)
MISSILE_MEASURES = ("shot",)
YARDSTICK = ("WS", "S", "T", "A")
WORTH: tuple[tuple[str, str, Fields], ...] = (
    ("out of action", "out", {}),
    ("out on the charge", "out", {"charging": True}),
    ("out by shooting", "shot", {}),
)
SUFFERED = (("hurt in return", "hurt"),)
BOTH_STRIKE = ("out", "down")
LEFT_OUT = (
    "Fear, magic and what special rules add are not counted. The target strikes "
    "back only where both strike."
)
