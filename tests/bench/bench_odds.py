"""Exact odds and match-ups: times, memory, growth, and the ratio to a simulation of 100,000 trials
with numpy.
"""

import tracemalloc
from collections.abc import Callable
from time import thread_time
from typing import Any

from engine import odds
from engine.calls import evaluate
from engine.combat.fighters import (
    Attacker,
    Target,
    effective_save,
    need_to_hit_melee,
    need_to_wound,
)
from tests.bench import matchups
from tests.bench.measure import sized
from tests.engine.combat_rules import SKIRMISH_KEY, SUMMARY_KEY, WARRIOR_SYSTEMS, rules

TRIALS, TRIES = sized((100_000, 5), (1000, 1))
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
    times = {size * size: _best(lambda n=size: _part(n)) for size in (2, 4, 8, 15)}
    print("growth with pairs               " + _told(times))
    print(
        f"the slowest question of all     {_best(_slowest) * 1e3:8.1f} ms  (under 1,000 ms)"
    )
    _against_simulation()


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
        matchups.clear_cache()
        start = thread_time()
        work()
        times.append(thread_time() - start)
    return min(times)


def _told(times: dict[int, float]) -> str:
    """Each with the time, and with how much of it a unit takes."""
    return ", ".join(
        f"{n}: {t * 1e3:.1f} ms ({t / n * 1e3:.2f} each)" for n, t in times.items()
    )


def _part(size: int) -> matchups.Grid:
    attackers, targets = _warriors(3)
    return matchups.match_up(attackers[:size], targets[:size], rules(SKIRMISH_KEY))


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


def _grid(attacks: int, system: str) -> matchups.Grid:
    return matchups.match_up(*_warriors(attacks), rules(system))


def _against_simulation() -> None:
    try:
        import numpy
    except ModuleNotFoundError:
        print("no numpy here: nothing to simulate with")
        return
    for words, attackers, targets in (
        ("one attack", [Attacker(4, 4)], [Target(3, 3, save=5)]),
        ("3 attacks, 3 Wounds, save 4+", [Attacker(4, 4, 3)], [Target(3, 3, 3, 4)]),
        ("15 x 15, 3 attacks", *_warriors(3)),
    ):
        throws = numpy.random.default_rng(1)
        start = thread_time()
        shares = [
            [_simulated(numpy, throws, one, other) for other in targets]
            for one in attackers
        ]
        simulated = thread_time() - start
        exact = _best(
            lambda a=attackers, t=targets: matchups.match_up(a, t, rules(SKIRMISH_KEY))
        )
        grid = matchups.match_up(attackers, targets, rules(SKIRMISH_KEY))
        off = max(
            abs(share - cell.decimal("out_of_action"))
            for row, cells in zip(shares, grid, strict=True)
            for share, cell in zip(row, cells, strict=True)
            if cell
        )
        print(
            f"{TRIALS:,} trials each with numpy, {words:<28}{simulated * 1e3:9.1f} ms, "
            f"{simulated / exact:6.0f} times "
            f"the exact {exact * 1e3:.2f} ms; off by {off:.4f} at most"
        )


def _simulated(numpy: Any, throws: Any, attacker: Attacker, target: Target) -> float:
    """The share out of action: each attack of all trials at once, one critical of two Wounds, the
    worst injury.
    """
    skirmish = rules(SKIRMISH_KEY)
    need = need_to_wound(skirmish, attacker.strength, target.toughness)
    save = effective_save(skirmish, target.save, attacker.strength)
    if need is None:
        return 0.0
    left, worst = numpy.full(TRIALS, target.wounds), numpy.zeros(TRIALS, dtype=int)
    spent = numpy.zeros(TRIALS, dtype=bool)
    for _ in range(attacker.attacks):
        hit, wound, saved, first, second = throws.integers(1, 7, size=(5, TRIALS))
        hits = hit >= need_to_hit_melee(skirmish, attacker, target)
        critical = (
            hits & (wound == 6) & ~spent if need < 6 else numpy.zeros(TRIALS, dtype=bool)
        )
        plain = hits & ~critical & (wound >= need) & (saved < (save or 7))
        spent |= critical
        for hurts, injury in ((critical | plain, first), (critical, second)):
            rolls = hurts & (left <= 1)
            worst = numpy.where(rolls, numpy.maximum(worst, injury), worst)
            left = numpy.where(hurts, numpy.maximum(left - 1, 0), left)
    return float((worst >= 5).mean())
