"""What a text may hold before it is stored or printed, whichever way it comes in."""

from __future__ import annotations

import unicodedata

from engine.refusal import Refusal

# Marks on one letter; no language needs more, and a tower of them runs over its neighbours.
MARKS_MAX = 4
_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def text_fault(value: str, maximum: int, *, many_lines: bool = False) -> str:
    """What is wrong with a text, as the end of a sentence ("must have at most 200 characters"); empty if nothing is.

    The text itself is never changed, so that a document stays what it was.
    """
    if len(value) > maximum:
        return f"must have at most {maximum:,} characters, not {len(value):,}"
    if value.isascii() and value.isprintable():
        return ""
    marks = 0
    for sign in value:
        category = unicodedata.category(sign)
        if sign in "\n\t" and many_lines:
            continue
        if category == "Cs":
            return "holds half of a character (a lone surrogate), which cannot be stored"
        if category in {"Cc", "Zl", "Zp"} or unicodedata.bidirectional(sign) in _TURNING:
            return f"holds a sign that cannot be shown (U+{ord(sign):04X}); leave it out"
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks > MARKS_MAX:
            return f"must have at most {MARKS_MAX} marks on one letter"
    return ""


def clean_text(field: str, value: str, maximum: int, *, many_lines: bool = False) -> str:
    """The text without blanks around it. Raises Refusal naming ``field`` for what cannot be stored or shown."""
    text = value.replace("\r\n", "\n").strip("\n\t ") if many_lines else value.strip(" ")
    if fault := text_fault(text, maximum, many_lines=many_lines):
        raise Refusal(f"The {field.replace('_', ' ')} {fault}.", field=field)
    return text.strip()


def shown(value: object) -> str:
    """A person's text as part of a message: short, printable, in quotes; of anything else only what it is."""
    text = value if isinstance(value, str) else f"a {type(value).__name__}"
    safe = "".join(c if c.isprintable() else "?" for c in text[:60])
    return f'"{safe}{"…" if len(text) > 60 else ""}"'
