"""Whether the site runs: its server and workers share a lock in `DATA_DIR`, a restore takes it whole."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from django.conf import settings

_held: list[IO[str]] = []


def share_site() -> None:
    """Say that this process is the running site, until it ends, however it ends."""
    file = (settings.DATA_DIR / "site.lock").open("a")
    fcntl.flock(file, fcntl.LOCK_SH)
    _held.append(file)  # an open file holds the lock


@contextmanager
def hold_site() -> Iterator[bool]:
    """Hold the site still; gives False where it runs."""
    with (settings.DATA_DIR / "site.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
