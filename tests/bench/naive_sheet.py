"""The same roster as a web developer would first write it for print: nested flex cards on a grid,
icons as elements.
"""

from __future__ import annotations

from html import escape

from warbands.sheet.structure import RosterSheet, SheetWarrior

CSS = """
@page { size: A4; margin: 10mm }
body { font: 9pt sans-serif }
.grid { display: grid; grid-template-columns: 1fr 1fr; gap: 4mm }
.card { display: flex; flex-direction: column; border: 0.3mm solid #333; padding: 2mm; break-inside: avoid }
.head, .line, .gear, .boxes { display: flex; flex-direction: row; gap: 1mm }
.head > b { flex: 1 }
.stat { display: flex; flex-direction: column; flex: 1; border: 0.2mm solid #999; text-align: center }
.box { width: 3mm; height: 3mm; border: 0.2mm solid #333 }
.item { display: flex; flex: 1 }
"""


def naive_html(sheet: RosterSheet) -> str:
    """Every miniature as a card of its own, and the charts as tables."""
    cards = "".join(_card(warrior) * warrior.miniatures for warrior in sheet.warriors)
    charts = "".join(
        "<table><tr><th></th>"
        + "".join(f"<th>{escape(column)}</th>" for column in found.chart.columns)
        + "</tr>"
        + "".join(
            f"<tr><th>{escape(key)}</th>"
            + "".join(f"<td>{escape(str(c))}</td>" for c in cells)
            + "</tr>"
            for key, cells, _ in found.rows
        )
        + "</table>"
        for found in sheet.reference.charts
    )
    return (
        "<!doctype html><html lang='en'><head><meta "
        f"charset='utf-8'><title>x</title><style>{CSS}</style></head>"
        f"<body><h1>{escape(sheet.name)}</h1><div class='grid'>{cards}</div>"
        f"<div style='break-before:page'>{charts}</div></body></html>"
    )


def _card(warrior: SheetWarrior) -> str:
    cells = warrior.main_line.cells if warrior.main_line else ()
    stats = "".join(
        f"<div class='stat'><i>{escape(k)}</i><b>{escape(str(v))}</b></div>"
        for k, v in cells
    )
    gear = "".join(
        f"<div class='item'><span>{escape(piece)}</span></div>" for piece in warrior.gear
    )
    boxes = "<div class='box'></div>" * 4
    return (
        "<div class='card'><div "
        f"class='head'><b>{escape(warrior.title)}</b><span>{warrior.points}</span></div>"
        f"<div class='line'>{stats}</div><div class='gear'>{gear}</div><div "
        f"class='boxes'>{boxes}</div></div>"
    )
