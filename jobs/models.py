"""Jobs: what is asked for, how far it is, what came of it.

No rules here: see `operations`, which alone writes them.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import (
    PART_OF_SOME,
    check,
    choice_field,
    index,
    moment_of_creation,
    optional_moment,
    optional_text,
    token_field,
    unique,
)
from accounts.tokens import new_token
from jobs.handlers import ONCE

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

    token = token_field(new_token)
    kind = models.CharField(max_length=KIND_MAX)
    key = optional_text(KEY_MAX)
    title = models.CharField(max_length=TITLE_MAX)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, related_name="jobs", null=True, **PART_OF_SOME
    )
    payload = models.JSONField(default=dict, blank=True)
    back = optional_text(PATH_MAX)
    back_label = optional_text(TITLE_MAX)

    status = choice_field(JobStatus.WAITING, 9)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    words = optional_text(WORDS_MAX)
    result = models.JSONField(default=dict, blank=True)

    worker = optional_text(32)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    created_at = moment_of_creation()
    started_at = optional_moment()
    ended_at = optional_moment()

    class Meta:
        ordering = ["-id"]
        constraints = [
            check("job_status", Q(status__in=JobStatus.values)),
            unique(
                "job_once_while_live",
                "kind",
                "key",
                condition=Q(status__in=["waiting", "running"]) & ~Q(key=""),
            ),
        ]
        indexes = [index("job_due", "status", "due_at"), index("job_ended", "ended_at")]

    def __str__(self) -> str:
        return self.title

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
    def file(self) -> str:
        """The name of its file in the store, "" where there is none."""
        name = self.result.get("file")
        return f"{self.token}/{name}" if name else ""

    @property
    def file_name(self) -> str:
        """What people who download the file call it."""
        return str(self.result.get("name", ""))

    @property
    def file_type(self) -> str:
        return str(self.result.get("type", ""))

    @property
    def may_retry(self) -> bool:
        is_over = self.status in (JobStatus.FAILED, JobStatus.CANCELLED)
        return is_over and self.kind not in ONCE

    @property
    def leads_on(self) -> bool:
        """Whether it is over, and what came of it stands where it was asked for."""
        return not self.is_live and bool(self.back) and self.kind in ONCE


class JobFileChunk(models.Model):
    """A piece of the finished file of a job, read in the order of ``number``, from 0."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [unique("job_file_chunk", "job", "number")]

    def __str__(self) -> str:
        return str(self.number)
