"""Checks of coverage.yaml: no line of a rule section without a row, no row without proof."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from rulesdata.pack_files.folders import NAMES, Spot, SystemPack
from rulesdata.pack_files.yaml_files import VARIANTS, ReadingError, read_file
from rulesdata.schema.system import CoverageFile, CoverageRowRecord, Lines

COVERAGE = "coverage.yaml"
CODE, PAGE = ".py", "page"
# What shows that a rule is worked out, or recorded: words alone do not.
PROOFS = {
    "worked-out": (
        CODE,
        "combat.yaml",
        "guidelines.yaml",
        "charts.yaml",
        "system.yaml",
        "equipment.yaml",
    ),
    "recorded": (CODE, "battle.yaml", "states.yaml"),
}
# What is covered by nothing says why instead.
REASONED = ("table", "missing")


class PackKeys:
    """The keys of the files of a system and its variant, each file read once.

    A file below ``lists/`` is one of the collections beside the systems.
    """

    def __init__(self, folder: Path, variant: str) -> None:
        self.folders = (folder, folder / VARIANTS / variant, folder.parent.parent)
        self.documents: dict[str, list[Any]] = {}

    def has(self, file: str, name: str) -> bool:
        """Whether the file has the key: steps of a path, records by id, code or ref."""
        if file not in self.documents:
            self.documents[file] = []
            for path in (folder / file for folder in self.folders):
                # A fault of the file itself is told where the file is checked.
                with suppress(ReadingError):
                    if path.is_file():
                        self.documents[file].append(read_file(path).data)
        matches = self.documents[file]
        for step in name.split("/"):
            children = (_children(match, step) for match in matches)
            matches = list(chain.from_iterable(children))
        return bool(matches)


def read_coverage(pack: SystemPack) -> CoverageFile | None:
    """The file of this system or variant; None where there is none or it has a fault."""
    reader = pack.reader
    return reader.read(COVERAGE, CoverageFile) if reader.has(COVERAGE) else None


def check_coverage(pack: SystemPack) -> None:
    """Write down every fault of the file, if the system has one."""
    file = read_coverage(pack)
    if file is None:
        return
    spot = Spot(pack.reader, COVERAGE)
    sections, rows = spot.at("sections"), spot.at("rows")
    rows.report_same_ids(file.rows)
    _check_sections(sections, file)
    ruled = _numbers(span for _, span in _ruled(file))
    keys = PackKeys(pack.reader.folder, pack.reader.variant)
    for at, row in rows.each(file.rows):
        first, last = row.lines
        if first > last or not {first, last} <= ruled:
            at.at("lines").fault(f"lines {first} to {last} are not of a section with rules")
        for message in _row_faults(row, keys):
            at.fault(message)


def _check_sections(spot: Spot, file: CoverageFile) -> None:
    """Each line belongs to one section alone, in the order of the source."""
    spans = list(chain.from_iterable(section.lines for section in file.sections))
    for first, last in spans:
        if first > last:
            spot.fault(f"lines {first} to {last}: the first comes after the last")
    for (_, before), (after, _) in pairwise(spans):
        if after <= before:
            spot.fault(f"line {after} comes after line {before} of the section before it")
    for message in uncovered(file):
        spot.fault(message)


def _numbers(spans: Iterable[Lines]) -> set[int]:
    """Every line of some stretches."""
    numbers = set[int]()
    for first, last in spans:
        numbers.update(range(first, last + 1))
    return numbers


def _ruled(file: CoverageFile) -> Iterator[tuple[str, Lines]]:
    """Each paragraph of the sections with rules, with the title above it."""
    for section in file.sections:
        if section.no_rules:
            continue
        for span in section.lines:
            yield section.title, span


def uncovered(file: CoverageFile) -> Iterator[str]:
    """A sentence for each paragraph of a rule section that has a line without a row."""
    covered = _numbers(row.lines for row in file.rows)
    for title, span in _ruled(file):
        missing = _numbers([span]) - covered
        if missing:
            yield f"{title}: line {min(missing)} has no row"


def _row_faults(row: CoverageRowRecord, keys: PackKeys) -> Iterator[str]:
    """What a row lacks, and what it names that is not there."""
    if row.state in REASONED:
        if not row.reason:
            yield f"a row that is {row.state} says why in 'reason'"
    elif not row.where:
        yield f"a row that is {row.state} says where"
    else:
        proofs = PROOFS.get(row.state, ("",))
        if not any(proof in where for proof in proofs for where in row.where):
            yield f"{row.state} needs one of {', '.join(proofs)} in 'where'"
    # Code and pages are looked for by rules_coverage, which has the whole program.
    for where in row.where:
        file, _, name = where.partition(":")
        if file.endswith(".yaml"):
            if not keys.has(file, name):
                yield f"where: {where} is not in the packs"
        elif not file.endswith(CODE) and file != PAGE:
            yield f"where: {where} is neither code, nor a key of a pack file, nor a page"


def _children(data: Any, step: str) -> Iterator[Any]:
    """What the step leads to: a value by its key, or a record of a list."""
    if isinstance(data, list):
        for record in data:
            if isinstance(record, dict) and step in map(record.get, NAMES):
                yield record
    elif isinstance(data, dict):
        if step in data:
            yield data[step]
        for value in data.values():
            if isinstance(value, list):
                yield from _children(value, step)
