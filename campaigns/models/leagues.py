"""Leagues, club nights and campaigns: one model of three kinds, who is entered, and the log of what
was changed.

What an event agrees on (system, limit, scenarios, levels of guidelines, points and tie-breaks)
stands in the event; a round may set limit and scenarios anew.
"""

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.tokens import new_token
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    REASON_MAX,
    WORD_MAX,
    Constraints,
)
from warbands.models import KEY_MAX, NAME_MAX

EVENT_NAME_MAX = 80
PLACE_MAX = 120
SEED_MAX = 40
# Matching takes time with the third power of the number of players.
ENTRIES_MAX = 128
ROUNDS_MAX = 60
TABLES_MAX = 64
# Points of one result, and as many below 0.
POINTS_MAX = 100


class EventKind(models.TextChoices):
    """What an event is."""

    LEAGUE = "league", "League"
    NIGHT = "night", "Club night"
    CAMPAIGN = "campaign", "Campaign"


class PairingMethod(models.TextChoices):
    """How the fixtures of a round come about."""

    ROBIN = "robin", "Round robin"
    SWISS = "swiss", "Swiss"
    PRESENT = "present", "Whoever is here"
    CHALLENGE = "challenge", "Challenges"


class EventVisibility(models.TextChoices):
    """Who may read an event; its address is opaque."""

    CLUB = "club", "Members of the club"
    LINK = "link", "Everybody with the link"
    PUBLIC = "public", "Everybody, in the public list"


class EventStatus(models.TextChoices):
    """Where an event stands."""

    OPEN = "open", "Open for entries"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"


class OddNumber(models.TextChoices):
    """What becomes of whoever is left over."""

    BYE = "bye", "A bye"
    THREE_PLAYER_TABLE = "three", "A table of three"


class EntryStatus(models.TextChoices):
    """Whether somebody is paired."""

    ACTIVE = "active", "Playing"
    DROPPED = "dropped", "Dropped out"


def default_ties() -> list[str]:
    """The tie-breaks of a new event, in their order."""
    return ["head_to_head", "opponents_score", "out_difference"]


class ClubEvent(models.Model):
    """A league, a club night or a campaign of a club.

    ``legs`` are those of a round robin. ``rounds_planned`` 0 is open-ended. ``points_limit`` None
    is without limit. ``scenarios`` are keys that fixtures draw from. ``levels`` maps a guideline's
    code to error, warning, note or off. ``tables`` 0 is as many as are needed. ``steps`` are what a
    campaign does after a battle, {} for nothing. ``has_core``: from round to round no warrior of
    the last list may be missing.
    """

    token = models.CharField(max_length=16, unique=True, default=new_token, editable=False)
    club = models.ForeignKey(
        "accounts.Club", on_delete=models.CASCADE, related_name="events", db_index=False
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    name = models.CharField(max_length=EVENT_NAME_MAX)
    description = models.TextField(max_length=NOTE_MAX, blank=True, default="")
    place = models.CharField(max_length=PLACE_MAX, blank=True, default="")
    kind = models.CharField(max_length=8, choices=EventKind.choices)
    method = models.CharField(max_length=9, choices=PairingMethod.choices)
    legs = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(2)]
    )
    rounds_planned = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(ROUNDS_MAX)]
    )
    odd = models.CharField(max_length=5, choices=OddNumber.choices, default=OddNumber.BYE)
    tables = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(TABLES_MAX)]
    )
    visibility = models.CharField(
        max_length=6, choices=EventVisibility.choices, default=EventVisibility.CLUB
    )
    status = models.CharField(
        max_length=8, choices=EventStatus.choices, default=EventStatus.OPEN
    )

    system = models.CharField(max_length=KEY_MAX)
    variant = models.CharField(max_length=KEY_MAX, blank=True, default="")
    points_limit = models.PositiveIntegerField(null=True, blank=True)
    house_rules = models.JSONField(default=dict, blank=True)
    scenarios = models.JSONField(default=list, blank=True)
    levels = models.JSONField(default=dict, blank=True)
    needs_list = models.BooleanField(default=False)
    is_secret = models.BooleanField("lists are secret until published", default=True)
    has_core = models.BooleanField(default=False)
    steps = models.JSONField(default=dict, blank=True)

    points_win = models.SmallIntegerField(default=3)
    points_draw = models.SmallIntegerField(default=1)
    points_loss = models.SmallIntegerField(default=0)
    points_bye = models.SmallIntegerField(default=3)
    points_unplayed = models.SmallIntegerField(default=0)
    tie_breaks = models.JSONField(default=default_ties, blank=True)
    confirm_days = models.PositiveSmallIntegerField(
        default=CONFIRM_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(CONFIRM_DAYS_MAX)],
    )

    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-updated_at", "-id"]
        constraints: ClassVar[Constraints] = [
            models.CheckConstraint(
                condition=Q(kind__in=["league", "night", "campaign"]), name="event_kind"
            ),
            models.CheckConstraint(
                condition=Q(method__in=["robin", "swiss", "present", "challenge"]),
                name="event_method",
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=["club", "link", "public"]),
                name="event_visibility",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["open", "running", "finished"]), name="event_status"
            ),
            models.CheckConstraint(condition=Q(odd__in=["bye", "three"]), name="event_odd"),
            models.CheckConstraint(condition=Q(legs__in=[1, 2]), name="event_legs"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["club", "archived_at", "-updated_at", "-id"], name="event_of_club"
            ),
            models.Index(
                fields=["visibility", "archived_at", "-updated_at", "-id"],
                name="event_public",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """Somebody in an event: a person, or a guest who has only a name.

    Their id is what pairings and tables know.

    ``joined`` is the round they are paired from, ``dropped`` the first they are not. ``play_off`` 1
    stands first of those who played it. ``warband`` is what they mean to bring; what counts is a
    round's `ListLock`.
    """

    event = models.ForeignKey(
        ClubEvent, on_delete=models.CASCADE, related_name="entries", db_index=False
    )
    token = models.CharField(max_length=16, unique=True, default=new_token, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="entries",
    )
    name = models.CharField(max_length=NAME_MAX)
    warband = models.ForeignKey(
        "warbands.Warband",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="entries",
    )
    status = models.CharField(
        max_length=7, choices=EntryStatus.choices, default=EntryStatus.ACTIVE
    )
    joined = models.PositiveSmallIntegerField(default=1)
    dropped = models.PositiveSmallIntegerField(null=True, blank=True)
    play_off = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["event", "id"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(
                fields=["event", "user"],
                condition=Q(user__isnull=False),
                name="entry_once_per_person",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["active", "dropped"]), name="entry_status"
            ),
            models.CheckConstraint(
                condition=Q(dropped__isnull=True) | Q(status="dropped"),
                name="entry_dropped_only_when_it_is",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["event", "id"], name="entry_of_event")
        ]

    def __str__(self) -> str:
        return self.name


class CalendarEdition(models.Model):
    """How often the calendar addresses of an event were renewed: all of them, or one ``user``'s."""

    event = models.ForeignKey(
        ClubEvent, on_delete=models.CASCADE, related_name="calendars", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    number = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(
                fields=["event", "user"], name="calendar_edition_of_person"
            ),
            models.UniqueConstraint(
                fields=["event"], condition=Q(user=None), name="calendar_edition_of_event"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}: {self.number}"


class EventLog(models.Model):
    """What somebody changed in an event, in words.

    Written once, never changed; newest first is how it is read.

    ``subject`` is a token of what was changed ("" for the event itself), ``changes`` what it was
    and became.
    """

    event = models.ForeignKey(
        ClubEvent, on_delete=models.CASCADE, related_name="log", db_index=False
    )
    verb = models.CharField(max_length=WORD_MAX)
    subject = models.CharField(max_length=WORD_MAX, blank=True, default="")
    words = models.CharField(max_length=REASON_MAX)
    reason = models.CharField(max_length=REASON_MAX, blank=True, default="")
    changes = models.JSONField(default=dict, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["event", "-id"], name="event_log_of_event")
        ]

    def __str__(self) -> str:
        return self.words
