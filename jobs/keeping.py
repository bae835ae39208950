"""This app's own work: old jobs are forgotten, and the files of a closed account are deleted with
it.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.signals import account_closing
from jobs import folders
from jobs.handlers import JobResult, Work, add_regular
from jobs.models import Job

FORGET = "forget-jobs"


def connect() -> None:
    """Make the work known, and listen for accounts that are closed."""
    add_regular(FORGET, _forget, title="Forget old jobs", every=timedelta(hours=6))
    account_closing.connect(_delete_jobs_of, dispatch_uid="jobs.keeping")


def _forget(work: Work) -> JobResult:
    from jobs.operations.tidying import forget_old

    forget_old(timezone.now())
    return JobResult()


def _delete_jobs_of(sender: object, *, user: Any, **_: object) -> None:
    """The rows go with the account; what lies in their folders goes once that is certain."""
    for token in Job.objects.filter(owner=user).values_list("token", flat=True):
        transaction.on_commit(partial(folders.delete_folder, token))
