"""What happened in an event, told by round, the newest first.

Worked out of the table's rows; no query of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from campaigns.models import Decision, FixtureStatus
from campaigns.queries.records import (
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from campaigns.queries.standings import CourseChart
from engine.records import frozen_dataclass
from engine.words import join_words

ROUNDS_MOST = 10
GAMES_MOST = 8
"""Games of a round that get a sentence each; more of them are counted."""
WARBANDS_MOST = 12
"""Warbands of a round that get a paragraph each; more of them are counted."""
CLIMB_LEAST = 2
NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)
TOLD = (
    FixtureStatus.FINAL,
    FixtureStatus.VOID,
    FixtureStatus.DISPUTED,
    FixtureStatus.WAITING,
)


@frozen_dataclass
class Paragraph:
    """``strong`` is how it begins, what matters most in it; ``text`` the rest."""

    strong: str
    text: str


@frozen_dataclass
class Chapter:
    """What happened in one round, on a ``day`` as far as anybody knows."""

    round: RoundRecord
    day: datetime | None
    paragraphs: tuple[Paragraph, ...]


def chronicle_of(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
    courses: CourseChart | None,
) -> tuple[Chapter, ...]:
    """The latest rounds in which something was told, the newest first."""
    teller = _RoundWriter(event, entries, courses)
    by_round: dict[int, list[FixtureRecord]] = {line.id: [] for line in rounds}
    for one in played:
        by_round[one.round_id].append(one)
    told = []
    for line in sorted(rounds, key=lambda line: -line.number):
        games = by_round[line.id]
        paragraphs = teller.round(line.number, games)
        if paragraphs:
            days = [one.played_at for one in games if one.played_at]
            # A round without a date of its own is told under its last game's, or when it was shown.
            day = line.starts_at or max(days, default=None) or line.published_at
            told.append(Chapter(line, day, paragraphs))
    return tuple(told[:ROUNDS_MOST])


def with_stories(
    chapters: Sequence[Chapter], stories: Mapping[int, Sequence[tuple[str, str]]]
) -> tuple[Chapter, ...]:
    """Return chapters with what befell the warbands of a growing campaign, by rounds."""
    return tuple(
        replace(
            one, paragraphs=one.paragraphs + _warbands(stories.get(one.round.number, ()))
        )
        for one in chapters
    )


def _warbands(stories: Sequence[tuple[str, str]]) -> tuple[Paragraph, ...]:
    """Return a paragraph for each warband, up to a most; more of them are counted."""
    told = [Paragraph(f"{name}:", words) for name, words in stories[:WARBANDS_MOST]]
    if more := len(stories[WARBANDS_MOST:]):
        told.append(Paragraph("", f"And changes in {more} more warbands."))
    return tuple(told)


def game_words(event: ClubEventRecord, names: Mapping[int, str], one: FixtureRecord) -> str:
    """One fixture in a sentence; "" while there is nothing to tell."""
    who = [names.get(pk, "somebody") for pk in one.ids]
    if one.is_bye:
        return f"{who[0]} has a bye."
    unsettled = {
        FixtureStatus.VOID: f"{' against '.join(who)} was voided.",
        FixtureStatus.DISPUTED: f"{join_words(who)} dispute their result.",
    }
    if one.status in unsettled:
        return unsettled[FixtureStatus(one.status)]
    if one.decision == Decision.UNPLAYED:
        return f"{join_words(who)} did not play."
    if one.decision == Decision.WALKOVER:
        winner, loser = who if one.winner_id == one.one_id else who[::-1]
        return f"{winner} wins by walkover against {loser}."
    if one.is_waiting:
        return f"{_ending(event, one, who)} Not confirmed yet."
    return _ending(event, one, who) if one.is_final else ""


def _ending(event: ClubEventRecord, one: FixtureRecord, who: Sequence[str]) -> str:
    """Return how a game ended, as a sentence."""
    friendly = ", in a friendly game" if one.is_friendly else ""
    further = f"{friendly}, in a rematch" if one.is_rematch else friendly
    if one.third_id is not None:
        first = dict(zip(one.ids, who, strict=True)).get(one.winner_id or 0, "nobody")
        return f"{join_words(who)} play a three-player game and {first} wins{further}."
    score = _score(one)
    if one.winner_id is None:
        return f"{join_words(who)} draw{f', {score}' if score else ''}{further}."
    winner, loser = who if one.winner_id == one.one_id else who[::-1]
    return (
        f"{winner} beats {loser}{f', {score}' if score else ''}{_how(event, one)}{further}."
    )


def _score(one: FixtureRecord) -> str:
    """How many went out, as the winner tells it: "6 to 2"; "" where nobody did or nobody counted."""
    first, second = one.out_one, one.out_other
    if not (first or second):
        return ""
    if one.winner_id is None:
        return f"{first} out each" if first == second else f"{first} out against {second}"
    # The winner names first whom they put out: the models of the other side.
    return f"{second} to {first}" if one.winner_id == one.one_id else f"{first} to {second}"


def _how(event: ClubEventRecord, one: FixtureRecord) -> str:
    rules = event.load_rules()
    ending = rules.endings.get(one.how) if rules else None
    return f" ({ending.name.lower()})" if ending else ""


def _is_only_byes(games: Sequence[FixtureRecord]) -> bool:
    """Whether all is over, a bye at least among it."""
    return any(one.is_bye for one in games) and all(one.is_final for one in games)


def _paragraphs(headline: Paragraph | None, text: str) -> tuple[Paragraph, ...]:
    body = Paragraph("", text) if text else None
    return tuple(filter(None, (headline, body)))


Places = Mapping[int, int | None]


def _steepest_rise(now: Places, before: Places) -> tuple[int, int]:
    """Who rose by most places and by how many, of several the one who stands first; 0 for nobody."""
    rises = {
        pk: was - place for pk, place in now.items() if place and (was := before.get(pk))
    }
    best = max(rises, key=lambda pk: (rises[pk], -(now[pk] or 0)), default=0)
    return best, rises.get(best, 0)


class _RoundWriter:
    """Tells a round: who climbed or leads first, then the other games, who joined and who left."""

    def __init__(
        self,
        event: ClubEventRecord,
        entries: Sequence[EntryRecord],
        courses: CourseChart | None,
    ) -> None:
        """Keep names by entry id, and places by round where courses are known."""
        self.event, self.entries = event, entries
        self.names = {one.id: one.name for one in entries}
        self.places: dict[int, Places] = {}
        for place, number in enumerate(courses.rounds if courses else ()):
            assert courses
            self.places[number] = {
                course.entry.id: course.places[place] for course in courses.courses
            }

    def round(self, number: int, games: Sequence[FixtureRecord]) -> tuple[Paragraph, ...]:
        """Return the paragraphs of one round: a headline, its games, and its byes.

        Empty while nothing is settled, unless there are only byes. Games after the first
        ``GAMES_MOST`` are only counted.
        """
        told = [one for one in games if one.status in TOLD and not one.is_bye]
        if not told and not _is_only_byes(games):
            return ()
        headline, about = self._headline(number, told)
        rest = [one for one in told if one is not about]
        # Byes are few and short, so all of them are told.
        shown = [*rest[:GAMES_MOST], *(one for one in games if one.is_bye)]
        sentences = [game_words(self.event, self.names, one) for one in shown]
        if len(rest) > GAMES_MOST:
            sentences.append(f"And {len(rest) - GAMES_MOST} more battles.")
        return _paragraphs(headline, " ".join([*sentences, *self._people(number)]))

    def _headline(
        self, number: int, games: Sequence[FixtureRecord]
    ) -> tuple[Paragraph | None, FixtureRecord | None]:
        """Who rose most in this round, or who took the lead; and the game it came from."""
        earlier = [one for one in self.places if one < number]
        now, before = self.places.get(number), self.places[max(earlier)] if earlier else {}
        if not now or not before:
            return None, None
        best, rise = _steepest_rise(now, before)
        if rise >= CLIMB_LEAST:
            steps = NUMBERS[rise] if rise < len(NUMBERS) else str(rise)
            return self._about(best, f"{self.names[best]} climbs {steps} places", games)
        # One alone in the lead, who was not first before.
        leaders = [pk for pk, place in now.items() if place == 1]
        if len(leaders) == 1 and before.get(leaders[0], 1) != 1:
            return self._about(
                leaders[0], f"{self.names[leaders[0]]} takes the lead", games
            )
        return None, None

    def _about(
        self, pk: int, strong: str, games: Sequence[FixtureRecord]
    ) -> tuple[Paragraph, FixtureRecord | None]:
        """Return the headline on an entry, and the won game it names, if there is one."""
        # A walkover is nothing to tell of, and a friendly game moved nobody.
        won = [
            one for one in games if one.winner_id == pk and not one.decision and one.counts
        ]
        if not won:
            return Paragraph(f"{strong}.", ""), None
        game = won[0]
        other = next(self.names[one] for one in game.ids if one != pk)
        score = _score(game)
        text = f"with a {score} against {other}" if score else f"with a win over {other}"
        return Paragraph(strong, f"{text}{_how(self.event, game)}."), game

    def _people(self, number: int) -> list[str]:
        """Return sentences on who joined and who left in a round."""
        joined = [one.name for one in self.entries if one.joined == number > 1]
        # `dropped` is the first round they are not paired in.
        left = [one.name for one in self.entries if one.dropped == number + 1]
        told = []
        if joined:
            told.append(f"{join_words(joined)} {'joins' if len(joined) == 1 else 'join'}.")
        if left:
            told.append(f"{join_words(left)} {'drops' if len(left) == 1 else 'drop'} out.")
        return told
