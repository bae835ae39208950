"""`manage.py restore`: the site as it was when a backup was made."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.backups import restore_backup


class Command(BaseCommand):
    help = "Replace the database, the secret key and the kept files by those of a backup."
    requires_system_checks = ()  # the database may be missing or damaged

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        manifest = restore_backup(options["file"])
        self.stdout.write(
            f"The site is as it was on {manifest.made_at}. The replaced files are beside it, under "
            "names with “before”. Now start the site."
        )
