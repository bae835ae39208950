"""What the hall screen of an event draws: names, tables, standings and messages, and its clock."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from accounts.owner import NOBODY, Owner
from accounts.tokens import get_row
from campaigns.models import EventLog, Round
from campaigns.models.leagues import HallScreen
from campaigns.queries.fixtures import (
    Schedule,
    ScheduledFixture,
    SeatLine,
    list_seats,
    load_schedule,
)
from campaigns.queries.records import ClubEventRecord
from campaigns.queries.standings import StandingRow, standings_in
from engine.records import frozen_dataclass

ROWS_MOST = 8
"""Lines of a slide: as many as can be read from eight metres."""
MESSAGES_MOST = 3


@frozen_dataclass
class Clock:
    """A countdown: ``left`` seconds at the moment it was asked, until ``ends_at`` where it runs."""

    left: int
    ends_at: datetime | None

    @property
    def is_running(self) -> bool:
        return self.ends_at is not None

    @property
    def text(self) -> str:
        """Minutes and seconds, such as 89:05."""
        return f"{self.left // 60}:{self.left % 60:02}"


Slide = tuple[str, str, Sequence[Any]]
"""A page of the screen: its kind (tables, names, standings or messages), its title and rows."""


@frozen_dataclass
class Screen:
    """All that the screen draws, as it is ``now``. ``token`` is of one that is on, else "".

    ``messages`` are the lines of the log of what organisers sent to all players today.
    """

    event: ClubEventRecord
    token: str
    now: datetime
    clock: Clock | None
    round: Round | None
    games: list[ScheduledFixture]
    standings: tuple[StandingRow, ...]
    messages: list[EventLog]

    @property
    def seats(self) -> list[SeatLine]:
        return list_seats(self.games)

    @property
    def slides(self) -> list[Slide]:
        """Its pages, which are shown in turn."""
        title = self.round.title if self.round else ""
        parts: tuple[tuple[str, str, Sequence[Any], int], ...] = (
            ("messages", "Messages", self.messages, MESSAGES_MOST),
            ("tables", f"{title} by table", self.games, ROWS_MOST),
            ("names", f"{title} by name", self.seats, 2 * ROWS_MOST),
            ("standings", "Standings", self.standings, 2 * ROWS_MOST),
        )
        return [
            (kind, name, rows[first : first + most])
            for kind, name, rows, most in parts
            for first in range(0, len(rows), most)
        ]


def build_clock(screen: HallScreen, now: datetime) -> Clock | None:
    """The clock of a screen; None before it was started."""
    if screen.clock_ends_at is not None:
        left = max(0, round((screen.clock_ends_at - now).total_seconds()))
        return Clock(left, screen.clock_ends_at)
    return None if screen.clock_left is None else Clock(screen.clock_left, None)


def load_screen(actor: Owner, token: str) -> Screen:
    """What the screen of an event draws. Six queries. Raises NotFound."""
    schedule = load_schedule(actor, token)
    screen = HallScreen.objects.filter(event=schedule.event.id).first()
    return _build_screen(schedule, screen)


def load_watched_screen(key: str) -> Screen:
    """The same for whoever has the screen's own token, until it is turned off."""
    screen = get_row(HallScreen.objects.select_related("event"), key, "screen")
    schedule = load_schedule(NOBODY, screen.event.token, is_shared=True)
    return _build_screen(schedule, screen)


def _build_screen(schedule: Schedule, screen: HallScreen | None) -> Screen:
    now = timezone.now()
    shown = [record for record in schedule.rounds if record.is_shown]
    latest = shown[-1] if shown else None
    games = [game for game in schedule.fixtures if game.round == latest]
    games.sort(key=lambda game: (game.record.table is None, game.record.table or 0))
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    messages = EventLog.objects.filter(
        event_id=schedule.event.id, verb="message", subject="all", at__gte=today
    )
    table = standings_in(schedule)
    return Screen(
        event=schedule.event,
        token=screen.token if screen else "",
        now=now,
        clock=build_clock(screen, now) if screen else None,
        round=latest,
        games=games,
        standings=table.rows if table.round else (),
        messages=list(messages.order_by("-id")[:MESSAGES_MOST]),
    )
