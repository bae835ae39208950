"""What wounds do: Wounds come off one by one, and from the last one on each wound is a die of
injury.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.combat.fighters import DOWN, OUT, STANDING, STUN, CasualtyCount
from engine.dice import Dice, Meaning, reaches
from engine.rules import INJURIES, KNOCKED_DOWN, CombatRules

_NAMES = tuple(name.replace("_", " ") for name in INJURIES)


class UnsavedWounds(NamedTuple):
    """Unsaved wounds, each the bonus of its die of injury, on a model with so many Wounds left and
    such an injury.
    """

    wounds: int
    injury: int
    bonuses: tuple[int, ...]


@dataclass(frozen=True)
class InjuryRoll:
    """A die of injury for the wound that takes the last Wound and for each one after it.

    ``results`` is the injury for each face. Once the model is out, no more dice are thrown: nothing
    worse can come. Source: Warhammer Skirmish, RESOLVING INJURIES; Mordheim rulings, Multiple
    Wounds; ruling C10.
    """

    results: tuple[int, ...]
    worst_stands: bool

    def play(self, dice: Dice, state: UnsavedWounds) -> tuple[int, int]:
        wounds, injury, bonuses = state
        for bonus in bonuses:
            if wounds > 1:
                wounds -= 1
                continue
            wounds = 0
            if injury == OUT:
                break
            injury = self._roll(dice, injury, bonus)
        return wounds, injury

    def _roll(self, dice: Dice, injury: int, bonus: int) -> int:
        after, cuts, names = _stretches(self.results, injury if self.worst_stands else 0, bonus)
        why = f"injury, +{bonus}" if bonus else "injury"
        return after[dice.roll(6, Meaning(why, cuts, names)) - 1]


@lru_cache(256)
def _stretches(
    results: tuple[int, ...], least: int, bonus: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    """The injury each face leads to, the faces at which it changes, and what it is called in
    between.
    """
    rolled = tuple(results[min(face + bonus, 6) - 1] for face in range(1, 7))
    after = tuple(max(injury, least) for injury in rolled)
    cuts = tuple(face for face in range(2, 7) if after[face - 1] != after[face - 2])
    # A die that changes nothing is thrown all the same, so it has one cut that it always reaches.
    if not cuts:
        return after, (1,), ("", _NAMES[after[0]])
    return after, cuts, tuple(_NAMES[after[face - 1]] for face in (1, *cuts))


@dataclass(frozen=True)
class Helmet:
    """A helmet against the final result: a stunned model may be only knocked down, or stay on its
    feet.

    ``saved`` is the injury it then has, 0 for none. Source: Mordheim rulings, ARMOUR (summary);
    ruling G49.
    """

    need: int
    saved: int

    def play(self, dice: Dice, tally: CasualtyCount) -> CasualtyCount:
        if tally.injury != STUN:
            return tally
        names = ("stunned", _NAMES[self.saved] or "unhurt")
        is_saved = reaches(dice, self.need, "helmet", names)
        return tally._replace(injury=self.saved) if is_saved else tally


def injury_roll(rules: CombatRules, table: str = "standard") -> InjuryRoll:
    """The die of injury of a system, by the name of its table."""
    injuries = rules.injuries
    return InjuryRoll(injuries.tables[table], injuries.injury_worst_stands)


def helmet_of(rules: CombatRules) -> Helmet:
    """The helmet of a system: what it needs, and what a stunned model then is."""
    injuries = rules.injuries
    is_down = injuries.helmet_turns_stunned_into == KNOCKED_DOWN
    return Helmet(injuries.helmet, DOWN if is_down else STANDING)
