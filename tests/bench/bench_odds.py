"""Exact odds and match-ups: times, memory, growth, and the ratio to a simulation of 100,000 trials with numpy."""

import tracemalloc
from collections.abc import Callable
from time import perf_counter
from typing import Any

from engine import matchups, odds
from engine.calls import evaluate
from engine.combat.figures import Attacker, Target
from tests.engine.combat_rules import SKIRMISH_KEY, WARRIOR_SYSTEMS, rules

TRIALS = 100_000
PAIR = {"attacker": {"ws": 4, "strength": 4}, "defender": {"ws": 3, "toughness": 3, "save": 5}}


def main() -> None:
    """Print the figures, each the best of five from cold."""
    print(f"one attack, exact, from cold    {_best(_one_attack) * 1e3:8.2f} ms  (under 1 ms)")
    for system in WARRIOR_SYSTEMS:
        print(f"15 x 15, 3 attacks  {system:<22}{_best(lambda s=system: _grid(3, s)) * 1e3:8.1f} ms  (under 100 ms)")
    tracemalloc.start()
    odds.forget()
    _grid(3, SKIRMISH_KEY)
    print(f"memory of it at most            {tracemalloc.get_traced_memory()[1] / 2**20:8.1f} MiB (under 64 MiB)")
    tracemalloc.stop()
    times = {count: _best(lambda n=count: _grid(n, SKIRMISH_KEY)) for count in (1, 2, 4, 8, 16)}
    print("growth with attacks             " + ", ".join(f"{n}: {t * 1e3:.1f} ms" for n, t in times.items()))
    _against_simulation()


def _best(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        odds.forget()
        matchups.forget()
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def _one_attack() -> None:
    evaluate(rules(SKIRMISH_KEY), "melee", PAIR)


def _grid(attacks: int, system: str) -> matchups.Grid:
    attackers = [Attacker(1 + i % 8, 1 + i * 3 % 9, attacks) for i in range(15)]
    targets = [Target(1 + i * 5 % 8, 1 + i * 2 % 8, 1 + i % 3, (None, 2, 3, 4, 5, 6)[i % 6]) for i in range(15)]
    return matchups.match_up(attackers, targets, rules(system))


def _against_simulation() -> None:
    try:
        import numpy
    except ModuleNotFoundError:
        print("no numpy here: nothing to simulate with")
        return
    start = perf_counter()
    share = _simulated(numpy)
    simulated = perf_counter() - start
    exact = _best(_one_attack)
    chance = evaluate(rules(SKIRMISH_KEY), "melee", PAIR).outcomes["out_of_action"]
    print(f"{TRIALS} trials with numpy      {simulated * 1e3:8.1f} ms, {simulated / exact:.0f} times the exact odds")
    print(f"out of action: {float(share):.4f} of the trials, exactly {chance} ({float(chance):.4f})")


def _simulated(numpy: Any) -> float:
    """The share out of action of one attack, hits and wounds on 3+, a critical on 6, save 6, one Wound."""
    dice = numpy.random.default_rng(1).integers(1, 7, size=(5, TRIALS))
    hit, wound, save, first, second = dice
    critical = (hit >= 3) & (wound == 6)
    ordinary = (hit >= 3) & (wound >= 3) & (wound < 6) & (save < 6)
    worst = numpy.where(critical, numpy.maximum(first, second), first)
    return float(((critical | ordinary) & (worst >= 5)).mean())
