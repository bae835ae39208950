"""What an owner runs: script/manage, the first administrator, compose.yaml."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from pytest_django import Settings

from accounts.models import User
from config.management.commands import prepare

NOBODY = 65534
PROBE = """#!/bin/sh
echo "user=$(id -u) umask=$(umask)"
for each in "$@"; do echo "argument=$each"; done
env
"""
VALUES = """# the site
SITE_URL=https://rosters.example.org
EMAIL_FROM="Club <noreply@example.org>"
SECRET_KEY='$HOME `id` & more'
TIME_ZONE=Europe/Berlin"""


class Release:
    """A release with a Python that tells how it was called, and the files of systemd."""

    def __init__(self, root: Path, project: Path) -> None:
        self.root, self.data, self.etc = root / "site", root / "data", root / "etc"
        self.data.mkdir()
        (self.etc / "systemd/system").mkdir(parents=True)
        (self.etc / "muster-roll.env").write_text(VALUES)
        unit = (project / "deploy/muster-roll.service").read_text()
        unit = unit.replace("/opt/muster-roll", str(self.root)).replace(
            "/etc", str(self.etc)
        )
        self.unit = self.etc / "systemd/system/muster-roll.service"
        self.unit.write_text(unit.replace("/var/lib/muster-roll", str(self.data)))
        for name in ("manage", "backup", "restore"):
            script = (project / "script" / name).read_text()
            self.write(f"script/{name}", script.replace("/etc/", f"{self.etc}/"))
        self.write(".venv/bin/python", PROBE)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run(self, *command: str, **variables: str) -> list[str]:
        done = subprocess.run(
            [str(self.root / command[0]), *command[1:]],
            env={"PATH": os.environ["PATH"], **variables},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()


@pytest.fixture
def release(project_root: Path) -> Iterator[Release]:
    """In a folder that any account may read, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Release(Path(name), project_root)


def test_command_has_the_settings_of_the_service(release: Release) -> None:
    lines = release.run("script/manage", "organiser_link", "--email", "a b@example.org")
    expected = [
        f"DATA_DIR={release.data}",
        "SITE_URL=https://rosters.example.org",
        "EMAIL_FROM=Club <noreply@example.org>",
        "SECRET_KEY=$HOME `id` & more",
        "TIME_ZONE=Europe/Berlin",
    ]
    assert [line for line in expected if line not in lines] == []
    arguments = [line for line in lines if line.startswith("argument=")]
    assert arguments == [
        f"argument={each}"
        for each in ("manage.py", "organiser_link", "--email", "a b@example.org")
    ]
    assert lines[0].endswith("umask=0077")


def test_settings_of_the_environment_and_of_a_checkout_stay(release: Release) -> None:
    container = release.run("script/manage", "check", DATA_DIR="/data", SITE_URL="http://x")
    assert {"DATA_DIR=/data", "SITE_URL=http://x"} <= set(container)
    # The service of another folder.
    release.unit.write_text(release.unit.read_text().replace(f"{release.root}\n", "/opt\n"))
    checkout = release.run("script/manage", "check")
    assert [line for line in checkout if line.startswith(("DATA_DIR=", "SITE_"))] == []


@pytest.mark.skipif("os.geteuid() != 0", reason="only root becomes another account")
@pytest.mark.parametrize("command,arguments", [
    ("script/manage", ("check",)),
    ("script/backup", ("/backups",)),
    ("script/restore", ("a.tar.gz",)),
])  # fmt: skip
def test_root_runs_a_command_as_the_owner_of_the_data(release, command, arguments):
    assert release.run(command, *arguments)[0].startswith("user=0 ")
    os.chown(release.data, NOBODY, NOBODY)
    assert release.run(command, *arguments)[0] == f"user={NOBODY} umask=0077"


def test_command_without_a_data_folder_leaves_nothing_behind(tmp_path, project_root):
    """A stray command in the folder of a release made a key and an empty database there."""
    shutil.copy(project_root / "manage.py", tmp_path)
    for part in ("config", "pyproject.toml"):
        os.symlink(project_root / part, tmp_path / part)
    before = sorted(tmp_path.iterdir())
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [project_root / ".venv/bin/python", "manage.py", "showmigrations"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr.startswith("Setting DATA_DIR: ")) == (2, True)
    assert "script/manage" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


# The first administrator


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["http://localhost:8000", "https://rosters.example.org"]
)
def test_start_says_how_to_make_an_administrator_while_there_is_none(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path, address: str
) -> None:
    settings.DATA_DIR, settings.SITE_URL, settings.DEMO = tmp_path, address, False
    monkeypatch.setattr(prepare, "call_command", lambda *_, **__: None)

    def printed() -> str:
        output = StringIO()
        call_command("prepare", stdout=output)
        return output.getvalue()

    assert "script/manage createsuperuser" in printed()
    admin = User.objects.create_superuser("a@example.org", "banner-in-the-wind")
    assert "createsuperuser" not in printed()
    User.objects.filter(pk=admin.pk).update(is_active=False)
    assert "script/manage createsuperuser" in printed()


# Containers

OURS = ("site", "worker", "backup")


@pytest.fixture(scope="module")
def compose(project_root: Path) -> Any:
    return yaml.safe_load((project_root / "compose.yaml").read_text())


def test_containers_are_passed_every_documented_variable(compose, project_root):
    table = (project_root / "docs/deploy.md").read_text().partition("## On a club")[0]
    rows = re.findall(r"^\| (`[A-Z].*?) \|", table, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row)}
    documented |= {name.replace("GOOGLE", "DISCORD") for name in documented}
    assert len(documented) >= 34
    example = (project_root / ".env.example").read_text()
    offered = set(re.findall(r"^([A-Z0-9_]+)=", example, re.MULTILINE))
    for name in OURS:
        service = compose["services"][name]
        assert service["env_file"] == ".env"
        fixed = set(service["environment"])
        assert documented - offered - fixed == set()
        # What stands in compose.yaml wins over .env, where it would be set in vain.
        assert fixed & offered == {"SECRET_KEY"}
        assert "./texts:/texts:ro" in service["volumes"]


def test_containers_have_limits_and_a_backup_every_night(compose: Any) -> None:
    services = compose["services"]
    assert [
        name for name, each in services.items() if not {"mem_limit", "cpus"} <= {*each}
    ] == []
    assert "script/backup /backups" in services["backup"]["command"][-1]
    assert "backups:/backups" in services["backup"]["volumes"]
    mounted = {
        volume.partition(":")[0]
        for each in services.values()
        for volume in each.get("volumes", ())
    }
    assert {name for name in mounted if "/" not in name} == set(compose["volumes"])
