"""Plain data as a YAML text of the pack format: what `reading` reads back is the same. Django is not needed here."""

from __future__ import annotations

import json
import re
from typing import Any

# Texts that read back as themselves without quotes, also by readers that know more of YAML than packs use.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*([ _'-][A-Za-z0-9]+)*\Z", re.ASCII)
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_SHORT = 100


def yaml_text(data: dict[str, Any]) -> str:
    """The text of a mapping, two blanks to a level, short leaves in one line. Ends with a line break."""
    return "".join(f"{line}\n" for line in _mapping(data))


def _mapping(data: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        inner = _value(value)
        if inner is None:
            lines += [f"{_text(key)}:", *_block(value)]
        else:
            lines.append(f"{_text(key)}: {inner}")
    return lines


def _block(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"  {line}" for line in _mapping(value)]
    lines: list[str] = []
    for one in value:
        inner = _value(one)
        if inner is None:
            first, *rest = _mapping(one) if isinstance(one, dict) else _block(one)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        else:
            lines.append(f"- {inner}")
    return lines


def _value(value: Any) -> str | None:
    """The value in one line, or None where it is better written below its key."""
    if isinstance(value, dict | list):
        flow = _flow(value)
        return flow if len(flow) <= _SHORT and not _is_deep(value) else None
    return _leaf(value)


def _is_deep(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    return any(isinstance(one, dict | list) and one for one in inner)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)}: {_flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _leaf(value)


def _leaf(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else str(value)


def _text(text: str) -> str:
    if _PLAIN.match(text) and text.casefold() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)
