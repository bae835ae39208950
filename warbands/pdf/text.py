"""Other people's text made fit for print: no control characters, no overrides of direction, no towers of marks."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from warbands.pdf.fonts import printable

LONGEST = 400
_MARKS_IN_A_ROW = 2
_SPACES = re.compile(r"\s+")
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_WANTED = frozenset("LNPZ")


@lru_cache(8192)
def clean(text: str, longest: int = LONGEST) -> str:
    """The text on one line, at most ``longest`` characters, cut with an ellipsis.

    Letters, numbers and punctuation of any script stay. What is none of these and in no text font of ours (emoji,
    private characters) goes; so do control and format characters, lone surrogates and all but two marks on a letter.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text[: longest * 8]):
        if character.isspace():
            kept.append(" ")
            marks = 0
            continue
        kind = unicodedata.category(character)
        marks = marks + 1 if kind[0] == "M" else 0
        if _is_kept(character, kind, marks, has_base=bool(kept) and kept[-1] != " "):
            kept.append(character)
    line = _SPACES.sub(" ", "".join(kept)).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _is_kept(character: str, kind: str, marks: int, has_base: bool) -> bool:
    if kind in _DROPPED:
        return False
    if kind[0] == "M":
        return marks <= _MARKS_IN_A_ROW and has_base and not _is_variation(character)
    return kind[0] in _WANTED or character in printable()


def _is_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
