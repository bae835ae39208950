"""`manage.py load_rulesdata`: the rule packs into the database."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rulesdata.operations.packs import load_packs
from rulesdata.pack_files.folders import PACKS, PackError


class Command(BaseCommand):
    help = (
        "Load the rule packs: every file is checked first, then all rows change at once or none "
        "does."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the tree of packs to load, and the switch to compare every row."""
        parser.add_argument(
            "--pack",
            type=Path,
            default=PACKS,
            help="a tree of packs in place of the built-in ones",
        )
        parser.add_argument(
            "--force",
            action="store_true",
            help="compare every row even where no file has changed",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the packs and print what changed; CommandError where they have faults."""
        started = time.monotonic()
        try:
            report = load_packs(options["pack"], force=options["force"])
        except PackError as error:
            for fault in error.faults:
                self.stderr.write(str(fault))
            raise CommandError(
                f"{len(error.faults)} faults; nothing was changed."
            ) from None
        for line in report.lines():
            self.stdout.write(line)
        self.stdout.write(f"Rule books loaded in {time.monotonic() - started:.1f} s.")
