"""Battles: who met whom with what, everything that happened, and what became of the result.

No rules: see `operations`.

What was locked (sides, snapshots, combatants) never changes. Events and entries of the result are
only ever added. Everything called a total here is worked out anew from them whenever one is added.
"""

import secrets

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

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
from accounts.tokens import CODE_ALPHABET, new_token
from engine.battles.sentences import LIMITS
from warbands.models import KEY_MAX, NAME_MAX

BATTLE_KEY_LENGTH = 12
SIDE_KEY_MAX = 8
COMBATANT_KEY_MAX = 16
WORD_MAX = 40
DEVICE_MAX = LIMITS["device"]
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


def new_battle_key() -> str:
    """What lets its holder record: 12 signs that can be read aloud and typed (about 51 random
    bits).
    """
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(BATTLE_KEY_LENGTH))


class BattleVisibility(models.TextChoices):
    """Who may read a battle besides those who take part."""

    PRIVATE = "private", "Only the players"
    LINK = "link", "Anyone with the link"
    PUBLIC = "public", "Public"


class BattleStatus(models.TextChoices):
    """What the latest result says.

    A proposed one whose time is over counts as confirmed before anybody writes so.
    """

    OPEN = "open", "Being played"
    PROPOSED = "proposed", "Waiting for your opponent to confirm"
    CONFIRMED = "confirmed", "Confirmed"
    DISPUTED = "disputed", "Disputed"
    VOID = "void", "Void"


class Confirmation(models.TextChoices):
    """Who confirms a reported result, as the event of a battle chooses.

    In all three the report counts in the standings at once, as provisional, and the opponent may
    dispute it; a disputed one does not count. An organiser may accept it in all three.

    - players: the opponent confirms, and silence does when the days to answer are over.
    - organiser: nobody but an organiser confirms, and silence never does.
    - reports: nobody is asked; silence confirms when the days to dispute are over.
    """

    PLAYERS = "players", "The opponent confirms it"
    ORGANISER = "organiser", "An organiser accepts it"
    REPORTS = "reports", "Results are final at once unless disputed"


class ResultVerb(models.TextChoices):
    """What an entry of the result does."""

    PROPOSE = "propose", "Reported"
    CONFIRM = "confirm", "Confirmed"
    DISPUTE = "dispute", "Disputed"
    CORRECT = "correct", "Corrected"
    VOID = "void", "Voided"
    RESTORE = "restore", "Restored"
    UNDO = "undo", "Last step undone"


class Battle(models.Model):
    """A battle.

    ``locked`` is what the fold of its events begins with; ``state`` what that fold came to last.
    ``rules_edition`` is the edition of the rules that the fold goes by: later corrections do not
    change what was recorded.

    ``events_bytes`` is what its events take, ``setup_bytes`` what its sides take where nobody with
    an account has a part in it.

    ``status``, ``winner``, ``how``, ``proposed_by`` and ``confirm_by`` are what its entries of the
    result come to.
    """

    token = token_field(new_token)
    key = models.CharField(
        max_length=BATTLE_KEY_LENGTH, default=new_battle_key, editable=False
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        related_name="battles",
        db_index=False,
        null=True,
        **KEPT_WITHOUT,
    )
    owner_key = optional_text(64, editable=False)
    club = models.ForeignKey(
        "accounts.Club", related_name="battles", db_index=False, null=True, **KEPT_WITHOUT
    )
    visibility = choice_field(BattleVisibility.LINK, 7)

    system = models.CharField(max_length=KEY_MAX)
    variant = optional_text(KEY_MAX)
    scenario = optional_text(KEY_MAX)
    scenario_name = optional_text(NAME_MAX)
    house_rules = models.JSONField(default=dict, blank=True)
    ruling_layers = models.JSONField(default=dict, blank=True)
    note = models.TextField(max_length=NOTE_MAX, blank=True, default="")
    attacker = optional_text(SIDE_KEY_MAX)
    first = optional_text(SIDE_KEY_MAX, verbose_name="goes first")
    fought_date = models.DateField()
    confirm_days = models.PositiveSmallIntegerField(
        default=CONFIRM_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(CONFIRM_DAYS_MAX)],
    )
    confirmation = choice_field(Confirmation.PLAYERS, 9)
    locked = models.JSONField(default=dict)
    # Battles of before editions were counted are of the first.
    rules_edition = models.PositiveSmallIntegerField(default=1)

    state = models.JSONField(default=dict)
    turn = models.PositiveSmallIntegerField(default=0)
    phase = optional_text(WORD_MAX)
    events_count = models.PositiveIntegerField(default=0)
    setup_bytes = models.PositiveIntegerField(default=0)
    events_bytes = models.PositiveIntegerField(default=0)
    ended_at = optional_moment()

    status = choice_field(BattleStatus.OPEN, 9)
    winner = optional_text(SIDE_KEY_MAX)
    how = optional_text(WORD_MAX)
    proposed_by = optional_text(SIDE_KEY_MAX)
    confirm_by = optional_moment()
    results_count = models.PositiveIntegerField(default=0)

    version = models.PositiveIntegerField(default=1)
    created_at = moment_of_creation()
    updated_at = moment_of_creation()

    class Meta:
        db_table = "campaigns_battle"
        ordering = ["-updated_at", "-id"]
        constraints = (
            check("battle_one_owner", Q(owner__isnull=True) | Q(owner_key="")),
            check("battle_visibility", Q(visibility__in=BattleVisibility.values)),
            check("battle_status", Q(status__in=BattleStatus.values)),
            check("battle_confirmation", Q(confirmation__in=Confirmation.values)),
            check(
                "battle_waits_only_when_proposed",
                Q(confirm_by__isnull=True) | Q(status="proposed"),
            ),
            check("battle_events_most", Q(events_count__lte=EVENTS_MAX)),
        )
        # Full indexes, not partial ones: SQLite cannot tell that a bound value meets an index's
        # condition.
        indexes = (
            index("battle_of_owner", "owner", "-updated_at", "-id"),
            index("battle_of_key", "owner_key", "-updated_at", "-id"),
            index("battle_of_club", "club", "visibility", "-updated_at", "-id"),
            index("battle_public", "visibility", "-updated_at", "-id"),
            index("battle_overdue", "status", "confirm_by"),
        )

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
        related_name="snapshots",
        db_index=False,
        null=True,
        **KEPT_WITHOUT,
    )
    version = models.PositiveIntegerField(default=0)
    hash = models.CharField(max_length=64)
    document = models.JSONField()
    sheet = models.JSONField()
    points = models.IntegerField(default=0)
    miniatures = models.PositiveIntegerField(default=0)
    at = moment_of_creation()

    class Meta:
        db_table = "campaigns_snapshot"
        ordering = ["-at", "-id"]
        constraints = (unique("snapshot_once_per_warband", "warband", "hash"),)

    def __str__(self) -> str:
        return f"{self.hash[:12]} of version {self.version}"


class BattleSide(models.Model):
    """One of the sides: a warband's snapshot, or a quick one of so many models.

    Whose it is speaks for it.

    ``points`` is None where nobody counts them.
    """

    battle = models.ForeignKey(Battle, related_name="sides", **PART_OF)
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=SIDE_KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    army = optional_text(KEY_MAX)
    army_name = optional_text(NAME_MAX)
    warband = models.ForeignKey(
        "warbands.Warband", related_name="battle_sides", null=True, **KEPT_WITHOUT
    )
    owner = optional_user("battle_sides")
    owner_key = optional_text(64, editable=False, db_index=True)
    snapshot = models.ForeignKey(
        Snapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="sides"
    )
    is_quick = models.BooleanField(default=False)
    size = models.PositiveIntegerField()
    leadership = models.PositiveSmallIntegerField(null=True, blank=True)
    points = models.IntegerField(null=True, blank=True)
    # Whether this row was read without its list, which is secret from its reader.
    hides_list = False

    class Meta:
        db_table = "campaigns_battleside"
        ordering = ["battle", "position"]
        constraints = (
            unique("side_position_once", "battle", "position"),
            unique("side_key_once", "battle", "key"),
            check("side_one_owner", Q(owner__isnull=True) | Q(owner_key="")),
            check("side_quick_or_sheet", Q(is_quick=False) | Q(snapshot__isnull=True)),
            check("side_size", Q(size__gte=1)),
        )

    def __str__(self) -> str:
        return self.name


class BattleCombatant(models.Model):
    """One miniature of a side, or one regiment of so many ``miniatures``.

    The last four are totals of the events.

    ``warrior_id`` is the entry of the warband it came from, ``number`` which miniature of that
    entry, from 1.
    """

    battle = models.ForeignKey(Battle, related_name="combatants", **PART_OF)
    side = models.ForeignKey(BattleSide, related_name="combatants", **PART_OF)
    position = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=COMBATANT_KEY_MAX)
    name = models.CharField(max_length=NAME_MAX)
    profile = optional_text(KEY_MAX)
    title = optional_text(NAME_MAX)
    warrior_id = models.PositiveBigIntegerField(null=True, blank=True)
    number = models.PositiveSmallIntegerField(default=1)
    wounds = models.PositiveSmallIntegerField(null=True, blank=True)
    leadership = models.PositiveSmallIntegerField(null=True, blank=True)
    is_leader = models.BooleanField(default=False)
    points = models.IntegerField(default=0)
    miniatures = models.PositiveSmallIntegerField(default=1)

    state = optional_text(WORD_MAX)
    is_out = models.BooleanField(default=False)
    kills = models.PositiveIntegerField(default=0)
    put_out_by = optional_text(COMBATANT_KEY_MAX)

    class Meta:
        db_table = "campaigns_battlecombatant"
        ordering = ["battle", "position"]
        constraints = (unique("combatant_key_once", "battle", "key"),)
        indexes = (
            index("combatant_of_battle", "battle", "position"),
            index("combatant_of_side", "side", "position"),
        )

    def __str__(self) -> str:
        return self.name


class BattleEvent(models.Model):
    """Something that happened, as a device told it. Written once.

    ``position`` is the order of arrival, from 1.

    ``at`` is what the device's clock said and decides nothing. ``author_name`` is what somebody
    without an account is called; people with one are named by their account.
    """

    battle = models.ForeignKey(Battle, related_name="events", **PART_OF)
    position = models.PositiveIntegerField()
    uuid = models.UUIDField()
    device = models.CharField(max_length=DEVICE_MAX)
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=WORD_MAX)
    payload = models.JSONField(default=dict)
    author = optional_user()
    author_key = optional_text(64, editable=False)
    author_name = optional_text(AUTHOR_MAX)
    received_at = moment_of_creation()

    class Meta:
        db_table = "campaigns_battleevent"
        ordering = ["battle", "position"]
        constraints = (
            unique("battle_event_once", "battle", "uuid"),
            unique("battle_event_position_once", "battle", "position"),
        )

    def __str__(self) -> str:
        return f"{self.position}. {self.kind}"


class ResultEntry(models.Model):
    """One step of the result.

    Written once; the result is what all of them come to, see `battles.results`.

    ``winner`` is a side's key, empty for nobody. ``side`` is the side somebody spoke for, empty for
    whoever set the battle up and organisers. ``confirm_by`` is when silence confirms it, None where
    it stands at once, or where ``awaits_organiser``.
    """

    battle = models.ForeignKey(Battle, related_name="results", **PART_OF)
    number = models.PositiveIntegerField()
    verb = models.CharField(max_length=8, choices=ResultVerb.choices)
    side = optional_text(SIDE_KEY_MAX)
    winner = optional_text(SIDE_KEY_MAX)
    how = optional_text(WORD_MAX)
    reason = optional_text(REASON_MAX)
    figures = models.JSONField(default=dict)
    confirm_by = optional_moment()
    awaits_organiser = models.BooleanField(default=False)
    is_silent = models.BooleanField("automatic", default=False)
    author = optional_user()
    author_key = optional_text(64, editable=False)
    author_name = optional_text(AUTHOR_MAX)
    at = moment_of_creation()

    class Meta:
        db_table = "campaigns_resultentry"
        ordering = ["battle", "number"]
        constraints = (
            unique("result_once_per_number", "battle", "number"),
            check("result_verb", Q(verb__in=ResultVerb.values)),
        )

    def __str__(self) -> str:
        return f"{self.number}. {self.verb}"
