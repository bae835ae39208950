"""Where a place of the rules is, in the words of the forms that write it."""

import re
from collections.abc import Iterator
from typing import Any

from engine.records import NamedValues
from rulesdata.campaign_editor.parts import EditorPage, RulesPart
from rulesdata.campaign_editor.places import NAMED, page_key_of, page_of

_ROW = re.compile(r"\[(\d{1,6})\]\.?")


def place_words(path: str, document: NamedValues) -> str:
    """Return where a path leads: "Table “injuries”, row 3, To" for tables.injuries.rows[2].most."""
    key = page_key_of(path, document)
    page = page_of(document, key)
    if page is None:
        return NAMED[key][0]
    return ", ".join((page.title, *_below(page, path)))


def row_words(page: EditorPage, part: RulesPart, number: int) -> str:
    """Return what a row of a page is called, the first one with number 1."""
    return f"{page.title}, {part.noun} {number}"


def _below(page: EditorPage, path: str) -> Iterator[str]:
    """Yield what a path is called within its page: a part or a row, then the field."""
    parts = [one for one in page.parts if _is_within(path, one.place)]
    if not parts:
        return
    part = max(parts, key=lambda one: len(one.place))
    rest = path[len(part.place) :].lstrip(".")
    row = _ROW.match(rest)
    if part.is_rows and row:
        yield f"{part.noun} {int(row[1]) + 1}"
        rest = rest[row.end() :]
    elif part.title != page.title:
        yield part.title
    # A key that no form asks for keeps its name.
    if rest:
        yield _label(part, rest)


def _is_within(path: str, place: str) -> bool:
    """Return whether a path is at a place or below it; everything is below the document."""
    return not place or path == place or path.startswith((f"{place}.", f"{place}["))


def _label(part: RulesPart, rest: str) -> str:
    """Return what a form calls the field of a path below a part or row."""
    known: dict[str, Any] = {
        one.key: one.label for one in part.fields if _is_within(rest, one.key)
    }
    return known[max(known, key=len)] if known else f"“{rest}”"
