"""What a text may hold before it is stored or printed, whichever way it comes in."""

from __future__ import annotations

import re

from warbands.errors import Refusal

_LINE_BREAKS = "\t\n\r"
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def text_fault(value: str, maximum: int, *, many_lines: bool = False) -> str:
    """What is wrong with a text, as the end of a sentence ("must have at most 200 characters"); empty if nothing is."""
    if "\x00" in value:
        return "holds a NUL character, which cannot be stored"
    if _SURROGATE.search(value):
        return "holds half of a character (a lone surrogate), which cannot be stored"
    if len(value) > maximum:
        return f"must have at most {maximum:,} characters, not {len(value):,}"
    allowed = _LINE_BREAKS if many_lines else ""
    for found in _CONTROL.finditer(value):
        if found[0] not in allowed:
            return f"holds a control character (code {ord(found[0])}); write it without"
    return ""


def clean_text(field: str, value: str, maximum: int, *, many_lines: bool = False) -> str:
    """The text without blanks around it. Raises Refusal naming the field for what no database or page can hold."""
    text = value.replace("\r\n", "\n") if many_lines else value
    # Checked before stripping, which would quietly take a control character off an end.
    if fault := text_fault(text.strip(" \n\t") if many_lines else text.strip(" "), maximum, many_lines=many_lines):
        raise Refusal(field, f"The {field.replace('_', ' ')} {fault}.")
    return text.strip()


def shown(value: object) -> str:
    """A person's text as part of a message: short, printable, in quotes."""
    text = value if isinstance(value, str) else str(value)
    safe = "".join(c if c.isprintable() else "?" for c in text[:60])
    return f'"{safe}{"…" if len(text) > 60 else ""}"'
