"""`manage.py check_rules`: the work list of the rule packs, and their published shapes."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from rulesdata import json_schema, kinds
from rulesdata.checking import check_folder
from rulesdata.pack_files.folders import PACKS


class Command(BaseCommand):
    help = (
        "Check every file of the rule packs; prints each fault with file, line, key and what was "
        "expected."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--pack", type=Path, default=PACKS, help="one pack, or a tree of packs, anywhere"
        )
        parser.add_argument(
            "--write-schema",
            action="store_true",
            help="write docs/schema/*.json and the table of kinds in docs/adding-a-system.md anew",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        docs = settings.BASE_DIR / "docs"
        folder, document = docs / "schema", docs / "adding-a-system.md"
        if options["write_schema"]:
            json_schema.write(folder)
            kinds.write_table(document)
        faults = [str(fault) for fault in check_folder(options["pack"])]
        if options["pack"] == PACKS:
            faults += [
                f"docs/schema/{name}: run check_rules --write-schema"
                for name in json_schema.outdated(folder)
            ]
            if not kinds.is_current(document):
                faults.append(f"docs/{document.name}: run check_rules --write-schema")
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            self.stderr.write(f"{len(faults)} faults.")
            sys.exit(1)
        self.stdout.write("Every rule pack is in order.")
