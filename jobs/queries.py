"""The only readers of jobs: one query each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from accounts.owner import Owner
from jobs import access
from jobs.folders import folder_of
from jobs.models import LIVE, Job, JobStatus

TOKEN_LENGTH = 16


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as whoever asked for it sees it.

    ``file_name`` is "" where there is no file; ``total`` 0 is not known yet.

    ``words`` are about the end: what came of it, or why it failed. ``back`` is an address of the
    site, or "".
    """

    token: str
    kind: str
    title: str
    status: str
    done: int
    total: int
    words: str
    file_name: str
    file_type: str
    file: Path | None
    back: str
    back_label: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def status_label(self) -> str:
        return str(JobStatus(self.status).label)

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def percent(self) -> int:
        """How much of it is done; 100 only once all of it is."""
        if self.status == JobStatus.DONE:
            return 100
        return min(99, 100 * self.done // self.total) if self.total else 0

    @property
    def may_retry(self) -> bool:
        return self.status in (JobStatus.FAILED, JobStatus.CANCELLED)


def load_job(actor: Owner, token: str) -> JobRecord | None:
    """The job, or None where there is none or it is not this actor's (both are a 404)."""
    if len(token) != TOKEN_LENGTH or not token.isascii():
        return None
    row = Job.objects.filter(access.readable_by(actor), token=token).order_by().first()
    return None if row is None else _record(row)


def due_jobs(now: datetime, *, grace: timedelta = timedelta(0)) -> tuple[str, ...]:
    """The tokens of jobs that anybody may take up and that have been so for ``grace``, the longest
    due first.
    """
    rows = Job.objects.filter(status__in=LIVE, due_at__lte=now - grace).order_by("due_at", "id")
    return tuple(rows.values_list("token", flat=True)[:100])


def last_of(kind: str) -> datetime | None:
    """When a job of this kind was last asked for."""
    return (
        Job.objects.filter(kind=kind).order_by("-id").values_list("created_at", flat=True).first()
    )


def _record(row: Job) -> JobRecord:
    file = row.result.get("file", "") if row.status == JobStatus.DONE else ""
    return JobRecord(
        token=row.token,
        kind=row.kind,
        title=row.title,
        status=row.status,
        done=row.done,
        total=row.total,
        words=row.words,
        file_name=row.result.get("name", "") if file else "",
        file_type=row.result.get("type", "") if file else "",
        file=folder_of(row.token) / file if file else None,
        back=row.back,
        back_label=row.back_label,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )
