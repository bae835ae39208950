"""Text typed by a person: what may stand in a name, and in a description."""

import re
import unicodedata

from engine.errors import Refusal

# Marks on one letter; no language needs more, and a tower of them runs over its neighbours.
MARKS_MAX = 4
# The bidirectional classes of embeddings, overrides and isolates (Unicode Annex 9): unseen, they
# would let a name run backwards through the words around it.
TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
# Letters and symbols that are drawn as nothing: fillers of Hangul, the empty cell of Braille.
BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
UNSEEN = "holds only invisible characters; add a letter or a digit"
_EMPTY_LINES = re.compile(r"\n{3,}")


def clean_line(value: str, *, field: str, limit: int) -> str:
    """`value` composed, with single blanks; empty where nothing was typed.

    Raises `Refusal` naming `field`.

    Refused: signs of which nothing can be seen, more than `limit` characters, control characters,
    signs that turn the direction of writing, lone surrogates, and more than four marks on a letter.
    Zero-width joiners stay beside others: emoji and several scripts need them.
    """
    line = " ".join(_compose(value, field, limit).split())
    _check_length(line, field, limit)
    _check_signs(line, field)
    if line and not is_seen(line):
        raise Refusal(f"{field} {UNSEEN}.", field=field)
    return line


def is_seen(text: str) -> bool:
    """Return whether anything can be seen: joiners, marks and blanks alone show nothing."""
    return any(
        sign not in BLANK and unicodedata.category(sign) not in {"Cf", "Mn", "Me", "Zs"}
        for sign in text
    )


def clean_lines(value: str, *, field: str, limit: int) -> str:
    """A text of several lines, composed, without blank ends; at most one empty line between two.

    Raises `Refusal` naming `field` for what `clean_line` refuses, line by line, and beyond `limit`
    characters.
    """
    lines = _compose(value, field, limit).replace("\r\n", "\n").split("\n")
    text = _EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()
    _check_length(text, field, limit)
    for line in text.split("\n"):
        _check_signs(line.replace("\t", " "), field)
    return text


def _compose(value: str, field: str, limit: int) -> str:
    if len(value) > limit * 20:  # so that the rest works on little
        raise Refusal(f"{field} may have at most {limit:,} characters.", field=field)
    return unicodedata.normalize("NFC", value)


def _check_length(text: str, field: str, limit: int) -> None:
    if len(text) > limit:
        raise Refusal(
            f"{field} may have at most {limit:,} characters; this has {len(text):,}.",
            field=field,
        )


def _check_signs(line: str, field: str) -> None:
    marks = 0
    for sign in line:
        category = unicodedata.category(sign)
        is_turning = unicodedata.bidirectional(sign) in TURNING
        if is_turning or category in {"Cc", "Cs", "Co", "Cn"}:
            raise Refusal(
                f"{field} holds a character that cannot be shown (U+{ord(sign):04X}). Leave it out.",
                field=field,
            )
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks > MARKS_MAX:
            raise Refusal(
                f"{field} may have at most {MARKS_MAX} marks on one letter.", field=field
            )
