"""The table pack on paper: scenario, slip, every side's sheet, in every system and with two, four
and quick sides.
"""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pikepdf import Dictionary, Pdf
from pypdf import PdfReader

from battles.operations.sides import QuickSide, RosterSide, SideChoice
from battles.pdf import PdfPart, join_parts, table_pack
from battles.queries.battles import load_sheets
from tests.battles.pages import browser_of, url
from tests.factories import battle_owner, battle_record, make_battle, make_person
from tests.rulebooks import load_books
from tests.systems import some_of, systems_with
from warbands.exchange.document import to_document
from warbands.pdf.documents import roster_pdf
from warbands.pdf.press import PAPERS
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db

JOIN = "https://rosters.example.org/battles/abc/join/#KEY"


def pages(battle, *, join_url=JOIN, actor=None, paper="a4") -> list[str]:
    """The text of each page, any run of blanks as one space."""
    record = battle_record(battle, actor=actor)
    pdf = table_pack(record, load_sheets(record), join_url=join_url, paper=paper)
    return [
        " ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages
    ]


def rosters(address: str) -> list[SideChoice]:
    """Two sides of that system: its starters, and a quick side where it has only one."""
    found: Sequence[SideChoice] = [
        RosterSide(to_document(one.roster)) for one in starters(address)
    ][:2]
    return [*found, QuickSide("Night Watch", 5)][:2]


@some_of(systems_with("battle"), of=3, start=2)
def test_pack_of_every_system(book: object) -> None:
    key, variant = book.key, book.variant
    battle = make_battle(system=key, variant=variant, sides=rosters(book.address))
    first, *others = pages(battle)
    record = battle_record(battle)
    for side in record.sides:
        assert side.name[:12] in first
        if not side.is_quick:
            assert any(side.name[:12] in page for page in others), side.name
    has_rout = record.rules.rout is not None
    assert ("Rout test failed" in first, "Ended in turn" in first) == (
        has_rout,
        not has_rout,
    )
    assert len(others) >= sum(not side.is_quick for side in record.sides)


def test_scenario_and_what_was_agreed_stand_on_the_first_page() -> None:
    load_books()
    battle = make_battle(scenario="border-skirmish", attacker=1, first=0)
    first = pages(battle)[0]
    assert battle.scenario_name
    assert battle.scenario_name in first
    assert "Night Watch attacks." in first
    assert "No scenario agreed" in pages(make_battle())[0]


def test_slip_of_quick_sides_has_a_box_for_each_model() -> None:
    battle = make_battle(sides=[QuickSide("Reds", 7, 7), QuickSide("Many", 60, 7)])
    (only,) = pages(battle)
    assert only.count("☐") == 7 + 2 * (3 + 1) + 6  # and six ways to win
    assert "of 60" in only
    assert only.count("Signed") == 2


def test_slip_of_four_sides_has_four_signatures() -> None:
    battle = make_battle(
        sides=[QuickSide(name, 3, 7) for name in ("Reds", "Blues", "Greens", "Greys")]
    )
    (only,) = pages(battle)
    assert only.count("Signed") == 4
    assert "Side 4 Greys" in only


@pytest.mark.parametrize("paper", PAPERS)
def test_paper(paper: str) -> None:
    battle = make_battle()
    record = battle_record(battle)
    found = PdfReader(io.BytesIO(table_pack(record, load_sheets(record), paper=paper)))
    width = float(found.pages[0].mediabox.width)
    assert round(width) == {"a4": 595, "letter": 612}[paper]
    assert found.metadata is not None
    assert found.metadata.title == record.title


def test_key_stands_on_the_slip_of_those_who_record_alone() -> None:
    battle = make_battle()
    spelt = "-".join(battle.key[at : at + 4] for at in (0, 4, 8))
    assert spelt in pages(battle)[0]
    stranger = pages(battle, join_url="", actor=make_person())[0]
    assert spelt not in stranger
    assert "Your opponent will confirm it." in stranger


def test_wild_names_are_drawn() -> None:
    wild = "<b>\u200b日本 🐺" + "W" * 150
    (only,) = pages(make_battle(sides=[QuickSide(wild, 2, 7), QuickSide("&amp;", 2, 7)]))
    drawn = only.replace(" ", "").replace(
        "\x00", ""
    )  # letters of another font stand apart in what is read back
    assert "&amp;" in drawn
    assert "<b>" in drawn


def test_through_the_page() -> None:
    battle = make_battle()
    client = browser_of(battle_owner(battle))
    answer = client.get(url("battle-table-pack", battle))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer.content[:5] == b"%PDF-"
    assert client.get(url("battle-table-pack", battle) + "?paper=a5").status_code == 400


def test_parts_that_are_joined_share_equal_fonts(tmp_path: Path) -> None:
    part = PdfPart(tmp_path / "part.pdf", "Table 1")
    part.path.write_bytes(roster_pdf(starters()[0].sheet))
    joined = tmp_path / "joined.pdf"
    join_parts([part, replace(part, title="Table 2")], "Round 1", joined)
    found = PdfReader(joined)
    pages = len(found.pages) // 2
    assert [found.get_destination_page_number(line) for line in found.outline] == [0, pages]
    assert font_files(joined) == font_files(part.path) > 0


def font_files(path: Path) -> int:
    with Pdf.open(path) as document:
        found = [one for one in document.objects if isinstance(one, Dictionary)]
        return sum("/FontFile2" in one for one in found)
