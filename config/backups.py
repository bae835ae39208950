"""Backups: one file with the database, finished files of jobs in it, and the secret key.

A backup is a compressed tar file that only its owner may read. Its first member, ``manifest.json``,
names every other member with its size and SHA-256, and the migrations the database had.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, cast

import re2
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.health import known_migrations
from config.site_lock import hold_site, postgres_address
from engine.records import TextByKey

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database"
SECRET_KEY = "secret_key"  # noqa: S105  (the name of a member)
FILES = "jobs"  # in backups made before finished files lay in the database
DAYS_KEPT = 7
WEEKS_KEPT = 4
LOOKS = 10
OTHER_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
NAME = re2.compile(r"muster-roll-(\d{8}T\d{6}Z)\.tar\.gz")
TIME_FORMAT = "%Y%m%dT%H%M%SZ"


class BackupError(CommandError):
    """A backup that cannot be made or used; the message says why and what helps."""


@dataclass(frozen=True)
class Manifest:
    """What a backup holds. ``members`` gives (size in bytes, SHA-256) by name."""

    format: int
    made_at: str
    vendor: str
    migrations: list[str]
    members: dict[str, tuple[int, str]]


def backup_name(moment: datetime) -> str:
    """Return the file name of a backup made at a moment in UTC."""
    return f"muster-roll-{moment.strftime(TIME_FORMAT)}.tar.gz"


def make_backup(target: Path) -> Manifest:
    """Write a backup while the site runs, and read it back; raises BackupError.

    The file appears under its name only when it is whole and on disk.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backup-") as folder:
            manifest = _collect(Path(folder))
            with open(draft, "wb", opener=_open_private) as file:
                with tarfile.open(fileobj=file, mode="w:gz") as archive:
                    for name in (MANIFEST, *manifest.members):
                        archive.add(Path(folder) / name, arcname=name)
                file.flush()
                os.fsync(file.fileno())
        with unpacked(draft):
            draft.replace(target)
    except OSError as error:
        raise BackupError(f"The backup could not be written: {error}.") from error
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def restore_backup(source: Path) -> Manifest:
    """Put the site back to what it was when the backup was made; raises BackupError.

    Nothing is changed unless the whole backup is sound, is not from a newer release, and the site
    stands still. What is replaced in `DATA_DIR` is kept beside it, under a name with the time.
    Where root restores it, all of `DATA_DIR` is given to its owner, who runs the site.
    """
    with unpacked(source) as (folder, manifest):
        migrations = {f"{app}.{name}" for app, name in known_migrations()}
        unknown = sorted(set(manifest.migrations) - migrations)
        if unknown:
            raise BackupError(
                f"The backup is from a newer release: this one does not know {unknown[0]}. "
                "Update the site, then restore it."
            )
        if manifest.vendor != connection.vendor:
            raise BackupError(
                f"The backup is of a {manifest.vendor} database and DATABASE_URL names a "
                f"{connection.vendor} one. Restore it there, then use script/manage move_database."
            )
        with hold_site() as is_free:
            if not is_free or not _is_alone():
                raise BackupError(
                    "The site is running. Stop its server and its workers first."
                )
            _close_connections()
            _restore_database(folder / DATABASE)
            _replace(settings.DATA_DIR / SECRET_KEY, folder / SECRET_KEY)
            _replace(Path(settings.JOBS_DIR), folder / FILES)
    if os.geteuid() == 0:
        owner = settings.DATA_DIR.stat()
        for path in settings.DATA_DIR.rglob("*"):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    return manifest


def expired(names: Iterable[str]) -> list[str]:
    """Return the backups to delete: all but the last of each of so many days and weeks.

    Only days and weeks with a backup count. Names that are no backup's are never returned.
    """
    times = {match[0]: match[1] for match in map(NAME.fullmatch, names) if match}
    newest_first = sorted(times, reverse=True)
    newest_of_day: TextByKey = {}
    newest_of_week: TextByKey = {}
    for name in newest_first:
        made_at = datetime.strptime(times[name], TIME_FORMAT).replace(tzinfo=UTC)
        newest_of_day.setdefault(made_at.strftime("%Y-%m-%d"), name)
        newest_of_week.setdefault(made_at.strftime("%G-%V"), name)
    current = {
        *list(newest_of_day.values())[:DAYS_KEPT],
        *list(newest_of_week.values())[:WEEKS_KEPT],
    }
    return [name for name in newest_first if name not in current]


@contextmanager
def unpacked(source: Path) -> Iterator[tuple[Path, Manifest]]:
    """Give a folder with the checked members of a backup; raises BackupError for a damaged one."""
    with tempfile.TemporaryDirectory(dir=settings.DATA_DIR, prefix=".restore-") as name:
        folder = Path(name)
        try:
            with tarfile.open(source, "r:gz") as archive:
                manifest = _read_manifest(archive)
                while member := archive.next():
                    _extract(archive, member, folder, manifest)
        except (
            OSError,
            EOFError,
            tarfile.TarError,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            raise BackupError(
                f"{source.name} is damaged or is not a backup ({error}). Nothing was changed."
            ) from error
        missing = [each for each in manifest.members if not (folder / each).is_file()]
        if missing:
            raise BackupError(f"{source.name} is damaged: {missing[0]} is missing in it.")
        yield folder, manifest


def _read_manifest(archive: tarfile.TarFile) -> Manifest:
    """Return the manifest, which is the first member; raises ValueError, KeyError, TypeError."""
    first = archive.next()
    file = archive.extractfile(first) if first and first.name == MANIFEST else None
    if file is None:
        raise ValueError("it does not begin with a manifest")
    fields = json.load(file)
    if fields["format"] != FORMAT:
        raise BackupError(
            "The backup is from a newer release. Update the site, then restore it."
        )
    members = {name: (size, digest) for name, (size, digest) in fields["members"].items()}
    return Manifest(**{**fields, "members": members})


def _extract(
    archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, manifest: Manifest
) -> None:
    """Write one member into the folder; raises ValueError where it is not what the manifest says."""
    size, digest = manifest.members[member.name]
    path = PurePosixPath(member.name)
    if (
        path.is_absolute()
        or ".." in path.parts
        or not member.isfile()
        or member.size != size
    ):
        raise ValueError(f"{member.name} is not what the manifest says")
    content = archive.extractfile(member)
    assert content
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with content, open(target, "xb", opener=_open_private) as file:
        shutil.copyfileobj(content, file)
    if sha256_of_file(target) != digest:
        raise ValueError(f"{member.name} is not what the manifest says")


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _collect(folder: Path) -> Manifest:
    """Put everything of a backup and its manifest into the folder; return the manifest."""
    target = folder / DATABASE
    if connection.vendor == "sqlite":
        with (
            closing(sqlite3.connect(connection.settings_dict["NAME"])) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            # In one step: in several, a busy site would make it begin again for ever.
            source.backup(copy, pages=-1)
        _refuse_damaged_sqlite(target)
    else:
        run_postgres_tool("pg_dump", "--format=custom", f"--file={target}", "--no-owner")
    (folder / SECRET_KEY).write_text(settings.SECRET_KEY, encoding="utf-8")
    manifest = Manifest(
        format=FORMAT,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        vendor=connection.vendor,
        migrations=sorted(f"{app}.{name}" for app, name in _applied_migrations()),
        members={
            path.name: (path.stat().st_size, sha256_of_file(path))
            for path in sorted(folder.iterdir())
        },
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest)), encoding="utf-8")
    return manifest


def _restore_database(source: Path) -> None:
    if connection.vendor == "sqlite":
        _refuse_damaged_sqlite(source)
        database = Path(connection.settings_dict["NAME"])
        for ending in ("-wal", "-shm", "-journal"):
            # They belong to the database that goes, and would be applied to the one that comes.
            database.with_name(database.name + ending).unlink(missing_ok=True)
        _replace(database, source)
    else:
        options = ("--clean", "--if-exists", "--no-owner", "--single-transaction")
        name = connection.settings_dict["NAME"]
        run_postgres_tool("pg_restore", *options, f"--dbname={name}", str(source))


def _refuse_damaged_sqlite(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as database:
            answer = database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        answer = str(error)
    if answer != "ok":
        raise BackupError(f"The database is damaged: {answer}.")


def run_postgres_tool(program: str, *arguments: str) -> None:
    """Run pg_dump or pg_restore on the site's database; raises BackupError with its first line."""
    variables = {
        "dbname": "PGDATABASE",
        "host": "PGHOST",
        "port": "PGPORT",
        "user": "PGUSER",
    }
    variables["password"] = "PGPASSWORD"  # noqa: S105  (a variable's name)
    address = {variables[name]: value for name, value in postgres_address().items()}
    try:
        done = subprocess.run(  # noqa: S603  (both programs are named in this file)
            [program, *arguments],
            env={**os.environ, **address},
            capture_output=True,
            text=True,
        )
    except FileNotFoundError as error:
        raise BackupError(
            f"{program} is not installed; it comes with PostgreSQL."
        ) from error
    if done.returncode:
        raise BackupError(f"{program}: {done.stderr.strip().splitlines()[0]}")


def _applied_migrations() -> Mapping[tuple[str, str], Any]:
    return MigrationRecorder(connection).applied_migrations()


def _is_alone() -> bool:
    """Return whether nobody else uses the PostgreSQL database; SQLite's users are found by the lock.

    A connection that was just closed is counted for a moment, so it is looked at more than once.
    """
    if connection.vendor == "sqlite":
        return True
    import psycopg  # noqa: PLC0415  (a site on SQLite loads no PostgreSQL)

    _close_connections()
    # Not through Django's pool, which opens connections ahead of their use.
    with psycopg.connect("", **postgres_address(), autocommit=True) as direct:
        for _ in range(LOOKS):
            if direct.execute(OTHER_CONNECTIONS).fetchone() == (0,):
                return True
            time.sleep(0.3)
    return False


def _close_connections() -> None:
    """Close this process's own connections, those that its pool keeps as well."""
    connection.close()
    if connection.vendor == "postgresql":
        cast(Any, connection).close_pool()


def _replace(target: Path, source: Path) -> None:
    """Put ``source`` where ``target`` is, which is kept beside it; a missing source removes it."""
    if target.exists():
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        target.rename(target.with_name(f"{target.name}.before-{moment}"))
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
