"""Everybody of an event as pairings know them: points so far, whom they met, byes, attacks,
scenarios. One query.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby, permutations

from campaigns.models import (
    ClubEvent,
    Decision,
    Entry,
    FixtureStatus,
    PairingMethod,
)
from campaigns.queries.events import scoring_of
from campaigns.queries.fixtures import load_fixture_records
from campaigns.queries.records import FixtureRecord, RoundRecord
from engine.tournament.types import Player, Scoring, result_points


def load_players(
    event: ClubEvent, number: int, entries: Iterable[Entry], now: datetime
) -> list[Player]:
    """These entries with what they did in every published round but this one. One query.

    Results of other rounds that are not in yet count as nothing.
    """
    # A round that is drawn again must not know its own pairs.
    played = [
        one for one in load_fixture_records(event.pk, now) if one.round_number != number
    ]
    # Swiss rounds pair by the table, which a friendly game does not touch.
    told = _PlayerTotals(
        scoring_of(event), is_friendly_met=event.method != PairingMethod.SWISS
    )
    for _, one_round in groupby(played, key=lambda one: one.round_number):
        told.add_round(list(one_round))
    return [told.player(entry.pk) for entry in entries]


def draw_basis(played: Iterable[FixtureRecord], number: int) -> dict[str, str]:
    """What a Swiss draw of round ``number`` goes by: how each game of another round ended.

    It is stored with the draft. When the results are others later, the draft is out of date: its
    pairs were made from other points, and its reasons tell of points that nobody has.
    """
    counted = (one for one in played if one.round_number != number and one.counts)
    return {one.token: _ending(one) for one in counted if not one.is_bye}


def _ending(one: FixtureRecord) -> str:
    """How a game ended, in a word that is stored with a draft.

    The id of who won, "draw" or "unplayed".
    """
    if one.decision == Decision.UNPLAYED:
        return "unplayed"
    return str(one.winner_id or "draw")


def results_since(
    played: Iterable[FixtureRecord], drawn: RoundRecord
) -> tuple[FixtureRecord, ...]:
    """The games of other rounds that ended otherwise, or not at all, when a draft was drawn."""
    games = [one for one in played if not one.is_bye and one.round_number != drawn.number]
    now = draw_basis(games, drawn.number)
    return tuple(one for one in games if now.get(one.token) != drawn.basis.get(one.token))


class _PlayerTotals:
    """Adds up rounds, the earliest first, for everybody in them."""

    def __init__(self, scoring: Scoring, *, is_friendly_met: bool) -> None:
        """Begin with zero of everything.

        ``is_friendly_met`` counts a friendly game as a meeting.
        """
        self.scoring, self.is_friendly_met = scoring, is_friendly_met
        self.score: Counter[int] = Counter()
        self.byes: Counter[int] = Counter()
        self.attacked: Counter[int] = Counter()
        self.defended: Counter[int] = Counter()
        self.floats: Counter[int] = Counter()
        self.met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.met_last: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.scenarios: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add_round(self, played: Sequence[FixtureRecord]) -> None:
        """Floats look at the scores before the round, so these are added last."""
        for one in played:
            if one.is_bye:
                self.byes[one.one_id] += 1
            elif self._is_met(one):
                self._add_game(one)
        for one in played:
            for pk in one.ids if one.counts else ():
                self.score[pk] += result_points(one.result(), str(pk), self.scoring)

    def _is_met(self, one: FixtureRecord) -> bool:
        """What was void or not played is no meeting; a friendly is one where it is new opponents
        that count.
        """
        return (
            one.is_game
            and one.status != FixtureStatus.VOID
            and (self.is_friendly_met or not one.is_friendly)
        )

    def _add_game(self, one: FixtureRecord) -> None:
        """Count a game for all its players: who met whom, floats, attacks, scenario.

        Call it before the round's scores are added: a float compares earlier scores.
        """
        # Whoever met somebody of another score floated, up or down alike.
        is_apart = len({self.score[pk] for pk in one.ids}) > 1
        for mine, theirs in permutations(one.ids, 2):
            self.met[mine][theirs] += 1
            self.met_last[mine][theirs] = one.round_number
        for pk in one.ids:
            self.floats[pk] += is_apart
            if one.attacker_id is not None:
                (self.attacked if one.attacker_id == pk else self.defended)[pk] += 1
            if one.scenario:
                self.scenarios[pk][one.scenario] += 1

    def player(self, pk: int) -> Player:
        """Return an entry's totals as a player for pairing, ids as text."""
        return Player(
            id=str(pk),
            score=self.score[pk],
            met={str(other): times for other, times in self.met[pk].items()},
            met_last={str(other): last for other, last in self.met_last[pk].items()},
            byes=self.byes[pk],
            attacked=self.attacked[pk],
            defended=self.defended[pk],
            floats=self.floats[pk],
            scenarios=dict(self.scenarios[pk]),
        )
