"""Leagues, club nights, campaigns and one-day tournaments: one model, four kinds, who is entered, and the log of what
was changed; the season they count for, and where they are shown beside their pages.

What an event agrees on (system, limit, scenarios, levels of guidelines, points and tie-breaks)
stands in the event; a round may set limit and scenarios anew.
"""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.fields import (
    KEPT_WITHOUT,
    PART_OF,
    check,
    check_choice,
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
from battles.models import (
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    REASON_MAX,
    WORD_MAX,
    Confirmation,
)
from warbands.models import KEY_MAX, NAME_MAX

EVENT_NAME_MAX = 80
PLACE_MAX = 120
SEED_MAX = 40
SCORE_NAME_MAX = 40
# Of one side in one game, and of what organisers give a player.
SCORE_MAX = 100_000
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
    ONE_DAY = "one_day", "One-day tournament"


class PairingMethod(models.TextChoices):
    """How the fixtures of a round come about."""

    ROBIN = "robin", "Round robin"
    SWISS = "swiss", "Swiss"
    PRESENT = "present", "Players present"
    CHALLENGE = "challenge", "Challenges"


class EventVisibility(models.TextChoices):
    """Who may read an event; its address is opaque."""

    CLUB = "club", "Members of the club"
    LINK = "link", "Anyone with the link"
    PUBLIC = "public", "Public"


class EventStatus(models.TextChoices):
    """Where an event stands."""

    OPEN = "open", "Open to join"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"


class OddNumber(models.TextChoices):
    """What becomes of whoever is left over."""

    BYE = "bye", "A bye"
    THREE_PLAYER_TABLE = "three", "A three-player game"


class MissedRound(models.TextChoices):
    """What a late entrant gets for a round played before."""

    NOTHING = "nothing", "Nothing"
    DRAW = "draw", "The points of a draw"


class EntryStatus(models.TextChoices):
    """Whether somebody is paired."""

    ACTIVE = "active", "Playing"
    WAITING = "waiting", "On the waiting list"
    DROPPED = "dropped", "Dropped out"


def default_ties() -> list[str]:
    """The tie-breaks of a new event, in their order."""
    return ["head_to_head", "opponents_score", "out_difference"]


class ClubEvent(models.Model):
    """A league, a club night, a campaign or a one-day tournament of a club.

    ``legs`` are those of a round robin. ``rounds_planned`` 0 is open-ended. ``points_limit`` None
    is without limit. ``scenarios`` are keys that fixtures draw from. ``levels`` maps a guideline's
    code to error, warning, note or off. ``tables`` 0 is as many as are needed.
    ``has_core``: from round to round no warrior of the last list may be missing. ``has_one_list``:
    each player hands in one list, which holds for every round; it belongs to the first one.
    ``shows_treasury``: standings have every currency of growing warbands, also what is spent.
    ``capacity`` None takes everybody. ``lists_due_at`` holds for rounds without a deadline of
    their own. ``score_name`` and ``player_score_name`` are what points scored in a game and points
    given to a player are called, "" where nobody counts them; ``score_max`` is the most of a game.
    ``growth_position`` is the last of the log of growth, 0 where warbands do not grow.
    """

    token = token_field(new_token)
    club = models.ForeignKey("accounts.Club", related_name="events", **PART_OF)
    author = optional_user()
    name = models.CharField(max_length=EVENT_NAME_MAX)
    description = models.TextField(max_length=NOTE_MAX, blank=True, default="")
    place = optional_text(PLACE_MAX)
    kind = models.CharField(max_length=8, choices=EventKind.choices)
    method = models.CharField(max_length=9, choices=PairingMethod.choices)
    legs = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(2)]
    )
    rounds_planned = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(ROUNDS_MAX)]
    )
    odd = choice_field(OddNumber.BYE, 5)
    tables = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(TABLES_MAX)]
    )
    visibility = choice_field(EventVisibility.CLUB, 6)
    status = choice_field(EventStatus.OPEN, 8)
    starts_at = optional_moment()
    capacity = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(ENTRIES_MAX)],
    )
    entries_close_at = optional_moment()
    lists_due_at = optional_moment()

    system = models.CharField(max_length=KEY_MAX)
    variant = optional_text(KEY_MAX)
    points_limit = models.PositiveIntegerField(null=True, blank=True)
    house_rules = models.JSONField(default=dict, blank=True)
    ruling_layers = models.JSONField(default=dict, blank=True)
    scenarios = models.JSONField(default=list, blank=True)
    levels = models.JSONField(default=dict, blank=True)
    needs_list = models.BooleanField(default=False)
    is_secret = models.BooleanField("lists are secret until published", default=True)
    has_core = models.BooleanField(default=False)
    has_one_list = models.BooleanField(default=False)
    shows_treasury = models.BooleanField(default=False)

    points_win = models.SmallIntegerField(default=3)
    points_draw = models.SmallIntegerField(default=1)
    points_loss = models.SmallIntegerField(default=0)
    points_bye = models.SmallIntegerField(default=3)
    points_unplayed = models.SmallIntegerField(default=0)
    missed_round = choice_field(MissedRound.NOTHING, 7)
    score_name = optional_text(SCORE_NAME_MAX)
    score_max = models.PositiveIntegerField(null=True, blank=True)
    player_score_name = optional_text(SCORE_NAME_MAX)
    tie_breaks = models.JSONField(default=default_ties, blank=True)
    confirm_days = models.PositiveSmallIntegerField(
        default=CONFIRM_DAYS,
        validators=[MinValueValidator(1), MaxValueValidator(CONFIRM_DAYS_MAX)],
    )
    confirmation = choice_field(Confirmation.PLAYERS, 9)

    growth_position = models.PositiveIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    created_at = moment_of_creation()
    updated_at = moment_of_creation()
    archived_at = optional_moment()

    class Meta:
        ordering = ["-updated_at", "-id"]
        constraints = [
            check_choice("event_kind", "kind", EventKind),
            check_choice("event_method", "method", PairingMethod),
            check_choice("event_visibility", "visibility", EventVisibility),
            check_choice("event_status", "status", EventStatus),
            check_choice("event_odd", "odd", OddNumber),
            check_choice("event_confirmation", "confirmation", Confirmation),
            check_choice("event_missed_round", "missed_round", MissedRound),
            check("event_legs", Q(legs__in=[1, 2])),
        ]
        indexes = [
            index("event_of_club", "club", "archived_at", "-updated_at", "-id"),
            index("event_public", "visibility", "archived_at", "-updated_at", "-id"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def is_over(self) -> bool:
        """Whether it takes no more entries, lists and challenges."""
        return self.status == EventStatus.FINISHED or self.is_archived


class Entry(models.Model):
    """Somebody in an event: a person, or a guest who has only a name.

    Their id is what pairings and tables know.

    ``joined`` is the round they are paired from, 0 until they have a place, ``dropped`` the first
    they are not. Who waits moves up by ``created_at``, when they asked for a place. ``play_off`` 1
    stands first of those who played it. ``warband`` is what they mean to bring; what counts is a
    round's `ListLock`. ``player_score`` is what organisers gave them, None for nothing yet.
    """

    event = models.ForeignKey(ClubEvent, related_name="entries", **PART_OF)
    token = token_field(new_token)
    user = optional_user("entries")
    name = models.CharField(max_length=NAME_MAX)
    warband = models.ForeignKey(
        "warbands.Warband", related_name="entries", null=True, **KEPT_WITHOUT
    )
    status = choice_field(EntryStatus.ACTIVE, 7)
    joined = models.PositiveSmallIntegerField(default=1)
    dropped = models.PositiveSmallIntegerField(null=True, blank=True)
    play_off = models.PositiveSmallIntegerField(null=True, blank=True)
    is_paid = models.BooleanField(default=False)
    player_score = models.PositiveIntegerField(null=True, blank=True)
    created_at = moment_of_creation()

    class Meta:
        ordering = ["event", "id"]
        constraints = [
            unique(
                "entry_once_per_person", "event", "user", condition=Q(user__isnull=False)
            ),
            check_choice("entry_status", "status", EntryStatus),
            check(
                "entry_dropped_only_when_it_is",
                Q(dropped__isnull=True) | Q(status="dropped"),
            ),
        ]
        indexes = [index("entry_of_event", "event", "id")]

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
        constraints = [
            unique("calendar_edition_of_person", "event", "user"),
            unique("calendar_edition_of_event", "event", condition=Q(user=None)),
        ]

    def __str__(self) -> str:
        return f"{self.event_id}: {self.number}"


class EventLog(models.Model):
    """What somebody changed in an event, in words.

    Written once, never changed; newest first is how it is read.

    ``subject`` is a token of what was changed ("" for the event itself), ``changes`` what it was
    and became, ``version`` the event's from then on. Two changes of one ``area`` touch each other
    (`campaigns.operations.log`).
    """

    event = models.ForeignKey(ClubEvent, related_name="log", **PART_OF)
    verb = models.CharField(max_length=WORD_MAX)
    subject = optional_text(WORD_MAX)
    words = models.CharField(max_length=REASON_MAX)
    reason = optional_text(REASON_MAX)
    changes = models.JSONField(default=dict, blank=True)
    area = optional_text(WORD_MAX)
    version = models.PositiveIntegerField(default=0)
    author = optional_user()
    at = moment_of_creation()

    class Meta:
        ordering = ["-id"]
        indexes = [index("event_log_of_event", "event", "-id")]

    def __str__(self) -> str:
        return self.words


SEASONS_MAX = 50
SEASON_EVENTS_MAX = 24


class SeasonCount(models.TextChoices):
    """What an event brings its players."""

    PLACE = "place", "Points by place"
    POINTS = "points", "Points as scored in the event"


class Season(models.Model):
    """Some events of a club counted together.

    ``best`` is how many results of a player count, None for all. ``place_points`` are those of the
    first place, the second and so on; nothing for those after.
    """

    token = token_field(new_token)
    club = models.ForeignKey("accounts.Club", related_name="seasons", **PART_OF)
    name = models.CharField(max_length=EVENT_NAME_MAX)
    counts = choice_field(SeasonCount.PLACE, 6)
    best = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(SEASON_EVENTS_MAX)],
    )
    place_points = models.JSONField(default=list, blank=True)
    events = models.ManyToManyField(ClubEvent, related_name="seasons", blank=True)
    version = models.PositiveIntegerField(default=1)
    created_at = moment_of_creation()

    class Meta:
        ordering = ["-id"]
        constraints = [check_choice("season_counts", "counts", SeasonCount)]
        indexes = [index("season_of_club", "club", "-id")]

    def __str__(self) -> str:
        return self.name

    @property
    def rule(self) -> str:
        """How results add up, in words."""
        best = "all results count"
        if self.best:
            plural = "result counts" if self.best == 1 else f"{self.best} results count"
            best = f"the best {plural}"
        if self.counts == SeasonCount.POINTS:
            return f"Points as scored in each event; {best}."
        worth = ", ".join(map(str, self.place_points)) or "nothing"
        return f"Points by place ({worth}); {best}."


class HallScreen(models.Model):
    """The screen of an event while it is on; whoever has its ``token`` may watch.

    The clock runs until ``clock_ends_at``, or is stopped at ``clock_left`` seconds. Both None: no
    clock was started.
    """

    event = models.OneToOneField(ClubEvent, models.CASCADE, related_name="screen")
    token = token_field(new_token)
    clock_ends_at = optional_moment()
    clock_left = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["event"]

    def __str__(self) -> str:
        return f"{self.event_id}"


ADDRESS_MAX = 200
DISCORD_POST = "discord-post"  # the kind of the job that sends one


class DiscordWebhook(models.Model):
    """Where an event posts to.

    Whoever has the ``address`` may post there: no page, answer, file, log or copy has it.
    ``is_on``: until Discord says that it does not know the address.
    """

    event = models.OneToOneField(ClubEvent, models.CASCADE)
    address = models.CharField(max_length=ADDRESS_MAX)
    is_on = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.event_id}"
