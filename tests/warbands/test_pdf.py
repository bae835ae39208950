"""The printed documents: pages, sizes, what stands on them, and that nobody is cut."""

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pdfplumber
import pytest
from pypdf import PdfReader

from engine.roster import RosterEntry
from rulesdata.registry import list_army_keys, load_army, load_system
from tests.systems import in_turn
from tests.warbands.print_sheets import (
    DETAILS,
    HALBERDIERS,
    SYSTEM,
    horde,
    mixed,
    print_html,
    sheet_of,
    watch,
)
from warbands.pdf.documents import blank_pdf, roster_pdf
from warbands.pdf.press import PAPERS, PdfTooLarge
from warbands.queries.lists import starter
from warbands.sheet.structure import RosterSheet

MM = 72 / 25.4
LIVE_HEIGHT = 259 * MM
TOP = {"a4": 19 * MM, "letter": 10.2 * MM}


def reader(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def texts(pdf: bytes) -> list[str]:
    """The text of each page, any run of blanks as one space."""
    return [" ".join(page.extract_text().split()) for page in reader(pdf).pages]


def everything(pdf: bytes) -> str:
    return " ".join(texts(pdf))


def lowest(page: pdfplumber.page.Page) -> float:
    """How far down the page anything is drawn, in points below the top of the live area."""
    drawn = [*page.chars, *page.rects, *page.lines, *page.curves]
    return max(float(thing["bottom"]) for thing in drawn)


def fifteen_different() -> RosterSheet:
    profiles = [
        key for key, p in load_army(SYSTEM, "the-empire").profiles.items() if p.is_offered
    ][:15]
    return sheet_of(
        *(
            RosterEntry(key, f"Warrior {i}", is_leader=i == 0)
            for i, key in enumerate(profiles)
        )
    )


def starter_sheet(army: str) -> RosterSheet:
    found = starter(f"mordheim-rulings.A--{army}")
    assert found
    assert found.sheet.has_records
    return found.sheet


SHEETS = {
    "watch": watch,
    "mixed": mixed,
    "fifteen different": fifteen_different,
    "campaign": lambda: starter_sheet("skaven-clan-eshin"),
    "campaign heroes": lambda: replace(
        starter_sheet("reiklanders"),
        warriors=tuple(replace(w, count=20) for w in starter_sheet("reiklanders").warriors),
    ),
    "empty": lambda: sheet_of(name=""),
    "one": lambda: sheet_of(RosterEntry("captain", is_leader=True)),
    "sixty": lambda: sheet_of(
        RosterEntry("captain", "Chief", is_leader=True), RosterEntry("archers", "", 59)
    ),
    "findings": lambda: sheet_of(
        *(
            RosterEntry("captain", options=("nonsense", f"more-{i}", "magic/none"))
            for i in range(30)
        ),
        limit=20,
    ),
}


def in_turn_with(ways: Sequence[object]) -> list[Any]:
    """Each sheet in each of two ways; without --soak every second one in one of them by turns."""
    return [
        pytest.param(name, way, marks=pytest.mark.soak if (number + 2 * place) % 4 else ())
        for number, name in enumerate(SHEETS)
        for place, way in enumerate(ways)
    ]


@pytest.mark.parametrize("name, paper", in_turn_with(PAPERS))
def test_everything_stays_inside_the_live_area(name: str, paper: str) -> None:
    pdf = roster_pdf(SHEETS[name](), paper)
    with pdfplumber.open(io.BytesIO(pdf)) as document:
        for page in document.pages:
            assert lowest(page) <= TOP[paper] + LIVE_HEIGHT + 1, page.page_number
            assert max(float(c["x1"]) for c in page.chars) <= float(page.width) - 9 * MM


@pytest.mark.parametrize("name, is_big", in_turn_with([True, False]))
def test_pages_are_those_planned(name: str, is_big: bool) -> None:
    """A block estimated too low would push the layout engine onto a page nobody planned."""
    sheet = SHEETS[name]()
    planned = print_html(sheet, ("roster",), is_big).count("class='pg'")
    assert len(reader(roster_pdf(sheet, parts=("roster",), big=is_big)).pages) == planned


def test_nobody_is_cut_by_a_page_break() -> None:
    """On each page, a number and its strip of boxes stand on one height, as often as there are
    warriors.
    """
    sheet = SHEETS["sixty"]()
    pdf = roster_pdf(sheet, parts=("roster",))
    outs = 0
    with pdfplumber.open(io.BytesIO(pdf)) as document:
        assert len(document.pages) > 1
        for page in document.pages:
            boxes = page.extract_text().lower()
            outs += boxes.count("stunned")
    assert outs == 60


def test_the_watch_takes_two_pages_of_either_paper() -> None:
    for paper, size in (("a4", (595, 842)), ("letter", (612, 792))):
        pages = reader(roster_pdf(watch(), paper)).pages
        assert len(pages) == 2
        assert {
            (round(float(p.mediabox.width)), round(float(p.mediabox.height))) for p in pages
        } == {size}


@pytest.mark.parametrize("army", ["reiklanders", "undead", "skaven-clan-eshin"])
def test_a_campaign_warband_takes_two_pages_at_most(army: str) -> None:
    pages = print_html(starter_sheet(army), ("roster",)).count("class='pg'")
    assert pages == (1 if army == "reiklanders" else 2)


def test_the_sheet_says_what_a_referee_asks() -> None:
    first = texts(roster_pdf(watch()))[0]
    for words in (
        "The Wolfenburg Watch", "Anna Fischer", "238 of 250", "from 4 out, Ld 8",
        "No errors, no warnings", "Great weapon S6, two hands, strikes last",
        "Light armour 6+, Shield +1", "Run or charge 8″, spots 5″, flees 2D6″",
        "Blessings of Sigmar", "version 12",
    ):  # fmt: skip
        assert words in first, words
    for name in HALBERDIERS.split(", "):
        assert name in first
    assert "M4 WS5 BS5 S4 T4 W2 I5 A3 Ld8" in first


def test_arms_of_warriors_alike_are_printed_once() -> None:
    first = texts(roster_pdf(watch(), parts=("roster",)))[0]
    assert first.count("Halberd ") == 1
    assert "6 alike" in first


def test_equal_neighbours_stand_in_one_group() -> None:
    sheet = sheet_of(
        RosterEntry("halberdiers", "Hans"),
        RosterEntry("halberdiers", "Otto"),
        RosterEntry("archers", "Fritz"),
    )
    assert print_html(sheet, ("roster",)).count("<section>") == 2


def test_mount_crew_and_machine_have_their_own_lines() -> None:
    first = texts(roster_pdf(mixed(), parts=("roster",)))[0]
    assert "Barded Warhorse" in first
    assert "Crew, 3" in first
    assert "Lore: Lore of Fire" in first
    assert "Note: Painted by Tom" in first


def test_many_findings_are_all_told() -> None:
    sheet = SHEETS["findings"]()
    told = everything(roster_pdf(sheet, parts=("roster",)))
    serious = [f for f in sheet.findings if f.level != "note"]
    assert len(serious) > 90
    assert told.count("Error:") + told.count("Warning:") == len(serious)


def test_opponents_copy_has_no_points() -> None:
    pdf = roster_pdf(watch(is_opponents_copy=True))
    told = everything(pdf)
    assert "Opponent’s copy" in told
    assert "238" not in told
    assert "Points" not in told
    assert "opponent" in reader(pdf).metadata.title


def test_document_carries_title_language_author_and_bookmarks() -> None:
    found = reader(roster_pdf(watch()))
    assert found.metadata.title == "The Wolfenburg Watch"
    assert found.metadata.author == "Anna Fischer"
    assert found.trailer["/Root"]["/Lang"] == "en"
    titles = [entry.title for entry in found.outline if not isinstance(entry, list)]
    assert titles == ["The Wolfenburg Watch", "Quick Reference"]


def test_a_code_is_printed_only_with_an_address() -> None:
    assert len(reader(roster_pdf(watch(), parts=("roster",))).pages[0].images) == 1
    plain = sheet_of(RosterEntry("captain"), details={**DETAILS, "url": ""})
    assert len(reader(roster_pdf(plain, parts=("roster",))).pages[0].images) == 0


def test_reference_names_only_what_is_needed() -> None:
    footmen = everything(
        roster_pdf(sheet_of(RosterEntry("halberdiers", "Hans")), parts=("reference",))
    )
    assert "To wound" in footmen
    assert "To hit with missiles" not in footmen
    assert "Halberd" in footmen
    assert "English Civil War" in footmen
    assert "To hit with missiles" in everything(roster_pdf(watch(), parts=("reference",)))


@pytest.mark.parametrize("army", in_turn(list_army_keys(SYSTEM), of=5))
def test_every_army_prints_on_one_reference_page(army: str) -> None:
    """Every profile of the list in one roster: more than any warband needs, and still one page of
    reference.
    """
    entries = [
        RosterEntry(key, f"Number {i}", 1 + i % 3)
        for i, key in enumerate(load_army(SYSTEM, army).profiles)
    ]
    sheet = sheet_of(*entries[:80], army=army)
    reference = roster_pdf(sheet, parts=("reference",))
    assert len(reader(reference).pages) == 1
    with pdfplumber.open(io.BytesIO(reference)) as document:
        assert lowest(document.pages[0]) <= TOP["a4"] + LIVE_HEIGHT + 1
    some = sheet_of(*entries[::3], army=army)
    planned = print_html(some, ("roster",)).count("class='pg'")
    assert len(reader(roster_pdf(some, parts=("roster",))).pages) == planned


def test_cards_are_of_playing_card_size_and_hold_seven_at_most() -> None:
    sheet = sheet_of(
        RosterEntry("captain", "Chief", is_leader=True), RosterEntry("halberdiers", "", 20)
    )
    pdf = roster_pdf(sheet, parts=("cards",))
    html = print_html(sheet, ("cards",))
    cards = [cell for cell in html.split("<td>")[1:] if "<h3>" in cell]
    assert len(cards) == 1 + 3
    assert max(cell.count("class='c2'") for cell in cards) == 7
    with pdfplumber.open(io.BytesIO(pdf)) as document:
        page = document.pages[0]
        assert (round(float(page.width)), round(float(page.height))) == (842, 595)
        edges = sorted(
            {
                round(float(e["x0"]) / MM, 1)
                for e in page.rects
                if float(e["height"]) > 80 * MM
            }
        )
        assert (
            any(abs(edges[i + 1] - edges[i] - 63) < 0.4 for i in range(len(edges) - 1))
            or not edges
        )
        assert lowest(page) < float(page.height) - 10 * MM


def test_blank_sheet_has_the_same_boxes() -> None:
    for paper in PAPERS:
        pages = texts(blank_pdf(load_system(SYSTEM), paper))
        assert len(pages) == 1
        assert pages[0].count("Stunned") == 15
        assert "Rout test" in pages[0]


def test_the_largest_roster_stays_within_bounds(soak: Callable[[int, int], int]) -> None:
    sheet = horde(count=200)
    html = print_html(sheet, ("roster",))
    assert html.count("<h4>") + html.count("<h3>") <= 600
    assert "and 198 more alike" in html or "and 197 more alike" in html
    assert html.count("class='pg'") < 60
    pdf = roster_pdf(
        horde(entries=200, count=soak(2, 200)), parts=("roster", "reference", "cards")
    )
    assert pdf.startswith(b"%PDF")


def test_more_than_a_sheet_holds_is_refused_in_a_sentence() -> None:
    sheet = watch()
    too_many = replace(sheet, warriors=sheet.warriors * 60)
    with pytest.raises(PdfTooLarge, match="at most 200"):
        roster_pdf(too_many)
    crowd = replace(sheet, warriors=(replace(sheet.warriors[0], count=100_000),))
    with pytest.raises(PdfTooLarge, match="at most 200"):
        roster_pdf(crowd)


@pytest.mark.parametrize("arguments", [
    {"paper": "a3"},
    {"parts": ("roster", "slip")},
    {"parts": ()},
    {"parts": ("cards", "cards")},
])  # fmt: skip
def test_unknown_paper_or_part_is_a_sentence(arguments: dict) -> None:
    with pytest.raises(ValueError, match=r"\."):
        roster_pdf(watch(), **arguments)


def test_figures_that_are_no_digit_have_their_box() -> None:
    sheet = watch()
    figures = ("2D6", "11", "*", "10", "–", "9", "3", "D6+1", "odd")
    cells = tuple(
        zip(("M", "WS", "BS", "S", "T", "W", "I", "A", "Ld"), figures, strict=True)
    )
    line = replace(sheet.warriors[0].lines[0], cells=cells)
    odd = replace(sheet.warriors[0], lines=(line,), wounds=9, points_each=1234)
    first = texts(roster_pdf(replace(sheet, warriors=(odd,)), parts=("roster",)))[0]
    assert "M2D6 WS11 BS* S10 T– W9 I3 AD6+1 Ld*" in first
    assert "* Ld odd" in first
    assert "/9" in first
    assert "1234" in first
