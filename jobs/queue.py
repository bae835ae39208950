"""Asking for jobs, cancelling and retrying them, and finding those that nobody does.

Each change is one statement that names the state it starts from. `JOBS_RUNNER` chooses who does
jobs: ``thread`` is a thread of the server's process, ``celery`` a worker that is told through
Redis, ``inline`` the caller itself, for tests.
"""

import time
from dataclasses import field
from datetime import datetime, timedelta
from threading import Event, Lock, Thread
from typing import Any

import structlog
from django.conf import settings
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from accounts.errors import NotFound, Refusal
from accounts.owner import Owner
from accounts.signals import account_closing
from engine.records import NamedValues, frozen_dataclass, named_values
from jobs.handlers import REGULAR, JobResult, Work, add_regular
from jobs.models import LIVE, TITLE_MAX, Job, JobStatus
from jobs.queries import due_jobs, find_last, give_sign_of_life, load_job, seconds_left
from jobs.runner import CELERY_TASK, celery_app, give_up_dead, run_job
from jobs.storage import delete_files

logger = structlog.get_logger(__name__)
FORGET = "forget-jobs"
KEPT = timedelta(days=7)
SECONDS = 10.0  # between two looks of the thread for work
REGULAR_SECONDS = 300.0
LOOK_SECONDS = 0.1  # between two looks at a job that somebody waits for
# With Celery the server's thread takes only what has been due for a while: a worker died, Redis
# lost the message, or no worker runs at all.
GRACE = {"celery": timedelta(seconds=30)}


@frozen_dataclass
class JobDraft:
    """A job to be asked for.

    Of live jobs of a kind a ``key`` is there once; "" may be there often. ``back`` is the address
    on this site that the job's page links to, under ``back_label``.
    """

    kind: str
    title: str
    payload: NamedValues = field(default_factory=dict)
    total: int = 0
    key: str = ""
    back: str = ""
    back_label: str = ""


def enqueue(actor: Owner | None, draft: JobDraft) -> str:
    """Store a new job, begun once this transaction is committed; return its token.

    Returns the token of the live job of this kind and key where there is one. Without an actor the
    job is the site's own.
    """
    row = Job(
        **named_values(draft, "kind", "key", "total", "back"),
        title=draft.title[:TITLE_MAX],
        owner_id=actor.user_id if actor else None,
        payload=dict(draft.payload),
        back_label=draft.back_label[:TITLE_MAX],
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        live = Job.objects.filter(kind=draft.kind, key=draft.key, status__in=LIVE)
        other = live.exclude(key="").first()
        if other is None:
            raise
        return other.token
    _begin(row.token)
    return row.token


def wait_until_over(token: str, seconds: float) -> bool:
    """Wait for a job at most so long; return whether it is over. Not within a transaction."""
    end = time.monotonic() + seconds
    while seconds_left(token) is not None:
        if time.monotonic() >= end:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def cancel(actor: Owner, token: str) -> None:
    """Stop a job; one that is over stays as it is. Raises NotFound for another's."""
    job = _find_job(actor, token)
    Job.objects.filter(pk=job.pk, status__in=LIVE).update(
        status=JobStatus.CANCELLED,
        worker="",
        ended_at=timezone.now(),
        words="You stopped this job.",
    )


def retry(actor: Owner, token: str) -> None:
    """Do a job again that failed or was stopped; what it has finished is kept.

    One that is live stays as it is. Raises NotFound for another's, Refusal where another one for
    the same thing is under way.
    """
    job = _find_job(actor, token)
    again = Job.objects.filter(
        pk=job.pk, status__in=[JobStatus.FAILED, JobStatus.CANCELLED]
    )
    try:
        with transaction.atomic():
            changed = again.update(
                status=JobStatus.WAITING,
                attempts=0,
                words="",
                due_at=timezone.now(),
                ended_at=None,
                worker="",
            )
    except IntegrityError:
        raise Refusal("This job is already running. Wait until it has finished.") from None
    if changed:
        _begin(token)


def connect() -> None:
    """Register this app's own regular work, and listen for accounts that are closed."""
    add_regular(FORGET, forget_old, title="Delete old jobs", every=timedelta(hours=6))
    account_closing.connect(_forget_account, dispatch_uid="jobs.receivers")


def _forget_account(sender: object, *, user: Any, **_: object) -> None:
    """Delete the files of a closed account's jobs.

    The rows are deleted with the account. A file cannot be rolled back, so it waits for the commit.
    """
    tokens = list(Job.objects.filter(owner=user).values_list("token", flat=True))

    def delete_all() -> None:
        for token in tokens:
            delete_files(token)

    # Where the store does not answer the account is closed all the same.
    transaction.on_commit(delete_all, robust=True)


def enqueue_regular(now: datetime) -> None:
    """Ask for the regular work that is due. Asked by several processes at once, each comes once."""
    for kind, (title, every) in REGULAR.items():
        last = find_last(kind)
        if last is None or last <= now - every:
            enqueue(None, JobDraft(kind, title, key="regular"))


def forget_old(_: Work | None = None) -> JobResult:
    """Delete the jobs that have been over for a week, their files first."""
    ended = Job.objects.filter(ended_at__lt=timezone.now() - KEPT)
    old = dict(ended.order_by("id").values_list("pk", "token")[:500])
    for token in old.values():
        delete_files(token)
    Job.objects.filter(pk__in=old).delete()
    return JobResult()


def do_due_jobs() -> int:
    """Do the jobs that are due, one after the other; returns how many were due."""
    now = timezone.now()
    tokens = due_jobs(now, grace=GRACE.get(settings.JOBS_RUNNER, timedelta(0)))
    if tokens:
        give_up_dead(now)
    for token in tokens:
        run_job(token)
    return len(tokens)


def _find_job(actor: Owner, token: str) -> Job:
    if job := load_job(actor, token):
        return job
    raise NotFound("job")


def _begin(token: str) -> None:
    # Django logs the name of what fails here, which a partial has not.
    def send() -> None:
        dispatch(token)

    # Whatever hinders the sending (Redis may be gone), the row is there and is found later.
    transaction.on_commit(send, robust=True)


def dispatch(token: str) -> None:
    """Hand a new job to whoever does jobs. A job that nobody hears of is found by the thread."""
    match settings.JOBS_RUNNER:
        case "celery":
            celery_app().tasks[CELERY_TASK].apply_async((token,))
        case "thread":
            JOB_THREAD.wake()
        case "inline":
            run_job(token)


class JobThread:
    """The thread of a server's process that does jobs.

    It looks for work when it is woken and every `SECONDS`, and asks for regular work every
    `REGULAR_SECONDS`.
    """

    def __init__(self) -> None:
        self._woken = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

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
                    enqueue_regular(timezone.now())
                do_due_jobs()
                if settings.JOBS_RUNNER == "thread":
                    give_sign_of_life()
            except Exception:
                # The database may be gone for a while; the thread must not be.
                logger.exception("jobs_not_looked_for")
            finally:
                connections.close_all()
            self._woken.wait(SECONDS)


JOB_THREAD = JobThread()
