"""A round as its page shows it: who is here, who meets whom and why, and what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from django.utils import timezone

from accounts.owner import Owner
from battles.models import Confirmation
from campaigns.models import (
    Decision,
    Fixture,
    FixtureStatus,
    ListLock,
    PairingMethod,
    Presence,
)
from campaigns.models.rounds import limit_of, list_number
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import fixtures_of, load_round_records
from campaigns.queries.pairing import results_since
from campaigns.queries.records import (
    MISSING,
    UNSETTLED,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
    fixture_entries,
    may_publish,
)
from engine.records import Texts, frozen_dataclass

HOLDING_UP = (*MISSING, FixtureStatus.ASKED)
"""What a round is not closed with."""
GAMES_SHOWN = 400  # in the list of rounds; beyond them it says how many


@frozen_dataclass
class PresentEntry:
    """Somebody at a table.

    ``points`` are those of the list that was handed in for the round, None without one.
    """

    entry: EntryRecord
    points: int | None
    attacks: bool
    is_away: bool

    @property
    def note(self) -> str:
        """What they bring, in a few words."""
        one = self.entry
        brings = one.warband_name or one.army_name or ("guest" if one.is_guest else "")
        points = "" if self.points is None else str(self.points)
        return ", ".join(filter(None, (brings, points)))


@frozen_dataclass
class FixtureLine:
    """One game of a round, or who sits out, as those at its table; ``winner`` is a name or ""."""

    record: FixtureRecord
    sitters: tuple[PresentEntry, ...]
    winner: str

    @property
    def is_mine(self) -> bool:
        return any(one.entry.is_mine for one in self.sitters)

    @property
    def attacker(self) -> str:
        return next((one.entry.name for one in self.sitters if one.attacks), "")

    @property
    def title(self) -> str:
        names = [one.entry.name for one in self.sitters]
        return " against ".join(names) if len(names) == 2 else ", ".join(names)

    @property
    def outcome(self) -> str:
        """How it stands in words; "" while it is to be played."""
        status = self.record.status
        if self.record.is_bye or status == FixtureStatus.OPEN:
            return ""
        if self.record.decision == Decision.UNPLAYED:
            return "Not played"
        won = f"{self.winner} won" if self.winner else "Draw"
        if status == FixtureStatus.FINAL:
            return won
        if status == FixtureStatus.WAITING:
            return f"{won}, provisional"
        return str(FixtureStatus(status).label)

    @property
    def away(self) -> Texts:
        """Who is not here although they are to play."""
        if self.record.is_begun:
            return ()
        return tuple(one.entry.name for one in self.sitters if one.is_away)


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
        # A guest who is not ticked is not away: nobody asked them.
        if self.is_here is False and not self.entry.is_guest:
            return "away"
        if self.has_list:
            return "list handed in"
        return (
            "guest"
            if self.entry.is_guest
            else self.entry.warband_name or self.entry.army_name
        )


@frozen_dataclass
class RoundFixtures:
    """A round with those of its games that the reader may see, and who sits out."""

    round: RoundRecord
    fixtures: tuple[FixtureLine, ...]

    @property
    def games(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if not one.record.is_bye)

    @property
    def byes(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if one.record.is_bye)

    @property
    def reported(self) -> tuple[FixtureLine, ...]:
        """Those whose result is not confirmed yet."""
        return tuple(one for one in self.games if one.record.is_waiting)

    @property
    def reported_words(self) -> str:
        return f"{len(self.reported)} result{'' if len(self.reported) == 1 else 's'}"

    @property
    def unreported(self) -> int:
        """How many games that count have no result, or a disputed one."""
        return sum(
            one.record.status in HOLDING_UP and not one.record.is_friendly
            for one in self.games
        )

    @property
    def open_games(self) -> int:
        return sum(one.record.status in UNSETTLED for one in self.games)


@frozen_dataclass
class SeatLine:
    """Where one player of a round sits, for the list on the wall."""

    name: str
    opponents: str
    table: int | None
    scenario: str


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
    def seats(self) -> tuple[SeatLine, ...]:
        """Every player with their table and opponent, by name."""
        found: list[SeatLine] = []
        for line in self.fixtures:
            names = [one.entry.name for one in line.sitters]
            for name in names:
                others = " and ".join(other for other in names if other != name)
                table, scenario = line.record.table, line.record.scenario_name
                found.append(SeatLine(name, others, table, scenario))
        return tuple(sorted(found, key=lambda one: one.name.casefold()))

    @property
    def by_table(self) -> tuple[FixtureLine, ...]:
        """The games by their tables; those without one last."""
        return tuple(
            sorted(
                self.games,
                key=lambda one: (one.record.table is None, one.record.table or 0),
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
        return tuple(one for one in self.fixtures if one.is_mine)

    @property
    def others(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.fixtures if not one.is_mine)

    @property
    def here(self) -> tuple[PresenceRow, ...]:
        """The rows of those who play: ticked, or not asked where silence means yes."""
        # Who has said nothing plays, unless it is the ticks that say who does.
        return tuple(
            one
            for one in self.ticks
            if one.is_here or (one.is_here is None and not self.is_ticked)
        )

    @property
    def guests_here(self) -> int:
        return sum(one.entry.is_guest for one in self.here)

    @property
    def members(self) -> int:
        return sum(not one.entry.is_guest for one in self.ticks)

    @property
    def members_here(self) -> int:
        return len(self.here) - self.guests_here

    @property
    def unpaired(self) -> tuple[PresenceRow, ...]:
        """Who is here and has neither a game nor a bye."""
        return tuple(one for one in self.here if not one.is_paired)

    @property
    def rematches(self) -> tuple[FixtureLine, ...]:
        return tuple(one for one in self.games if one.record.is_rematch)

    @property
    def without_table(self) -> tuple[FixtureLine, ...]:
        """The games that an event has too few tables for, while they can still be moved."""
        # 0 is as many as are needed: a game that was challenged for is played anywhere.
        if not self.event.tables or self.round.is_closed:
            return ()
        return tuple(one for one in self.games if one.record.table is None)

    @property
    def split(self) -> tuple[FixtureLine, ...]:
        """Games somebody is away from."""
        return tuple(one for one in self.games if one.away)

    @property
    def my_tick(self) -> PresenceRow | None:
        return next((one for one in self.ticks if one.entry.is_mine), None)

    @property
    def before(self) -> RoundRecord | None:
        earlier = [one for one in self.rounds if one.number < self.round.number]
        return earlier[-1] if earlier else None

    @property
    def after(self) -> RoundRecord | None:
        return next((one for one in self.rounds if one.number > self.round.number), None)

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
        return limit_of(self.round, self.event)

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
        is_begun = any(one.record.is_begun for one in self.games)
        return self.round.is_draft or (self.round.is_published and not is_begun)

    def fixture(self, token: str) -> FixtureLine | None:
        return next((one for one in self.fixtures if one.record.token == token), None)


@frozen_dataclass
class SchedulePage:
    """All rounds of an event.

    Those whose ids are ``folded`` show how many games they have, and their own pages which.
    """

    event: ClubEventRecord
    rounds: tuple[RoundFixtures, ...]
    folded: frozenset[int]


def load_round(actor: Owner, token: str, number: int) -> RoundPage | None:
    """The page of a round, or None where there is none or the actor may not read the event.

    Six queries.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = load_round_records(event.id)
    asked = next((one for one in rounds if one.number == number), None)
    if asked is None:
        return None
    entries = load_entries(actor, event)
    ticks = dict(
        Presence.objects.filter(round_id=asked.id).values_list("entry_id", "is_here")
    )
    handed_in = ListLock.objects.filter(
        round__event_id=event.id,
        round__number=list_number(event, number),
        snapshot__isnull=False,
    )
    lists = dict(handed_in.values_list("entry_id", "points"))
    # All rounds are read, for what is still open in others is told too.
    found = fixtures_of(Fixture.objects.filter(round__event_id=event.id), timezone.now())
    own = [one for one in found if one.round_id == asked.id and _may_see(event, asked)]
    # Points of a secret list would tell what somebody brings.
    are_lists_told = event.may_organise or not event.is_secret
    table = _PresentEntries(entries, ticks, lists if are_lists_told else {})
    return RoundPage(
        round=asked,
        fixtures=tuple(map(table.line, own)),
        event=event,
        rounds=rounds,
        ticks=_presence_rows(entries, own, ticks, lists),
        waiting=_count_waiting(found, rounds, asked),
        late=_late_results(table, _Played(event, rounds, found), asked),
    )


def _presence_rows(
    entries: Sequence[EntryRecord],
    own: Sequence[FixtureRecord],
    ticks: Mapping[int, bool],
    lists: Mapping[int, int],
) -> tuple[PresenceRow, ...]:
    """Everybody who has not dropped out, the guests last."""
    paired = {pk for one in own for pk in one.ids}
    # Guests come last: they stand below the members in the list of ticks.
    playing = [one for one in entries if not one.is_dropped]
    return tuple(
        PresenceRow(one, ticks.get(one.id), one.id in paired, one.id in lists)
        for one in sorted(playing, key=lambda one: (one.is_guest, one.id))
    )


def _count_waiting(
    found: Sequence[FixtureRecord], rounds: Sequence[RoundRecord], asked: RoundRecord
) -> int:
    """How many games of other published rounds have no result that counts."""
    # A friendly waits for nothing: no table counts it.
    shown = {one.id for one in rounds if one.is_shown and one is not asked}
    games = [one for one in found if one.round_id in shown and not one.is_bye]
    return sum(one.status in MISSING and not one.is_friendly for one in games)


class _Played(NamedTuple):
    """The rounds of an event with all their fixtures."""

    event: ClubEventRecord
    rounds: Sequence[RoundRecord]
    found: Sequence[FixtureRecord]


def _late_results(table: _PresentEntries, page: _Played, asked: RoundRecord) -> Texts:
    """How games of other rounds ended since a Swiss draft was drawn, for its organisers."""
    is_swiss = page.event.method == PairingMethod.SWISS
    if not (is_swiss and asked.is_draft and page.event.may_organise):
        return ()
    shown = {one.id for one in page.rounds if one.is_shown}
    played = [one for one in page.found if one.round_id in shown]
    lines = map(table.line, results_since(played, asked))
    return tuple(
        f"{one.title}, round {one.record.round_number}: {one.outcome or 'no result now'}"
        for one in lines
    )


def load_schedule(actor: Owner, token: str) -> SchedulePage | None:
    """Every round with its games, or None where the actor may not read the event. Four queries."""
    event = load_event(actor, token)
    if event is None:
        return None
    rounds = load_round_records(event.id)
    table = _PresentEntries(load_entries(actor, event), {}, {})
    games: dict[int, list[FixtureLine]] = {one.id: [] for one in rounds}
    for one in fixtures_of(
        Fixture.objects.filter(round__event_id=event.id), timezone.now()
    ):
        games[one.round_id].append(table.line(one))
    told = tuple(
        RoundFixtures(one, tuple(games[one.id]) if _may_see(event, one) else ())
        for one in rounds
    )
    return SchedulePage(event, told, _folded(told))


def _folded(rounds: Sequence[RoundFixtures]) -> frozenset[int]:
    """The rounds whose games one page cannot hold as well: of the closed ones the first go first."""
    ahead = [one for one in rounds if not one.round.is_closed]
    closed = [one for one in rounds if one.round.is_closed]
    by_need = [*ahead, *reversed(closed)]
    sizes = accumulate(len(one.fixtures) for one in by_need)
    return frozenset(
        one.round.id for one, size in zip(by_need, sizes, strict=True) if size > GAMES_SHOWN
    )


def _may_see(event: ClubEventRecord, one: RoundRecord) -> bool:
    """Whether the reader may see a round's games.

    A draft is the organisers'; the schedule of a round robin is everybody's from the beginning.
    """
    is_ahead = one.is_planned and event.method == PairingMethod.ROBIN
    return event.may_organise or one.is_shown or is_ahead


class _PresentEntries:
    """Everybody with whether they are here and the points of their list: who sits where."""

    def __init__(
        self,
        entries: Sequence[EntryRecord],
        ticks: Mapping[int, bool],
        lists: Mapping[int, int],
    ) -> None:
        """Keep entries by id, with ticks and the points of lists by entry id."""
        self.entries = {one.id: one for one in entries}
        self.ticks, self.lists = ticks, lists

    def line(self, record: FixtureRecord) -> FixtureLine:
        """Return a game with its players, each with list points, attacker and absence."""
        sitters = [
            PresentEntry(
                entry,
                points=self.lists.get(entry.id),
                attacks=entry.id == record.attacker_id,
                is_away=entry.is_dropped or self.ticks.get(entry.id) is False,
            )
            for entry in fixture_entries(record, self.entries)
        ]
        winner = self.entries.get(record.winner_id or 0)
        return FixtureLine(record, tuple(sitters), winner.name if winner else "")
