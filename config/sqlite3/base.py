"""Django's SQLite backend, in which a process's threads write in the order of their asking.

SQLite lets one connection write. The others retry, more and more rarely and in no order: of many
threads some retry at the wrong moment until their time is up ("database is locked"), while others
write twice. Here a connection waits for its turn before it begins to write, and keeps it for as
long as its transaction is open. Other processes are kept apart by SQLite alone.
"""

from __future__ import annotations

import os
import re
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock
from typing import Any

from django.db.backends.sqlite3 import base

SECONDS = 5.0  # what Python's sqlite3 waits where the options name no `timeout`
# A BEGIN without a mode takes no lock yet. What writes and begins with another word waits as SQLite
# has it wait.
BEGINS_TO_WRITE = re.compile(
    r"\s*(?:BEGIN\s+(?:IMMEDIATE|EXCLUSIVE)|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|REINDEX|ANALYZE|VACUUM)\b",
    re.IGNORECASE,
)


class Turns:
    """The turns at one database file.

    A holder is any object that can be weakly referenced, here a connection. One that vanishes
    without giving its turn back holds it no longer.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._lock = Lock()
        self._holder: weakref.ref[object] | None = None
        self._queue: deque[tuple[weakref.ref[object], Event]] = deque()

    def is_held_by(self, holder: object) -> bool:
        return self._holder is not None and self._holder() is holder

    def take(self, holder: object, seconds: float) -> bool:
        """Wait for the turn, at most so many seconds.

        Returns whether the holder has it; it may have had it before.
        """
        called = Event()
        with self._lock:
            if self.is_held_by(holder):
                return True
            self._queue.append((weakref.ref(holder), called))
            self._call_next()
        try:
            return called.wait(seconds) or self._leave(called)
        except (
            BaseException
        ):  # an interrupt while waiting: nobody would ever give this turn back
            if self._leave(called):
                self.give(holder)
            raise

    def give(self, holder: object) -> None:
        """Let the next one have the turn. Does nothing where the holder has not got it."""
        with self._lock:
            if self.is_held_by(holder):
                self._holder = None
                self._call_next()

    def _call_next(self) -> None:
        """Under the lock: where nobody has the turn, the first of the queue gets it."""
        is_free = self._holder is None or self._holder() is None
        if is_free and self._queue:
            self._holder, called = self._queue.popleft()
            called.set()

    def _leave(self, called: Event) -> bool:
        """Go out of the queue. Returns whether the turn came at the last moment."""
        with self._lock:
            self._call_next()
            self._queue = deque(entry for entry in self._queue if entry[1] is not called)
            return called.is_set()


_TURNS: dict[str, Turns] = {}


def turns_at(path: str) -> Turns:
    """The turns at a file, the same for all threads of this process."""
    return _TURNS.setdefault(os.path.realpath(path), Turns())


def _start_anew() -> None:
    for turns in _TURNS.values():
        turns._clear()


# The threads that held turns or waited for one are not in the child of a fork.
os.register_at_fork(after_in_child=_start_anew)


class TurnTakingCursor(base.SQLiteCursorWrapper):
    """A cursor that waits for its connection's turn before it writes."""

    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        with self.wrapper.turn_for(query):
            return super().execute(query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        with self.wrapper.turn_for(query):
            return super().executemany(query, param_list)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that has the turn at its file from its first write to the transaction's end."""

    turns: Turns

    def get_new_connection(self, conn_params: Any) -> Any:
        # A database in memory is nobody else's; threads that share it share its connection.
        self.turns = (
            Turns() if self.is_in_memory_db() else turns_at(str(self.settings_dict["NAME"]))
        )
        return super().get_new_connection(conn_params)

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = self.connection.cursor(factory=TurnTakingCursor)
        cursor.wrapper = self
        return cursor

    @contextmanager
    def turn_for(self, query: str) -> Iterator[None]:
        """Wait for the turn where a statement begins to write; give it back outside a transaction."""
        if BEGINS_TO_WRITE.match(query) and not self._is_in_transaction():
            seconds = self.settings_dict["OPTIONS"].get("timeout", SECONDS)
            if not self.turns.take(self, seconds):
                raise self.Database.OperationalError("database is locked")
        try:
            yield
        finally:
            self._give_turn()

    def _is_in_transaction(self) -> bool:
        return self.connection is not None and self.connection.in_transaction

    def _give_turn(self) -> None:
        if not self._is_in_transaction():
            self.turns.give(self)

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            if (
                self.connection is not None
            ):  # a connection that was never opened has no turns
                self.turns.give(self)
