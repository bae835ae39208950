"""What happened in an event, told by round, the newest first.

Worked out of the table's rows; no query of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.contrib.humanize.templatetags.humanize import apnumber

from campaigns.models import Decision, Fixture, FixtureStatus, Round
from campaigns.queries.fixtures import NO_RESULT, Schedule
from campaigns.queries.records import (
    ClubEventRecord,
    EntryRecord,
)
from campaigns.queries.standings import CourseChart
from engine.battles.rules import PLAYED
from engine.records import frozen_dataclass, grouped, quantity
from engine.text import join_words

ROUNDS_MOST = 10
GAMES_MOST = 8
"""Games of a round that get a sentence each; more of them are counted."""
WARBANDS_MOST = 12
"""Warbands of a round that get a paragraph each; more of them are counted."""
CLIMB_LEAST = 2


@frozen_dataclass
class Paragraph:
    """``strong`` is how it begins, what matters most in it; ``text`` the rest."""

    strong: str
    text: str


@frozen_dataclass
class Chapter:
    """What happened in one round, on a ``day`` as far as anybody knows."""

    round: Round
    day: datetime | None
    paragraphs: tuple[Paragraph, ...]


Games = Sequence[Fixture]
Places = Mapping[int, int | None]


def build_chronicle(schedule: Schedule, courses: CourseChart | None) -> tuple[Chapter, ...]:
    """The latest rounds in which something happened, the newest first."""
    writer = _RoundWriter(schedule.event, schedule.entries, courses)
    by_round = grouped((game.round_id, game) for game in schedule.played)
    chapters = []
    for record in reversed(schedule.rounds):
        games = by_round.get(record.id, [])
        paragraphs = writer.write(record.number, games)
        if paragraphs:
            days = [game.played_at for game in games if game.played_at]
            # A round without a date of its own is under its last game's, or when it was shown.
            day = record.starts_at or max(days, default=None) or record.published_at
            chapters.append(Chapter(record, day, paragraphs))
    return tuple(chapters[:ROUNDS_MOST])


def with_stories(
    chapters: Sequence[Chapter], stories: Mapping[int, Sequence[tuple[str, str]]]
) -> tuple[Chapter, ...]:
    """Return chapters with what befell the warbands of a growing campaign, by rounds."""
    completed = []
    for chapter in chapters:
        warbands = stories.get(chapter.round.number, ())
        paragraphs = [Paragraph(f"{name}:", text) for name, text in warbands]
        more = len(paragraphs) - WARBANDS_MOST
        if more > 0:
            changes = Paragraph("", f"And changes in {more} more warbands.")
            paragraphs[WARBANDS_MOST:] = [changes]
        completed.append(replace(chapter, paragraphs=(*chapter.paragraphs, *paragraphs)))
    return tuple(completed)


def _figures(event: ClubEventRecord, game: Fixture) -> str:
    """Who lost how many, the winner first, and how they won: " (2 models out against 6, rout)".

    Nothing where nobody was out or counted, and a game was played out.
    """
    out = [game.out_one, game.out_other]
    if game.winner_id == game.other_id:
        out.reverse()
    phrases = []
    if any(out) and game.third_id is None:
        models = f"{quantity(out[0], 'model')} out"
        phrases.append(f"{models} {'each' if out[0] == out[1] else f'against {out[1]}'}")
    ending = event.find_ending(game.how)
    if ending and ending.has_winner and ending.id != PLAYED:
        phrases.append(ending.name.lower())
    return f" ({', '.join(phrases)})" if phrases else ""


def _is_only_byes(games: Games) -> bool:
    """Whether all is over, a bye at least among it."""
    return any(game.is_bye for game in games) and all(game.is_final for game in games)


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
        self.names = {entry.id: entry.name for entry in entries}
        self.places: dict[int, Places] = {}
        if courses:
            for column, number in enumerate(courses.rounds):
                self.places[number] = {
                    entry.id: places[column] for entry, places in courses.courses
                }

    def write(self, number: int, games: Games) -> tuple[Paragraph, ...]:
        """Return the paragraphs of one round: a headline, its games, and its byes.

        Empty while nothing is settled, unless there are only byes. Games after the first
        ``GAMES_MOST`` are only counted.
        """
        byes = [game for game in games if game.is_bye]
        settled = [
            game for game in games if not game.is_bye and game.status not in NO_RESULT
        ]
        if not settled and not _is_only_byes(games):
            return ()
        headline, headline_game = self._headline(number, settled)
        others = [game for game in settled if game is not headline_game]
        # Byes are few and short, so all of them are named.
        sentences = list(map(self._describe, (*others[:GAMES_MOST], *byes)))
        if len(others) > GAMES_MOST:
            sentences.append(f"And {len(others) - GAMES_MOST} more battles.")
        text = " ".join([*sentences, *self._describe_entries(number)])
        return tuple(filter(None, (headline, Paragraph("", text) if text else None)))

    def _describe_entries(self, number: int) -> list[str]:
        """Return sentences on who joined and who left in a round."""
        sentences = []
        joined = [entry.name for entry in self.entries if entry.joined == number > 1]
        if joined:
            joins = "joins" if len(joined) == 1 else "join"
            sentences.append(f"{join_words(joined)} {joins}.")
        # `dropped` is the first round they are not paired in.
        left = [entry.name for entry in self.entries if entry.dropped == number + 1]
        if left:
            drops = "drops" if len(left) == 1 else "drop"
            sentences.append(f"{join_words(left)} {drops} out.")
        return sentences

    def _describe(self, game: Fixture) -> str:
        """One fixture in a sentence."""
        names = [self.names.get(pk, "somebody") for pk in game.ids]
        together = join_words(names)
        # A winner stands first.
        pair = names if game.winner_id == game.one_id else names[::-1]
        if game.is_bye:
            sentence = f"{names[0]} has a bye."
        elif game.status == FixtureStatus.VOID:
            sentence = f"{' against '.join(names)} was voided."
        elif game.status == FixtureStatus.DISPUTED:
            sentence = f"{together} dispute their result."
        elif game.decision == Decision.UNPLAYED:
            sentence = f"{together} did not play."
        elif game.decision == Decision.WALKOVER:
            winner = game.winner_id or 0
            others = game.opponents(winner, self.names)
            sentence = f"{self.names.get(winner)} wins by walkover against {others}."
        else:
            provisional = " Not confirmed yet." if game.is_waiting else ""
            sentence = f"{self._describe_ending(game, names, pair)}.{provisional}"
        return sentence

    def _describe_ending(
        self, game: Fixture, names: Sequence[str], pair: Sequence[str]
    ) -> str:
        """Return how a battle ended, the winner first; in a ``pair`` the winner stands first."""
        figures = _figures(self.event, game)
        if game.third_id is not None:
            first = self.names.get(game.winner_id or 0, "nobody")
            ending = f"{join_words(names)} play a three-player game and {first} wins"
        elif game.winner_id is None:
            ending = f"{join_words(names)} draw{figures}"
        else:
            ending = f"{pair[0]} beats {pair[1]}{figures}"
        friendly = ", in a friendly game" if game.is_friendly else ""
        return f"{ending}{friendly}{', in a rematch' if game.is_rematch else ''}"

    def _headline(
        self, number: int, games: Games
    ) -> tuple[Paragraph | None, Fixture | None]:
        """Who rose most in this round, or who took the lead; and the won game it names, if any."""
        previous = max((other for other in self.places if other < number), default=0)
        now, before = self.places.get(number), self.places.get(previous)
        if not now or not before:
            return None, None
        best, strong = self._find_mover(now, before)
        if not strong:
            return None, None
        for game in games:
            # A walkover is nothing to tell of, and a friendly game moved nobody.
            if game.winner_id == best and not game.decision and game.counts:
                other = game.opponents(best, self.names)
                text = f"with a win over {other}{_figures(self.event, game)}."
                return Paragraph(strong, text), game
        return Paragraph(f"{strong}.", ""), None

    def _find_mover(self, now: Places, before: Places) -> tuple[int, str]:
        """Who rose by most places or took the lead, and how that begins; "" for nobody."""
        rises = {
            pk: last - place
            for pk, place in now.items()
            if place and (last := before.get(pk))
        }
        # Of several who rose by as many places it is the one who stands first.
        best = max(rises, key=lambda pk: (rises[pk], -(now[pk] or 0)), default=0)
        rise = rises.get(best, 0)
        if rise >= CLIMB_LEAST:
            return best, f"{self.names[best]} climbs {apnumber(rise)} places"
        # One alone in the lead, who was not first before.
        leaders = [pk for pk, place in now.items() if place == 1]
        if len(leaders) != 1 or before.get(leaders[0], 1) == 1:
            return 0, ""
        return leaders[0], f"{self.names[leaders[0]]} takes the lead"
