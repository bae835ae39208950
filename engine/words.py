"""Words as people write them: a first letter, a list with its last word, a number with its sign."""

from collections.abc import Iterable
from fractions import Fraction


def capital(text: str) -> str:
    """Return the text with its first letter as a capital; the others stay as they are."""
    return text[:1].upper() + text[1:]


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Return words as people list them: a, b and c; ``last`` stands before the last one."""
    items = list(words)
    return f" {last} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def signed(amount: int | Fraction) -> str:
    """Return an amount with its sign: +4, −5, 0."""
    return f"+{amount}" if amount > 0 else str(amount).replace("-", "−")
