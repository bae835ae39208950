"""Campaigns in which warbands grow: whose copy of a roster grows there, and the log of it all."""

from django.db import models

from accounts.fields import (
    KEPT_WITHOUT,
    PART_OF,
    check_choice,
    index,
    moment_of_creation,
    optional_moment,
    optional_text,
    optional_user,
    token_field,
    unique,
)
from accounts.tokens import new_token
from battles.models import REASON_MAX
from campaigns.models.leagues import ClubEvent, Entry
from campaigns.models.rounds import Fixture

DUE_MAX = 120
FOLD_EDITION = 2
"""The fold that rows are written for: since 2 it asks for second throws of advances and wounds."""


class GrowthRowKind(models.TextChoices):
    """What a row of the log holds."""

    RULES = "rules", "Rules"
    FOUND = "found", "Founding"
    RESULT = "result", "Result"
    ANSWER = "answer", "Answer"
    ACT = "act", "Act"
    TAKE_BACK = "take_back", "Taken back"


class CampaignWarband(models.Model):
    """The warband of an entry in a campaign: a copy of a roster that grows there alone.

    ``number`` counts those of an entry, which may found anew after disbanding. ``rows`` maps the
    keys of its warriors to the ids of their rows, which stay theirs when they come back. ``state``
    and ``rating`` are what the last fold said, and ``points`` what it holds of the first currency
    that buys nothing. ``at_close`` are the figures that others read while lists are secret, stored
    when a round is closed, with its number as ``round``; {} before that.
    """

    entry = models.ForeignKey(Entry, related_name="campaign_warbands", **PART_OF)
    token = token_field(new_token)
    number = models.PositiveSmallIntegerField(default=1)
    warband = models.OneToOneField(
        "warbands.Warband", related_name="campaign_warband", null=True, **KEPT_WITHOUT
    )
    rows = models.JSONField(default=dict, blank=True)
    state = models.JSONField(default=dict, blank=True)
    rating = models.IntegerField(default=0)
    points = models.IntegerField(default=0)
    at_close = models.JSONField(default=dict, blank=True)
    founded_at = moment_of_creation()
    closed_at = optional_moment()

    class Meta:
        ordering = ["entry", "number"]
        constraints = [unique("campaign_warband_number_once", "entry", "number")]

    def __str__(self) -> str:
        return f"{self.entry} ({self.number})"

    @property
    def name(self) -> str:
        """What its copy of the roster is called, or its player's name without one."""
        # A player who deleted their account took the copy of the roster with them.
        return self.warband.name if self.warband else self.entry.name


class GrowthRow(models.Model):
    """A row of a campaign's log. Written once; the campaign is folded from all of them.

    A result that was told in nobody's name gets the name of whoever confirms it.

    ``faces`` and ``is_typed`` tell of an answer's dice, ``due`` what was answered. ``act`` is the
    number of an act. ``edition`` is that of the fold which the row was written for.
    """

    event = models.ForeignKey(ClubEvent, related_name="growth_rows", **PART_OF)
    position = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=GrowthRowKind.choices)
    warband = models.ForeignKey(
        CampaignWarband,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="growth_rows",
    )
    fixture = models.ForeignKey(
        Fixture, related_name="growth_rows", null=True, **KEPT_WITHOUT
    )
    due = optional_text(DUE_MAX)
    act = models.PositiveIntegerField(null=True, blank=True)
    payload = models.JSONField(default=dict)
    edition = models.PositiveSmallIntegerField(default=FOLD_EDITION)
    is_typed = models.BooleanField(default=False)
    reason = optional_text(REASON_MAX)
    author = optional_user()
    at = moment_of_creation()

    class Meta:
        ordering = ["event", "position"]
        constraints = [
            unique("growth_position_once", "event", "position"),
            check_choice("growth_row_kind", "kind", GrowthRowKind),
        ]
        indexes = [index("growth_row_of_warband", "warband", "position")]

    def __str__(self) -> str:
        return f"{self.position}: {self.kind}"
