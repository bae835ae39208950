"""All the attacks of one warrior: dice to hit, a parry, then each hit; on one who stands and on one
who is down.
"""

from dataclasses import replace
from typing import NamedTuple

from engine.combat.fighters import (
    DOWN,
    OUT,
    STANDING,
    STUN,
    Attacker,
    CasualtyCount,
    Target,
    need_to_hit_melee,
)
from engine.combat.hits import Helmet, Hit, Strike, hit_with, strike_with
from engine.dice import Dice, Meaning, Rule, as_series, at_least, reaches
from engine.errors import Refusal
from engine.records import frozen_dataclass
from engine.rules import CombatRules


@frozen_dataclass
class ParryRoll:
    """A parry against the highest roll to hit, strictly higher, so that a 6 is safe.

    ``meets_six``: nothing less would have hit, and then a 6 parries it. A die is thrown only where
    it could succeed: a parry that cannot is not used up and waits for the next attacker. Source:
    Mordheim rulings, Hand to Hand combat (page) and PARRY (summary); ruling C39.
    """

    reroll: bool
    meets_six: bool = False

    def may_beat(self, best: int) -> bool:
        """Whether a die could parry a hit of that roll; 0 is no hit."""
        return 0 < best < 6 or (best == 6 and self.meets_six)

    def play(self, dice: Dice, best: int) -> bool:
        names, least = ("no parry", "parried"), min(best + 1, 6)
        if reaches(dice, least, "parry", names):
            return True
        return self.reroll and reaches(dice, least, "parry, second roll", names)


@frozen_dataclass
class HitDie:
    """One die to hit of a warrior's attacks: a miss, a hit, or a natural 6 of one who strikes with
    poison.
    """

    need: int
    strike: Strike
    poisoned: Strike | None

    def play(self, dice: Dice, state: tuple[int, CasualtyCount]) -> CasualtyCount:
        """Return the count after one die to hit, given its face and the count before."""
        face, tally = state
        if face < self.need:
            return tally
        return dice.run(
            self.poisoned if self.poisoned and face == 6 else self.strike, tally
        )


class Hits(NamedTuple):
    """What the dice to hit of one weapon came to: plain hits, poisoned ones, and the highest."""

    plain: int = 0
    poisoned: int = 0
    best: int = 0

    def without_parried(self) -> "Hits":
        # Poisoned hits are 6s, so one of them is parried only where all hits are.
        if self.plain:
            return self._replace(plain=self.plain - 1)
        return self._replace(poisoned=self.poisoned - 1)


class LandedHits(NamedTuple):
    """The hits of each weapon that no parry stopped, and whether a parry was spent on them."""

    weapons: tuple[Hits, ...]
    parried: bool = False


@frozen_dataclass
class CountedHitDie:
    """One die to hit where all hits are counted first: one may be parried, or misses are rolled
    again, each once.
    """

    need: int
    has_poison: bool
    again: Meaning | None

    def play(self, dice: Dice, state: tuple[int, Hits]) -> Hits:
        """Return the hits with one more where the face of the die is one."""
        face, hits = state
        if face < self.need and self.again:
            face = dice.roll(6, self.again)
        if face < self.need:
            return hits
        if self.has_poison and face == 6:
            return hits._replace(poisoned=hits.poisoned + 1, best=face)
        return hits._replace(plain=hits.plain + 1, best=max(hits.best, face))


@frozen_dataclass
class DiceToHit:
    """The dice to hit of one weapon, and the parry its blows meet, None where they meet none."""

    need: int
    attacks: int
    has_poison: bool
    parry: ParryRoll | None
    strength: int
    rerolls: bool = False

    def play(self, dice: Dice, state: None) -> Hits:
        if not self.attacks:
            return Hits()
        cuts = tuple(range(self.need, 7))
        names = ("miss", *("hit",) * len(cuts))
        # Every face of a hit has its own cut, for the parry is rolled against the highest.
        meaning = Meaning("to hit", cuts, names, f"{self.need}+")
        again = meaning._replace(why="to hit, second roll") if self.rerolls else None
        counted = CountedHitDie(self.need, self.has_poison, again)
        return dice.settle(self.attacks, 6, meaning, counted, Hits())


@frozen_dataclass
class ParriedAttacks:
    """All dice to hit of one warrior, less the one that is parried.

    It is the highest die of all his weapons. Of equal ones it is a blow that may be parried, the
    strongest of those. Source: Mordheim rulings, Hand to Hand combat; ruling C39.
    """

    weapons: tuple[DiceToHit, ...]
    may_parry: bool = True

    def play(self, dice: Dice, state: None) -> LandedHits:
        """Roll all dice to hit and the parry, and return the hits that are left."""
        hits = [dice.run(weapon, None) for weapon in self.weapons]
        best = max(each.best for each in hits)
        # Where a 6 cannot be beaten, no die is thrown for it.
        highest = [
            (weapon, place)
            for place, weapon in enumerate(self.weapons)
            if hits[place].best == best and weapon.parry and weapon.parry.may_beat(best)
        ]
        hits = [each._replace(best=0) for each in hits]
        if not highest or not self.may_parry:
            return LandedHits(tuple(hits))
        weapon, place = max(highest, key=lambda pair: pair[0].strength)
        # A parry that was tried is spent, whether it succeeds or not.
        if weapon.parry and dice.run(weapon.parry, best):
            hits[place] = hits[place].without_parried()
        return LandedHits(tuple(hits), parried=True)


@frozen_dataclass
class WeaponAttacks:
    """All attacks with one weapon against a model that stands, of which none is parried.

    ``poisoned`` is what a natural 6 to hit does instead, ``parry`` what the blows may meet;
    ``rerolls``: misses are rolled again.
    """

    need: int
    attacks: int
    strength: int
    strike: Strike
    poisoned: Strike | None = None
    parry: ParryRoll | None = None
    rerolls: bool = False

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if tally.injury == OUT or not self.attacks:
            return tally
        landed = HitDie(self.need, self.strike, self.poisoned)
        return dice.settle(self.attacks, 6, self._to_hit(), landed, tally)

    def _to_hit(self) -> Meaning:
        """Return the meaning of a die to hit; a 6 stands apart where it poisons."""
        if not self.poisoned:
            return at_least(self.need, "to hit", ("miss", "hit"))
        if self.need == 6:
            return at_least(6, "to hit", ("miss", "hit, poison"))
        names = ("miss", "hit", "hit, poison")
        return Meaning("to hit", (self.need, 6), names, f"{self.need}+")

    def to_parry(self) -> DiceToHit:
        has_poison = self.poisoned is not None
        return DiceToHit(
            self.need, self.attacks, has_poison, self.parry, self.strength, self.rerolls
        )

    def landed(self, hits: Hits) -> tuple[tuple[Strike, int], ...]:
        """The strikes of these hits, poisoned ones first."""
        return (self.poisoned or self.strike, hits.poisoned), (self.strike, hits.plain)


@frozen_dataclass
class AttacksOnStanding:
    """All attacks of one warrior against a model that stands, weapon by weapon.

    The dice to hit of a weapon come first, then its hits one after another. Where one may be
    parried or rolled again, all dice to hit come before the parry and the hits. Critical hits and parries count
    for all weapons together. Source: Warhammer Skirmish, HITTING THE ENEMY.
    """

    weapons: tuple[WeaponAttacks, ...]

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the casualty count after all attacks; a target that is out takes none."""
        if tally.injury == OUT:
            return tally
        may_parry = any(weapon.parry for weapon in self.weapons) and not tally.parry_used
        if not may_parry and not any(weapon.rerolls for weapon in self.weapons):
            after = dice.series(as_series(self.weapons), tally)
            return after._replace(critical_used=False)
        # One may be parried or rolled again.
        weapons = tuple(weapon.to_parry() for weapon in self.weapons)
        rolled = dice.run(ParriedAttacks(weapons, may_parry), None)
        strikes: list[tuple[Strike, int]] = []
        for weapon, hits in zip(self.weapons, rolled.weapons, strict=True):
            strikes += weapon.landed(hits)
        tally = tally._replace(parry_used=tally.parry_used or rolled.parried)
        return dice.series(tuple(strikes), tally)._replace(critical_used=False)


@frozen_dataclass
class FinishingHit:
    """A hit on a model that is knocked down: any unsaved wound takes it out.

    Source: ATTACKING STUNNED AND DOWNED WARRIORS.
    """

    hit: Hit

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the count after one hit: any unsaved wound takes the target out."""
        if tally.injury == OUT:
            return tally
        blow = dice.run(self.hit, tally.critical_used)
        used = tally.critical_used or (blow.critical and self.hit.limited)
        injury = OUT if blow.killed or blow.bonuses else tally.injury
        return tally._replace(injury=injury, critical_used=used)


@frozen_dataclass
class AttacksOnDowned:
    """All attacks of one warrior against a model that is down; nothing that lies there parries.

    Knocked down: each attack hits by itself and must wound (``hits``), or is rolled to hit and a
    hit is the end of it (``needs``; rulings C07). Either way each with its number of attacks.
    Stunned: out without a die (C08).
    """

    needs: tuple[tuple[int, int], ...] = ()
    hits: tuple[tuple[FinishingHit, int], ...] = ()

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the casualty count after all attacks on a model that is down."""
        is_attacked = any(attacks for _, attacks in (*self.needs, *self.hits))
        if tally.injury in (STANDING, OUT) or not is_attacked:
            return tally
        if tally.injury == STUN:
            return tally._replace(injury=OUT)
        if self.hits:
            return dice.series(self.hits, tally)._replace(critical_used=False)
        for need, attacks in self.needs:
            meaning = at_least(need, "to hit", ("miss", "hit, out of action"))
            if max(dice.pool(attacks, 6, meaning), default=0) >= need:
                return tally._replace(injury=OUT)
        return tally


@frozen_dataclass
class NextTurn:
    """One of several attackers, after others: how he meets a model that was felled in this same
    phase.

    Where a second model may finish it (C09), he strikes it as one that is down. Otherwise, and for
    a stunned one that had to be stunned when the phase began (C08), his blows count with the
    others' as on a model that stands.
    """

    turn: AttacksOnStanding
    finish: AttacksOnDowned
    may_finish: bool
    may_finish_stunned: bool

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the casualty count after this attacker's blows or finishing attacks."""
        finishes = self.may_finish_stunned if tally.injury == STUN else self.may_finish
        rule: Rule[CasualtyCount, CasualtyCount] = (
            self.finish if tally.injury and finishes else self.turn
        )
        return dice.run(rule, tally)


@frozen_dataclass
class CombatPhase:
    """One close combat phase of a pair.

    ``recovers``: it is the target's turn, who first gets up as far as it may.
    """

    turn: AttacksOnStanding
    finish: AttacksOnDowned
    recovers: bool
    helmet: Helmet | None

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the casualty count after recovery, the attacks and the target's helmet.

        What was used up in the phase is not carried into the next one.
        """
        if tally.injury == OUT:
            return tally
        if self.recovers and tally.injury:
            tally = tally._replace(injury=DOWN if tally.injury == STUN else STANDING)
        after = dice.run(self.finish, tally) if tally.injury else dice.run(self.turn, tally)
        if self.helmet is not None and not tally.injury:
            after = dice.run(self.helmet, after)
        return CasualtyCount(after.wounds, after.injury)


def attacks_on_standing(
    rules: CombatRules, attacker: Attacker, target: Target
) -> AttacksOnStanding:
    """The attacks of this warrior on this target while it stands.

    Raises Refusal for a parry the system has not got.
    """
    weapons = []
    for armed in attacker.by_weapon:
        need = need_to_hit_melee(rules, armed, target)
        strike = strike_with(rules, hit_with(rules, armed, target), armed.injury_table)
        poisoned = None
        if armed.poison:
            hit = hit_with(rules, armed, target, is_poisoned=True)
            poisoned = strike_with(rules, hit, armed.injury_table)
        parry = _build_parry(rules, armed, need)
        figures = (need, armed.blows, armed.strength)
        weapons.append(WeaponAttacks(*figures, strike, poisoned, parry, armed.hatred))
    return AttacksOnStanding(tuple(weapons))


def _build_parry(rules: CombatRules, attacker: Attacker, need: int) -> ParryRoll | None:
    """The parry this attacker meets, who needs so much to hit. A re-roll counts only where the
    system knows it.
    """
    if attacker.parry is None:
        return None
    melee = rules.melee
    if melee.parry is None:
        raise Refusal("Nobody parries in this system.", field="parry")
    rule = melee.parries[melee.parry]
    if (
        rule.double_strength_bar
        and attacker.strength >= 2 * attacker.parry.defender_strength
    ):
        return None
    return ParryRoll(attacker.parry.reroll and rule.reroll, rule.needed_six and need == 6)


def prone_target(rules: CombatRules, target: Target) -> Target:
    """The target as blows meet it on the ground: without its save where the group plays that
    (ruling C07).
    """
    bare = rules.melee.attack_knocked_down == "auto_hit_no_save"
    return replace(target, save=None) if bare else target


def attacks_on_downed(
    rules: CombatRules, attacker: Attacker, target: Target
) -> AttacksOnDowned:
    """The attacks of this warrior on this target while it is down."""
    weapons = attacker.by_weapon
    if rules.melee.attack_knocked_down == "roll_to_hit":
        # Where all miss, all are rolled again, as blows of their own.
        return AttacksOnDowned(
            needs=tuple(
                (need_to_hit_melee(rules, w, target), w.blows)
                for w in weapons
                for _ in range(1 + w.hatred)
            )
        )
    prone = prone_target(rules, target)
    hits = ((FinishingHit(hit_with(rules, w, prone)), w.blows) for w in weapons)
    return AttacksOnDowned(hits=tuple(hits))


def build_sequence(
    rules: CombatRules, attackers: tuple[Attacker, ...], target: Target
) -> tuple[NextTurn, ...]:
    """Several attackers in turn on one target that stands when the phase begins."""
    melee = rules.melee
    may = melee.same_phase_finish_by_second_model
    return tuple(
        NextTurn(
            attacks_on_standing(rules, a, target),
            attacks_on_downed(rules, a, target),
            may,
            may and melee.attack_stunned == "always",
        )
        for a in attackers
    )
