"""What may stand in a text that is stored and shown, whoever wrote it; and words as people write them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache

from engine.errors import Refusal

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


# Text typed by a person, made fit to be stored: a name in one line, a description in
# several.


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
