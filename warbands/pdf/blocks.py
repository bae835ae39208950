"""A group of warriors as a block of the sheet, and the pages that blocks fill.

Heights are in the same figures as the stylesheet. Nobody is cut, and a large group is parted
between two miniatures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape

from engine.records import frozen_dataclass
from warbands.pdf.measure import (
    BOLD,
    PT,
    SANS,
    SERIF,
    clean,
    limit_lines,
    truncate,
    wrap_words,
)
from warbands.pdf.phrases import (
    Group,
    GroupMember,
    casualty_tokens,
    left_tokens,
    right_tokens,
)
from warbands.pdf.stat_strip import Strip, second_strip, strip
from warbands.sheet.structure import SheetLine

LIVE_MM, LIVE_HEIGHT_MM = 190.0, 259.0
LINE = 1.24
"""Height of a line of text, in em of the text; so are all figures below, as in the stylesheet."""
_PADDING = 0.75
_NAME, _LEFT_TOP, _STRIP, _ROW = 1.36, 1.6296, 2.5296, 2.42
_BIG_NAME, _BIG_ROW = 1.768, 4.451
_MORE = 1.8
_RULE_MM = 0.2
_MOST_TEXT_LINES = 14
_MOST_SECOND_LINES = 6


@frozen_dataclass
class BlockStyle:
    """What every block of one page layout shares."""

    pt: float
    kind: Strip
    is_big: bool = False

    @property
    def em(self) -> float:
        """The size of the text in millimetres."""
        return self.pt * PT

    @property
    def right_mm(self) -> float:
        return LIVE_MM - 2.4 * self.em if self.is_big else self.kind.ems * self.em

    @property
    def left_mm(self) -> float:
        return self.right_mm if self.is_big else LIVE_MM - (self.kind.ems + 3.6) * self.em


@frozen_dataclass
class Block:
    """A group laid out. ``left`` and ``right`` are its lines of text as HTML."""

    group: Group
    look: BlockStyle
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def second_lines(self) -> tuple[SheetLine, ...]:
        return self.group.warrior.lines[1 : 1 + _MOST_SECOND_LINES]

    @property
    def row_mm(self) -> float:
        """Height of the line of one further miniature."""
        return (_BIG_ROW if self.look.is_big else _ROW) * self.look.em

    @property
    def head_mm(self) -> float:
        """Height of everything but the further miniatures."""
        if self.look.is_big:
            height = _BIG_NAME + _STRIP + LINE * (len(self.left) + len(self.right))
        else:
            height = max(self._left_end, self._right_end)
        seconds = len(self.second_lines) * self.row_mm
        more = _MORE if self.group.more else 0
        return (height + _PADDING + more) * self.look.em + seconds + _RULE_MM

    @property
    def height_mm(self) -> float:
        return self.head_mm + self.row_mm * (len(self.group.members) - 1)

    @property
    def _left_end(self) -> float:
        return _LEFT_TOP + LINE * len(self.left)

    @property
    def _right_end(self) -> float:
        return _STRIP + LINE * len(self.right)

    def split(self, room_mm: float) -> tuple[Block, Block] | None:
        """The block in two at a line between two miniatures, so that the first fits the room; None
        if it cannot be.
        """
        members = self.group.members
        # As many further miniatures as fit; the first stands in the head of the block.
        first = 1 + int((room_mm - self.head_mm) // self.row_mm)
        if first < 2 or len(members) - first < 1:
            return None
        first = min(first, len(members) - 2) if len(members) > 3 else first
        if first < 1:
            return None
        top = replace(self.group, members=members[:first], more=0)
        rest = replace(self.group, members=members[first:], is_continued=True)
        return replace(self, group=top), block_of(rest, self.look)

    def html(self) -> str:
        first, *others = self.group.members
        warrior, look = self.group.warrior, self.look
        boxes = strip(look.kind, warrior)
        parts = [
            f"<section><h3>{self._name(first)}</h3><pre class='c'>{boxes}</pre>",
            self._text(),
        ]
        parts += [self._second(line) for line in self.second_lines]
        silent = strip(look.kind.silent, warrior) if others else ""
        parts += [
            f"<h4>{self._name(member)}</h4><pre class='f'>{silent}</pre>"
            for member in others
        ]
        if self.group.more:
            parts.append(f"<p class='more'>{_more(self.group)}</p>")
        return "".join(parts) + "</section>"

    def _text(self) -> str:
        if self.look.is_big:
            return f"<pre class='a'>{chr(10).join((*self.left, *self.right))}</pre>"
        left, right = "\n".join(self.left), "\n".join(self.right)
        if self._left_end > self._right_end:
            return f"<pre class='r ov'>{right}</pre><pre class='a'>{left}</pre>"
        return f"<pre class='a ov'>{left}</pre><pre class='r'>{right}</pre>"

    def _name(self, member: GroupMember) -> str:
        flag = "⚑ " if member.is_leader else ""
        title = clean(self.group.warrior.title, 120) or "Warrior"
        mm, pt = self.look.left_mm, self.look.pt
        if member.name or member is self.group.members[0]:
            name = truncate(flag + (member.name or title), mm, pt * _NAME, SERIF)
            return f"{member.number}\t{escape(name)}"
        return f"{member.number}\t{flag}<i>{escape(truncate(title, mm - 2, pt, SANS))}</i>"

    def _second(self, line: SheetLine) -> str:
        """The stat line of mount, crew or machine under the boxes above it."""
        count = f", {line.count}" if line.count and line.count > 1 else ""
        is_told = line.role in ("", "model") or line.role in line.name.lower()
        role = "" if is_told else f" ({line.role})"
        name = truncate(
            clean(line.name, 80) + role + count, self.look.left_mm, self.look.pt, BOLD
        )
        total = (
            line.wounds * (line.count or 1)
            if line.wounds and line.role != "mount"
            else None
        )
        boxes = second_strip(self.look.kind, line, total)
        return f"<h4>\t<b>{escape(name)}</b></h4><pre class='f'>{boxes}</pre>"


def block_of(group: Group, look: BlockStyle) -> Block:
    """Lay out a group at a text size."""
    left = wrap_words(left_tokens(group), look.left_mm, look.pt)
    right = [*wrap_words(right_tokens(group.warrior), look.right_mm, look.pt)]
    right += wrap_words(tuple(casualty_tokens(group.warrior)), look.right_mm, look.pt)
    left_lines, right_lines = (
        limit_lines(lines, _MOST_TEXT_LINES) for lines in (left, right)
    )
    return Block(group, look, tuple(left_lines), tuple(right_lines))


def _more(group: Group) -> str:
    last = group.members[-1].number
    return f"and {group.more} more alike, numbers {last + 1} to {last + group.more}"


@dataclass(slots=True)
class Page:
    """Blocks of one page and the millimetres left under them."""

    left_mm: float
    blocks: list[Block] = field(default_factory=list)

    def add(self, block: Block) -> None:
        self.blocks.append(block)
        self.left_mm -= block.height_mm


def paginate(blocks: Sequence[Block], first_mm: float, further_mm: float) -> list[Page]:
    """Fill pages of the given room. A block that fits no page stands alone on one."""
    pages = [Page(first_mm)]
    for block in blocks:
        rest: Block | None = block
        while rest is not None:
            rest = _place(rest, pages, further_mm)
    return pages


def _place(block: Block, pages: list[Page], further_mm: float) -> Block | None:
    """Put the block, or as much of it as fits, on the last page; returns what is left of it."""
    page = pages[-1]
    if block.height_mm <= page.left_mm:
        page.add(block)
        return None
    parts = block.split(page.left_mm)
    if parts:
        page.add(parts[0])
        pages.append(Page(further_mm))
        return parts[1]
    # An empty further page has no more room than the next one would.
    if page.blocks or (len(pages) == 1 and page.left_mm < further_mm):
        pages.append(Page(further_mm))
        return block
    page.add(block)
    return None
