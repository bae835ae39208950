"""This app's own regular work, and what it does when an account is closed."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.signals import account_closing
from jobs.handlers import JobResult, Work, add_regular, delete_folder
from jobs.models import Job
from jobs.queue import forget_old

FORGET = "forget-jobs"


def connect() -> None:
    """Register the regular work, and listen for accounts that are closed."""
    add_regular(FORGET, _forget, title="Forget old jobs", every=timedelta(hours=6))
    account_closing.connect(_delete_jobs_of, dispatch_uid="jobs.receivers")


def _forget(work: Work) -> JobResult:
    forget_old(timezone.now())
    return JobResult()


def _delete_jobs_of(sender: object, *, user: Any, **_: object) -> None:
    """Delete the folders of a closed account's jobs.

    The rows are deleted with the account. A file cannot be rolled back, so it waits for the commit.
    """
    for token in Job.objects.filter(owner=user).values_list("token", flat=True):
        transaction.on_commit(partial(delete_folder, token))
