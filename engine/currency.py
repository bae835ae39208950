"""Amounts as people read them: with a sign, and in the currency of a list."""

import re
from fractions import Fraction

from engine.types.lists import POINTS, Currency

_AMOUNT = re.compile(r"(?<=\d)( |\N{NO-BREAK SPACE})(?:points?|pts?)\b(?! limit)")


def signed(amount: int | Fraction) -> str:
    """Return an amount with its sign: +4, −5, 0."""
    return f"+{amount}" if amount > 0 else str(amount).replace("-", "−")


def in_currency(text: str, currency: Currency) -> str:
    """Return a text with what the list counts in place of points: "12 points" as "12 gc".

    The words for amounts alone change; a points limit stays one.
    """
    if currency == POINTS:
        return text
    return _AMOUNT.sub(lambda found: f"{found[1]}{currency.short}", text)
