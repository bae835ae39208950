"""Signs of life of whoever does jobs, in the cache that all machines share."""

import time
from datetime import datetime
from threading import Thread

import structlog
from django.core.cache import cache
from redis.exceptions import RedisError

logger = structlog.get_logger(__name__)
KEY = "jobs-worker-seen"  # when, in seconds since 1970
KEPT = 3600  # seconds
EVERY = 10.0  # seconds


def give_sign_of_life() -> None:
    """Say that a worker is there. Raises nothing where the cache is away."""
    try:
        cache.set(KEY, time.time(), KEPT)
    except (RedisError, OSError):
        logger.warning("no_sign_of_life")


def go_on_living(**_: object) -> None:
    """Give signs of life for as long as this process, a Celery worker's, lives."""

    def go_on() -> None:
        while True:
            give_sign_of_life()
            time.sleep(EVERY)

    Thread(target=go_on, name="sign-of-life", daemon=True).start()


def worker_seconds(now: datetime) -> int | None:
    """Return the seconds since a worker gave a sign; None without one, or without a cache."""
    try:
        seen = cache.get(KEY)
    except (RedisError, OSError):
        return None
    return max(0, int(now.timestamp() - seen)) if seen else None
