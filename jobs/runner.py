"""Doing jobs, and the three ways in which a job comes to somebody who does it.

`JOBS_RUNNER` chooses: ``thread`` is a thread of the server's process, ``celery`` a worker that is
told through Redis (script/worker), ``inline`` the caller itself, for tests. All call `run_job`.
"""

from __future__ import annotations

import errno
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone

from jobs.handlers import (
    JobFailed,
    JobLater,
    JobResult,
    JobStopped,
    Work,
    folder_of,
    handler_of,
)
from jobs.operations import ClaimedJob, beat, claim, fail, finish, postpone
from jobs.queries import seconds_left

if TYPE_CHECKING:
    from celery import Celery, Task

logger = structlog.get_logger(__name__)
BROKEN = "Something broke on our side, and it has been written down. Trying again may help."
FULL = "There is no room left to keep the file. Tell whoever runs this site, then try again."
UNKNOWN = "This kind of work is not known any more. Ask for it anew."
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
SECONDS = 10.0  # between two looks of the thread for work
REGULAR_SECONDS = 300.0
REDIS_SECONDS = 3  # to wait for Redis
CELERY_TASK = "jobs.do"  # stays: messages that lie in Redis during an update name it


def run_job(token: str) -> float | None:
    """Take a job up and do it; return the seconds after which to look again, None if it is over.

    A job that another worker has, or that was postponed, is to be looked at again. Raises what
    the database raises when it does not answer: the job is then taken up again, as after the
    death of its worker.
    """
    job = claim(token, secrets.token_hex(8))
    if job is not None:
        _carry_out(job)
    return seconds_left(token)


def _carry_out(job: ClaimedJob) -> None:
    log = logger.bind(job=job.kind)
    try:
        outcome = _run_handler(job)
        finish(job, words=outcome.words, result=_file_of(outcome))
    except JobStopped:
        log.info("job_stopped")
    except JobLater as later:
        log.warning("job_put_off")
        postpone(job, str(later))
    except JobFailed as failed:
        log.warning("job_failed")
        fail(job, str(failed))
    except (OperationalError, InterfaceError):
        raise
    except OSError as error:
        log.exception("job_broken")
        fail(job, FULL if error.errno in DISK_FULL else BROKEN)
    except Exception:  # whatever it is, the person is told that it has ended
        log.exception("job_broken")
        fail(job, BROKEN)


def _run_handler(job: ClaimedJob) -> JobResult:
    handler = handler_of(job.kind)
    if handler is None:
        raise JobFailed(UNKNOWN)

    def progress(done: int, total: int) -> None:
        beat(job, done, total)

    return handler(Work(job.token, job.payload, folder_of(job.token), progress))


def _file_of(outcome: JobResult) -> Mapping[str, str]:
    if not outcome.file:
        return {}
    return {"file": outcome.file, "name": outcome.name, "type": outcome.type}


def dispatch(token: str) -> None:
    """Hand a new job to whoever does jobs. A job that nobody hears of is found by the thread."""
    match settings.JOBS_RUNNER:
        case "celery":
            celery_app().tasks[CELERY_TASK].apply_async((token,))
        case "thread":
            JOB_THREAD.wake()
        case "inline":
            run_job(token)


def _nothing(*_: object) -> None:
    """Stand for the thread's work until the app is ready."""


class JobThread:
    """The thread of a server's process that does jobs.

    It looks for work when it is woken and every `SECONDS`, and asks for regular work every
    `REGULAR_SECONDS`. What it does then stands above this module, in `jobs.queue`; it is handed
    over when the app is ready.
    """

    def __init__(self) -> None:
        self._do_due_jobs: Callable[[], object] = _nothing
        self._enqueue_regular: Callable[[datetime], object] = _nothing
        self._woken = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def set_work(
        self,
        do_due_jobs: Callable[[], object],
        enqueue_regular: Callable[[datetime], object],
    ) -> None:
        """Set what the thread does at each turn, and what every `REGULAR_SECONDS`."""
        self._do_due_jobs = do_due_jobs
        self._enqueue_regular = enqueue_regular

    def start_once(self, **_: object) -> None:
        """Start the thread where none runs yet. Does nothing where jobs are done inline."""
        if self._thread is not None or settings.JOBS_RUNNER == "inline":
            return
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self.run, name="jobs", daemon=True)
                self._thread.start()

    def wake(self) -> None:
        """Let the thread look for work now."""
        self._woken.set()

    def run(self) -> None:
        """Look for work until the process ends."""
        regular_at = 0.0  # seconds of the monotonic clock
        while True:
            self._woken.clear()
            try:
                if time.monotonic() >= regular_at:
                    regular_at = time.monotonic() + REGULAR_SECONDS
                    self._enqueue_regular(timezone.now())
                self._do_due_jobs()
            except Exception:  # the database may be gone for a while; the thread must not be
                logger.exception("jobs_not_looked_for")
            finally:
                connections.close_all()
            self._woken.wait(SECONDS)


JOB_THREAD = JobThread()


@cache
def celery_app() -> Celery:
    """Return the Celery application with its one task.

    A message holds the job's token alone: the row says what is to be done and who does it, so a
    message that comes twice, late or never changes nothing. It is acknowledged after the work, and
    comes again when its worker was killed. Celery is imported here and not above because it takes
    about 20 MiB, which a site without Redis saves.
    """
    from celery import Celery
    from celery.signals import setup_logging

    app = Celery("muster-roll", broker=settings.REDIS_URL or "memory://", set_as_current=False)
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": 120,  # seconds; longer than `jobs.operations.LEASE`
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
    app.task(bind=True, name=CELERY_TASK, max_retries=None)(_do_message)
    return app


def _keep_logs(**_: object) -> None:
    """Leave the logs as they are: one JSON object a line, without secrets."""


def _do_message(task: Task[Any, Any], token: str) -> None:
    """Do the job of a message; look again later at one that another has or that was postponed."""
    seconds = run_job(token)
    if seconds is not None:
        raise task.retry(countdown=seconds + 1)
