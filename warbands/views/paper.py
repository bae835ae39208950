"""The sheet as its templates want it: the same words as on paper, boxes counted out, charts as rows and cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.equipment import Arm
from rulesdata import registry
from rulesdata.queries.charts import corner, is_modifier
from rulesdata.wording import modifier_words, score_words
from warbands.pdf.wording import inches, move_words, other_gear, save_words, strength
from warbands.sheet import ChartRows, RosterSheet, SheetWarrior

BOXES_MAX = 12
MODELS_MAX = 60
TICKS_EACH = 30
TICKS_MAX = 400


@dataclass(frozen=True, slots=True)
class DrawnArm:
    name: str
    figures: str
    notes: str

    @property
    def words(self) -> str:
        """Everything but the name, with commas between."""
        return ", ".join(part for part in (self.figures, self.notes) if part)


@dataclass(frozen=True, slots=True)
class DrawnWarrior:
    """One entry: ``ticks`` are the labels of its lines of boxes, ``more`` the miniatures that got none."""

    warrior: SheetWarrior
    save: str
    arms: tuple[DrawnArm, ...]
    moves: str
    boxes: SafeString
    others: str
    ticks: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class DrawnChart:
    name: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    who: tuple[str, ...]
    note: str = ""


def drawn_warriors(sheet: RosterSheet) -> Iterator[DrawnWarrior]:
    """Every entry with its boxes, as many as a page can hold."""
    room = TICKS_MAX
    wounds_key = registry.load_base(sheet.system_key).wounds_stat
    names = (*(state.name.lower() for state in sheet.states), *(mark.lower() for mark in sheet.marks))
    for warrior in sheet.warriors:
        lines = 1 if warrior.is_unit else warrior.miniatures
        shown = min(lines, TICKS_EACH, room)
        room -= shown
        yield DrawnWarrior(
            warrior=warrior,
            save=save_words(warrior),
            arms=tuple(drawn_arm(arm) for arm in warrior.arms),
            moves=move_words(warrior),
            others=", ".join(other_gear(warrior)),
            boxes=_boxes("Losses" if warrior.is_unit else wounds_key, _box_count(warrior, sheet), names),
            ticks=tuple(_label(warrior, place) for place in range(shown)),
            more=lines - shown,
        )


def _box_count(warrior: SheetWarrior, sheet: RosterSheet) -> int:
    """A box for each wound, or for each model of a unit; none where the system counts no wounds."""
    if warrior.is_unit:
        return min(warrior.miniatures, MODELS_MAX)
    return min(warrior.wounds or 1, BOXES_MAX) if sheet.shows_wounds else 0


@lru_cache(maxsize=400)
def _boxes(label: str, count: int, names: tuple[str, ...]) -> SafeString:
    """The boxes of one miniature: its wounds, then its states and marks. Most have the same, so they are kept."""
    named = format_html_join("", '<span><i class="d"></i>{}</span>', ((name,) for name in names))
    first = format_html("<span>{} {}</span>", label, mark_safe("<i></i>" * count)) if count else SafeString("")
    return format_html("{}{}", first, named)


def _label(warrior: SheetWarrior, place: int) -> str:
    if place < len(warrior.names):
        return warrior.names[place]
    return "" if warrior.miniatures == 1 or warrior.is_unit else str(place + 1)


def drawn_arm(arm: Arm) -> DrawnArm:
    """A weapon as it is printed: its name, range and Strength, the rest of its line."""
    return DrawnArm(arm.name, " ".join(filter(None, (inches(arm.range), strength(arm.strength)))), ", ".join(arm.notes))


def drawn_charts(sheet: RosterSheet) -> Iterator[DrawnChart]:
    """The charts the roster looks up, then its armour saves by Strength."""
    for found in sheet.reference.charts:
        yield _chart(found)
    saves = sheet.reference.saves
    if saves:
        yield DrawnChart(
            name="Armour saves by Strength",
            caption="Armour saves by Strength of the blow",
            corner="Save\u00a0↓ S\u00a0→",
            columns=sheet.reference.save_strengths,
            rows=tuple((head, tuple(map(score_words, cells))) for head, cells, _ in saves),
            who=tuple(f"{head}: {', '.join(who)}" for head, _, who in saves),
        )


def _chart(found: ChartRows) -> DrawnChart:
    chart = found.chart
    words = modifier_words if is_modifier(chart) else score_words
    return DrawnChart(
        name=chart.name,
        caption=f"{chart.name}: {chart.row_label} by {chart.column_label}",
        corner=corner(chart),
        columns=chart.columns,
        rows=tuple((key, tuple(map(words, cells))) for key, cells, _ in found.rows),
        who=tuple(f"{chart.row_label} {key}: {', '.join(who)}" for key, _, who in found.rows),
        note=chart.note,
    )


def paper_context(sheet: RosterSheet) -> dict[str, Any]:
    """What every tab of the sheet is drawn from."""
    return {
        "sheet": sheet,
        "drawn": list(drawn_warriors(sheet)),
        "charts": list(drawn_charts(sheet)),
        "weapons": [drawn_arm(arm) for arm in sheet.reference.arms],
        "boxes_span": len(sheet.stats) + sheet.shows_saves,
        "notes_span": 1 + sheet.shows_points,
        "rest": 1 + sheet.shows_saves + sheet.shows_points,
    }
