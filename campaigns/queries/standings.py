"""The table of an event: who stands where and why, who moved, and how everybody's last games went."""

from collections.abc import Sequence
from dataclasses import field
from itertools import groupby

from django.utils import timezone

from accounts.owner import Owner
from campaigns.queries.events import load_entries, load_event
from campaigns.queries.fixtures import entrants_of, load_fixture_records, results_of
from campaigns.queries.records import ClubEventRecord, EntryRecord, FixtureRecord
from engine.records import Numbers, Texts, frozen_dataclass
from engine.tournament.awards import places_after, rounds_met
from engine.tournament.standings import standings, tie_break
from engine.tournament.types import Result, Standing
from engine.words import capital, join_words

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
