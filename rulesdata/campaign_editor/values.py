"""How values of campaign rules are typed: each shape makes texts of a value, and a value of texts.

What cannot be read as its shape stays the text that was typed, so that a draft keeps it and reading
the document tells what is wrong with it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import re2

from engine.growth.tables import DICE
from engine.records import Fields, Texts, frozen_dataclass


class _Missing:
    """The value of a field that was left empty: its key is left out."""


MISSING = _Missing()
WARBAND = "warband"
_NUMBER = re2.compile(r"-?[0-9]{1,9}")
_FIGURE = re2.compile(r"([A-Za-z]{1,20}) ?:? ?([-+]?[0-9]{1,3})")
_PART = re2.compile(r"([0-9]{1,4})(?: ?/ ?([0-9]{1,4}))?")


def _text_of(value: Any) -> str:
    """Return a value of another shape as it is shown, to be typed anew."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _split(text: str, between: str = ",") -> list[str]:
    """Return the pieces of a list that was typed."""
    return [one for one in map(str.strip, text.split(between)) if one]


# One shape after the other: a value as text, and back


def _number(text: str) -> Any:
    """Return a whole number, such as 12."""
    return int(text) if _NUMBER.fullmatch(text) else text


def _words_text(value: Any) -> str:
    """Return a list with commas."""
    is_list = isinstance(value, list | tuple)
    return ", ".join(map(_text_of, value)) if is_list else _text_of(value)


def _words(text: str) -> Any:
    """Return the words of a list with commas."""
    return _split(text)


def _lines_text(value: Any) -> str:
    """Return a list, a piece on each line."""
    is_list = isinstance(value, list | tuple)
    return "\n".join(map(_text_of, value)) if is_list else _text_of(value)


def _lines(text: str) -> Any:
    """Return the lines that hold something."""
    return _split(text.replace("\r", "\n"), "\n")


def _numbers(text: str) -> Any:
    """Return the whole numbers of a list with commas."""
    return [_number(one) for one in _split(text)]


def _figures_text(value: Any) -> str:
    """Return characteristics with their numbers, such as WS 2, BS 1."""
    if not isinstance(value, Mapping):
        return _text_of(value)
    return ", ".join(f"{key} {_text_of(one)}" for key, one in value.items())


def _figures(text: str) -> Any:
    """Return numbers by characteristic."""
    found = [_FIGURE.fullmatch(one) for one in _split(text)]
    # One that cannot be read, or is named twice, leaves the whole as it was typed.
    pairs = [(one[1], int(one[2])) for one in found if one]
    return dict(pairs) if len(dict(pairs)) == len(found) else text


def _part_text(value: Any) -> str:
    """Return a share, such as 1/2."""
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    if not is_pair:
        return _text_of(value)
    return str(value[0]) if value[1] == 1 else f"{value[0]}/{value[1]}"


def _part(text: str) -> Any:
    """Return a share as numerator and denominator."""
    found = _PART.fullmatch(text)
    return [int(found[1]), int(found[2] or 1)] if found else text


@frozen_dataclass
class ValueShape:
    """How one value is typed; ``hint`` is told where a text cannot be read."""

    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]
    hint: str = ""


SHAPES: Mapping[str, ValueShape] = {
    "line": ValueShape(_text_of, str),
    "words": ValueShape(_text_of, str),
    "pick": ValueShape(_text_of, str),
    "number": ValueShape(_text_of, _number, "enter a whole number."),
    "list": ValueShape(_words_text, _words, "put commas between several."),
    "lines": ValueShape(_lines_text, _lines, "write each on its own line."),
    "numbers": ValueShape(_words_text, _numbers, "enter numbers with commas: 4, 8, 13."),
    "figures": ValueShape(_figures_text, _figures, "write it like WS 1, BS 2."),
    "part": ValueShape(_part_text, _part, "write it like 1/2."),
}
"""The shapes of one text. Ticks are yes or no or a list; an effect has three texts."""

# Effects


_PLAIN = ("true", "yes", "any")
_GAIN = re2.compile(r"(\S{1,60}) +(\S{1,12})")


def effect_texts(effect: Any) -> tuple[str, str, str]:
    """Return the verb of an effect, what it is done with, and the words beside it."""
    if not isinstance(effect, Mapping):
        return "", "" if effect is None else _text_of(effect), ""
    verb = next((key for key in effect if key in VERB_WORDS), "")
    words = effect.get("words", "")
    value = effect.get(verb)
    if not verb or value is True:
        verb_text = ""
    elif isinstance(value, Mapping):
        first, second = ("currency", "dice") if verb == "gain" else ("dice", "at_most")
        other = value.get(second, value.get("amount", ""))
        verb_text = f"{value.get(first, '')} {other}".strip()
    else:
        verb_text = _words_text(value)
    return verb, verb_text, _text_of(words)


def effect_of(verb: str, said: str, words: str) -> Fields:
    """Return an effect of its three texts."""
    effect: Fields = {}
    if verb:
        effect[verb] = VERB_VALUES.get(verb, _number)(said)
    elif said:
        # Without a verb it would do nothing, and nobody would be told.
        effect["words"] = said
    if words:
        effect["words"] = words
    return effect


def _flagged(said: str) -> Any:
    """Return the value of a verb that needs nothing."""
    return True if said.lower() in ("", *_PLAIN) else said


def _skill(said: str) -> Any:
    """Return the lists a skill is of, true for those of the kind."""
    return _words(said) if _flagged(said) is not True else True


def _gain(said: str) -> Any:
    """Return what is gained, of `crowns 5` or `crowns D6`."""
    found = _GAIN.fullmatch(said)
    if not found:
        return said
    amount = found[2].upper()
    key = "dice" if amount in DICE else "amount"
    return {"currency": found[1], key: amount if key == "dice" else _number(found[2])}


def _old_wound(said: str) -> Any:
    """Return when an old wound keeps somebody away, of `D6 1`."""
    found = _GAIN.fullmatch(said)
    if not found:
        return said
    return {"dice": found[1].upper(), "at_most": _number(found[2])}


def _dice_or_number(said: str) -> Any:
    """Return a number, or dice."""
    return said.upper() if said.upper() in DICE else _number(said)


VERB_VALUES: Mapping[str, Callable[[str], Any]] = {
    "raise": _words,
    "skill": _skill,
    "promote": str,
    "gone": _flagged,
    "misses": _dice_or_number,
    "lower": str,
    "table": str,
    "captive": _flagged,
    "loses": str,
    "gain": _gain,
    "item": str,
    "old_wound": _old_wound,
}
"""What is made of the text beside a verb; a number where nothing is said here."""

VERB_WORDS: Mapping[str, str] = {
    "": "Nothing happens",
    "raise": "A characteristic rises: WS, BS",
    "skill": "A new skill: its lists, or empty for those of the kind",
    "promote": "Becomes another kind: its id",
    "gone": "Out of the campaign",
    "misses": "Misses battles: 1 or D3",
    "lower": "A characteristic falls: WS",
    "table": "Rolls on another table: its id",
    "again": "Rolls on this table again: how often",
    "captive": "Taken captive",
    "loses": "Loses equipment: dearest or all",
    "experience": "Learns: how much experience",
    "gain": "Gains money: crowns 5 or crowns D6",
    "item": "Gains a piece: its id",
    "old_wound": "An old wound: D6 1 is absent on a 1",
}
"""Each verb as a choice, with what to write beside it."""


# Places of a document


def value_at(document: Any, path: Sequence[str]) -> Any:
    """Return what stands at a path; MISSING where nothing does."""
    for key in path:
        if not isinstance(document, Mapping) or key not in document:
            return MISSING
        document = document[key]
    return document


def with_value(document: Mapping[str, Any], path: Texts, value: Any) -> Fields:
    """Return a document with a value at a path, or without it where it is MISSING.

    A mapping that is left empty goes too. What is no mapping on the way is replaced.
    """
    result, key = dict(document), path[0]
    if len(path) > 1:
        inner = result.get(key)
        inner = inner if isinstance(inner, Mapping) else {}
        value = with_value(inner, path[1:], value) or MISSING
    if value is MISSING:
        result.pop(key, None)
    else:
        result[key] = value
    return result
