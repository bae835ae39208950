"""Cards of 63 x 88 mm, eight on a landscape sheet: one for a group, with a row of boxes for each of
its miniatures.
"""

from collections.abc import Sequence
from html import escape

from engine.text import capital
from warbands.pdf.measure import (
    SANS,
    SERIF,
    chunks,
    clean,
    fit_size,
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
    list_groups,
    lore_tokens,
    move_words,
    note_tokens,
    remark_tokens,
    save_words,
    strange_figures,
)
from warbands.pdf.stat_strip import Strip, sheet_strip, stats_and_save
from warbands.sheet.structure import RosterSheet

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
    strip = sheet_strip(sheet)
    cells: list[str] = []
    for group in list_groups(sheet):
        lines = _text(group)
        # Miniatures that have no room make a second card with the same text.
        fits = int((ROOM_MM - _FIXED_MM - LINE_MM * len(lines)) // _ROW_MM)
        each = max(1, min(MOST_MEMBERS, fits))
        runs = chunks(group.members, each)
        cells += [_card(group, members, lines, strip, sheet) for members in runs]
    ruler = (
        "<p class='ru'>Cards 63 × 88 mm. Print at 100 %: this line is 50 mm long</p><div "
        "class='rule'></div>"
    )
    sheets = []
    for page in chunks(cells, _ACROSS * _DOWN) or [[]]:
        blank = -len(page) % _ACROSS if page else _ACROSS
        rows = chunks([*page, *["<td></td>"] * blank], _ACROSS)
        table = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        sheets.append(f"<div class='cs'><table>{table}</table>{ruler}</div>")
    return "".join(sheets)


def _text(group: Group) -> list[str]:
    warrior = group.warrior
    parts = [split_words(capital(clean(warrior.subtitle, 120)))]
    if warrior.ranks:
        parts.append(split_words(warrior.ranks.words))
    parts.append(tuple(gear_tokens(warrior)))
    figures = (move_words(warrior), save_words(warrior), strange_figures(warrior))
    parts += map(split_words, figures)
    for line in warrior.lines[1:4]:
        cells = " ".join(f"{key}{text}" for key, text in line.cells if text != "–")
        parts.append(split_words(f"{clean(line.name, 40)}: {cells}"))
    if warrior.rules:
        parts.append(split_words(clean(" · ".join(warrior.rules), 300), is_bold=True))
    for tokens in (lore_tokens, remark_tokens, note_tokens, casualty_tokens):
        parts.append(tuple(tokens(warrior)))
    lines = [line for part in parts for line in wrap_words(part, TEXT_MM, TEXT_PT)]
    return limit_lines(lines, _MOST_LINES)


def _card(
    group: Group,
    members: Sequence[GroupMember],
    lines: Sequence[str],
    strip: Strip,
    sheet: RosterSheet,
) -> str:
    warrior, first = group.warrior, members[0]
    is_named = group.alike == 1 and bool(first.name)
    name = first.name if is_named else clean(warrior.title, 120)
    if first.is_leader:
        name = f"⚑ {name}"
    size = fit_size(name, _TITLE_SIZES, TEXT_MM - 1)
    smaller = f" class='y{size}'" if size < _TITLE_SIZES[0] else ""
    rows = []
    for member in members:
        # The boxes have labels above the first miniature only.
        boxes = (strip if member is first else strip.silent).draw_member(warrior)
        label = f"{member.place} of {group.alike} {member.name}".rstrip()
        if group.alike == 1:
            label = "Wounds" if warrior.wounds and not warrior.is_unit else ""
        room = TEXT_MM - 1.5 - _CELL_MM * strip.member_width(warrior) / 1000
        label = escape(truncate(label, room, _NAME_PT, SANS))
        rows.append(f"<p class='cn'>{label}</p><pre class='c2'>{boxes}</pre>")
    return (
        f"<td><h3{smaller}>{escape(truncate(name, TEXT_MM - 1, size, SERIF))}</h3>"
        f"<p class='cp'>{escape(_subtitle(group, members, sheet))}</p><pre "
        f"class='c1'>{stats_and_save(warrior)}</pre>"
        f"<pre class='ct'>{chr(10).join(lines)}</pre><div class='cf'></div>{''.join(rows)}</td>"
    )


def _subtitle(group: Group, members: Sequence[GroupMember], sheet: RosterSheet) -> str:
    """Profile or number alike at the left, points at the right."""
    warrior = group.warrior
    if group.alike == 1:
        left = clean(warrior.title, 80) if members[0].name else ""
    elif len(members) < group.alike:
        left = f"{members[0].place} to {members[-1].place} of {group.alike} alike"
    else:
        left = f"{group.alike} alike"
    right = ""
    if sheet.shows_points:
        price = sheet.currency.amounts_in(f"{warrior.combatant_points} points")
        right = f"{price} each" if group.alike > 1 else price
    room = TEXT_MM - 3 - width(right, TEXT_PT)
    return spread_line(truncate(left, room, TEXT_PT, SANS), right, TEXT_MM, TEXT_PT)
