"""The dice that the site throws for a campaign."""

from __future__ import annotations

import secrets

from engine.growth.tables import dice_of
from engine.records import Numbers


def throw(dice: str) -> Numbers:
    """Return what the site throws."""
    count, sides = dice_of(dice)
    return tuple(secrets.randbelow(sides) + 1 for _ in range(count))
