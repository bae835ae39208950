"""Whose turn it is to write: one holder at a time, the others in the order in which they asked."""

from __future__ import annotations

import os
import weakref
from collections import deque
from threading import Event, Lock


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
        except BaseException:  # an interrupt while waiting: nobody would ever give this turn back
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
