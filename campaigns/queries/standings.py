"""The table of an event: who stands where and why, its charts, and what a result would
move in it.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import field, replace
from itertools import groupby

from django.utils import timezone

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import is_token
from battles.models import Battle, BattleStatus
from battles.results import PlaceChange, ResultState, TableChange
from campaigns.fixture_totals import fixture_columns, side_entries
from campaigns.models import Fixture
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import (
    entrants_of,
    load_fixture_records,
    results_of,
    status_now,
)
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord, Outcome
from engine.records import Fields, NamedValues, Numbers, Texts, frozen_dataclass
from engine.tournament.awards import (
    OpponentRecord,
    head_to_head_matrix,
    places_after,
    position_by_round,
    rounds_met,
)
from engine.tournament.standings import standings, tie_break
from engine.tournament.types import Result, Standing
from engine.words import capital, join_words

# The table of an event: who stands where and why, who moved, and how everybody's last
# games went.

FORM_MOST = 5
NAMED_MOST = 4
"""Of those who share a place so many are named, more are counted."""


@frozen_dataclass
class StandingWarband:
    """The warband of a player in a growing campaign: its rating and what it holds.

    ``money`` are sums of currencies in the order of the standings. ``closed_round`` is the round
    at whose close they were stored, None for figures of now.
    """

    rating: int
    money: Numbers = ()
    territories: Texts = ()
    closed_round: int | None = None


@frozen_dataclass
class StandingRow:
    """One line of a table: an entry and how it stands.

    ``moved`` is by how many places since the round before, None where there was none. ``form``
    are the last results, the latest last: won, drawn, lost, bye or unplayed. ``told`` says in a
    sentence of its own what puts the line before above this one, or that several share the place;
    "" where the points do. ``warband`` is that of a campaign whose warbands grow, None before one
    is founded.
    """

    standing: Standing
    entry: EntryRecord
    moved: int | None
    form: Texts
    told: str
    warband: StandingWarband | None = None

    @property
    def provisional(self) -> int:
        """How many of its results are not confirmed yet."""
        return sum(result.is_provisional for result in self.standing.results)

    @property
    def is_by_warband(self) -> bool:
        """Whether the line under the name is the warband's."""
        return bool(self.entry.warband_name) and not self.entry.is_dropped

    @property
    def known_by(self) -> str:
        """What stands under the name: the warband, or why there is none."""
        if self.entry.is_dropped:
            return "dropped out"
        return self.entry.warband_name or ("guest" if self.entry.is_guest else "")

    @property
    def fell(self) -> int:
        """By how many places it stands lower than before; 0 where it does not."""
        return max(0, -(self.moved or 0))


@frozen_dataclass
class StandingsRecord:
    """The table of an event as it is now.

    ``results`` are what it counts; ``round`` is the latest two met in, 0 before any did.
    ``has_warbands``: in a campaign whose warbands grow, rows have theirs, with sums of
    ``currencies`` and territories where there is a word for them; ``note`` says of when they are
    while lists are secret.
    """

    event: ClubEventRecord
    rows: tuple[StandingRow, ...]
    results: tuple[Result, ...] = field(repr=False)
    round: int
    tie_names: Texts
    has_warbands: bool = False
    currencies: Texts = ()
    territory_word: str = ""
    note: str = ""

    @property
    def has_figures(self) -> bool:
        """Whether a warband has figures that the reader may know."""
        return any(row.warband for row in self.rows)

    @property
    def after_words(self) -> str:
        """ "After round 3 of 5", with the bye of a later round where it counts already."""
        planned = self.event.rounds_planned
        words = f"After round {self.round}{f' of {planned}' if planned else ''}"
        return (
            f"{words}, with the bye of round {self.bye_round}" if self.bye_round else words
        )

    @property
    def bye_round(self) -> int:
        """The latest round of which only byes count yet, 0 for none."""
        rounds = [one.round for row in self.rows for one in row.standing.results]
        latest = max(rounds, default=0)
        return latest if latest > self.round else 0

    @property
    def has_ties(self) -> bool:
        """Whether anything is to be said about who is above whom."""
        return any(row.told for row in self.rows)

    @property
    def is_provisional(self) -> bool:
        """Whether any result in it is not confirmed yet."""
        return any(row.provisional for row in self.rows)


def load_standings(actor: Owner, token: str) -> StandingsRecord | None:
    """The table, or None where there is no such event or the actor may not read it.

    Three queries.
    """
    event = load_event(actor, token)
    if event is None:
        return None
    entries = load_entries(actor, event)
    return standings_of(event, entries, load_fixture_records(event.id, timezone.now()))


def standings_of(
    event: ClubEventRecord, entries: Sequence[EntryRecord], played: Sequence[FixtureRecord]
) -> StandingsRecord:
    """The table of what was played so far; no query."""
    results = results_of(played)
    lines = standings(entrants_of(entries), results, event.scoring, event.tie_breaks)
    latest = max(rounds_met(results), default=0)
    before = places_before(event, entries, results, latest)
    # Before the first result all are level, which needs no sentence.
    told = tie_sentences(lines) if results else [""] * len(lines)
    known = {str(one.id): one for one in entries}
    return StandingsRecord(
        event=event,
        rows=tuple(
            _row(line, known[line.id], before.get(line.id), sentence)
            for line, sentence in zip(lines, told, strict=True)
        ),
        results=tuple(results),
        round=latest,
        tie_names=tuple(tie_break(key).name for key in event.tie_breaks),
    )


def places_before(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    results: Sequence[Result],
    latest: int,
) -> dict[str, int]:
    """Everybody's place before the latest round; of nobody before the second one that counts."""
    if not any(result.round < latest for result in results):
        return {}
    return places_after(
        latest - 1, entrants_of(entries), results, event.scoring, event.tie_breaks
    )


def _row(line: Standing, entry: EntryRecord, was: int | None, told: str) -> StandingRow:
    """Return a row of the standings with what moved since the round before."""
    return StandingRow(
        standing=line,
        entry=entry,
        moved=None if was is None else was - line.place,
        form=tuple(_form(one, line.id) for one in line.results[-FORM_MOST:]),
        told=told,
    )


def _form(result: Result, one: str) -> str:
    """Return what a result is in a row's form, in a word."""
    if result.other is None:
        return "bye"
    if result.is_unplayed:
        return "unplayed"
    if result.winner is None:
        return "drawn"
    return "won" if result.winner == one else "lost"


def tie_sentences(lines: Sequence[Standing]) -> list[str]:
    """For each line what puts the one before it above it, where points do not, or who shares the
    place ending here.
    """
    told = [""] * len(lines)
    number = 0
    for place, group in groupby(lines, key=lambda line: line.place):
        same = list(group)
        # `number` is that of lines before this place: the line above is the last of them.
        if number and (said := _level_sentence(lines[number - 1], same[0])):
            told[number] = said
        number += len(same)
        if len(same) > 1:
            shared = _shared_sentence([line.name for line in same], place)
            told[number - 1] = f"{told[number - 1]} {shared}".strip()
    return told


def _level_sentence(above: Standing, below: Standing) -> str:
    """ "Tied on points. Hanna is ahead of Elif head to head (3 to 0)." """
    if not above.level:
        return ""
    return f"{capital(above.level)}. {above.name} is ahead of {below.name} {above.why}."


def _shared_sentence(names: Sequence[str], place: int) -> str:
    """Return the sentence on a tie for a place; many players are only counted."""
    if len(names) > NAMED_MOST:
        # A club night begins with everybody level: a long list of names tells nobody anything.
        return f"These {len(names)} are tied on everything and share place {place}."
    return f"{join_words(names)} are tied on everything and share place {place}."


# What the charts of a table are drawn from: places by round, and everybody against
# everybody.

PLACES_MOST = 800
"""Entries times rounds up to which a chart of places is worked out: the table of every round is
made anew for it.
"""
ENTRIES_MOST = 32
"""Entries up to which a chart can be read at all."""
ROUNDS_MOST = 10


@frozen_dataclass
class EntryCourse:
    """An entry's place after each of the rounds; None before it joined."""

    entry: EntryRecord
    places: tuple[int | None, ...]


@frozen_dataclass
class CourseChart:
    """The numbers of the latest rounds, at most ten, and everybody's course in the order of the
    table.
    """

    rounds: Numbers
    courses: tuple[EntryCourse, ...]


@frozen_dataclass
class MatrixRow:
    """One entry against each of the others; None where the two never met."""

    entry: EntryRecord
    cells: tuple[OpponentRecord | None, ...]


def courses_of(table: StandingsRecord) -> CourseChart | None:
    """Everybody's place by round, or None where two rounds do not count yet, or too many entries
    do.
    """
    entries = [row.entry for row in table.rows]
    rounds = len(rounds_met(table.results))
    # One round has no course, and the table is worked out anew for every round.
    if rounds < 2 or len(entries) > ENTRIES_MOST or rounds * len(entries) > PLACES_MOST:
        return None
    event = table.event
    found = position_by_round(_lines(table), table.results, event.scoring, event.tie_breaks)
    places = {course.id: course.places[-ROUNDS_MOST:] for course in found.courses}
    return CourseChart(
        rounds=found.rounds[-ROUNDS_MOST:],
        courses=tuple(EntryCourse(entry, places[str(entry.id)]) for entry in entries),
    )


def matrix_of(table: StandingsRecord) -> tuple[MatrixRow, ...]:
    """Everybody against everybody in the order of the table; empty before the first game, and for
    too many.
    """
    entries = [row.entry for row in table.rows]
    if len(entries) > ENTRIES_MOST or not any(one.is_game for one in table.results):
        return ()
    found = head_to_head_matrix(_lines(table))
    return tuple(
        MatrixRow(entry, cells) for entry, cells in zip(entries, found.rows, strict=True)
    )


def _lines(table: StandingsRecord) -> list[Standing]:
    return [row.standing for row in table.rows]


# What a result, or a decision, of one fixture would move in the table of its event.

TOTALS = (
    "waits_until",
    "winner_id",
    "how",
    "out_one",
    "out_other",
    "destroyed_one",
    "destroyed_other",
)


def preview_decision(
    actor: Owner, token: str, fixture: str, *, decision: str, decided_for: str = ""
) -> TableChange:
    """What a decision, or with "" taking one back, would move. Four queries. Raises NotFound."""
    event, row = _fixture_in(actor, token, fixture)
    entries = load_entries(actor, event)
    row.decision = decision
    row.decided_for_id = next((one.id for one in entries if one.token == decided_for), None)
    return _table_change(event, entries, row, row.battle)


def preview_report(actor: Owner, token: str, fixture: str, told: Outcome) -> TableChange:
    """What another result would move once it stands.

    Four queries. Raises NotFound.
    """
    event, row = _fixture_in(actor, token, fixture)
    if row.battle is None:
        raise NotFound("fixture")
    entries = load_entries(actor, event)
    keys = {pk: key for key, pk in side_entries(row).items()}
    sides = {one.token: keys[one.id] for one in entries if one.id in keys}
    # Figures of somebody who is not in the fixture are left out.
    typed = {sides[one]: typed for one, typed in told.figures.items() if one in sides}
    row.told = {**row.told, **typed}
    # A copy, so that nothing of the preview can be saved with the row.
    after = copy(row.battle)
    after.status, after.confirm_by, after.how = BattleStatus.CONFIRMED, None, told.how
    after.winner = sides.get(told.winner, "")
    return _table_change(event, entries, row, after)


def _fixture_in(actor: Owner, token: str, fixture: str) -> tuple[ClubEventRecord, Fixture]:
    """The event and a fixture of it with its battle. Two queries. Raises NotFound."""
    event = load_event(actor, token)
    rows = Fixture.objects.filter(token=fixture, round__event__token=token).select_related(
        "battle"
    )
    row = rows.order_by().first() if event is not None and is_token(fixture) else None
    if event is None or row is None:
        raise NotFound("fixture")
    return event, row


def preview_friendly(
    actor: Owner, token: str, fixture: str, *, is_friendly: bool
) -> TableChange:
    """What would move if a game counted, or counted no more. Three queries. Raises NotFound."""
    event = load_event(actor, token)
    if event is None:
        raise NotFound("fixture")
    return _change_with(
        event, load_entries(actor, event), fixture, {"is_friendly": is_friendly}
    )


def preview_battle(
    actor: Owner, battle: Battle, standing: ResultState, state: NamedValues
) -> TableChange | None:
    """What another result, and another state, of a battle would move.

    None for a battle that counts in no event.

    One query for a battle of a club, none for others; three more for one that is played for a
    fixture.
    """
    if battle.club_id is None:
        return None
    row = (
        Fixture.objects.filter(battle=battle)
        .select_related("round__event")
        .order_by()
        .first()
    )
    event = load_event(actor, row.round.event.token) if row is not None else None
    if row is None or event is None:
        return None
    # The caller's battle stays as it is.
    after = copy(battle)
    after.state = dict(state)
    for name, value in standing.columns.items():
        setattr(after, name, value)
    return _table_change(event, load_entries(actor, event), row, after)


def _table_change(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    row: Fixture,
    battle: Battle | None,
) -> TableChange:
    """What moves where a fixture has the totals of this battle, or of the decision it has now."""
    columns = fixture_columns(row, battle, None, {})
    # The preview tells what a result would count as later, so silence is heard as it is now.
    is_bye = row.other_id is None
    status = status_now(
        columns["status"], columns["waits_until"], timezone.now(), is_bye=is_bye
    )
    told = {name: columns[name] for name in TOTALS}
    return _change_with(
        event, entries, row.token, {**told, "status": status, "decision": row.decision}
    )


def _change_with(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    fixture: str,
    values: Fields,
) -> TableChange:
    """The table as it is against the same with other values of one fixture. One query.

    Told of is everybody whose place or points differ, in the order of the new table.
    """
    before = load_fixture_records(event.id, timezone.now())
    after = [replace(one, **values) if one.token == fixture else one for one in before]
    ranked, rules = entrants_of(entries), (event.scoring, event.tie_breaks)
    old = {one.id: one for one in standings(ranked, results_of(before), *rules)}
    moved = [
        PlaceChange(one.name, old[one.id].place, one.place, old[one.id].points, one.points)
        for one in standings(ranked, results_of(after), *rules)
        if (one.place, one.points) != (old[one.id].place, old[one.id].points)
    ]
    return TableChange(event.token, event.name, tuple(moved))
