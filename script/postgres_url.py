"""Print the URL of a PostgreSQL the tests may make databases on, or the reason why there is none on
standard error.

DATABASE_URL_PG names one; otherwise this machine's own is tried as user postgres and as whoever
runs this.
"""

import getpass
import os
import sys

import psycopg

NAME = f"muster_roll_{os.getpid()}"  # never made itself: the test runner makes test_<name>_<worker>


def candidates() -> list[str]:
    url = os.environ.get("DATABASE_URL_PG")
    return (
        [url]
        if url
        else [
            f"postgres://{user}@127.0.0.1:5432/{NAME}"
            for user in ("postgres", getpass.getuser())
        ]
    )


def may_create_databases(url: str) -> bool:
    query = "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
    with psycopg.connect(
        url.rpartition("/")[0] + "/postgres", connect_timeout=2
    ) as connection:
        row = connection.execute(query).fetchone()
        return bool(row and row[0])


def main() -> int:
    for url in candidates():
        try:
            if may_create_databases(url):
                print(url)
                return 0
        except psycopg.Error:
            continue
    where = (
        "at DATABASE_URL_PG"
        if os.environ.get("DATABASE_URL_PG")
        else "on 127.0.0.1:5432 (DATABASE_URL_PG may name one)"
    )
    print(f"no PostgreSQL answers {where}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
