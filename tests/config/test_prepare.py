"""`manage.py prepare` does what is needed, and on the second start nothing that is not."""

import sqlite3
import time
from contextlib import closing
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone

from config import health
from config.health import problem_of_file
from config.management.commands import prepare
from config.site_lock import hold_preparation
from rulesdata.models import Collection, System
from rulesdata.operations.packs import load_packs, packs_are_current

PURGES = ("purge_unclaimed", "settle_results")


@pytest.fixture
def site(monkeypatch, settings, tmp_path):
    """A site in a folder of its own.

    Calling it runs `prepare` and returns the commands that ran within.
    """
    ran: list[str] = []
    loaded: set[str] = set()
    settings.DATA_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STATIC_ROOT.mkdir()

    def stand_in(name: str, **options) -> None:
        ran.append(name)
        loaded.add(name)
        if name == "collectstatic":
            (settings.STATIC_ROOT / "staticfiles.json").write_text("{}")

    monkeypatch.setattr(prepare, "call_command", stand_in)
    monkeypatch.setattr(prepare, "packs_are_current", lambda: "load_rulesdata" in loaded)

    def run() -> list[str]:
        ran.clear()
        call_command("prepare", stdout=StringIO())
        return list(ran)

    return run


@pytest.mark.django_db
def test_first_start_does_everything_and_the_second_almost_nothing(site):
    assert site() == ["check", "load_rulesdata", *PURGES, "collectstatic", "make_demo"]
    assert site() == ["check", *PURGES, "make_demo"]


@pytest.mark.django_db
def test_pending_migrations_are_applied(site, monkeypatch):
    monkeypatch.setattr(prepare.health, "has_pending_migrations", lambda: True)
    assert "migrate" in site()


@pytest.mark.django_db
def test_an_empty_database_is_loaded_again(site, monkeypatch):
    site()
    monkeypatch.setattr(prepare, "packs_are_current", lambda: False)
    assert "load_rulesdata" in site()


@pytest.mark.django_db
def test_a_changed_file_is_noticed(site, settings, tmp_path):
    site()
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "new.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, folder]
    prepare.get_finders.__globals__["get_finder"].cache_clear()
    assert "collectstatic" in site()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "notes", ["", "{spoilt", "[]", "null", '{"packs": 7}', "[" * 100_000, "\0"]
)
def test_lost_or_spoilt_notes_only_mean_more_work(site, tmp_path, notes):
    site()
    (tmp_path / "prepared.json").write_text(notes)
    assert site() == ["check", *PURGES, "collectstatic", "make_demo"]


@pytest.mark.django_db
def test_database_with_older_rule_books_is_noticed_whatever_the_notes_say():
    """A restored database: the notes beside it are of another one."""
    load_packs()
    assert packs_are_current()
    for model in (System, Collection):
        row = model.objects.filter(retired_at=None).first()
        model.objects.filter(pk=row.pk).update(data_hash="of older files")
        assert not packs_are_current()
        load_packs()
        assert packs_are_current()
    now = timezone.now()
    System.objects.create(key="gone", name="Gone", data_hash="x", loaded_at=now)
    assert not packs_are_current()


@pytest.mark.django_db
def test_demo_club_is_made_only_where_it_is_wanted(site, settings):
    settings.DEMO = False
    assert "make_demo" not in site()


@pytest.mark.django_db
def test_database_of_a_newer_release_is_refused(site, monkeypatch):
    applied = {("warbands", "9999_later"): None, ("gone_app", "0001_initial"): None}
    monkeypatch.setattr(
        health.MigrationRecorder, "applied_migrations", lambda self: applied
    )
    with pytest.raises(CommandError, match=r"newer release: .* warbands\.9999_later"):
        site()


def made_file(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(50000));"
        )
    return path


@pytest.mark.parametrize("damage,words", [
    ("none", ""), ("gone", "is gone"), ("empty", "is empty"), ("cut", "malformed"),
    ("text", "cannot be read"),
])  # fmt: skip
def test_damaged_database_is_a_sentence(tmp_path, damage, words):
    path = made_file(tmp_path / "db.sqlite3")
    whole = path.read_bytes()
    match damage:
        case "gone":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(whole[: len(whole) // 2])
        case "text":
            path.write_bytes(b"no database" * 1000)
    problem = problem_of_file(path, was_used=True)
    assert words in problem
    assert bool(problem) == bool(words)
    if words:
        assert "script/restore" in problem


def test_new_site_has_no_database_yet(tmp_path):
    assert problem_of_file(tmp_path / "db.sqlite3", was_used=False) == ""


@pytest.mark.django_db(transaction=True)
def test_two_that_prepare_take_turns(settings, tmp_path):
    """Each on a machine of its own, so nothing but the database keeps them apart."""
    folders = [tmp_path / name for name in ("one", "two")]
    inside: list[str] = []
    overlaps: list[str] = []

    def prepare_alone(folder: Path) -> None:
        with hold_preparation():
            overlaps.extend(inside)
            inside.append(folder.name)
            time.sleep(0.2)
            inside.remove(folder.name)
        connections.close_all()

    if connection.vendor == "sqlite":
        folders[1] = folders[0]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    threads = [Thread(target=prepare_alone, args=(folder,)) for folder in folders]
    for folder, thread in zip(folders, threads, strict=True):
        settings.DATA_DIR = folder
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert not overlaps
