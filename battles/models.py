"""Battles: who met whom with what, everything that happened, and what became of the result.

No rules: see `operations`.

What was locked (sides, snapshots, combatants) never changes. Events and entries of the result are
only ever added. Everything called a total here is worked out anew from them whenever one is added.
"""

from __future__ import annotations

import secrets
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.tokens import CODE_ALPHABET, new_token
from warbands.models import KEY_MAX, NAME_MAX

BATTLE_KEY_LENGTH = 12
SIDE_KEY_MAX = 8
COMBATANT_KEY_MAX = 16
WORD_MAX = 40
DEVICE_MAX = 100
AUTHOR_MAX = 60
NOTE_MAX = 2000
REASON_MAX = 500
SIDES_LEAST, SIDES_MOST = 2, 8
QUICK_MODELS_MAX = 200
QUICK_LEADERSHIP_MAX = 10
MODELS_MAX = 200  # of one side
EVENTS_MAX = 10_000
CONFIRM_DAYS = 3
CONFIRM_DAYS_MAX = 60

Constraints = list[models.BaseConstraint]


def new_battle_key() -> str:
    """What lets its holder record: 12 signs that can be read aloud and typed (about 51 random
    bits).
    """
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(BATTLE_KEY_LENGTH))


class BattleVisibility(models.TextChoices):
    """Who may read a battle besides those who take part."""

    PRIVATE = "private", "Those who take part"
    LINK = "link", "Everybody with the link"
    PUBLIC = "public", "Everybody, in the public list"


class BattleStatus(models.TextChoices):
    """What the latest result says.

    A proposed one whose time is over counts as confirmed before anybody writes so.
    """

    OPEN = "open", "Being played"
    PROPOSED = "proposed", "Waits for the other side"
    CONFIRMED = "confirmed", "Confirmed"
    DISPUTED = "disputed", "Disputed"
    VOID = "void", "Void"


class ResultVerb(models.TextChoices):
    """What an entry of the result does."""

    PROPOSE = "propose", "Proposed"
    CONFIRM = "confirm", "Confirmed"
    DISPUTE = "dispute", "Disputed"
    CORRECT = "correct", "Corrected"
    VOID = "void", "Made void"
    RESTORE = "restore", "Restored"


class Battle(models.Model):
    """A battle.

    ``locked`` is what the fold of its events begins with; ``state`` what that fold came to last.

    ``status``, ``winner``, ``how``, ``proposed_by`` and ``confirm_by`` are what its entries of the
    result come to.
    """

    token = models.CharField(max_length=16, unique=True, default=new_token, editable=False)
    key = models.CharField(max_length=BATTLE_KEY_LENGTH, default=new_battle_key, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="battles",
        db_index=False,
    )
    owner_key = models.CharField(max_length=64, blank=True, default="", editable=False)
    club = models.ForeignKey(
        "accounts.Club",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="battles",
        db_index=False,
    )
    visibility = models.CharField(
        max_length=7, choices=BattleVisibility.choices, default=BattleVisibility.LINK
    )

    system = models.CharField(max_length=KEY_MAX)
    variant = models.CharField(max_length=KEY_MAX, blank=True, default="")
    scenario = models.CharField(max_length=KEY_MAX, blank=True, default="")
    scenario_name = models.CharField(max_length=NAME_MAX, blank=True, default="")
    house_rules = models.JSONField(default=dict, blank=True)
    note = models.TextField(max_length=NOTE_MAX, blank=True, default="")
    attacker = models.CharField(max_length=SIDE_KEY_MAX, blank=True, default="")
    first = models.CharField("goes first", max_length=SIDE_KEY_MAX, blank=True, default="")
    fought_date = models.DateField()
    confirm_days = models.PositiveSmallIntegerField(
        default=CONFIRM_DAYS, validators=[MinValueValidator(1), MaxValueValidator(CONFIRM_DAYS_MAX)]
    )
    locked = models.JSONField(default=dict)

    state = models.JSONField(default=dict)
    turn = models.PositiveSmallIntegerField(default=0)
    phase = models.CharField(max_length=WORD_MAX, blank=True, default="")
    events_count = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)

    status = models.CharField(max_length=9, choices=BattleStatus.choices, default=BattleStatus.OPEN)
    winner = models.CharField(max_length=SIDE_KEY_MAX, blank=True, default="")
    how = models.CharField(max_length=WORD_MAX, blank=True, default="")
    proposed_by = models.CharField(max_length=SIDE_KEY_MAX, blank=True, default="")
    confirm_by = models.DateTimeField(null=True, blank=True)
    results_count = models.PositiveIntegerField(default=0)

    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "campaigns_battle"
        ordering: ClassVar[list[str]] = ["-updated_at", "-id"]
        constraints: ClassVar[Constraints] = [
            models.CheckConstraint(
                condition=Q(owner__isnull=True) | Q(owner_key=""), name="battle_one_owner"
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=["private", "link", "public"]), name="battle_visibility"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["open", "proposed", "confirmed", "disputed", "void"]),
                name="battle_status",
            ),
            models.CheckConstraint(
                condition=Q(confirm_by__isnull=True) | Q(status="proposed"),
                name="battle_waits_only_when_proposed",
            ),
            models.CheckConstraint(
                condition=Q(events_count__lte=EVENTS_MAX), name="battle_events_most"
            ),
        ]
        # Full indexes, not partial ones: SQLite cannot tell that a bound value meets an index's
        # condition.
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["owner", "-updated_at", "-id"], name="battle_of_owner"),
            models.Index(fields=["owner_key", "-updated_at", "-id"], name="battle_of_key"),
            models.Index(
                fields=["club", "visibility", "-updated_at", "-id"], name="battle_of_club"
            ),
            models.Index(fields=["visibility", "-updated_at", "-id"], name="battle_public"),
            models.Index(fields=["status", "confirm_by"], name="battle_overdue"),
        ]

    def __str__(self) -> str:
        return self.token


class Snapshot(models.Model):
    """A roster as it was brought to a table, with its whole sheet.

    Written once; the same roster again is the same row.

    ``version`` is the warband's when this was taken first; ``hash`` is of what was chosen and of
    the sheet.
    """

    warband = models.ForeignKey(
        "warbands.Warband",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="snapshots",
        db_index=False,
    )
    version = models.PositiveIntegerField(default=0)
    hash = models.CharField(max_length=64)
    document = models.JSONField()
    sheet = models.JSONField()
    points = models.IntegerField(default=0)
    miniatures = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "campaigns_snapshot"
        ordering: ClassVar[list[str]] = ["-at", "-id"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["warband", "hash"], name="snapshot_once_per_warband"),
        ]

    def __str__(self) -> str:
        return f"{self.hash[:12]} of version {self.version}"


class BattleSide(models.Model):
    """One of the sides: a warband's snapshot, or a quick one of so many models.

    Whose it is speaks for it.

    ``points`` is None where nobody counts them.
    """

    battle = models.ForeignKey(
        Battle, on_delete=models.CASCADE, related_name="sides", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=SIDE_KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    army = models.CharField(max_length=KEY_MAX, blank=True, default="")
    army_name = models.CharField(max_length=NAME_MAX, blank=True, default="")
    warband = models.ForeignKey(
        "warbands.Warband",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="battle_sides",
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="battle_sides",
    )
    owner_key = models.CharField(
        max_length=64, blank=True, default="", editable=False, db_index=True
    )
    snapshot = models.ForeignKey(
        Snapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="sides"
    )
    is_quick = models.BooleanField(default=False)
    size = models.PositiveIntegerField()
    leadership = models.PositiveSmallIntegerField(null=True, blank=True)
    points = models.IntegerField(null=True, blank=True)

    class Meta:
        db_table = "campaigns_battleside"
        ordering: ClassVar[list[str]] = ["battle", "position"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["battle", "position"], name="side_position_once"),
            models.UniqueConstraint(fields=["battle", "key"], name="side_key_once"),
            models.CheckConstraint(
                condition=Q(owner__isnull=True) | Q(owner_key=""), name="side_one_owner"
            ),
            models.CheckConstraint(
                condition=Q(is_quick=False) | Q(snapshot__isnull=True), name="side_quick_or_sheet"
            ),
            models.CheckConstraint(condition=Q(size__gte=1), name="side_size"),
        ]

    def __str__(self) -> str:
        return self.name


class BattleCombatant(models.Model):
    """One miniature of a side, or one regiment of so many ``miniatures``.

    The last four are totals of the events.

    ``warrior_id`` is the entry of the warband it came from, ``number`` which miniature of that
    entry, from 1.
    """

    battle = models.ForeignKey(
        Battle, on_delete=models.CASCADE, related_name="combatants", db_index=False
    )
    side = models.ForeignKey(
        BattleSide, on_delete=models.CASCADE, related_name="combatants", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=COMBATANT_KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    profile = models.CharField(max_length=KEY_MAX, blank=True, default="")
    title = models.CharField(max_length=NAME_MAX, blank=True, default="")
    warrior_id = models.PositiveBigIntegerField(null=True, blank=True)
    number = models.PositiveSmallIntegerField(default=1)
    wounds = models.PositiveSmallIntegerField(null=True, blank=True)
    leadership = models.PositiveSmallIntegerField(null=True, blank=True)
    is_leader = models.BooleanField(default=False)
    points = models.IntegerField(default=0)
    miniatures = models.PositiveSmallIntegerField(default=1)

    state = models.CharField(max_length=WORD_MAX, blank=True, default="")
    is_out = models.BooleanField(default=False)
    kills = models.PositiveIntegerField(default=0)
    put_out_by = models.CharField(max_length=COMBATANT_KEY_MAX, blank=True, default="")

    class Meta:
        db_table = "campaigns_battlecombatant"
        ordering: ClassVar[list[str]] = ["battle", "position"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["battle", "key"], name="combatant_key_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["battle", "position"], name="combatant_of_battle"),
            models.Index(fields=["side", "position"], name="combatant_of_side"),
        ]

    def __str__(self) -> str:
        return self.name


class BattleEvent(models.Model):
    """Something that happened, as a device told it. Written once.

    ``position`` is the order of arrival, from 1.

    ``at`` is what the device's clock said and decides nothing. ``author_name`` is what somebody
    without an account is called; people with one are named by their account.
    """

    battle = models.ForeignKey(
        Battle, on_delete=models.CASCADE, related_name="events", db_index=False
    )
    position = models.PositiveIntegerField()
    uuid = models.UUIDField()
    device = models.CharField(max_length=DEVICE_MAX)
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=WORD_MAX)
    payload = models.JSONField(default=dict)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    author_key = models.CharField(max_length=64, blank=True, default="", editable=False)
    author_name = models.CharField(max_length=AUTHOR_MAX, blank=True, default="")
    received_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "campaigns_battleevent"
        ordering: ClassVar[list[str]] = ["battle", "position"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["battle", "uuid"], name="battle_event_once"),
            models.UniqueConstraint(
                fields=["battle", "position"], name="battle_event_position_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.kind}"


class ResultEntry(models.Model):
    """One step of the result.

    Written once; the result is what all of them come to, see `battles.results`.

    ``winner`` is a side's key, empty for nobody. ``side`` is the side somebody spoke for, empty for
    whoever set the battle up and organisers. ``confirm_by`` is when silence confirms it, None where
    it stands at once.
    """

    battle = models.ForeignKey(
        Battle, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    number = models.PositiveIntegerField()
    verb = models.CharField(max_length=8, choices=ResultVerb.choices)
    side = models.CharField(max_length=SIDE_KEY_MAX, blank=True, default="")
    winner = models.CharField(max_length=SIDE_KEY_MAX, blank=True, default="")
    how = models.CharField(max_length=WORD_MAX, blank=True, default="")
    reason = models.CharField(max_length=REASON_MAX, blank=True, default="")
    figures = models.JSONField(default=dict)
    confirm_by = models.DateTimeField(null=True, blank=True)
    is_silent = models.BooleanField("by silence", default=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    author_key = models.CharField(max_length=64, blank=True, default="", editable=False)
    author_name = models.CharField(max_length=AUTHOR_MAX, blank=True, default="")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "campaigns_resultentry"
        ordering: ClassVar[list[str]] = ["battle", "number"]
        constraints: ClassVar[Constraints] = [
            models.UniqueConstraint(fields=["battle", "number"], name="result_once_per_number"),
            models.CheckConstraint(
                condition=Q(
                    verb__in=["propose", "confirm", "dispute", "correct", "void", "restore"]
                ),
                name="result_verb",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.verb}"
