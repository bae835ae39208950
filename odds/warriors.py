"""Two warriors, each a miniature by itself: blows, finishing the fallen, shots, and how long the
target lasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from engine.calls import available, evaluate, explain
from engine.combat.attacks import attacks_on_downed, attacks_on_standing, melee_of, prone_target
from engine.combat.fighters import (
    DOWN,
    OUT,
    STANDING,
    STUN,
    Attacker,
    CasualtyCount,
    Parry,
    Target,
    outcome_of,
    save_modifier,
)
from engine.combat.hits import Shot, hit_with, shot_of
from engine.combat.injuries import Helmet, helmet_of, injuries_of
from engine.dice import Dice, Rule, as_series
from engine.errors import Refusal
from engine.matchups import CombatPhase
from engine.odds import distribution_of, series
from engine.rules import INJURIES, CombatRules
from engine.types import System
from odds.circumstances import ATTACKER, TARGET, Circumstance, Given, choice, flag, modifiers_of
from odds.circumstances import shooting_modifiers as chart_rows
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, Headline, OutcomeChance, outcomes_of

CALL = "melee"
SECTIONS = ("charts", "criticals", "injuries", "melee")
MEASURES = (
    ("out", "Out of action"),
    ("down", "Down, stunned or out"),
    ("hurt", "Hurt at all"),
    ("shot", "Out by shooting"),
)
YARDSTICK = ("WS", "S", "T", "A")
MISSILE_MEASURES = frozenset({"shot"})
# What an option may change: words, measure and circumstances; and what the plain opponent does in
# return.
WORTH = (
    ("out of action", "out", ()),
    ("out on the charge", "out", (("charging", True),)),
    ("out by shooting", "shot", ()),
)
SUFFERED = (("hurt in return", "hurt"),)
LEFT_OUT = "Psychology, magic and what special rules add are not counted, and nobody strikes back."
PHASES = 6
STATES = (("standing", "Standing"), ("knocked_down", "Knocked down"), ("stunned", "Stunned"))
_INJURED = {"standing": STANDING, "knocked_down": DOWN, "stunned": STUN}
_NEEDED = (("ws", "Weapon Skill"), ("toughness", "Toughness"), ("wounds", "Wounds"))


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    if not any(map(_is_able, attacker.melee)) and not any(map(_may_shoot, attacker.missiles)):
        return f"{attacker.title} has no figures to attack with."
    missing = [word for name, word in _NEEDED if target.figure(name) is None]
    return (
        f"{target.title} has no figure for {missing[0]}, so nothing can be rolled against it."
        if missing
        else ""
    )


def _is_able(held: Held) -> bool:
    return (
        held.weapon_skill is not None and held.attacks is not None and held.strength() is not None
    )


def _may_shoot(held: Held) -> bool:
    return held.figure("bs") is not None and held.strength() is not None


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """Everything that may be said about these two; what could change nothing is left out."""
    found = [
        flag("charging", "Charges", ATTACKER, "A charge is also the first round of the fight.")
    ]
    if any("strength_first_round" in h.weapon.traits for h in attacker.melee):
        found.append(flag("first", "First round of the fight", ATTACKER))
    if rules.criticals is not None and rules.criticals.critical_limit is not None:
        found.append(flag("used", "Has caused its critical of this phase", ATTACKER))
    found.append(
        flag(
            "six",
            "Needs a 6",
            ATTACKER,
            "A defended obstacle lies between them, or it fears its foe.",
        )
    )
    found.append(choice("state", "The target is", TARGET, STATES))
    if target.has_shield:
        found.append(flag("shield", "May use its shield", TARGET, default=True))
    if attacker.missiles:
        found += chart_rows(system)
    return tuple(found)


@dataclass(frozen=True)
class FightSetup:
    """Two warriors with their weapons chosen: what the engine is asked."""

    attacker: Attacker
    later: Attacker
    target: Target
    injury: int
    is_used: bool


def fight_setup(
    rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> FightSetup | None:
    """What the engine is asked about a fight; None where a figure is missing."""
    held, other = attacker.held(given.get("weapon", "")), target.held(given.get("against", ""))
    toughness, wounds = target.figure("toughness"), target.figure("wounds")
    if held is None or toughness is None or wounds is None:
        return None
    skill = other.weapon_skill if other else target.figure("ws")
    skill = skill or target.figure("ws")
    charging = bool(given.get("charging"))
    is_first = charging or bool(given.get("first"))
    first = _blow(rules, attacker, held, target, other, given, charging, is_first)
    later = _blow(rules, attacker, held, target, other, given, False, False) if is_first else first
    if first is None or later is None or skill is None:
        return None
    save = (
        None
        if held.trait("no_armour_save")
        else target.save_in_combat(other, has_shield=given.get("shield", True))
    )
    struck = Target(skill, toughness, wounds, save, target.has_helmet)
    return FightSetup(
        first, later, struck, _INJURED[given.get("state", "standing")], bool(given.get("used"))
    )


def _blow(
    rules: CombatRules,
    fighter: CombatProfile,
    held: Held,
    target: CombatProfile,
    other: Held | None,
    given: Given,
    charging: bool,
    first_round: bool,
) -> Attacker | None:
    skill, attacks = held.weapon_skill, held.attacks
    strength = held.strength(charging=charging, first_round=first_round)
    if skill is None or attacks is None or strength is None:
        return None
    table = f"stun_{held.trait('stun_on')}".replace("–", "_")
    return Attacker(
        ws=skill,
        strength=strength,
        attacks=attacks,
        to_hit_bonus=held.number("to_hit"),
        needs_six=bool(given.get("six")),
        killing_blow="killing_blow" in fighter.flags and not held.key.startswith("mount-"),
        poison=_is_poisoned(fighter, held),
        parry=_parry(rules, target, other),
        injury_table=table if table in injuries_of(rules).tables else "standard",
        save_modifier=_save_modifier(rules, held, strength),
    )


def _is_poisoned(fighter: CombatProfile, held: Held) -> bool:
    poisoned = bool({"poison", "poisoned_attacks"} & fighter.flags)
    return bool(held.trait("poison")) or (poisoned and not held.key.startswith("mount-"))


def _parry(rules: CombatRules, target: CombatProfile, other: Held | None) -> Parry | None:
    count = target.parries(other) if melee_of(rules).parry is not None else 0
    strength = target.figure("strength")
    return Parry(strength, reroll=count > 1) if count and strength is not None else None


def _save_modifier(rules: CombatRules, held: Held, strength: int) -> int | None:
    """A weapon's whole modifier, where it prints one or adds to what its Strength takes off."""
    if "save_modifier" in held.weapon.traits:
        return min(-held.number("save_modifier"), 9)
    more = int(bool(held.trait("armour_piercing"))) - held.number("extra_save_modifier")
    return min(save_modifier(rules, strength) + more, 9) if more else None


@dataclass(frozen=True)
class _BlowSequence:
    """Parts in order on one target, its helmet at the end, and the name of what became of it."""

    parts: tuple[tuple[Rule[CasualtyCount, CasualtyCount], int], ...]
    start: CasualtyCount
    helmet: Helmet | None = None

    def play(self, dice: Dice, state: None) -> str:
        after = dice.series(self.parts, self.start)
        if self.helmet is not None:
            after = dice.run(self.helmet, after)
        return INJURIES[after.injury] if self.start.injury else outcome_of(after, self.start.wounds)


def outcome_chances(
    rules: CombatRules, meet: FightSetup, *, attacks: int | None = None
) -> dict[str, Fraction]:
    """The exact chance of each outcome of one phase, or of so many attacks."""
    attacker = meet.attacker if attacks is None else replace(meet.attacker, attacks=attacks)
    helmet = helmet_of(rules) if meet.target.helmet else None
    if meet.injury:
        start = CasualtyCount(0, meet.injury, meet.is_used)
        return _sorted(
            _BlowSequence(as_series((attacks_on_downed(rules, attacker, meet.target),)), start)
        )
    start = CasualtyCount(meet.target.wounds, STANDING, meet.is_used)
    return _sorted(
        _BlowSequence(
            as_series((attacks_on_standing(rules, attacker, meet.target),)), start, helmet
        )
    )


def _sorted(fate: _BlowSequence) -> dict[str, Fraction]:
    chances = distribution_of(fate, None).chances()
    return {name: chances[name] for name in sorted(chances, key=_severity)}


def _severity(name: str) -> tuple[int, int]:
    if name in INJURIES:
        return 2 + INJURIES.index(name), 0
    return (0, 0) if name == "unhurt" else (1, -int(name.split("_")[1]))


def out_by_phase(
    rules: CombatRules, meet: FightSetup, phases: int = PHASES
) -> tuple[Fraction, ...]:
    """The chance to be out after one phase, two, and so on: the charge and a spent critical count
    in the first.
    """
    helmet = helmet_of(rules) if meet.target.helmet else None
    fighting = []
    for place in range(phases):
        attacker = meet.attacker if place == 0 else meet.later
        turn, finish = (
            attacks_on_standing(rules, attacker, meet.target),
            attacks_on_downed(rules, attacker, meet.target),
        )
        fighting.append(CombatPhase(turn, finish, bool(place % 2), helmet))
    wounds = 0 if meet.injury else meet.target.wounds
    start = CasualtyCount(wounds, meet.injury, meet.is_used)
    found = []
    for count in range(1, phases + 1):
        law = series(as_series(tuple(fighting[:count])), start)
        out = sum(
            w for tally, w in zip(law.values, law.weights, strict=True) if tally.injury == OUT
        )
        found.append(Fraction(out, law.total))
    return tuple(found)


def exhibits(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Exhibit, ...]:
    """One attack, a phase, how long the target lasts, shooting, and a rider's or a swarm's own
    house rule.
    """
    found: list[Exhibit] = []
    meet = fight_setup(rules, attacker, target, given)
    if meet is not None:
        steps = _steps(rules, meet)
        if meet.attacker.attacks != 1:
            found.append(
                Exhibit(
                    "attack", "One attack", outcomes_of(outcome_chances(rules, meet, attacks=1))
                )
            )
        count = meet.attacker.attacks
        title = "One close combat phase" if count != 1 else "One attack, and so a whole phase"
        told = f"All {count} attacks together." if count != 1 else ""
        found.append(
            Exhibit("phase", title, outcomes_of(outcome_chances(rules, meet)), told, steps)
        )
        rows = [
            OutcomeChance(f"After {n} phase{'s' if n > 1 else ''}", c)
            for n, c in enumerate(out_by_phase(rules, meet), start=1)
        ]
        found.append(Exhibit("out", "Out of action within so many phases", tuple(rows), _LASTS))
    found += _shooting(system, rules, attacker, target, given)
    found += _house(rules, attacker, target, meet)
    return tuple(found)


_LASTS = (
    "The attacker's turn comes first, then turns alternate. In its own turn the target gets "
    "up by one step before the "
    "fight. Nobody strikes back here, and a charge counts in the first phase alone."
)


def _steps(rules: CombatRules, meet: FightSetup) -> tuple[str, ...]:
    attacker, target = meet.attacker, meet.target
    if not meet.injury:
        used = (
            ("The critical of this phase is spent: a 6 to wound is a plain wound.",)
            if meet.is_used
            else ()
        )
        return (*explain.attack_steps(rules, attacker, target), *used)
    if meet.injury == STUN:
        return ("A stunned model is out of action once it is attacked.",)
    if melee_of(rules).attack_knocked_down == "roll_to_hit":
        return (explain.hit_steps(rules, attacker, target), "A hit takes the model out of action.")
    down = prone_target(rules, target)
    told = explain.blow_steps(rules, attacker, down, hit_with(rules, attacker, down))[:3]
    return (
        "Attacks on the knocked down hit by themselves.",
        *told,
        "An unsaved wound takes the model out of action.",
    )


def shot(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Shot, Attacker, Target, int, tuple[int, ...]] | None:
    """One shot with its modifiers, and how many there are; None where it has nothing to shoot with
    or no figure.
    """
    held = attacker.held(given.get("missile", ""), missile=True)
    if held is None:
        return None
    skill, strength = held.figure("bs"), held.strength()
    toughness, wounds = target.figure("toughness"), target.figure("wounds")
    if skill is None or strength is None or toughness is None or wounds is None:
        return None
    save = target.save_from_missiles(has_shield=given.get("shield", True))
    struck = Target(
        1, toughness, wounds, None if held.trait("no_armour_save") else save, target.has_helmet
    )
    modifiers = modifiers_of(chart_rows(system), given)
    modifiers += (held.number("to_hit"),) if held.number("to_hit") else ()
    shooter = Attacker(1, strength, save_modifier=_save_modifier(rules, held, strength))
    return (
        shot_of(rules, skill, modifiers, shooter, struck),
        shooter,
        struck,
        max(held.number("shots"), 1),
        modifiers,
    )


def _shooting(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> list[Exhibit]:
    found, held = (
        shot(system, rules, attacker, target, given),
        attacker.held(given.get("missile", ""), missile=True),
    )
    if found is None or held is None:
        return []
    one, shooter, struck, shots, modifiers = found
    skill = held.figure("bs") or 1
    steps = explain.blow_steps(rules, shooter, struck, one.strike.hit)
    note = (
        f"{held.name}, range {held.weapon.range}″. At a standing target, whatever its state in "
        "close combat."
    )
    if shots > 1:
        note += f" All {shots} shots at the same target."
    title = f"{shots} shots" if shots > 1 else "One shot"
    aim = explain.shot_steps(rules, skill, modifiers)
    return [
        Exhibit("shot", title, outcomes_of(_shots(rules, one, shots, struck)), note, (aim, *steps))
    ]


def _shots(rules: CombatRules, one: Shot, shots: int, struck: Target) -> dict[str, Fraction]:
    helmet = helmet_of(rules) if struck.helmet else None
    return _sorted(_BlowSequence(((one, shots),), CasualtyCount(struck.wounds), helmet))


def _house(
    rules: CombatRules, attacker: CombatProfile, target: CombatProfile, meet: FightSetup | None
) -> list[Exhibit]:
    """A hit on a rider or a swarm where the text has a house rule for it."""
    if meet is None:
        return []
    known = available(rules)
    inputs: dict[str, Any] = {
        "strength": meet.attacker.strength,
        "toughness": meet.target.toughness,
    }
    inputs["save"] = meet.target.save
    found = []
    if "cavalry_hit" in known and target.is_mounted:
        found.append(
            (
                "cavalry_hit",
                "A hit on the rider, with the house rule that the mount falls first",
                inputs,
            )
        )
    if "swarm_hits" in known and "swarm" in target.flags:
        wounds = {**inputs, "wounds": meet.target.wounds, "hits": 1}
        found.append(
            ("swarm_hits", "A hit on the swarm, with the house rule that swarms wear away", wounds)
        )
    shown = []
    for call, title, asked in found:
        try:
            answer = evaluate(rules, call, asked)
        except Refusal:
            continue
        shown.append(Exhibit(call, title, outcomes_of(answer.outcomes), "", answer.steps))
    return shown


def headlines(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile, given: Given
) -> tuple[Headline, ...]:
    """Out of action in one phase, within three, and by shooting."""
    meet, found = fight_setup(rules, attacker, target, given), []
    if meet is not None:
        found.append(
            Headline(
                "Out in one phase", outcome_chances(rules, meet).get("out_of_action", Fraction(0))
            )
        )
        found.append(Headline("Out within three phases", out_by_phase(rules, meet, 3)[-1]))
    chance = measured(system, rules, attacker, target, given, "shot")
    if chance is not None:
        found.append(Headline("Out by shooting", chance))
    return tuple(found)


def measured(
    system: System,
    rules: CombatRules,
    attacker: CombatProfile,
    target: CombatProfile,
    given: Given,
    measure: str,
) -> Fraction | None:
    """One cell of a table: the chance of what is measured, or None where it cannot be."""
    if measure == "shot":
        shooting = shot(system, rules, attacker, target, given)
        if shooting is None:
            return None
        one, _, struck, shots, _ = shooting
        return _shots(rules, one, shots, struck).get("out_of_action", Fraction(0))
    meet = fight_setup(rules, attacker, target, given)
    if meet is None:
        return None
    return _counted(outcome_chances(rules, meet), measure)


def _counted(chances: dict[str, Fraction], measure: str) -> Fraction:
    if measure == "hurt":
        return 1 - chances.get("unhurt", Fraction(0))
    wanted = ("out_of_action",) if measure == "out" else INJURIES[1:]
    return sum((chances.get(name, Fraction(0)) for name in wanted), Fraction(0))
