"""Who stands where, and why: points for results, then one tie-break after another, each position
explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise

from engine.tournament.tiebreaks import TIE_BREAKS, Split, TieBreak, figures_apart, tie_break
from engine.tournament.types import Entrant, PointsTable, Result, Scoring, Standing, table_of

__all__ = ["TIE_BREAKS", "Entrant", "Result", "Scoring", "Standing", "TieBreak", "standings"]

SHARED = "level in everything, so they share the place"


def standings(
    entries: Sequence[Entrant],
    results: Sequence[Result],
    scoring: Scoring,
    tie_breaks: Sequence[str] = (),
) -> tuple[Standing, ...]:
    """The table, the best first. Whom nothing parts share a place and stand by name.

    Raises ValueError for an unknown tie-break, a repeated entry, or a result of somebody who is not
    in the table.
    """
    breaks = [tie_break(key) for key in tie_breaks]
    table = table_of(entries, results, scoring)
    told: list[Standing] = []
    for level in _by_points(table.lines.values()):
        if told:
            why = f"{told[-1].points} points against {level[0].points}"
            told[-1] = replace(told[-1], explained=why)
        told += _rank_group(level, breaks, table, first=len(told) + 1)
    return tuple(told)


def _by_points(lines: Iterable[Standing]) -> list[list[Standing]]:
    ranked = sorted(
        lines, key=lambda line: (-line.points, line.entry.name.casefold(), line.entry.name, line.id)
    )
    return [list(level) for _, level in groupby(ranked, key=lambda line: line.points)]


@dataclass(frozen=True, slots=True)
class _Group:
    """Those whom nothing has parted so far, what they are ``level`` on, and ``why`` they stand
    above the next group.
    """

    lines: Sequence[Standing]
    level: tuple[str, ...]
    why: str


def _rank_group(
    level: Sequence[Standing], breaks: Sequence[TieBreak], table: PointsTable, *, first: int
) -> list[Standing]:
    """Those on the same points, with their places from ``first`` on."""
    groups = [_Group(level, ("points",), "")]
    columns: list[dict[str, str]] = []
    for tie in breaks:
        figures: dict[str, str] = {}
        groups = [part for group in groups for part in _apply_tie_break(group, tie, table, figures)]
        columns.append(figures)
    told: list[Standing] = []
    for group in groups:
        place = first + len(told)
        reasons = [*[SHARED] * (len(group.lines) - 1), group.why]
        for line, why in zip(group.lines, reasons, strict=True):
            ties = tuple(figures[line.id] for figures in columns)
            told.append(replace(line, place=place, ties=ties, explained=why))
    return told


def _apply_tie_break(
    group: _Group, tie: TieBreak, table: PointsTable, figures: dict[str, str]
) -> list[_Group]:
    """A group after one more tie-break; what each line has in it is written into ``figures``."""
    todo, done = [group], []
    while todo:
        now = todo.pop()
        split = tie.split(now.lines, table)
        if now is group:
            figures.update({line.id: tie.shown(split.values[line.id]) for line in now.lines})
        parts = _split_group(now, tie, split)
        if tie.is_mutual and len(parts) > 1:
            todo += reversed(parts)
        else:
            done += parts
    return done


def _split_group(group: _Group, tie: TieBreak, split: Split) -> list[_Group]:
    """A group as a tie-break parts it, with the reasons."""
    told = []
    for lines in split.groups:
        is_said = (
            len(lines) > 1
            and split.values[lines[0].id] is not None
            and tie.level not in group.level
        )
        told.append(_Group(lines, (*group.level, tie.level) if is_said else group.level, group.why))
    for number, (lines, below) in enumerate(pairwise(split.groups)):
        why = _tie_reason(group, tie, split.values[lines[-1].id], split.values[below[0].id])
        told[number] = replace(told[number], why=why)
    return told


def _tie_reason(
    group: _Group, tie: TieBreak, mine: int | Fraction | None, theirs: int | Fraction | None
) -> str:
    is_again = tie.level in group.level
    told = f"on those of these {len(group.lines)} alone" if is_again else tie.told
    said = f"level on {' and '.join(group.level)}; above {told}"
    if not tie.has_figures or mine is None or theirs is None:
        return said
    return f"{said}, {' against '.join(figures_apart(tie, mine, theirs))}"
