"""Signs of life of whoever does jobs, in the cache that all machines share."""

import time
from datetime import datetime
from threading import Thread

from django.core.cache import cache

KEY = "jobs-worker-seen"  # when, in seconds since 1970
KEPT = 3600  # seconds
EVERY = 10.0  # seconds


def give_sign_of_life() -> None:
    """Say that a worker is there."""
    cache.set(KEY, time.time(), KEPT)


def go_on_living(**_: object) -> None:
    """Give signs of life for as long as this process, a Celery worker's, lives."""

    def go_on() -> None:
        while True:
            give_sign_of_life()
            time.sleep(EVERY)

    Thread(target=go_on, name="sign-of-life", daemon=True).start()


def worker_seconds(now: datetime) -> int | None:
    """Return the seconds since a worker gave a sign; None without one."""
    seen = cache.get(KEY)
    return max(0, int(now.timestamp() - seen)) if seen else None
