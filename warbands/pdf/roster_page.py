"""The roster sheet: as large as everybody stands on one page, and further pages when the smallest
is not enough. A sheet of its system to be filled in by hand.

A group of warriors is a block. Heights are in the same figures as the stylesheet. Nobody is cut,
and a large group is parted between two miniatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape

from engine.records import frozen_dataclass
from engine.selection import counts_points
from engine.types.systems import System
from warbands.pdf.header import (
    BIG,
    MOST_HEAD_LINES,
    NORMAL,
    SMALL_HEAD_MM,
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
    BOLD,
    LIVE_HEIGHT_MM,
    LIVE_MM,
    NBSP,
    PT,
    SANS,
    SERIF,
    Drawn,
    clean,
    dotted_line,
    first_fitting,
    limit_lines,
    printable,
    truncate,
    undrawn_signs,
    width,
    wrap_text,
    wrap_words,
)
from warbands.pdf.phrases import (
    Group,
    GroupMember,
    casualty_tokens,
    left_tokens,
    list_groups,
    long_note_tokens,
    right_tokens,
)
from warbands.pdf.stat_strip import (
    BIG_ROWS,
    NORMAL_ROWS,
    Strip,
    draw_track,
    sheet_strip,
)
from warbands.sheet.structure import RosterSheet, SheetLine

SIZES = tuple(tenths / 10 for tenths in range(94, 69, -2))
BIG_PT = 12.5
LINE = 1.24
"""Height of a line of text, in em of the text; so are the next figures, as in the stylesheet."""
_PADDING = 0.75
_NAME, _LEFT_TOP, _STRIP, _ROW = 1.36, 1.6296, 2.5296, 2.42
_BIG_NAME, _BIG_ROW = 1.768, 4.451
_MORE = 1.8
_RULE_MM = 0.2
_MOST_TEXT_LINES = 14
_MOST_SECOND_LINES = 6
_MOST_CODES = 8
_FOOT_MM, _BIG_FOOT_MM = 5.4, 6.4
_RULES_MM = 1.6
_TAIL_TITLE_MM, _NOTE_LINE_MM = 7.8, 6.8
_FEW_FINDINGS = 2
_MOST_TAIL_LINES = 600
_MOST_NOTE_LINES = 24
UNOFFICIAL = "Unofficial; not endorsed by any publisher."


# A group of warriors as a block


@frozen_dataclass
class BlockStyle:
    """What every block of one page layout shares."""

    pt: float
    strip: Strip
    is_big: bool = False
    has_records: bool = False

    @property
    def em(self) -> float:
        """The size of the text in millimetres."""
        return self.pt * PT

    @property
    def right_mm(self) -> float:
        return LIVE_MM - 2.4 * self.em if self.is_big else self.strip.ems * self.em

    @property
    def left_mm(self) -> float:
        return self.right_mm if self.is_big else LIVE_MM - (self.strip.ems + 3.6) * self.em


@frozen_dataclass
class Block:
    """A group laid out. ``left`` and ``right`` are its lines of text as HTML."""

    group: Group
    style: BlockStyle
    left: Sequence[str]
    right: Sequence[str]
    rows: Drawn | None = None

    @property
    def second_lines(self) -> Sequence[SheetLine]:
        return self.group.warrior.lines[1 : 1 + _MOST_SECOND_LINES]

    @property
    def row_mm(self) -> float:
        """Height of the line of a mount or of one further miniature."""
        return (_BIG_ROW if self.style.is_big else _ROW) * self.style.em

    @property
    def head_mm(self) -> float:
        """Height of everything but the further miniatures."""
        if self.style.is_big:
            height = _BIG_NAME + _STRIP + LINE * (len(self.left) + len(self.right))
        else:
            height = max(_LEFT_TOP + LINE * len(self.left), _STRIP + LINE * len(self.right))
        seconds = len(self.second_lines) * self.row_mm
        more = _MORE if self.group.more else 0
        rows_mm = self.rows.mm if self.rows else 0
        return (height + _PADDING + more) * self.style.em + seconds + rows_mm + _RULE_MM

    @property
    def member_rows(self) -> Drawn | None:
        """What a further miniature writes on: its own rows, unless a group learns together."""
        track = self.group.warrior.track
        return None if track is None or track.is_group else self.rows

    @property
    def member_mm(self) -> float:
        """Height of one further miniature."""
        return self.row_mm + (self.member_rows.mm if self.member_rows else 0)

    @property
    def height_mm(self) -> float:
        return self.head_mm + self.member_mm * (len(self.group.members) - 1)

    def split(self, room_mm: float) -> tuple[Block, Block] | None:
        """The block in two at a line between two miniatures, so that the first fits the room; None
        if it cannot be.
        """
        members = self.group.members
        # As many further miniatures as fit; the first stands in the head of the block.
        first = 1 + int((room_mm - self.head_mm) // self.member_mm)
        if first < 2 or len(members) - first < 1:
            return None
        first = min(first, len(members) - 2) if len(members) > 3 else first
        if first < 1:
            return None
        top = replace(self.group, members=members[:first], more=0)
        rest = replace(self.group, members=members[first:], is_continued=True)
        return replace(self, group=top), lay_out(rest, self.style)

    def html(self) -> str:
        group, style = self.group, self.style
        first, *others = group.members
        boxes = style.strip.draw(group.warrior)
        left, right = "\n".join(self.left), "\n".join(self.right)
        if style.is_big:
            text = f"<pre class='a'>{chr(10).join((*self.left, *self.right))}</pre>"
        elif _LEFT_TOP + LINE * len(self.left) > _STRIP + LINE * len(self.right):
            text = f"<pre class='r ov'>{right}</pre><pre class='a'>{left}</pre>"
        else:
            text = f"<pre class='a ov'>{left}</pre><pre class='r'>{right}</pre>"
        parts = [f"<section><h3>{self._name(first)}</h3><pre class='c'>{boxes}</pre>{text}"]
        parts += map(self._second, self.second_lines)
        parts.append(self.rows.html if self.rows else "")
        rows = self.member_rows.html if self.member_rows else ""
        silent = style.strip.silent.draw(group.warrior) if others else ""
        parts += [
            f"<h4>{self._name(member)}</h4><pre class='f'>{silent}</pre>{rows}"
            for member in others
        ]
        if group.more:
            last = group.members[-1].number
            numbers = f"{last + 1} to {last + group.more}"
            parts.append(
                f"<p class='more'>and {group.more} more alike, numbers {numbers}</p>"
            )
        return "".join(parts) + "</section>"

    def _name(self, member: GroupMember) -> str:
        flag = "⚑ " if member.is_leader else ""
        title = clean(self.group.warrior.title, 120) or "Warrior"
        mm, pt = self.style.left_mm, self.style.pt
        if member.name or member is self.group.members[0]:
            name = truncate(flag + (member.name or title), mm, pt * _NAME, SERIF)
            # Pictures start at the run of text they are in, whatever tab stands before them.
            is_plain = printable().issuperset(name)
            drawn = escape(name) if is_plain else f"<span>{escape(name)}</span>"
            return f"{member.number}\t{drawn}"
        return f"{member.number}\t{flag}<i>{escape(truncate(title, mm - 2, pt, SANS))}</i>"

    def _second(self, line: SheetLine) -> str:
        """The stat line of mount, crew or machine under the boxes above it."""
        name, total = clean(line.name, 80), None
        if line.role not in ("", "model") and line.role not in line.name.lower():
            name += f" ({line.role})"
        if line.count and line.count > 1:
            name += f", {line.count}"
        if line.wounds and line.role != "mount":
            total = line.wounds * (line.count or 1)
        name = truncate(name, self.style.left_mm, self.style.pt, BOLD)
        boxes = self.style.strip.draw_second(line, total)
        return f"<h4>\t<b>{escape(name)}</b></h4><pre class='f'>{boxes}</pre>"


def lay_out(group: Group, style: BlockStyle) -> Block:
    """Lay out a group at a text size."""
    left = wrap_words(left_tokens(group), style.left_mm, style.pt)
    right = wrap_words(right_tokens(group.warrior), style.right_mm, style.pt)
    losses = wrap_words(tuple(casualty_tokens(group.warrior)), style.right_mm, style.pt)
    track, size = group.warrior.track, BIG_ROWS if style.is_big else NORMAL_ROWS
    return Block(
        group,
        style,
        limit_lines(left, _MOST_TEXT_LINES),
        limit_lines((*right, *losses), _MOST_TEXT_LINES),
        draw_track(track, style.pt, size) if track and style.has_records else None,
    )


# The pages that blocks fill


@dataclass(slots=True)
class Page:
    """Blocks of one page and the millimetres left under them."""

    left_mm: float
    blocks: list[Block] = field(default_factory=list)


Tail = tuple[str, Sequence[str]]
"""Text after the warriors: a heading and lines."""


@frozen_dataclass
class _Plan:
    """What stands above and below the warriors."""

    sheet: RosterSheet
    size: HeadSize
    top: Drawn
    tails: Sequence[Tail]

    @property
    def is_big(self) -> bool:
        return self.size is BIG

    @property
    def room_mm(self) -> float:
        """The height of a page without its foot and its head."""
        foot_mm = _BIG_FOOT_MM if self.is_big else _FOOT_MM
        return LIVE_HEIGHT_MM - foot_mm - _RULES_MM

    def pages(self, groups: Sequence[Group], pt: float) -> list[Page]:
        """The pages that the groups fill. A block that fits no page stands alone on one."""
        strip, has_records = sheet_strip(self.sheet), self.sheet.has_records
        style = BlockStyle(pt, strip, self.is_big, has_records)
        waiting = [lay_out(group, style) for group in reversed(groups)]
        further_mm = self.room_mm - SMALL_HEAD_MM
        pages = [Page(self.room_mm - self.top.mm)]
        while waiting:
            block, page = waiting.pop(), pages[-1]
            parts = None
            if block.height_mm > page.left_mm:
                parts = block.split(page.left_mm)
                # An empty further page has no more room than the next one would.
                has_more_room = len(pages) == 1 and page.left_mm < further_mm
                if parts is None and (page.blocks or has_more_room):
                    pages.append(Page(further_mm))
                    waiting.append(block)
                    continue
            if parts:
                block, rest = parts
                pages.append(Page(further_mm))
                waiting.append(rest)
            page.blocks.append(block)
            page.left_mm -= block.height_mm
        return pages


def roster_body(sheet: RosterSheet, *, is_big: bool) -> str:
    """The HTML of the roster sheet, page by page."""
    groups = list_groups(sheet)
    plan = _build_plan(sheet, groups, BIG if is_big else NORMAL)
    if is_big:
        pt = BIG_PT
    else:
        # The largest text that takes no more pages than the smallest does.
        fewest = len(plan.pages(groups, SIZES[-1]))
        pt = first_fitting(SIZES, lambda size: len(plan.pages(groups, size)) <= fewest)
    pages = plan.pages(groups, pt)
    strip_class = sheet_strip(sheet).css_class
    bodies = []
    for page in pages:
        blocks = "".join(block.html() for block in page.blocks)
        nobody = "" if blocks else "<p class='none'>This warband has no units yet.</p>"
        main = f"<main class='s{round(pt * 10)} {strip_class}'>{blocks}{nobody}</main>"
        bodies.append(main if blocks or len(pages) == 1 else "")
    room = _add_tails(bodies, pages[-1].left_mm - (0 if pages[-1].blocks else 8), plan)
    if not is_big:
        bodies[-1] += _blank_lines(room, plan.tails)
    undrawn = undrawn_signs("".join((plan.top.html, *bodies)))
    drawn = []
    for number, body in enumerate(bodies, 1):
        top = plan.top.html if number == 1 else small_head(sheet, number)
        foot = foot_words(sheet, number, len(bodies), undrawn)
        drawn.append(f"<div class='pg'>{top}{body}<footer>{foot}</footer></div>")
    return "".join(drawn)


def _build_plan(sheet: RosterSheet, groups: Sequence[Group], size: HeadSize) -> _Plan:
    """Findings stand in the head, or after the warriors where they are many or would drive warriors
    off the page.
    """
    findings = finding_lines(sheet, size.text_pt)
    agreed = [*campaign_lines(sheet, size.text_pt), *agreement_lines(sheet, size.text_pt)]
    agreed = agreed[:MOST_HEAD_LINES]
    lines = wrap_text(clean(sheet.note, 4000), LIVE_MM, size.text_pt)[:_MOST_NOTE_LINES]
    for group in groups:
        lines += wrap_words(long_note_tokens(group), LIVE_MM, size.text_pt)
    note: list[Tail] = [("Notes", lines)] if lines else []
    whole = _Plan(sheet, size, head(sheet, size, [*findings, *agreed]), note)
    # A line or two never drives anybody off the page.
    if len(findings) <= _FEW_FINDINGS:
        return whole
    short = f"<b>{finding_counts(sheet)}</b> Each is told in full after the warriors."
    tails = [("Findings", findings), *note]
    parted = _Plan(sheet, size, head(sheet, size, [short, *agreed]), tails)
    if len(findings) + len(agreed) > MOST_HEAD_LINES:
        return parted
    smallest = BIG_PT if size is BIG else SIZES[-1]
    counts = [len(plan.pages(groups, smallest)) for plan in (parted, whole)]
    return parted if counts[0] < counts[1] else whole


def _add_tails(bodies: list[str], room: float, plan: _Plan) -> float:
    """Add the texts after the warriors, on further pages where they need them; returns the room
    that is left on the last page.
    """
    line_mm = plan.size.line_mm
    budget = _MOST_TAIL_LINES
    for title, tail in plan.tails:
        lines = list(tail[:budget])
        if more := len(tail) - len(lines):
            lines.append(f"and {more} more lines, which the page on screen shows.")
        budget = max(1, budget - len(lines))
        while lines:
            fits = int((room - _TAIL_TITLE_MM) // line_mm)
            if fits < min(3, len(lines)):
                bodies.append("")
                room = plan.room_mm - SMALL_HEAD_MM
                continue
            text = "\n".join(lines[:fits])
            bodies[-1] += f"<div class='n'>{title}</div><p class='tt'>{text}</p>"
            room -= _TAIL_TITLE_MM + line_mm * min(fits, len(lines))
            lines = lines[fits:]
    return room


def _blank_lines(room: float, tails: Sequence[Tail]) -> str:
    """Lines to write on where there is room left."""
    count = int((room - 1) / _NOTE_LINE_MM)
    if count < 1:
        return ""
    rule = "<div class='l'></div>"
    has_notes = any(title == "Notes" for title, _ in tails)
    return (rule if has_notes else "<div class='n'>Notes</div>") + rule * (count - 1)


def undrawn_words(signs: Sequence[str]) -> list[str]:
    """The sentence on characters that no font draws, by their code points; none for none."""
    if not signs:
        return []
    codes = " ".join(f"U+{ord(sign):04X}" for sign in signs[:_MOST_CODES])
    more = len(signs) - _MOST_CODES
    return [f"No font for {codes}{f' and {more} more' if more > 0 else ''}."]


def foot_words(
    sheet: RosterSheet, number: int, count: int, undrawn: Sequence[str] = ()
) -> str:
    """When it was printed, what the marks mean, what no font draws, and which page it is."""
    parts = []
    if sheet.printed_on:
        version = f", version {sheet.version}" if sheet.version else ""
        parts.append(f"Printed {sheet.printed_on.day} {sheet.printed_on:%B %Y}{version}.")
    elif sheet.version:
        parts.append(f"Version {sheet.version}.")
    if number == 1:
        if leader := sheet.leader_name:
            parts.append(f"⚑ {leader[:1].lower()}{leader[1:]}.")
        if sheet.rout:
            lone = "" if sheet.rout.fallback is None else "; second Ld: without the leader"
            parts.append(f"▣ first Rout test{lone}.")
        if sheet.has_records:
            parts.append("Thick box: an advance.")
        elif sheet.growth:
            parts.append("▣ beside experience: an advance.")
        parts += undrawn_words(undrawn)
    if count > 1:
        parts.append(f"Page {number} of {count}.")
    return escape(" ".join([*parts, UNOFFICIAL]))


# The blank sheet

WARRIORS = 15
_PT = 7.6
_LINES = (("Opponent", 62), ("Scenario", 66), ("Table", 24), ("Date", 32))


def blank_body(system: System) -> str:
    """The HTML of the blank sheet of a system: its own stat line, states and marks."""
    has_points = counts_points(system.usual_limit(), system)
    boxes = Strip(
        stats=len(system.stats),
        rings=3 if system.wounds_stat else 0,
        states=tuple(s.name for s in system.states if s.is_ticked)[:5],
        marks=tuple(system.marks)[:3],
        digits=4 if has_points else 0,
        has_save=bool(system.saves),
    )
    labels = {
        "Army": True,
        "Player": True,
        "Points": has_points,
        "Models" if system.regiments else system.words.entries: True,
        system.leader_name: bool(system.leader_name),
        "Rout test": system.rout is not None,
    }
    fields = field_lines([(label, "") for label in labels if labels[label]], NORMAL)
    name = escape(truncate(clean(system.full_name, 80), 120, 8.6))
    lost = f"{clean(system.words.lost, 24)}  "
    lines = "  ".join(dotted_line(label, mm, 8.2) for label, mm in _LINES)
    head = (
        f"<header><p class='k'>MUSTER ROLL{NBSP * 3}{name}</p>"
        f"<h1 class='bn'>{dotted_line('Warband', LIVE_MM, 12)}</h1>{fields}"
        f"<p class='o'>{tally_lines(WARRIORS, None, lost)[0]}</p><p class='d'>{lines}</p></header>"
    )
    text_mm, dot_mm = boxes.ems * _PT * PT, width(".", _PT)
    right = "." * int(text_mm / dot_mm)
    left = "." * int((LIVE_MM - text_mm - 4 * _PT * PT) / dot_mm)
    empty = boxes.draw_empty([stat.key for stat in system.stats])
    rows = "".join(
        f"<section class='bl'><h3>{number}</h3><pre class='c'>{empty}</pre>"
        f"<pre class='r ov'>{right}</pre><pre class='a'>{left}\n{left}</pre></section>"
        for number in range(1, WARRIORS + 1)
    )
    hint = "Name and unit on the first line, weapons below it, armour and rules under the boxes."
    body = f"<main class='blank s76 {boxes.css_class}'>{rows}</main>"
    return f"<div class='pg'>{head}{body}<footer>{hint} {UNOFFICIAL}</footer></div>"
