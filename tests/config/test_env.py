"""A missing or bad variable is one line that names it, and exit code 2."""

import os
import runpy
import stat
import subprocess
import sys
from types import SimpleNamespace
from unittest import mock

import pytest

from config import env


@pytest.fixture
def site(tmp_path, project_root):
    """The settings that a site has under an environment of its own."""

    def read(**variables: str) -> SimpleNamespace:
        environment = {"DATA_DIR": str(tmp_path / "data"), **variables}
        with mock.patch.dict(os.environ, environment, clear=True):
            return SimpleNamespace(
                **runpy.run_path(str(project_root / "config" / "settings.py"))
            )

    return read


@pytest.fixture
def refusal(site, capsys):
    """What the site says of an environment that it does not start in."""

    def read(**variables: str) -> str:
        with pytest.raises(SystemExit) as stopped:
            site(**variables)
        assert stopped.value.code == 2
        return capsys.readouterr().err

    return read


def test_no_variable_leads_posts_to_another_host_than_discord(site):
    assert not hasattr(site(DISCORD_CONNECTION="tests.receiver"), "DISCORD_CONNECTION")


@pytest.mark.parametrize("name,missing", [
    ("S3_BUCKET", "S3_ACCESS_KEY"),
    ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"),
    ("DISCORD_CLIENT_ID", "DISCORD_CLIENT_SECRET"),
])  # fmt: skip
def test_half_of_a_pair_names_the_other_half(refusal, name, missing):
    assert refusal(**{name: "muster"}).startswith(f"Setting {missing}: is missing")


@pytest.mark.parametrize("name,value", [
    ("DEBUG", "perhaps"), ("PORT", "eighty"), ("PORT", "70000"), ("PORT", "-1"),
    ("PORT", "9" * 5000), ("THREADS", "0"), ("WEB_CONCURRENCY", "1.5"),
    ("SITE_URL", "rosters.example.org"),
    ("SITE_URL", "ftp://rosters.example.org"),
    ("SITE_URL", "https://rosters.example.org/club"),
    ("SITE_URL", "https://rosters.example.org:port"),
    ("DATABASE_URL", "mysql://user:hidden@localhost/muster"),
    ("DATABASE_URL", "postgres://user:hidden@localhost:port/muster"),
    ("DATABASE_URL", "sqlite://"),
    ("DATABASE_URL", "nonsense"),
    ("REDIS_URL", "localhost:6379"),
    ("EMAIL_URL", "mail.example.org"),
    ("TIME_ZONE", "Europe/Altdorf"),
    ("TIME_ZONE", "../../etc/passwd"),
    ("TRUST_PROXY", "2"), ("DEMO", "perhaps"),
    ("REGISTRATION", "sometimes"),
    ("METRICS", "9100"),
    ("METRICS", "127.0.0.1:99999"),
    ("IMPRINT_FILE", "/nowhere/imprint.txt"),
    ("PRIVACY_FILE", sys.executable),
    ("SENTRY_DSN", "nonsense"),
    ("DATA_DIR", "/dev/null/data"),
])  # fmt: skip
def test_bad_value_is_one_line_naming_the_variable(refusal, name, value):
    (line,) = refusal(**{name: value}).splitlines()
    assert line.startswith(f"Setting {name}: ")
    assert "hidden" not in line
    assert len(line) < 200


def test_defaults_need_no_environment(site):
    settings = site()
    assert not settings.DEBUG
    assert settings.SITE_URL == "http://localhost:8000"
    assert settings.ALLOWED_HOSTS == ["localhost", "127.0.0.1", "[::1]"]


def test_site_host_and_named_hosts_are_allowed(site):
    settings = site(
        SITE_URL="https://rosters.example.org", MUSTER_HOSTS="pi.local, 192.168.1.20"
    )
    expected = ["rosters.example.org", "pi.local", "192.168.1.20"]
    assert settings.ALLOWED_HOSTS[3:] == expected


def test_secret_is_made_once_and_readable_by_its_owner_only(site, tmp_path):
    secret = site().SECRET_KEY
    assert secret == site().SECRET_KEY
    assert len(secret) >= 50
    assert stat.S_IMODE((tmp_path / "data" / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["secret_key"]


def test_secret_made_by_another_process_is_kept(tmp_path, monkeypatch):
    path = tmp_path / "key"
    path.write_text("theirs")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    env._write_once(path, "ours")
    assert env.secret("SECRET_KEY", path) == "theirs"
    assert [child.name for child in tmp_path.iterdir()] == ["key"]


def test_text_without_default_is_required(monkeypatch, capsys):
    monkeypatch.delenv("MUSTER_TEST", raising=False)
    with pytest.raises(SystemExit) as stopped:
        env.text("MUSTER_TEST")
    assert stopped.value.code == 2
    assert "MUSTER_TEST: is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "value,expected", [("on", True), ("No", False), ("", True), ("  ", True)]
)
def test_flag_reads_words_and_takes_empty_for_unset(monkeypatch, value, expected):
    monkeypatch.setenv("MUSTER_TEST", value)
    assert env.flag("MUSTER_TEST", default=True) is expected


def test_sqlite_runs_as_the_embedded_default(site):
    database = site().DATABASES["default"]
    options = database["OPTIONS"]
    assert (database["CONN_MAX_AGE"], database["ATOMIC_REQUESTS"]) == (None, False)
    assert (options["timeout"], options["transaction_mode"]) == (20, "IMMEDIATE")
    assert options["init_command"].startswith("PRAGMA journal_mode=")
    assert "synchronous=EXTRA" in options["init_command"]


def test_postgres_has_a_pool_for_every_thread_and_time_limits(site):
    address = "postgres://muster:pw@db.example.org:5432/muster"
    database = site(DATABASE_URL=address, THREADS="12").DATABASES["default"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["HOST"], database["NAME"]) == ("db.example.org", "muster")
    assert database["OPTIONS"]["pool"]["max_size"] == 14
    limits = "-c lock_timeout=5000 -c statement_timeout=30000"
    assert database["OPTIONS"]["options"] == limits


@pytest.mark.parametrize(
    "url,backend,verification",
    [("", "console", "none"), ("smtp+tls://u:p@mail.example.org:587", "smtp", "mandatory")],
)
def test_mail_is_printed_until_a_server_is_named(site, url, backend, verification):
    settings = site(EMAIL_URL=url)
    assert settings.EMAIL_BACKEND.split(".")[-2] == backend
    assert verification == settings.ACCOUNT_EMAIL_VERIFICATION


@pytest.mark.parametrize("variables,has_demo", [
    ({}, True), ({"DEMO": "0"}, False),
    ({"SITE_URL": "https://rosters.example.org"}, False),
    ({"SITE_URL": "http://rosters.local:8000"}, False),
    ({"SITE_URL": "https://rosters.example.org", "DEMO": "1"}, True),
])  # fmt: skip
def test_demo_club_is_for_a_site_at_home(site, variables, has_demo):
    assert site(**variables).DEMO is has_demo


def test_manage_py_ends_with_the_same_line(project_root, tmp_path):
    environment = {"PATH": "/usr/bin:/bin", "DATA_DIR": str(tmp_path), "PORT": "x"}
    command = [sys.executable, str(project_root / "manage.py"), "check"]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
