"""A round as its page shows it: who is here, who meets whom and why, and what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from types import MappingProxyType

from accounts.errors import NotFound
from accounts.owner import Owner
from campaigns.models import (
    Decision,
    FixtureStatus,
    ListCheck,
    ListLock,
    PairingMethod,
    Round,
)
from campaigns.models.rounds import list_deadline, list_number, round_limit
from campaigns.queries.events import load_event
from campaigns.queries.fixtures import (
    Schedule,
    ScheduledFixture,
    SeatLine,
    list_seats,
    load_round_rows,
    load_ticks,
    read_schedule,
)
from campaigns.queries.pairing import results_since
from campaigns.queries.records import (
    HOLDING_UP,
    MISSING,
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
    may_publish,
)
from engine.records import Texts, copy_fields, frozen_dataclass, grouped, quantity

GAMES_SHOWN = 400  # in the list of rounds; beyond them it says how many


@frozen_dataclass
class FixtureLine(ScheduledFixture):
    """One game of a round, or who sits out. ``sitters`` are those at its table, each with what they
    bring, in a few words, and whether they are away.
    """

    sitters: tuple[tuple[EntryRecord, str, bool], ...]

    @property
    def title(self) -> str:
        return (" against " if len(self.names) == 2 else ", ").join(self.names)

    @property
    def outcome(self) -> str:
        """How it stands in words; "" while it is to be played."""
        status = self.record.status
        if self.record.is_bye or status == FixtureStatus.OPEN:
            return ""
        if self.record.decision == Decision.UNPLAYED:
            return "Not played"
        result = f"{self.winner.name} won" if self.winner else "Draw"
        if status == FixtureStatus.FINAL:
            return result
        if status == FixtureStatus.WAITING:
            return f"{result}, provisional"
        return self.record.get_status_display()

    @property
    def away(self) -> Texts:
        """Who is not here although they are to play."""
        if self.record.is_begun:
            return ()
        return tuple(entry.name for entry, _, is_away in self.sitters if is_away)


@frozen_dataclass
class PresenceRow:
    """Somebody who may be here. ``is_here`` None: nobody has said so yet."""

    entry: EntryRecord
    is_here: bool | None
    is_paired: bool
    has_list: bool

    @property
    def note(self) -> str:
        """The words beside the tick: away, list handed in, guest, or what they bring."""
        entry = self.entry
        # A guest who is not ticked is not away: nobody asked them.
        if self.is_here is False and not entry.is_guest:
            return "away"
        if self.has_list:
            return "list handed in"
        return "guest" if entry.is_guest else entry.warband_name or entry.army_name


@frozen_dataclass
class RoundFixtures:
    """A round with those of its games that the reader may see, and who sits out."""

    round: Round
    fixtures: tuple[FixtureLine, ...]

    @property
    def games(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.fixtures if not line.record.is_bye)

    @property
    def byes(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.fixtures if line.record.is_bye)

    @property
    def reported(self) -> tuple[FixtureLine, ...]:
        """Those whose result is not confirmed yet."""
        return tuple(line for line in self.games if line.record.is_waiting)

    @property
    def reported_words(self) -> str:
        return quantity(len(self.reported), "result")

    @property
    def unreported(self) -> int:
        """How many games that count have no result, or a disputed one."""
        return sum(
            line.record.status in HOLDING_UP and not line.record.is_friendly
            for line in self.games
        )

    @property
    def open_games(self) -> int:
        return sum(line.record.status in UNSETTLED for line in self.games)


@frozen_dataclass
class RoundPage(RoundFixtures):
    """Everything the page of a round is drawn from.

    Fixtures of a draft are there for organisers only. ``waiting`` games of other rounds have no
    result that counts. ``late`` says how games of them ended since a Swiss draft was drawn.
    """

    event: ClubEventRecord
    rounds: tuple[Round, ...]
    ticks: tuple[PresenceRow, ...]
    waiting: int
    late: Texts = ()

    @property
    def seats(self) -> list[SeatLine]:
        return list_seats(self.fixtures)

    @property
    def by_table(self) -> tuple[FixtureLine, ...]:
        """The games by their tables; those without one last."""
        return tuple(
            sorted(
                self.games,
                key=lambda line: (line.record.table is None, line.record.table or 0),
            )
        )

    @property
    def mine(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.fixtures if line.is_mine)

    @property
    def present(self) -> tuple[PresenceRow, ...]:
        """The rows of those who play: ticked, or not asked where silence means yes."""
        # Who has said nothing plays, unless it is the ticks that say who does.
        usual = self.event.method != PairingMethod.PRESENT
        return tuple(
            row for row in self.ticks if row.is_here or (row.is_here is None and usual)
        )

    @property
    def guests_here(self) -> int:
        return sum(row.entry.is_guest for row in self.present)

    @property
    def members(self) -> int:
        return sum(not row.entry.is_guest for row in self.ticks)

    @property
    def members_here(self) -> int:
        return len(self.present) - self.guests_here

    @property
    def unpaired(self) -> tuple[PresenceRow, ...]:
        """Who is here and has neither a game nor a bye."""
        return tuple(row for row in self.present if not row.is_paired)

    @property
    def rematches(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.games if line.record.is_rematch)

    @property
    def without_table(self) -> tuple[FixtureLine, ...]:
        """The games that an event has too few tables for, while they can still be moved."""
        # 0 is as many as are needed: a game that was challenged for is played anywhere.
        if not self.event.tables or self.round.is_closed:
            return ()
        return tuple(line for line in self.games if line.record.table is None)

    @property
    def my_tick(self) -> PresenceRow | None:
        return next((row for row in self.ticks if row.entry.is_mine), None)

    @property
    def before(self) -> Round | None:
        before = [r for r in self.rounds if r.number < self.round.number]
        return before[-1] if before else None

    @property
    def after(self) -> Round | None:
        return next((r for r in self.rounds if r.number > self.round.number), None)

    @property
    def of(self) -> int:
        """How many rounds there will be; 0 where nobody knows."""
        is_robin = self.event.method == PairingMethod.ROBIN
        return self.event.rounds_planned or len(self.rounds) * is_robin

    @property
    def is_last(self) -> bool:
        """Whether no round is planned after it."""
        return bool(self.of) and self.round.number >= self.of

    @property
    def limit(self) -> int | None:
        return round_limit(self.round, self.event)

    @property
    def lists_due_at(self) -> datetime | None:
        return list_deadline(self.round, self.event)

    @property
    def without_list(self) -> Texts:
        """Who would play without a list for this round, while organisers can wait for them."""
        if not self.event.needs_list or self.round.is_shown:
            return ()
        return tuple(row.entry.name for row in self.present if not row.has_list)

    @property
    def may_be_drawn(self) -> bool:
        is_paired = self.event.method != PairingMethod.CHALLENGE
        return is_paired and not (self.round.is_shown or self.event.is_finished)

    @property
    def may_be_published(self) -> bool:
        has_fixtures = bool(self.fixtures)
        return may_publish(self.event.method, self.round.status, has_fixtures=has_fixtures)

    @property
    def may_be_withdrawn(self) -> bool:
        is_begun = any(line.record.is_begun for line in self.games)
        return self.round.is_draft or (self.round.is_published and not is_begun)

    def fixture(self, token: str) -> FixtureLine | None:
        return next((line for line in self.fixtures if line.record.token == token), None)


@frozen_dataclass
class SchedulePage:
    """All rounds of an event.

    Those whose ids are ``folded`` show how many games they have, and their own pages which.
    """

    event: ClubEventRecord
    rounds: tuple[RoundFixtures, ...]
    folded: frozenset[int]


def load_round(actor: Owner, token: str, number: int) -> RoundPage:
    """The page of a round. Six queries. Raises NotFound."""
    event = load_event(actor, token)
    rounds = load_round_rows(event.id)
    current = next((row for row in rounds if row.number == number), None)
    if current is None:
        raise NotFound("round")
    # All rounds are read, for what is still open in others is shown too.
    schedule = read_schedule(actor, event, rounds, shows_plan=True)
    ticks, lists = load_ticks(current.id), _load_list_points(event, number)
    # Those of a secret list would tell what somebody brings.
    points = lists if event.may_organise or not event.is_secret else {}
    games = [game for game in schedule.fixtures if game.round == current]
    return RoundPage(
        round=current,
        fixtures=tuple(_fixture_line(game, ticks, points) for game in games),
        event=event,
        rounds=rounds,
        ticks=_presence_rows(schedule, games, ticks, lists),
        waiting=_count_waiting(schedule, current),
        late=_describe_late(schedule, current),
    )


def _presence_rows(
    schedule: Schedule,
    games: Sequence[ScheduledFixture],
    ticks: Mapping[int, bool],
    lists: Mapping[int, int],
) -> tuple[PresenceRow, ...]:
    """Everybody who has not dropped out, the guests last."""
    paired = {pk for game in games for pk in game.record.ids}
    # Guests come last: they stand below the members in the list of ticks.
    playing = [entry for entry in schedule.entries if not entry.is_dropped]
    return tuple(
        PresenceRow(entry, ticks.get(entry.id), entry.id in paired, entry.id in lists)
        for entry in sorted(playing, key=lambda entry: (entry.is_guest, entry.id))
    )


def _count_waiting(schedule: Schedule, current: Round) -> int:
    """How many games of other published rounds have no result that counts."""
    # A friendly waits for nothing: no table counts it.
    return sum(
        game.status in MISSING and not (game.is_bye or game.is_friendly)
        for game in schedule.played
        if game.round_id != current.id
    )


def _load_list_points(event: ClubEventRecord, number: int) -> dict[int, int]:
    """The points of the lists handed in for a round, by entry. One query."""
    handed_in = ListLock.objects.filter(
        round__event_id=event.id,
        round__number=list_number(event, number),
        snapshot__isnull=False,
    )
    # Whose list was sent back is nothing for other readers.
    if event.may_organise:
        handed_in = handed_in.exclude(check_state=ListCheck.SENT_BACK)
    return dict(handed_in.values_list("entry_id", "points"))


def _describe_late(schedule: Schedule, current: Round) -> Texts:
    """How games of other rounds ended since a Swiss draft was drawn, for its organisers."""
    event = schedule.event
    is_swiss = event.method == PairingMethod.SWISS
    if not (is_swiss and current.is_draft and event.may_organise):
        return ()
    late = results_since(schedule.played, current)
    lines = [_fixture_line(game) for game in schedule.fixtures if game.record in late]
    return tuple(
        f"{line.title}, round {line.round.number}: {line.outcome or 'no result now'}"
        for line in lines
    )


def load_schedule(actor: Owner, token: str) -> SchedulePage:
    """Every round with its games. Four queries. Raises NotFound."""
    event = load_event(actor, token)
    rounds = load_round_rows(event.id)
    schedule = read_schedule(actor, event, rounds, shows_plan=True)
    games = grouped((game.round.id, _fixture_line(game)) for game in schedule.fixtures)
    lines = tuple(RoundFixtures(row, tuple(games.get(row.id, ()))) for row in rounds)
    # One page cannot hold all games as well: of the closed rounds the first go first.
    to_come = [line for line in lines if not line.round.is_closed]
    by_need = [*to_come, *(line for line in reversed(lines) if line.round.is_closed)]
    sizes = accumulate(len(line.fixtures) for line in by_need)
    pairs = zip(by_need, sizes, strict=True)
    folded = frozenset(line.round.id for line, size in pairs if size > GAMES_SHOWN)
    return SchedulePage(event, lines, folded)


def _fixture_line(
    fixture: ScheduledFixture,
    ticks: Mapping[int, bool] = MappingProxyType({}),
    points: Mapping[int, int] = MappingProxyType({}),
) -> FixtureLine:
    """Return a game with what each brings, and who is away.

    ``ticks`` say who is here, and ``points`` are of the lists that were handed in, by entry.
    """
    sitters = []
    for entry in fixture.sides:
        brings = (
            entry.warband_name or entry.army_name or ("guest" if entry.is_guest else "")
        )
        size = f"{points[entry.id]} points" if entry.id in points else ""
        is_away = entry.is_dropped or ticks.get(entry.id) is False
        note = ", ".join(filter(None, (brings, size)))
        sitters.append((entry, note, is_away))
    return copy_fields(FixtureLine, fixture, sitters=tuple(sitters))
