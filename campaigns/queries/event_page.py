"""The page of an event and its log: everything on them, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.owner import Owner
from campaigns.models import EventLog
from campaigns.queries.awards import Honour, load_honours
from campaigns.queries.challenges import Challenges, load_challenges
from campaigns.queries.chronicle import Chapter, chronicle_of
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.records import (
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from campaigns.queries.results import load_fixture_records, load_round_records
from campaigns.queries.schedule import ScheduledFixture, scheduled_fixture
from campaigns.queries.standings import (
    CourseChart,
    MatrixRow,
    StandingsRecord,
    courses_of,
    matrix_of,
    standings_of,
)
from warbands.queries.records import RowsPage

NEXT_MOST = 12
PAGES_MAX = 100
LOG_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class EventPage:
    """An event as its page tells it.

    ``more`` next fixtures are left out, and ``games`` were played.
    """

    event: ClubEventRecord
    rounds: tuple[RoundRecord, ...]
    table: StandingsRecord
    courses: CourseChart | None
    matrix: tuple[MatrixRow, ...]
    chapters: tuple[Chapter, ...]
    honours: tuple[Honour, ...]
    next: tuple[ScheduledFixture, ...]
    more: int
    games: int
    challenges: Challenges | None

    @property
    def coming(self) -> RoundRecord | None:
        """The first round that is not published, where anybody has said when it is."""
        later = [one for one in self.rounds if not one.is_shown and one.starts_at is not None]
        return later[0] if later else None


def load_event_page(actor: Owner, token: str) -> EventPage | None:
    """The page of an event, or None where there is none or the actor may not read it. Six queries.

    Two more for a campaign of challenges.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    entries = load_entries(actor, event)
    played = load_fixture_records(event.id, timezone.now())
    rounds = load_round_records(event.id)
    table = standings_of(event, entries, played)
    courses = courses_of(table, played)
    coming = _next(entries, rounds, played)
    return EventPage(
        event=event,
        rounds=rounds,
        table=table,
        courses=courses,
        matrix=matrix_of(table, played),
        chapters=chronicle_of(event, entries, rounds, played, courses),
        honours=load_honours(table, played),
        next=coming[:NEXT_MOST],
        more=len(coming[NEXT_MOST:]),
        games=sum(one.is_final and one.is_game for one in played),
        challenges=load_challenges(event, entries),
    )


def _next(
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
) -> tuple[ScheduledFixture, ...]:
    """What has no result that stands, the reader's own first, then the latest round's."""
    known = {one.id: one for one in entries}
    of = {one.id: one for one in rounds}
    told = [
        scheduled_fixture(one, of[one.round_id], known) for one in played if one.status in UNSETTLED
    ]
    return tuple(sorted(told, key=lambda one: (not one.is_mine, -one.round.number)))


# The log


@dataclass(frozen=True, slots=True)
class LogLine:
    """What somebody changed: in words, why, and who; ``subject`` is the token of what it is about."""

    words: str
    reason: str
    author: str
    at: datetime
    subject: str
    verb: str


def load_log(
    event: ClubEventRecord, *, page: int = 1, per_page: int = LOG_PER_PAGE
) -> RowsPage[LogLine]:
    """What was changed in an event, the newest first. One query."""
    number = min(max(page, 1), PAGES_MAX)
    start = (number - 1) * per_page
    rows = EventLog.objects.filter(event_id=event.id).select_related("author").order_by("-id")
    found = list(rows[start : start + per_page + 1])
    told = tuple(
        LogLine(
            row.words,
            row.reason,
            row.author.display_name if row.author else "",
            row.at,
            row.subject,
            row.verb,
        )
        for row in found[:per_page]
    )
    return RowsPage(told, number, per_page, len(found) > per_page and number < PAGES_MAX)
