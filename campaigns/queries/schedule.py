"""Rounds and fixtures as programs, calendars and files take them: with everybody's names, silence
heard.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import User
from accounts.owner import NOBODY, Owner
from accounts.tokens import is_token
from campaigns import access
from campaigns.models import (
    CalendarEdition,
    ClubEvent,
    Entry,
    EntryStatus,
    Fixture,
    FixtureStatus,
    ListLock,
    RoundStatus,
)
from campaigns.models.rounds import limit_of, moment_of, scenarios_of
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import (
    fixture_of,
    fixtures_of,
    load_fixture_records,
    load_round_records,
)
from campaigns.queries.records import (
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
    fixture_entries,
    round_of,
)
from campaigns.queries.standings import StandingsRecord, standings_of
from engine.records import copy_fields, frozen_dataclass
from warbands.queries.lists import army_name
from warbands.queries.records import NO_NAME


@frozen_dataclass
class ScheduledFixture:
    """A fixture with its round and those who meet, in the order of its sides."""

    record: FixtureRecord
    round: RoundRecord
    sides: tuple[EntryRecord, ...]
    attacker: EntryRecord | None
    winner: EntryRecord | None

    @property
    def plays_at(self) -> datetime | None:
        """Its own moment or else its round's."""
        return moment_of(self.record, self.round)

    @property
    def is_mine(self) -> bool:
        """Whether the reader plays in it."""
        return any(one.is_mine for one in self.sides)

    @property
    def status_words(self) -> str:
        """What an unsettled one waits for."""
        return str(FixtureStatus(self.record.status).label)

    @property
    def title(self) -> str:
        """Who meets whom in words."""
        if self.record.is_bye:
            return f"{self.sides[0].name} has a bye"
        return " against ".join(side.name for side in self.sides)


def scheduled_fixture(
    record: FixtureRecord, of: RoundRecord, entries: Mapping[int, EntryRecord]
) -> ScheduledFixture:
    """A fixture of this round with the entries it names."""
    return ScheduledFixture(
        record=record,
        round=of,
        sides=fixture_entries(record, entries),
        attacker=entries.get(record.attacker_id or 0),
        winner=entries.get(record.winner_id or 0),
    )


@frozen_dataclass
class Schedule:
    """An event's rounds and fixtures, in their order.

    Fixtures of drafts are only its organisers'.
    """

    event: ClubEventRecord
    entries: tuple[EntryRecord, ...]
    rounds: tuple[RoundRecord, ...]
    fixtures: tuple[ScheduledFixture, ...]

    def of_round(self, number: int) -> tuple[ScheduledFixture, ...]:
        return tuple(fixture for fixture in self.fixtures if fixture.round.number == number)


def load_rounds(event: ClubEventRecord) -> tuple[RoundRecord, ...]:
    """The rounds of a loaded event by number, each with what it or else its event agrees on.

    The seed is the organisers'. One query.
    """
    return tuple(
        replace(
            one,
            points_limit=limit_of(one, event),
            scenarios=scenarios_of(one, event),
            seed=one.seed if event.may_organise else "",
        )
        for one in load_round_records(event.id)
    )


def load_schedule(
    actor: Owner, token: str, number: int | None = None, *, is_shared: bool = False
) -> Schedule | None:
    """An event with its rounds and fixtures, or those of one round; None where it may not be read.

    Four queries.

    ``is_shared``: the actor has shown a key to it, so nobody asks whether they may read it.
    """
    event = load_event(actor, token, is_shared=is_shared)
    if event is None:
        return None
    entries, rounds = load_entries(actor, event), load_rounds(event)
    rows = Fixture.objects.filter(round__event_id=event.id)
    if number is not None:
        rows = rows.filter(round__number=number)
    return Schedule(event, entries, rounds, _fixtures(event, entries, rounds, rows))


def standings_in(schedule: Schedule) -> StandingsRecord:
    """The table of a loaded event. One query."""
    played = load_fixture_records(schedule.event.id, timezone.now())
    return standings_of(schedule.event, schedule.entries, played)


def load_scheduled(
    actor: Owner, token: str
) -> tuple[ClubEventRecord, ScheduledFixture] | None:
    """One fixture by its token, with its event; None where the actor may not read it.

    Five queries.
    """
    # Anything else cannot be in the table, and some of it no database takes.
    if not is_token(token):
        return None
    rows = Fixture.objects.filter(token=token)
    of = rows.values_list("round__event__token", flat=True).order_by().first()
    event = load_event(actor, of or "")
    if event is None:
        return None
    found = _fixtures(event, load_entries(actor, event), load_rounds(event), rows)
    return (event, found[0]) if found else None


def _fixtures(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    rows: QuerySet[Fixture],
) -> tuple[ScheduledFixture, ...]:
    """Return the fixtures the reader may see, with their entries. One query."""
    # Fixtures of drafts and of planned rounds are the organisers' alone.
    seen = {one.id: one for one in rounds if one.is_shown or event.may_organise}
    known = {one.id: one for one in entries}
    found = fixtures_of(rows.filter(round_id__in=seen), timezone.now())
    return tuple(scheduled_fixture(one, seen[one.round_id], known) for one in found)


NEXT_MOST = 5


@frozen_dataclass
class NextSide:
    """Who plays, and what they mean to bring; of a secret list nothing but that there is one."""

    name: str
    entry_id: int
    entry: str
    is_secret: bool
    warband: str = ""
    warband_name: str = ""
    army_name: str = ""
    points: int | None = None


@frozen_dataclass
class UpcomingFixture:
    """A fixture of a published round that this person has still to play.

    ``mine`` is their own side, ``others`` whom they meet.
    """

    event: str
    event_name: str
    rounds_planned: int
    place: str
    needs_list: bool
    points_limit: int | None
    round: RoundRecord
    record: FixtureRecord
    has_list: bool
    mine: NextSide
    others: tuple[NextSide, ...]

    @property
    def starts_at(self) -> datetime | None:
        """Its own moment or else its round's; None is not agreed yet."""
        return moment_of(self.record, self.round)

    @property
    def against(self) -> str:
        """Whom they meet, in words."""
        return " and ".join(side.name for side in self.others)

    @property
    def wants_list(self) -> bool:
        return self.needs_list and not self.has_list


def load_upcoming_fixtures(actor: Owner) -> tuple[UpcomingFixture, ...]:
    """What this person plays next, the soonest first, what has no date after it; at most five.

    One query.
    """
    if actor.user_id is None:
        return ()
    rows = _open_fixtures_of(actor.user_id).select_related(
        "round__event", "battle", "one__warband", "other__warband", "third__warband"
    )
    rows = rows.defer("battle__locked", "battle__state")
    # A game without a date waits for the players, so it stands behind those with one.
    soonest = F("moment").asc(nulls_last=True)
    return tuple(
        _upcoming_fixture(actor, row)
        for row in rows.order_by(soonest, "round__number", "pk")[:NEXT_MOST]
    )


def _open_fixtures_of(user_id: int) -> QuerySet[Fixture]:
    """The open fixtures of those who play on, with their ``moment``, whether a list was handed
    in, and whether those of others are secret.
    """
    # Who dropped out is not asked to play; an organiser decides those games.
    mine = Entry.objects.filter(user_id=user_id, status=EntryStatus.ACTIVE).values("pk")
    of_round = Q(round=OuterRef("round"))
    of_event = Q(round__event=OuterRef("round__event"), round__event__has_one_list=True)
    lists = ListLock.objects.filter(
        of_round | of_event, entry__user_id=user_id, snapshot__isnull=False
    )
    rows = Fixture.objects.filter(
        Q(one__in=mine) | Q(other__in=mine) | Q(third__in=mine),
        status=FixtureStatus.OPEN,
        other__isnull=False,
        round__status=RoundStatus.PUBLISHED,
        round__event__archived_at=None,
    )
    secret = ClubEvent.objects.filter(access.keeping_lists_secret())
    return rows.annotate(
        moment=Coalesce("plays_at", "round__starts_at"),
        has_list=Exists(lists),
        is_secret=Exists(secret.filter(pk=OuterRef("round__event"))),
    )


def _upcoming_fixture(actor: Owner, row: Fixture) -> UpcomingFixture:
    """Return a game to come as its player sees it: own side first, then the others."""
    event, round_row = row.round.event, row.round
    # The query gave only fixtures with an entry of theirs.
    own = next(entry for entry in row.sides if access.plays_as(actor, entry))
    return copy_fields(
        UpcomingFixture,
        event,
        event=event.token,
        event_name=event.name,
        points_limit=limit_of(round_row, event),
        round=round_of(round_row, RoundRecord),
        record=fixture_of(row, timezone.now()),
        has_list=row.has_list,  # type: ignore[attr-defined]
        mine=_side(own, is_secret=False),
        others=tuple(
            _side(entry, is_secret=row.is_secret)  # type: ignore[attr-defined]
            for entry in row.sides
            if entry is not own
        ),
    )


def _side(entry: Entry, *, is_secret: bool) -> NextSide:
    """Return an entry as a side; with ``is_secret`` without its warband and points."""
    side = NextSide(entry.name, entry.pk, entry.token, is_secret)
    warband = entry.warband
    if is_secret or warband is None:
        return side
    return replace(
        side,
        warband=warband.token,
        warband_name=warband.name or NO_NAME,
        army_name=army_name(warband.system, warband.army),
        points=warband.points,
    )


# Keys of calendar addresses: one for each person and event, for a calendar cannot sign in. A key is
# worked out and not stored, so that reading a page writes nothing; what is stored is how often it
# was renewed.

_SALT = "campaigns.calendars"  # not the module's name: addresses handed out hold it
_PERSON = re.compile("[0-9]{1,9}")


def load_calendar_key(event: ClubEventRecord, user_id: int) -> str:
    """Return what this person's calendar shows for the event's feed. One query."""
    rows = CalendarEdition.objects.filter(Q(user=user_id) | Q(user=None), event=event.id)
    numbers: dict[int | None, int] = dict(rows.values_list("user_id", "number"))
    parts = (event.token, user_id, numbers.get(None, 0), numbers.get(user_id, 0))
    text = "/".join(str(part) for part in parts)
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
    event = load_event(reader, token)
    is_active = User.objects.filter(pk=user_id, is_active=True).exists()
    if event is None or not is_active:
        return NOBODY
    is_right = constant_time_compare(load_calendar_key(event, user_id), key)
    return reader if is_right else NOBODY
