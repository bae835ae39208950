"""Calls about blows and shots at one warrior."""

from engine.calls import explain
from engine.calls.questions import (
    ALL_ATTACKS_MAX,
    ATTACKS_MAX,
    GROUPS_MAX,
    SAVE,
    WOUNDS,
    Call,
    Inputs,
    Question,
    Spread,
    characteristic,
    choice,
    flag,
    group,
    missing,
    number,
    several,
)
from engine.combat.attacks import attacks_on_downed, build_sequence
from engine.combat.fighters import (
    DOWN,
    STUN,
    Attacker,
    CasualtyCount,
    Parry,
    Target,
    name_outcome,
)
from engine.combat.hits import Helmet, Hit, build_shot, hit_with, strike_with, system_helmet
from engine.dice import Dice, Rule, as_series
from engine.errors import Refusal
from engine.records import Fields, frozen_dataclass
from engine.rules import INJURIES, CombatRules

_EXTRAS = (
    number("attacks", 0, ATTACKS_MAX, 1),
    number("extra_attacks", 0, 5, 0),
    flag("frenzy"),
    flag("hatred"),
    number("to_hit_bonus", -5, 5, 0),
    flag("killing_blow"),
    flag("poison"),
    group("parry", (characteristic("defender_strength"), flag("reroll")), None),
)
ATTACKER = (characteristic("ws"), characteristic("strength"), *_EXTRAS)
DEFENDER = (characteristic("ws"), characteristic("toughness"), WOUNDS, SAVE)


def make_attacker(rules: CombatRules, fields: Fields, path: str = "attacker") -> Attacker:
    """An attacker out of checked inputs. Raises Refusal for frenzy or hatred that is not played."""
    for name in ("frenzy", "hatred"):
        if fields[name] and not rules.melee.frenzy_and_hatred:
            message = f"{path}.{name}: the rules as played have no frenzy or hatred."
            raise Refusal(message, field=f"{path}.{name}")
    parry = Parry(**fields["parry"]) if fields["parry"] else None
    return Attacker(**{**fields, "parry": parry})


@frozen_dataclass
class AttackOutcome:
    """Blows or shots in order, each so many times, a helmet at the end: the name of what became of
    the model.
    """

    blows: tuple[tuple[Rule[CasualtyCount, CasualtyCount], int], ...]
    start: CasualtyCount
    helmet: Helmet | None = None

    def play(self, dice: Dice, state: None) -> str:
        tally = dice.series(self.blows, self.start)
        if self.helmet is not None:
            tally = dice.run(self.helmet, tally)
        if self.start.injury:
            return INJURIES[tally.injury]
        return name_outcome(tally, self.start.wounds)


def _hit(rules: CombatRules, inputs: Inputs) -> Question:
    """Hits that landed already, by one attacker, on a model that stands."""
    table = inputs.injury_table
    attacker = Attacker(1, inputs.strength, injury_table=table)
    target = Target(1, inputs.toughness, inputs.wounds, inputs.save, inputs.helmet)
    hit = hit_with(rules, attacker, target, critical_available=inputs.critical_available)
    outcome = AttackOutcome(
        ((strike_with(rules, hit, table), inputs.hits),),
        CasualtyCount(target.wounds),
        system_helmet(rules) if target.helmet else None,
    )
    steps = explain.blow_steps(rules, attacker, target, hit)
    return Spread(outcome, (f"Hits: {inputs.hits}.", *steps))


def _fight(rules: CombatRules, inputs: Inputs) -> Question:
    """All blows of a phase, by one attacker or by several. Raises Refusal for too many attacks."""
    several_fields = getattr(inputs, "attackers", ())
    paths = {f"attackers.{place}": fields for place, fields in enumerate(several_fields)}
    paths = paths or {"attacker": inputs.attacker}
    attackers = [make_attacker(rules, fields, path) for path, fields in paths.items()]
    target = Target(**inputs.defender)
    if sum(attacker.blows for attacker in attackers) > ALL_ATTACKS_MAX:
        field = "attackers" if len(attackers) > 1 else "attacker"
        message = f"{field}: at most {ALL_ATTACKS_MAX} attacks together."
        raise Refusal(message, field=field)
    blows = as_series(build_sequence(rules, tuple(attackers), target))
    outcome = AttackOutcome(blows, CasualtyCount(target.wounds))
    if len(attackers) == 1:
        return Spread(outcome, explain.attack_steps(rules, attackers[0], target))
    steps: list[str] = []
    for place, attacker in enumerate(attackers, start=1):
        steps += (f"Attacker {place}.", *explain.attack_steps(rules, attacker, target))
    # Whether one attacker finishes whom another felled: ruling C09.
    steps.append(
        "Whom one attacker puts down, the next may finish."
        if rules.melee.same_phase_finish_by_second_model
        else "Who stood when the phase began goes out on the injury table alone; all wounds count together."
    )
    return Spread(outcome, tuple(steps))


def _attack_downed(rules: CombatRules, inputs: Inputs) -> Question:
    """Attacks on a model that was down when the phase began.

    Only what the system rolls for is needed: Weapon Skills, or Strength and Toughness, or nothing
    at all.
    """
    injury = STUN if inputs.target_state == "stunned" else DOWN
    is_automatic = rules.melee.attack_knocked_down != "roll_to_hit"
    figures = ("strength", "toughness") if is_automatic else ("ws", "ws")
    for part, name in zip(("attacker", "defender"), figures, strict=True):
        if injury == DOWN and getattr(inputs, part)[name] is None:
            raise missing(f"{part}.{name}")
    # A figure that was left out is not rolled for, so that any stands for it.
    attacker, defender = dict(inputs.attacker), dict(inputs.defender)
    for side in (attacker, defender):
        left_out = ("ws", "strength", "toughness")
        side |= {name: 1 for name in left_out if side.get(name, 1) is None}
    warrior, target = make_attacker(rules, attacker), Target(**defender)
    steps = explain.finish_steps(rules, warrior, target, injury)
    if injury == DOWN:
        steps = (f"Attacks: {warrior.blows}.", *steps)
    blows = as_series((attacks_on_downed(rules, warrior, target),))
    return Spread(AttackOutcome(blows, CasualtyCount(0, injury)), steps)


def _shoot(rules: CombatRules, inputs: Inputs) -> Question:
    """One shot at a target that stands."""
    target = Target(1, inputs.toughness, inputs.wounds, inputs.save)
    attacker = Attacker(1, inputs.strength)
    shot = build_shot(rules, inputs.bs, inputs.modifiers, attacker, target)
    steps = (
        explain.shot_steps(rules, inputs.bs, inputs.modifiers),
        *explain.blow_steps(rules, attacker, target, shot.strike.hit),
    )
    return Spread(AttackOutcome(((shot, 1),), CasualtyCount(target.wounds)), steps)


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


def _cavalry_hit(rules: CombatRules, inputs: Inputs) -> Question:
    """One hit on a rider, whose first unsaved wound kills the mount."""
    attacker = Attacker(1, inputs.strength)
    target = Target(1, inputs.toughness, 1, inputs.save)
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
        """The swarm's count after one hit; a swarm without Wounds takes no dice."""
        if not tally.wounds:
            return tally
        blow = dice.run(self.hit, tally.critical_used)
        used = tally.critical_used or (blow.critical and self.hit.limited)
        lost = tally.wounds if blow.killed else len(blow.bonuses)
        return tally._replace(wounds=max(tally.wounds - lost, 0), critical_used=used)


@frozen_dataclass
class SwarmOutcome:
    """Hits on a swarm, and what is left of it."""

    hit: SwarmHit
    hits: int
    wounds: int

    def play(self, dice: Dice, state: None) -> str:
        left = dice.series(((self.hit, self.hits),), CasualtyCount(self.wounds)).wounds
        return f"wounds_left_{left}" if left else "removed"


def _swarm_hits(rules: CombatRules, inputs: Inputs) -> Question:
    attacker = Attacker(1, inputs.strength)
    target = Target(1, inputs.toughness, inputs.wounds, inputs.save)
    hit = hit_with(rules, attacker, target)
    blow = explain.wound_and_save_steps(rules, attacker, target, hit)
    steps = (f"Hits: {inputs.hits}.", *blow, "A swarm loses Wounds and goes with the last.")
    return Spread(SwarmOutcome(SwarmHit(hit), inputs.hits, inputs.wounds), steps)


_FIGHTS = ("charts", "injuries", "melee")
_BLOW = (characteristic("strength"), characteristic("toughness"))
_HITS = number("hits", 0, ATTACKS_MAX, 1)

CALLS = (
    Call("hit", "Hits that landed", (
        *_BLOW, WOUNDS, SAVE, _HITS, flag("critical_available", default=True),
        choice("injury_table", ("standard", "stun_2_4"), "standard"), flag("helmet"),
    ), _FIGHTS, _hit),
    Call("melee", "One model's attacks", (
        group("attacker", ATTACKER), group("defender", DEFENDER),
    ), _FIGHTS, _fight),
    Call("melee_sequence", "Several attackers in turn", (
        several(group("attackers", ATTACKER), 1, GROUPS_MAX), group("defender", DEFENDER),
    ), _FIGHTS, _fight),
    Call("attack_downed", "Attacks on one who is down", (
        group("attacker", (characteristic("ws", None), characteristic("strength", None), *_EXTRAS)),
        group("defender", (characteristic("ws", None), characteristic("toughness", None), WOUNDS, SAVE)),
        choice("target_state", ("knocked_down", "stunned"), "knocked_down"),
    ), _FIGHTS, _attack_downed),
    Call("shoot", "One shot", (
        characteristic("bs"), several(number("modifiers", -9, 9), 0, 12, ()), *_BLOW, WOUNDS, SAVE,
    ), _FIGHTS, _shoot),
    Call("swarm_hits", "Hits on a swarm", (*_BLOW, WOUNDS, _HITS, SAVE), _FIGHTS, _swarm_hits, "swarm_hits"),
    Call("cavalry_hit", "A hit on a rider", (*_BLOW, SAVE), _FIGHTS, _cavalry_hit, "cavalry_hit"),
)  # fmt: skip
