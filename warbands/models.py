"""Warbands, their warriors, what each has bought, and the ledger of changes.

No rules here: see `operations`.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import (
    KEPT_WITHOUT,
    PART_OF,
    check,
    choice_field,
    index,
    moment_of_creation,
    optional_moment,
    optional_text,
    optional_user,
    token_field,
    unique,
)
from accounts.tokens import new_token
from engine.roster import MAX_COUNT, MAX_LIMIT
from engine.roster import NAME_MAX as NAME_MAX  # the columns are as long
from engine.roster import NOTE_MAX as NOTE_MAX

WARRIOR_NOTE_MAX = 2000
KEY_MAX = 100
NAME_KEY_BYTES = 60
FIGURE_MAX = 300


def name_key(name: str) -> str:
    """How a name is filed for search: small letters, no leading "the", as hexadecimal bytes.

    Written so that every database sorts it alike, whatever language it sorts text in, and one index
    finds a beginning.
    """
    folded = " ".join(name.casefold().split()).removeprefix("the ")
    return folded.encode("utf-8", "replace")[:NAME_KEY_BYTES].hex()


class WarbandVisibility(models.TextChoices):
    """Who may read a warband besides its owner."""

    PRIVATE = "private", "Only me"
    LINK = "link", "Anyone with the link"
    CLUB = "club", "My club"
    PUBLIC = "public", "Public"


class Warband(models.Model):
    """A roster and whose it is.

    The totals are what the engine said at the last change, kept for the lists. One that
    ``is_grown`` belongs to a campaign, which alone changes it; ``growth`` is what it made of it.
    """

    token = token_field(new_token)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, related_name="warbands", **PART_OF
    )
    owner_key = optional_text(64, editable=False)
    club = models.ForeignKey(
        "accounts.Club", related_name="warbands", db_index=False, null=True, **KEPT_WITHOUT
    )
    system = models.CharField(max_length=KEY_MAX)
    army = models.CharField(max_length=KEY_MAX)
    variant = optional_text(KEY_MAX)
    name = models.CharField(max_length=NAME_MAX, blank=True)
    name_key = models.CharField(max_length=2 * NAME_KEY_BYTES, blank=True, editable=False)
    points_limit = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(MAX_LIMIT)]
    )
    scenario = optional_text(KEY_MAX)
    house_rules = models.JSONField(default=dict, blank=True)
    rulings = models.JSONField(default=dict, blank=True)
    tags = models.JSONField(default=list, blank=True)
    visibility = choice_field(WarbandVisibility.PRIVATE, 7)
    note = models.TextField(max_length=NOTE_MAX, blank=True)
    is_grown = models.BooleanField("belongs to a campaign", default=False)
    growth = models.JSONField(default=dict, blank=True)

    # What it and its earlier versions take while nobody with an account owns it.
    stored_bytes = models.PositiveBigIntegerField(default=0, editable=False)
    version = models.PositiveIntegerField(default=1)
    undo_head = models.PositiveIntegerField(null=True, blank=True)
    points = models.BigIntegerField(
        default=0
    )  # below 0 where somebody lists a discount again and again
    miniatures = models.PositiveIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    notes = models.PositiveIntegerField(default=0)

    archived_at = optional_moment()
    created_at = moment_of_creation()
    updated_at = moment_of_creation()

    class Meta:
        ordering = ["-updated_at", "-id"]
        constraints = [
            check("warband_one_owner", Q(owner__isnull=True) | Q(owner_key="")),
            check(
                "warband_points_limit",
                Q(points_limit__isnull=True) | Q(points_limit__lte=MAX_LIMIT),
            ),
            check(
                "warband_visibility",
                Q(visibility__in=WarbandVisibility.values),
            ),
            check("warband_version", Q(version__gte=1)),
        ]
        # Full indexes, not partial ones: SQLite cannot tell that a bound value meets an index's
        # condition.
        indexes = [
            index("warband_of_owner", "owner", "archived_at", "-updated_at", "-id"),
            index("warband_of_key", "owner_key", "archived_at", "-updated_at", "-id"),
            # Without the visibility: members see two kinds of it, and rows of two kinds would have
            # to be sorted.
            index("warband_in_club", "club", "archived_at", "-updated_at", "-id"),
            index("warband_public", "visibility", "archived_at", "-updated_at", "-id"),
            index(
                "warband_public_army",
                "visibility",
                "archived_at",
                "army",
                "-updated_at",
                "-id",
            ),
            index("warband_public_name", "visibility", "archived_at", "name_key", "id"),
            index("warband_public_points", "visibility", "archived_at", "-points", "-id"),
            index("warband_army", "system", "army"),
            index("warband_unclaimed", "owner", "owner_key", "updated_at"),
        ]

    def __str__(self) -> str:
        return self.name or "Unnamed warband"


class Warrior(models.Model):
    """One entry of a roster: `count` miniatures alike. Names of several are separated by commas."""

    warband = models.ForeignKey(Warband, related_name="warriors", **PART_OF)
    position = models.PositiveIntegerField()
    profile = models.CharField(max_length=KEY_MAX)
    name = models.CharField(max_length=NAME_MAX, blank=True)
    count = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MAX_COUNT)]
    )
    is_leader = models.BooleanField(default=False)
    lore = models.CharField(max_length=KEY_MAX, blank=True)
    note = models.TextField(max_length=WARRIOR_NOTE_MAX, blank=True)
    growth = models.JSONField(default=dict, blank=True)
    paid_each = models.IntegerField(
        default=0, help_text="Price of one miniature when it was last bought or changed."
    )
    keeps_price = models.BooleanField(
        default=False,
        help_text="That price counts still, although the list asks another one today.",
    )

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            check("warrior_count", Q(count__gte=1, count__lte=MAX_COUNT)),
            check("warrior_leads_alone", Q(is_leader=False) | Q(count=1)),
        ]
        indexes = [
            index("warrior_of_warband", "warband", "position", "id"),
            index("warrior_profile", "profile"),
        ]

    def __str__(self) -> str:
        return f"{self.count}x {self.profile}" if self.count > 1 else self.profile


class WarriorOption(models.Model):
    """A holding: one thing an entry has bought, once a piece.

    `paid` is its price then, below 0 for a discount.
    """

    warrior = models.ForeignKey(Warrior, related_name="holdings", **PART_OF)
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=KEY_MAX)
    paid = models.IntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        indexes = [
            index("holding_of_warrior", "warrior", "position", "id"),
            index("holding_key", "key"),
        ]

    def __str__(self) -> str:
        return self.key


class WarbandEvent(models.Model):
    """One change, told in words. Written once, never changed.

    `before` is the roster it changed; without it no undo.

    `back` is the version an undo takes back once this change has been undone itself.
    """

    warband = models.ForeignKey(Warband, related_name="events", **PART_OF)
    version = models.PositiveIntegerField()
    verb = models.CharField(max_length=40)
    summary = models.CharField(max_length=400)
    actor = optional_user()
    actor_key = optional_text(64)
    at = moment_of_creation()
    before = models.JSONField(null=True, blank=True)
    back = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-version"]
        constraints = [
            unique("event_once_per_version", "warband", "version"),
        ]

    def __str__(self) -> str:
        return self.summary


class AcknowledgedFigure(models.Model):
    """A figure of a warband that its sources leave uncertain, and who has acknowledged that.

    `figure` is the sentence about it: another sentence is acknowledged anew.
    """

    warband = models.ForeignKey(Warband, related_name="acknowledged_figures", **PART_OF)
    profile = models.CharField(max_length=KEY_MAX)
    figure = models.CharField(max_length=FIGURE_MAX)
    author = optional_user()
    at = moment_of_creation()

    class Meta:
        constraints = [
            unique("figure_acknowledged_once", "warband", "profile", "figure"),
        ]

    def __str__(self) -> str:
        return self.figure


class LearnedName(models.Model):
    """What somebody took a name of another app's list for, so that it is not asked again.

    Of a club's list all members of the club profit. ``profile`` is empty for the name of a unit,
    and says who buys the option otherwise.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="+", **PART_OF)
    army = models.CharField(max_length=KEY_MAX)
    profile = models.CharField(max_length=KEY_MAX, blank=True)
    name = models.CharField(max_length=NAME_MAX)
    key = models.CharField(max_length=KEY_MAX)
    at = moment_of_creation()

    class Meta:
        ordering = ["at", "id"]
        constraints = [
            unique("name_learned_once", "person", "army", "profile", "name"),
        ]
        indexes = [index("learned_of_army", "army")]

    def __str__(self) -> str:
        return self.name


class RequestKey(models.Model):
    """A request that was carried out, so that the same one sent again gets the same answer.

    Kept for seven days.
    """

    scope = models.CharField(max_length=80)
    key = models.CharField(max_length=KEY_MAX)
    fingerprint = models.CharField(max_length=64)
    answer = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now, db_index=True, editable=False)

    class Meta:
        constraints = [
            unique("request_key_once", "scope", "key"),
        ]

    def __str__(self) -> str:
        return self.key
