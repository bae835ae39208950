"""The seam: how a job that is to be done comes to somebody who does it.

`JOBS_RUNNER` says which way.

``thread``: a thread of this process. ``celery``: a worker, by way of Redis. ``inline``: here and
now, for tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.conf import settings


def _inline(token: str) -> None:
    from jobs.doing import run_job

    run_job(token)


def _thread(token: str) -> None:
    from jobs import threads

    threads.wake()


def _celery(token: str) -> None:
    from jobs import broker

    broker.publish(token)


RUNNERS: Mapping[str, Callable[[str], None]] = {
    "inline": _inline,
    "thread": _thread,
    "celery": _celery,
}


def dispatch(token: str) -> None:
    """Let somebody know that there is a job.

    Where nobody hears it, the job is found later (`threads`).
    """
    RUNNERS[settings.JOBS_RUNNER](token)
