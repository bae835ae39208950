"""JSON, read strictly: each key once, finite numbers of few digits, few levels."""

import json
import math
from typing import Any

from engine.records import Fields

LEVELS_MAX = 24
DIGITS_MAX = 20
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def read_json(text: str, what: str = "The document", levels: int = LEVELS_MAX) -> Any:
    """The value in a text; raises ValueError with a sentence about ``what``."""
    plain = text.encode("utf-8", "surrogatepass")
    plain = plain.replace(b"\\\\", b"").replace(b'\\"', b"")
    depth = deepest = 0
    # Between quotation marks every second part is a text; the others may open brackets.
    outside = b"".join(plain.split(b'"')[::2])
    for bracket in outside.translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    # Before decoding: the decoder itself fails on text that is nested too deep.
    if deepest > levels:
        raise ValueError(f"{what} is nested deeper than {levels} levels.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_constant=_refuse_constant,
            parse_int=_read_whole,
            parse_float=_read_finite,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"{what} is not JSON: {error.msg} at {place}.") from None


def _read_object(pairs: list[tuple[str, Any]]) -> Fields:
    values: Fields = {}
    for key, value in pairs:
        if key in values:
            raise ValueError(f"The key {json.dumps(key[:60])} occurs twice in one object.")
        values[key] = value
    return values


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number.")


def _read_whole(digits: str) -> int:
    # Converting very many digits takes time that grows with their square.
    if len(digits) > DIGITS_MAX:
        raise ValueError(f"A number has more than {DIGITS_MAX} digits.")
    return int(digits)


def _read_finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("A number is too large.")
    return number
