"""Pasted or uploaded text to JSON values, refusing what no roster can hold before anything else
looks at it.
"""

import json
import math
from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.records import Fields

MEGABYTE = 1_048_576
MAX_BYTES = MEGABYTE
MAX_DEPTH = 24
MAX_DIGITS = 20


def decode(text: str, *, most: int = MAX_BYTES, levels: int = MAX_DEPTH) -> Any:
    """The JSON value in a text of at most so many bytes and levels.

    Raises FaultyDocument with one fault that says what is wrong and where.
    """
    if len(text.encode("utf-8", "surrogatepass")) > most:
        raise _fault(
            f"The document is larger than {most // MEGABYTE} MB ({most:,} bytes). Send a smaller "
            "one."
        )
    # Before decoding: the decoder itself fails on text that is nested too deep.
    if _depth(text) > levels:
        raise _fault(
            f"The document is nested deeper than {levels} levels, which no roster is."
        )
    try:
        return json.loads(
            text,
            object_pairs_hook=_once,
            parse_constant=_no_constant,
            parse_int=_whole,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _fault(
            f"This is not JSON: {error.msg} at {place}. Paste the whole document, from {{ to }}."
        ) from None


def _fault(sentence: str) -> FaultyDocument:
    return FaultyDocument([Fault("", sentence)])


def _depth(text: str) -> int:
    """How deep brackets are nested, those inside texts left out."""
    depth = deepest = 0
    in_text = escaped = False
    for letter in text:
        if in_text:
            in_text = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            in_text = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> Fields:
    found: Fields = {}
    for key, value in pairs:
        if key in found:
            raise _fault(
                f"The key {json.dumps(key[:60])} stands twice in the same object. Keep one of them."
            )
        found[key] = value
    return found


def _no_constant(word: str) -> Any:
    raise _fault(
        f"{word} is not a number a roster can hold. Write a whole number, or null."
    )


def _whole(digits: str) -> int:
    # Converting very many digits takes time that grows with their square.
    if len(digits) > MAX_DIGITS:
        raise _fault(
            f"A number of {len(digits):,} digits is more than a roster can hold (at most "
            f"{MAX_DIGITS})."
        )
    return int(digits)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _fault("A number is too large for a roster. Write a whole number, or null.")
    return number
