"""Opposed rolls on d10s, casualty tests, and what a command roll brings."""

from fractions import Fraction

from tests.engine.oracle.spreads import chance, throw

PRICES = {"table": (1, 2, 4, 7, 12, 20), "flat": (1, 2, 3, 4, 5, 6)}


def margins(
    attack_modifier=0, defence_modifier=0, attack_bonus_dice=0, defence_bonus_dice=0
):
    attack, defence = (
        throw(10, *[6] * attack_bonus_dice),
        throw(10, *[6] * defence_bonus_dice),
    )
    found = {}
    for high, one in attack.items():
        for low, two in defence.items():
            margin = high + attack_modifier - low - defence_modifier
            found[margin] = found.get(margin, 0) + one * two
    return found


def duel_ranged(book, shots=1, **sides):
    missed = chance(margins(**sides), lambda margin: margin <= 0) ** shots
    return {"defender_down": 1 - missed, "no_effect": missed}


def duel_melee(book, **sides):
    found = margins(**sides)
    win, tie, loss = (
        chance(found, lambda m, sign=sign: (m > 0) - (m < 0) == sign) for sign in (1, 0, -1)
    )
    if book["melee_ties"] == "roll_once_more":
        win, tie, loss = win + tie * win, tie * tie, loss + tie * loss
    name = "tie_both_lose" if book["melee_ties"] == "both_down" else "tie_no_effect"
    return {"defender_loses": win, name: tie, "attacker_loses": loss}


def _recovers(bonus_dice):
    return chance(throw(10, *[6] * bonus_dice), lambda total: total >= 6)


def casualty_test(book, bonus_dice=0):
    good = _recovers(bonus_dice)
    return {"recovers": good, "removed": 1 - good}


def big_casualty_test(book, bonus_dice=0):
    good = _recovers(bonus_dice)
    bad = (1 - good) / 4
    return {"recovers": good, "removed": 2 * bad, "immobilised": bad, "explodes": bad}


def ranged_then_casualty(book, casualty_bonus_dice=0, **duel):
    down = duel_ranged(book, **duel)["defender_down"]
    good = _recovers(casualty_bonus_dice)
    return {
        "never_down": 1 - down,
        "down_then_recovers": down * good,
        "removed": down * (1 - good),
    }


def affordable_bonus_dice(book, mode=None):
    prices = PRICES[mode or book["bonus_dice_cost"]]
    found = {"round_ends": Fraction(1, 20)}
    for points in range(2, 21):
        name = f"dice_{sum(price <= points for price in prices)}"
        found[name] = found.get(name, 0) + Fraction(1, 20)
    return found


def action_points_at_least(book, points):
    good = Fraction(sum(roll >= points for roll in range(2, 21)), 20)
    return {"enough": good, "not_enough_or_round_ends": 1 - good}


def round_length(book, turns):
    found = {
        f"ends_on_turn_{turn}": Fraction(19, 20) ** (turn - 1) / 20
        for turn in range(1, turns + 1)
    }
    return {f"first_{turns}_turns_all_played": Fraction(19, 20) ** turns, **found}


CALLS = {
    "duel_ranged": duel_ranged, "duel_melee": duel_melee, "casualty_test": casualty_test,
    "big_casualty_test": big_casualty_test, "ranged_then_casualty": ranged_then_casualty,
    "affordable_bonus_dice": affordable_bonus_dice, "action_points_at_least": action_points_at_least,
    "round_length": round_length,
}  # fmt: skip
