"""Pairing a round and working out a table: the engine alone, without a database."""

import random
from dataclasses import replace

from campaigns.matching import max_weight_matching
from engine.tournament.awards import position_by_round
from engine.tournament.pairing import Player, club_night, swiss
from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring
from tests.bench.measure import interleaved, sized, table, verdict
from tests.engine.tournament.playing import Event

SWISS_MS = 2000.0
TABLE_MS = 50.0
GROWTH = 1.5  # how much more a player may take in a table of 1,024 than in one of 16
ROUNDS = 7
PLAYERS = sized(128, 16)
SIZES = sized((16, 64, 128, 256, 1024), (16,))
TIES = (
    "head_to_head", "opponents_score", "points_destroyed", "out_difference", "fewest_lost",
    "wins",
)  # fmt: skip


def main() -> None:
    pairing()
    tables()


def pairing() -> None:
    first = swiss_field(PLAYERS, 1)
    last = swiss_field(PLAYERS, ROUNDS)
    odd = swiss_field(PLAYERS - 1, ROUNDS)
    evening = regulars(sized(40, 6))
    three = regulars(sized(41, 7))
    tasks = {
        f"Swiss of {PLAYERS}, round 1": lambda: swiss(
            first, seed="s", match=max_weight_matching
        ),
        f"Swiss of {PLAYERS}, round {ROUNDS}": lambda: swiss(
            last, seed="s", match=max_weight_matching
        ),
        f"Swiss of {PLAYERS - 1}, round {ROUNDS}": lambda: swiss(
            odd, seed="s", match=max_weight_matching
        ),
        f"club night of {len(evening)} who have all met": lambda: club_night(
            evening, seed="s", match=max_weight_matching
        ),
        f"the same of {len(three)} with a table of three": lambda: club_night(
            three, seed="s", match=max_weight_matching, odd="three"
        ),
    }
    times = interleaved(tasks, rounds=3, warm_rounds=1)
    rows = [
        [name, ms, times.cpu[name], SWISS_MS, verdict(ms, SWISS_MS)]
        for name, ms in times.items()
    ]
    table(["one round, networkx imported", "ms", "CPU ms", "budget ms", ""], rows)


def tables() -> None:
    fields = {size: league(size) for size in SIZES}
    tasks = {
        f"{size} players": lambda field=field: standings(*field, Scoring(), TIES)
        for size, field in fields.items()
    }
    field, results = fields[PLAYERS]
    now = standings(field, results, Scoring(), TIES)
    tasks[f"{PLAYERS} players, position by round"] = lambda: position_by_round(
        now, results, Scoring(), TIES
    )
    times = interleaved(tasks, rounds=9)
    rows = []
    for size in fields:
        name = f"{size} players"
        each = times.cpu[name] / size
        growth = each / (times.cpu["16 players"] / 16)
        budget, word = (
            (TABLE_MS, verdict(times[name], TABLE_MS)) if size == PLAYERS else (None, None)
        )
        rows.append(
            [
                name, times[name], times.cpu[name], budget, word, growth,
                verdict(growth, GROWTH),
            ]
        )  # fmt: skip
    name = f"{PLAYERS} players, position by round"
    rows.append([name, times[name], times.cpu[name], None, None, None, None])
    head = [
        f"standings after {ROUNDS} rounds, six tie-breaks",
        "ms",
        "CPU ms",
        "budget ms",
        "",
        "x a player of 16",
        "",
    ]
    table(head, rows)


def swiss_field(count: int, round: int) -> list[Player]:
    event = Event(count, random.Random(1))
    while event.round < round - 1:
        event.play(swiss(event.players(), seed=str(event.round), match=max_weight_matching))
    return event.players()


def regulars(count: int) -> list[Player]:
    """Everybody has met everybody, on evenings of the past year."""
    chance = random.Random(2)
    players = {one: Player(one) for one in (f"p{n}" for n in range(count))}
    for one in players:
        for other in players:
            if one < other:
                games, last = chance.randint(1, 4), chance.randint(1, 50)
                for key, met in ((one, other), (other, one)):
                    now = players[key]
                    players[key] = replace(
                        now,
                        met={**now.met, met: games},
                        met_last={**now.met_last, met: last},
                    )
    return list(players.values())


def league(count: int) -> tuple[list[Entrant], list[Result]]:
    """So many entries and their results: each round those of like points meet, as in a Swiss
    league.
    """
    chance = random.Random(3)
    entries = [Entrant(f"p{n}", f"Player {n}") for n in range(count)]
    points = dict.fromkeys((entry.id for entry in entries), 0)
    results = []
    for number in range(1, ROUNDS + 1):
        here = sorted(points, key=lambda one: (-points[one], chance.random()))
        for one, other in zip(here[::2], here[1::2], strict=True):
            winner = chance.choice([one, other, None])
            figures = [
                {one: chance.randint(0, top), other: chance.randint(0, top)}
                for top in (250, 9)
            ]
            results.append(Result(number, one, other, winner, False, *figures))
            for key in (one, other):
                points[key] += 1 if winner is None else 3 * (winner == key)
    return entries, results
