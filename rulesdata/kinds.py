"""The table of kinds in docs/adding-a-system.md, from what the engine declares."""

from __future__ import annotations

from pathlib import Path

from engine.findings.checks import KINDS
from engine.findings.kinds import GuidelineKind

BEGIN, END = "<!-- kinds -->\n", "<!-- end of kinds -->\n"
HEAD = "| kind | what it does | parameters | fields of the sentence |\n|---|---|---|---|\n"


def table() -> str:
    """Return a Markdown table of all kinds; in brackets what may be left out."""
    return HEAD + "".join(_row(name, kind) for name, kind in KINDS.items())


def _row(name: str, kind: GuidelineKind) -> str:
    parameters = ", ".join([*kind.needs, *(f"({optional})" for optional in kind.may)])
    return f"| `{name}` | {kind.summary} | {parameters} | {', '.join(kind.fields)} |\n"


def with_table(text: str) -> str:
    """Return the text of the document, the table between its two marks drawn anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def is_current(document: Path) -> bool:
    """Return whether the document has the table as it would be drawn now."""
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    return text == with_table(text)


def write_table(document: Path) -> None:
    """Draw the table of the document anew."""
    text = document.read_text(encoding="utf-8")
    document.write_text(with_table(text), encoding="utf-8")
