"""`manage.py backup`: one file with all that the site keeps."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.backups import backup_name, expired, make_backup


class Command(BaseCommand):
    help = (
        "Write a backup into a folder while the site runs, and delete old backups: the last of "
        "each of 7 days and of 4 weeks stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--keep-all", action="store_true", help="delete no old backup")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        target = folder / backup_name(datetime.now(UTC))
        manifest = make_backup(target)
        self.stdout.write(
            f"{target}: {target.stat().st_size:,} bytes, {len(manifest.members)} files"
        )
        if not options["keep_all"]:
            for name in expired(path.name for path in folder.iterdir()):
                (folder / name).unlink()
                self.stdout.write(f"{folder / name}: deleted, it is old")
