"""Roster sheets that the tests of the printed documents share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from engine.roster import Roster, RosterEntry
from rulesdata.registry import load_army, load_system
from warbands.pdf.documents import DEFAULT_PARTS, Part, roster_pages
from warbands.pdf.press import Parts
from warbands.sheet.build import build_sheet
from warbands.sheet.structure import RosterSheet

SYSTEM = "warhammer-skirmish"
PART = re.compile("<div class='one (.*?)'>(.*)</div>", re.DOTALL)
DETAILS: dict[str, Any] = {
    "owner": "Anna Fischer",
    "club": "Harvest League",
    "version": 12,
    "printed_on": date(2026, 11, 20),
    "url": "https://example.org/w/WOLF-7Q4K",
}
HALBERDIERS = (
    "Jost Weber, Till Krämer, Otto of Talabheim, Emil Brandt, Klaus Hohl, Old Gerlach"
)


def sheet_of(
    *entries: RosterEntry,
    army: str = "the-empire",
    name: str = "The Wolfenburg Watch",
    limit: int | None = 250,
    details: Mapping[str, Any] = DETAILS,
    note: str = "",
) -> RosterSheet:
    roster = Roster(SYSTEM, army, name, limit, warriors=entries, note=note)
    sheet = build_sheet(roster, load_system(SYSTEM), load_army(SYSTEM, army))
    return replace(sheet, **details)


def watch(is_opponents_copy: bool = False) -> RosterSheet:
    return sheet_of(
        RosterEntry("captain", "Ruprecht Voll", is_leader=True, options=("great-weapon",)),
        RosterEntry("warrior-priest", "Brother Anselm"),
        RosterEntry("halberdiers", HALBERDIERS, 6),
        RosterEntry("swordsmen", "Konrad Stahl, Veit Lang, Matthias Roth", 3),
        RosterEntry("archers", "Lukas Fink, Hannes Adler", 2),
        RosterEntry("handgunners", "Dieter Funk, Bruno Pulver", 2),
        details={**DETAILS, "is_opponents_copy": is_opponents_copy},
    )


def mixed() -> RosterSheet:
    """A mounted leader, a wizard, a musician, war machines, riders and a long note."""
    return sheet_of(
        RosterEntry(
            "captain",
            "Ruprecht Voll",
            is_leader=True,
            options=("barded-warhorse", "lance", "shield", "plate-armour"),
        ),
        RosterEntry("battle-wizard", "Magister Łukasz", lore="Lore of Fire"),
        RosterEntry("halberdiers", "Hans", options=("champion", "shields")),
        RosterEntry("halberdiers", "Drummer Till", options=("musician",)),
        RosterEntry("great-cannon", "Old Bessy"),
        RosterEntry("knightly-orders", "Sir Anton, Sir Bruno", 2),
        RosterEntry("pistoliers", "Pascal"),
        RosterEntry("free-company", "", 4),
        RosterEntry(
            "flagellants",
            "",
            3,
            note="Painted by Tom; carries the relic in the second scenario.",
        ),
        name="Horse, Guns and a Wizard",
    )


def horde(entries: int = 200, count: int = 200) -> RosterSheet:
    return sheet_of(
        *(
            RosterEntry("halberdiers", f"Company {i}", count, note=f"number {i}")
            for i in range(entries)
        )
    )


def print_html(
    sheet: RosterSheet,
    parts: Sequence[Part] = DEFAULT_PARTS,
    big: bool = False,
    styles: str = "",
) -> str:
    """The pages of a sheet as a browser would print them; ``styles`` links a stylesheet."""
    html = "".join(_whole(*page) for page in roster_pages(sheet, parts, big=big))
    link = f"<link rel='stylesheet' href='{styles}'/>" if styles else ""
    return html.replace("</head>", f"{link}</head>")


def _whole(html: str, parts: Parts | None) -> str:
    """A page with its parts in it, in the columns whose classes they name."""
    columns: dict[str, str] = {}
    for part, _ in parts or ():
        found = PART.fullmatch(part)
        assert found, part
        columns[found[1]] = columns.get(found[1], "") + found[2]
    inside = "".join(f"<div class='{name}'>{body}</div>" for name, body in columns.items())
    return html.replace("</header></div>", f"</header>{inside}</div>")
