"""The table of a season: what players brought home from several events, the best of it counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.records import NumberByKey, Numbers, frozen_dataclass


@frozen_dataclass
class SeasonLine:
    """One line: ``results`` by event, None where the player was not there; ``counted`` are the
    positions of those that make the ``total``. Those on one total share a ``place``.
    """

    player: str
    place: int
    total: int
    results: tuple[int | None, ...]
    counted: Numbers


def place_worth(place: int, points: Sequence[int]) -> int:
    """What a place is worth: nothing after the last that has points."""
    return points[place - 1] if place <= len(points) else 0


def season_table(
    events: Sequence[NumberByKey], names: Mapping[str, str], best: int | None
) -> tuple[SeasonLine, ...]:
    """The table of everybody in ``names``, the best first, by name within a place.

    ``events`` are points by player, ``best`` is how many results of a player count, None for all;
    of equal ones the earlier.
    """
    lines = []
    for player in names:
        results = tuple(event.get(player) for event in events)
        played = {at: points for at, points in enumerate(results) if points is not None}
        counted = sorted(sorted(played, key=played.__getitem__, reverse=True)[:best])
        total = sum(played[at] for at in counted)
        lines.append(SeasonLine(player, 0, total, results, tuple(counted)))
    lines.sort(key=lambda line: (-line.total, names[line.player].casefold(), line.player))
    totals = [line.total for line in lines]
    return tuple(replace(line, place=1 + totals.index(line.total)) for line in lines)
