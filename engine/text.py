"""What may stand in a text that is stored and shown, whoever wrote it."""

import unicodedata

# Marks on one letter; no language needs more, and a tower of them runs over its neighbours.
MARKS_MAX = 4
# The bidirectional classes of embeddings, overrides and isolates (Unicode Annex 9): unseen, they
# would let a name run backwards through the words around it.
TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
# Letters and symbols that are drawn as nothing: fillers of Hangul, the empty cell of Braille.
BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
UNSEEN = "holds only invisible characters; add a letter or a digit"


def is_seen(text: str) -> bool:
    """Return whether anything can be seen: joiners, marks and blanks alone show nothing."""
    return any(
        sign not in BLANK and unicodedata.category(sign) not in {"Cf", "Mn", "Me", "Zs"}
        for sign in text
    )


def text_fault(value: str, maximum: int, *, many_lines: bool = False) -> str:
    """What is wrong with a text, as the end of a sentence ("must have at most 200 characters");
    empty if nothing is. Blanks alone are no fault: they stand for no text.

    The text itself is never changed, so that a document stays what it was.
    """
    if len(value) > maximum:
        return f"must have at most {maximum:,} characters, not {len(value):,}"
    if value.isascii() and value.isprintable():
        return ""
    allowed = "\n\t" if many_lines else ""
    marks = 0
    for sign in value:
        if sign in allowed:
            continue
        if fault := _sign_fault(sign):
            return fault
        is_mark = unicodedata.category(sign) in {"Mn", "Me"}
        marks = marks + 1 if is_mark else 0
        if marks > MARKS_MAX:
            return f"must have at most {MARKS_MAX} marks on one letter"
    return UNSEEN if value.strip() and not is_seen(value) else ""


def _sign_fault(sign: str) -> str:
    """What is wrong with one sign of a text: half of one, a control, one that turns the writing."""
    category = unicodedata.category(sign)
    if category == "Cs":
        return "holds half of a character (a lone surrogate), which cannot be stored"
    if category in {"Cc", "Zl", "Zp"} or unicodedata.bidirectional(sign) in TURNING:
        return f"holds a character that cannot be shown (U+{ord(sign):04X}); leave it out"
    return ""
