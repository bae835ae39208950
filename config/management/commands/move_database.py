"""`manage.py move_database`: everything that the database holds, into another one."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from config import env, settings
from config.database_copies import copy_database
from config.site_lock import hold_site

TARGET = "target"


class Command(BaseCommand):
    help = (
        "Copy all rows into an empty database, compare both, and say how to use it. The variable "
        "MOVE_TO names it as DATABASE_URL would; the site must be stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: MOVE_TO=postgres://user:password@host:5432/name manage.py move_database"

    def handle(self, *args: Any, **options: Any) -> None:
        if not os.environ.get("MOVE_TO"):
            raise CommandError("Set MOVE_TO to the address of an empty database.")
        database = env.with_options(env.database("MOVE_TO", ""), settings.THREADS)
        configured = connections.configure_settings({"default": {}, TARGET: database})
        connections.settings[TARGET] = configured[TARGET]
        with hold_site() as is_free:
            if not is_free:
                raise CommandError(
                    "The site is running. Stop its server and its workers first."
                )
            total = copy_database(TARGET)
        self.stdout.write(
            f"{total:,} rows were copied, and every table has the same hash in both databases. "
            "Start the site with DATABASE_URL set to the new one."
        )
