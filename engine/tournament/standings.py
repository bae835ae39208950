"""Who stands where, and why: points for results, then one tie-break after another, each position
explained.

A tie-break parts those who are still level into groups, the best first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, groupby, pairwise

from engine.records import NumberByKey, TextByKey, Texts, frozen_dataclass
from engine.text import signed
from engine.tournament.types import (
    Entrant,
    PointsTable,
    Result,
    Scoring,
    Standing,
    count_points,
    result_points,
)

SHARED = "tied on everything: shared place"

Value = Callable[[Standing, PointsTable], int | Fraction | None]


@frozen_dataclass
class Split:
    """Those who were level, in groups, the best first.

    A value is None for whom the tie-break says nothing of.
    """

    groups: Sequence[Sequence[Standing]]
    values: Mapping[str, int | Fraction | None]


@frozen_dataclass
class TieBreak:
    """A way to part those who are level.

    ``level`` and ``above`` are how a sentence names it: "tied on wins", "ahead on wins".
    ``figure`` writes a value for people. A ``mutual`` one looks at the level ones' own games, so it is asked
    again about those it leaves level.
    """

    key: str
    name: str
    level: str
    above: str
    split: Callable[[Sequence[Standing], PointsTable], Split]
    figure: Callable[[int | Fraction], str] = str
    is_mutual: bool = False
    has_figures: bool = True


def _split_by_value(value: Value) -> Callable[[Sequence[Standing], PointsTable], Split]:
    """Parted by a value, more is better; None stands last."""

    def split(tied: Sequence[Standing], table: PointsTable) -> Split:
        """Return tied lines in groups of equal value, best first, with their values."""
        values = {line.id: value(line, table) for line in tied}

        def rank(line: Standing) -> tuple[bool, int | Fraction]:
            figure = values[line.id]
            return figure is None, -(figure or 0)

        ranked = sorted(tied, key=rank)
        return Split([list(same) for _, same in groupby(ranked, key=rank)], values)

    return split


def _head_to_head(tied: Sequence[Standing], table: PointsTable) -> Split:
    """By the points of their games among themselves, and only where no game between two who never
    met could undo it. A three-player game is a game of each two in it.
    """
    ids = {line.id for line in tied}
    scoring = table.scoring
    worths = (scoring.win, scoring.draw, scoring.loss)
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    points: dict[str, int] = {}
    is_whole = True
    for line in tied:
        meetings = chain.from_iterable(r.meetings(line.id) for r in line.results)
        games = [(other, game) for other, game in meetings if other in ids]
        points[line.id] = sum(result_points(game, line.id, scoring) for _, game in games)
        missing = len(tied) - 1 - len(dict(games))
        low[line.id] = points[line.id] + missing * min(worths)
        high[line.id] = points[line.id] + missing * max(worths)
        is_whole = is_whole and not missing
    # A game not played may be worth anything between, so only sure distances part.
    groups = _split_by_bounds(tied, low, high)
    if len(tied) > 1 and (is_whole or len(groups) > 1):
        return Split(groups, points)
    # Points of some of the games part nobody, and so are not shown.
    return Split(groups, dict.fromkeys(points))


def _split_by_bounds(
    tied: Sequence[Standing], low: NumberByKey, high: NumberByKey
) -> list[list[Standing]]:
    """Cut wherever all above are certain to be above all below; within a group the order stays as
    it was.
    """
    groups: list[list[Standing]] = [[]]
    floor: int | None = None
    for line in sorted(tied, key=lambda line: -high[line.id]):
        if floor is not None and floor > high[line.id]:
            groups.append([])
        groups[-1].append(line)
        floor = low[line.id] if floor is None else min(floor, low[line.id])
    place = {line.id: number for number, line in enumerate(tied)}
    return [sorted(group, key=lambda line: place[line.id]) for group in groups]


def _strength_of_schedule(line: Standing, table: PointsTable) -> Fraction:
    """The points of the opponents, on average, so that a bye neither helps nor harms; a rematch
    counts again.
    """
    points = sum(table.lines[opponent].points for opponent in line.met)
    return Fraction(points, len(line.met) or 1)


def _buchholz(line: Standing, table: PointsTable) -> int:
    """The points of the opponents; a bye adds nothing, a rematch counts again."""
    return sum(table.lines[opponent].points for opponent in line.met)


def _sonneborn_berger(line: Standing, table: PointsTable) -> Fraction:
    """The points of those it beat, and half of those it drew with; a bye adds nothing.

    In a three-player game that a third side won, the two who lost drew with each other.
    """
    halves = 0
    for result in line.results:
        for other, game in result.meetings(line.id) if result.is_game else ():
            weight = {line.id: 2, None: 1}.get(game.winner, 0)
            halves += weight * table.lines[other].points
    return Fraction(halves, 2)


def _play_off(line: Standing, table: PointsTable) -> int | None:
    return None if line.entry.play_off is None else -line.entry.play_off


def _decimal(value: int | Fraction) -> str:
    """Whole, or to two places."""
    return str(value) if value == int(value) else f"{float(value):.2f}"


def _negated(value: int | Fraction) -> str:
    return str(-value)


CAMPAIGN_POINTS = "campaign_points"
"""The tie-break of campaigns alone: what warbands collected that buys nothing, such as renown."""
TIE_BREAKS = {
    tie.key: tie
    for tie in (
        TieBreak(
            "head_to_head",
            "Head to head",
            "head to head",
            "head to head",
            _head_to_head,
            is_mutual=True,
        ),
        TieBreak(
            "opponents_score",
            "Strength of schedule",
            "strength of schedule",
            "on strength of schedule",
            _split_by_value(_strength_of_schedule),
            _decimal,
        ),
        TieBreak(
            "buchholz", "Buchholz", "Buchholz", "on Buchholz", _split_by_value(_buchholz)
        ),
        TieBreak(
            "sonneborn_berger",
            "Sonneborn-Berger",
            "Sonneborn-Berger",
            "on Sonneborn-Berger",
            _split_by_value(_sonneborn_berger),
            _decimal,
        ),
        TieBreak(
            "score",
            "Points scored",
            "points scored",
            "on points scored",
            _split_by_value(lambda line, _: line.score),
        ),
        TieBreak(
            "player_score",
            "Player’s score",
            "the player’s score",
            "on the player’s score",
            _split_by_value(lambda line, _: line.entry.player_score),
        ),
        TieBreak(
            "points_destroyed",
            "Points destroyed",
            "points destroyed",
            "on points destroyed",
            _split_by_value(lambda line, _: line.points_destroyed),
        ),
        TieBreak(
            "out_difference",
            "Casualty difference",
            "casualty difference",
            "on casualty difference",
            _split_by_value(lambda line, _: line.difference),
            signed,
        ),
        TieBreak(
            "fewest_lost",
            "Fewest models lost",
            "models lost",
            "on fewer models lost",
            _split_by_value(lambda line, _: -line.models_lost),
            _negated,
        ),
        TieBreak(
            "wins", "Wins", "wins", "on wins", _split_by_value(lambda line, _: line.won)
        ),
        TieBreak(
            CAMPAIGN_POINTS,
            "Campaign points",
            "campaign points",
            "on campaign points",
            _split_by_value(lambda line, _: line.entry.campaign_points),
        ),
        TieBreak(
            "play_off",
            "Play-off",
            "the play-off",
            "by the play-off",
            _split_by_value(_play_off),
            _negated,
            has_figures=False,
        ),
    )
}


def tie_break(key: str) -> TieBreak:
    """The tie-break of a name. Raises ValueError for an unknown one."""
    if key not in TIE_BREAKS:
        raise ValueError(
            f"There is no tie-breaker {key[:40]!r}; they are {', '.join(TIE_BREAKS)}."
        )
    return TIE_BREAKS[key]


def figures_apart(
    tie: TieBreak, mine: int | Fraction, theirs: int | Fraction
) -> tuple[str, str]:
    """Two different values as a sentence sets them side by side: with as many places as it takes to
    see it.
    """
    figures = tie.figure(mine), tie.figure(theirs)
    places = 3
    while figures[0] == figures[1] and places < 12:
        figures = f"{float(mine):.{places}f}", f"{float(theirs):.{places}f}"
        places += 1
    return figures


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
    table = count_points(entries, results, scoring)
    by_points = sorted(
        table.lines.values(),
        key=lambda line: (-line.points, line.name.casefold(), line.name, line.id),
    )
    ranked: list[Standing] = []
    for points, level in groupby(by_points, key=lambda line: line.points):
        if ranked:
            why = f"{ranked[-1].points} points against {points}"
            ranked[-1] = replace(ranked[-1], why=why)
        groups = [_Group(list(level), ("points",))]
        columns: list[TextByKey] = []
        for tie in breaks:
            figures: TextByKey = {}
            groups = [
                part
                for group in groups
                for part in _apply_tie_break(group, tie, table, figures)
            ]
            columns.append(figures)
        for group in groups:
            place = len(ranked) + 1
            reasons = [*[("", SHARED)] * (len(group.lines) - 1), (group.tied, group.why)]
            for line, (tied, why) in zip(group.lines, reasons, strict=True):
                ties = tuple(figures[line.id] for figures in columns)
                ranked.append(replace(line, place=place, ties=ties, level=tied, why=why))
    return tuple(ranked)


@frozen_dataclass
class _Group:
    """Those whom nothing has parted so far, and what they are ``level`` on.

    ``why`` they stand above the next group, and what both are ``tied`` on.
    """

    lines: Sequence[Standing]
    level: Texts
    tied: str = ""
    why: str = ""


def _apply_tie_break(
    group: _Group, tie: TieBreak, table: PointsTable, figures: TextByKey
) -> list[_Group]:
    """A group after one more tie-break; what each line has in it is written into ``figures``."""
    todo, done = [group], []
    while todo:
        current = todo.pop()
        split = tie.split(current.lines, table)
        # Asked again of some of them it parts them further; the column keeps its first figure.
        if current is group:
            for line in group.lines:
                value = split.values[line.id]
                figures[line.id] = "–" if value is None else tie.figure(value)
        parts = _split_group(current, tie, split)
        # Within each part fewer games count, so a mutual tie-break is asked again.
        if tie.is_mutual and len(parts) > 1:
            todo += reversed(parts)
        else:
            done += parts
    return done


def _split_group(group: _Group, tie: TieBreak, split: Split) -> list[_Group]:
    """A group as a tie-break parts it, with the reasons."""
    parts = []
    is_again = tie.level in group.level
    for lines in split.groups:
        level = group.level
        if len(lines) > 1 and split.values[lines[0].id] is not None and not is_again:
            level = (*level, tie.level)
        parts.append(replace(group, lines=lines, level=level))
    tied = f"tied on {' and '.join(group.level)}"
    for number, (above, below) in enumerate(pairwise(split.groups)):
        mine, theirs = split.values[above[-1].id], split.values[below[0].id]
        why = f"among these {len(group.lines)} alone" if is_again else tie.above
        if tie.has_figures and mine is not None and theirs is not None:
            why = f"{why} ({' to '.join(figures_apart(tie, mine, theirs))})"
        parts[number] = replace(parts[number], tied=tied, why=why)
    return parts
