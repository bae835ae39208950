"""One job from taking it up to its end, the same in a thread and in a Celery worker."""

from __future__ import annotations

import errno
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from jobs.errors import JobFailed, JobLater, JobStopped
from jobs.folders import folder_of
from jobs.handlers import JobResult, Work, handler_of
from jobs.models import LIVE, Job
from jobs.operations.working import Claimed, beat, claim, fail, finish, postpone

logger = structlog.get_logger(__name__)
BROKEN = "Something broke on our side, and it has been written down. Trying again may help."
FULL = "There is no room left to keep the file. Tell whoever runs this site, then try again."
UNKNOWN = "This kind of work is not known any more. Ask for it anew."


def run_job(token: str) -> float | None:
    """Take a job up and do it.

    Returns the seconds after which to look at it again, None where it is over.

    A job that somebody else has, and one that was put off, is to be looked at again. Raises what
    the database raises when it does not answer: the job then looks as if its worker had died, and
    is taken up again.
    """
    job = claim(token, secrets.token_hex(8))
    if job is not None:
        _carry_out(job)
    return _seconds_left(token)


def _carry_out(job: Claimed) -> None:
    log = logger.bind(job=job.kind)
    try:
        outcome = _run_handler(job)
        finish(job, words=outcome.words, result=_result(outcome))
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
        fail(job, FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else BROKEN)
    except Exception:  # whatever it is, the person is told that it has ended
        log.exception("job_broken")
        fail(job, BROKEN)


def _run_handler(job: Claimed) -> JobResult:
    handler = handler_of(job.kind)
    if handler is None:
        raise JobFailed(UNKNOWN)

    def progress(done: int, total: int) -> None:
        beat(job, done, total)

    return handler(Work(job.token, job.payload, folder_of(job.token), progress))


def _result(outcome: JobResult) -> Mapping[str, Any]:
    return (
        {name: value for name, value in asdict(outcome).items() if name != "words"}
        if outcome.file
        else {}
    )


def _seconds_left(token: str) -> float | None:
    row = Job.objects.filter(token=token, status__in=LIVE).only("due_at").first()
    return None if row is None else max(1.0, (row.due_at - timezone.now()).total_seconds())
