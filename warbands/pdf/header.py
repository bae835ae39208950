"""The head of the roster sheet: who, how many, who leads, when to test for Rout, what was found,
what to tick off.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from math import ceil

import segno

from engine.morale import RoutThreshold
from engine.records import TextPairs, frozen_dataclass
from warbands.pdf.measure import (
    BOLD,
    LIVE_MM,
    NBSP,
    SANS,
    SERIF,
    Drawn,
    Token,
    clean,
    dotted_line,
    fit_size,
    split_words,
    spread_line,
    truncate,
    width,
    wrap_words,
)
from warbands.sheet.structure import RosterSheet, head_lines

MOST_HEAD_LINES = 8
MOST_BOXES = 75
_BOXES_A_LINE = 25
_TURNS = 8
_TITLE_SIZES = (28, 25, 22, 19, 16, 14, 12)
_TITLE_MM, _TITLE_MM_BESIDE_CODE = 188.0, 168.0
_TALLY_PT = 11.2
_FIELDS_MOST_BIG, _FIELDS_FIRST = 6, 4
_STEPS = 20
STEP_MM = LIVE_MM / _STEPS


@frozen_dataclass
class HeadSize:
    """Sizes of one kind of head; heights in millimetres as in the stylesheet, text in points."""

    text_pt: float
    label_pt: float
    value_pt: float
    line_mm: float
    fields_mm: float
    dots_mm: float
    blank_mm: float


NORMAL = HeadSize(8.2, 6.8, 10.4, 3.5, 12.0, 7.6, 6.0)
BIG = HeadSize(11.5, 9.0, 12.5, 5.0, 13.7, 9.6, 8.0)
_TOP_MM, _TEXT_PADDING_MM, _TALLY_MM = 1 + 1.6 + 4 + 13, 1.5, 7.4
SMALL_HEAD_MM = 14.6


def head(sheet: RosterSheet, size: HeadSize, lines: Sequence[str]) -> Drawn:
    """The head of the first page, with lines of findings and agreements under its fields."""
    room = _TITLE_MM_BESIDE_CODE if sheet.url else _TITLE_MM
    name = clean(sheet.name, 160) or "Warband"
    title = fit_size(name, _TITLE_SIZES, room)
    tally = tally_lines(
        len(sheet.warriors) if sheet.is_of_units else sheet.models,
        sheet.rout.out if sheet.rout else None,
        f"{clean(sheet.words.lost, 24)}  ",
    )
    # The fields in one row; in two where large letters leave names no room beside so many.
    pairs = facts(sheet, is_short=size is BIG)
    is_full = size is BIG and len(pairs) > _FIELDS_MOST_BIG
    rows = [pairs[:_FIELDS_FIRST], pairs[_FIELDS_FIRST:]] if is_full else [pairs]
    fields = "".join(field_lines(row, size) for row in rows)
    html = (
        f"<header>{qr_code_png(sheet.url)}<p class='k'>{_kicker(sheet)}</p>"
        f"<h1 class='z{title}'>{escape(truncate(name, room, title, SERIF))}</h1>{fields}"
    )
    mm = _TOP_MM + size.fields_mm * len(rows) + _TALLY_MM * len(tally)
    if lines:
        html += f"<p class='t'>{chr(10).join(lines)}</p>"
        mm += _TEXT_PADDING_MM + size.line_mm * len(lines)
    html += f"<p class='o'>{chr(10).join(tally)}</p>"
    scenario, used = _blank("Scenario", sheet.scenario, 60.0, size.text_pt)
    table, table_mm = _blank("Table", sheet.table, 26.0, size.text_pt)
    rest = LIVE_MM - used - table_mm - 34 - 6
    opponent, _ = _blank("Opponent", sheet.opponent, rest, size.text_pt)
    date = dotted_line("Date", 34, size.text_pt)
    lines_to_fill = [f"{opponent}  {scenario}  {table}  {date}"]
    if sheet.purse_labels:
        # Two lines to write treasury and stash on, where the warband keeps them on paper.
        *currencies, stash = sheet.purse_labels
        amounts = [
            dotted_line(clean(name, 24), 36, size.text_pt) for name in currencies[:3]
        ]
        left = LIVE_MM - sum(width(f"{amount}  ", size.text_pt) for amount in amounts)
        lines_to_fill += [
            "  ".join([*amounts, dotted_line(stash, left, size.text_pt)]),
            dotted_line("", LIVE_MM, size.text_pt),
        ]
    mm += size.dots_mm + size.blank_mm * (len(lines_to_fill) - 1)
    return Drawn(f"{html}<p class='d'>{chr(10).join(lines_to_fill)}</p></header>", mm)


def small_head(sheet: RosterSheet, page: int) -> str:
    """The head of a further page, `SMALL_HEAD_MM` high."""
    name = truncate(clean(sheet.name, 120), 150, 12, SERIF)
    title = f"<p class='h1s'>{escape(name)}, page {page}</p>"
    return f"<header><p class='k'>{_kicker(sheet)}</p>{title}</header>"


def _kicker(sheet: RosterSheet) -> str:
    parts = ["MUSTER ROLL", clean(sheet.system_name, 60)]
    if sheet.club:
        parts.append(clean(sheet.club, 60))
    if sheet.is_opponents_copy:
        parts.append("Opponent’s copy, without points")
    return escape(truncate((NBSP * 3).join(parts), _TITLE_MM_BESIDE_CODE - 14, 8.6))


def facts(sheet: RosterSheet, *, is_short: bool = False) -> TextPairs:
    """The fields of the head as pairs of label and value."""
    pairs = [
        ("Army", clean(", ".join((sheet.army_name, *sheet.tags)), 60)),
        ("Player", clean(sheet.owner, 60)),
    ]
    if sheet.shows_points:
        limit = "" if sheet.points_limit is None else f" of {sheet.points_limit}"
        pairs.append((clean(sheet.price_name, 20), f"{sheet.points}{limit}"))
        if sheet.second:
            pairs.append((clean(sheet.second.name, 20), str(sheet.second.total)))
    noun = "Models" if sheet.is_of_units else clean(sheet.words.entries, 20)
    pairs.append((noun, str(sheet.models)))
    if sheet.leader_name:
        pairs.append((clean(sheet.leader_name, 20), clean(sheet.leader, 60) or "none"))
    if sheet.rout and sheet.rout.out:
        pairs.append(_rout_fact(sheet, sheet.rout, is_short=is_short))
    return tuple(pairs)


def _rout_fact(
    sheet: RosterSheet, rout: RoutThreshold, *, is_short: bool
) -> tuple[str, str]:
    label, value = "Rout test", f"{rout.out} out"
    if rout.taken_on and rout.taken_on != sheet.leader:
        label += f" on {clean(rout.taken_on, 40)}"
    if rout.leadership is not None:
        value += f", Ld {rout.leadership}"
    if rout.fallback is not None:
        value += f" or {rout.fallback}"
    is_long = is_short or sheet.second or rout.fallback is not None
    return label, value if is_long else f"from {value}"


def field_lines(pairs: Sequence[tuple[str, str]], size: HeadSize) -> str:
    """Labels over values, each field as wide as its value needs, and the longest cut where that is
    too much; the rules between them are characters.
    """
    needs = (width(value, size.value_pt, BOLD) + 3.5 for _, value in pairs)
    steps = [max(2, ceil(need / STEP_MM)) for need in needs]
    while sum(steps) > _STEPS:
        steps[steps.index(max(steps))] -= 1
    while sum(steps) < _STEPS:
        steps[steps.index(min(steps))] += 1
    labels = values = ""
    for (label, value), count in zip(pairs, steps, strict=True):
        room = count * STEP_MM
        box, rule = f"<i class='w{count}'>", "│" if labels else ""
        label = escape(truncate(label, room - 3, size.label_pt, SANS))
        labels += f"{box}{NBSP * 2 * len(rule)}{label}</i>"
        values += f"{box}{rule}{escape(truncate(value, room - 3.5, size.value_pt))}</i>"
    return f"<p class='fl'>{labels}</p><p class='fv'>{values}</p>"


def tally_lines(models: int, rout: int | None, label: str) -> list[str]:
    """A box for each model, the one that calls the first Rout test double; turns at the right end
    of the first line.
    """
    turns = "Turn  " + "○" * _TURNS
    # More boxes than three lines hold are a figure to count down.
    if models > MOST_BOXES:
        return [spread_line(f"{label}{'.' * 24} of {models}", turns, LIVE_MM, _TALLY_PT)]
    boxes = "".join("▣" if i == rout else "☐" for i in range(1, models + 1))
    rows = [boxes[i : i + _BOXES_A_LINE] for i in range(0, models, _BOXES_A_LINE)] or [""]
    # Further rows begin under the first box.
    indent = " " * round(width(label, _TALLY_PT) / width(" ", _TALLY_PT))
    first = spread_line(label + rows[0], turns, LIVE_MM, _TALLY_PT)
    return [first, *(indent + row for row in rows[1:])]


def _blank(label: str, value: str, room: float, pt: float) -> tuple[str, float]:
    """A label with its value, or else with dots to write on; and how wide it is."""
    text = clean(value, 60)
    if not text:
        return dotted_line(label, room, pt), room
    start = width(f"{label} ", pt)
    text = truncate(text, room - start, pt, BOLD)
    return f"{label} <b>{escape(text)}</b>", start + width(text, pt, BOLD)


def finding_lines(sheet: RosterSheet, pt: float) -> list[str]:
    """Every error, warning and waiver in words, one to a line and wrapped, under a line that counts
    them.
    """
    lines = [*wrap_words(split_words(finding_counts(sheet), is_bold=True), LIVE_MM, pt)]
    for finding in sheet.shown_findings:
        level = "waived" if finding.waived_by else finding.level
        if level != "note":
            label = (f"{level.capitalize()}:", True)
            lines += wrap_words((label, *split_words(clean(finding.message))), LIVE_MM, pt)
    return lines


def finding_counts(sheet: RosterSheet) -> str:
    """How many errors and warnings there are: "No errors, 1 warning."."""
    levels = [finding.level for finding in sheet.shown_findings]
    counts = []
    for level in ("error", "warning"):
        count = levels.count(level)
        counts.append(f"{count or 'no'} {level}{'' if count == 1 else 's'}")
    return f"{', '.join(counts)}.".capitalize()


def campaign_lines(sheet: RosterSheet, pt: float) -> list[str]:
    """What the campaign of a warband made of it, wrapped."""
    if sheet.growth is None:
        return []
    text = f"{' · '.join(map(clean, head_lines(sheet.growth)))}."
    return list(wrap_words(split_words(text), LIVE_MM, pt))


def agreement_lines(sheet: RosterSheet, pt: float) -> list[str]:
    """The house rules and the rulings that both players agreed on."""
    rules = [f"{'; '.join(sheet.house_rules)}."] if sheet.house_rules else []
    tokens: list[Token] = []
    for head, sentences in (("House rules:", rules), ("Rulings:", sheet.rulings)):
        if sentences:
            tokens += [(head, True), *split_words(clean(" ".join(sentences)))]
    return list(wrap_words(tuple(tokens), LIVE_MM, pt)) if tokens else []


@lru_cache(256)
def qr_code_png(address: str) -> str:
    """The address as a QR code: a one-bit PNG of one pixel a module, far cheaper to draw than a
    path.
    """
    if not address:
        return ""
    try:
        code = segno.make(address, error="m", boost_error=False, micro=False)
    except (ValueError, UnicodeError):
        return ""
    data = code.png_data_uri(border=0, scale=1)
    return f"<img class='q' alt='{escape(clean(address), quote=True)}' src='{data}'/>"
