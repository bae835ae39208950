"""`manage.py prepare`: everything between an unpacked release and one that can be served."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command, get_commands
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
            call_command("check", databases=["default"], verbosity=0, stdout=_Silence())
            self.prepare_site()

    def check_database(self) -> None:
        """Raise CommandError for a database that is gone, damaged or from a newer release."""
        name = str(connection.settings_dict["NAME"])
        if connection.vendor == "sqlite":
            problem = problem_of_file(
                Path(name), was_used=self.stamps.get("database") == name
            )
            if problem:
                raise CommandError(problem)
        newer = newer_migration()
        if newer:
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
            if self.stamps.get("database") != str(path):
                self.stamps.set("database", str(path))
        self.load_packs()
        for name in ("purge_unclaimed", "settle_results"):
            if name in get_commands():
                call_command(name, stdout=_Silence())
        self.gather_static()
        if settings.DEMO:
            call_command("make_demo", stdout=self.stdout)
        if not User.objects.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write(
                "No administrator yet. Make one: script/manage createsuperuser"
            )

    def load_packs(self) -> None:
        """Load the rule packs unless the database says it was made from these very files."""
        if "load_rulesdata" not in get_commands():
            return
        if packs_are_current():
            return
        self.stdout.write("Loading the rule books ...")
        call_command("load_rulesdata", stdout=self.stdout)

    def gather_static(self) -> None:
        """Collect and compress the static files when one has changed."""
        files = [
            Path(storage.path(name))
            for finder in get_finders()
            for name, storage in finder.list([])
        ]
        digest = _digest(files, str(settings.STATIC_ROOT))
        if (
            self.stamps.get("static") == digest
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


class _Silence:
    def write(self, text: str) -> None:
        pass


class _Stamps:
    """What was done last time: a name and the digest of what it was done from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            found = {}
        # Notes that were spoilt only mean that more is done anew.
        self.values: dict[str, str] = found if isinstance(found, dict) else {}

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def set(self, name: str, digest: str) -> None:
        self.values[name] = digest
        draft = self.path.with_suffix(".new")
        draft.write_text(json.dumps(self.values), encoding="utf-8")
        draft.replace(self.path)


def _digest(files: Iterable[Path], extra: str) -> str:
    """A digest of the files' paths, sizes and times of change: nothing is read."""
    total = hashlib.sha256(extra.encode())
    for path in sorted(files):
        state = path.stat()
        if path.is_file():
            total.update(f"\0{path}\0{state.st_size}\0{state.st_mtime_ns}".encode())
    return total.hexdigest()
