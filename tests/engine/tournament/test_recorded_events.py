"""What events made up at random come to stays: pairings with their reasons, tables with every
tie-breaker, places by round, meetings and awards.

A change that is meant is recorded by

    RECORD_VECTORS=1 .venv/bin/python -m pytest tests/engine/tournament/test_recorded_events.py
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from campaigns.matching import max_weight_matching
from engine.tournament.awards import (
    DiceRecord,
    WarriorRecord,
    awards,
    head_to_head_matrix,
    position_by_round,
    rounds_met,
)
from engine.tournament.pairing import Pairing, club_night, rest_of_robin, round_robin, swiss
from engine.tournament.standings import standings
from engine.tournament.types import Entrant, Result, Scoring
from tests.engine.tournament.playing import Event
from tests.vectors.recorded import as_line, check_recorded

SEEDS, ROUNDS = 6, 4
SCENARIOS = ("raid", "hunt", "siege")
# Written down, so that a new one changes nothing that is recorded.
TIE_BREAKS = (
    "head_to_head", "opponents_score", "points_destroyed", "out_difference", "fewest_lost",
    "wins", "campaign_points", "play_off",
)  # fmt: skip


def result_of(chance: random.Random, number: int, pairing: Pairing) -> Result:
    """A result by chance; some were never played, some wait to be confirmed."""
    ids = pairing.ids[:2]
    return Result(
        number,
        pairing.one,
        pairing.other,
        winner=chance.choice((*ids, None)) if pairing.other else None,
        is_unplayed=pairing.other is not None and chance.random() < 0.15,
        is_provisional=chance.random() < 0.2,
        points={one: chance.randint(0, 20) for one in ids},
        out={one: chance.randint(0, 3) for one in ids},
    )


def played(chance: random.Random, count: int) -> Iterator[tuple[Pairing, Result]]:
    event = Event(count, chance)
    for number in range(1, ROUNDS + 1):
        made = swiss(
            event.players(),
            seed=f"round {number}",
            match=max_weight_matching,
            scenarios=SCENARIOS,
        )
        event.play(made)
        for pairing in made:
            yield pairing, result_of(chance, number, pairing)


def entrants(chance: random.Random, count: int) -> list[Entrant]:
    return [
        Entrant(
            f"p{place}",
            f"Player {place}",
            is_dropped=chance.random() < 0.1,
            play_off=chance.choice((None, None, 1, 2)),
            joined=chance.choice((1, 1, 2)),
        )
        for place in range(count)
    ]


def table(chance: random.Random, count: int, results: Sequence[Result]) -> dict[str, Any]:
    entries = entrants(chance, count)
    scoring = Scoring(*(chance.randint(0, 4) for _ in range(5)))
    breaks = tuple(chance.sample(TIE_BREAKS, 5))
    now = standings(entries, results, scoring, breaks)
    courses = position_by_round(now, results, scoring, breaks)
    matrix = head_to_head_matrix(now)
    return {
        "breaks": list(breaks),
        "standings": [
            f"{one.place}. {one.name}: {one.points} points of {one.played};"
            f" {one.won}/{one.drawn}/{one.lost}, {one.byes} byes, {one.unplayed} unplayed;"
            f" met {' '.join(one.met)}; {one.points_destroyed} destroyed,"
            f" {one.put_out} out, {one.models_lost} lost; {' '.join(one.ties)}; {one.explained}"
            for one in now
        ],
        "courses": [f"{key} {places}" for key, places in courses.items()],
        "rounds": list(rounds_met(results)),
        "meetings": [
            f"{key}: {[as_line(one) if one else None for one in row]}"
            for key, row in matrix.items()
        ],
    }


def given_awards(chance: random.Random) -> list[str]:
    warriors = [
        WarriorRecord(
            f"w{n}",
            f"Warrior {n}",
            f"p{n % 3}",
            battles=chance.randint(0, 4),
            kills=chance.randint(0, 3),
            out=chance.randint(0, 2),
            is_leader=n < 4,
        )
        for n in range(9)
    ]
    dice = [
        DiceRecord(
            f"p{n % 3}",
            sides,
            {face: chance.randint(0, 9) for face in range(1, sides + 1)},
            is_low_good=n == 4,
        )
        for n, sides in enumerate((6, 6, 6, 10, 6))
    ]
    return [as_line(one) for one in awards(warriors, dice)]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_event_made_up_is_told_as_recorded(seed: int) -> None:
    chance = random.Random(f"event {seed}")
    count = 4 + seed
    rounds = list(played(chance, count))
    evening = Event(count, chance)
    evening.play([pairing for pairing, _ in rounds[: count // 2]])
    night = club_night(
        evening.players(),
        seed=f"night {seed}",
        match=max_weight_matching,
        scenarios=SCENARIOS,
        odd="three",
    )
    robin = round_robin(evening.here, legs=1 + seed % 2, seed=f"league {seed}")
    begun = [(one.one, one.other) for one in robin[0] if one.other]
    rest = rest_of_robin(
        evening.here,
        begun,
        legs=1 + seed % 2,
        seed=f"rest {seed}",
        match=max_weight_matching,
    )
    whole = {
        "pairings": [as_line(pairing) for pairing, _ in rounds],
        "night": [as_line(pairing) for pairing in night],
        "robin": [[as_line(one) for one in told] for told in robin],
        "rest": [[as_line(one) for one in told] for told in rest],
        "table": table(chance, count, [result for _, result in rounds]),
        "awards": given_awards(chance),
    }
    check_recorded("events.json", whole, part=str(seed))
