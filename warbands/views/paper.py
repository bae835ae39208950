"""The sheet as its templates want it: the same words as on paper, boxes counted out, charts as rows
and cells.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.equipment import CarriedWeapon
from engine.records import Fields, Texts, frozen_dataclass
from engine.words import capital
from rulesdata import registry
from rulesdata.queries.tables import corner, is_modifier
from rulesdata.text import modifier_words, score_words
from warbands.pdf.phrases import (
    arm_lines,
    inches,
    move_words,
    other_gear,
    save_words,
    strength,
)
from warbands.sheet.structure import (
    ChartRows,
    ExperienceBox,
    RosterSheet,
    SheetLine,
    SheetWarrior,
    experience_boxes,
    head_lines,
)
from warbands.views.presenters import render_line, without_place

BOXES_MAX = 12
MODELS_MAX = 60
TICKS_EACH = 30
TICKS_MAX = 400


@frozen_dataclass
class DrawnArm:
    name: str
    figures: str
    notes: str

    @property
    def words(self) -> str:
        """Everything but the name, with commas between."""
        return ", ".join(part for part in (self.figures, self.notes) if part)


@frozen_dataclass
class PaperFrame:
    """What all lines of one sheet share."""

    stats: Texts
    leader_name: str
    shows_saves: bool
    shows_points: bool

    @property
    def boxes_span(self) -> int:
        return len(self.stats) + self.shows_saves

    @property
    def notes_span(self) -> int:
        return 1 + self.shows_points

    @property
    def rest(self) -> int:
        return 1 + self.shows_saves + self.shows_points


@frozen_dataclass
class DrawnWarrior:
    """One entry with what its line and its card say, as both are kept once drawn.

    ``ticks`` are the labels of its lines of boxes, ``more`` the miniatures that got none.
    """

    frame: PaperFrame
    warrior: SheetWarrior
    save: str
    arms: tuple[DrawnArm, ...]
    moves: str
    rules: str
    boxes: SafeString
    others: str
    ticks: Texts
    more: int

    @property
    def row(self) -> SafeString:
        """Its lines of the roster table."""
        return render_line("warbands/sheet/row.html", self)

    @property
    def card(self) -> SafeString:
        return render_line("warbands/sheet/card.html", self)

    @property
    def subtitle(self) -> str:
        """What stands under the title: the leader, what it is besides, its lore, its ranks, the
        price of one.
        """
        one, leader_name = self.warrior, self.frame.leader_name
        words = one.subtitle
        if not one.is_leader:
            words = capital(words)
        leads = leader_name if one.is_leader and one.title != leader_name else ""
        is_priced = one.count > 1 and self.frame.shows_points
        each = f"{one.points_each} each" if is_priced else ""
        ranks = one.ranks.words if one.ranks else ""
        return ", ".join(part for part in (leads, words, one.lore, ranks, each) if part)

    @property
    def experience(self) -> tuple[ExperienceBox, ...]:
        """Its boxes of experience."""
        return experience_boxes(self.warrior.growth) if self.warrior.growth else ()

    @property
    def figures(self) -> SafeString:
        """The cells of the first stat line, dashes where there is none."""
        line = self.warrior.main_line
        if line is None:
            return _figures(tuple((name, "–") for name in self.frame.stats), frozenset())
        return _figures(line.cells, line.changed, dict(line.bases))

    @property
    def more_lines(self) -> tuple[tuple[SheetLine, SafeString], ...]:
        """The stat lines behind the first, each with its cells."""
        return tuple(
            (line, _figures(line.cells, frozenset())) for line in self.warrior.lines[1:]
        )


def _figures(
    cells: Iterable[tuple[str, str]],
    changed: Collection[str],
    bases: Mapping[str, str] | None = None,
) -> SafeString:
    """Cells put together by hand: a sheet has hundreds.

    ``bases`` are the printed figures of what a campaign has changed; they stand small beside.
    """
    parts: list[str] = []
    for name, figure in cells:
        kind, css = "s" if parts else "s first", ' class="up"' if name in changed else ""
        head, text = conditional_escape(name), conditional_escape(figure)
        base = conditional_escape((bases or {}).get(name, ""))
        beside = f'<sub><span class="vh">printed </span>{base}</sub>' if base else ""
        parts.append(f'<td class="{kind}" data-h="{head}"><b{css}>{text}</b>{beside}</td>')
    return mark_safe("".join(parts))


@frozen_dataclass
class DrawnChart:
    name: str
    caption: str
    corner: str
    columns: Texts
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]
    who: Texts
    note: str = ""

    @property
    def section(self) -> SafeString:
        """The chart with its heading."""
        return render_line("warbands/sheet/chart.html", self)


def drawn_warriors(sheet: RosterSheet) -> Iterator[DrawnWarrior]:
    """Every entry with its boxes, as many as a page can hold."""
    # A page of 200 entries with 200 miniatures each would hold 40,000 lines of boxes.
    room = TICKS_MAX
    wounds_key = registry.load_base(sheet.system_key).wounds_stat
    stats = tuple(stat.key for stat in sheet.stats)
    frame = PaperFrame(stats, sheet.leader_name, sheet.shows_saves, sheet.shows_points)
    states = (state.name for state in sheet.states)
    names = tuple(name.lower() for name in (*states, *sheet.marks))
    for warrior in sheet.warriors:
        # A unit falls as one body and has one line of boxes.
        lines = 1 if warrior.is_unit else warrior.miniatures
        label = "Losses" if warrior.is_unit else wounds_key
        shown = min(lines, TICKS_EACH, room)
        room -= shown
        yield DrawnWarrior(
            frame=frame,
            # Equal warriors of any warband share a drawn line.
            warrior=without_place(warrior, id=None),
            save=save_words(warrior),
            arms=tuple(drawn_arm(arm) for arm in warrior.arms),
            moves=move_words(warrior),
            rules=", ".join(warrior.rules),
            others=", ".join(other_gear(warrior)),
            boxes=_boxes(label, _box_count(warrior, sheet), names),
            ticks=tuple(_label(warrior, place) for place in range(shown)),
            more=lines - shown,
        )


def _box_count(warrior: SheetWarrior, sheet: RosterSheet) -> int:
    """A box for each wound, or for each model of a unit; none where the system counts no wounds."""
    if warrior.is_unit:
        return min(warrior.miniatures, MODELS_MAX)
    return min(warrior.wounds or 1, BOXES_MAX) if sheet.shows_wounds else 0


@lru_cache(maxsize=400)
def _boxes(label: str, count: int, names: Texts) -> SafeString:
    """The boxes of one miniature: its wounds, then its states and marks.

    Most have the same, so they are kept.
    """
    named = format_html_join(
        "", '<span><i class="d"></i>{}</span>', ((name,) for name in names)
    )
    if not count:
        return named
    wounds = mark_safe("<i></i>" * count)
    return format_html("<span>{} {}</span>{}", label, wounds, named)


def _label(warrior: SheetWarrior, place: int) -> str:
    if place < len(warrior.names):
        return warrior.names[place]
    return "" if warrior.miniatures == 1 or warrior.is_unit else str(place + 1)


def drawn_arm(arm: CarriedWeapon) -> DrawnArm:
    """A weapon as it is printed: its name, range and Strength, the rest of its line."""
    return DrawnArm(
        arm.name,
        " ".join(filter(None, (inches(arm.range), strength(arm.strength)))),
        ", ".join(arm.notes),
    )


def drawn_charts(sheet: RosterSheet) -> Iterator[DrawnChart]:
    """The charts the roster looks up, then its armour saves by Strength."""
    for found in sheet.reference.charts:
        yield _chart(found)
    saves = sheet.reference.saves
    if saves:
        yield DrawnChart(
            name="Armour saves by Strength",
            caption="Armour saves by Strength of the hit",
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
        who=tuple(
            f"{chart.row_label} {key}: {', '.join(who)}" for key, _, who in found.rows
        ),
        note=chart.note,
    )


def paper_context(sheet: RosterSheet) -> Fields:
    """What every tab of the sheet is drawn from."""
    return {
        "sheet": sheet,
        "drawn": list(drawn_warriors(sheet)),
        "charts": list(drawn_charts(sheet)),
        "head_lines": head_lines(sheet.growth) if sheet.growth else (),
        "weapons": arm_lines(sheet.reference.arms),
    }
