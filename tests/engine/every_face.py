"""The odds of a rule with every face followed by itself, whatever its cuts say.

That is slow, and only there to check that a rule decides by its cuts alone.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any
from unittest.mock import patch

from engine import odds
from engine.dice import Rule

# Laws of their own, or they would be mixed with those that follow stretches.
WITHOUT_CUTS: dict[str, Any] = {
    "exact_distribution": lru_cache(odds.KEPT)(odds.exact_distribution.__wrapped__),
    "_series": lru_cache(odds.KEPT)(odds._series.__wrapped__),
    "_stretches": lambda sides, cuts, law=odds._stretches: law(sides, ()),
    "_sums": lambda dice, cuts, law=odds._sums: law(dice, ()),
    "_pools": lambda count, sides, cuts, law=odds._pools.__wrapped__: law(count, sides, ()),
}


def chances_by_face(rule: Rule[None, Any]) -> dict[Any, Fraction]:
    """Return the exact chance of each outcome, found without the rule's cuts."""
    with patch.multiple(odds, **WITHOUT_CUTS):
        return odds.exact_distribution(rule, None).chances()
