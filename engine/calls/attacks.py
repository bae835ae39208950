"""Calls about blows and shots at one warrior."""

from collections.abc import Mapping

from engine.calls import explain
from engine.calls.inputs import (
    ALL_ATTACKS_MAX,
    ATTACKS_MAX,
    GROUPS_MAX,
    SAVE,
    WOUNDS,
    Input,
    characteristic,
    choice,
    flag,
    group,
    groups,
    missing,
    number,
    numbers,
)
from engine.calls.questions import Call, Given, Question, Spread, Steps
from engine.combat.attacks import attacks_on_downed, prone_target, sequence_of
from engine.combat.fighters import (
    DOWN,
    STUN,
    Attacker,
    CasualtyCount,
    Parry,
    Target,
    outcome_of,
)
from engine.combat.hits import Helmet, Hit, helmet_of, hit_with, shot_of, strike_with
from engine.dice import Dice, Rule, as_series
from engine.errors import Refusal
from engine.records import Fields, NamedValues, frozen_dataclass
from engine.rules import INJURIES, CombatRules

PARRY = group("parry", (characteristic("defender_strength"), flag("reroll")), None)
EXTRAS = (
    number("attacks", 0, ATTACKS_MAX, 1),
    number("to_hit_bonus", -5, 5, 0),
    flag("killing_blow"),
    flag("poison"),
    PARRY,
)
ATTACKER: tuple[Input, ...] = (characteristic("ws"), characteristic("strength"), *EXTRAS)
DEFENDER: tuple[Input, ...] = (
    characteristic("ws"),
    characteristic("toughness"),
    WOUNDS,
    SAVE,
)
FINISHER: tuple[Input, ...] = (
    characteristic("ws", None),
    characteristic("strength", None),
    *EXTRAS,
)
FINISHED: tuple[Input, ...] = (
    characteristic("ws", None),
    characteristic("toughness", None),
    WOUNDS,
    SAVE,
)
TABLES = ("standard", "stun_2_4")


POISON = "poison_auto_wound_may_crit"  # Warhammer Skirmish, POISON ATTACKS (House Rule)


def with_poison(rules: CombatRules, inputs: NamedValues) -> CombatRules:
    """The rules with the house rule about poison, where the system has it and an attacker poison.

    Whoever writes ``poison`` into a call, and no ruling about it, means that house rule.
    """
    many = inputs.get("attackers")
    attackers = [inputs.get("attacker"), *(many if isinstance(many, list) else [])]
    poisons = [one.get("poison") for one in attackers if isinstance(one, Mapping)]
    is_played = POISON in rules.rulings() and True in poisons
    return rules.with_rulings({POISON: True}) if is_played else rules


def attacker_of(given: Fields) -> Attacker:
    """An attacker out of checked inputs."""
    parry = Parry(**given["parry"]) if given["parry"] else None
    return Attacker(**{**given, "parry": parry})


@frozen_dataclass
class AttackOutcome:
    """Blows in order, each so many times, a helmet at the end, and the name of what became of the
    model.
    """

    blows: tuple[tuple[Rule[CasualtyCount, CasualtyCount], int], ...]
    wounds: int
    helmet: Helmet | None = None

    def play(self, dice: Dice, state: None) -> str:
        tally = dice.series(self.blows, CasualtyCount(self.wounds))
        if self.helmet is not None:
            tally = dice.run(self.helmet, tally)
        return outcome_of(tally, self.wounds)


def _hit(rules: CombatRules, given: Given) -> Question:
    """Hits that landed already, by one attacker, on a model that stands."""
    table = given.injury_table
    attacker = Attacker(1, given.strength, injury_table=table)
    target = Target(1, given.toughness, given.wounds, given.save, given.helmet)
    hit = hit_with(rules, attacker, target, critical_available=given.critical_available)
    helmet = helmet_of(rules) if target.helmet else None
    fate = AttackOutcome(
        ((strike_with(rules, hit, table), given.hits),), target.wounds, helmet
    )
    steps = explain.blow_steps(rules, attacker, target, hit)
    return Spread(fate, (f"Hits: {given.hits}.", *steps))


def _melee(rules: CombatRules, given: Given) -> Question:
    return _fight(rules, (attacker_of(given.attacker),), Target(**given.defender))


def _melee_sequence(rules: CombatRules, given: Given) -> Question:
    return _fight(rules, tuple(map(attacker_of, given.attackers)), Target(**given.defender))


def _fight(rules: CombatRules, attackers: tuple[Attacker, ...], target: Target) -> Question:
    """Return the odds of all blows of a phase; Refusal for too many attacks."""
    if sum(attacker.attacks for attacker in attackers) > ALL_ATTACKS_MAX:
        raise Refusal(
            f"attackers: at most {ALL_ATTACKS_MAX} attacks together.", field="attackers"
        )
    blows = as_series(sequence_of(rules, attackers, target))
    steps = [explain.attack_steps(rules, attacker, target) for attacker in attackers]
    told: list[str] = []
    for place, own in enumerate(steps, start=1):
        told += (f"Attacker {place}.", *own) if len(attackers) > 1 else own
    if len(attackers) == 1:
        return Spread(AttackOutcome(blows, target.wounds), tuple(told))
    # Whether one attacker finishes whom another felled: ruling C09.
    may_finish = rules.melee.same_phase_finish_by_second_model
    told.append(_MAY_FINISH if may_finish else _STOOD_ALL_PHASE)
    return Spread(AttackOutcome(blows, target.wounds), tuple(told))


_MAY_FINISH = "Whom one attacker puts down, the next may finish."
_STOOD_ALL_PHASE = "Who stood when the phase began goes out on the injury table alone; all wounds count together."


@frozen_dataclass
class Finishing:
    """Attacks on a model that was down when the phase began."""

    finish: Rule[CasualtyCount, CasualtyCount]
    injury: int

    def play(self, dice: Dice, state: None) -> str:
        return INJURIES[dice.run(self.finish, CasualtyCount(0, self.injury)).injury]


def _attack_downed(rules: CombatRules, given: Given) -> Question:
    """Only what the system rolls for is needed: Weapon Skills, or Strength and Toughness, or
    nothing at all.
    """
    injury = STUN if given.target_state == "stunned" else DOWN
    is_automatic = rules.melee.attack_knocked_down != "roll_to_hit"
    figures = ("strength", "toughness") if is_automatic else ("ws", "ws")
    for part, name in zip(("attacker", "defender"), figures, strict=True):
        if injury == DOWN and getattr(given, part)[name] is None:
            raise missing(f"{part}.{name}")
    warrior = attacker_of(_with_ones(given.attacker))
    target = Target(**_with_ones(given.defender))
    steps = _finish_steps(rules, warrior, target, injury)
    return Spread(Finishing(attacks_on_downed(rules, warrior, target), injury), steps)


def _with_ones(given: Fields) -> Fields:
    """Return inputs with 1 for a characteristic that was left out and is not rolled for."""
    figures = ("ws", "strength", "toughness")
    return given | {name: 1 for name in figures if given.get(name, 0) is None}


def _finish_steps(
    rules: CombatRules, attacker: Attacker, target: Target, injury: int
) -> Steps:
    """Return in words how a stunned or knocked down model is attacked."""
    if injury == STUN:
        return ("A stunned model is out of action once it is attacked.",)
    told = f"Attacks: {attacker.attacks}."
    if rules.melee.attack_knocked_down == "roll_to_hit":
        hit = explain.hit_steps(rules, attacker, target)
        return told, hit, "A hit takes the model out of action."
    down = prone_target(rules, target)
    blow = explain.wound_and_save_steps(
        rules, attacker, down, hit_with(rules, attacker, down)
    )
    last = "An unsaved wound takes the model out of action."
    return told, "Attacks on the knocked down hit by themselves.", *blow, last


def _shoot(rules: CombatRules, given: Given) -> Question:
    """Return the odds of one shot at a target, with the steps in words."""
    target = Target(1, given.toughness, given.wounds, given.save)
    attacker = Attacker(1, given.strength)
    shot = shot_of(rules, given.bs, given.modifiers, attacker, target)
    steps = explain.blow_steps(rules, attacker, target, shot.strike.hit)
    aim = explain.shot_steps(rules, given.bs, given.modifiers)
    return Spread(AttackOutcome(((shot, 1),), target.wounds), (aim, *steps))


@frozen_dataclass
class MountHit:
    """One hit on a rider: an unsaved wound kills the mount and no more, a critical only denies the
    save.

    Source: Warhammer Skirmish, INJURING CAVALRY MODELS (House Rule).
    """

    hit: Hit

    def play(self, dice: Dice, state: None) -> str:
        blow = dice.run(self.hit, state=False)
        return "mount_killed_rider_unhurt" if blow.bonuses or blow.killed else "unhurt"


def _cavalry_hit(rules: CombatRules, given: Given) -> Question:
    """Return the odds of one hit on a mount, which its first unsaved wound kills."""
    attacker = Attacker(1, given.strength)
    target = Target(1, given.toughness, 1, given.save)
    hit = hit_with(rules, attacker, target)
    steps = explain.wound_and_save_steps(rules, attacker, target, hit)
    return Spread(MountHit(hit), (*steps, "The first unsaved wound kills the mount alone."))


@frozen_dataclass
class SwarmHit:
    """One hit on a swarm: Wounds come off and nothing is rolled for injury; a critical takes two
    (ruling G54).

    Source: Warhammer Skirmish, SWARMS (House Rule).
    """

    hit: Hit

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the swarm's count after one hit; a swarm without Wounds takes no dice."""
        if not tally.wounds:
            return tally
        blow = dice.run(self.hit, tally.critical_used)
        used = tally.critical_used or (blow.critical and self.hit.limited)
        lost = tally.wounds if blow.killed else len(blow.bonuses)
        return tally._replace(wounds=max(tally.wounds - lost, 0), critical_used=used)


@frozen_dataclass
class SwarmFate:
    """Hits on a swarm, and what is left of it."""

    hit: SwarmHit
    hits: int
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        left = dice.series(((self.hit, self.hits),), CasualtyCount(self.wounds)).wounds
        return f"wounds_left_{left}" if left else "removed"


def _swarm_hits(rules: CombatRules, given: Given) -> Question:
    """Return the odds of so many hits on a swarm with this many Wounds."""
    attacker = Attacker(1, given.strength)
    target = Target(1, given.toughness, given.wounds, given.save)
    hit = hit_with(rules, attacker, target)
    blow = explain.wound_and_save_steps(rules, attacker, target, hit)
    steps = (f"Hits: {given.hits}.", *blow, "A swarm loses Wounds and goes with the last.")
    return Spread(SwarmFate(SwarmHit(hit), given.hits, given.wounds), steps)


_FIGHTS = ("charts", "injuries", "melee")
_BLOW = (characteristic("strength"), characteristic("toughness"))
_HITS = number("hits", 0, ATTACKS_MAX, 1)
_TO_STANDING = (group("attacker", ATTACKER), group("defender", DEFENDER))

CALLS = (
    Call("hit", "Hits that landed", (
        *_BLOW, WOUNDS, SAVE, _HITS, flag("critical_available", default=True),
        choice("injury_table", TABLES, "standard"), flag("helmet"),
    ), _FIGHTS, _hit),
    Call("melee", "One model's attacks", _TO_STANDING, _FIGHTS, _melee),
    Call("melee_sequence", "Several attackers in turn", (
        groups("attackers", ATTACKER, 1, GROUPS_MAX), group("defender", DEFENDER),
    ), _FIGHTS, _melee_sequence),
    Call("attack_downed", "Attacks on one who is down", (
        group("attacker", FINISHER), group("defender", FINISHED),
        choice("target_state", ("knocked_down", "stunned"), "knocked_down"),
    ), _FIGHTS, _attack_downed),
    Call("shoot", "One shot", (
        characteristic("bs"), numbers(number("modifiers", -9, 9), 0, 12, ()), *_BLOW, WOUNDS, SAVE,
    ), _FIGHTS, _shoot),
    Call("swarm_hits", "Hits on a swarm", (*_BLOW, WOUNDS, _HITS, SAVE), _FIGHTS, _swarm_hits, "swarm_hits"),
    Call("cavalry_hit", "A hit on a rider", (*_BLOW, SAVE), _FIGHTS, _cavalry_hit, "cavalry_hit"),
)  # fmt: skip
