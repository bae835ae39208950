"""Text typed by a person, made fit to be stored: a name in one line, a description in several."""

import unicodedata

from engine.errors import Refusal
from engine.text import MARKS_MAX, TURNING, UNSEEN, is_seen


def clean_line(value: str, *, field: str, limit: int) -> str:
    """`value` composed, with single blanks; empty where nothing was typed.

    Raises `Refusal` naming `field`.

    Refused: signs of which nothing can be seen, more than `limit` characters, control characters,
    signs that turn the direction of writing, lone surrogates, and more than four marks on a letter.
    Zero-width joiners stay beside others: emoji and several scripts need them.
    """
    if len(value) > limit * 20:  # so that the rest works on little
        raise Refusal(f"{field} may have at most {limit} characters.", field=field)
    line = " ".join(unicodedata.normalize("NFC", value).split())
    if len(line) > limit:
        raise Refusal(
            f"{field} may have at most {limit} characters; this has {len(line)}.",
            field=field,
        )
    _check_signs(line, field)
    if line and not is_seen(line):
        raise Refusal(f"{field} {UNSEEN}.", field=field)
    return line


def clean_lines(value: str, *, field: str, limit: int) -> str:
    """A text of several lines, composed, without blank ends; at most one empty line between two.

    Raises `Refusal` naming `field` for what `clean_line` refuses, line by line, and beyond `limit`
    characters.
    """
    if len(value) > limit * 20:
        raise Refusal(f"{field} may have at most {limit:,} characters.", field=field)
    lines = [
        line.rstrip()
        for line in unicodedata.normalize("NFC", value).replace("\r\n", "\n").split("\n")
    ]
    text = "\n".join(lines).strip()
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    if len(text) > limit:
        raise Refusal(
            f"{field} may have at most {limit:,} characters; this has {len(text):,}.",
            field=field,
        )
    for line in text.split("\n"):
        _check_signs(line.replace("\t", " "), field)
    return text


def _check_signs(line: str, field: str) -> None:
    marks = 0
    for sign in line:
        category = unicodedata.category(sign)
        if (
            category in {"Cc", "Cs", "Co", "Cn"}
            or unicodedata.bidirectional(sign) in TURNING
        ):
            raise Refusal(
                f"{field} holds a character that cannot be shown (U+{ord(sign):04X}). Leave it out.",
                field=field,
            )
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if marks > MARKS_MAX:
            raise Refusal(
                f"{field} may have at most {MARKS_MAX} marks on one letter.", field=field
            )
