"""Compares what stands now with what was recorded, and records it anew where that is asked for.

    RECORD_VECTORS=1 .venv/bin/python -m pytest <the test that compares>

writes the file; review its diff before it is committed.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SHOWN = 10
WIDTH = 120
ABSENT = "nothing"
RECORD = "RECORD_VECTORS"


def recorded(name: str) -> Any:
    """What a file of this folder holds; an empty object where there is none yet."""
    path = FOLDER / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def is_recording() -> bool:
    """Whether what stands now is to be recorded, and not compared."""
    return bool(os.environ.get(RECORD))


def check_recorded(
    name: str, now: Any, part: str = "", only: Collection[str] | None = None
) -> None:
    """Fail with the first differing paths unless ``now`` (JSON values) is what ``name`` holds.

    ``part``: compare and record only what stands at this key; ``only``: compare these keys of it.
    """
    if is_recording():
        whole = {**recorded(name), part: now} if part else now
        (FOLDER / name).write_text(_laid_out(whole) + "\n", encoding="utf-8")
    held = recorded(name).get(part, {}) if part else recorded(name)
    if only is not None:
        held = {key: held[key] for key in only}
    found = list(differences(held, now))
    lines = [
        f"{where}: {was} was recorded, now it is {_is}" for where, was, _is in found[:SHOWN]
    ]
    more = f"\n... and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    how = f"\nIf that is meant, run this test with {RECORD}=1 and read the difference."
    assert not found, (
        f"{name} differs at {len(found)} places:\n" + "\n".join(lines) + more + how
    )


def as_json(value: Any) -> Any:
    if is_dataclass(value):
        held = [(one, getattr(value, one.name)) for one in fields(value)]
        return {one.name: as_json(of) for one, of in held if of != one.default}
    if hasattr(value, "_asdict"):
        return as_json(value._asdict())
    if isinstance(value, Mapping):
        return {_key(key): as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    return value if isinstance(value, int | str | None) else str(value)


def _key(key: Any) -> str:
    return " ".join(key) if isinstance(key, tuple) else str(key)


def as_line(value: Any) -> str:
    found = as_json(value)
    empty = ("", None, [], {})
    told = {key: one for key, one in found.items() if one not in empty and one is not False}
    return "; ".join(f"{key} {one}" for key, one in told.items())


def differences(held: Any, now: Any, where: str = "") -> Iterator[tuple[str, str, str]]:
    """The paths at which two JSON values differ, with what stands there."""
    if isinstance(held, dict) and isinstance(now, dict):
        for key in sorted(held.keys() | now.keys()):
            place = f"{where} > {key}" if where else key
            yield from differences(held.get(key, ABSENT), now.get(key, ABSENT), place)
    elif isinstance(held, list) and isinstance(now, list) and len(held) == len(now):
        for place, (one, other) in enumerate(zip(held, now, strict=True)):
            yield from differences(one, other, f"{where}[{place}]")
    elif held != now or type(held) is not type(now):
        yield where, _short(held), _short(now)


def _laid_out(value: Any, depth: int = 0) -> str:
    """JSON with sorted keys, one line for whatever fits on one."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(line) + depth <= WIDTH or not isinstance(value, dict | list):
        return line
    if isinstance(value, list):
        parts = [_laid_out(one, depth + 1) for one in value]
    else:
        key_of = {key: json.dumps(key, ensure_ascii=False) for key in sorted(value)}
        parts = [f"{key_of[key]}: {_laid_out(value[key], depth + 1)}" for key in key_of]
    begin, end = "[]" if isinstance(value, list) else "{}"
    inner = ",\n".join(" " * (depth + 1) + part for part in parts)
    return f"{begin}\n{inner}\n{' ' * depth}{end}"


def _short(value: Any) -> str:
    text = (
        value if value is ABSENT else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )
    return text if len(text) <= 160 else text[:157] + "..."
