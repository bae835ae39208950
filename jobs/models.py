"""Jobs: what is asked for, how far it is, what came of it.

No rules here: see `operations`, which alone writes them.
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.tokens import new_token

KIND_MAX = 40
KEY_MAX = 100
TITLE_MAX = 160
WORDS_MAX = 300
PATH_MAX = 200


class JobStatus(models.TextChoices):
    """Where a job stands."""

    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Being done"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Stopped"


# A job in one of these is not over, and may be stopped.
LIVE = (JobStatus.WAITING, JobStatus.RUNNING)


class Job(models.Model):
    """One piece of work.

    ``kind`` names its handler, ``payload`` is what that is told: ids and choices, no addresses.

    ``owner`` None is the site's own. Of live jobs of a kind a ``key`` is there once; "" may be
    there often. ``due_at``: when somebody may take it up. While it waits that is from now on, or
    later after a failure that may pass; while it runs it is moved on with every sign of life, and
    once it is past the worker counts as dead. ``worker`` is who has it; whoever is not may write no
    progress. ``attempts`` are those without a step forward. ``result`` is {"file", "name", "type"}
    of a file in the job's folder, or {}. ``words`` say what was done or failed.
    """

    token = models.CharField(max_length=16, unique=True, default=new_token, editable=False)
    kind = models.CharField(max_length=KIND_MAX)
    key = models.CharField(max_length=KEY_MAX, blank=True, default="")
    title = models.CharField(max_length=TITLE_MAX)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="jobs",
    )
    payload = models.JSONField(default=dict, blank=True)
    back = models.CharField(max_length=PATH_MAX, blank=True, default="")
    back_label = models.CharField(max_length=TITLE_MAX, blank=True, default="")

    status = models.CharField(
        max_length=9, choices=JobStatus.choices, default=JobStatus.WAITING
    )
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    words = models.CharField(max_length=WORDS_MAX, blank=True, default="")
    result = models.JSONField(default=dict, blank=True)

    worker = models.CharField(max_length=32, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(
                    status__in=["waiting", "running", "done", "failed", "cancelled"]
                ),
                name="job_status",
            ),
            models.UniqueConstraint(
                fields=["kind", "key"],
                condition=Q(status__in=["waiting", "running"]) & ~Q(key=""),
                name="job_once_while_live",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["status", "due_at"], name="job_due"),
            models.Index(fields=["ended_at"], name="job_ended"),
        ]

    def __str__(self) -> str:
        return self.title
