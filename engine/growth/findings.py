"""Who fights by usual, and what is unusual about a warband of a campaign."""

from __future__ import annotations

from collections.abc import Collection

from engine.growth.state import WarbandGrowth


def lineup_of(
    warband: WarbandGrowth,
    absent: Collection[str] = (),
    fielded: Collection[str] = (),
) -> tuple[str, ...]:
    """Return who fights: everybody there, without those who miss the battle.

    ``absent`` are left out, ``fielded`` taken though they should miss it.
    """
    return tuple(
        one.key
        for one in warband.warriors.values()
        if one.is_free
        and one.key not in absent
        and (len(one.misses) < one.count or one.key in fielded)
    )
