"""The table of a season: what players brought home from several events, the best of it counted."""

from collections.abc import Mapping, Sequence

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
    """The table, the best first, by name within a place.

    ``events`` are points by player, ``best`` is how many results of a player count, None for all;
    of equal ones the earlier.
    """
    lines = []
    for player in {player: None for event in events for player in event}:
        results = tuple(event.get(player) for event in events)
        played = [number for number, points in enumerate(results) if points is not None]
        played.sort(key=lambda number: -(results[number] or 0))
        counted = tuple(sorted(played[:best]))
        total = sum(results[number] or 0 for number in counted)
        lines.append((player, total, results, counted))
    totals = [total for _, total, _, _ in lines]
    lines.sort(key=lambda line: (-line[1], names[line[0]].casefold(), line[0]))
    return tuple(
        SeasonLine(player, 1 + sum(more > total for more in totals), total, *rest)
        for player, total, *rest in lines
    )
