"""Who strikes and who is struck, what became of them, and the scores the charts ask for."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.records import frozen_dataclass
from engine.rules import INJURIES, CombatRules

OUT = INJURIES.index("out_of_action")
STUN = INJURIES.index("stunned")
DOWN = INJURIES.index("knocked_down")
STANDING = 0

NO_ARMOUR = 7
"""The printed save of a target without armour, whose save a weapon betters: 6 where it does."""

STATES = (
    "standing", "hidden", "fleeing", "rallied_this_turn", "stood_up_this_turn", "knocked_down", "stunned",
    "out_of_action", "left_table",
)  # fmt: skip
GONE = ("stunned", "out_of_action", "left_table")
HELPLESS = ("fleeing", "knocked_down", *GONE)

BEYOND_SIX = {7: 4, 8: 5, 9: 6}
"""The second roll after a 6, for scores above 6 where a group plays it (ruling G10, outside the
texts).
"""


@frozen_dataclass
class Parry:
    """What parries: its bearer's Strength, and whether a sword and a buckler together roll twice."""

    defender_strength: int
    reroll: bool = False


@frozen_dataclass
class Attacker:
    """One who strikes.

    ``save_modifier`` is a weapon's whole modifier, instead of what its Strength takes off a save.
    ``second`` is the same warrior with the weapon in his other hand, and its attacks alone.
    Frenzy doubles ``attacks``, not ``extra_attacks``; hatred rolls misses again. Source: Mordheim
    rulings, Hand to Hand combat; ruling G07.
    """

    ws: int
    strength: int
    attacks: int = 1
    extra_attacks: int = 0
    frenzy: bool = False
    hatred: bool = False
    to_hit_bonus: int = 0
    needs_six: bool = False
    killing_blow: bool = False
    poison: bool = False
    parry: Parry | None = None
    injury_table: str = "standard"
    save_modifier: int | None = None
    second: "Attacker | None" = None

    @property
    def blows(self) -> int:
        return self.attacks * (2 if self.frenzy else 1) + self.extra_attacks

    @property
    def by_weapon(self) -> "tuple[Attacker, ...]":
        """The warrior with each of his weapons, the main one first."""
        return (self, self.second) if self.second else (self,)


@frozen_dataclass
class Target:
    """One who is struck. ``save`` as printed, 5 for 5+, NO_ARMOUR or None; ``wounds`` are those
    left.
    """

    ws: int
    toughness: int
    wounds: int = 1
    save: int | None = None
    helmet: bool = False


class CasualtyCount(NamedTuple):
    """What blows have done so far: Wounds left, the injury that stands (0 for none), criticals and
    parries used.
    """

    wounds: int
    injury: int = STANDING
    critical_used: bool = False
    parry_used: bool = False


def name_outcome(tally: CasualtyCount, wounds: int) -> str:
    """The name of what became of a model that had ``wounds`` Wounds before."""
    if tally.injury:
        return INJURIES[tally.injury]
    return "unhurt" if tally.wounds == wounds else f"wounded_{tally.wounds}_left"


def _chart_index(figure: int) -> int:
    """The row of a characteristic: sums made on the way count at most 10."""
    return min(max(figure, 1), 10) - 1


def need_to_hit_melee(rules: CombatRules, attacker: Attacker, target: Target) -> int:
    """The score that hits in close combat, 2 to 6, by the Weapon Skills of both.

    A bonus stops at 2 and a penalty at 6. Source: English Civil War, TO HIT CHART (HAND-TO-HAND
    COMBAT); Mordheim rulings, Hand to Hand combat; ruling G01.
    """
    # A defended obstacle or fear asks for a 6, whatever the skills and the bonus.
    if attacker.needs_six:
        return 6
    row = rules.charts.to_hit_melee[_chart_index(attacker.ws)]
    return min(max(row[_chart_index(target.ws)] - attacker.to_hit_bonus, 2), 6)


def need_to_hit_shooting(
    rules: CombatRules, ballistic_skill: int, modifiers: Iterable[int]
) -> int | None:
    """The score that hits with a missile, or None where no die can show it.

    A natural 1 misses, so 2 is the best; above 6 nothing hits unless the group plays the second
    roll (then 7 to 9). Source: English Civil War, TO HIT CHART (SHOOTING CHART); Mordheim rulings,
    Shooting; rulings G02, G10.
    """
    charts = rules.charts
    need = charts.to_hit_shooting[_chart_index(ballistic_skill)] - sum(modifiers)
    if need > (max(BEYOND_SIX) if charts.seven_plus_to_hit else 6):
        return None
    return max(need, 2 if charts.natural_1_misses else 1)


def need_to_wound(rules: CombatRules, strength: int, toughness: int) -> int | None:
    """The score that wounds, 2 to 6, or None for the dash of the chart: no roll at all.

    Source: English Civil War, TO WOUND CHART; Mordheim rulings, both charts; ruling G03.
    """
    return rules.charts.to_wound[_chart_index(strength)][_chart_index(toughness)]


def save_modifier(rules: CombatRules, strength: int) -> int:
    """What a Strength takes off a save, as the number by which it raises the score.

    Source: as effective_save; C31.
    """
    return rules.charts.save_modifier[_chart_index(strength)]


def effective_save(
    rules: CombatRules, printed: int | None, strength: int, weapon_total: int | None = None
) -> int | None:
    """The score that saves, or None for no save.

    ``printed`` is the save of the armour (5 for 5+), never better than the system's best. The
    Strength raises the score, or ``weapon_total`` does instead where a weapon prints its own. Above
    6 there is no save. Source: English Civil War, SAVING THROW MODIFIERS; Mordheim rulings,
    Shooting and Hand to Hand combat; C31, G04, G11.
    """
    if printed is None:
        return None
    worse = save_modifier(rules, strength) if weapon_total is None else weapon_total
    # A natural 1 fails whatever is worn (ruling G11), so no save is better than 2+.
    need = max(max(printed, rules.charts.best_save) + worse, 2)
    return need if need <= 6 else None
