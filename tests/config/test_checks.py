"""What is refused at start, and what `check --deploy` says."""

import subprocess
import sys

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import ConnectionHandler

from config import health
from config.env import with_options


def ids(messages):
    return [message.id for message in messages]


def test_unwritable_data_folder_is_refused(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    assert health.check_data_folder() == []
    settings.DATA_DIR = tmp_path / "missing"
    assert ids(health.check_data_folder()) == ["config.E001"]


@pytest.mark.parametrize("processes,backend,expected", [
    (1, "locmem.LocMemCache", []),
    (2, "locmem.LocMemCache", ["config.E002"]),
    (2, "redis.RedisCache", []),
])  # fmt: skip
def test_several_processes_need_a_shared_cache(settings, processes, backend, expected):
    # Only read by the check: setting CACHES itself would rebuild every cache.
    settings.PROCESSES = processes
    settings.CACHES["default"] = {
        **settings.CACHES["default"],
        "BACKEND": f"django.core.cache.backends.{backend}",
    }
    try:
        assert ids(health.check_processes()) == expected
    finally:
        settings.CACHES["default"]["BACKEND"] = (
            "django.core.cache.backends.locmem.LocMemCache"
        )


@pytest.mark.parametrize("journal_mode,synchronous,expected", [
    ("wal", "3", []), ("WAL", "2", []),
    ("delete", "3", ["config.E003"]),
    ("wal", "1", ["config.E004"]),
    ("memory", "0", ["config.E003", "config.E004"]),
])  # fmt: skip
def test_pragmas_that_could_lose_data_are_refused(
    settings, journal_mode, synchronous, expected
):
    settings.SQLITE_JOURNAL_MODE = "wal"
    assert ids(health._check_pragmas(journal_mode, synchronous)) == expected


@pytest.mark.django_db
def test_database_with_the_sites_options_runs_as_asked(monkeypatch, tmp_path):
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / "db.sqlite3"}
    own = ConnectionHandler({"default": with_options(database, threads=2)})
    monkeypatch.setattr(health, "connections", own)
    assert health.check_sqlite(databases=["default"]) == []
    own["default"].close()


@pytest.mark.django_db
def test_check_command_fails_on_a_journal_mode_other_than_asked(settings):
    settings.SQLITE_JOURNAL_MODE = "persist"
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        pytest.skip("about SQLite")
    with pytest.raises(SystemCheckError, match="journal mode"):
        call_command("check", databases=["default"])


def test_deploy_check_has_nothing_to_say_under_https(project_root, tmp_path):
    environment = {
        "PATH": "/usr/bin:/bin",
        "DATA_DIR": str(tmp_path),
        "SITE_URL": "https://rosters.example.org",
    }
    command = [
        sys.executable, "manage.py", "check", "--deploy", "--database", "default",
        "--fail-level", "WARNING",
    ]  # fmt: skip
    result = subprocess.run(
        command,
        cwd=project_root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "no issues" in result.stdout
