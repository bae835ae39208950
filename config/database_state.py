"""Whether the database can be used: it is there, whole, and not from a newer release."""

from contextlib import closing
from pathlib import Path
from sqlite3 import DatabaseError as SqliteError
from sqlite3 import connect

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.health import known_migrations

REMEDY = "Restore a backup (script/restore FILE), or move it out of the way to begin with an empty site."


def problem_of_file(path: Path, *, was_used: bool) -> str:
    """Return what is wrong with an SQLite file, in a sentence with a remedy; "" where nothing is.

    ``was_used``: the site was prepared with this file before, so it must be there.
    """
    if not path.exists():
        gone = f"The database {path} is gone, but this site was prepared with it. "
        return gone + f"{REMEDY} Its notes are in prepared.json." if was_used else ""
    if not path.stat().st_size:
        return f"The database {path} is empty. {REMEDY}"
    try:
        with closing(connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except SqliteError as error:
        return f"The database {path} cannot be read ({error}). {REMEDY}"
    return "" if found == "ok" else f"The database {path} is damaged ({found}). {REMEDY}"


def newer_migration() -> str:
    """Return a migration that the database has and this release does not know, or ""."""
    ours = {app for app, _ in known_migrations()}
    applied = MigrationRecorder(connection).applied_migrations()
    # What another app once left in the table, such as one that is no longer installed, is no fault.
    unknown = sorted(name for name in set(applied) - known_migrations() if name[0] in ours)
    return ".".join(unknown[0]) if unknown else ""
