"""Asking for a job, stopping it, trying it again.

Each change is one statement that names the state it starts from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.owner import Owner
from jobs import access, runners
from jobs.errors import NotFound, Refusal
from jobs.models import LIVE, TITLE_MAX, Job, JobStatus


def enqueue(
    actor: Owner | None,
    kind: str,
    payload: Mapping[str, Any],
    *,
    title: str,
    total: int = 0,
    key: str = "",
    back: str = "",
    back_label: str = "",
) -> str:
    """A new job, begun once this transaction is committed; returns its token.

    Without an actor it is the site's own.

    Where a job of this kind and ``key`` is still to be done, that one's token instead. ``back`` is
    where its page leads to, an address of the site.
    """
    row = Job(
        kind=kind,
        key=key,
        title=title[:TITLE_MAX],
        owner_id=actor.user_id if actor else None,
        payload=dict(payload),
        total=total,
        back=back,
        back_label=back_label[:TITLE_MAX],
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        live = Job.objects.filter(kind=kind, key=key, status__in=LIVE).exclude(key="").first()
        if live is None:
            raise
        return live.token
    _begin(row.token)
    return row.token


def cancel(actor: Owner, token: str) -> None:
    """Stop a job; one that is over stays as it is. Raises NotFound for another's."""
    job = _own(actor, token)
    Job.objects.filter(pk=job.pk, status__in=LIVE).update(
        status=JobStatus.CANCELLED, worker="", ended_at=timezone.now(), words="You stopped it."
    )


def retry(actor: Owner, token: str) -> None:
    """Do a job again that failed or was stopped; what it has finished is kept.

    One that is live stays as it is.

    Raises NotFound for another's, Refusal where another one for the same thing is under way.
    """
    job = _own(actor, token)
    again = Job.objects.filter(pk=job.pk, status__in=[JobStatus.FAILED, JobStatus.CANCELLED])
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
        raise Refusal(
            "The same thing is being done already. Wait until that is finished."
        ) from None
    if changed:
        _begin(token)


def _own(actor: Owner, token: str) -> Job:
    job = Job.objects.filter(access.readable_by(actor), token=token).order_by().first()
    if job is None:
        raise NotFound("job")
    return job


def _begin(token: str) -> None:
    def send() -> None:
        runners.dispatch(token)

    # Whatever hinders the sending (Redis may be gone), the row is there and is found later.
    transaction.on_commit(send, robust=True)
