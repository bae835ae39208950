"""The thread of a server process that does jobs, and finds those that nobody does.

It looks for due jobs when it is woken and every few seconds. With Celery it only helps out: it
takes what has been due for a while, because a worker died, Redis lost it, or no worker runs at all.
"""

from __future__ import annotations

import time
from datetime import timedelta
from threading import Event, Lock, Thread

import structlog
from django.conf import settings
from django.db import connections
from django.utils import timezone

from jobs.doing import run_job
from jobs.operations.tidying import enqueue_regular, give_up_dead
from jobs.queries import due_jobs

logger = structlog.get_logger(__name__)
SECONDS = 10.0
REGULAR_SECONDS = 300.0
GRACE = {"celery": timedelta(seconds=30)}

_woken = Event()
_lock = Lock()
_thread: Thread | None = None


def start_once(**_: object) -> None:
    """Start the thread where none runs yet. Does nothing where jobs are done inline."""
    global _thread
    if _thread is not None or settings.JOBS_RUNNER == "inline":
        return
    with _lock:
        if _thread is None:
            _thread = Thread(target=_work, name="jobs", daemon=True)
            _thread.start()


def wake() -> None:
    """There is something to do."""
    _woken.set()


def _work() -> None:
    again = 0.0
    while True:
        _woken.clear()
        try:
            if time.monotonic() >= again:
                again = time.monotonic() + REGULAR_SECONDS
                enqueue_regular(timezone.now())
            look_for_work()
        except Exception:  # the database may be gone for a while; the thread must not be
            logger.exception("jobs_not_looked_for")
        finally:
            connections.close_all()
        _woken.wait(SECONDS)


def look_for_work() -> int:
    """Do what is due, one after the other; returns how many jobs were due."""
    now = timezone.now()
    tokens = due_jobs(now, grace=GRACE.get(settings.JOBS_RUNNER, timedelta(0)))
    if tokens:
        give_up_dead(now)
    for token in tokens:
        run_job(token)
    return len(tokens)
