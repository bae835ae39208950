"""Folds text for search: small letters without accents. The same for both databases, because it is done here."""

from __future__ import annotations

import unicodedata

WORDS_MAX = 8


def folded(text: str) -> str:
    """Small letters, accents and zero-width characters gone, every run of other signs one space."""
    plain = unicodedata.normalize("NFKD", text).casefold().replace("’", "'").replace("'", "")
    return " ".join(
        "".join(
            c if c.isalnum() else " "
            for c in plain
            if not unicodedata.combining(c) and c.isprintable()
        ).split()
    )


def terms(text: str) -> tuple[str, ...]:
    """The folded words of a search, each once, at most WORDS_MAX."""
    return tuple(dict.fromkeys(folded(text).split()))[:WORDS_MAX]
