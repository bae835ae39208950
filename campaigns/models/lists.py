"""Lists handed in for a round, what an organiser lets pass, and what a campaign does to a warband
after a battle.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from battles.models import REASON_MAX, WORD_MAX, Constraints, Snapshot
from campaigns.models.leagues import Entry
from campaigns.models.rounds import Fixture, Round


class ListLock(models.Model):
    """The list somebody brings to a round: a frozen sheet.

    The latest of an entry's rounds counts where one has none.

    ``findings`` are those of its system and the core, before levels and waivers; ``errors`` and
    ``warnings`` what the event's policy makes of them now. The sheet of the snapshot shows that
    too. ``is_unlocked``: this player may hand in another one although the deadline is over.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="lists", db_index=False)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="lists")
    snapshot = models.ForeignKey(
        Snapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="lists"
    )
    points = models.IntegerField(default=0)
    errors = models.PositiveSmallIntegerField(default=0)
    warnings = models.PositiveSmallIntegerField(default=0)
    findings = models.JSONField(default=list, blank=True)
    is_unlocked = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    handed_in_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["round", "id"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["round", "entry"], name="list_once_per_round"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} in {self.round_id}"


class Waiver(models.Model):
    """A finding that an organiser lets pass for one entry, with the reason.

    Taken back, it stays to be read.
    """

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="waivers")
    code = models.CharField(max_length=WORD_MAX)
    reason = models.CharField(max_length=REASON_MAX)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["entry", "id"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(
                fields=["entry", "code"],
                condition=Q(revoked_at__isnull=True),
                name="waiver_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class CareerStep(models.Model):
    """One step of a campaign after a battle: a fate rolled, points or gold earned, a recruit.

    Written once.

    ``kind`` is a key of the event's ``steps``, ``what`` the dice and their outcome, ``warrior_id``
    whom it is about. A step that was ``revoked_at`` counts no more.
    """

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="steps")
    fixture = models.ForeignKey(
        Fixture, on_delete=models.CASCADE, null=True, blank=True, related_name="steps"
    )
    kind = models.CharField(max_length=WORD_MAX)
    warrior_id = models.PositiveBigIntegerField(null=True, blank=True)
    amount = models.IntegerField(default=0)
    what = models.JSONField(default=dict, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["entry", "id"]

    def __str__(self) -> str:
        return self.kind
