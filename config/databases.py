"""How this site uses a database of each kind."""

import sqlite3
from typing import Any

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
