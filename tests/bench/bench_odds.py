"""Exact odds and match-ups: times, memory and growth."""

import tracemalloc
from collections.abc import Callable
from itertools import product
from time import thread_time
from typing import Any

from engine import odds
from engine.calls import evaluate
from engine.combat.attacks import attacks_on_standing
from engine.combat.fighters import Attacker, CasualtyCount, Target
from tests.bench.measure import sized
from tests.engine.combat_rules import SKIRMISH_KEY, SUMMARY_KEY, WARRIOR_SYSTEMS, rules

TRIES = sized(5, 1)
PAIR = {
    "attacker": {"ws": 4, "strength": 4},
    "defender": {"ws": 3, "toughness": 3, "save": 5},
}


def main() -> None:
    """Print the figures, each the best of five from cold, as this thread's own work."""
    print(
        f"one attack, exact, from cold    {_best(_one_attack) * 1e3:8.2f} ms  (under 1 ms)"
    )
    for system in WARRIOR_SYSTEMS:
        print(
            "15 x 15, 3 attacks  "
            f"{system:<22}{_best(lambda s=system: _grid(3, s)) * 1e3:8.1f} ms  (under 100 ms)"
        )
    tracemalloc.start()
    _forget()
    _grid(3, SKIRMISH_KEY)
    print(
        f"memory of it at most            {tracemalloc.get_traced_memory()[1] / 2**20:8.1f} "
        "MiB (under 64 MiB)"
    )
    tracemalloc.stop()
    times = {
        count: _best(lambda n=count: _grid(n, SKIRMISH_KEY)) for count in (1, 2, 4, 8, 16)
    }
    print("growth with attacks             " + _told(times))
    times = {
        size * size: _best(lambda n=size: _grid(3, SKIRMISH_KEY, n))
        for size in (2, 4, 8, 15)
    }
    print("growth with pairs               " + _told(times))
    print(
        f"the slowest question of all     {_best(_slowest) * 1e3:8.1f} ms  (under 1,000 ms)"
    )


def _forget() -> None:
    """Drop every law worked out so far, to measure from cold."""
    for kept in (
        odds.exact_distribution, odds._series, odds._stretches, odds._sums, odds._pools,
    ):  # fmt: skip
        kept.cache_clear()


def _best(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(TRIES):
        _forget()
        start = thread_time()
        work()
        times.append(thread_time() - start)
    return min(times)


def _told(times: dict[int, float]) -> str:
    """Each with the time, and with how much of it a unit takes."""
    return ", ".join(
        f"{n}: {t * 1e3:.1f} ms ({t / n * 1e3:.2f} each)" for n, t in times.items()
    )


def _slowest() -> None:
    """Of all questions the API takes, the one found to need the most work: two parried, poisoned
    swarms of blows.
    """
    blows = {"attacks": 15, "poison": True}
    attackers = [
        {
            **blows,
            "ws": 10,
            "strength": 5,
            "to_hit_bonus": -1,
            "parry": {"defender_strength": 7},
        },
        {
            **blows,
            "ws": 8,
            "strength": 4,
            "to_hit_bonus": 3,
            "parry": {"defender_strength": 9, "reroll": True},
        },
    ]
    defender = {"ws": 2, "toughness": 5, "wounds": 10, "save": 3}
    evaluate(
        rules(SUMMARY_KEY).with_rulings({"critical_limit": 1}),
        "melee_sequence",
        {"attackers": attackers, "defender": defender},
    )


def _one_attack() -> None:
    evaluate(rules(SKIRMISH_KEY), "melee", PAIR)


def _warriors(attacks: int) -> tuple[list[Attacker], list[Target]]:
    attackers = [Attacker(1 + i % 8, 1 + i * 3 % 9, attacks) for i in range(15)]
    targets = [
        Target(1 + i * 5 % 8, 1 + i * 2 % 8, 1 + i % 3, (None, 2, 3, 4, 5, 6)[i % 6])
        for i in range(15)
    ]
    return attackers, targets


def _grid(attacks: int, system: str, size: int = 15) -> None:
    """Each attacker's attacks of a phase on each target, all of whom stand."""
    book, (attackers, targets) = rules(system), _warriors(attacks)
    for attacker, target in product(attackers[:size], targets[:size]):
        turn = attacks_on_standing(book, attacker, target)
        odds.exact_distribution(turn, CasualtyCount(target.wounds))
