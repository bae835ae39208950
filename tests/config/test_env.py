"""A missing or bad variable is one line that names it, and exit code 2."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config import env


@pytest.fixture
def site(tmp_path, project_root):
    """Run a piece of Python against the settings under an environment of its own."""

    def run(
        code: str = "import config.settings", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": "/usr/bin:/bin",
            "DATA_DIR": str(tmp_path / "data"),
            **variables,
        }
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command,
            cwd=project_root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    "name,missing",
    [
        ("S3_BUCKET", "S3_ACCESS_KEY"),
        ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"),
        ("DISCORD_CLIENT_ID", "DISCORD_CLIENT_SECRET"),
    ],
)
def test_half_of_a_pair_names_the_other_half(site, name, missing):
    result = site(**{name: "muster"})
    assert (result.returncode, result.stderr) == (
        2,
        f"Setting {missing}: is missing; set it in the environment.\n",
    )


@pytest.mark.parametrize(
    "name,value",
    [
        ("DEBUG", "perhaps"),
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("PORT", "-1"),
        ("PORT", "9" * 5000),
        ("THREADS", "0"),
        ("WEB_CONCURRENCY", "1.5"),
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
        ("TRUST_PROXY", "2"),
        ("DEMO", "perhaps"),
        ("REGISTRATION", "sometimes"),
        ("METRICS", "9100"),
        ("METRICS", "127.0.0.1:99999"),
        ("IMPRINT_FILE", "/nowhere/imprint.txt"),
        ("PRIVACY_FILE", sys.executable),
        ("SENTRY_DSN", "nonsense"),
        ("DATA_DIR", "/dev/null/data"),
    ],
)
def test_bad_value_is_one_line_naming_the_variable(site, name, value):
    result = site(**{name: value})
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Setting {name}: ")
    assert "hidden" not in line
    assert len(line) < 200


def test_defaults_need_no_environment(site):
    result = site(
        "from config import settings as s; print(s.DEBUG, s.SITE_URL, s.ALLOWED_HOSTS)"
    )
    assert (
        result.stdout.strip()
        == "False http://localhost:8000 ['localhost', '127.0.0.1', '[::1]']"
    )


def test_site_host_and_named_hosts_are_allowed(site):
    result = site(
        "from config import settings as s; print(s.ALLOWED_HOSTS[3:])",
        SITE_URL="https://rosters.example.org",
        MUSTER_HOSTS="pi.local, 192.168.1.20",
    )
    assert result.stdout.strip() == "['rosters.example.org', 'pi.local', '192.168.1.20']"


def test_secret_is_made_once_and_readable_by_its_owner_only(site, tmp_path):
    code = "from config import settings as s; print(s.SECRET_KEY)"
    first, second = site(code).stdout, site(code).stdout
    assert first == second
    assert len(first.strip()) >= 50
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
    result = site(
        "from config import settings as s; d = s.DATABASES['default']; o = d['OPTIONS'];"
        "print(d['CONN_MAX_AGE'], d['ATOMIC_REQUESTS'], o['timeout'], o['transaction_mode'], "
        "o['init_command'])"
    )
    assert result.stdout.startswith("None False 20 IMMEDIATE PRAGMA journal_mode=")
    assert "synchronous=EXTRA" in result.stdout


def test_postgres_has_a_pool_for_every_thread_and_time_limits(site):
    result = site(
        "from config import settings as s; d = s.DATABASES['default']; o = d['OPTIONS'];"
        "print(d['ENGINE'], d['HOST'], d['NAME'], o['pool']['max_size'], o['options'])",
        DATABASE_URL="postgres://muster:pw@db.example.org:5432/muster",
        THREADS="12",
    )
    expected = (
        "django.db.backends.postgresql db.example.org muster 14 -c lock_timeout=5000 -c "
        "statement_timeout=30000"
    )
    assert result.stdout.strip() == expected


def test_mail_is_printed_until_a_server_is_named(site):
    code = (
        "from config import settings as s; print(s.EMAIL_BACKEND.split('.')[-2], "
        "s.ACCOUNT_EMAIL_VERIFICATION)"
    )
    assert site(code).stdout.split() == ["console", "none"]
    assert site(code, EMAIL_URL="smtp+tls://u:p@mail.example.org:587").stdout.split() == [
        "smtp",
        "mandatory",
    ]


def test_manage_py_ends_with_the_same_line(site, project_root, tmp_path):
    environment = {"PATH": "/usr/bin:/bin", "DATA_DIR": str(tmp_path), "PORT": "x"}
    command = [sys.executable, str(Path(project_root, "manage.py")), "check"]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
