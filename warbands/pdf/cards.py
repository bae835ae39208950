"""Cards of 63 x 88 mm, eight on a landscape sheet: one for a group, with a row of boxes for each of
its miniatures.
"""

from collections.abc import Sequence
from html import escape
from itertools import chain, repeat

from engine.words import capital
from warbands.pdf.measure import (
    SANS,
    SERIF,
    chunks,
    clean,
    limit_lines,
    split_words,
    spread_line,
    truncate,
    width,
    wrap_words,
)
from warbands.pdf.phrases import (
    Group,
    GroupMember,
    casualty_tokens,
    gear_tokens,
    groups_of,
    lore_tokens,
    move_words,
    note_tokens,
    remark_tokens,
    save_words,
    strange_figures,
)
from warbands.pdf.stat_strip import (
    Strip,
    member_boxes,
    member_width,
    stats_and_save,
    strip_of,
)
from warbands.sheet.structure import RosterSheet, SheetWarrior

ROOM_MM = 88 - 2 * 3.2
TEXT_MM, TEXT_PT, LINE_MM = 55.0, 9.0, 4.0
MOST_MEMBERS = 7
_FIXED_MM = 6.6 + 4 + 1.4 + 1.4 + 7.7 + 1.8 + 1.8
_ROW_MM = 6.3
_CELL_MM, _NAME_PT = 5.26, 8.2
_MOST_LINES = 12
_TITLE_SIZES = (14, 12, 10)
_ACROSS, _DOWN = 4, 2


def cards_body(sheet: RosterSheet) -> str:
    """The HTML of the cards, sheet by sheet."""
    kind = strip_of(sheet)
    cells = [card for group in groups_of(sheet) for card in _cards(group, kind, sheet)]
    each = _ACROSS * _DOWN
    sheets = chunks(cells, each) or [[]]
    return "".join(_sheet(found) for found in sheets)


def _sheet(cells: Sequence[str]) -> str:
    filled = [*cells, *["<td></td>"] * (-len(cells) % _ACROSS)] or ["<td></td>"] * _ACROSS
    table = "".join(f"<tr>{''.join(row)}</tr>" for row in chunks(filled, _ACROSS))
    ruler = (
        "<p class='ru'>Cards 63 × 88 mm. Print at 100 %: this line is 50 mm long</p><div "
        "class='rule'></div>"
    )
    return f"<div class='cs'><table>{table}</table>{ruler}</div>"


def _cards(group: Group, kind: Strip, sheet: RosterSheet) -> list[str]:
    """One card, or several where more miniatures are alike than have room on one."""
    lines = _text(group)
    # Miniatures that have no room make a second card with the same text.
    fits = int((ROOM_MM - _FIXED_MM - LINE_MM * len(lines)) // _ROW_MM)
    each = max(1, min(MOST_MEMBERS, fits))
    return [_card(group, part, lines, kind, sheet) for part in chunks(group.members, each)]


def _text(group: Group) -> list[str]:
    warrior = group.warrior
    tokens = [split_words(capital(clean(warrior.subtitle, 120)))]
    tokens += [split_words(warrior.ranks.words)] if warrior.ranks else []
    tokens += [tuple(gear_tokens(warrior))]
    tokens += [
        split_words(text)
        for text in (move_words(warrior), save_words(warrior), strange_figures(warrior))
        if text
    ]
    tokens += [
        split_words(_second(warrior, i)) for i in range(1, min(4, len(warrior.lines)))
    ]
    if warrior.rules:
        tokens.append(split_words(clean(" · ".join(warrior.rules), 300), is_bold=True))
    tokens += [
        tuple(lore_tokens(warrior)),
        tuple(remark_tokens(warrior)),
        tuple(note_tokens(warrior)),
        tuple(casualty_tokens(warrior)),
    ]
    lines = [line for part in tokens if part for line in wrap_words(part, TEXT_MM, TEXT_PT)]
    return limit_lines(lines, _MOST_LINES)


def _second(warrior: SheetWarrior, index: int) -> str:
    line = warrior.lines[index]
    return f"{clean(line.name, 40)}: " + " ".join(
        f"{key}{figure}" for key, figure in line.cells if figure != "–"
    )


def _card(
    group: Group,
    members: Sequence[GroupMember],
    lines: Sequence[str],
    kind: Strip,
    sheet: RosterSheet,
) -> str:
    warrior = group.warrior
    flag = "⚑ " if members[0].is_leader else ""
    name = (
        members[0].name
        if group.alike == 1 and members[0].name
        else clean(warrior.title, 120)
    )
    # The boxes have labels above the first miniature only.
    kinds = chain([kind], repeat(kind.silent))
    rows = "".join(
        _row(group, member, kind) for member, kind in zip(members, kinds, strict=False)
    )
    size = next(
        (s for s in _TITLE_SIZES if width(flag + name, s, SERIF) <= TEXT_MM - 1),
        _TITLE_SIZES[-1],
    )
    smaller = f" class='y{size}'" if size < _TITLE_SIZES[0] else ""
    return (
        f"<td><h3{smaller}>{escape(truncate(flag + name, TEXT_MM - 1, size, SERIF))}</h3>"
        f"<p class='cp'>{escape(_under(group, members, sheet))}</p><pre "
        f"class='c1'>{stats_and_save(warrior)}</pre>"
        f"<pre class='ct'>{chr(10).join(lines)}</pre><div class='cf'></div>{rows}</td>"
    )


def _row(group: Group, member: GroupMember, kind: Strip) -> str:
    warrior = group.warrior
    boxes = member_boxes(kind, warrior)
    label = f"{member.place} of {group.alike} {member.name}".rstrip()
    if group.alike == 1:
        label = "Wounds" if warrior.wounds and not warrior.is_unit else ""
    room = TEXT_MM - 1.5 - _CELL_MM * member_width(kind, warrior) / 1000
    return (
        f"<p class='cn'>{escape(truncate(label, room, _NAME_PT, SANS))}</p><pre "
        f"class='c2'>{boxes}</pre>"
    )


def _under(group: Group, members: Sequence[GroupMember], sheet: RosterSheet) -> str:
    """Profile or number alike at the left, points at the right."""
    warrior = group.warrior
    if group.alike == 1:
        left = clean(warrior.title, 80) if members[0].name else ""
    elif len(members) < group.alike:
        left = f"{members[0].place} to {members[-1].place} of {group.alike} alike"
    else:
        left = f"{group.alike} alike"
    each = " each" if group.alike > 1 else ""
    price = sheet.currency.amounts_in(f"{warrior.combatant_points} points")
    right = f"{price}{each}" if sheet.shows_points else ""
    room = TEXT_MM - 3 - width(right, TEXT_PT)
    return spread_line(truncate(left, room, TEXT_PT, SANS), right, TEXT_MM, TEXT_PT)
