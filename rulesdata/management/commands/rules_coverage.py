"""`manage.py rules_coverage`: which rules of the texts are covered, as Markdown."""

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

from rulesdata.checks.coverage import CODE, PAGE, read_coverage
from rulesdata.checks.systems import check_variants
from rulesdata.pack_files.collections import collection_armies
from rulesdata.pack_files.folders import PACKS, read_system, system_folders
from rulesdata.pack_files.yaml_files import VARIANTS
from rulesdata.schema.system import CoverageFile

STATES = {
    "worked-out": "worked out",
    "recorded": "recorded",
    "told": "told",
    "table": "left to the table",
    "missing": "missing",
}
COUNTED = ("worked-out", "recorded")
HEAD = """# The rules of the texts, and where they are

A line is one of the text a system is made of; a rule is told in our own words.

- *worked out*: odds, findings, sheets, prices and the recorder have every figure that it changes;
- *recorded*: the recorder or a result asks for it or does it by itself, and refuses its opposite;
- *told*: the rule book, the quick reference or a ruling says it;
- *left to the table*: nothing could be kept of it that helps anybody;
- *missing*: it is nowhere yet, with the reason.

"""


class CoveredText:
    """The coverage file of a system or of one of its variants.

    ``counts`` are its rows by state, ``share`` those worked out or recorded in whole per cent.
    """

    def __init__(self, file: CoverageFile, system: str) -> None:
        self.file, self.system = file, system
        self.counts: Counter[str] = Counter(row.state for row in file.rows)
        self.share = 100 * sum(self.counts[state] for state in COUNTED) // len(file.rows)


def covered_texts(packs: Path = PACKS) -> list[CoveredText]:
    """The texts of all systems that have a coverage file, a variant's by itself."""
    texts = []
    for folder in system_folders(packs):
        variants = sorted(path.name for path in (folder / VARIANTS).glob("*"))
        for variant in variants or [""]:
            pack = read_system(folder, variant)
            if file := read_coverage(pack):
                texts.append(CoveredText(file, f"{folder.name}.{variant}".rstrip(".")))
    return texts


def document() -> str:
    """The totals of each text, then its rows by section, as Markdown."""
    texts = covered_texts()
    lines = [f"| text | rules | {' | '.join(STATES.values())} | worked out or recorded |"]
    lines.append("|---" * (len(STATES) + 3) + "|")
    for text in texts:
        figures = [len(text.file.rows), *(text.counts[state] for state in STATES)]
        cells = " | ".join(map(str, figures))
        lines.append(f"| {text.file.text} | {cells} | {text.share} % |")
    return HEAD + "\n".join([*lines, *chain.from_iterable(map(_rows, texts))])


def _rows(text: CoveredText) -> Iterator[str]:
    yield f"\n## {text.file.text}"
    for section in text.file.sections:
        yield f"\n### {section.title}\n"
        if section.no_rules:
            yield f"No rule: {section.no_rules}"
            continue
        yield "| row | lines | rule | is | where, or why not |\n|---|---|---|---|---|"
        start, end = section.lines[0][0], section.lines[-1][1]
        for row in text.file.rows:
            first, last = row.lines
            if start <= first <= end:
                lines = str(first) if first == last else f"{first}–{last}"
                where = ", ".join(f"`{place}`" for place in row.where)
                proof = f"{where} {row.reason or ''}".strip()
                yield f"| {row.id} | {lines} | {row.rule} | {STATES[row.state]} | {proof} |"


def faults(base: Path = settings.BASE_DIR) -> list[str]:
    """What is wrong with the coverage files, and with what they say of code and pages."""
    armies = collection_armies()
    checked = (check_variants(folder, armies) for folder in system_folders())
    messages = [str(fault) for fault in chain.from_iterable(checked)]
    for text in covered_texts():
        places = chain.from_iterable(row.where for row in text.file.rows)
        missing = [place for place in dict.fromkeys(places) if not exists(place, base)]
        messages += [f"{text.system}: where: there is no {place}" for place in missing]
    return messages


def exists(place: str, base: Path) -> bool:
    """Whether code or a page exists; keys of pack files are checked with the packs."""
    file, _, name = place.partition(":")
    if file == PAGE:
        return name in get_resolver().reverse_dict
    if not file.endswith(CODE):
        return True
    path = base / file
    return path.is_file() and (not name or name in _definitions(path))


@cache
def _definitions(path: Path) -> frozenset[str]:
    """The functions and classes of a module, and the methods of these."""
    names = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
            methods = (part for part in node.body if isinstance(part, ast.FunctionDef))
            names.update(f"{node.name}.{method.name}" for method in methods)
    return frozenset(names)


class Command(BaseCommand):
    help = "Print where each rule of the texts is, or check that what is named exists."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="print faults alone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the document or the check's outcome, and exit with 1 for any fault."""
        messages = faults()
        for message in messages:
            self.stderr.write(message)
        if not options["check"]:
            self.stdout.write(document())
        elif not messages:
            self.stdout.write("Every rule of the texts has its place.")
        if messages:
            sys.exit(1)
