"""The shared cache, and what stands in for it while Redis does not answer.

Nothing that must be right lies in the cache alone: sessions are rows, and limits may count
locally for a while. A process that failed to reach Redis asks again after some seconds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

AGAIN_SECONDS = 5.0
WAIT_SECONDS = 1  # for an answer of Redis
UNTOLD_KEPT = 100_000

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

    def note(self, changed: Mapping[str, int | None]) -> None:
        with self.lock:
            if len(self.untold) < UNTOLD_KEPT:
                self.untold.update(changed.items())

    def take(self) -> set[tuple[str, int | None]]:
        """Return what was changed meanwhile, and forget it."""
        with self.lock:
            taken, self.untold = self.untold, set()
        return taken


OUTAGE = Outage()


class PatientCache(BaseCache):
    """Redis, or a cache of this process while Redis is away.

    What was changed meanwhile is deleted in Redis once it is back: nothing that was ended, such as
    a session, comes to life again.
    """

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        options = {
            "socket_connect_timeout": WAIT_SECONDS,
            "socket_timeout": WAIT_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        self._redis: Any = RedisCache(location, {**params, "OPTIONS": options})
        self._local: Any = self.make_local(params)

    @staticmethod
    def make_local(params: dict[str, Any]) -> BaseCache:
        """Return what stands in for Redis in this process."""
        return LocMemCache("away", {**params, "OPTIONS": {"MAX_ENTRIES": 20_000}})

    def answers(self) -> bool:
        """Ask Redis now; return whether it answers."""
        try:
            self._redis._cache.get_client().ping()
        except (RedisError, OSError):
            return False
        return True

    def _do(self, name: str, changed: Mapping[str, int | None], *args: Any) -> Any:
        """Do it with Redis, else with the local cache; ``changed`` are keys with their version."""
        if not OUTAGE.is_on:
            try:
                self._delete_untold()
                return getattr(self._redis, name)(*args)
            except (RedisError, OSError):
                OUTAGE.begin()
        OUTAGE.note(changed)
        return getattr(self._local, name)(*args)

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
            OUTAGE.note(dict(untold))
            raise

    def add(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> Any:
        return self._do("add", {key: version}, key, value, timeout, version)

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._do("get", {}, key, default, version)

    def set(
        self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None
    ) -> None:
        self._do("set", {key: version}, key, value, timeout, version)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> Any:
        return self._do("touch", {}, key, timeout, version)

    def delete(self, key: Any, version: Any = None) -> Any:
        return self._do("delete", {key: version}, key, version)

    def incr(self, key: Any, delta: int = 1, version: Any = None) -> Any:
        return self._do("incr", {key: version}, key, delta, version)

    def has_key(self, key: Any, version: Any = None) -> Any:
        return self._do("has_key", {}, key, version)

    def clear(self) -> None:
        self._do("clear", {})


class SessionCache(PatientCache):
    """The same for sessions, which no process may keep for itself: another could end them."""

    @staticmethod
    def make_local(params: dict[str, Any]) -> BaseCache:
        return DummyCache("", params)
