"""Typed reading of the environment.

Every function takes the name of a variable and a default, and returns a value of one type. A
variable that is missing without a default, or that cannot be read, stops the program with exit code
2 and one line naming the variable. An empty variable counts as not set.
"""

import os
import secrets
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

import environ

_FLAGS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
TEXT_FILE_MAX = 100_000  # bytes of a text that a page shows


def refuse(name: str, problem: str) -> NoReturn:
    """Print `NAME problem` on standard error and stop with exit code 2."""
    print(f"Setting {name}: {problem}", file=sys.stderr)
    raise SystemExit(2)


def _raw(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def text(name: str, default: str | None = None) -> str:
    """A string; without a default the variable is required."""
    value = _raw(name)
    if value is not None:
        return value
    if default is None:
        refuse(name, "is missing; set it in the environment.")
    return default


def flag(name: str, *, default: bool) -> bool:
    """A yes or no: 1/0, true/false, yes/no, on/off in any case."""
    value = text(name, str(default))
    if value.lower() not in _FLAGS:
        refuse(name, f"must be 1 or 0, not {value!r}.")
    return _FLAGS[value.lower()]


def choice(name: str, default: str, choices: Sequence[str]) -> str:
    """One of the choices."""
    value = text(name, default)
    if value not in choices:
        refuse(name, f"must be one of {', '.join(choices)}, not {value[:40]!r}.")
    return value


def address(name: str) -> tuple[str, int] | None:
    """An address to listen on such as 127.0.0.1:9100 or [::1]:9100; None where it is not set."""
    value = _raw(name)
    if value is None:
        return None
    host, _, port = value.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65535):
        refuse(name, f"must look like 127.0.0.1:9100, not {value[:60]!r}.")
    return host.strip("[]"), int(port)


def text_file(name: str) -> str:
    """The content of the text file that the variable names; "" where it is not set."""
    value = _raw(name)
    if value is None:
        return ""
    try:
        content = Path(value).expanduser().read_bytes()
    except OSError as error:
        refuse(
            name, f"names the file {value[:200]}, which cannot be read: {error.strerror}."
        )
    if len(content) > TEXT_FILE_MAX:
        refuse(name, f"names a file of more than {TEXT_FILE_MAX:,} bytes.")
    try:
        return content.decode("utf-8").strip()
    except UnicodeDecodeError:
        refuse(name, "names a file that is not UTF-8 text.")


def whole(name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from `low` to `high`, both included."""
    value = text(name, str(default))
    is_number = value.isascii() and value.isdigit() and len(value) <= 12
    if not (is_number and low <= int(value) <= high):
        refuse(name, f"must be a whole number from {low} to {high}, not {value[:40]!r}.")
    return int(value)


def words(name: str) -> list[str]:
    """A comma-separated list, without blanks."""
    return [word.strip() for word in (_raw(name) or "").split(",") if word.strip()]


def folder(name: str, default: Path) -> Path:
    """A folder, made when it is not there yet. Returns its absolute path."""
    path = Path(_raw(name) or default).expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(name, f"cannot make the folder {path}: {error.strerror}.")
    return path


def site_url(name: str, default: str) -> SplitResult:
    """Read the address of the site: http or https, a host, perhaps a port, and nothing else."""
    value = text(name, default)
    example = f"must look like https://rosters.example.org, not {value!r}."
    try:
        parts = urlsplit(value)
        port_is_readable = parts.port is None or parts.port > 0
    except ValueError:
        refuse(name, example)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_readable:
        refuse(name, example)
    if parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None:
        refuse(name, example)
    return parts._replace(path="")


def database(name: str, default: str) -> dict[str, Any]:
    """Read Django's settings of a database URL.

    It is `sqlite:///path` or `postgres://user:password@host:port/name`.
    """
    value = text(name, default)
    # The value is not repeated: it may hold a password.
    problem = "must be sqlite:////absolute/path or postgres://user:password@host:5432/name."
    if not value.startswith(("sqlite://", "postgres://", "postgresql://")):
        refuse(name, problem)
    try:
        settings: dict[str, Any] = environ.Env.db_url_config(value)
    except ValueError:
        refuse(name, problem)
    if settings["NAME"] in ("", ":memory:"):
        refuse(name, problem)
    return settings


def mail(name: str) -> dict[str, Any]:
    """Read Django's email settings from a URL such as `smtp+tls://user:password@host:587`.

    Without one, mail is printed to the console.
    """
    value = _raw(name)
    if value is None:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    problem = "must look like smtp+tls://user:password@mail.example.org:587."
    if value.partition("://")[0] not in environ.Env.EMAIL_SCHEMES:
        refuse(name, problem)
    try:
        settings: dict[str, Any] = environ.Env.email_url_config(value)
    except ValueError:
        refuse(name, problem)
    options = settings.pop("OPTIONS", {})
    return {
        key: value for key, value in {**settings, **options}.items() if value is not None
    }


def secret(name: str, path: Path) -> str:
    """Return the variable's value, else the secret kept in `path`.

    The file is made on first use and readable by its owner only.
    """
    value = _raw(name)
    if value is not None:
        return value
    try:
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(64))
        return path.read_text(encoding="ascii").strip() or refuse(
            name, f"is not set, and the file {path} is empty."
        )
    except (OSError, UnicodeError) as error:
        refuse(name, f"is not set, and the file {path} cannot be used: {error}.")


def _write_once(path: Path, content: str) -> None:
    """Write a whole new file, or leave the one another process has made in the meantime.

    A hard link never replaces an existing file.
    """
    descriptor, draft = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name}-"
    )  # mkstemp makes it with mode 600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(content)
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)


# How this site uses a database of each kind.

# SQLite before 3.51.3 can lose a committed page when a write meets a checkpoint of the write-ahead
# log; 3.50.7 has the mend too, 3.52.0 has it not. Where it is missing the slower rollback journal
# is used.
_SQLITE = sqlite3.sqlite_version_info
WAL_SAFE = (_SQLITE >= (3, 51, 3) and _SQLITE[:2] != (3, 52)) or (3, 50, 7) <= _SQLITE < (
    3,
    51,
)
SQLITE_JOURNAL_MODE = "wal" if WAL_SAFE else "delete"

_SQLITE_OPTIONS = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    # EXTRA: what was acknowledged survives a power cut.
    "init_command": f"PRAGMA journal_mode={SQLITE_JOURNAL_MODE};"
    "PRAGMA synchronous=EXTRA;PRAGMA journal_size_limit=67108864;"
    "PRAGMA cache_size=-20000;PRAGMA temp_store=MEMORY",
}


def with_options(database: dict[str, Any], threads: int) -> dict[str, Any]:
    """Return the settings of a database with how this site uses one of its kind."""
    is_sqlite = database["ENGINE"].endswith("sqlite3")
    postgres_options = {
        # Half of the threads would wait for a database that is away; it is tried again every
        # second.
        "pool": {
            "min_size": 1,
            "max_size": threads + 2,
            "timeout": 3,
            "reconnect_timeout": 2,
        },
        "connect_timeout": 5,
        "options": "-c lock_timeout=5000 -c statement_timeout=30000",
    }
    chosen = _SQLITE_OPTIONS if is_sqlite else postgres_options
    return {
        **database,
        # Django's SQLite, with turns for the threads that write.
        "ENGINE": "config.sqlite3" if is_sqlite else database["ENGINE"],
        # PostgreSQL's pool keeps connections; Django must not keep them as well.
        "CONN_MAX_AGE": None if is_sqlite else 0,
        # Those of before a restart of PostgreSQL are dead, and replaced before anybody gets one.
        "CONN_HEALTH_CHECKS": not is_sqlite,
        "ATOMIC_REQUESTS": False,  # on SQLite every reading page would take the write lock
        "OPTIONS": {**database.get("OPTIONS", {}), **chosen},
    }
