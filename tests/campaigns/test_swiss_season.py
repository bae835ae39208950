"""A whole Swiss league, every table of it checked against one worked out here by other means.

What the league's tables come to is counted twice: by the site out of its rows, and below out of a
notebook that this test keeps by itself, in plain loops.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import pytest

from campaigns.operations.decisions import decide_fixture
from campaigns.operations.entries import add_entry, drop_entry
from campaigns.operations.log import ChangeRequest
from campaigns.operations.pairing import draw_round
from campaigns.operations.rounds import RoundDraft, add_round, publish_round
from campaigns.queries.standings import load_standings
from tests.battles.steps import (
    correct_result,
    dispute_result,
    preview_consequences,
    restore_result,
    void_result,
)
from tests.campaigns.leagues import League, make_league, names_in
from tests.campaigns.results import agree, faults, fresh, report

pytestmark = pytest.mark.django_db
WIN, DRAW, BYE = 3, 1, 3
GUEST = "Late Lea"


@dataclass
class Game:
    """A line of the notebook: who met whom (None: a bye), who won (None: nobody), what it cost
    them.
    """

    round: int
    one: str
    other: str | None
    winner: str | None
    out: dict[str, int] = field(default_factory=dict)

    def points(self, name: str) -> int:
        if self.other is None:
            return BYE
        return DRAW if self.winner is None else WIN * (self.winner == name)


class Notebook:
    """Everything that was played, and the table it comes to."""

    def __init__(self) -> None:
        self.games: list[Game] = []

    def of(self, name: str) -> list[Game]:
        return [game for game in self.games if name in (game.one, game.other)]

    def met(self, name: str) -> list[str]:
        return [
            game.other if game.one == name else game.one
            for game in self.of(name)
            if game.other
        ]

    def points(self, name: str) -> int:
        return sum(game.points(name) for game in self.of(name))

    def opponents(self, name: str) -> Fraction:
        met = self.met(name)
        return Fraction(sum(map(self.points, met)), len(met)) if met else Fraction(0)

    def put_out(self, name: str) -> int:
        return sum(
            out for game in self.of(name) for foe, out in game.out.items() if foe != name
        )

    def lost(self, name: str) -> int:
        return sum(game.out.get(name, 0) for game in self.of(name))

    def table(self, names) -> list[tuple[int, str, int, int, int, int, int, int, int]]:
        """Place, name, points, won, drawn, lost, byes, put out, models lost."""
        told = []
        for level in self._levels(list(names)):
            place = len(told) + 1
            for name in sorted(level):
                games = [game for game in self.of(name) if game.other]
                won = sum(game.winner == name for game in games)
                drawn = sum(game.winner is None for game in games)
                byes = len(self.of(name)) - len(games)
                record = (won, drawn, len(games) - won - drawn, byes)
                told.append(
                    (
                        place, name, self.points(name), *record, self.put_out(name),
                        self.lost(name),
                    )
                )  # fmt: skip
        return told

    def _levels(self, names: list[str]) -> Iterator[list[str]]:
        """Groups that nothing parts: by points, their own games, opponents' score, difference of
        models out.
        """
        for by_points in _parted(names, self.points):
            for among in self._among(by_points):
                for by_foes in _parted(among, self.opponents):
                    yield from _parted(
                        by_foes, lambda name: self.put_out(name) - self.lost(name)
                    )

    def _among(self, names: list[str]) -> list[list[str]]:
        """Cut where whoever stands above does so however the games that were never played would
        have ended.
        """
        own = {
            one: sum(g.points(one) for g in self.of(one) if {g.one, g.other} <= set(names))
            for one in names
        }
        open_games = {one: len(set(names) - {one} - set(self.met(one))) for one in names}
        for size in range(1, len(names)):
            upper = sorted(names, key=lambda one: -(own[one] + WIN * open_games[one]))[
                :size
            ]
            lower = [one for one in names if one not in upper]
            if all(own[a] > own[b] + WIN * open_games[b] for a in upper for b in lower):
                return [*self._among(upper), *self._among(lower)]
        return [names]


def _parted(names, key) -> list[list[str]]:
    values = sorted({key(name) for name in names}, reverse=True)
    return [[name for name in names if key(name) == value] for value in values]


@dataclass
class Season:
    """The league, the notebook, and chance out of one seed."""

    league: League
    book: Notebook
    chance: random.Random

    def check(self) -> None:
        """The site's table is the notebook's, and every fixture says what its battle came to."""
        table = load_standings(self.league.organiser, self.league.token)
        assert table is not None
        told = [
            (
                r.standing.place, r.entry.name, r.standing.points, r.standing.won,
                r.standing.drawn, r.standing.lost, r.standing.byes, r.standing.put_out,
                r.standing.models_lost,
            )
            for r in table.rows
        ]  # fmt: skip
        assert told == self.book.table([row.entry.name for row in table.rows])
        for above, below in pairwise(table.rows):
            first, second = above.standing, below.standing
            assert first.explained
            is_parted = first.points == second.points and first.place != second.place
            assert (
                not is_parted
                or f"{above.entry.name} is ahead of {below.entry.name} "
                in below.explanation
            )

    def held(self) -> int:
        """One more round, drawn and published; nobody meets again. Byes are written down."""
        league = self.league
        number = add_round(league.ask(), RoundDraft())
        drawn = draw_round(league.ask(), number, seed=f"round {number}")
        assert drawn.rematches == 0
        publish_round(league.ask(), number)
        for fixture in league.fixtures(number):
            names = names_in(fixture)
            if len(names) == 1:
                self.book.games.append(Game(number, names[0], None, None))
            else:
                assert names[1] not in self.book.met(names[0])
        return number

    def play(self, number: int, *, skip: Sequence[str] = ()) -> None:
        """Every game of the round, the first agreed on by the two, the others told by the
        organiser, as every game of a guest, who has no account to confirm with.
        """
        for place, fixture in enumerate(self.league.fixtures(number)):
            names = names_in(fixture)
            if len(names) == 2 and not set(names) & set(skip):
                is_agreed = place == 0 and GUEST not in names
                self.tell(number, names[0], agreed=is_agreed)
        for fixture in self.league.fixtures(number):
            assert faults(fixture) == []

    def tell(self, number: int, name: str, *, agreed: bool = False) -> Game:
        fixture = self.league.fixture(number, name)
        one, other = names_in(fixture)
        game = Game(number, one, other, self.chance.choice([one, other, None]))
        game.out = {one: self.chance.randint(0, 6), other: self.chance.randint(0, 6)}
        figures = {
            self.league.entry(who).token: {"out": out} for who, out in game.out.items()
        }
        (agree if agreed else report)(
            self.league, fixture, game.winner or "", figures=figures
        )
        self.book.games.append(game)
        return game


def test_nine_players_five_rounds_with_all_that_happens_in_a_season() -> None:
    season = Season(make_league(players=9), Notebook(), random.Random(7))
    season.check()
    season.play(season.held())
    season.check()
    second = season.held()
    season.play(second)
    season.check()
    one_leaves_and_one_comes_late(season)
    two_do_not_agree(season, season.held())
    one_leaves_in_the_middle(season, season.held())
    wrong = next(game for game in season.book.games if game.round == second and game.winner)
    battle = what_was_told_was_wrong(season, wrong)
    season.play(season.held())
    season.check()
    made_void_and_restored(season, wrong, battle)


def one_leaves_and_one_comes_late(season: Season) -> None:
    league, organiser, token = season.league, season.league.organiser, season.league.token
    drop_entry(
        ChangeRequest(organiser, token, reason="Moved away"), league.entry("Hugo").token
    )
    add_entry(ChangeRequest(organiser, token), name=GUEST)


def two_do_not_agree(season: Season, number: int) -> None:
    league = season.league
    there = {name for fixture in league.fixtures(number) for name in names_in(fixture)}
    assert "Hugo" not in there
    assert GUEST in there
    pairs = [one for one in league.fixtures(number) if len(names_in(one)) == 2]
    first = next(one for one in pairs if GUEST not in names_in(one))
    ada, ben = names_in(first)
    season.play(number, skip=(ada, ben))
    battle = report(league, first, ada, by=league.player(ada)).battle
    # What one of them reports counts for the time being, until the other disputes it.
    season.book.games.append(Game(number, ada, ben, ada))
    season.check()
    season.book.games.pop()
    dispute_result(
        league.player(ben), battle, reason="I won that.", winner="b", how="conceded"
    )
    season.check()
    correct_result(
        league.organiser, battle, winner="b", how="conceded", reason="The slip says so."
    )
    season.book.games.append(Game(number, ada, ben, ben))
    season.check()


def one_leaves_in_the_middle(season: Season, number: int) -> None:
    league, organiser, token = season.league, season.league.organiser, season.league.token
    gone = next(fixture for fixture in league.fixtures(number) if fixture.other is not None)
    leaver, stayer = names_in(gone)
    drop_entry(ChangeRequest(organiser, token), league.entry(leaver).token)
    season.play(number, skip=(leaver,))
    walkover = {"decision": "walkover", "decided_for": league.entry(stayer).token}
    decide_fixture(
        ChangeRequest(organiser, token, reason="Left the hall"), gone.token, **walkover
    )
    season.book.games.append(Game(number, leaver, stayer, stayer))
    season.check()


def what_was_told_was_wrong(season: Season, wrong: Game) -> str:
    """The preview says what moves, and exactly that does. Returns the token of the battle."""
    organiser = season.league.organiser
    fixture = fresh(season.league.fixture(wrong.round, wrong.one))
    assert fixture.battle is not None
    assert wrong.other is not None
    right = wrong.other if wrong.winner == wrong.one else wrong.one
    side = {"a": fixture.one.name, "b": fixture.other.name if fixture.other else ""}
    step = {
        "winner": next(key for key, name in side.items() if name == right),
        "how": "conceded",
        "reason": "Swapped",
    }
    told = preview_consequences(organiser, fixture.battle.token, verb="correct", **step)[
        "standings"
    ]
    assert told is not None
    before = _places(season)
    correct_result(organiser, fixture.battle.token, **step)
    wrong.winner = right
    season.check()
    after = _places(season)
    moved = [name for name in after if before[name] != after[name]]
    assert {one.name: (one.place_before, one.points_before) for one in told.changes} == {
        name: before[name] for name in moved
    }
    assert {one.name: (one.place_after, one.points_after) for one in told.changes} == {
        name: after[name] for name in moved
    }
    assert {wrong.one, wrong.other} <= set(moved)
    return fixture.battle.token


def made_void_and_restored(season: Season, game: Game, battle: str) -> None:
    void_result(season.league.organiser, battle, reason="Wrong scenario")
    season.book.games.remove(game)
    season.check()
    restore_result(season.league.organiser, battle)
    season.book.games.append(game)
    season.check()


def _places(season: Season) -> dict[str, tuple[int, int]]:
    table = load_standings(season.league.organiser, season.league.token)
    assert table is not None
    return {row.entry.name: (row.standing.place, row.standing.points) for row in table.rows}
