"""What a worker writes into a job's row: it takes the job up, gets on with it, and ends it.

Only the worker that holds the job writes anything. One that was thought dead and comes back finds
its name gone from the row: `beat` tells it so, and it stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from jobs.handlers import JobStopped
from jobs.models import LIVE, WORDS_MAX, Job, JobStatus

# How long a worker may be silent. No step of a handler takes longer: a document is given up after
# 30 seconds.
LEASE = timedelta(seconds=40)
ATTEMPTS_MAX = 2
WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
GIVEN_UP_AFTER = timedelta(days=1)
DIED = "It was broken off more than once. Try it again; what is finished is kept."


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that this worker has now."""

    token: str
    kind: str
    payload: Mapping[str, Any]
    worker: str


def claim(token: str, worker: str, now: datetime | None = None) -> ClaimedJob | None:
    """Take up a job that waits or whose worker is dead; None where it is over or taken.

    One whose worker died `ATTEMPTS_MAX` times without a step forward is not taken up
    (`give_up_dead` ends it).
    """
    now = now or timezone.now()
    free = Job.objects.filter(
        token=token, status__in=LIVE, due_at__lte=now, attempts__lt=ATTEMPTS_MAX
    )
    taken = free.update(
        status=JobStatus.RUNNING,
        worker=worker,
        attempts=F("attempts") + 1,
        due_at=now + LEASE,
        started_at=now,
    )
    if not taken:
        return None
    row = Job.objects.get(token=token)
    return ClaimedJob(row.token, row.kind, row.payload, worker)


def beat(job: ClaimedJob, done: int, total: int) -> None:
    """Write a sign of life: so much is done, never less than before.

    Raises JobStopped where the job is not this worker's any more.
    """
    due_at = timezone.now() + LEASE
    held = _held(job)
    # After a step forward the attempts count anew: a later death has nothing to do with this part.
    went_on = held.filter(done__lt=done).update(done=done, total=total, attempts=1, due_at=due_at)
    if not went_on and not held.update(total=total, due_at=due_at):
        raise JobStopped


def finish(job: ClaimedJob, *, words: str = "", result: Mapping[str, Any] | None = None) -> bool:
    """Mark the job as done. Returns False, and writes nothing, where it is another's by now."""
    return _end(job, JobStatus.DONE, words, dict(result or {}))


def fail(job: ClaimedJob, words: str) -> bool:
    """Mark the job as failed, with a sentence for the person. Returns as ``finish`` does."""
    return _end(job, JobStatus.FAILED, words, {})


def postpone(job: ClaimedJob, words: str) -> None:
    """Let the job wait, longer each time; it fails with ``words`` once a day has passed."""
    now = timezone.now()
    row = _held(job).first()
    if row is None:
        return
    if now - row.created_at > GIVEN_UP_AFTER:
        fail(job, words)
        return
    times = int(row.result.get("postponed", 0))
    _held(job).update(
        status=JobStatus.WAITING,
        worker="",
        attempts=0,
        words=words[:WORDS_MAX],
        due_at=now + WAITS[min(times, len(WAITS) - 1)],
        result={"postponed": times + 1},
    )


def give_up_dead(now: datetime) -> int:
    """Fail the jobs whose workers died too often; returns how many."""
    dead = Job.objects.filter(status__in=LIVE, due_at__lte=now, attempts__gte=ATTEMPTS_MAX)
    return dead.update(status=JobStatus.FAILED, worker="", ended_at=now, words=DIED)


def _end(job: ClaimedJob, status: JobStatus, words: str, result: dict[str, Any]) -> bool:
    ended = _held(job).update(
        status=status, worker="", ended_at=timezone.now(), words=words[:WORDS_MAX], result=result
    )
    return bool(ended)


def _held(job: ClaimedJob) -> QuerySet[Job]:
    return Job.objects.filter(token=job.token, status=JobStatus.RUNNING, worker=job.worker)
