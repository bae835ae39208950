"""The chart on a unit's page: lit where asked, with what each of its weapons makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine import equipment
from engine.roster import RosterEntry
from engine.selection import select
from engine.types.lists import Figure
from engine.types.mechanics import Chart
from engine.types.systems import System
from rulesdata import text
from rulesdata.queries.advice import usual_options
from rulesdata.queries.charts import HighlightedChart, highlight_chart, wounding_chart
from rulesdata.queries.lookup import Unit

_USUAL_COLUMN = "3"


@dataclass(frozen=True, slots=True)
class StrikeOption:
    """One way to strike: its Strength, when, and the score it wounds on at the lit column."""

    name: str
    when: str
    strength: int
    score: str


@dataclass(frozen=True, slots=True)
class Wounding:
    """The chart on a unit's page: lit at its own Strength, with what each weapon makes of it."""

    lit: HighlightedChart
    who: str
    own: str
    blows: tuple[StrikeOption, ...]

    @property
    def row(self) -> int:
        return int(self.lit.row or 0)

    @property
    def column(self) -> int:
        return int(self.lit.column or 0)

    @property
    def rows(self) -> int:
        return len(self.lit.chart.rows)

    @property
    def columns(self) -> int:
        return len(self.lit.chart.columns)

    @property
    def row_fields(self) -> Mapping[str, str]:
        """What the stepper of the row sends besides."""
        return {"column": self.lit.column or ""}

    @property
    def column_fields(self) -> Mapping[str, str]:
        """What the stepper of the column sends besides."""
        return {"row": self.lit.row or ""}


def wounding_of(unit: Unit, row: str | None, column: str | None) -> Wounding | None:
    chart = wounding_chart(unit.system)
    if chart is None:
        return None
    who, own = _striker(unit, _stat_of_rows(unit.system, chart))
    own_row = str(own) if str(own) in chart.rows else None
    usual_column = _USUAL_COLUMN if _USUAL_COLUMN in chart.columns else chart.columns[0]
    row = row or own_row or next(iter(chart.rows))
    found = highlight_chart(unit.system, chart, row, column or usual_column)
    return Wounding(found, who, str(own) if own is not None else "", _blows(unit, found))


def _stat_of_rows(system: System, chart: Chart) -> str:
    """The stat that a chart's rows are named after; empty for none."""
    label = chart.row_label.casefold()
    return next((stat.key for stat in system.stats if stat.name.casefold() in label), "")


def _striker(unit: Unit, stat: str) -> tuple[str, Figure]:
    """The first line of a unit that has the stat, by name, and its figure there."""
    for line in unit.profile.lines:
        if (figure := line.stats.get(stat)) is not None:
            return line.name, figure
    return unit.profile.name, None


def _blows(unit: Unit, found: HighlightedChart) -> tuple[StrikeOption, ...]:
    """What each weapon's Strength makes of the lit column, also where it is another when charging."""
    if unit.profile.key not in unit.army.profiles or found.column is None:
        return ()
    selection = select(
        unit.army, RosterEntry(unit.profile.key, options=usual_options(unit.profile))
    )
    blows = []
    for arm in equipment.carried_weapons(selection, unit.army):
        for strength, when in ((arm.strength, ""), *_other_strengths(arm)):
            if isinstance(strength, int) and str(strength) in found.chart.rows:
                score = text.score_words(found.chart.at(strength, found.column))
                blows.append(StrikeOption(arm.name, when, strength, score or "cannot"))
    return tuple(dict.fromkeys(blows))


def _other_strengths(arm: equipment.CarriedWeapon) -> list[tuple[int, str]]:
    """The Strengths among a weapon's notes: ``S4 charging`` gives (4, charging)."""
    found = []
    for note in arm.notes:
        head, _, when = note.partition(" ")
        if head[:1] == "S" and head[1:].isdigit():
            found.append((int(head[1:]), when))
    return found
