"""The shared cache, and what stands in for it while Redis does not answer.

Nothing that must be right lies in the cache alone: sessions are rows, and limits may count
locally for a while. A process that failed to reach Redis asks again after some seconds.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import structlog
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from engine.records import Fields

AGAIN_SECONDS = 5.0
WAIT_SECONDS = 1  # for an answer of Redis
UNTOLD_KEPT = 100_000

ChangedKeys = Collection[tuple[str, int | None]]
"""Keys of a cache, each with its version."""

logger = structlog.get_logger(__name__)


@dataclass
class Outage:
    """What this process knows of Redis: Django makes a cache for each thread."""

    until: float = 0.0  # seconds of the monotonic clock
    untold: set[tuple[str, int | None]] = field(default_factory=set)
    lock: Any = field(default_factory=Lock)

    @property
    def is_on(self) -> bool:
        return time.monotonic() < self.until

    def begin(self) -> None:
        self.until = time.monotonic() + AGAIN_SECONDS
        logger.warning("redis_away")

    def note(self, changed: ChangedKeys) -> None:
        with self.lock:
            if len(self.untold) < UNTOLD_KEPT:
                self.untold.update(changed)

    def take(self) -> set[tuple[str, int | None]]:
        """Return what was changed meanwhile, and forget it."""
        with self.lock:
            untold, self.untold = self.untold, set()
        return untold


OUTAGE = Outage()


def _ask(name: str, *, is_change: bool = False) -> Any:
    """Return a cache's method of one key, which is noted where Redis may miss a change of it."""

    def method(
        self: PatientCache, key: str, *args: Any, version: int | None = None, **options: Any
    ) -> Any:
        changed = [(key, version)] if is_change else []
        return self._do(name, changed, key, *args, version=version, **options)

    return method


class PatientCache(BaseCache):
    """Redis, or a cache of this process while Redis is away.

    What was changed meanwhile is deleted in Redis once it is back: nothing that was ended, such as
    a session, comes to life again.
    """

    def __init__(self, location: str, params: Fields) -> None:
        super().__init__(params)
        options = {
            "socket_connect_timeout": WAIT_SECONDS,
            "socket_timeout": WAIT_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        self._redis: Any = RedisCache(location, {**params, "OPTIONS": options})
        self._local: Any = self.make_local(params)

    @staticmethod
    def make_local(params: Fields) -> BaseCache:
        """Return what stands in for Redis in this process."""
        return LocMemCache("away", {**params, "OPTIONS": {"MAX_ENTRIES": 20_000}})

    def answers(self) -> bool:
        """Ask Redis now; return whether it answers."""
        try:
            self._redis._cache.get_client().ping()
        except (RedisError, OSError):
            return False
        return True

    def _do(self, name: str, changed: ChangedKeys, *args: Any, **options: Any) -> Any:
        """Do it with Redis, else with the local cache, and note what Redis misses then."""
        if not OUTAGE.is_on:
            try:
                self._delete_untold()
                return getattr(self._redis, name)(*args, **options)
            except (RedisError, OSError):
                OUTAGE.begin()
        OUTAGE.note(changed)
        return getattr(self._local, name)(*args, **options)

    def _delete_untold(self) -> None:
        """Delete in Redis what was changed while it was away."""
        if not OUTAGE.untold:
            return
        untold = OUTAGE.take()
        try:
            for key, version in untold:
                self._redis.delete(key, version)
                self._local.delete(key, version)
        except (RedisError, OSError):
            OUTAGE.note(untold)
            raise

    add = _ask("add", is_change=True)
    get = _ask("get")
    set = _ask("set", is_change=True)
    touch = _ask("touch")
    delete = _ask("delete", is_change=True)
    incr = _ask("incr", is_change=True)
    has_key = _ask("has_key")

    def clear(self) -> None:
        self._do("clear", ())


class SessionCache(PatientCache):
    """The same for sessions, which no process may keep for itself: another could end them."""

    @staticmethod
    def make_local(params: Fields) -> BaseCache:
        return DummyCache("", params)
