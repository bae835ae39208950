"""What somebody is told, in the app and by mail, and what they do not want to be told by mail."""

from django.conf import settings
from django.db import models

from accounts.fields import (
    PART_OF,
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
            ),
        ]
        indexes = [index("notice_of_user", "user", "read_at", "-id")]

    def __str__(self) -> str:
        return self.words


class NoticeChoice(models.Model):
    """Whether somebody wants mail, with the token of the link that ends it without signing in."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice"
    )
    wants_mail = models.BooleanField(default=True)
    token = token_field(new_token)

    class Meta:
        db_table = "campaigns_noticechoice"
        ordering = ["user"]

    def __str__(self) -> str:
        return f"{self.user_id}: {'mail' if self.wants_mail else 'no mail'}"
