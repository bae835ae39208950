"""One line of text typed by a person: what may stand in a name."""

from __future__ import annotations

import unicodedata

from engine.refusal import Refusal

# Marks on one letter; no language needs more, and a tower of them runs over its neighbours.
MARKS_MAX = 4


def clean_line(value: str, *, field: str, limit: int) -> str:
    """`value` composed, with single blanks; empty when nothing of it can be seen. Raises `Refusal` naming `field`.

    Refused: more than `limit` characters, control characters, signs that turn the direction of writing, lone
    surrogates, and more than four marks on a letter. Zero-width joiners stay: emoji and several scripts need them.
    """
    if len(value) > limit * 20:  # so that the rest works on little
        raise Refusal(f"{field} may have at most {limit} characters.", field=field)
    line = " ".join(unicodedata.normalize("NFC", value).split())
    if len(line) > limit:
        raise Refusal(f"{field} may have at most {limit} characters; this has {len(line)}.", field=field)
    marks = 0
    for sign in line:
        category = unicodedata.category(sign)
        if category in {"Cc", "Cs", "Co", "Cn"} or _turns_writing(sign):
            raise Refusal(f"{field} holds a sign that cannot be shown (U+{ord(sign):04X}). Leave it out.", field=field)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks > MARKS_MAX:
            raise Refusal(f"{field} may have at most {MARKS_MAX} marks on one letter.", field=field)
    return line if any(unicodedata.category(sign) not in {"Cf", "Mn", "Me", "Zs"} for sign in line) else ""


def _turns_writing(sign: str) -> bool:
    return unicodedata.bidirectional(sign) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
