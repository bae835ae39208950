"""Regiments: attacks, volleys, the combat result, breaking and pursuit."""

from fractions import Fraction
from math import ceil, comb

from tests.engine.oracle.blows import aim
from tests.engine.oracle.nerve import leadership_chance
from tests.engine.oracle.spreads import throw
from tests.engine.oracle.texts import to_hit, to_save, to_wound

ARMOUR = {"none": (None, 6), "light": (6, 5), "heavy": (5, 4), "cuirassier": (4, 3)}
WORTH = {"standard": 1, "high_ground": 1, "flank": 1, "rear": 2, "outnumber": 1}


def casualty(book, hits, strength, toughness, save, weapon=None):
    need, save = to_wound(strength, toughness), to_save(book, save, strength, weapon)
    wounds = Fraction(0) if need is None else Fraction(7 - need, 6)
    saves = Fraction(0) if save is None else Fraction(7 - save, 6)
    return hits * wounds * (1 - saves)


def at_least(count, chance, enough):
    """Of so many independent attacks at least so many take off a model."""
    ways = (
        comb(count, n) * chance**n * (1 - chance) ** (count - n)
        for n in range(enough, count + 1)
    )
    return sum(ways, Fraction(0))


def unit_attacks(
    book, ws_attacker, ws_defender, strength, toughness, attacks=1, armour="none", mounted=False, target=False,
    defended_obstacle=False, at_least=None,
):  # fmt: skip
    save = ARMOUR[armour][mounted]
    if target:
        save = 6 if save is None else save - 1
    hits = (
        Fraction(1, 6)
        if defended_obstacle
        else Fraction(7 - to_hit(ws_attacker, ws_defender), 6)
    )
    one = casualty(book, hits, strength, toughness, save)
    return _told("casualty_per_attack", one, attacks, at_least)


def volley(
    book, bs, strength, toughness, shots=1, modifiers=(), weapon_save_modifier=None, armour="none", mounted=False,
    unit_size=None,
):  # fmt: skip
    one = casualty(
        book, aim(book, bs, modifiers), strength, toughness, ARMOUR[armour][mounted], weapon_save_modifier
    )  # fmt: skip
    return _told(
        "casualty_per_shot",
        one,
        shots,
        None if unit_size is None else ceil(Fraction(unit_size, 4)),
    )


def _told(name, one, count, enough):
    found = {name: one, "expected_casualties": one * count}
    if enough is not None:
        found[f"at_least_{enough}"] = at_least(count, one, enough)
    return found


def combat_result(book, side_a, side_b, loser_leadership=None):
    a, b = _score(side_a), _score(side_b)
    values = {
        "winner": "draw" if a == b else "a" if a > b else "b",
        "score_a": a,
        "score_b": b,
    }
    if a == b:
        return {"loser_holds": Fraction(1)}, values
    holds = leadership_chance(book, loser_leadership - abs(a - b))
    return {"loser_holds": holds, "loser_breaks": 1 - holds}, values


def _score(side):
    bonuses = sum(worth for name, worth in WORTH.items() if side.get(name))
    return side.get("wounds_caused", 0) + min(side.get("rank", 0), 3) + bonuses


def break_test(book, leadership, lost_by, reroll_failed=False):
    holds = leadership_chance(book, leadership - lost_by, reroll_failed)
    return {"holds": holds, "breaks": 1 - holds}


def pursuit(book, pursuer_dice=2, fleer_dice=2):
    caught = sum(
        (one * two for ran, one in throw(*[6] * pursuer_dice).items() for fled, two in throw(*[6] * fleer_dice).items()
         if ran > fled or (ran == fled and book["equal_pursuit_catches"])),
        Fraction(0),
    )  # fmt: skip
    return {"run_down": caught, "escapes": 1 - caught}


CALLS = {
    "unit_attacks": unit_attacks, "volley": volley, "combat_result": combat_result, "break_test": break_test,
    "pursuit": pursuit,
}  # fmt: skip
