"""The table of an event: who stands where and why, its charts, and what a result would
move in it.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import field
from itertools import groupby

from django.utils import timezone

from accounts.errors import NotFound
from accounts.owner import Owner
from accounts.tokens import get_row
from battles.models import Battle, BattleStatus
from battles.results import PlaceChange, ResultState, TableChange
from campaigns.fixture_totals import fixture_columns, side_keys
from campaigns.models import Fixture
from campaigns.queries.events import find_event, load_entries, load_event, missed_points
from campaigns.queries.fixtures import Schedule, load_fixtures, status_now
from campaigns.queries.records import ClubEventRecord, EntryRecord, Outcome, as_result
from engine.records import (
    Fields,
    NamedValues,
    Numbers,
    Texts,
    copy_fields,
    frozen_dataclass,
)
from engine.text import capital, join_words
from engine.tournament.awards import (
    OpponentRecord,
    head_to_head_matrix,
    places_after,
    position_by_round,
    rounds_met,
)
from engine.tournament.standings import standings, tie_break
from engine.tournament.types import Entrant, Result, Standing

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
    are the last results, the latest last: won, drawn, lost, bye or unplayed. ``explanation`` is a
    sentence on what puts the line before above this one, or that several share the place; ""
    where the points do. ``warband`` is that of a campaign whose warbands grow, None before one
    is founded.
    """

    standing: Standing
    entry: EntryRecord
    moved: int | None
    form: Texts
    explanation: str
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
    def score_names(self) -> Texts:
        """What the scores are called that the event counts."""
        names = (self.event.score_name, self.event.player_score_name)
        return tuple(filter(None, names))

    @property
    def has_figures(self) -> bool:
        """Whether a warband has figures that the reader may know."""
        return any(row.warband for row in self.rows)

    @property
    def after_words(self) -> str:
        """ "After round 3 of 5", with the bye of a later round where it counts already."""
        planned = self.event.rounds_planned
        sentence = f"After round {self.round}{f' of {planned}' if planned else ''}"
        if self.bye_round:
            sentence += f", with the bye of round {self.bye_round}"
        return sentence

    @property
    def bye_round(self) -> int:
        """The latest round of which only byes count yet, 0 for none."""
        latest = max((result.round for result in self.results), default=0)
        return latest if latest > self.round else 0

    @property
    def has_ties(self) -> bool:
        """Whether anything is to be said about who is above whom."""
        return any(row.explanation for row in self.rows)

    @property
    def is_provisional(self) -> bool:
        """Whether any result in it is not confirmed yet."""
        return any(row.provisional for row in self.rows)


def load_standings(actor: Owner, token: str) -> StandingsRecord:
    """Return the table. Three queries. Raises NotFound."""
    event = load_event(actor, token)
    entries = load_entries(actor, event)
    return build_standings(event, entries, load_fixtures(event.id))


def standings_in(schedule: Schedule) -> StandingsRecord:
    """The table of a loaded event; no query."""
    return build_standings(schedule.event, schedule.entries, schedule.played)


def build_standings(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    fixtures: Sequence[Fixture],
) -> StandingsRecord:
    """The table of what was played so far; no query."""
    results = [as_result(fixture) for fixture in fixtures if fixture.counts]
    entrants, rules = _list_entrants(event, entries), (event.scoring, event.tie_breaks)
    lines = standings(entrants, results, *rules)
    latest = max(rounds_met(results), default=0)
    # Nobody has a place before the second round that counts.
    before: dict[str, int] = {}
    if any(result.round < latest for result in results):
        before = places_after(latest - 1, entrants, results, *rules)
    # Before the first result all are level, which needs no sentence.
    sentences = tie_sentences(lines) if results else [""] * len(lines)
    names = {"score": event.score_name, "player_score": event.player_score_name}
    by_id = {str(entry.id): entry for entry in entries}
    return StandingsRecord(
        event=event,
        rows=tuple(
            StandingRow(
                standing=line,
                entry=by_id[line.id],
                moved=before[line.id] - line.place if line.id in before else None,
                form=tuple(
                    _name_result(result, line.id) for result in line.results[-FORM_MOST:]
                ),
                explanation=sentence,
            )
            for line, sentence in zip(lines, sentences, strict=True)
        ),
        results=tuple(results),
        round=latest,
        tie_names=tuple(names.get(key) or tie_break(key).name for key in event.tie_breaks),
    )


def _list_entrants(event: ClubEventRecord, entries: Sequence[EntryRecord]) -> list[Entrant]:
    """Everybody in the event as the engine takes them; their id is the key of their row in words."""
    return [
        copy_fields(
            Entrant,
            entry,
            id=str(entry.id),
            missed=missed_points(event, event.scoring, entry.joined),
        )
        for entry in entries
    ]


def _name_result(result: Result, entry_id: str) -> str:
    """Return what a result is in a row's form, in a word."""
    if result.other is None:
        return "bye"
    if result.is_unplayed:
        return "unplayed"
    if result.winner is None:
        return "drawn"
    return "won" if result.winner == entry_id else "lost"


def tie_sentences(lines: Sequence[Standing]) -> list[str]:
    """For each line what puts the one before it above it, where points do not, or who shares the
    place ending here.
    """
    sentences = [""] * len(lines)
    number = 0
    for place, group in groupby(lines, key=lambda line: line.place):
        names = [line.name for line in group]
        # `number` is that of lines before this place: the line above is the last of them.
        above = lines[number - 1] if number else None
        if above and above.level:
            ahead = f"{above.name} is ahead of {names[0]} {above.why}"
            sentences[number] = f"{capital(above.level)}. {ahead}."
        number += len(names)
        if len(names) > 1:
            # A club night begins with everybody level: a long list of names helps nobody.
            is_long = len(names) > NAMED_MOST
            who = f"These {len(names)}" if is_long else join_words(names)
            shared = f"{who} are tied on everything and share place {place}."
            sentences[number - 1] = f"{sentences[number - 1]} {shared}".strip()
    return sentences


# What the charts of a table are drawn from: places by round, and everybody against
# everybody.

ENTRIES_MOST = 12
"""Entries up to which a chart can be read."""
ROUNDS_MOST = 10


EntryCourse = tuple[EntryRecord, tuple[int | None, ...]]
"""An entry, and its place after each of the rounds; None before it joined."""


@frozen_dataclass
class CourseChart:
    """The numbers of the latest rounds, at most ten, and everybody's course in the order of the
    table.
    """

    rounds: Numbers
    courses: tuple[EntryCourse, ...]


MatrixCell = tuple[str, str, str]
"""One against another: its kind, letters to look at, and a label for those who do not see them."""
MatrixRow = tuple[EntryRecord, Sequence[MatrixCell]]
"""One entry against each of the others, in the order of the table."""


def build_courses(table: StandingsRecord) -> CourseChart | None:
    """Everybody's place by round, or None before two rounds count and for too many entries."""
    entries = [row.entry for row in table.rows]
    rounds = rounds_met(table.results)
    if len(rounds) < 2 or len(entries) > ENTRIES_MOST:
        return None
    event = table.event
    lines = [row.standing for row in table.rows]
    places = position_by_round(lines, table.results, event.scoring, event.tie_breaks)
    return CourseChart(
        rounds=rounds[-ROUNDS_MOST:],
        courses=tuple((entry, places[str(entry.id)][-ROUNDS_MOST:]) for entry in entries),
    )


def build_matrix(table: StandingsRecord) -> tuple[MatrixRow, ...]:
    """Everybody against everybody in the order of the table; empty before the first game, and for
    too many.
    """
    has_games = any(result.is_game for result in table.results)
    if len(table.rows) > ENTRIES_MOST or not has_games:
        return ()
    matrix = head_to_head_matrix([row.standing for row in table.rows])
    rows = []
    for number, row in enumerate(table.rows):
        cells = [_draw_cell(met) for met in matrix[row.standing.id]]
        cells[number] = ("none", "", "")
        rows.append((row.entry, cells))
    return tuple(rows)


def _draw_cell(met: OpponentRecord | None) -> MatrixCell:
    """Return what two players came to against each other."""
    if met is None:
        return "", "–", "not met"
    letters = "W" * met.won + "D" * met.drawn + "L" * met.lost
    kind = "won" if met.won > met.lost else "lost" if met.lost > met.won else ""
    rounds = f"round{'s' if len(met.rounds) > 1 else ''} {', '.join(map(str, met.rounds))}"
    return kind, letters, rounds


# What a result, or a decision, of one fixture would move in the table of its event.


def preview_decision(
    actor: Owner, token: str, fixture: str, *, decision: str, decided_for: str = ""
) -> TableChange:
    """What a decision, or with "" taking one back, would move. Four queries. Raises NotFound."""
    event, row = _find_fixture(actor, token, fixture)
    row.decision = decision
    row.decided_for = next((e for e in row.sides if e.token == decided_for), None)
    return _totals_change(actor, event, row, row.battle)


def preview_report(actor: Owner, token: str, fixture: str, outcome: Outcome) -> TableChange:
    """What another result would move once it stands.

    Four queries. Raises NotFound.
    """
    event, row = _find_fixture(actor, token, fixture)
    if row.battle is None:
        raise NotFound("fixture")
    keys = side_keys(row)
    # Figures of somebody who is not in the fixture are left out.
    figures = {keys[entry]: f for entry, f in outcome.figures.items() if entry in keys}
    row.told = {**row.told, **figures}
    # A copy, so that nothing of the preview can be saved with the row.
    after = copy(row.battle)
    after.status, after.confirm_by, after.how = BattleStatus.CONFIRMED, None, outcome.how
    after.winner = keys.get(outcome.winner, "")
    return _totals_change(actor, event, row, after)


def _find_fixture(
    actor: Owner, token: str, fixture: str
) -> tuple[ClubEventRecord, Fixture]:
    """The event and a fixture of it with its battle. Two queries. Raises NotFound."""
    event = load_event(actor, token)
    rows = Fixture.objects.filter(round__event__token=token)
    rows = rows.select_related("battle", "one", "other", "third")
    return event, get_row(rows, fixture, "fixture")


def preview_friendly(
    actor: Owner, token: str, fixture: str, *, is_friendly: bool
) -> TableChange:
    """What would move if a game counted, or counted no more. Three queries. Raises NotFound."""
    event = load_event(actor, token)
    return _table_change(actor, event, fixture, {"is_friendly": is_friendly})


def preview_battle(
    actor: Owner, battle: Battle, result: ResultState, state: NamedValues
) -> TableChange | None:
    """What another result, and another state, of a battle would move.

    None for a battle that counts in no event.

    One query for a battle of a club, none for others; three more for one that is played for a
    fixture.
    """
    if battle.club_id is None:
        return None
    rows = Fixture.objects.filter(battle=battle).select_related("round__event")
    row = rows.order_by().first()
    event = find_event(actor, row.round.event.token) if row is not None else None
    if row is None or event is None:
        return None
    # The caller's battle stays as it is.
    after = copy(battle)
    after.state = dict(state)
    for name, value in result.columns.items():
        setattr(after, name, value)
    return _totals_change(actor, event, row, after)


def _totals_change(
    actor: Owner, event: ClubEventRecord, row: Fixture, battle: Battle | None
) -> TableChange:
    """What moves where a fixture has the totals of this battle, or of the decision it has now."""
    columns = fixture_columns(row, battle, None, {})
    # The preview shows what a result would count as later, so silence is heard as it is now.
    status = status_now(
        columns["status"],
        columns["waits_until"],
        timezone.now(),
        is_bye=row.other_id is None,
    )
    values = {**columns, "status": status, "decision": row.decision}
    return _table_change(actor, event, row.token, values)


def _table_change(
    actor: Owner, event: ClubEventRecord, fixture: str, values: Fields
) -> TableChange:
    """The table as it is against the same with other values of one fixture. Two queries.

    Listed is everybody whose place or points differ, in the order of the new table.
    """
    before = load_fixtures(event.id)
    after = list(map(copy, before))
    for game in after:
        if game.token == fixture:
            vars(game).update(values)
    entrants = _list_entrants(event, load_entries(actor, event))
    old, new = (
        standings(
            entrants,
            [as_result(record) for record in records if record.counts],
            event.scoring,
            event.tie_breaks,
        )
        for records in (before, after)
    )
    previous = {line.id: line for line in old}
    moved = []
    for line in new:
        was_at, had = previous[line.id].place, previous[line.id].points
        if (line.place, line.points) != (was_at, had):
            moved.append(PlaceChange(line.name, was_at, line.place, had, line.points))
    return TableChange(event.token, event.name, tuple(moved))
