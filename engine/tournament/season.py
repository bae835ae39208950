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
    lines = [_line(player, events, best) for player in names]
    lines.sort(key=lambda line: (-line.total, names[line.player].casefold(), line.player))
    totals = [line.total for line in lines]
    return tuple(replace(line, place=1 + totals.index(line.total)) for line in lines)


def _line(player: str, events: Sequence[NumberByKey], best: int | None) -> SeasonLine:
    """The line of a player, without a place."""
    results = tuple(event.get(player) for event in events)
    played = {number: points for number, points in enumerate(results) if points is not None}
    counted = sorted(sorted(played, key=lambda number: -played[number])[:best])
    total = sum(played[number] for number in counted)
    return SeasonLine(player, 0, total, results, tuple(counted))
