"""The only readers of jobs: one query each.

A job is seen by whoever asked for it. The site's own are seen in the administration.
"""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from threading import Thread

from django.core.cache import cache
from django.db.models import Count, Min, Q
from django.utils import timezone

from accounts.owner import Owner
from accounts.tokens import is_token
from engine.records import Texts
from jobs.models import LIVE, Job

SIGN_KEY = "jobs-worker-seen"  # when, in seconds since 1970
SIGN_KEPT = 3600  # seconds
SIGN_EVERY = 10.0  # seconds


def give_sign_of_life() -> None:
    """Say that a worker is there."""
    cache.set(SIGN_KEY, time.time(), SIGN_KEPT)


def go_on_living(**_: object) -> None:
    """Give signs of life for as long as this process, a Celery worker's, lives."""

    def go_on() -> None:
        while True:
            give_sign_of_life()
            time.sleep(SIGN_EVERY)

    Thread(target=go_on, name="sign-of-life", daemon=True).start()


def worker_seconds(now: datetime) -> int | None:
    """Return the seconds since a worker gave a sign; None without one."""
    seen = cache.get(SIGN_KEY)
    return max(0, int(now.timestamp() - seen)) if seen else None


def readable_by(actor: Owner) -> Q:
    """Return the condition of the jobs that this actor may open, stop and retry."""
    return Q(owner_id=actor.user_id) if actor.user_id is not None else Q(pk__in=[])


def load_job(actor: Owner, token: str) -> Job | None:
    """Return the job, None where there is none or it is not this actor's (both are a 404)."""
    if not is_token(token):
        return None
    return Job.objects.filter(readable_by(actor), token=token).order_by().first()


def due_jobs(now: datetime, *, grace: timedelta = timedelta(0)) -> Texts:
    """Return the tokens of jobs due for at least ``grace``, the longest due first, at most 100."""
    rows = Job.objects.filter(status__in=LIVE, due_at__lte=now - grace).order_by(
        "due_at", "id"
    )
    return tuple(rows.values_list("token", flat=True)[:100])


def queue_state(now: datetime) -> dict[str, int | None]:
    """Return how many jobs are due, and for how many seconds the first has been.

    ``worker_seconds`` are those since a worker gave a sign, None where none did for a while. One
    query, and one look into the cache.
    """
    totals = Job.objects.filter(status__in=LIVE, due_at__lte=now).aggregate(
        due=Count("pk"), first=Min("due_at")
    )
    oldest = int((now - totals["first"]).total_seconds()) if totals["first"] else 0
    return {
        "due": totals["due"],
        "oldest_seconds": oldest,
        "worker_seconds": worker_seconds(now),
    }


def is_under_way(kind: str, key: str) -> bool:
    """Return whether a job of this kind and key waits or is being done. One query."""
    return Job.objects.filter(kind=kind, key=key, status__in=LIVE).exists()


def live_jobs(tokens: Iterable[str]) -> frozenset[str]:
    """Return those of these jobs that are not over. One query."""
    rows = Job.objects.filter(token__in=tokens, status__in=LIVE)
    return frozenset(rows.values_list("token", flat=True))


def find_last(kind: str) -> datetime | None:
    """Return when a job of this kind was last asked for, None if never."""
    rows = Job.objects.filter(kind=kind).order_by("-id")
    return rows.values_list("created_at", flat=True).first()


def seconds_left(token: str) -> float | None:
    """Return the seconds until anybody may take the job up, at least 1; None where it is over."""
    row = Job.objects.filter(token=token, status__in=LIVE).only("due_at").first()
    return None if row is None else max(1.0, (row.due_at - timezone.now()).total_seconds())
