"""A sheet with the same boxes and nothing in them, to be filled in by hand."""

from __future__ import annotations

from html import escape

from engine.types import System
from warbands.pdf.blocks import LIVE_MM
from warbands.pdf.head import NORMAL, field_lines, tally_lines
from warbands.pdf.measure import NBSP, dotted_line, truncate, width
from warbands.pdf.roster_page import UNOFFICIAL
from warbands.pdf.strip import Strip, empty_strip
from warbands.pdf.text import clean

WARRIORS = 15
_PT = 7.6
_LINES = (("Opponent", 62), ("Scenario", 66), ("Table", 24), ("Date", 32))


def blank_body(system: System) -> str:
    """The HTML of the blank sheet of a system: its own stat line, states and marks."""
    kind = Strip(
        stats=len(system.stats),
        rings=3 if system.wounds_stat else 0,
        states=tuple(s.name for s in system.states if s.is_ticked)[:5],
        marks=tuple(system.marks)[:3],
        digits=4 if _has_points(system) else 0,
        has_save=bool(system.saves),
    )
    labels = ["Army", "Player", *(["Points"] if _has_points(system) else [])]
    labels += ["Models" if system.regiments else system.words.entries]
    labels += [
        *([system.leader_name] if system.leader_name else []),
        *(["Rout test"] if system.rout else []),
    ]
    name = escape(truncate(clean(system.full_name, 80), 120, 8.6))
    lost = f"{clean(system.words.lost, 24)}  "
    head = (
        f"<header><p class='k'>MUSTER ROLL{NBSP * 3}{name}</p><h1 class='bn'>{dotted_line('Warband', LIVE_MM, 12)}</h1>"
        + field_lines([(label, "") for label in labels], NORMAL, is_blank=True)
        + f"<p class='o'>{tally_lines(WARRIORS, None, lost)[0]}</p><p class='d'>"
        + "  ".join(dotted_line(label, mm, 8.2) for label, mm in _LINES)
        + "</p></header>"
    )
    rows = "".join(_row(i, kind, system) for i in range(1, WARRIORS + 1))
    foot = (
        "Name and profile on the first line, weapons below it, armour and rules under the boxes. "
        + UNOFFICIAL
    )
    body = f"<main class='blank s76 {kind.css_class}'>{rows}</main>"
    return f"<div class='pg'>{head}{body}<footer>{foot}</footer></div>"


def _has_points(system: System) -> bool:
    """Whether warbands of this system have points unless they say otherwise."""
    return system.default_limit is not None or not system.are_points_optional


def _row(number: int, kind: Strip, system: System) -> str:
    boxes = empty_strip(kind, [stat.key for stat in system.stats])
    em = _PT * 25.4 / 72
    right = _line(kind.ems * em)
    left = _line(LIVE_MM - (kind.ems + 4) * em)
    return (
        f"<section class='bl'><h3>{number}</h3><pre class='c'>{boxes}</pre><pre class='r ov'>{right}</pre>"
        f"<pre class='a'>{left}\n{left}</pre></section>"
    )


def _line(mm: float) -> str:
    return "." * int(mm / width(".", _PT))
