"""Names of a catalogue: as pages show them, as they are compared, and the keys made of them."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

import re2

KEY_LENGTH = 80
NAME_LENGTH = 120
_SIGNS = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-"})
_BRACKETS = re2.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}")
_OTHER = re2.compile(r"[^a-z0-9]+")
_PLURAL = re2.compile(r"([a-z0-9]{3})s\b")


# The same name stands at hundreds of places of a large catalogue.
@lru_cache(maxsize=20_000)
def clean_name(text: str) -> str:
    """Return a name as pages show it: one line, plain quotation marks, not too long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(plain.translate(_SIGNS).split())[:NAME_LENGTH].strip()


@lru_cache(maxsize=20_000)
def plain_name(name: str) -> str:
    """Return a name without marks, brackets, signs and plural endings."""
    marked = unicodedata.normalize("NFKD", name).lower().replace("&", " and ")
    letters = "".join(sign for sign in marked if not unicodedata.combining(sign))
    bare = _BRACKETS.sub(" ", letters.replace("'", ""))
    return _PLURAL.sub(r"\1", _OTHER.sub(" ", bare)).strip()


@lru_cache(maxsize=20_000)
def slug(name: str, instead: str) -> str:
    """Return a name as a key of a list: small letters, figures and single hyphens."""
    marked = unicodedata.normalize("NFKD", name).lower().replace("'", "")
    letters = "".join(sign for sign in marked if not unicodedata.combining(sign))
    return _OTHER.sub("-", letters).strip("-")[:KEY_LENGTH].strip("-") or instead


class KeySet:
    """Hands out keys, none of them twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def take(self, name: str, instead: str) -> str:
        """Return a key for a name, with a number behind it where the key is taken."""
        base = slug(name, instead)
        key, number = base, 1
        while key in self.taken:
            number += 1
            key = f"{base}-{number}"
        self.taken.add(key)
        return key
