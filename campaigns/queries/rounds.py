"""A round as its page shows it: who is here, who meets whom and why, and what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate

from accounts.errors import NotFound
from accounts.owner import Owner
from battles.models import Confirmation
from campaigns.models import (
    Decision,
    Fixture,
    FixtureStatus,
    ListCheck,
    ListLock,
    PairingMethod,
)
from campaigns.models.rounds import list_deadline, list_number, round_limit
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import (
    ScheduledFixture,
    SeatLine,
    list_seats,
    load_round_records,
    load_ticks,
    read_fixtures,
    scheduled_fixture,
)
from campaigns.queries.pairing import results_since
from campaigns.queries.records import (
    HOLDING_UP,
    MISSING,
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
    may_publish,
)
from engine.records import Texts, copy_fields, frozen_dataclass, quantity

GAMES_SHOWN = 400  # in the list of rounds; beyond them it says how many


@frozen_dataclass
class Sitter:
    """Somebody at a table; ``note`` is what they bring, in a few words."""

    name: str
    note: str
    is_away: bool
    is_dropped: bool


@frozen_dataclass
class FixtureLine(ScheduledFixture):
    """One game of a round, or who sits out, as those at its table."""

    sitters: tuple[Sitter, ...]

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
        return self.status_name

    @property
    def away(self) -> Texts:
        """Who is not here although they are to play."""
        if self.record.is_begun:
            return ()
        return tuple(sitter.name for sitter in self.sitters if sitter.is_away)


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

    round: RoundRecord
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
    rounds: tuple[RoundRecord, ...]
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
    def must_accept(self) -> bool:
        """Whether results have to be accepted before the round is closed."""
        return bool(self.reported) and self.event.confirmation == Confirmation.ORGANISER

    @property
    def is_ticked(self) -> bool:
        """Whether only those who are ticked are paired."""
        return self.event.method == PairingMethod.PRESENT

    @property
    def mine(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.fixtures if line.is_mine)

    @property
    def others(self) -> tuple[FixtureLine, ...]:
        return tuple(line for line in self.fixtures if not line.is_mine)

    @property
    def present(self) -> tuple[PresenceRow, ...]:
        """The rows of those who play: ticked, or not asked where silence means yes."""
        # Who has said nothing plays, unless it is the ticks that say who does.
        return tuple(
            row
            for row in self.ticks
            if row.is_here or (row.is_here is None and not self.is_ticked)
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
    def split(self) -> tuple[FixtureLine, ...]:
        """Games somebody is away from."""
        return tuple(line for line in self.games if line.away)

    @property
    def my_tick(self) -> PresenceRow | None:
        return next((row for row in self.ticks if row.entry.is_mine), None)

    @property
    def before(self) -> RoundRecord | None:
        before = [r for r in self.rounds if r.number < self.round.number]
        return before[-1] if before else None

    @property
    def after(self) -> RoundRecord | None:
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
    rounds = {record.id: record for record in load_round_records(event.id)}
    current = {record.number: record for record in rounds.values()}.get(number)
    if current is None:
        raise NotFound("round")
    entries = load_entries(actor, event)
    ticks = load_ticks(current.id)
    lists = _load_list_points(event, number)
    # All rounds are read, for what is still open in others is shown too.
    records = read_fixtures(Fixture.objects.filter(round__event_id=event.id))
    fixtures = [record for record in records if record.round_id == current.id]
    if not _may_see(event, current):
        fixtures = []
    by_id = {entry.id: entry for entry in entries}
    points = _shown_points(event, lists)
    lines = (_fixture_line(record, rounds, by_id, ticks, points) for record in fixtures)
    published = [record for record in records if rounds[record.round_id].is_shown]
    return RoundPage(
        round=current,
        fixtures=tuple(lines),
        event=event,
        rounds=tuple(rounds.values()),
        ticks=_presence_rows(entries, fixtures, ticks, lists),
        waiting=_count_waiting(published, current),
        late=tuple(
            _describe_late(_fixture_line(record, rounds, by_id))
            for record in _late_results(event, published, current)
        ),
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


def _shown_points(event: ClubEventRecord, points: dict[int, int]) -> dict[int, int]:
    """Points of lists; those of a secret list would tell what somebody brings."""
    return points if event.may_organise or not event.is_secret else {}


def _describe_late(line: FixtureLine) -> str:
    return f"{line.title}, round {line.round.number}: {line.outcome or 'no result now'}"


def _late_results(
    event: ClubEventRecord, published: Sequence[FixtureRecord], current: RoundRecord
) -> Sequence[FixtureRecord]:
    """Games of other rounds that ended since a Swiss draft was drawn, for its organisers."""
    is_swiss = event.method == PairingMethod.SWISS
    if not (is_swiss and current.is_draft and event.may_organise):
        return ()
    return results_since(published, current)


def _count_waiting(published: Sequence[FixtureRecord], current: RoundRecord) -> int:
    """How many games of other published rounds have no result that counts."""
    others = [record for record in published if record.round_id != current.id]
    # A friendly waits for nothing: no table counts it.
    return sum(
        record.status in MISSING and not (record.is_bye or record.is_friendly)
        for record in others
    )


def _presence_rows(
    entries: Sequence[EntryRecord],
    fixtures: Sequence[FixtureRecord],
    ticks: Mapping[int, bool],
    lists: Mapping[int, int],
) -> tuple[PresenceRow, ...]:
    """Everybody who has not dropped out, the guests last."""
    paired = {pk for record in fixtures for pk in record.ids}
    # Guests come last: they stand below the members in the list of ticks.
    playing = [entry for entry in entries if not entry.is_dropped]
    return tuple(
        PresenceRow(entry, ticks.get(entry.id), entry.id in paired, entry.id in lists)
        for entry in sorted(playing, key=lambda entry: (entry.is_guest, entry.id))
    )


def load_schedule(actor: Owner, token: str) -> SchedulePage:
    """Every round with its games. Four queries. Raises NotFound."""
    event = load_event(actor, token)
    rounds = {record.id: record for record in load_round_records(event.id)}
    entries = {entry.id: entry for entry in load_entries(actor, event)}
    games: dict[int, list[FixtureLine]] = {round_id: [] for round_id in rounds}
    rows = Fixture.objects.filter(round__event_id=event.id)
    for record in read_fixtures(rows):
        if _may_see(event, rounds[record.round_id]):
            games[record.round_id].append(_fixture_line(record, rounds, entries))
    lines = tuple(
        RoundFixtures(record, tuple(games[record.id])) for record in rounds.values()
    )
    return SchedulePage(event, lines, _fold(lines))


def _fold(lines: Sequence[RoundFixtures]) -> frozenset[int]:
    """The rounds whose games one page cannot hold as well: of the closed ones the first go first."""
    to_come = [line for line in lines if not line.round.is_closed]
    closed = [line for line in lines if line.round.is_closed]
    by_need = [*to_come, *reversed(closed)]
    sizes = accumulate(len(line.fixtures) for line in by_need)
    return frozenset(
        line.round.id
        for line, size in zip(by_need, sizes, strict=True)
        if size > GAMES_SHOWN
    )


def _may_see(event: ClubEventRecord, record: RoundRecord) -> bool:
    """Whether the reader may see a round's games.

    A draft is the organisers'; the schedule of a round robin is everybody's from the beginning.
    """
    is_ahead = record.is_planned and event.method == PairingMethod.ROBIN
    return event.may_organise or record.is_shown or is_ahead


def _fixture_line(
    record: FixtureRecord,
    rounds: Mapping[int, RoundRecord],
    entries: Mapping[int, EntryRecord],
    ticks: Mapping[int, bool] | None = None,
    points: Mapping[int, int] | None = None,
) -> FixtureLine:
    """Return a game with its players, what each brings, and who is away.

    ``ticks`` say who is here, and ``points`` are of the lists that were handed in, by entry.
    """
    fixture = scheduled_fixture(record, rounds[record.round_id], entries)
    sitters = []
    for entry in fixture.sides:
        brings = (
            entry.warband_name or entry.army_name or ("guest" if entry.is_guest else "")
        )
        size = f"{points[entry.id]} points" if points and entry.id in points else ""
        is_away = entry.is_dropped or (ticks or {}).get(entry.id) is False
        note = ", ".join(filter(None, (brings, size)))
        sitters.append(Sitter(entry.name, note, is_away, entry.is_dropped))
    return copy_fields(FixtureLine, fixture, sitters=tuple(sitters))
