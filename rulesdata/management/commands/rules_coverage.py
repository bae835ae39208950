"""`manage.py rules_coverage`: which rules of the texts are covered, in docs/rules-coverage.md."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.urls import get_resolver

from engine.records import frozen_dataclass
from rulesdata.checks.coverage import CODE, PAGE, read_coverage
from rulesdata.checks.systems import check_variants
from rulesdata.pack_files.folders import (
    PACKS,
    collection_folders,
    read_system,
    system_folders,
)
from rulesdata.pack_files.yaml_files import VARIANTS
from rulesdata.schema.coverage import CoverageFile, CoverageRowRecord, TextSectionRecord

STATES = {
    "worked-out": "worked out",
    "recorded": "recorded",
    "told": "told",
    "table": "left to the table",
    "missing": "missing",
}
"""The states of a row, as the document names them."""
COUNTED = ("worked-out", "recorded")
HEAD = """# The rules of the texts, and where they are

Drawn by `manage.py rules_coverage` from the files `coverage.yaml` of the rule packs;
change those, not this. A line is one of the text a system is made of; a rule is told in
our own words.

- *worked out*: odds, findings, a sheet or a price follow from it;
- *recorded*: the recorder or a result keeps it, or does it by itself;
- *told*: the rule book, the quick reference or a ruling says it;
- *left to the table*: nothing could be kept of it that helps anybody;
- *missing*: it is nowhere yet, with the reason.

"""
TOTALS = """| text | rules | {} | worked out or recorded |
|---|---|---|---|---|---|---|---|
"""
ROWS = "| row | lines | rule | is | where, or why not |\n|---|---|---|---|---|\n"


@frozen_dataclass
class CoveredText:
    """A text and the rows about it."""

    file: CoverageFile
    shown: str

    @property
    def share(self) -> int:
        """The rows that are worked out or recorded, in whole per cent."""
        counts = self.counts()
        return 100 * sum(counts[state] for state in COUNTED) // len(self.file.rows)

    def counts(self) -> Counter[str]:
        """How many rows are in each state."""
        return Counter(row.state for row in self.file.rows)


def covered_texts(packs: Path = PACKS) -> list[CoveredText]:
    """The texts of all systems that have a coverage file, a variant's by itself."""
    found = []
    for folder in system_folders(packs):
        variants = sorted(path.name for path in (folder / VARIANTS).glob("*"))
        for variant in variants or [""]:
            pack = read_system(folder, variant)
            if file := read_coverage(pack):
                found.append(CoveredText(file, f"{folder.name}.{variant}".rstrip(".")))
    return found


def document() -> str:
    """The whole of docs/rules-coverage.md."""
    texts = covered_texts()
    totals = TOTALS.format(" | ".join(STATES.values()))
    totals += "".join(map(_totals_row, texts))
    return HEAD + totals + "".join(map(_text_part, texts))


def _totals_row(text: CoveredText) -> str:
    """Return a text's row of the first table."""
    counts = text.counts()
    figures = [len(text.file.rows), *(counts[state] for state in STATES)]
    cells = " | ".join(map(str, figures))
    return f"| {text.file.text} | {cells} | {text.share} % |\n"


def _text_part(text: CoveredText) -> str:
    """Return the tables of a text, a table for each section."""
    parts = [f"\n## {text.file.text}\n"]
    for section in text.file.sections:
        parts.append(f"\n### {section.title}\n\n")
        if section.no_rules:
            parts.append(f"No rule: {section.no_rules}\n")
        else:
            parts += [ROWS, *map(_row, _rows_of(section, text.file))]
    return "".join(parts)


def _rows_of(section: TextSectionRecord, file: CoverageFile) -> Iterator[CoverageRowRecord]:
    """The rows that begin in a section."""
    first, last = section.lines[0][0], section.lines[-1][1]
    return (row for row in file.rows if first <= row.lines[0] <= last)


def _row(row: CoverageRowRecord) -> str:
    """Return a rule's row of its section."""
    first, last = row.lines
    lines = str(first) if first == last else f"{first}–{last}"
    told = [", ".join(f"`{where}`" for where in row.where), row.reason or ""]
    cells = [row.id, lines, row.rule, STATES[row.state], " ".join(filter(None, told))]
    return f"| {' | '.join(cells)} |\n"


def faults(base: Path = settings.BASE_DIR) -> list[str]:
    """What is wrong with the coverage files, and with what they say of code and pages."""
    collections = [folder.name for folder in collection_folders()]
    checked = (check_variants(folder, collections) for folder in system_folders())
    found = [str(fault) for fault in chain.from_iterable(checked)]
    for text in covered_texts():
        wheres = chain.from_iterable(row.where for row in text.file.rows)
        unknown = [where for where in dict.fromkeys(wheres) if not exists(where, base)]
        found += [f"{text.shown}: where: there is no {where}" for where in unknown]
    return found


def exists(where: str, base: Path) -> bool:
    """Whether code or a page exists; keys of pack files are checked with the packs."""
    file, _, name = where.partition(":")
    if file == PAGE:
        return name in _page_names()
    if not file.endswith(CODE):
        return True
    path = base / file
    return path.is_file() and (not name or name in _names_in(path))


@cache
def _page_names() -> frozenset[str]:
    """Every name of the routes."""
    return frozenset(key for key in get_resolver().reverse_dict if isinstance(key, str))


@cache
def _names_in(path: Path) -> frozenset[str]:
    """The functions and classes of a module, and the methods of these."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
            found.update(f"{node.name}.{method.name}" for method in methods)
    return frozenset(found)


class Command(BaseCommand):
    help = "Draw docs/rules-coverage.md, or check that it and what it names are current."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the switch that writes nothing and fails where the document is old."""
        parser.add_argument(
            "--check",
            action="store_true",
            help="write nothing; fail where it is not current",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the document, or check it, and print the faults; exit with 1 for any."""
        path = settings.BASE_DIR / "docs" / "rules-coverage.md"
        found, wanted = faults(), document()
        if not options["check"]:
            path.write_text(wanted, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != wanted:
            found.append(f"docs/{path.name}: run rules_coverage")
        for fault in found:
            self.stdout.write(fault)
        if found:
            self.stderr.write(f"{len(found)} faults.")
            sys.exit(1)
        self.stdout.write("Every rule of the texts has its place.")
