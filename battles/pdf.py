"""The papers of a table: what its pack holds, and how it is drawn, alone or with all
tables of a round.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from html import escape
from pathlib import Path
from typing import Any

from pikepdf import Object, ObjectStreamMode, OutlineItem, Pdf

from battles.keys import spell_key
from battles.queries.index import BattleRecord
from engine.battles.rules import BattleRules
from engine.records import ChoiceList, Texts, copy_fields, frozen_dataclass
from engine.types.systems import Scenario
from warbands.pdf.documents import Documents, pack_pages, pages_pdf
from warbands.pdf.header import qr_code_png
from warbands.pdf.measure import (
    LIVE_MM,
    NBSP,
    SERIF,
    chunks,
    clean,
    split_words,
    truncate,
    wrap_words,
)
from warbands.pdf.press import Paper
from warbands.sheet.structure import RosterSheet

# What a table pack holds, whether its battle is set up already or only to be played.
#
# No drawing here.

BY_CODE = "Scan the code to report the result for both players"
CONFIRMED = "Your opponent will confirm it."


@frozen_dataclass
class PackSide:
    """A side on paper, with its ``player`` where one is known.

    ``size`` None is not known before it is fielded; without a ``sheet`` none is printed.
    """

    name: str
    size: int | None
    sheet: RosterSheet | None = None
    player: str = ""

    @property
    def title(self) -> str:
        """The player and what the side is called."""
        is_same = self.player in ("", self.name)
        return self.name if is_same else f"{self.player}, {self.name}"


@frozen_dataclass
class TablePack:
    """A table's papers.

    ``place`` says where and when, ``table`` which table, both "" for a battle of its own;
    ``agreed`` are sentences.

    ``endings`` are the ways to win, to tick one. ``code`` is the address in the code of the slip,
    "" for none; ``foot`` says what to do with the slip.
    """

    title: str
    place: str
    system_name: str
    scenario_name: str
    scenario: Scenario | None
    agreed: Texts
    day: date | None
    sides: tuple[PackSide, ...]
    has_rout: bool
    code: str = ""
    foot: str = CONFIRMED
    table: str = ""
    endings: Texts = ()

    @property
    def sheets(self) -> tuple[RosterSheet, ...]:
        """The sheet of each side that has one, with its player, opponent, table and scenario."""
        return tuple(
            replace(
                side.sheet,
                owner=side.player or side.sheet.owner,
                opponent=" and ".join(
                    other.player or other.name for other in self.sides if other is not side
                ),
                table=self.table,
                scenario=self.scenario_name or side.sheet.scenario,
            )
            for side in self.sides
            if side.sheet is not None
        )


def ways_to_win(rules: BattleRules) -> Texts:
    """How a battle is won, in the words of its rules."""
    return tuple(end.name for end in rules.endings.values() if end.has_winner)


def battle_pack(
    record: BattleRecord,
    sheets: Mapping[str, RosterSheet],
    *,
    join_url: str,
    place: str = "",
    table: str = "",
) -> TablePack:
    """The papers of a battle.

    ``join_url`` is what the slip's code leads to, "" for those who may not record.
    """
    agreed = (
        f"{record.side_name(record.attacker)} attacks." if record.attacker else "",
        f"{record.side_name(record.first)} goes first." if record.first else "",
        f"House rules: {', '.join(record.house_rule_names)}."
        if record.house_rule_names
        else "",
        *(f"{ruling.sentence}" for ruling in record.played_rulings),
    )
    return copy_fields(
        TablePack,
        record,
        place=place,
        table=table,
        scenario=record.scenario_record,
        agreed=tuple(line for line in agreed if line),
        day=record.fought_date,
        sides=tuple(
            PackSide(side.name, side.size, sheets.get(side.key), side.owner_name)
            for side in record.sides
        ),
        has_rout=record.rules.rout is not None,
        endings=ways_to_win(record.rules),
        code=join_url,
        foot=f"{BY_CODE}, or enter the battle code {spell_key(record.key)}. {CONFIRMED}"
        if join_url
        else CONFIRMED,
    )


# The papers of a table, and of all tables of a round, as PDF.


@frozen_dataclass
class PdfPart:
    """A document of our own on the disk, and what its line in the contents says."""

    path: Path
    title: str


def join_parts(parts: Iterable[PdfPart], title: str, path: Path) -> None:
    """Write the joined document to ``path``, whole or not at all.

    Raises OSError where it cannot be written.

    Fonts that several parts hold alike are kept once.
    """
    # Written beside and then renamed, so that nobody reads half a document.
    draft = path.with_suffix(".draft")
    fonts: dict[bytes, Object] = {}
    with ExitStack() as opened:
        joined = opened.enter_context(Pdf.new())
        with joined.open_outline() as outline:
            for part in parts:
                # Open until all is saved: only then its pages are read.
                document = opened.enter_context(Pdf.open(part.path))
                outline.root.append(OutlineItem(part.title, len(joined.pages)))
                joined.pages.extend(document.pages)
        for page in joined.pages:
            _share_fonts(page.resources, fonts)
        joined.docinfo["/Title"] = title
        joined.docinfo["/Producer"] = "Muster Roll"
        try:
            joined.save(draft, object_stream_mode=ObjectStreamMode.generate)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def _share_fonts(resources: Object, fonts: dict[bytes, Object]) -> None:
    """Have a page, and the forms that it draws, use the equal fonts of those before."""
    fonts_of_page: Any = resources.get("/Font", {})
    for name, font in fonts_of_page.items():
        file = font.DescendantFonts[0].FontDescriptor.FontFile2
        key = file.read_raw_bytes() + font.ToUnicode.read_raw_bytes()
        fonts_of_page[name] = fonts.setdefault(key, font)
    for drawn in resources.get("/XObject", {}).values():
        if "/Resources" in drawn:
            _share_fonts(drawn.Resources, fonts)


_TEXT_PT = 10.4
_HOW_PT = 9.4
_MOST_LINES = 12
_BOXES_A_LINE = 24
_SLIPS_AT_MOST_SIDES = 2


def table_pack(
    record: BattleRecord,
    sheets: Mapping[str, RosterSheet],
    *,
    join_url: str = "",
    paper: Paper,
) -> bytes:
    """The PDF of everything a battle's table needs.

    ``join_url`` is what the slip's code leads to, "" for no code.

    Raises ValueError for an unknown paper, PdfTooLarge and PdfFailed as a roster does.
    """
    return pages_pdf(pack_documents(battle_pack(record, sheets, join_url=join_url)), paper)


def pack_documents(pack: TablePack) -> Documents:
    """The pages of a pack before they are drawn. Raises PdfTooLarge as a roster does."""
    first = f"<div class='pg'>{_scenario(pack)}{_slip(pack)}</div>"
    return pack_pages(clean(pack.title, 120), [first], pack.sheets)


def _scenario(pack: TablePack) -> str:
    """Return the HTML of the scenario page: what is told of it, each text cut to ``_MOST_LINES``,
    then what was agreed.
    """
    title = clean(pack.scenario_name, 80) or "No scenario agreed"
    name = escape(truncate(title, LIVE_MM - 4, 22, SERIF))
    kicker = ["MUSTER ROLL", clean(pack.place, 120), clean(pack.system_name, 60)]
    top = escape(truncate((NBSP * 3).join(filter(None, kicker)), LIVE_MM - 14, 8.6))
    parts = [
        f"<header><p class='k'>{top}</p><h1 class='z22'>{name}</h1></header><main class='sc'>"
    ]
    sections: ChoiceList = []
    if scenario := pack.scenario:
        roles = [
            f"{side.get('name', '')}: {side.get('role', '')}" for side in scenario.sides
        ]
        sections = [
            ("What it is", scenario.summary),
            ("Sides", " ".join(roles)),
            ("Setting up", scenario.setup),
            ("Objectives", scenario.objectives),
            ("Special rules", " ".join(scenario.special_rules)),
            ("Length", scenario.length),
        ]
    for heading, text in (*sections, ("Agreed", " ".join(pack.agreed))):
        if text.strip():
            parts.append(f"<h2>{escape(heading)}</h2>")
            lines = wrap_words(split_words(clean(text, 600)), LIVE_MM, _TEXT_PT)
            parts += [f"<p>{line}</p>" for line in lines[:_MOST_LINES]]
    return "".join(parts) + "</main>"


def _slip(pack: TablePack) -> str:
    """The slip to fill in, sign and hand to the organiser.

    More than two sides get a row of boxes each.
    """
    title = escape(truncate(clean(pack.title, 160), LIVE_MM - 24, 19, SERIF))
    day = f"{pack.day.day} {pack.day:%B %Y}" if pack.day else ""
    parts = (clean(pack.place, 120), clean(pack.scenario_name, 60), day)
    facts = escape(truncate(", ".join(filter(None, parts)), LIVE_MM - 24, 8.2))
    rows, rout = "", "Ended in turn ......"
    if pack.has_rout:
        rout = "Rout test failed  ☐   in turn ......"
    # Two sides fit beside each other in the width of the slip.
    for sides in chunks([*enumerate(pack.sides, 1)], _SLIPS_AT_MOST_SIDES):
        names = "".join(
            f"<td>Side {number}\n{escape(truncate(clean(side.title, 80), 88, 13, SERIF))}</td>"
            for number, side in sides
        )
        boxes = ""
        for _, side in sides:
            # A square for each model, else dots where there are too many or nobody knows yet.
            models = f"{'.' * 16} of {side.size or '.' * 8}"
            if side.size and side.size <= _BOXES_A_LINE:
                models = "☐" * side.size
            boxes += (
                f"<pre class='sx'>☐ won     ☐ drawn     ☐ lost\nOut  {models}\n{rout}\n"
                f"Points .......   Signed ..............................</pre>"
            )
        rows += f"<table class='v'><tr>{names}</tr></table>{boxes}"
    return (
        f"<div class='cutline'></div><div class='sl'>{qr_code_png(pack.code)}"
        f"<p class='k'>MUSTER ROLL{NBSP * 3}Result slip</p>"
        f"<h1>{title}</h1><p class='t'>{facts}</p>"
        + rows
        + how_line(pack.endings)
        + f"<p class='fo'>{escape(pack.foot)}</p></div>"
    )


def how_line(endings: Sequence[str]) -> str:
    """How it was won: a box for each way, as many as there is room for."""
    if not endings:
        return ""
    line = (NBSP * 3).join(["How it was won", *(f"☐ {clean(n, 40)}" for n in endings)])
    return f"<p class='sh'>{escape(truncate(line, LIVE_MM, _HOW_PT))}</p>"
