"""Chance out of a seed: the same for the same seed and names, whatever order they come in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from engine.events.types import BYE


def seeded_order(ids: Sequence[str], seed: str) -> list[str]:
    """The ids in the order of the draw. Raises ValueError for a repeated or an empty one."""
    check_unique_ids(ids)
    return sorted(ids, key=lambda one: (seeded_number(seed, one), one))


def check_unique_ids(ids: Sequence[str]) -> None:
    """Raises ValueError where somebody stands in the draw twice, or has no id."""
    if len(set(ids)) != len(ids):
        raise ValueError("Somebody stands in the draw twice.")
    if BYE in ids:
        raise ValueError("Somebody in the draw has no id.")


def seeded_number(seed: str, *names: str) -> int:
    """A number of 48 bits that looks drawn and is the same each time."""
    text = "\0".join((seed, *names))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")
