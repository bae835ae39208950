"""The picture of a link in a chat: 1200 by 630 pixels, drawn as a page and turned into a PNG."""

import hashlib
import io
from collections.abc import Sequence
from html import escape

import pypdfium2
from django.core.cache import caches

from engine.records import quantity
from warbands.pdf.documents import KEPT_SECONDS, page
from warbands.pdf.measure import BOLD, SANS, clean, fit_size, truncate, width
from warbands.pdf.press import write
from warbands.pdf.stat_strip import stats_and_save
from warbands.sheet.structure import RosterSheet

WIDTH_MM = 285.0
"""Of the text; the page is 317.5 mm wide, 1200 pixels of 1/96 inch."""
ROWS_MAX = 8
_TITLE_SIZES = (64, 52, 42, 34)
_FACTS_PT, _ROW_PT = 25, 22


def roster_preview(sheet: RosterSheet) -> str:
    """The HTML of a roster: its name, army, points, models, and who leads it."""
    points = f"{sheet.points}"
    if sheet.points_limit is not None:
        points += f" of {sheet.points_limit}"
    facts = [sheet.army_name]
    facts += [f"{points} {sheet.currency.name}"] if sheet.shows_points else []
    facts.append(quantity(sheet.models, "model"))
    leader = next((warrior for warrior in sheet.warriors if warrior.is_leader), None)
    below = ""
    if leader is not None and leader.main_line is not None:
        name = clean(leader.name or leader.title, 120)
        below = (
            f"<p class='or'><b>{escape(truncate(name, WIDTH_MM, _ROW_PT, BOLD))}</b></p>"
            f"<pre class='oc'>{stats_and_save(leader)}</pre>"
        )
    return _preview(sheet.system_name, sheet.name, " · ".join(facts), below)


def rows_preview(head: str, name: str, facts: str, rows: Sequence[tuple[str, str]]) -> str:
    """The HTML of an event: some rows, each with what stands at its left and its right."""
    drawn = []
    for left, right in rows[:ROWS_MAX]:
        right = clean(right, 40)
        room = WIDTH_MM - width(right, _ROW_PT) - 8
        left = truncate(clean(left, 160), room, _ROW_PT, SANS)
        drawn.append(f"<tr><td>{escape(left)}</td><td class='oe'>{escape(right)}</td></tr>")
    return _preview(head, name, facts, f"<table class='ot'>{''.join(drawn)}</table>")


def _preview(head: str, name: str, facts: str, below: str) -> str:
    title = clean(name, 120) or "Warband"
    size = fit_size(title, _TITLE_SIZES, WIDTH_MM)
    title = truncate(title, WIDTH_MM, size, "muster-serif")
    facts = truncate(clean(facts, 160), WIDTH_MM, _FACTS_PT)
    return page(
        title,
        f"<div class='og'><p class='ok'>MUSTER ROLL\u00a0\u00a0\u00a0{escape(clean(head, 80))}</p>"
        f"<h1 class='o{size}'>{escape(title)}</h1><p class='of'>{escape(facts)}</p>{below}</div>",
    )


def kept_preview(html: str) -> bytes | None:
    """The picture where it was drawn within the hour."""
    png: bytes | None = caches["documents"].get(_key(html))
    return png


def draw_preview(html: str) -> bytes:
    """The picture as a PNG. Raises PdfFailed when it cannot be drawn in time."""
    with pypdfium2.PdfDocument(write([(html, None)], "a4")) as pdf:
        picture = pdf[0].render(scale=96 / 72).to_pil()
    written = io.BytesIO()
    picture.quantize(64).save(written, "PNG", optimize=True)
    png = written.getvalue()
    caches["documents"].set(_key(html), png, KEPT_SECONDS)
    return png


def _key(html: str) -> str:
    return "preview-" + hashlib.sha256(html.encode("utf-8", "replace")).hexdigest()
