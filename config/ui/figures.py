"""Figures: stat lines, points, prices on leaders, charts."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

import re2
from django.template import Library
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from config.ui.buttons import EMPTY, Pairs, TagContext, figure, icon_tag
from engine.records import NamedValues, Texts
from engine.selection import points_left, points_over
from engine.text import signed as with_sign
from rulesdata.text import true_minus

register = Library()

_INDEX_CODES = re2.compile(r" \([A-Z]\d+(?:-\d+)?(?:, [A-Z]\d+(?:-\d+)?)*\)$")
# A heading as the rule texts print it, in capitals: CHARGE!, BREAK AND FLEE.
_HEADING = re2.compile(
    r"[A-Z]{2}[A-Z’'!&-]*(?:,? [A-Z0-9][A-Z0-9’'!&-]*)*|\bA [A-Z]{2}[A-Z ]*"
)
_INCHES = re2.compile(r'(\d)"')
# A page prints some hundred texts of rules, the same ones each time.
TEXTS_KEPT = 2_000
# Characters of a chart's row head that is a number or a range of them; longer ones are words.
WIDEST_NUMBER = 5
# The class of a chart's cell by how many of its two heads are lit.
LIGHTS = ("", "lit", "hit")
# Of the ruler of points: the points of a tick and of a label, in percent what a label keeps free.
TICK = 10
MOST_TICKS = 40
MOST_LONG_TICKS = 20
LABEL_EVERY = 5
CLEAR_OF_END = 8.0


@register.simple_tag
def statline(
    *,
    stats: Pairs,
    caption: str,
    save: str | None = None,
    changed: Collection[str] | None = None,
) -> SafeString:
    """A stat line as a small table.

    ``save`` adds its cell (empty: a dash); ``changed`` names underlined figures.
    """
    marked = frozenset(changed or ())
    line = [
        (name, value, "up" if name in marked else "") for name, value in dict(stats).items()
    ]
    heads = "".join(_cell('th scope="col"', name) for name, _, _ in line)
    cells = "".join(_cell("td", figure(value), kind) for _, value, kind in line)
    if save is not None:
        heads += _cell('th scope="col"', "Save", "sv")
        cells += _cell("td", figure(save), "sv up" if "Save" in marked else "sv")
    return format_html(
        '<table class="stats"><caption '
        'class="vh">{}</caption><thead><tr>{}</tr></thead><tbody><tr>{}</tr></tbody>'
        "</table>",
        caption,
        mark_safe(heads),
        mark_safe(cells),
    )


def _cell(tag: str, value: Any, css: str = "") -> str:
    """One cell, escaped; ``tag`` is td, or th with its attributes.

    Put together by hand: a page has hundreds, and `format_html` would take most of its time.
    """
    kind = f' class="{css}"' if css else ""
    return f"<{tag}{kind}>{conditional_escape(value)}</{tag[:2]}>"


@register.simple_tag
def stat_head(*, names: Iterable[str], save: bool = True) -> SafeString:
    """The names of the stats as one line that stays in view on a phone.

    The tables below keep their own heads.
    """
    spans = format_html_join("", "<span>{}</span>", ((name,) for name in names))
    last = mark_safe('<span class="sv">Save</span>') if save else EMPTY
    return format_html('<div class="stat-head" aria-hidden="true">{}{}</div>', spans, last)


@register.inclusion_tag("ui/plate.html")
def plate(
    *, rows: Sequence[NamedValues], caption: str, head: str = "Profile"
) -> TagContext:
    """Large stat lines, one to the row.

    A row is a mapping of name, note, stats, changed (names) and extra (pairs).

    What is extra (a save, points) stands behind the stats; its last column is the wider one.
    """
    names: TagContext = {}
    for part in ("stats", "extra"):
        for row in rows:
            names |= dict(row.get(part) or ())
    columns = list(names)
    has_extra = any(row.get("extra") for row in rows)
    wide = columns[-1] if has_extra else ""
    lines = [
        {
            "name": row["name"],
            "note": row.get("note", ""),
            "cells": _plate_cells(row, columns, wide),
        }
        for row in rows
    ]
    heads = [(name, "pt" if name == wide else "") for name in columns]
    return {"columns": heads, "lines": lines, "caption": caption, "head": head}


def _plate_cells(row: NamedValues, columns: list[str], wide: str) -> list[tuple[Any, str]]:
    """Return each figure of a row with its classes; a dash where the row has none."""
    figures = dict(row.get("stats") or ()) | dict(row.get("extra") or ())
    marked = frozenset(row.get("changed") or ())
    cells = []
    for name in columns:
        value = figure(figures.get(name))
        kinds = {"up": name in marked, "long": len(str(value)) > 2, "pt": name == wide}
        cells.append((value, " ".join(kind for kind, holds in kinds.items() if holds)))
    return cells


def _standing(used: int, limit: int | None, unit: str) -> str:
    left = points_left(limit, used)
    if left is None:
        return f"{used} {unit}, no limit"
    spent = "all points spent" if unit == "pts" else f"all {unit} spent"
    if unit == "pts" and abs(left) == 1:
        unit = "pt"
    if over := points_over(limit, used):
        return f"{over} {unit} too many"
    return f"{left} {unit} available" if left else spent


@register.simple_tag
def points_words(*, used: int, limit: int | None, unit: str = "pts") -> str:
    """Return "24 pts available" or "12 pts too many"; "" without a ``unit``: nobody counts."""
    return _standing(used, limit, unit) if unit else ""


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def _step(span: int) -> int:
    """The points between two ticks: ten, and for long rulers 20, 50, 100 and so on."""
    most = MOST_TICKS if span < 10_000 else MOST_LONG_TICKS
    if span <= TICK * most:
        return TICK
    for power in count(1):
        for digit in (1, 2, 5):
            if span <= digit * 10**power * most:
                return int(digit * 10**power)
    raise AssertionError("unreachable")


def _labels(limit: int, span: int, step: int) -> Iterator[Texts]:
    """Yield each figure under the ruler: its place, its text, SVG's text-anchor."""
    end = 100 * limit / span
    for points in range(0, span, step * LABEL_EVERY):
        at = 100 * points / span
        if abs(at - end) > CLEAR_OF_END and at < 100 - CLEAR_OF_END / 2:
            yield _percent(at), str(points), "middle" if points else "start"
    # The last label stays within the ruler.
    anchor = "end" if end > 96 else "middle" if end > 4 else "start"
    yield _percent(end), str(limit), anchor


def measure(used: int, limit: int) -> TagContext:
    """Lay out a ruler for ``used`` of ``limit`` points, both at least 0.

    Places are percents of its width, so that a page needs no style attribute; ``over`` is the width
    of the hatched part. Past the limit it grows to the next tick.
    """
    used, limit = max(used, 0), max(limit, 0)
    longest = max(used, limit, 1)
    step = _step(longest)
    span = limit if limit and not points_over(limit, used) else -(-longest // step) * step
    return {
        "used": _percent(100 * min(used, limit) / span),
        "limit": _percent(100 * limit / span),
        "over": _percent(100 * points_over(limit, used) / span),
        "ticks": [_percent(100 * points / span) for points in range(0, span + 1, step)],
        "labels": list(_labels(limit, span, step)),
    }


def _ruler_context(used: int, limit: int | None, unit: str) -> TagContext:
    standing = _standing(used, limit, unit)
    short = standing.replace(" pt ", " ").replace(f" {unit} ", " ")
    return {
        "used": used,
        "limit": limit,
        "unit": unit,
        "standing": standing,
        "short": standing if standing.startswith("all") else short,
        "is_over": points_over(limit, used) > 0,
        "ruler": None if limit is None else measure(used, limit),
        "hatch": f"hatch-{used}-{limit}",
    }


@register.inclusion_tag("ui/points_ruler.html")
def points_ruler(
    *,
    used: int,
    limit: int | None,
    models: int | None = None,
    good: str = "",
    unit: str = "pts",
) -> TagContext:
    """The points as a tape measure with its words; ``good`` is a sentence below it with a tick.

    Without a ``unit`` nobody counts points, and only the number of models is shown.
    """
    return _ruler_context(used, limit, unit) | {"models": models, "good": good}


@register.inclusion_tag("ui/points_bar.html")
def points_bar(
    *,
    used: int,
    limit: int | None,
    models: int,
    models_max: int | None = None,
    errors: int = 0,
    warnings: int = 0,
    notes: int = 0,
    oob: bool = False,
    unit: str = "pts",
    second: str = "",
) -> TagContext:
    """The bar that stays in sight while building.

    ``oob`` marks it for htmx to swap wherever it stands.

    Without a ``unit`` it tells of models and findings alone. ``second`` is what the
    list adds up beside them: "Warband rating 118".
    """
    counts = [("error", errors), ("warning", warnings), ("note", notes)]
    # In an empty roster there is nothing to check yet.
    shown_counts = counts if models else []
    badges = [
        (level, f"{number} {level}{'' if number == 1 else 's'}")
        for level, number in shown_counts
        if number
    ]
    points = [_standing(used, limit, unit)] if unit else []
    points += [second] if second else []
    speech = ", ".join([*points, f"{models} models", *(text for _, text in badges)])
    return _ruler_context(used, limit, unit) | {
        "second": second,
        "models": models,
        "models_max": models_max,
        "badges": badges,
        "oob": oob,
        "said": speech,
    }


@register.filter
def signed(value: Any) -> str:
    """A price with its sign: +4, −5, 0. What is no whole number is returned as it is."""
    try:
        return with_sign(int(value))
    except (TypeError, ValueError):
        return str(value)


@register.filter
@lru_cache(TEXTS_KEPT, typed=True)
def printed(text: Any) -> str:
    """A rule's text as print sets it: inches with a prime, and a true minus before a figure."""
    return true_minus(_INCHES.sub(lambda match: f"{match[1]}″", str(text)))


@register.filter
@lru_cache(TEXTS_KEPT, typed=True)
def rule_section(source: Any) -> str:
    """A rule's source for readers: its section in quotes, without the codes of the index.

    "Warhammer Skirmish, LEADERS (F000-07)" becomes "Warhammer Skirmish: “Leaders”".
    """
    plain = _INDEX_CODES.sub("", str(source)).rstrip(":")
    return _HEADING.sub(_quoted, plain).replace(", “", ": “", 1)


def _quoted(heading: Any) -> str:
    """A heading as a reader writes it: a capital at its start, in quotes."""
    return f"“{', '.join(part.capitalize() for part in heading[0].split(', '))}”"


@register.simple_tag
def dots(*, label: str, value: object, note: str = "", icon: str = "") -> SafeString:
    """A line with a dotted leader from a label to its figure, without dots where there is none."""
    name = conditional_escape(label)
    small = format_html(' <span class="small mute">{}</span>', note) if note else EMPTY
    if not icon and not str(value).strip():
        return format_html('<p class="dotted"><span>{}{}</span></p>', name, small)
    picture = icon_tag(name=icon) if icon else EMPTY
    return format_html(
        '<p class="dotted"><span>{}{}</span><i></i><b>{}</b>{}</p>',
        name,
        small,
        figure(value),
        picture,
    )


@register.inclusion_tag("ui/chart.html")
def chart(
    *,
    caption: str,
    columns: Sequence[Any],
    rows: Sequence[tuple[Any, Sequence[Any]]],
    corner: str = "",
    row: Any = None,
    column: Any = None,
) -> TagContext:
    """A chart to look up.

    ``row`` and ``column`` name the heads to light; where they meet is the answer.
    """
    lit = [column is not None and str(name) == str(column) for name in columns]
    lines = []
    for head, cells in rows:
        row_lit = row is not None and str(head) == str(row)
        figures = [
            (figure(value), LIGHTS[row_lit + column_lit])
            for value, column_lit in zip(cells, lit, strict=True)
        ]
        lines.append((head, row_lit, figures))
    return {
        "caption": caption,
        "corner": corner,
        "columns": list(zip(columns, lit, strict=True)),
        "lines": lines,
        "has_words": any(len(str(head)) > WIDEST_NUMBER for head, _, _ in lines),
    }
