"""What a text or a file of somebody holds, read without Django: JSON values, and lists of other apps
by their form. What no roster can hold is refused before anything else looks at it.
"""

import json
import math
from typing import Any

from accounts.errors import Fault, FaultyDocument
from engine.errors import refused_at
from engine.records import Fields, NamedValues
from interchange.battlescribe import read_battlescribe
from interchange.files import FILE_MAX, OpenedFile, open_file, refusal
from interchange.nodes import LEVELS_MAX, from_json, parse_xml
from interchange.old_world_builder import is_old_world_list, only_list, read_old_world
from interchange.pasted import read_pasted
from interchange.tree import ForeignRoster, checked_tree, storable

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
    values: Fields = {}
    for key, value in pairs:
        if key in values:
            raise _fault(
                f"The key {json.dumps(key[:60])} stands twice in the same object. Keep one of them."
            )
        values[key] = value
    return values


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


# Files of other apps

FILE_NAME_SHOWN = 80


def read_file(name: str, data: bytes) -> ForeignRoster | NamedValues:
    """Return the list in a file, or a document of ours that is yet to be compared with its army."""
    return read_opened(open_file(name, data))


def read_opened(opened: OpenedFile) -> ForeignRoster | NamedValues:
    """Return the same of an opened file; every refusal names the file as what to correct."""
    with refused_at("file"):
        if opened.form == "xml":
            root = parse_xml(opened.text, storable(opened.name, FILE_NAME_SHOWN))
            tree = read_battlescribe(root, "battlescribe")
        elif opened.form == "json":
            content = _read_json(opened.text)
            if not isinstance(content, ForeignRoster):
                return content
            tree = content
        else:
            tree = read_pasted(opened.text)
        return checked_tree(tree)


def _read_json(text: str) -> ForeignRoster | NamedValues:
    """Return the list in a JSON file, by the keys that its tool writes."""
    data = decode(text, most=FILE_MAX, levels=LEVELS_MAX)
    if is_old_world_list(data):
        return read_old_world(data)
    # The tool saves all lists of somebody as an array.
    if isinstance(data, list):
        return read_old_world(only_list(data))
    if isinstance(data, dict) and isinstance(data.get("roster"), dict):
        return read_battlescribe(from_json("roster", data["roster"]), "nr-json")
    if isinstance(data, dict) and "format" in data:
        return data
    raise refusal(
        "This JSON is no list of New Recruit, Old World Builder or Muster Roll. Export the list "
        "again and send the new file."
    )
