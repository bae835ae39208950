"""Fixtures and rounds of an event as records, with silence heard and everybody's names; and as
programs, calendars and files take them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import re2
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.errors import NotFound
from accounts.models import User
from accounts.owner import NOBODY, Owner
from accounts.tokens import find_row
from battles.hooks import EventOfBattle
from battles.results import is_overdue
from campaigns import access
from campaigns.models import (
    SHOWN,
    CalendarEdition,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    FixtureStatus,
    ListLock,
    PairingMethod,
    Presence,
    Round,
    RoundStatus,
)
from campaigns.models.rounds import (
    list_deadline,
    play_moment,
    round_limit,
    round_scenarios,
)
from campaigns.queries.events import find_event, load_entries, load_event
from campaigns.queries.records import UNSETTLED, ClubEventRecord, EntryRecord
from engine.records import Fields, Texts, frozen_dataclass
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME

NO_RESULT = (FixtureStatus.OPEN, FixtureStatus.ASKED)


def load_event_of_battle(actor: Owner, token: str) -> EventOfBattle | None:
    """The fixture this battle plays, or None where it plays none or lists may not name its event to
    this actor.
    """
    listed = ClubEvent.objects.filter(access.listed_to(actor))
    rows = Fixture.objects.filter(battle__token=token, round__event__in=listed)
    row = rows.select_related("round__event").order_by().first()
    if row is None:
        return None
    event = row.round.event
    has_aftermath = bool(event.growth_position) and row.status not in NO_RESULT
    return EventOfBattle(event.token, event.name, row.token, str(row.round), has_aftermath)


def load_round_rows(event_id: int) -> tuple[Round, ...]:
    """The rounds of an event by their numbers. One query."""
    rows = Round.objects.filter(event_id=event_id).order_by("number")
    return tuple(rows)


def load_ticks(round_id: int) -> dict[int, bool]:
    """Whether somebody is here for a round, by entry; who is left out has not said so. One query."""
    rows = Presence.objects.filter(round_id=round_id)
    return dict(rows.values_list("entry_id", "is_here"))


def has_rounds(event: ClubEventRecord) -> bool:
    """Whether any round is there, be it planned by a list that was handed in. One query."""
    return Round.objects.filter(event_id=event.id).exists()


def load_fixtures(event_id: int) -> tuple[Fixture, ...]:
    """Every fixture of the event's published rounds, in the order of rounds and tables.

    One query.
    """
    rows = Fixture.objects.filter(round__event_id=event_id, round__status__in=SHOWN)
    return read_fixtures(rows)


def read_fixtures(rows: QuerySet[Fixture]) -> tuple[Fixture, ...]:
    """These rows in the order of rounds and tables, each with the status it has now. One query.

    A waiting result whose time is over is final, and a bye is from the moment its round is no
    draft. They are only read, never saved.
    """
    ordered: Any = rows.order_by("round__number", "position", "id")
    games = ordered.annotate(
        round_number=F("round__number"),
        round_status=F("round__status"),
        battle_token=F("battle__token"),
    )
    now = timezone.now()
    for game in games:
        is_bye = game.is_bye and game.round_status != RoundStatus.DRAFT
        game.status = status_now(game.status, game.waits_until, now, is_bye=is_bye)
    return tuple(games)


def status_now(
    status: str, waits_until: datetime | None, now: datetime, *, is_bye: bool = False
) -> str:
    """The status a fixture of a published round has now, silence heard."""
    # No row is written when silence confirms a result: each reader works it out.
    is_silent = is_overdue(waits_until, now, is_waiting=status == FixtureStatus.WAITING)
    return FixtureStatus.FINAL if is_silent or is_bye else status


@frozen_dataclass
class ScheduledFixture:
    """A fixture with its round and those who meet, in the order of its sides."""

    record: Fixture
    round: Round
    sides: tuple[EntryRecord, ...]
    attacker: EntryRecord | None
    winner: EntryRecord | None

    @property
    def plays_at(self) -> datetime | None:
        """Its own moment or else its round's."""
        return play_moment(self.record, self.round)

    @property
    def names(self) -> Texts:
        return tuple(entry.name for entry in self.sides)

    @property
    def is_mine(self) -> bool:
        """Whether the reader plays in it."""
        return any(entry.is_mine for entry in self.sides)

    @property
    def title(self) -> str:
        """Who meets whom in words."""
        return " against ".join(self.names) + " has a bye" * self.record.is_bye


@frozen_dataclass
class SeatLine:
    """Where one player sits, and against whom; "" with a bye."""

    name: str
    opponents: str
    table: int | None


def list_seats(fixtures: Iterable[ScheduledFixture]) -> list[SeatLine]:
    """Return every player with their table and opponent, by name."""
    seats = []
    for game in fixtures:
        for name in game.names:
            others = " and ".join(other for other in game.names if other != name)
            seats.append(SeatLine(name, others, game.record.table))
    return sorted(seats, key=lambda seat: seat.name.casefold())


@frozen_dataclass
class Schedule:
    """An event's rounds and fixtures, in their order.

    Fixtures of drafts are only its organisers'.
    """

    event: ClubEventRecord
    entries: tuple[EntryRecord, ...]
    rounds: tuple[Round, ...]
    fixtures: tuple[ScheduledFixture, ...]

    @property
    def played(self) -> tuple[Fixture, ...]:
        """The games of published rounds."""
        return tuple(game.record for game in self.fixtures if game.round.is_shown)

    @property
    def unsettled(self) -> list[ScheduledFixture]:
        """Those in published rounds without a result that stands, the latest round first."""
        games = (game for game in self.fixtures if game.round.is_shown)
        unsettled = [game for game in games if game.record.status in UNSETTLED]
        # The sort is stable: within a round the order of the tables stays.
        return sorted(unsettled, key=lambda game: -game.round.number)


def load_rounds(event: ClubEventRecord) -> tuple[Round, ...]:
    """The rounds of a loaded event by number, each with what it or else its event agrees on.

    The seed is the organisers'. One query.
    """
    rounds = load_round_rows(event.id)
    for row in rounds:
        row.points_limit = round_limit(row, event)
        row.scenarios = round_scenarios(row, event)
        row.seed = row.seed if event.may_organise else ""
    return rounds


def load_schedule(
    actor: Owner, token: str, number: int | None = None, *, is_shared: bool = False
) -> Schedule:
    """An event with its rounds and fixtures, or those of one round. Four queries.

    Raises NotFound.

    ``is_shared``: the actor has shown a key to it, so nobody asks whether they may read it.
    """
    event = load_event(actor, token, is_shared=is_shared)
    only: Fields = {} if number is None else {"round__number": number}
    return read_schedule(actor, event, load_rounds(event), **only)


def load_scheduled(actor: Owner, token: str) -> tuple[ClubEventRecord, ScheduledFixture]:
    """One fixture by its token, with its event. Five queries. Raises NotFound."""
    row = find_row(Fixture.objects.select_related("round__event"), token)
    event = find_event(actor, row.round.event.token) if row else None
    if event is not None:
        schedule = read_schedule(actor, event, load_rounds(event), token=token)
        for game in schedule.fixtures:
            return event, game
    raise NotFound("fixture")


def read_schedule(
    actor: Owner,
    event: ClubEventRecord,
    rounds: tuple[Round, ...],
    *,
    shows_plan: bool = False,
    **only: Any,
) -> Schedule:
    """The fixtures of these rounds that the reader may see, or ``only`` some. Two queries.

    Those of drafts and of planned rounds are the organisers' alone; with ``shows_plan`` the
    schedule of a round robin is everybody's from the beginning.
    """
    is_ahead = shows_plan and event.method == PairingMethod.ROBIN
    visible = {
        row.id: row
        for row in rounds
        if row.is_shown or event.may_organise or (is_ahead and row.is_planned)
    }
    entries = {entry.id: entry for entry in load_entries(actor, event)}
    records = read_fixtures(Fixture.objects.filter(round_id__in=visible, **only))
    fixtures = tuple(
        ScheduledFixture(
            record=record,
            round=visible[record.round_id],
            sides=tuple(entries[pk] for pk in record.ids),
            attacker=entries.get(record.attacker_id or 0),
            winner=entries.get(record.winner_id or 0),
        )
        for record in records
    )
    return Schedule(event, tuple(entries.values()), rounds, fixtures)


NEXT_MOST = 5


def load_upcoming_fixtures(actor: Owner) -> list[Any]:
    """What this person plays next, the soonest first, what has no date after it; at most five.

    Rows of games with the ``moment`` they are played at, ``has_list``, ``players`` (the reader
    first) and whom they are ``against``. Of a secret list a player tells that there is one. One
    query; a second where an event among them has secret lists.
    """
    if actor.user_id is None:
        return []
    # Who dropped out is not asked to play; an organiser decides those games.
    entries = Entry.objects.filter(user_id=actor.user_id, status=EntryStatus.ACTIVE)
    mine = entries.values("pk")
    of_round = Q(round=OuterRef("round"))
    of_event = Q(round__event=OuterRef("round__event"), round__event__has_one_list=True)
    lists = ListLock.objects.filter(
        of_round | of_event, entry__user_id=actor.user_id, snapshot__isnull=False
    )
    rows = (
        Fixture.objects.filter(
            Q(one__in=mine) | Q(other__in=mine) | Q(third__in=mine),
            status=FixtureStatus.OPEN,
            other__isnull=False,
            round__status=RoundStatus.PUBLISHED,
            round__event__archived_at=None,
        )
        .annotate(
            moment=Coalesce("plays_at", "round__starts_at"),
            has_list=Exists(lists),
        )
        .select_related("round__event", "one__warband", "other__warband", "third__warband")
        # A game without a date waits for the players, so it stands behind those with one.
        .order_by(F("moment").asc(nulls_last=True), "round__number", "pk")
    )
    fixtures: list[Any] = list(rows[:NEXT_MOST])
    secret = access.find_secret(row.round.event for row in fixtures)
    for row in fixtures:
        event = row.round.event
        row.round.lists_due_at = list_deadline(row.round, event)
        row.round.points_limit = round_limit(row.round, event)
        row.players = sorted(row.sides, key=lambda entry: entry.user_id != actor.user_id)
        row.against = " and ".join(entry.name for entry in row.players[1:])
        for entry in row.players:
            entry.is_secret = entry != row.players[0] and event.pk in secret
            if entry.is_secret:
                entry.warband = None
            if warband := entry.warband:
                entry.warband_name = warband.name or NO_NAME
                entry.army_name = army_name(warband.system, warband.army)
    return fixtures


# Keys of calendar addresses: one for each person and event, for a calendar cannot sign in. A key is
# worked out and not stored, so that reading a page writes nothing; what is stored is how often it
# was renewed.

_SALT = "campaigns.calendars"  # not the module's name: addresses handed out hold it
_PERSON = re2.compile("[0-9]{1,9}")


def load_calendar_key(event: ClubEventRecord, user_id: int) -> str:
    """Return what this person's calendar shows for the event's feed. One query."""
    rows = CalendarEdition.objects.filter(Q(user=user_id) | Q(user=None), event=event.id)
    numbers: dict[int | None, int] = dict(rows.values_list("user_id", "number"))
    parts = (event.token, user_id, numbers.get(None, 0), numbers.get(user_id, 0))
    text = "/".join(map(str, parts))
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()[:32]


def load_calendar_reader(token: str, person: str, key: str) -> Owner:
    """Return whose calendar asks, as a key shows; nobody where it shows nothing.

    A key shows nothing any more once it was renewed, and once its person may not read the event or
    sign in. Four queries at most.
    """
    if not _PERSON.fullmatch(person):
        return NOBODY
    user_id = int(person)
    reader = Owner(user_id=user_id)
    event = find_event(reader, token)
    is_active = User.objects.filter(pk=user_id, is_active=True).exists()
    if event is None or not is_active:
        return NOBODY
    is_right = constant_time_compare(load_calendar_key(event, user_id), key)
    return reader if is_right else NOBODY
