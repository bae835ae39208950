"""The shapes of the files as JSON Schema, for editors and for people who write packs.

Django is not needed.
"""

from __future__ import annotations

import json
from pathlib import Path

from rulesdata.schema import FILES


def documents() -> dict[str, str]:
    """File name to JSON text, one for each kind of file."""
    found = {}
    for kind, shape in FILES.items():
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **shape.model_json_schema(),
        }
        found[f"{kind}.json"] = (
            json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        )
    return found


def outdated(folder: Path) -> list[str]:
    """Names of published schemas that are missing, differ from the code, or belong to no kind of
    file.
    """
    wanted = documents()
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(
        name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name)
    )


def write(folder: Path) -> None:
    """Write every schema and remove those that belong to no kind of file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in outdated(folder):
        (folder / name).unlink(missing_ok=True)
    for name, text in documents().items():
        (folder / name).write_text(text, encoding="utf-8")
