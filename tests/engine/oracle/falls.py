"""Jumps, dives and falls."""

from fractions import Fraction
from math import ceil, floor

from tests.engine.oracle import blows
from tests.engine.oracle.blows import NAMES, OUT, named, suffer
from tests.engine.oracle.nerve import initiative_chance
from tests.engine.oracle.spreads import bind, certain, throw
from tests.engine.oracle.texts import to_wound


def tests_for(book, height):
    return (
        ceil(height / 2) if book["height_test_rounding"] == "started" else floor(height / 2)
    )


def crash(book, height, toughness, wounds):
    """(Wounds left, injury) after a D3 of hits at Strength = inches, no save and no critical."""
    strength = min(
        max(ceil(height) if book["fall_rounding"] == "up" else floor(height), 1), 10
    )
    need = to_wound(strength, toughness)
    wounding = Fraction(0) if need is None else Fraction(7 - need, 6)
    landing = throw(3) if book["fall_hits"] == "d3" else throw(3, 3)

    def hurt(hits):
        spread = certain(0)
        for _ in range(hits):
            spread = bind(spread, lambda n: {n + 1: wounding, n: 1 - wounding})
        return bind(spread, lambda n: suffer(book, wounds, 0, (0,) * n))

    return bind(landing, hurt)


def fall(book, height, toughness, wounds=1, prefix=""):
    return bind(
        crash(book, height, toughness, wounds),
        lambda after: certain(named(after, wounds, prefix)),
    )


def spared(book, height, initiative):
    """The chance that the tests of a softened fall spare the model: none where the text or the
    group has none.
    """
    if not book["fall_003a_initiative_tests"]:
        return Fraction(0)
    return initiative_chance(book, initiative) ** tests_for(book, height)


def fall_003a(book, height, initiative, toughness, wounds=1):
    safe = spared(book, height, initiative)
    damage = fall(book, height, toughness, wounds, "damage_")
    return {"no_damage_roll": safe, **{name: (1 - safe) * c for name, c in damage.items()}}


def jump_down(book, height, initiative, toughness, wounds=1):
    safe = lands(book, height, initiative)
    damage = fall(book, height, toughness, wounds, "falls_")
    return {"lands_safely": safe, **{name: (1 - safe) * c for name, c in damage.items()}}


def lands(book, height, initiative):
    return initiative_chance(book, initiative) ** tests_for(book, height)


def diving_charge(book, height, initiative, attacker, defender):
    safe = lands(book, height, initiative)
    bonus = 1 if book["diving_strength"] == "flat" else floor(height / 2)
    diver = {
        **attacker,
        "strength": min(attacker["strength"] + bonus, 10),
        "to_hit_bonus": attacker.get("to_hit_bonus", 0) + 1,
    }
    found = blows.melee(book, diver, defender)
    return {
        "diver_falls": 1 - safe,
        **{f"target_{name}": safe * c for name, c in found.items()},
    }


def fall_from_edge(book, initiative, height, toughness, state="knocked_down"):
    before = NAMES.index(state)
    stays = initiative_chance(book, initiative)
    stays += (1 - stays) * spared(book, height, initiative)

    def after(left_and_injury):
        hurt = left_and_injury[1]
        if book["downed_hurt_again"] == "worse":
            return certain(NAMES[max(before, hurt)])
        return certain(NAMES[OUT if hurt else before])

    found = bind(crash(book, height, toughness, 0), after)
    outcomes = {name: (1 - stays) * c for name, c in found.items()}
    outcomes[state] = outcomes.get(state, 0) + stays
    return outcomes


CALLS = {
    "fall": fall, "fall_003a": fall_003a, "jump_down": jump_down, "diving_charge": diving_charge,
    "fall_from_edge": fall_from_edge,
}  # fmt: skip
