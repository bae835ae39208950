"""Print what the prices of catalogues depend on: `measure_catalogue games/`.

Each subset holds those before it; we evaluate up to S4. Nothing is stored.
"""

from argparse import ArgumentParser
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rulesdata.foreign.archives import open_archives
from rulesdata.foreign.catalogues import CatalogueFile, close, read_catalogue_file
from rulesdata.foreign.subsets import WORDS, PriceLevels, measure
from rulesdata.management.refusals import refused_as_error

READ_NAMES = (".cat", ".gst", ".catz", ".gstz", ".zip")


class Command(BaseCommand):
    """Reads every catalogue of a folder and prints the share of prices of each subset."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="with .gst, .cat or .zip files")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the table of a folder's catalogues; CommandError if none has units."""
        with refused_as_error():
            files = read_folder(options["folder"])
            found = [measure(close(one, files)) for one in files if one.has_units]
        if not found:
            raise CommandError("There is no catalogue with units in this folder.")
        for line in table(found):
            self.stdout.write(line)


def read_folder(folder: Path) -> list[CatalogueFile]:
    """Return all files of a folder. Raises Refusal for one that cannot be read."""
    paths = sorted(one for one in folder.iterdir() if one.suffix.lower() in READ_NAMES)
    opened = (open_archives([(path.name, path.read_bytes())]) for path in paths)
    return [read_catalogue_file(file) for file in chain.from_iterable(opened)]


def table(found: list[PriceLevels]) -> list[str]:
    """Return the lines of the table: units and options whose prices come through, in percent."""
    units: Counter[int] = Counter()
    places: Counter[int] = Counter()
    for one in found:
        units += one.units
        places += one.places
    lines = [f"catalogues: {len(found)}, units: {units.total()}, options: {places.total()}"]
    for level, words in enumerate(WORDS[:-1]):
        shares = (_share(units, level), _share(places, level))
        lines.append(
            f"S{level} {words}: {shares[0]:.1f} % of units, {shares[1]:.2f} % of options"
        )
    return lines


def _share(counted: Counter[int], level: int) -> float:
    """Return how many of them need no more than this subset, in percent."""
    within = sum(number for needed, number in counted.items() if needed <= level)
    return 100 * within / max(1, counted.total())
