"""What somebody is told, in the app and by mail, and what they do not want to be told by mail."""

from django.conf import settings
from django.db import models

from accounts.fields import (
    PART_OF,
    check,
    index,
    moment_of_creation,
    optional_moment,
    optional_text,
    token_field,
    unique,
)
from accounts.tokens import new_token

KIND_MAX = 40
WORDS_MAX = 500
PATH_MAX = 200
SUBJECT_MAX = 80
REPORTED_MAX = 300
REPORT_MAX = 2000


class Notice(models.Model):
    """One thing somebody should know: a sentence in ``words``, and the ``path`` to follow.

    ``subject`` is the name of the event it belongs to, as it was then, or "". ``key`` names what it
    is about, so that the same thing is told once; "" may be told again.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="notices", **PART_OF)
    subject = optional_text(SUBJECT_MAX)
    kind = models.CharField(max_length=KIND_MAX)
    words = models.CharField(max_length=WORDS_MAX)
    path = models.CharField(max_length=PATH_MAX)
    key = optional_text(80)
    created_at = moment_of_creation()
    read_at = optional_moment()
    mailed_at = optional_moment()

    class Meta:
        db_table = "campaigns_notice"
        ordering = ["-id"]
        constraints = [
            unique(
                "notice_once_per_thing", "user", "kind", "key", condition=~models.Q(key="")
            )
        ]
        indexes = [index("notice_of_user", "user", "read_at", "-id")]

    def __str__(self) -> str:
        return self.words


class ReportReason(models.TextChoices):
    """What is wrong with a page."""

    FIGURE = "figure", "A price or another figure is wrong"
    OFFENCE = "offence", "It insults, threatens or is illegal"
    PRIVATE = "private", "It shows what is private"
    OTHER = "other", "Something else"


class PageReport(models.Model):
    """What somebody, with an account or without, tells whoever runs the site about a page.

    ``page`` is an address of the site, or "". ``email`` is where an answer is wanted. ``user`` is
    None for somebody without an account. ``handled_at`` is None while it waits for the staff.
    """

    page = models.CharField(max_length=REPORTED_MAX, blank=True, default="")
    reason = models.CharField(max_length=8, choices=ReportReason.choices)
    words = models.TextField(max_length=REPORT_MAX)
    email = models.EmailField(blank=True, default="")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="reports",
    )
    created_at = moment_of_creation()
    handled_at = optional_moment()

    class Meta:
        ordering = ["-id"]
        constraints = [
            check(
                "report_reason",
                models.Q(reason__in=["figure", "offence", "private", "other"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.page or 'no page'}"


class Pace(models.TextChoices):
    """When a kind of notice comes by mail."""

    NOW = "now", "At once"
    DAILY = "daily", "Once a day"
    NEVER = "never", "Never"


GROUPS = {
    "games": "Pairings, challenges and changed games",
    "results": "Results to confirm, disputes and corrections",
    "lists": "Lists that are due",
    "events": "Events: added, removed, finished",
    "messages": "Messages of organisers",
}
"""What people choose a pace for."""

_GROUP_OF = {
    "round": "games",
    "challenge": "games",
    "growth_dues": "games",
    "growth_captive": "games",
    "growth_ransom": "games",
    "growth_changed": "results",
    "decided": "results",
    "message": "messages",
    "list_due": "lists",
    "list_missing": "lists",
    "list_sent_back": "lists",
}


def find_group(kind: str) -> str:
    """The group of a kind of notice."""
    return "results" if kind.startswith("result_") else _GROUP_OF.get(kind, "events")


class NoticeChoice(models.Model):
    """Whether somebody wants mail, with the token of the link that ends it without signing in.

    ``paces`` maps a group to its pace, at once where it is left out; ``digest_at`` is when the
    last daily mail was sent.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice"
    )
    wants_mail = models.BooleanField(default=True)
    paces = models.JSONField(default=dict, blank=True)
    digest_at = optional_moment()
    token = token_field(new_token)

    class Meta:
        db_table = "campaigns_noticechoice"
        ordering = ["user"]

    def __str__(self) -> str:
        return f"{self.user_id}: {'mail' if self.wants_mail else 'no mail'}"
