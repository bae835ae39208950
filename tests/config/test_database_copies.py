"""R40: a database moves to another one, of either kind, equal by hash; and back.

Each command runs in a process of its own, as an owner runs it, because a process that tests has one
database.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.database_copies import hash_of_table, ordered_models
from config.site_lock import hold_site
from jobs.models import Job, JobFileChunk
from tests.factories import make_legal_warband
from tests.reliability.server import database_url
from warbands.models import Warband

ROOT = Path(__file__).resolve().parents[2]
# A new row has a number that no copied row has.
HASHES = """
import json
from config.database_copies import hash_of_table, ordered_models
from warbands.models import Warband
found = {model._meta.label: hash_of_table(model, "default") for model in ordered_models()}
row = Warband.objects.first()
row.pk, row.token = None, "another-token-00"
row.save()
print(json.dumps([found, Warband.objects.count()]))
"""
FORGET = """
from config import database_copies
from django.core.management import call_command
original = database_copies._copy_rows
database_copies._copy_rows = lambda model, name: (
    0 if model.__name__ == "WarbandEvent" else original(model, name)
)
call_command("move_database")
"""

pytestmark = pytest.mark.django_db(transaction=True)


class Owner:
    """Somebody who runs commands of the site, with a data folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, database: str = "", **variables: str) -> str:
        """Run manage.py; return what it said on both outputs."""
        environment = {
            **os.environ,
            "DATA_DIR": str(self.folder),
            "DATABASE_URL": database or database_url(),
            **variables,
        }
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert "Traceback" not in done.stderr, done.stderr[-2000:]
        return done.stdout + done.stderr

    def hashes(self, database: str) -> Mapping[str, str]:
        """The hash of each table there, before a row is added."""
        found, warbands = json.loads(
            self.run("shell", "--no-imports", "-c", HASHES, database=database)
        )
        assert warbands == 2
        return found


def own_hashes() -> Mapping[str, str]:
    return {one._meta.label: hash_of_table(one, "default") for one in ordered_models()}


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return Owner(tmp_path)


@pytest.fixture
def other(tmp_path: Path) -> str:
    """The address of an SQLite database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'other.sqlite3'}"


@pytest.mark.one_database  # from PostgreSQL the last test goes the same way, and back
@pytest.mark.soak
def test_copy_is_equal_by_hash(owner: Owner, other: str) -> None:
    """After one that differs: it is taken back to the last table."""
    make_legal_warband(name="Ärgernis “1”")
    job = Job.objects.create(kind="count", title="Counting")
    JobFileChunk.objects.create(job=job, number=0, content=bytes(range(256)))
    attempt = f"try:\n{indented(FORGET)}\nexcept Exception as e: print(e)"
    told = owner.run("shell", "--no-imports", "-c", attempt, MOVE_TO=other)
    assert "warbands_warbandevent differs after copying" in told
    before = own_hashes()
    assert "the same hash" in owner.run("move_database", MOVE_TO=other)
    assert owner.hashes(other) == before


def test_order_of_json_keys_is_no_difference() -> None:
    """PostgreSQL gives the keys of JSON back in an order of its own."""
    warband = make_legal_warband()
    found = []
    for rules in ({"b": True, "aa": [1]}, {"aa": [1], "b": True}, {"aa": [1], "b": False}):
        Warband.objects.filter(pk=warband.pk).update(house_rules=rules)
        found.append(hash_of_table(Warband, "default"))
    assert found[0] == found[1] != found[2]


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def test_address_is_needed(monkeypatch, capsys):
    monkeypatch.setenv("MOVE_TO", "")
    with pytest.raises(CommandError, match="MOVE_TO"):
        call_command("move_database")
    monkeypatch.setenv("MOVE_TO", "nonsense")
    with pytest.raises(SystemExit):
        call_command("move_database")
    assert "Setting MOVE_TO: must be" in capsys.readouterr().err


def test_database_that_cannot_be_opened_is_a_sentence(owner: Owner, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    told = owner.run("move_database", MOVE_TO=f"sqlite:///{tmp_path / 'folder'}")
    assert "The other database refused" in told


def test_running_site_is_not_moved(monkeypatch, other, tmp_path, settings):
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv("MOVE_TO", other)
    with hold_site(), pytest.raises(CommandError, match="The site is running"):
        call_command("move_database")


@pytest.fixture
def second_postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL database beside that of the tests."""
    name = f"{connection.settings_dict['NAME']}_copy"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}"')
    yield database_url().rpartition("/")[0] + f"/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_copy_comes_back_into_postgres(owner, other, second_postgres):
    """PostgreSQL to SQLite, and from there into another PostgreSQL database."""
    make_legal_warband(name="Ärgernis “1”")
    job = Job.objects.create(kind="count", title="Counting")
    JobFileChunk.objects.create(job=job, number=0, content=bytes(range(256)))
    before = own_hashes()
    owner.run("move_database", MOVE_TO=other)
    assert "not empty" in owner.run("move_database", MOVE_TO=other)
    assert "the same hash" in owner.run(
        "move_database", database=other, MOVE_TO=second_postgres
    )
    assert owner.hashes(second_postgres) == before
