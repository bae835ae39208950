"""Tests of Initiative and Leadership, and what hangs on them."""

from fractions import Fraction

from tests.engine.oracle.blows import one_hit, suffer
from tests.engine.oracle.spreads import bind, certain, chance, throw


def initiative_chance(book, value):
    """A D6 at or below Initiative; whether a 6 always fails is the text's affair."""
    return Fraction(min(value, 5 if book["natural_6_fails_initiative"] else 6), 6)


def leadership_chance(book, value, again=False):
    passed = chance(throw(*[6] * book["leadership_dice"]), lambda total: total <= value)
    return passed + (1 - passed) * passed if again else passed


def initiative_test(book, initiative):
    return _pass_or_fail(initiative_chance(book, initiative))


def initiative_table(book, values):
    return {f"pass_i_{value}": initiative_chance(book, value) for value in values}


def leadership_test(book, leadership, reroll_failed=False):
    return _pass_or_fail(leadership_chance(book, leadership, reroll_failed))


def leadership_table(book, values):
    return {f"pass_ld_{value}": leadership_chance(book, value) for value in values}


def _pass_or_fail(passed, good="pass", bad="fail"):
    return {good: passed, bad: 1 - passed}


def rout_test(book, force_size, out_of_action, leader=None, others=(), turns=1):
    if not book["rout_test"] or 4 * out_of_action < force_size:
        return {"fight_on": Fraction(1)}, {"test_required": False}
    gone = ("stunned", "out_of_action", "left_table")
    barred = gone if book["leader_down_lends"] else (*gone, "knocked_down", "fleeing")
    used = max(
        (o["leadership"] for o in others if o.get("state", "standing") not in gone),
        default=None,
    )
    if leader and leader.get("state", "standing") not in barred:
        used = leader["leadership"]
    values = {"test_required": True, "leadership_used": used}
    if used is None:
        return {"rout": Fraction(1)}, values
    on = leadership_chance(book, used) ** (turns if book["rout_every_turn"] else 1)
    return {"fight_on": on, "rout": 1 - on}, values


def all_alone(book, leadership, opponents, toughness, wounds=1, save=None):
    holds = leadership_chance(book, leadership)
    landed = certain(())
    for strength in sorted(opponents, reverse=True):
        hit = one_hit(book, strength, toughness, save, book["parting_criticals"])
        landed = bind(
            landed, lambda so_far, hit=hit: _summed(((*so_far, *new), c) for (new, _, _), c in hit.items())
        )  # fmt: skip
    after = bind(landed, lambda bonuses: suffer(book, wounds, 0, bonuses))
    names = ("flees", "knocked_down", "stunned", "out_of_action")
    fate = bind(after, lambda found: certain(names[found[1]]))
    return {"holds": holds, **{name: (1 - holds) * c for name, c in fate.items()}}


def _summed(pairs):
    found = {}
    for value, c in pairs:
        found[value] = found.get(value, 0) + c
    return found


def stupidity(book, leadership):
    acts = leadership_chance(book, leadership)
    return {
        "acts_normally": acts,
        "lurches_forward": (1 - acts) / 2,
        "does_nothing": (1 - acts) / 2,
    }


CALLS = {
    "initiative_test": initiative_test, "initiative_table": initiative_table, "leadership_test": leadership_test,
    "leadership_table": leadership_table, "rout_test": rout_test, "all_alone": all_alone, "stupidity": stupidity,
}  # fmt: skip
