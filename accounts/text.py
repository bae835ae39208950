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
    line = " ".join(_compose(value, field, limit).split())
    _check_length(line, field, limit)
    _check_signs(line, field)
    if line and not is_seen(line):
        raise Refusal(f"{field} {UNSEEN}.", field=field)
    return line


def clean_lines(value: str, *, field: str, limit: int) -> str:
    """A text of several lines, composed, without blank ends; at most one empty line between two.

    Raises `Refusal` naming `field` for what `clean_line` refuses, line by line, and beyond `limit`
    characters.
    """
    lines = _compose(value, field, limit).replace("\r\n", "\n").split("\n")
    text = "\n".join(line.rstrip() for line in lines).strip()
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
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
