"""The calls once more, written another way: a call with its inputs becomes the chance of each of
its outcomes.

It shares nothing with the engine, neither code nor figures, so that a slip in one of the two shows.
It follows the steps of the texts in plain loops over every face of every die, keeps nothing it
worked out, and is only for few dice.

    answer("mordheim-rulings A", "hit", {"strength": 3, "toughness": 3}, {"critical_mode":
    "draft_table"})
"""

from tests.engine.oracle import blows, duels, falls, nerve, regiments
from tests.engine.oracle.texts import text

CALLS = {**blows.CALLS, **falls.CALLS, **nerve.CALLS, **regiments.CALLS, **duels.CALLS}


def answer(system, call, inputs, rulings=None):
    """The outcomes that have a chance, and the values that are none, of a system and variant
    written after a space.
    """
    found = CALLS[call](text(system, rulings or {}), **inputs)
    outcomes, values = found if isinstance(found, tuple) else (found, {})
    keeps_zeros = call in ("unit_attacks", "volley", "initiative_table", "leadership_table")
    return {
        name: chance for name, chance in outcomes.items() if chance or keeps_zeros
    }, values
