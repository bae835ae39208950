"""What nobody asks for: jobs whose workers died, jobs that are long over, and work that comes round
again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F

from jobs import folders
from jobs.handlers import regular
from jobs.models import LIVE, Job, JobStatus
from jobs.operations.asking import enqueue
from jobs.operations.working import ATTEMPTS_MAX
from jobs.queries import last_of

KEPT = timedelta(days=7)
DIED = "It was broken off more than once. Try it again; what is finished is kept."


def give_up_dead(now: datetime) -> int:
    """Fail the jobs whose workers died too often; returns how many."""
    dead = Job.objects.filter(status__in=LIVE, due_at__lte=now, attempts__gte=ATTEMPTS_MAX)
    return dead.update(status=JobStatus.FAILED, worker="", ended_at=now, words=DIED)


def enqueue_regular(now: datetime) -> None:
    """Ask for what is due again. Asked by several processes at once, each comes once."""
    for kind, (title, every) in regular().items():
        last = last_of(kind)
        if last is None or last <= now - every:
            enqueue(None, kind, {}, title=title, key="regular")


def forget_old(now: datetime) -> int:
    """Delete the jobs that have been over for a week, their files first; returns how many."""
    old = list(Job.objects.filter(ended_at__lt=now - KEPT).order_by(F("id"))[:500])
    for job in old:
        folders.delete_folder(job.token)
    return Job.objects.filter(pk__in=[job.pk for job in old]).delete()[0]
