"""Words as people write them: a first letter, a list with its last word, a number with its sign."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

_PLURAL = re.compile(r"(?<=[^s])s$")


def capital(text: str) -> str:
    """Return the text with its first letter as a capital; the others stay as they are."""
    return text[:1].upper() + text[1:]


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Return words as people list them: a, b and c; ``last`` stands before the last one."""
    items = list(words)
    before = ", ".join(items[:-1])
    return f" {last} ".join(filter(None, (before, *items[-1:])))


def in_number(plural: str, count: int) -> str:
    """Return the word for so many of something: crowns, and crown for 1."""
    return _PLURAL.sub("", plural) if abs(count) == 1 else plural


def signed(amount: int | Fraction) -> str:
    """Return an amount with its sign: +4, −5, 0."""
    return f"+{amount}" if amount > 0 else str(amount).replace("-", "−")


@lru_cache(maxsize=20_000)
def bare_letters(text: str) -> str:
    """Return the letters and figures of a name in small letters, single blanks between words."""
    composed = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in composed).split())


def unique_names(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return for each key the first of its names that no other key has, compared by their letters.

    Where all are shared, it is the last one with the key in brackets.
    """
    candidates = {key: list(filter(None, of)) or [key] for key, of in names.items()}
    owners = Counter(
        bare for of in candidates.values() for bare in {bare_letters(name) for name in of}
    )
    return {
        key: next(
            (name for name in of if bare_letters(name) and owners[bare_letters(name)] == 1),
            f"{of[-1]} ({key})",
        )
        for key, of in candidates.items()
    }
