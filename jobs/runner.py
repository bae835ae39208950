"""Doing jobs: a worker takes one up, gets on with it, and ends it.

Only the worker that holds a job writes into its row. One that was thought dead and comes back finds
its name gone from the row: `beat` tells it so, and it stops.

Whoever does jobs calls `run_job`: the server's thread and the caller itself (`jobs.queue`), or a
Celery worker, which is told through Redis (script/worker).
"""

from __future__ import annotations

import errno
import secrets
from datetime import datetime, timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import F, QuerySet
from django.utils import timezone

from engine.records import NamedValues, named_values
from jobs.handlers import HANDLERS, JobFailed, JobLater, JobResult, JobStopped, Work
from jobs.models import LIVE, WORDS_MAX, Job, JobStatus
from jobs.queries import go_on_living, seconds_left
from jobs.storage import StoreAway, job_folder, keep_file

if TYPE_CHECKING:
    from celery import Celery, Task

logger = structlog.get_logger(__name__)
BROKEN = "Something failed on our side. We have logged the error. Try again."
FULL = "No space left for the file. Tell the administrator of this site, then try again."
UNKNOWN = "This kind of job no longer exists. Start it again."
NOT_STORED = "The file store does not answer. We will try again."
LARGE = "The file would be larger than 64 MB. Ask for a smaller part."
OS_WORDS = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EFBIG: LARGE}
REDIS_SECONDS = 3  # to wait for Redis
CELERY_TASK = "jobs.do"  # stays: messages that lie in Redis during an update name it


# How long a worker may be silent. No step of a handler takes longer: a document is given up after
# 30 seconds.
LEASE = timedelta(seconds=40)
ATTEMPTS_MAX = 2
WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
GIVEN_UP_AFTER = timedelta(days=1)
DIED = "The job was interrupted more than once. Try again; finished parts are kept."


def claim(token: str, worker: str) -> Job | None:
    """Take up a job that waits or whose worker is dead; None where it is over or taken.

    One whose worker died `ATTEMPTS_MAX` times without a step forward is not taken up
    (`give_up_dead` ends it).
    """
    now = timezone.now()
    free = Job.objects.filter(
        token=token, status__in=LIVE, due_at__lte=now, attempts__lt=ATTEMPTS_MAX
    )
    claimed = free.update(
        status=JobStatus.RUNNING,
        worker=worker,
        attempts=F("attempts") + 1,
        due_at=now + LEASE,
        started_at=now,
    )
    # Somebody may stop it at once: then it is nobody's.
    rows = Job.objects.filter(token=token, worker=worker)
    return rows.first() if claimed else None


def beat(job: Job, done: int, total: int) -> None:
    """Write a sign of life: so much is done, never less than before.

    Raises JobStopped where the job is not this worker's any more.
    """
    due_at = timezone.now() + LEASE
    rows = _rows_of_worker(job)
    # After a step forward the attempts count anew: a later death has nothing to do with this part.
    went_on = rows.filter(done__lt=done).update(
        done=done, total=total, attempts=1, due_at=due_at
    )
    if not went_on and not rows.update(total=total, due_at=due_at):
        raise JobStopped


def finish(
    job: Job,
    *,
    words: str = "",
    result: NamedValues | None = None,
    status: JobStatus = JobStatus.DONE,
) -> bool:
    """End the job. Returns False, and writes nothing, where it is another's by now."""
    ended = _rows_of_worker(job).update(
        status=status,
        worker="",
        ended_at=timezone.now(),
        words=words[:WORDS_MAX],
        result=dict(result or {}),
    )
    return bool(ended)


def fail(job: Job, sentence: str) -> bool:
    """Mark the job as failed, with a sentence for the person. Returns as ``finish`` does."""
    return finish(job, words=sentence, status=JobStatus.FAILED)


def postpone(job: Job, sentence: str, least: timedelta = timedelta(0)) -> None:
    """Let the job wait, longer each time; it fails with ``sentence`` once a day has passed.

    It waits ``least`` at least.
    """
    now = timezone.now()
    row = _rows_of_worker(job).first()
    if row is None:
        return
    if now - row.created_at > GIVEN_UP_AFTER:
        fail(job, sentence)
        return
    times = int(row.result.get("postponed", 0))
    _rows_of_worker(job).update(
        status=JobStatus.WAITING,
        worker="",
        attempts=0,
        words=sentence[:WORDS_MAX],
        due_at=now + max(least, WAITS[min(times, len(WAITS) - 1)]),
        result={"postponed": times + 1},
    )


def give_up_dead(now: datetime) -> int:
    """Fail the jobs whose workers died too often; returns how many."""
    dead = Job.objects.filter(status__in=LIVE, due_at__lte=now, attempts__gte=ATTEMPTS_MAX)
    return dead.update(status=JobStatus.FAILED, worker="", ended_at=now, words=DIED)


def _rows_of_worker(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(token=job.token, status=JobStatus.RUNNING, worker=job.worker)


# Carrying out


def run_job(token: str) -> float | None:
    """Take a job up and do it; return the seconds after which to look again, None if it is over.

    A job that another worker has, or that was postponed, is to be looked at again. Raises what
    the database raises when it does not answer: the job is then taken up again, as after the
    death of its worker.
    """
    job = claim(token, secrets.token_hex(8))
    if job is not None:
        log = logger.bind(job=job.kind)
        try:
            outcome = _run_handler(job)
            file = named_values(outcome, "file", "name", "type") if outcome.file else {}
            finish(job, words=outcome.words, result=file)
        except JobStopped:
            log.info("job_stopped")
        except JobLater as later:
            log.warning("job_put_off")
            postpone(job, str(later), timedelta(seconds=later.seconds))
        except JobFailed as failed:
            log.warning("job_failed")
            fail(job, str(failed))
        except (OperationalError, InterfaceError):
            raise
        except OSError as error:
            log.exception("job_broken")
            fail(job, OS_WORDS.get(error.errno or 0, BROKEN))
        except Exception:  # whatever it is, the person is told that it has ended
            log.exception("job_broken")
            fail(job, BROKEN)
    return seconds_left(token)


def _run_handler(job: Job) -> JobResult:
    handler = HANDLERS.get(job.kind)
    if handler is None:
        raise JobFailed(UNKNOWN)
    folder = job_folder(job.token)
    outcome = handler(Work(job.token, job.payload, folder, partial(beat, job)))
    if outcome.file:
        try:
            keep_file(job.token, outcome.file)
        except StoreAway as error:
            raise JobLater(NOT_STORED) from error
    return outcome


@cache
def celery_app() -> Celery:
    """Return the Celery application with its one task.

    A message holds the job's token alone: the row says what is to be done and who does it, so a
    message that comes twice, late or never changes nothing. It is acknowledged after the work, and
    comes again when its worker was killed. Celery is imported here and not above because it takes
    about 20 MiB, which a site without Redis saves.
    """
    from celery import Celery
    from celery.signals import setup_logging, worker_ready

    app = Celery(
        "muster-roll", broker=settings.REDIS_URL or "memory://", set_as_current=False
    )
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": 120,  # seconds; longer than `LEASE`
            "socket_connect_timeout": REDIS_SECONDS,
            "socket_timeout": 30,
            "global_keyprefix": "muster:",
        },
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_default_queue="muster-jobs",
        task_ignore_result=True,
        task_publish_retry=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_max_tasks_per_child=200,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
    )
    # A receiver of this signal keeps Celery from replacing the logs that Django has set up.
    setup_logging.connect(_keep_logs)
    worker_ready.connect(go_on_living)
    app.task(bind=True, name=CELERY_TASK, max_retries=None)(_do_message)
    return app


def _keep_logs(**_: object) -> None:
    """Leave the logs as they are: one JSON object a line, without secrets."""


def _do_message(task: Task[Any, Any], token: str) -> None:
    """Do the job of a message; look again later at one that another has or that was postponed."""
    seconds = run_job(token)
    if seconds is not None:
        raise task.retry(countdown=seconds + 1)
