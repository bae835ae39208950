"""The roster sheet: as large as everybody stands on one page, and further pages when the smallest
is not enough.
"""

from collections.abc import Sequence
from html import escape

from engine.records import frozen_dataclass
from engine.selection import counts_points
from engine.types.systems import System
from warbands.pdf.blocks import (
    LIVE_HEIGHT_MM,
    LIVE_MM,
    BlockStyle,
    Page,
    block_of,
    paginate,
)
from warbands.pdf.header import (
    BIG,
    MOST_HEAD_LINES,
    NORMAL,
    Head,
    HeadSize,
    agreement_lines,
    campaign_lines,
    field_lines,
    finding_counts,
    finding_lines,
    head,
    small_head,
    tally_lines,
)
from warbands.pdf.measure import (
    NBSP,
    clean,
    dotted_line,
    first_fitting,
    truncate,
    width,
    wrap_text,
)
from warbands.pdf.phrases import Group, groups_of
from warbands.pdf.stat_strip import Strip, empty_strip, strip_of
from warbands.sheet.structure import RosterSheet

SIZES = tuple(tenths / 10 for tenths in range(94, 69, -2))
BIG_PT = 12.5
_FOOT_MM, _BIG_FOOT_MM = 5.4, 6.4
_RULES_MM = 1.6
_TAIL_TITLE_MM, _NOTE_LINE_MM = 7.8, 6.8
_FEW_FINDINGS = 2
_MOST_TAIL_LINES = 600
_MOST_NOTE_LINES = 24
UNOFFICIAL = "Unofficial; not endorsed by any publisher."


@frozen_dataclass
class Tail:
    """Text after the warriors: a heading and lines."""

    title: str
    lines: tuple[str, ...]


@frozen_dataclass
class _Plan:
    sheet: RosterSheet
    size: HeadSize
    top: Head
    is_big: bool
    tails: tuple[Tail, ...] = ()

    @property
    def foot_mm(self) -> float:
        return _BIG_FOOT_MM if self.is_big else _FOOT_MM

    @property
    def first_mm(self) -> float:
        return LIVE_HEIGHT_MM - self.top.mm - self.foot_mm - _RULES_MM

    @property
    def further_mm(self) -> float:
        return LIVE_HEIGHT_MM - small_head(self.sheet, 2).mm - self.foot_mm - _RULES_MM

    def pages(self, groups: Sequence[Group], pt: float) -> list[Page]:
        look = BlockStyle(pt, strip_of(self.sheet), self.is_big)
        return paginate(
            [block_of(group, look) for group in groups], self.first_mm, self.further_mm
        )


def roster_body(sheet: RosterSheet, *, is_big: bool) -> str:
    """The HTML of the roster sheet, page by page."""
    groups = groups_of(sheet)
    plan = _plan(sheet, groups, is_big=is_big)
    pt = BIG_PT if is_big else _largest(plan, groups)
    return _drawn(plan, plan.pages(groups, pt), pt)


def _plan(sheet: RosterSheet, groups: Sequence[Group], *, is_big: bool) -> _Plan:
    """Findings stand in the head, or after the warriors where they are many or would drive warriors
    off the page.
    """
    size = BIG if is_big else NORMAL
    findings = finding_lines(sheet, size.text_pt)
    told = (*campaign_lines(sheet, size.text_pt), *agreement_lines(sheet, size.text_pt))
    agreed = list(told[:MOST_HEAD_LINES])
    note = _note(sheet, size)
    whole = _Plan(sheet, size, head(sheet, size, [*findings, *agreed]), is_big, note)
    # A line or two never drives anybody off the page.
    if len(findings) <= _FEW_FINDINGS:
        return whole
    short = [
        f"<b>{finding_counts(sheet)}</b> Each is told in full after the warriors.",
        *agreed,
    ]
    tails = (Tail("Findings", tuple(findings)), *note)
    parted = _Plan(sheet, size, head(sheet, size, short), is_big, tails)
    if len(findings) + len(agreed) > MOST_HEAD_LINES:
        return parted
    smallest = BIG_PT if is_big else SIZES[-1]
    counts = [len(plan.pages(groups, smallest)) for plan in (parted, whole)]
    return parted if counts[0] < counts[1] else whole


def _largest(plan: _Plan, groups: Sequence[Group]) -> float:
    """The largest text that takes no more pages than the smallest does."""
    fewest = len(plan.pages(groups, SIZES[-1]))
    return first_fitting(SIZES, lambda size: len(plan.pages(groups, size)) <= fewest)


def _note(sheet: RosterSheet, size: HeadSize) -> tuple[Tail, ...]:
    if not sheet.note:
        return ()
    lines = wrap_text(clean(sheet.note, 4000), LIVE_MM, size.text_pt)
    return (Tail("Notes", lines[:_MOST_NOTE_LINES]),)


def _drawn(plan: _Plan, pages: Sequence[Page], pt: float) -> str:
    kind = strip_of(plan.sheet)
    bodies = []
    for page in pages:
        blocks = "".join(block.html() for block in page.blocks)
        nobody = "" if blocks else "<p class='none'>Nobody has joined this warband yet.</p>"
        main = f"<main class='s{round(pt * 10)} {kind.css_class}'>{blocks}{nobody}</main>"
        bodies.append(main if blocks or len(pages) == 1 else "")
    room = pages[-1].left_mm - (8 if not pages[-1].blocks else 0)
    bodies, room = _with_tails(bodies, room, plan)
    if not plan.is_big:
        has_notes = any(tail.title == "Notes" for tail in plan.tails)
        bodies[-1] += _blank_lines(room, has_title=not has_notes)
    return "".join(_page(plan, i, body, len(bodies)) for i, body in enumerate(bodies, 1))


def _with_tails(bodies: list[str], room: float, plan: _Plan) -> tuple[list[str], float]:
    """The texts after the warriors, on further pages where they need them."""
    line_mm = plan.size.line_mm
    budget = _MOST_TAIL_LINES
    for tail in plan.tails:
        lines = list(tail.lines[:budget])
        if len(lines) < len(tail.lines):
            more = len(tail.lines) - len(lines)
            lines.append(f"and {more} more lines, which the page on screen shows.")
        budget = max(1, budget - len(lines))
        while lines:
            fits = int((room - _TAIL_TITLE_MM) // line_mm)
            if fits < min(3, len(lines)):
                bodies.append("")
                room = plan.further_mm
                continue
            bodies[-1] += (
                f"<div class='n'>{tail.title}</div><p class='tt'>{chr(10).join(lines[:fits])}</p>"
            )
            room -= _TAIL_TITLE_MM + line_mm * min(fits, len(lines))
            lines = lines[fits:]
    return bodies, room


def _blank_lines(room: float, *, has_title: bool) -> str:
    """Lines to write on where there is room left."""
    count = int((room - 1) / _NOTE_LINE_MM)
    if count < 1:
        return ""
    rule = "<div class='l'></div>"
    return ("<div class='n'>Notes</div>" if has_title else rule) + rule * (count - 1)


def _page(plan: _Plan, number: int, body: str, count: int) -> str:
    top = plan.top if number == 1 else small_head(plan.sheet, number)
    foot = foot_words(plan.sheet, number, count)
    return f"<div class='pg'>{top.html}{body}<footer>{foot}</footer></div>"


def foot_words(sheet: RosterSheet, number: int, count: int) -> str:
    """When it was printed, what the marks mean, and which page it is of how many."""
    parts = []
    if sheet.printed_on:
        version = f", version {sheet.version}" if sheet.version else ""
        parts.append(f"Printed {sheet.printed_on.day} {sheet.printed_on:%B %Y}{version}.")
    elif sheet.version:
        parts.append(f"Version {sheet.version}.")
    if number == 1:
        leader = sheet.leader_name
        parts += [f"⚑ {leader[:1].lower()}{leader[1:]}."] if leader else []
        parts += (
            ["▣ the casualty that calls for the first Rout test."] if sheet.rout else []
        )
        parts += ["▣ beside experience: an advance."] if sheet.growth else []
    if count > 1:
        parts.append(f"Page {number} of {count}.")
    return escape(" ".join([*parts, UNOFFICIAL]))


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
        digits=4 if counts_points(system.usual_limit(), system) else 0,
        has_save=bool(system.saves),
    )
    name = escape(truncate(clean(system.full_name, 80), 120, 8.6))
    lost = f"{clean(system.words.lost, 24)}  "
    fields = field_lines([(label, "") for label in _blank_labels(system)], NORMAL)
    lines = "  ".join(dotted_line(label, mm, 8.2) for label, mm in _LINES)
    head = (
        f"<header><p class='k'>MUSTER ROLL{NBSP * 3}{name}</p>"
        f"<h1 class='bn'>{dotted_line('Warband', LIVE_MM, 12)}</h1>{fields}"
        f"<p class='o'>{tally_lines(WARRIORS, None, lost)[0]}</p><p class='d'>{lines}</p></header>"
    )
    rows = "".join(_row(i, kind, system) for i in range(1, WARRIORS + 1))
    words = "Name and unit on the first line, weapons below it, armour and rules under the boxes."
    foot = f"{words} {UNOFFICIAL}"
    body = f"<main class='blank s76 {kind.css_class}'>{rows}</main>"
    return f"<div class='pg'>{head}{body}<footer>{foot}</footer></div>"


def _blank_labels(system: System) -> list[str]:
    """What there is to fill in above the rows."""
    labels = {
        "Army": True,
        "Player": True,
        "Points": counts_points(system.usual_limit(), system),
        "Models" if system.regiments else system.words.entries: True,
        system.leader_name: bool(system.leader_name),
        "Rout test": system.rout is not None,
    }
    return [label for label, is_asked in labels.items() if is_asked]


def _row(number: int, kind: Strip, system: System) -> str:
    boxes = empty_strip(kind, [stat.key for stat in system.stats])
    em = _PT * 25.4 / 72
    right = _line(kind.ems * em)
    left = _line(LIVE_MM - (kind.ems + 4) * em)
    return (
        f"<section class='bl'><h3>{number}</h3><pre class='c'>{boxes}</pre><pre class='r "
        f"ov'>{right}</pre>"
        f"<pre class='a'>{left}\n{left}</pre></section>"
    )


def _line(mm: float) -> str:
    return "." * int(mm / width(".", _PT))
