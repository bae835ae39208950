"""Two warriors, each a miniature by itself: blows, shots, and how long the target lasts."""

from dataclasses import replace
from fractions import Fraction

from engine.calls import available, evaluate, explain
from engine.combat.attacks import (
    CombatPhase,
    attacks_on_downed,
    attacks_on_standing,
    prone_target,
)
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
from engine.combat.hits import Helmet, Shot, helmet_of, hit_with, shot_of
from engine.dice import Dice, Rule, as_series
from engine.errors import Refusal
from engine.odds import distribution_of, series
from engine.records import Fields, Numbers, Texts, frozen_dataclass
from engine.rules import INJURIES, CombatRules
from engine.types.systems import System
from odds.circumstances import (
    ATTACKER,
    TARGET,
    Circumstance,
    Encounter,
    choice,
    flag,
    modifiers_of,
)
from odds.circumstances import shooting_modifiers as chart_rows
from odds.combat_profiles import CombatProfile, Held
from odds.exhibits import Exhibit, OutcomeChance, chance_of, outcomes_of

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
# What a blow does, and what keeps the one it was struck at from striking back.
BOTH_STRIKE = ("out", "down")
LEFT_OUT = (
    "Psychology, magic and what special rules add are not counted. The target strikes back only "
    "where both strike."
)
PHASES = 6
STATES = (
    ("standing", "Standing"),
    ("knocked_down", "Knocked down"),
    ("stunned", "Stunned"),
)
_INJURED = {"standing": STANDING, "knocked_down": DOWN, "stunned": STUN}
_NEEDED = (("ws", "Weapon Skill"), ("toughness", "Toughness"), ("wounds", "Wounds"))


def lacks(attacker: CombatProfile, target: CombatProfile) -> str:
    """Why these two cannot meet like this, as a sentence; empty where they can."""
    if not any(map(_is_able, attacker.melee)) and not any(
        map(_may_shoot, attacker.missiles)
    ):
        return f"{attacker.title} has no figures to attack with."
    missing = [word for name, word in _NEEDED if target.figure(name) is None]
    if not missing:
        return ""
    return f"{target.title} has no figure for {missing[0]}, so nothing can be rolled against it."


def _is_able(held: Held) -> bool:
    return (
        held.weapon_skill is not None
        and held.attacks is not None
        and held.strength() is not None
    )


def _may_shoot(held: Held) -> bool:
    return held.figure("bs") is not None and held.strength() is not None


def circumstances(
    system: System, rules: CombatRules, attacker: CombatProfile, target: CombatProfile
) -> tuple[Circumstance, ...]:
    """Everything that may be said about these two; what could change nothing is left out."""
    found = [
        flag(
            "charging",
            "Charges",
            ATTACKER,
            "A charge is also the first round of the fight.",
        )
    ]
    if any("strength_first_round" in h.weapon.traits for h in attacker.melee):
        found.append(flag("first", "First round of the fight", ATTACKER))
    if rules.criticals is not None and rules.criticals.critical_limit is not None:
        found.append(flag("used", "Already scored its critical this phase", ATTACKER))
    found.append(
        flag(
            "six",
            "Needs a 6",
            ATTACKER,
            "A defended obstacle lies between them, or the attacker fears the target.",
        )
    )
    found.append(choice("state", "The target is", TARGET, STATES))
    if target.has_shield:
        found.append(flag("shield", "May use its shield", TARGET, default=True))
    if attacker.missiles:
        found += chart_rows(system)
    return tuple(found)


@frozen_dataclass
class FightSetup:
    """Two warriors with their weapons chosen: what the engine is asked."""

    attacker: Attacker
    later: Attacker
    target: Target
    injury: int
    is_used: bool

    @property
    def start(self) -> CasualtyCount:
        """The target before the first blow; one that is down has no wounds left to lose."""
        wounds = 0 if self.injury else self.target.wounds
        return CasualtyCount(wounds, self.injury, self.is_used)


def fight_setup(encounter: Encounter) -> FightSetup | None:
    """Return what the engine is asked about a fight; None where a figure is missing."""
    given, held, struck = encounter.given, encounter.weapon, _struck(encounter)
    if held is None or struck is None:
        return None
    charging = bool(given.get("charging"))
    is_first = charging or bool(given.get("first"))
    first = _blow(encounter, held, charging=charging, first_round=is_first)
    # The bonuses of a charge and of the first round end with the first phase.
    later = first
    if is_first:
        later = _blow(encounter, held, charging=False, first_round=False)
    if first is None or later is None:
        return None
    injury = _INJURED[given.get("state", "standing")]
    return FightSetup(first, later, struck, injury, bool(given.get("used")))


def _struck(encounter: Encounter) -> Target | None:
    """Return the target as blows meet it; None where a figure is missing."""
    other, has_shield = encounter.against, encounter.given.get("shield", True)
    skill = (other.weapon_skill if other else None) or encounter.target.figure("ws")
    save = encounter.target.save_in_combat(other, has_shield=has_shield)
    return None if skill is None else _target(encounter, encounter.weapon, skill, save)


def _target(
    encounter: Encounter, held: Held | None, skill: int, save: int | None
) -> Target | None:
    """Return the target as this weapon meets it; None where a figure is missing."""
    target = encounter.target
    toughness, wounds = target.figure("toughness"), target.figure("wounds")
    if toughness is None or wounds is None:
        return None
    if held is not None and held.trait("no_armour_save"):
        save = None
    return Target(skill, toughness, wounds, save, target.has_helmet)


def _blow(
    encounter: Encounter, held: Held, *, charging: bool, first_round: bool
) -> Attacker | None:
    rules, fighter = encounter.rules, encounter.attacker
    skill, attacks = held.weapon_skill, held.attacks
    strength = held.strength(charging=charging, first_round=first_round)
    if skill is None or attacks is None or strength is None:
        return None
    # Tables are named by the injury rolls that stun: stun_2_4 for "2–4".
    table = f"stun_{held.trait('stun_on')}".replace("–", "_")
    poisoned = bool({"poison", "poisoned_attacks"} & fighter.flags)
    return Attacker(
        ws=skill,
        strength=strength,
        attacks=attacks,
        to_hit_bonus=held.number("to_hit"),
        needs_six=bool(encounter.given.get("six")),
        killing_blow="killing_blow" in fighter.flags and not held.key.startswith("mount-"),
        poison=bool(held.trait("poison"))
        or (poisoned and not held.key.startswith("mount-")),
        parry=_parry(rules, encounter.target, encounter.against),
        injury_table=table if table in rules.injuries.tables else "standard",
        save_modifier=_save_modifier(rules, held, strength),
    )


def _parry(rules: CombatRules, target: CombatProfile, other: Held | None) -> Parry | None:
    count = target.parries(other) if rules.melee.parry is not None else 0
    strength = target.figure("strength")
    return Parry(strength, reroll=count > 1) if count and strength is not None else None


def _save_modifier(rules: CombatRules, held: Held, strength: int) -> int | None:
    """A weapon's whole modifier, where it prints one or adds to what its Strength takes off."""
    if "save_modifier" in held.weapon.traits:
        return min(-held.number("save_modifier"), 9)
    more = int(bool(held.trait("armour_piercing"))) - held.number("extra_save_modifier")
    return min(save_modifier(rules, strength) + more, 9) if more else None


@frozen_dataclass
class _BlowSequence:
    """Parts in order on one target, its helmet at the end, and the name of what became of it."""

    parts: tuple[tuple[Rule[CasualtyCount, CasualtyCount], int], ...]
    start: CasualtyCount
    helmet: Helmet | None = None

    def play(self, dice: Dice, state: None) -> str:
        after = dice.series(self.parts, self.start)
        if self.helmet is not None:
            after = dice.run(self.helmet, after)
        return (
            INJURIES[after.injury]
            if self.start.injury
            else outcome_of(after, self.start.wounds)
        )


def outcome_chances(
    rules: CombatRules, meet: FightSetup, *, attacks: int | None = None
) -> dict[str, Fraction]:
    """The exact chance of each outcome of one phase, or of so many attacks."""
    attacker = meet.attacker if attacks is None else replace(meet.attacker, attacks=attacks)
    if meet.injury:
        parts = as_series((attacks_on_downed(rules, attacker, meet.target),))
        return _sorted(_BlowSequence(parts, meet.start))
    parts = as_series((attacks_on_standing(rules, attacker, meet.target),))
    return _sorted(_BlowSequence(parts, meet.start, _helmet(rules, meet.target)))


def _helmet(rules: CombatRules, target: Target) -> Helmet | None:
    return helmet_of(rules) if target.helmet else None


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
    target, found, fighting = meet.target, [], []
    for place in range(phases):
        attacker = meet.later if place else meet.attacker
        blows = attacks_on_standing(rules, attacker, target)
        finish = attacks_on_downed(rules, attacker, target)
        fighting.append(CombatPhase(blows, finish, bool(place % 2), _helmet(rules, target)))
        law = series(as_series(tuple(fighting)), meet.start)
        weights = zip(law.values, law.weights, strict=True)
        out = sum(weight for tally, weight in weights if tally.injury == OUT)
        found.append(Fraction(out, law.total))
    return tuple(found)


def exhibits(encounter: Encounter) -> tuple[Exhibit, ...]:
    """Return one attack, a phase, how long the target lasts, shooting, and house rules."""
    meet = fight_setup(encounter)
    found = _fighting(encounter.rules, meet) if meet else []
    return *found, *_shooting(encounter), *_house(encounter, meet)


def _fighting(rules: CombatRules, meet: FightSetup) -> list[Exhibit]:
    found, count = [], meet.attacker.attacks
    title, told = "One attack, and so a whole phase", ""
    if count != 1:
        title, told = "One close combat phase", f"All {count} attacks together."
        one = outcomes_of(outcome_chances(rules, meet, attacks=1))
        found.append(Exhibit("attack", "One attack", one))
    chances = outcomes_of(outcome_chances(rules, meet))
    found.append(Exhibit("phase", title, chances, told, _steps(rules, meet)))
    rows = [
        OutcomeChance(f"After {n} phase{'s' if n > 1 else ''}", chance)
        for n, chance in enumerate(out_by_phase(rules, meet), start=1)
    ]
    found.append(Exhibit("out", "Out of action within so many phases", tuple(rows), _LASTS))
    return found


_LASTS = (
    "The attacker's turn comes first, then turns alternate. In its own turn the target gets "
    "up by one step before the "
    "fight. Nobody strikes back here, and a charge counts in the first phase alone."
)


def _steps(rules: CombatRules, meet: FightSetup) -> Texts:
    attacker, target = meet.attacker, meet.target
    if not meet.injury:
        used = (
            ("The critical of this phase is used: a 6 to wound is a normal wound.",)
            if meet.is_used
            else ()
        )
        return (*explain.attack_steps(rules, attacker, target), *used)
    if meet.injury == STUN:
        return ("A stunned model is out of action once it is attacked.",)
    if rules.melee.attack_knocked_down == "roll_to_hit":
        return (
            explain.hit_steps(rules, attacker, target),
            "A hit takes the model out of action.",
        )
    down = prone_target(rules, target)
    told = explain.wound_and_save_steps(
        rules, attacker, down, hit_with(rules, attacker, down)
    )
    return (
        "Attacks on the knocked down hit by themselves.",
        *told,
        "An unsaved wound takes the model out of action.",
    )


@frozen_dataclass
class ShotSetup:
    """One shot of a missile weapon: who shoots and who is hit, with its modifiers.

    ``shots`` is how many of them fall at once.
    """

    one: Shot
    shooter: Attacker
    struck: Target
    modifiers: Numbers
    held: Held

    @property
    def shots(self) -> int:
        return max(self.held.number("shots"), 1)

    def chances(self, rules: CombatRules) -> dict[str, Fraction]:
        """The exact chance of each outcome of all shots."""
        start = CasualtyCount(self.struck.wounds)
        parts = ((self.one, self.shots),)
        return _sorted(_BlowSequence(parts, start, _helmet(rules, self.struck)))


def shot(encounter: Encounter) -> ShotSetup | None:
    """Return what the engine is asked about a shot.

    None where there is nothing to shoot with, or a figure is missing.
    """
    held, rules, given = encounter.missile, encounter.rules, encounter.given
    if held is None:
        return None
    save = encounter.target.save_from_missiles(has_shield=given.get("shield", True))
    struck = _target(encounter, held, 1, save)
    skill, strength, bonus = held.figure("bs"), held.strength(), held.number("to_hit")
    if struck is None or skill is None or strength is None:
        return None
    # The weapon's own bonus counts as one more modifier of the chart.
    modifiers = modifiers_of(chart_rows(encounter.system), given) + (
        (bonus,) if bonus else ()
    )
    shooter = Attacker(1, strength, save_modifier=_save_modifier(rules, held, strength))
    one = shot_of(rules, skill, modifiers, shooter, struck)
    return ShotSetup(one, shooter, struck, modifiers, held)


def _shooting(encounter: Encounter) -> list[Exhibit]:
    found, rules = shot(encounter), encounter.rules
    if found is None:
        return []
    held, shots = found.held, found.shots
    title = "One shot"
    note = (
        f"{held.name}, range {held.weapon.range}″. At a standing target, whatever its state in "
        "close combat."
    )
    if shots > 1:
        title = f"{shots} shots"
        note += f" All {shots} shots at the same target."
    aim = explain.shot_steps(rules, held.figure("bs") or 1, found.modifiers)
    blow = explain.blow_steps(rules, found.shooter, found.struck, found.one.strike.hit)
    return [Exhibit("shot", title, outcomes_of(found.chances(rules)), note, (aim, *blow))]


def _house(encounter: Encounter, meet: FightSetup | None) -> list[Exhibit]:
    """Return a hit on a rider or a swarm where the text has a house rule for it."""
    if meet is None:
        return []
    known, target = available(encounter.rules), encounter.target
    inputs = {
        "strength": meet.attacker.strength,
        "toughness": meet.target.toughness,
        "save": meet.target.save,
    }
    found = []
    if "cavalry_hit" in known and target.is_mounted:
        found += _house_rule(encounter.rules, "cavalry_hit", inputs)
    if "swarm_hits" in known and "swarm" in target.flags:
        inputs |= {"wounds": meet.target.wounds, "hits": 1}
        found += _house_rule(encounter.rules, "swarm_hits", inputs)
    return found


_HOUSE_TITLES = {
    "cavalry_hit": "A hit on the rider, with the house rule that the mount falls first",
    "swarm_hits": "A hit on the swarm, with the house rule that swarms wear away",
}


def _house_rule(rules: CombatRules, call: str, inputs: Fields) -> list[Exhibit]:
    """Return the answer to a call, nothing where the engine refuses these figures."""
    try:
        answer = evaluate(rules, call, inputs)
    except Refusal:
        return []
    return [
        Exhibit(call, _HOUSE_TITLES[call], outcomes_of(answer.outcomes), "", answer.steps)
    ]


def measured(encounter: Encounter, measure: str) -> Fraction | None:
    """Return the chance of what is measured, or None where it cannot be."""
    rules = encounter.rules
    if measure == "shot":
        found = shot(encounter)
        return chance_of(found.chances(rules), "out_of_action") if found else None
    meet = fight_setup(encounter)
    if meet is None:
        return None
    if measure == "out_in_three":
        return out_by_phase(rules, meet, 3)[-1]
    chances = outcome_chances(rules, meet)
    if measure == "hurt":
        return 1 - chance_of(chances, "unhurt")
    wanted = ("out_of_action",) if measure == "out" else INJURIES[1:]
    return chance_of(chances, *wanted)
