"""What a worker writes: it has a job, gets on with it, and ends it.

Only whoever holds the job writes anything.

A worker that was thought dead and comes back finds its name gone from the row: `beat` tells it so,
and it stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from jobs.errors import JobStopped
from jobs.models import LIVE, WORDS_MAX, Job, JobStatus

LEASE = timedelta(seconds=40)
"""How long a worker may be silent.

No step of a handler takes longer: a document is given up after 30 seconds.
"""
ATTEMPTS_MAX = 2
WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
GIVEN_UP_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job that this worker has now."""

    token: str
    kind: str
    payload: Mapping[str, Any]
    worker: str


def claim(token: str, worker: str, now: datetime | None = None) -> Claimed | None:
    """Take a job up that waits or whose worker is dead; None where it is over or somebody has it.

    One whose worker died again and again without a step forward is not taken up (`give_up_dead`
    ends it).
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
    return Claimed(row.token, row.kind, row.payload, worker)


def beat(job: Claimed, done: int, total: int) -> None:
    """A sign of life: so much is done, never less than before.

    Raises Stopped where the job is another's by now.

    After a step forward the attempts count anew: whoever dies later has not died of this part.
    """
    due_at = timezone.now() + LEASE
    held = _held(job)
    went_on = held.filter(done__lt=done).update(done=done, total=total, attempts=1, due_at=due_at)
    if not went_on and not held.update(total=total, due_at=due_at):
        raise JobStopped


def finish(job: Claimed, *, words: str = "", result: Mapping[str, Any] | None = None) -> bool:
    """Done. Returns False where the job is not this worker's any more, and nothing is written."""
    return _end(job, JobStatus.DONE, words, dict(result or {}))


def fail(job: Claimed, words: str) -> bool:
    """Failed, and why: a sentence for the person. Returns as ``finish`` does."""
    return _end(job, JobStatus.FAILED, words, {})


def postpone(job: Claimed, words: str) -> None:
    """Not now: it waits a while, longer each time, and fails for ``words`` once a day has passed."""
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


def _end(job: Claimed, status: JobStatus, words: str, result: dict[str, Any]) -> bool:
    ended = _held(job).update(
        status=status, worker="", ended_at=timezone.now(), words=words[:WORDS_MAX], result=result
    )
    return bool(ended)


def _held(job: Claimed) -> QuerySet[Job]:
    return Job.objects.filter(token=job.token, status=JobStatus.RUNNING, worker=job.worker)
