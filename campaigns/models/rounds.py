"""Rounds: who is here, the fixtures with what they came to, the lists, and what follows battles."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

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
    REASON_MAX,
    WORD_MAX,
    Battle,
    Snapshot,
)
from campaigns.models.leagues import SEED_MAX, ClubEvent, Entry
from engine.records import Fields, Numbers, Texts
from warbands.models import KEY_MAX, NAME_MAX

KEPT: Fields = {"on_delete": models.RESTRICT, "blank": True}
"""Options of a foreign key (beside ``null=True``) to an entry that games keep from being deleted."""
PRINT_ROUND = "print-round"  # the kind of the job that prints one


class RoundStatus(models.TextChoices):
    """Where a round stands. Only organisers see a draft's fixtures."""

    PLANNED = "planned", "Planned"
    DRAFT = "draft", "Paired, not published"
    PUBLISHED = "published", "Published"
    CLOSED = "closed", "Closed"


# These take rows and records alike, which have the same fields.


def round_limit(round_row: Any, event: Any) -> int | None:
    """The points limit of a round: its own, else its event's; None for none."""
    limit: int | None = round_row.points_limit
    return event.points_limit if limit is None else limit


def list_deadline(round_row: Any, event: Any) -> datetime | None:
    """When lists of a round are due: by its own deadline, else its event's; None for none."""
    due: datetime | None = round_row.lists_due_at
    return event.lists_due_at if due is None else due


def round_scenarios(round_row: Any, event: Any) -> Texts:
    """The keys of the scenarios a round draws from: its own, else its event's."""
    return tuple(round_row.scenarios or event.scenarios)


def play_moment(game: Any, round_row: Any) -> datetime | None:
    """When a game is played: at its own moment, else its round's; None is not agreed yet."""
    moment: datetime | None = game.plays_at or round_row.starts_at
    return moment


def list_number(event: Any, number: int) -> int:
    """The round whose lists hold in a round: its own, or the first where one is for the event."""
    return 1 if event.has_one_list else number


# The fixtures of these rounds are everybody's who reads the event.
SHOWN = (RoundStatus.PUBLISHED, RoundStatus.CLOSED)


class FixtureStatus(models.TextChoices):
    """What a fixture has come to.

    A waiting result whose time is over counts as final before anybody writes so.
    """

    ASKED = "asked", "Challenge not answered"
    OPEN = "open", "To be played"
    WAITING = "waiting", "Waiting for confirmation"
    DISPUTED = "disputed", "Disputed"
    FINAL = "final", "Played"
    VOID = "void", "Void"


class Decision(models.TextChoices):
    """What an organiser decides instead of a battle's result; "" leaves it to the battle."""

    UNPLAYED = "unplayed", "Not played (no fault)"
    WALKOVER = "walkover", "Walkover"


class ListCheck(models.TextChoices):
    """What an organiser made of a list that was handed in."""

    NONE = "none", "Not checked"
    CHECKED = "checked", "Checked"
    SENT_BACK = "sent_back", "Sent back"


class Round(models.Model):
    """One round, evening or month of an event.

    ``points_limit`` None and ``scenarios`` [] are as the event says. ``basis`` of a Swiss draft are
    the results it was drawn from, by fixture (`campaigns.queries.pairing.draw_basis`).
    """

    event = models.ForeignKey(ClubEvent, related_name="rounds", **PART_OF)
    number = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    name = optional_text(NAME_MAX)
    status = choice_field(RoundStatus.PLANNED, 9)
    points_limit = models.PositiveIntegerField(null=True, blank=True)
    scenarios = models.JSONField(default=list, blank=True)
    starts_at = optional_moment()
    lists_due_at = optional_moment()
    lists_published_at = optional_moment()
    published_at = optional_moment()
    seed = optional_text(SEED_MAX)
    basis = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["event", "number"]
        constraints = [
            unique("round_number_once", "event", "number"),
            check_choice("round_status", "status", RoundStatus),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        return self.name or f"Round {self.number}"

    @property
    def is_unnamed(self) -> bool:
        return self.title == f"Round {self.number}"

    @property
    def is_planned(self) -> bool:
        return self.status == RoundStatus.PLANNED

    @property
    def is_draft(self) -> bool:
        return self.status == RoundStatus.DRAFT

    @property
    def is_published(self) -> bool:
        return self.status == RoundStatus.PUBLISHED

    @property
    def is_closed(self) -> bool:
        return self.status == RoundStatus.CLOSED

    @property
    def is_shown(self) -> bool:
        """Whether everybody who reads the event sees its fixtures."""
        return self.status in SHOWN


class Presence(models.Model):
    """Whether somebody is here for a round. Without a row nobody has said so yet."""

    round = models.ForeignKey(Round, related_name="presences", **PART_OF)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="presences")
    is_here = models.BooleanField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["round", "entry"]
        constraints = [
            unique("presence_once", "round", "entry"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {'here' if self.is_here else 'away'}"


class Fixture(models.Model):
    """Who meets whom in a round.

    ``other`` None is a bye; ``third`` makes a table of three.

    ``status``, ``waits_until``, ``winner``, ``how`` and the figures are totals: of its battle's
    result, or of the ``decision``. ``winner`` None in a final one is a draw. ``out_…`` are models
    that entry lost, ``destroyed_…`` points it destroyed, ``score_…`` the points it
    scored as the event counts them. ``told`` holds figures typed in where
    nobody recorded who went out, by side: {"a": {"out": 3, "destroyed": 40}}. Side a of the battle
    is ``one``, b ``other``, c ``third``. ``dice`` counts the faces that each side's tests showed,
    by die and by whether low or high was good: {"a": {"6-": {"1": 2, "5": 1}}}; worked out with the
    totals. ``is_kept``: another draw leaves it as it is. ``is_friendly``: it does not count.
    """

    round = models.ForeignKey(Round, related_name="fixtures", **PART_OF)
    token = token_field(new_token)
    position = models.PositiveSmallIntegerField()
    table = models.PositiveSmallIntegerField(null=True, blank=True)
    one = models.ForeignKey(
        Entry, on_delete=models.RESTRICT, related_name="fixtures_as_one"
    )
    other = models.ForeignKey(Entry, null=True, related_name="fixtures_as_other", **KEPT)
    third = models.ForeignKey(Entry, null=True, related_name="fixtures_as_third", **KEPT)
    attacker = models.ForeignKey(Entry, null=True, related_name="+", **KEPT)
    scenario = optional_text(KEY_MAX)
    scenario_name = optional_text(NAME_MAX)
    reason = optional_text(REASON_MAX)
    is_rematch = models.BooleanField(default=False)
    is_kept = models.BooleanField(default=False)
    is_friendly = models.BooleanField(default=False)
    plays_at = optional_moment()
    asked_by = models.ForeignKey(Entry, related_name="+", null=True, **KEPT_WITHOUT)

    battle = models.OneToOneField(
        Battle, on_delete=models.SET_NULL, null=True, blank=True, related_name="fixture"
    )
    decision = models.CharField(
        max_length=8, choices=Decision.choices, blank=True, default=""
    )
    decided_for = models.ForeignKey(Entry, null=True, related_name="+", **KEPT)
    told = models.JSONField(default=dict, blank=True)

    # What `read_fixtures` reads of other rows.
    round_number: int
    round_status: str
    battle_token: str | None

    status = choice_field(FixtureStatus.OPEN, 8)
    waits_until = optional_moment()
    winner = models.ForeignKey(Entry, null=True, related_name="fixtures_won", **KEPT)
    how = optional_text(WORD_MAX)
    out_one = models.PositiveSmallIntegerField(default=0)
    out_other = models.PositiveSmallIntegerField(default=0)
    out_third = models.PositiveSmallIntegerField(default=0)
    destroyed_one = models.PositiveIntegerField(default=0)
    destroyed_other = models.PositiveIntegerField(default=0)
    destroyed_third = models.PositiveIntegerField(default=0)
    score_one = models.PositiveIntegerField(null=True, blank=True)
    score_other = models.PositiveIntegerField(null=True, blank=True)
    score_third = models.PositiveIntegerField(null=True, blank=True)
    dice = models.JSONField(default=dict, blank=True)
    played_at = optional_moment()
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ["round", "position"]
        constraints = [
            check_choice("fixture_status", "status", FixtureStatus),
            check("fixture_decision", Q(decision__in=["", *Decision.values])),
            check("fixture_of_two", Q(other__isnull=True) | ~Q(one=F("other"))),
            check("fixture_third", Q(third__isnull=True) | Q(other__isnull=False)),
            check(
                "fixture_waits_only_when_waiting",
                Q(waits_until__isnull=True) | Q(status="waiting"),
            ),
        ]
        indexes = [index("fixture_of_round", "round", "position")]

    def __str__(self) -> str:
        return self.token

    @property
    def sides(self) -> tuple[Entry, ...]:
        """Who meets, in the order of the sides of its battle."""
        three = (self.one, self.other, self.third)
        return tuple(entry for entry in three if entry is not None)

    @property
    def ids(self) -> Numbers:
        """The same by their ids."""
        three = (self.one_id, self.other_id, self.third_id)
        return tuple(pk for pk in three if pk is not None)

    @property
    def title(self) -> str:
        """Who meets whom: "Hanna against Elif"."""
        return " against ".join(entry.name for entry in self.sides)

    @property
    def is_begun(self) -> bool:
        """Whether a battle was set up, or an organiser decided."""
        return self.battle_id is not None or bool(self.decision)

    @property
    def is_bye(self) -> bool:
        return self.other_id is None

    @property
    def is_final(self) -> bool:
        return self.status == FixtureStatus.FINAL

    def result_for(self, entry_id: int) -> str:
        """What its result is to one of its entries: won, drawn or lost."""
        if self.winner_id is None:
            return "drawn"
        return "won" if self.winner_id == entry_id else "lost"

    @property
    def is_waiting(self) -> bool:
        return self.status == FixtureStatus.WAITING

    @property
    def is_reported(self) -> bool:
        """Whether it has a result, be it provisional."""
        return self.is_final or self.is_waiting

    @property
    def counts(self) -> bool:
        """Whether tables count it; a reported result does, as a provisional one."""
        return self.is_reported and not self.is_friendly

    @property
    def is_game(self) -> bool:
        """Whether they met, or one of them had it without a battle."""
        return self.other_id is not None and self.decision != Decision.UNPLAYED

    def opponents(self, entry_id: int, names: Mapping[int, str]) -> str:
        """Whom one of its entries met, in words; "" for a bye."""
        return " and ".join(names.get(pk, "") for pk in self.ids if pk != entry_id)


class ListLock(models.Model):
    """The list somebody brings to a round: a frozen sheet.

    The latest of an entry's rounds counts where one has none.

    ``findings`` are those of its system and the core, before levels and waivers; ``errors`` and
    ``warnings`` what the event's policy makes of them now. The sheet of the snapshot shows that
    too. ``is_unlocked``: this player may hand in another one although the deadline is over.
    ``check_reason`` says why it was sent back; its player may then replace it at any time.
    """

    round = models.ForeignKey(Round, related_name="lists", **PART_OF)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="lists")
    snapshot = models.ForeignKey(
        Snapshot, on_delete=models.PROTECT, null=True, blank=True, related_name="lists"
    )
    points = models.IntegerField(default=0)
    errors = models.PositiveSmallIntegerField(default=0)
    warnings = models.PositiveSmallIntegerField(default=0)
    findings = models.JSONField(default=list, blank=True)
    is_unlocked = models.BooleanField(default=False)
    check_state = choice_field(ListCheck.NONE, 9)
    check_reason = optional_text(REASON_MAX)
    version = models.PositiveIntegerField(default=1)
    handed_in_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["round", "id"]
        constraints = [
            unique("list_once_per_round", "round", "entry"),
            check_choice("list_check", "check_state", ListCheck),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} in {self.round_id}"

    @property
    def has_list(self) -> bool:
        """Whether one was handed in; else somebody was only unlocked."""
        return self.snapshot_id is not None

    @property
    def is_checked(self) -> bool:
        return self.check_state == ListCheck.CHECKED

    @property
    def is_sent_back(self) -> bool:
        return self.check_state == ListCheck.SENT_BACK


class Waiver(models.Model):
    """A finding that an organiser lets pass for one entry, with the reason.

    Taken back, it stays to be read.
    """

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="waivers")
    code = models.CharField(max_length=WORD_MAX)
    reason = models.CharField(max_length=REASON_MAX)
    author = optional_user()
    at = moment_of_creation()
    revoked_at = optional_moment()

    class Meta:
        ordering = ["entry", "id"]
        constraints = [
            unique(
                "waiver_once_at_a_time",
                "entry",
                "code",
                condition=Q(revoked_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def by(self) -> str:
        """Who gave it, by name."""
        return self.author.display_name if self.author else "An organiser"

    @property
    def holds(self) -> bool:
        return self.revoked_at is None
