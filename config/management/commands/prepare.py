"""`manage.py prepare`: everything between an unpacked release and one that can be served."""

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.models import User
from config import health
from config.health import newer_migration, problem_of_file
from config.site_lock import hold_preparation
from rulesdata.operations.packs import packs_are_current


class Command(BaseCommand):
    help = (
        "Check the set-up, migrate, load the rule packs, make the demo club, and gather the "
        "static files."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stamps = _Stamps(settings.DATA_DIR / "prepared.json")
        with hold_preparation():
            self.check_database()
            call_command("check", databases=["default"], verbosity=0, stdout=StringIO())
            self.prepare_site()

    def check_database(self) -> None:
        """Raise CommandError for a database that is gone, damaged or from a newer release."""
        name = str(connection.settings_dict["NAME"])
        if connection.vendor == "sqlite":
            was_used = self.stamps.values.get("database") == name
            if problem := problem_of_file(Path(name), was_used=was_used):
                raise CommandError(problem)
        if newer := newer_migration():
            raise CommandError(
                f"The database is from a newer release: this one does not know {newer}. "
                "Update the site, or restore a backup of this release."
            )

    def prepare_site(self) -> None:
        """Do what is left to do, from the migrations to the static files."""
        if health.has_pending_migrations():
            self.stdout.write("Preparing the database ...")
            call_command("migrate", interactive=False, verbosity=0)
        if connection.vendor == "sqlite":
            path = Path(connection.settings_dict["NAME"])
            path.chmod(0o600)
            if self.stamps.values.get("database") != str(path):
                self.stamps.set("database", str(path))
        if not packs_are_current():
            self.stdout.write("Loading the rule books ...")
            call_command("load_rulesdata", stdout=self.stdout)
        for name in ("purge_unclaimed", "settle_results"):
            call_command(name, stdout=StringIO())
        self.gather_static()
        if settings.DEMO:
            call_command("make_demo", stdout=self.stdout)
        if not User.objects.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write(
                "No administrator yet. Make one: script/manage createsuperuser"
            )

    def gather_static(self) -> None:
        """Collect and compress the static files when one has changed."""
        files = [
            Path(storage.path(name))
            for finder in get_finders()
            for name, storage in finder.list([])
        ]
        total = hashlib.sha256(str(settings.STATIC_ROOT).encode())
        for path in sorted(files):
            state = path.stat()
            if path.is_file():
                total.update(f"\0{path}\0{state.st_size}\0{state.st_mtime_ns}".encode())
        digest = total.hexdigest()
        if (
            self.stamps.values.get("static") == digest
            and (settings.STATIC_ROOT / "staticfiles.json").exists()
        ):
            return
        self.stdout.write("Gathering the static files ...")
        try:
            call_command("collectstatic", interactive=False, verbosity=0, clear=True)
        except ValueError as error:
            raise CommandError(
                f"A static file names another that is not there: {error}"
            ) from error
        self.stamps.set("static", digest)


class _Stamps:
    """What was done last time: a name and the digest of what it was done from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            notes = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            notes = {}
        # Notes that were spoilt only mean that more is done anew.
        self.values: dict[str, str] = notes if isinstance(notes, dict) else {}

    def set(self, name: str, digest: str) -> None:
        self.values[name] = digest
        draft = self.path.with_suffix(".new")
        draft.write_text(json.dumps(self.values), encoding="utf-8")
        draft.replace(self.path)
