"""Where a place of the rules is, in the words of the forms that write it."""

from typing import Any

import re2

from engine.records import NamedValues
from rulesdata.campaign_editor.parts import EditorPage, RulesPart
from rulesdata.campaign_editor.places import NAMED, page_key_of, page_of

_ROW = re2.compile(r"\[(\d{1,6})\]\.?")


def place_words(path: str, document: NamedValues) -> str:
    """Return where a path leads: "Table “injuries”, row 3, To" for tables.injuries.rows[2].most."""
    return _told(path, document, "")[0]


def leaf_words(path: str, document: NamedValues, row: str) -> str:
    """Return the same to the last key, with what its row is called, "" for its number."""
    words, below = _told(path, document, row)
    # An effect is one field that holds several kinds of things.
    return f"{words} ({below.replace('_', ' ')})" if below else words


def _told(path: str, document: NamedValues, row: str) -> tuple[str, str]:
    """Return where a path leads in words, and the keys of it below the field of a form."""
    key = page_key_of(path, document)
    page = page_of(document, key)
    if page is None:
        return NAMED[key][0], ""
    words, below = _below(page, path, row)
    return ", ".join((page.title, *words)), below


def row_words(page: EditorPage, part: RulesPart, number: int) -> str:
    """Return what a row of a page is called, the first one with number 1."""
    return f"{page.title}, {part.noun} {number}"


def _below(page: EditorPage, path: str, name: str) -> tuple[list[str], str]:
    """Return what a path is called within its page, by part or row and field; and the rest."""
    words: list[str] = []
    parts = [one for one in page.parts if _is_within(path, one.place)]
    if not parts:
        return words, ""
    part = max(parts, key=lambda one: len(one.place))
    rest = path[len(part.place) :].lstrip(".")
    row = _ROW.match(rest)
    if part.is_rows and row:
        words.append(f"{part.noun} {name or int(row[1]) + 1}")
        rest = rest[row.end() :]
    elif part.title != page.title:
        words.append(part.title)
    if not rest:
        return words, ""
    known: dict[str, Any] = {
        one.key: one.label for one in part.fields if _is_within(rest, one.key)
    }
    # A key that no form asks for keeps its name.
    if not known:
        label, below = f"“{rest}”", ""
    else:
        key = max(known, key=len)
        label, below = known[key], rest[len(key) :].lstrip(".")
    return [*words, label], below


def _is_within(path: str, place: str) -> bool:
    """Return whether a path is at a place or below it; everything is below the document."""
    return not place or path == place or path.startswith((f"{place}.", f"{place}["))
