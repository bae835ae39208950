"""Who may meet whom: everybody of an event as pairings know them, and the challenges of a
campaign.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby, permutations

from campaigns.models import (
    ClubEvent,
    Decision,
    Entry,
    EventKind,
    Fixture,
    FixtureStatus,
    PairingMethod,
    Round,
)
from campaigns.queries.events import build_scoring, missed_points
from campaigns.queries.fixtures import (
    NO_RESULT,
    Schedule,
    ScheduledFixture,
    load_fixtures,
)
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EntryRecord,
    as_result,
)
from engine.records import frozen_dataclass
from engine.tournament.types import Player, result_points

# The challenges of a campaign whose players seek their own opponents.


@frozen_dataclass
class Challenges:
    """What a campaign's page shows of challenges.

    ``round_name`` "" where no round is open; ``next_round`` is then the number of the first one
    that may be opened, None where none is planned.
    ``waiting`` are those without an answer, each with whether the reader may answer or withdraw it;
    ``others`` are (token, name) of those the reader could challenge now.
    """

    round_name: str
    waiting: Sequence[tuple[ScheduledFixture, bool, bool]]
    others: Choices
    is_entered: bool
    next_round: int | None = None


def build_challenges(schedule: Schedule) -> Challenges | None:
    """The challenges of a campaign; None for any other event, or one that pairs its players."""
    event, entries, rounds = schedule.event, schedule.entries, schedule.rounds
    if event.kind != EventKind.CAMPAIGN or event.method != PairingMethod.CHALLENGE:
        return None
    published = [record for record in rounds if record.is_published]
    mine = {entry.token: entry for entry in entries}.get(event.mine)
    if not published or event.is_over:
        planned = (record.number for record in rounds if record.is_planned)
        return Challenges("", (), (), mine is not None, next(planned, None))
    latest = published[-1]
    games = [game for game in schedule.fixtures if game.round == latest]
    return Challenges(
        round_name=latest.title,
        waiting=_list_waiting(event, games),
        others=_list_opponents(entries, games, mine),
        is_entered=mine is not None,
    )


def _list_opponents(
    entries: Sequence[EntryRecord],
    games: Sequence[ScheduledFixture],
    mine: EntryRecord | None,
) -> Choices:
    """(token, name) of those who play on and wait for no game with the reader."""
    if mine is None or mine.is_dropped:
        return ()
    # Two who wait for a game play it before either challenges the other again.
    busy = {mine.id}
    for game in games:
        pair = game.record.ids[:2]
        if game.record.status in NO_RESULT and mine.id in pair:
            busy.update(pair)
    return [
        (entry.token, entry.name)
        for entry in entries
        if not entry.is_dropped and entry.id not in busy
    ]


def _list_waiting(
    event: ClubEventRecord, games: Sequence[ScheduledFixture]
) -> list[tuple[ScheduledFixture, bool, bool]]:
    """Return the challenges that nobody has answered, with what the reader may do with them."""
    waiting = []
    for game in games:
        if game.record.status == FixtureStatus.ASKED:
            sender, challenged = game.sides
            # A guest has no account to answer with, so organisers answer for them.
            may_answer = challenged.is_mine or (challenged.is_guest and event.may_organise)
            waiting.append((game, may_answer, sender.is_mine or event.may_organise))
    return waiting


# Everybody of an event as pairings know them: points so far, whom they met, byes,
# attacks, scenarios. One query.


def load_players(event: ClubEvent, number: int, entries: Sequence[Entry]) -> list[Player]:
    """These entries with what they did in every published round but this one. One query.

    Results of other rounds that are not in yet count as nothing.
    """
    # A round that is drawn again must not know its own pairs.
    fixtures = [game for game in load_fixtures(event.pk) if game.round_number != number]
    totals: defaultdict[int, _Totals] = defaultdict(_Totals)
    scoring = build_scoring(event)
    for entry in entries:
        totals[entry.pk].score = missed_points(event, scoring, entry.joined)
    # Swiss rounds pair by the table, which a friendly game does not touch.
    meets_friendly = event.method != PairingMethod.SWISS
    for _, games in groupby(fixtures, key=lambda game: game.round_number):
        games_of_round = list(games)
        for game in games_of_round:
            if meets_friendly or not game.is_friendly:
                _add_game(totals, game)
        # A float compares the scores before the round, so these are added last.
        for game in games_of_round:
            for pk in game.ids if game.counts else ():
                totals[pk].score += result_points(as_result(game), str(pk), scoring)
    return [Player(id=str(entry.pk), **vars(totals[entry.pk])) for entry in entries]


class _Totals:
    """What somebody did in the rounds so far, under the names that `Player` has."""

    def __init__(self) -> None:
        self.score = self.byes = self.played = 0
        self.attacked = self.defended = self.floats = 0
        self.met: Counter[str] = Counter()
        self.met_last: dict[str, int] = {}
        self.scenarios: Counter[str] = Counter()


def _add_game(totals: dict[int, _Totals], game: Fixture) -> None:
    """Count a game for all its players: who met whom, floats, attacks, scenario; or a bye."""
    if game.is_bye:
        totals[game.one_id].byes += 1
        return
    # What was void or not played is no meeting.
    if not game.is_game or game.status == FixtureStatus.VOID:
        return
    # Whoever met somebody of another score floated, up or down alike.
    is_apart = len({totals[pk].score for pk in game.ids}) > 1
    for pk, other in permutations(game.ids, 2):
        totals[pk].met[str(other)] += 1
        totals[pk].met_last[str(other)] = game.round_number
    for pk in game.ids:
        totals[pk].played += 1
        totals[pk].floats += is_apart
        if game.attacker_id == pk:
            totals[pk].attacked += 1
        elif game.attacker_id is not None:
            totals[pk].defended += 1
        if game.scenario:
            totals[pk].scenarios[game.scenario] += 1


def draw_basis(fixtures: Iterable[Fixture], number: int) -> dict[str, str]:
    """What a Swiss draw of round ``number`` goes by: how each game of another round ended.

    It is stored with the draft, as the id of who won, "draw" or "unplayed". When the results are
    others later, the draft is out of date: its pairs were made from other points, and its reasons
    name points that nobody has.
    """
    basis = {}
    for game in fixtures:
        if game.round_number != number and game.counts and not game.is_bye:
            is_unplayed = game.decision == Decision.UNPLAYED
            ending = "unplayed" if is_unplayed else str(game.winner_id or "draw")
            basis[game.token] = ending
    return basis


def results_since(fixtures: Iterable[Fixture], draft: Round) -> tuple[Fixture, ...]:
    """The games of other rounds that ended otherwise, or not at all, when a draft was drawn."""
    games = [
        game for game in fixtures if not game.is_bye and game.round_number != draft.number
    ]
    endings = draw_basis(games, draft.number)
    return tuple(
        game for game in games if endings.get(game.token) != draft.basis.get(game.token)
    )
