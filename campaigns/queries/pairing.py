"""Who may meet whom: everybody of an event as pairings know them, and the challenges of a
campaign.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby, permutations

from django.utils import timezone

from campaigns.models import (
    ClubEvent,
    Decision,
    Entry,
    EventKind,
    FixtureStatus,
    PairingMethod,
)
from campaigns.queries.events import scoring_of
from campaigns.queries.fixtures import UNTOLD, load_fixture_records, load_round_records
from campaigns.queries.records import (
    Choices,
    ClubEventRecord,
    EntryRecord,
    FixtureRecord,
    RoundRecord,
)
from engine.records import frozen_dataclass
from engine.tournament.types import Player, Scoring, result_points

# The challenges of a campaign whose players seek their own opponents.


@frozen_dataclass
class Challenge:
    """One that waits for an answer. ``may_answer`` and ``may_withdraw`` are the reader's."""

    fixture: str
    by: str
    to: str
    plays_at: datetime | None
    may_answer: bool
    may_withdraw: bool


@frozen_dataclass
class Challenges:
    """What a campaign's page shows of challenges.

    ``round_name`` "" where no round is open; ``next_round`` is then the number of the first one
    that may be opened, None where none is planned.
    ``others`` are (token, name) of those the reader could challenge now.
    """

    round_name: str
    waiting: tuple[Challenge, ...]
    others: Choices
    is_entered: bool
    next_round: int | None = None


def load_challenges(
    event: ClubEventRecord, entries: tuple[EntryRecord, ...]
) -> Challenges | None:
    """The challenges of a campaign; None for any other event, or one that pairs its players.

    Two queries.
    """
    played = load_fixture_records(event.id, timezone.now())
    return challenges_of(event, entries, load_round_records(event.id), played)


def challenges_of(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    rounds: Sequence[RoundRecord],
    played: Sequence[FixtureRecord],
) -> Challenges | None:
    """The challenges among an event's fixtures; None as for `load_challenges`."""
    if not _takes_challenges(event):
        return None
    published = [one for one in rounds if one.is_published]
    mine = next((one for one in entries if one.is_mine), None)
    if not published or event.is_over:
        return Challenges(
            "",
            (),
            (),
            mine is not None,
            next((one.number for one in rounds if one.is_planned), None),
        )
    latest = published[-1]
    pairs = _untold(latest, played)
    return Challenges(
        round_name=latest.title,
        waiting=_waiting(event, entries, pairs, mine),
        others=_opponents(entries, mine, pairs),
        is_entered=mine is not None,
    )


def _takes_challenges(event: ClubEventRecord) -> bool:
    """Return whether the players of an event challenge each other."""
    is_campaign = event.kind == EventKind.CAMPAIGN
    return is_campaign and event.method == PairingMethod.CHALLENGE


def _untold(latest: RoundRecord, played: Sequence[FixtureRecord]) -> list[FixtureRecord]:
    """Return the games of a round that have no result, challenges among them."""
    return [one for one in played if one.round_id == latest.id and one.status in UNTOLD]


def _waiting(
    event: ClubEventRecord,
    entries: Sequence[EntryRecord],
    pairs: Sequence[FixtureRecord],
    mine: EntryRecord | None,
) -> tuple[Challenge, ...]:
    """Return the challenges among these games that nobody has answered."""
    known = {one.id: one for one in entries}
    asked = (one for one in pairs if one.status == FixtureStatus.ASKED)
    return tuple(_challenge_record(event, one, known, mine) for one in asked)


def _opponents(
    entries: Sequence[EntryRecord], mine: EntryRecord | None, pairs: Sequence[FixtureRecord]
) -> Choices:
    """(token, name) of those who play on and wait for no game with the reader."""
    if mine is None or mine.is_dropped:
        return ()
    # Two who wait for a game play it before either challenges the other again.
    busy = {mine.id}
    for row in pairs:
        if mine.id in row.ids[:2]:
            busy |= set(row.ids[:2])
    return [
        (one.token, one.name) for one in entries if not (one.is_dropped or one.id in busy)
    ]


def _challenge_record(
    event: ClubEventRecord,
    row: FixtureRecord,
    known: Mapping[int, EntryRecord],
    mine: EntryRecord | None,
) -> Challenge:
    """Return a challenge as its reader sees it, with what they may do with it."""
    other = known.get(row.other_id or 0)
    # A guest has no account to answer with, so organisers answer for them.
    is_guest = other is not None and other.user_id is None
    mine_id = mine.id if mine else 0
    return Challenge(
        fixture=row.token,
        by=known[row.one_id].name,
        to=other.name if other else "",
        plays_at=row.plays_at,
        may_answer=row.other_id == mine_id or (is_guest and event.may_organise),
        may_withdraw=row.one_id == mine_id or event.may_organise,
    )


# Everybody of an event as pairings know them: points so far, whom they met, byes,
# attacks, scenarios. One query.


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
