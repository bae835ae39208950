"""Print what a catalogue of another app comes to: `read_catalogue game.zip --collection whfb6`.

Nothing is stored. Ends with 1 where the files cannot be read.
"""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engine.errors import Refusal
from rulesdata.queries.sent_catalogues import CatalogueDraft, read_draft


class Command(BaseCommand):
    """Reads files of BattleScribe or New Recruit and prints the report."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the files, the collection, and what is chosen of the catalogue."""
        parser.add_argument("files", nargs="+", type=Path, help=".gst, .cat or .zip files")
        parser.add_argument("--collection", required=True, help="whose stat lines it gets")
        parser.add_argument("--base", default="", help="the army that the list lies over")
        parser.add_argument("--catalogue", default="", help="which one becomes the list")
        parser.add_argument(
            "--also", action="append", default=[], help="whose units join it"
        )
        parser.add_argument(
            "--price-type", default="", help="the id of the price that counts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read the files and print units, doubts and what was left out, and the seconds."""
        began = time.monotonic()
        try:
            files = tuple((path.name, path.read_bytes()) for path in options["files"])
            draft = CatalogueDraft(
                files,
                options["collection"],
                options["catalogue"],
                also=tuple(options["also"]),
                price_type=options["price_type"],
                base=options["base"],
            )
            translation = read_draft(draft).translation
        except (OSError, Refusal) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{translation.name}: {translation.counts}")
        for unit in translation.units:
            options_words = f"{len(unit.options)} options"
            self.stdout.write(
                f"  {unit.name}: {unit.points} {translation.price_type}, {options_words}"
            )
        for doubt in translation.report.doubts:
            self.stdout.write(f"  to check: {doubt.unit}: {doubt.sentence}")
        for what, number in translation.report.dropped.most_common():
            self.stdout.write(f"  left out: {what}: {number}")
        self.stdout.write(f"read in {time.monotonic() - began:.1f} s")
