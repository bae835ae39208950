"""The league in which everybody meets everybody."""

from __future__ import annotations

from collections.abc import Sequence

from engine.events.draw import seeded_order
from engine.events.types import BYE, Pairing


def round_robin(
    ids: Sequence[str], *, legs: int = 1, seed: str = ""
) -> tuple[tuple[Pairing, ...], ...]:
    """Every round of a league in which everybody meets everybody once a leg. In the second leg the sides are swapped.

    ``legs`` is 1 or 2 (ValueError otherwise). With an odd number everybody sits out once a leg. Nobody's attacks
    and defences differ by more than one. Fewer than two have no round.
    """
    if legs not in (1, 2):
        raise ValueError("A league has one leg or two.")
    ring = seeded_order(ids, seed)
    if len(ring) < 2:
        return ()
    # Whoever would meet the seat that stays sits out: only so do attacks and defences come out even.
    fixed, turning = (BYE, ring) if len(ring) % 2 else (ring[0], ring[1:])
    first = [_round(fixed, turning, number) for number in range(len(turning))]
    second = [tuple(_swapped(pairing) for pairing in told) for told in first] if legs == 2 else []
    return (*first, *second)


def _round(fixed: str, turning: Sequence[str], number: int) -> tuple[Pairing, ...]:
    """The circle method: one seat stays, the others turn by a place each round and meet across the circle."""
    pairs = [(turning[number], fixed) if number % 2 else (fixed, turning[number])]
    for step in range(1, len(turning) // 2 + 1):
        ahead, behind = turning[(number + step) % len(turning)], turning[number - step]
        pairs.append((ahead, behind) if step % 2 else (behind, ahead))
    played = [pair for pair in pairs if BYE not in pair]
    told = [
        Pairing(one, other, attacker=one, reason="Everybody meets everybody.", table=table)
        for table, (one, other) in enumerate(played, start=1)
    ]
    byes = [
        Pairing(one or other, None, reason="Sits out: an odd number.")
        for one, other in pairs
        if BYE in (one, other)
    ]
    return (*told, *byes)


def _swapped(pairing: Pairing) -> Pairing:
    if pairing.other is None:
        return pairing
    reason = "The second leg, with the sides swapped."
    return Pairing(
        pairing.other, pairing.one, attacker=pairing.other, reason=reason, table=pairing.table
    )
