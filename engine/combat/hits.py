"""One hit that landed: the roll to wound, the critical, the saves, and what wounds do.

Wounds come off one by one, and from the last one on each wound is a die of injury.
"""

from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from engine.combat.fighters import (
    BEYOND_SIX,
    DOWN,
    OUT,
    STANDING,
    STUN,
    Attacker,
    CasualtyCount,
    Target,
    effective_save,
    need_to_hit_shooting,
    need_to_wound,
)
from engine.dice import Dice, Meaning, at_least, change_faces, reaches
from engine.records import Numbers, Texts, frozen_dataclass
from engine.rules import INJURIES, KNOCKED_DOWN, CombatRules, CriticalRow, Criticals

_NAMES = tuple(name.replace("_", " ") for name in INJURIES)


class UnsavedWounds(NamedTuple):
    """Unsaved wounds, each the bonus of its die of injury, on a model with so many Wounds left and
    such an injury.
    """

    wounds: int
    injury: int
    bonuses: Numbers


@frozen_dataclass
class InjuryRoll:
    """A die of injury for the wound that takes the last Wound and for each one after it.

    ``results`` is the injury for each face. Once the model is out, no more dice are thrown: nothing
    worse can come. Source: Warhammer Skirmish, RESOLVING INJURIES; Mordheim rulings, Multiple
    Wounds; ruling C10.
    """

    results: Numbers
    worst_stands: bool

    def play(self, dice: Dice, state: UnsavedWounds) -> tuple[int, int]:
        """Return the Wounds left and the injury, given a bonus for each unsaved wound."""
        wounds, injury, bonuses = state
        for bonus in bonuses:
            # Every Wound but the last comes off without a die.
            if wounds > 1:
                wounds -= 1
                continue
            wounds = 0
            if injury == OUT:
                break
            after, cuts, names = _stretches(
                self.results, injury if self.worst_stands else 0, bonus
            )
            why = f"injury, +{bonus}" if bonus else "injury"
            injury = after[dice.roll(6, Meaning(why, cuts, names)) - 1]
        return wounds, injury


@lru_cache(256)
def _stretches(results: Numbers, least: int, bonus: int) -> tuple[Numbers, Numbers, Texts]:
    """The injury each face leads to, the faces at which it changes, and what it is called in
    between.
    """
    rolled = tuple(results[min(face + bonus, 6) - 1] for face in range(1, 7))
    after = tuple(max(injury, least) for injury in rolled)
    cuts = change_faces(after)
    # A die that changes nothing is thrown all the same, so it has one cut that it always reaches.
    if not cuts:
        return after, (1,), ("", _NAMES[after[0]])
    return after, cuts, tuple(_NAMES[after[face - 1]] for face in (1, *cuts))


@frozen_dataclass
class Helmet:
    """A helmet against the final result: a stunned model may be only knocked down, or stay on its
    feet.

    ``saved`` is the injury it then has, 0 for none. Source: Mordheim rulings, ARMOUR (summary);
    ruling G49.
    """

    need: int
    saved: int

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the count after the helmet's roll, made for a stunned model only."""
        if tally.injury != STUN:
            return tally
        names = ("stunned", _NAMES[self.saved] or "unhurt")
        is_saved = reaches(dice, self.need, "helmet", names)
        return tally._replace(injury=self.saved) if is_saved else tally


def injury_roll(rules: CombatRules, table: str = "standard") -> InjuryRoll:
    """The die of injury of a system, by the name of its table."""
    injuries = rules.injuries
    return InjuryRoll(injuries.tables[table], injuries.injury_worst_stands)


def system_helmet(rules: CombatRules) -> Helmet:
    """The helmet of a system: what it needs, and what a stunned model then is."""
    injuries = rules.injuries
    is_down = injuries.helmet_turns_stunned_into == KNOCKED_DOWN
    return Helmet(injuries.helmet, DOWN if is_down else STANDING)


class HitResult(NamedTuple):
    """What one hit did: a bonus of injury for each unsaved wound, whether it was critical, whether
    it killed.
    """

    bonuses: Numbers = ()
    critical: bool = False
    killed: bool = False


@frozen_dataclass
class Hit:
    """One hit with its scores.

    ``critical`` are the rows of a critical hit, empty where none can come.

    ``limited``: one critical for an attacker in a phase. ``is_poisoned``: the wound comes by
    itself, and its die is only there for the critical (Warhammer Skirmish, POISON ATTACKS).
    ``kills``: a natural 6 takes the model out before anything else is looked at (KILLING BLOW,
    ruling G23).
    """

    need: int | None
    save: int | None
    critical: tuple[CriticalRow, ...] = ()
    limited: bool = False
    kills: bool = False
    is_poisoned: bool = False
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash of the hit once."""
        # A hit is a key of the kept odds at every blow, and its rows are slow to hash.
        figures = (
            self.need,
            self.save,
            self.critical,
            self.limited,
            self.kills,
            self.is_poisoned,
        )
        object.__setattr__(self, "_hash", hash(figures))

    def __hash__(self) -> int:
        return self._hash

    # The protocol of a roll passes its state by position.
    def play(self, dice: Dice, critical_used: bool) -> HitResult:  # noqa: FBT001
        """Play one hit; ``critical_used``: the attacker's critical of this phase is used up."""
        if self.need is None and not self.is_poisoned:
            return HitResult()
        critical = () if critical_used and self.limited else self.critical
        face = self._wound(dice, may_crit=bool(critical))
        if face == 6 and (self.kills or critical):
            # KILLING BLOW comes before the critical and before the save (ruling G23).
            return HitResult(killed=True) if self.kills else self._critical(dice, critical)
        if not self._wounds(face) or self._saved(dice):
            return HitResult()
        return HitResult((0,))

    def _wounds(self, face: int) -> bool:
        return self.is_poisoned or self.need is None or face >= self.need

    def _wound(self, dice: Dice, *, may_crit: bool) -> int:
        """Return the face of the D6 to wound, or 1 without a die for plain poison."""
        special = "killing blow" if self.kills else "critical hit" if may_crit else ""
        if self.is_poisoned:
            if not special:
                return 1
            return dice.roll(
                6, Meaning("poison, a critical hit", (6,), ("wound", special), "6")
            )
        assert self.need is not None
        if special and self.need < 6:
            cuts, names = (self.need, 6), ("no wound", "wound", special)
            return dice.roll(6, Meaning("to wound", cuts, names, f"{self.need}+"))
        return dice.roll(
            6, at_least(self.need, "to wound", ("no wound", special or "wound"))
        )

    def _critical(self, dice: Dice, rows: tuple[CriticalRow, ...]) -> HitResult:
        """Return the unsaved wounds of a critical hit, with the saves its row leaves."""
        row = rows[0]
        if len(rows) > 1:
            cuts = change_faces(rows) or (1,)
            row = rows[dice.roll(6, Meaning("critical hit table", cuts)) - 1]
        wounds, why, names = 1, "to wound, second hit", ("no wound", "wound")
        for _ in range(row.wounds - 1):
            if not row.must_wound:
                wounds += 1
            # It may be poisoned's own, so no score means no wound.
            elif self.need is not None:
                wounds += reaches(dice, self.need, why, names)
        if row.save == "first":
            wounds = 0 if self._saved(dice) else wounds
        elif row.save == "each":
            wounds -= sum(self._saved(dice) for _ in range(wounds))
        return HitResult((row.injury_bonus,) * wounds, critical=True)

    def _saved(self, dice: Dice) -> bool:
        names = ("not saved", "saved")
        return self.save is not None and reaches(dice, self.save, "save", names)


@frozen_dataclass
class Strike:
    """One hit on a model that stands when its attacker strikes: the hit, then Wounds and injuries.

    The target may be down by now through this same attacker: his blows land as on one who stands,
    and the worst injury counts. A target already out takes no more dice (ruling G29).
    """

    hit: Hit
    injury: InjuryRoll

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        """Return the casualty count after the hit, its saves and its rolls for injury."""
        if tally.injury == OUT:
            return tally
        blow = dice.run(self.hit, tally.critical_used)
        used = tally.critical_used or (blow.critical and self.hit.limited)
        if blow.killed:
            return tally._replace(injury=OUT, critical_used=used)
        if not blow.bonuses:
            return tally._replace(critical_used=used)
        unsaved = UnsavedWounds(tally.wounds, tally.injury, blow.bonuses)
        wounds, injury = dice.run(self.injury, unsaved)
        return CasualtyCount(wounds, injury, used, tally.parry_used)


def hit_with(
    rules: CombatRules,
    attacker: Attacker,
    target: Target,
    *,
    critical_available: bool = True,
    is_poisoned: bool = False,
) -> Hit:
    """Return a hit of this attacker on this target, with the system's criticals.

    ``critical_available`` false bars a critical; ``is_poisoned``: the wound comes by itself,
    whatever ``attacker.poison`` says.
    """
    need = need_to_wound(rules, attacker.strength, target.toughness)
    save = effective_save(rules, target.save, attacker.strength, attacker.save_modifier)
    kills = attacker.killing_blow and need is not None
    criticals = rules.criticals
    if criticals is None:
        return Hit(need, save, kills=kills, is_poisoned=is_poisoned)
    # A poisoned wound needs no die, so a critical comes of it only where the system throws one.
    has_die = criticals.poison_auto_wound_may_crit or not is_poisoned
    may_crit = (
        critical_available
        and has_die
        and not _is_barred(criticals, need, is_poisoned=is_poisoned)
    )
    return Hit(
        need,
        save,
        criticals.rows if may_crit else (),
        criticals.critical_limit is not None,
        kills and has_die and (need != 6 or criticals.killing_blow_if_six_needed),
        is_poisoned,
    )


def _is_barred(criticals: Criticals, need: int | None, *, is_poisoned: bool) -> bool:
    """Return whether no critical can come because only a 6 wounds, or nothing does (C03, C59)."""
    if need not in (None, 6) or criticals.critical_if_six_needed:
        return False
    return criticals.poison_respects_critical_bar or not is_poisoned


def strike_with(rules: CombatRules, hit: Hit, table: str = "standard") -> Strike:
    """The hit together with the system's injuries."""
    return Strike(hit, injury_roll(rules, table))


@frozen_dataclass
class Aim:
    """The roll to hit of one shot: above 6 a 6 and then a second roll, where the group plays it
    (ruling G10).
    """

    need: int | None

    def play(self, dice: Dice, state: None) -> bool:
        """Return whether the shot hits, with a second roll where it needs more than 6."""
        if self.need is None:
            return False
        first = min(self.need, 6)
        if not reaches(dice, first, "to hit", ("miss", "hit")):
            return False
        if self.need <= 6:
            return True
        return reaches(dice, BEYOND_SIX[self.need], "to hit, second roll", ("miss", "hit"))


@frozen_dataclass
class Shot:
    """One shot at a model that stands.

    Criticals as in close combat; several shots have no limit (ruling G28).
    """

    aim: Aim
    strike: Strike

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if not dice.run(self.aim, None):
            return tally
        return dice.run(self.strike, tally)._replace(critical_used=False)


def build_shot(
    rules: CombatRules,
    ballistic_skill: int,
    modifiers: Iterable[int],
    attacker: Attacker,
    target: Target,
) -> Shot:
    """A shot with the Strength and weapon of ``attacker``. ``modifiers`` are signed, cover at -1.

    Source: English Civil War, TO HIT CHART (SHOOTING CHART); Mordheim rulings, Shooting.
    """
    hit = hit_with(rules, attacker, target)
    aim = Aim(need_to_hit_shooting(rules, ballistic_skill, modifiers))
    return Shot(aim, strike_with(rules, hit, attacker.injury_table))
