"""Where the benchmarks run: a data folder and a database of their own, gone afterwards.

Nothing here imports Django before the environment says where they are.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
PREPARED = "prepared.sqlite3"
UNSET = (
    "DATABASE_URL", "REDIS_URL", "SITE_URL", "DEBUG", "SECRET_KEY", "EMAIL_URL",
    "TRUST_PROXY", "WEB_CONCURRENCY",
)  # fmt: skip


@contextmanager
def temporary_site(*, on_postgres: bool = False) -> Iterator[str]:
    """Point the settings at a fresh folder, and at a fresh PostgreSQL database where asked.

    Yields words for both.
    """
    with tempfile.TemporaryDirectory(
        prefix="muster-bench-", ignore_cleanup_errors=True
    ) as folder:
        for name in UNSET:
            os.environ.pop(name, None)
        os.environ |= {"DATA_DIR": folder, "API_RATE": "100000/sec"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        if not on_postgres:
            _set_up()
            yield f"SQLite in {folder}"
            return
        with postgres_database(f"muster_bench_{os.getpid()}") as url:
            os.environ["DATABASE_URL"] = url
            _set_up()
            try:
                yield "PostgreSQL"
            finally:
                close()


def _set_up() -> None:
    import logging

    import django

    django.setup()
    logging.disable(logging.WARNING)


def server_url() -> str:
    """The URL of a PostgreSQL that may make databases.

    Raises SystemExit with the reason where there is none.
    """
    asked = subprocess.run(
        [sys.executable, "script/postgres_url.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        raise SystemExit(asked.stderr.strip())
    return asked.stdout.strip()


@contextmanager
def postgres_database(name: str, template: str = "template1") -> Iterator[str]:
    """A database of this name, dropped at the end. Yields its URL."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    server = server_url().rpartition("/")[0]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(
            SQL("CREATE DATABASE {} TEMPLATE {}").format(
                Identifier(name), Identifier(template)
            )
        )
        try:
            yield f"{server}/{name}"
        finally:
            connection.execute(
                SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name))
            )


def database_name() -> str:
    """The name of the PostgreSQL database in use; empty on SQLite."""
    return urlsplit(os.environ.get("DATABASE_URL", "")).path.lstrip("/")


def close() -> None:
    from django.db import connection, connections

    connections.close_all()
    if connection.vendor == "postgresql":
        connection.close_pool()


@cache
def ready() -> None:
    """The site as a server has it: migrated, packs loaded, static files gathered. Done once."""
    from django.conf import settings
    from django.core.management import call_command

    from tests.bench.measure import IS_TINY
    from tests.reliability.server import gather_statics
    from tests.rulebooks import load_books

    # As cheap as the tests' hashes: no benchmark is about passwords.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    if IS_TINY:
        _make_tables()
        load_books()
        gather_statics(settings.DATA_DIR)
    else:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("load_rulesdata", verbosity=0, stdout=io.StringIO())
        call_command("collectstatic", interactive=False, verbosity=0)
    if not database_name():
        shutil.copy(settings.DATABASES["default"]["NAME"], settings.DATA_DIR / PREPARED)


def _make_tables() -> None:
    """The tables as the tests have them: made from the models: it migrates nothing."""
    from django.apps import apps
    from django.core.management import call_command
    from django.test import override_settings

    from tests.database import record_migrations

    without = {app.label: None for app in apps.get_app_configs()}
    with override_settings(MIGRATION_MODULES=without):
        call_command("migrate", run_syncdb=True, interactive=False, verbosity=0)
    record_migrations()


def copy_prepared_database(folder: str) -> None:
    """Put the SQLite file that `ready` left into another data folder; none from PostgreSQL."""
    from django.conf import settings

    ready()
    if not database_name():
        shutil.copy(settings.DATA_DIR / PREPARED, Path(folder) / "db.sqlite3")
