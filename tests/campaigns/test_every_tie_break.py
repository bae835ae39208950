"""Standings of events made up at random, with every tie-break and score, against the same counted
a second time from the rows, naively.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest

from campaigns.models import ClubEvent, Entry, Fixture, FixtureStatus, Round
from campaigns.queries.standings import load_standings
from engine.tournament.standings import TIE_BREAKS
from tests.campaigns.leagues import League, make_league

pytestmark = pytest.mark.django_db

Row = Mapping[str, Any]
KEYS = [key for key in TIE_BREAKS if key != "campaign_points"]
SIDES = ("one", "other", "third")


def test_standings_are_as_counted_naively(soak: Callable[[int, int], int]) -> None:
    league = make_league(players=0, guests=10)
    shared = 0
    for seed in range(soak(20, 300)):
        make_up(league, random.Random(seed))
        event = ClubEvent.objects.get(pk=league.event.pk)
        table = load_standings(league.organiser, event.token)
        assert table is not None
        book = Book(event)
        wanted = [
            (place, name, book.points[name], book.score(name))
            for place, names in book.places()
            for name in sorted(names, key=lambda name: (name.casefold(), name))
        ]
        assert [
            (line.place, line.name, line.points, line.score)
            for line in (row.standing for row in table.rows)
        ] == wanted, seed
        for row in table.rows:
            for key, figure in zip(event.tie_breaks, row.standing.ties, strict=True):
                if key != "head_to_head":
                    value = book.value(key, row.entry.name)
                    assert figure == written(key, value), (seed, key)
        shared += len({place for place, *_ in wanted}) < len(wanted)
    assert shared


def make_up(league: League, chance: random.Random) -> None:
    """Other settings, entries and rounds by chance: three-player games, byes, walkovers, games not
    played, friendly, void and open ones, and scores of some.
    """
    Fixture.objects.all().delete()
    Round.objects.all().delete()
    draw = chance.randint(0, 2)
    ClubEvent.objects.filter(pk=league.event.pk).update(
        points_win=chance.randint(2, 4),
        points_draw=draw,
        points_loss=chance.randint(0, draw),
        points_bye=chance.randint(0, 3),
        points_unplayed=chance.randint(0, 1),
        missed_round=chance.choice(["nothing", "draw"]),
        score_name="Victory points",
        player_score_name="Painting",
        tie_breaks=chance.sample(KEYS, chance.randint(0, len(KEYS))),
    )
    rounds = chance.randint(0, 5)
    for entry in league.entries:
        entry.joined = chance.choice([1, 1, 1, chance.randint(1, rounds or 1)])
        entry.player_score = chance.choice([None, 0, chance.randint(1, 3)])
        entry.play_off = chance.choice([None, None, 1, 2])
    Entry.objects.bulk_update(league.entries, ["joined", "player_score", "play_off"])
    for number in range(1, rounds + 1):
        row = Round.objects.create(event=league.event, number=number, status="published")
        here = [entry for entry in league.entries if entry.joined <= number]
        chance.shuffle(here)
        games = []
        while here:
            size = min(len(here), chance.choice([2, 2, 2, 2, 3, 1]))
            sides, here = here[:size], here[size:]
            games.append(make_game(row, len(games) + 1, sides, chance))
        Fixture.objects.bulk_create(games)


def make_game(row, position, sides, chance) -> Fixture:
    game = Fixture(round=row, position=position, status=FixtureStatus.FINAL)
    for place, entry in zip(SIDES, sides, strict=False):
        setattr(game, place, entry)
    if len(sides) == 1:
        return game
    game.is_friendly = chance.random() < 0.1
    game.winner = chance.choice([*sides, *sides, None])
    kind = chance.choice(["played"] * 8 + ["unplayed", "walkover", "open", "void"])
    if kind == "unplayed":
        game.decision, game.winner = kind, None
    elif kind == "walkover":
        game.decision, game.winner = kind, sides[0]
    elif kind != "played":
        game.status = kind
    else:
        for place in SIDES[: len(sides)]:
            setattr(game, f"out_{place}", chance.randint(0, 4))
            setattr(game, f"destroyed_{place}", chance.randint(0, 2) * 10)
            setattr(game, f"score_{place}", chance.choice([None, chance.randint(0, 5)]))
    return game


def written(key: str, value: Fraction | None) -> str:
    if value is None:
        return "–"
    if key == "out_difference":
        return f"{int(value):+}".replace("-", "−") if value else "0"
    if key in ("fewest_lost", "play_off"):
        value = -value
    return str(value) if value.denominator == 1 else f"{float(value):.2f}"


class Book:
    """An event counted from its rows, a player at a time and a game at a time."""

    def __init__(self, event: ClubEvent) -> None:
        self.event = event
        self.entries = {entry.name: entry for entry in event.entries.all()}
        names = {entry.pk: name for name, entry in self.entries.items()}
        self.games: list[dict[str, Any]] = []
        for row in Fixture.objects.filter(round__event=event).values():
            if row["status"] in ("open", "void") or row["is_friendly"]:
                continue
            sides = [side for side in SIDES if row[f"{side}_id"]]
            self.games.append(
                {
                    "kind": "bye" if len(sides) == 1 else row["decision"] or "played",
                    "names": [names[row[f"{side}_id"]] for side in sides],
                    "winner": names.get(row["winner_id"]),
                    **{
                        figure: {
                            names[row[f"{side}_id"]]: row[f"{figure}_{side}"] or 0
                            for side in sides
                        }
                        for figure in ("out", "destroyed", "score")
                    },
                }
            )
        self.points = {name: self._points(name) for name in self.entries}

    def _points(self, name: str) -> int:
        event = self.event
        total = 0
        if event.missed_round == "draw":
            total += (self.entries[name].joined - 1) * event.points_draw
        for game in self.games:
            if name in game["names"]:
                total += {"bye": event.points_bye, "unplayed": event.points_unplayed}.get(
                    game["kind"], self._result(game, name)
                )
        return total

    def _result(self, game: Row, name: str) -> int:
        if game["winner"] is None:
            return self.event.points_draw
        return self.event.points_win if game["winner"] == name else self.event.points_loss

    def _played(self, name: str) -> Iterator[Row]:
        for game in self.games:
            if name in game["names"] and game["kind"] in ("played", "walkover"):
                yield game

    def _meetings(self, name: str) -> Iterator[tuple[str, str]]:
        """Each opponent, and "won", "drawn" or "lost": of two who lost to a third, drawn."""
        for game in self._played(name):
            for other in game["names"]:
                if other != name:
                    ending = {name: "won", other: "lost"}.get(game["winner"], "drawn")
                    yield other, ending

    def score(self, name: str) -> int:
        return sum(game["score"][name] for game in self._played(name))

    def value(self, key: str, name: str) -> Fraction | None:
        """What a player has in a tie-break, more is better."""
        entry = self.entries[name]
        played = list(self._played(name))
        met = list(self._meetings(name))
        of_two = [game for game in played if len(game["names"]) == 2]
        opponents = sum(self.points[other] for other, _ in met)
        lost = sum(game["out"][name] for game in played)
        halves = {"won": 2, "drawn": 1, "lost": 0}
        values: dict[str, Any] = {
            "opponents_score": Fraction(opponents, len(met) or 1),
            "buchholz": opponents,
            "sonneborn_berger": Fraction(
                sum(halves[ending] * self.points[other] for other, ending in met), 2
            ),
            "score": self.score(name),
            "player_score": entry.player_score,
            "points_destroyed": sum(game["destroyed"][name] for game in played),
            "out_difference": sum(
                sum(game["out"].values()) - 2 * game["out"][name] for game in of_two
            ),
            "fewest_lost": -lost,
            "wins": sum(game["winner"] == name for game in played),
            "play_off": None if entry.play_off is None else -entry.play_off,
        }
        value = values[key]
        return None if value is None else Fraction(value)

    def places(self) -> Iterator[tuple[int, list[str]]]:
        place = 1
        for points in sorted(set(self.points.values()), reverse=True):
            level = [name for name in self.points if self.points[name] == points]
            for names in self._split(level, list(self.event.tie_breaks)):
                yield place, names
                place += len(names)

    def _split(self, names: list[str], keys: list[str]) -> Iterator[list[str]]:
        if len(names) == 1 or not keys:
            yield names
        elif keys[0] == "head_to_head":
            parts = self._split_by_meetings(names)
            for part in parts:
                # Within a part fewer games count, so it is asked again.
                yield from self._split(part, keys if len(parts) > 1 else keys[1:])
        else:
            values = {name: self.value(keys[0], name) for name in names}
            order = sorted(set(values.values()) - {None}, reverse=True)
            for value in [*order, None]:
                part = [name for name in names if values[name] == value]
                if part:
                    yield from self._split(part, keys[1:])

    def _split_by_meetings(self, names: list[str]) -> list[list[str]]:
        """Cut wherever the worst that those above may come to beats the best of those below."""
        event = self.event
        worth = {
            "won": event.points_win,
            "drawn": event.points_draw,
            "lost": event.points_loss,
        }
        worst, best = {}, {}
        for name in names:
            games = [(other, end) for other, end in self._meetings(name) if other in names]
            points = sum(worth[end] for _, end in games)
            # Of a game that was not played, be it settled, nobody knows how it would have ended.
            settled = [
                game
                for game in self.games
                if game["kind"] == "unplayed" and name in game["names"]
            ]
            for game in settled:
                for other in game["names"]:
                    if other != name and other in names:
                        games.append((other, "unplayed"))
                        points += event.points_unplayed
            missing = len(names) - 1 - len({other for other, _ in games})
            worst[name] = points + missing * min(worth.values())
            best[name] = points + missing * max(worth.values())
        order = sorted(names, key=lambda name: -best[name])
        parts = [[order[0]]]
        for number in range(1, len(order)):
            above, below = order[:number], order[number:]
            if min(worst[n] for n in above) > max(best[n] for n in below):
                parts.append([])
            parts[-1].append(order[number])
        return parts
