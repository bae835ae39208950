"""R40: a backup made under load comes back equal, and what is damaged or newer changes nothing."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import closing
from io import BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from pytest_django import Settings

from config import backups
from config.backups import BackupError, backup_name, expired, make_backup, restore_backup
from config.site_lock import hold_site
from jobs.models import Job, JobFileChunk
from jobs.storage import open_file
from tests.factories import make_legal_warband
from tests.reliability.server import database_url
from warbands.models import Warband

ROOT = Path(__file__).resolve().parents[2]
SHARE = (
    "import django; django.setup(); from config.site_lock import share_site; share_site()"
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Settings) -> Path:
    """A data folder of the test's own, with a part of an unfinished job and a key."""
    settings.DATA_DIR = tmp_path / "data"
    settings.JOBS_DIR = settings.DATA_DIR / "jobs"
    part = settings.JOBS_DIR / "abc" / "1.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"%PDF")
    (settings.DATA_DIR / "secret_key").write_text(settings.SECRET_KEY, encoding="utf-8")
    return settings.DATA_DIR


def rows() -> list[tuple[Any, ...]]:
    return list(Warband.objects.order_by("pk").values_list())


def rewrite(path: Path, member: str, content: bytes) -> None:
    parts: list[tuple[tarfile.TarInfo, bytes]] = []
    with tarfile.open(path) as archive:
        for info in archive:
            file = archive.extractfile(info)
            assert file
            parts.append((info, content if info.name == member else file.read()))
    with tarfile.open(path, "w:gz") as archive:
        for info, data in parts:
            info.size = len(data)
            archive.addfile(info, BytesIO(data))


def test_backup_comes_back_equal(tmp_path: Path, data_folder: Path) -> None:
    make_legal_warband(name="Before")
    before = rows()
    job = Job.objects.create(kind="count", title="Counting")
    JobFileChunk.objects.create(job=job, number=0, content=b"%PDF")
    target = tmp_path / "a.tar.gz"
    make_backup(target)
    assert target.stat().st_mode & 0o777 == 0o600
    make_legal_warband(name="After")
    Warband.objects.filter(name="Before").update(name="Changed")
    job.delete()
    restore_backup(target)
    assert rows() == before
    with open_file(f"{job.token}/round.pdf") as file:
        assert file.read() == b"%PDF"
    # A part of before would be taken for one of the job as it is now.
    assert not (data_folder / "jobs").exists()
    assert (data_folder / "secret_key").read_text(encoding="utf-8") == settings.SECRET_KEY
    kept = [path.name.partition(".")[0] for path in data_folder.glob("*.before-*")]
    assert {"jobs", "secret_key"} <= set(kept)


@pytest.mark.skipif("os.geteuid() != 0", reason="only root restores for another account")
def test_root_restores_for_the_owner_of_the_folder(tmp_path, data_folder):
    """What root leaves is the owner's and nobody else's to read, or the site would not start."""
    make_legal_warband()
    target = tmp_path / "a.tar.gz"
    make_backup(target)
    shutil.rmtree(data_folder)
    data_folder.mkdir(mode=0o750)
    os.chown(data_folder, 65534, 65534)
    older = with_member(target, "jobs/abc/round.pdf", b"%PDF")
    backups._close_connections()
    is_sqlite = connection.vendor == "sqlite"
    environment = {
        **os.environ,
        "DATA_DIR": str(data_folder),
        "DATABASE_URL": "" if is_sqlite else database_url(),
    }
    command = [sys.executable, "manage.py", "restore", str(older)]
    subprocess.run(command, cwd=ROOT, env=environment, umask=0o022, check=True)
    folder = data_folder.stat()
    assert (folder.st_uid, folder.st_gid, folder.st_mode & 0o777) == (65534, 65534, 0o750)
    paths = [*data_folder.rglob("*")]
    expected = {"secret_key", "site.lock", "round.pdf", *["db.sqlite3"] * is_sqlite}
    assert expected <= {path.name for path in paths}
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in paths}
    assert owners == {(65534, 65534)}
    private = [path for path in paths if path.name in expected - {"site.lock"}]
    assert [path for path in private if path.stat().st_mode & 0o077] == []


def with_member(target: Path, name: str, content: bytes) -> Path:
    """The backup with a finished file of a job, as earlier releases made it."""
    fields = json.loads(manifest_with(target, name))
    fields["members"][name] = [len(content), hashlib.sha256(content).hexdigest()]
    rewrite(target, "manifest.json", json.dumps(fields).encode())
    with tarfile.open(target) as archive, tarfile.open(f"{target}.new", "w:gz") as new:
        for info in archive:
            new.addfile(info, archive.extractfile(info))
        extra = tarfile.TarInfo(name)
        extra.size = len(content)
        new.addfile(extra, BytesIO(content))
    return Path(f"{target}.new")


def test_backup_under_load_is_whole(tmp_path: Path) -> None:
    """Each change writes a warband and its warriors: a backup holds both or neither."""
    make_legal_warband(name="First")
    stop = Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            make_legal_warband(name=f"Number {number}")
            number += 1
        connections.close_all()

    writer = Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            make_backup(tmp_path / f"{number}.tar.gz")
    finally:
        stop.set()
        writer.join()
    for number in range(3):
        restore_backup(tmp_path / f"{number}.tar.gz")
        counts = {row.warriors.count() for row in Warband.objects.order_by("pk")[:1]}
        assert counts == {3}


@pytest.mark.parametrize("damage", ["empty", "half", "bit", "text", "member", "escape"])
def test_damaged_backup_changes_nothing(tmp_path, data_folder, damage):
    target = tmp_path / "a.tar.gz"
    make_legal_warband(name="Before")
    make_backup(target)
    whole = target.read_bytes()
    middle = len(whole) // 2
    if damage == "member":
        rewrite(target, "secret_key", b"another")
    elif damage == "escape":
        rewrite(target, "manifest.json", manifest_with(target, "../../out"))
    else:
        changed = {
            "empty": b"",
            "half": whole[:middle],
            "bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "text": gzip.compress(b"no archive"),
        }
        target.write_bytes(changed[damage])
    make_legal_warband(name="After")
    now = rows()
    with pytest.raises(BackupError, match="damaged"):
        restore_backup(target)
    assert rows() == now
    assert not list(data_folder.glob("*.before-*"))
    assert not list(data_folder.glob(".restore-*"))


def manifest_with(target: Path, name: str) -> bytes:
    """The manifest with one member more, which is not in the archive."""
    with tarfile.open(target) as archive:
        file = archive.extractfile("manifest.json")
        assert file
        fields = json.load(file)
    fields["members"][name] = [0, ""]
    return json.dumps(fields).encode()


def test_backup_of_a_newer_release_is_refused(tmp_path, monkeypatch):
    target = tmp_path / "a.tar.gz"
    monkeypatch.setattr(
        backups, "_applied_migrations", lambda: {("warbands", "9999_later"): None}
    )
    make_backup(target)
    with pytest.raises(BackupError, match=r"newer release: .* warbands\.9999_later"):
        restore_backup(target)


def test_backup_of_another_database_is_refused(tmp_path, monkeypatch):
    target = tmp_path / "a.tar.gz"
    make_backup(target)
    fields = json.loads(manifest_with(target, "x"))
    del fields["members"]["x"]
    fields["vendor"] = "other"
    rewrite(target, "manifest.json", json.dumps(fields).encode())
    with pytest.raises(BackupError, match="move_database"):
        restore_backup(target)


def test_running_site_is_not_restored(tmp_path: Path, data_folder: Path) -> None:
    target = tmp_path / "a.tar.gz"
    make_backup(target)
    environment = {
        **os.environ,
        "DATA_DIR": str(data_folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    command = [sys.executable, "-c", f"{SHARE}; print('up', flush=True); input()"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as site:
        assert site.stdout
        assert site.stdout.readline() == b"up\n"
        with pytest.raises(BackupError, match="is running"):
            restore_backup(target)
        site.kill()
    restore_backup(target)


@pytest.mark.skipif("connection.vendor != 'postgresql'")
def test_other_connections_to_postgres_are_noticed(tmp_path: Path) -> None:
    target = tmp_path / "a.tar.gz"
    make_backup(target)
    with closing(connection.copy()) as other:
        other.ensure_connection()
        with pytest.raises(BackupError, match="is running"):
            restore_backup(target)


def test_lock_is_free_again_afterwards() -> None:
    for _ in range(2):
        with hold_site() as is_free:
            assert is_free


def test_commands_say_what_they_did(tmp_path, capsys):
    old = tmp_path / backup_name(backups.datetime(2020, 1, 1))
    old.write_bytes(b"")
    call_command("backup", str(tmp_path))
    made = [path for path in tmp_path.glob("muster-roll-*") if path != old]
    assert "bytes" in capsys.readouterr().out
    call_command("restore", str(made[0]))
    assert "The site is as it was on" in capsys.readouterr().out
    with pytest.raises(CommandError, match="damaged"):
        call_command("restore", str(old))


def test_old_backups_expire() -> None:
    names = [
        f"muster-roll-202601{day:02}T{hour:02}0000Z.tar.gz"
        for day in range(1, 32)
        for hour in (3, 15)
    ]
    gone = expired([*names, "notes.txt", "muster-roll-x.tar.gz"])
    kept = sorted(set(names) - set(gone))
    days = [name[18:20] for name in kept]
    assert days == ["11", "18", "25", "26", "27", "28", "29", "30", "31"]
    assert {name[21:23] for name in kept} == {"15"}
    assert set(gone) <= set(names)
