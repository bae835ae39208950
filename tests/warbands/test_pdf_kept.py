"""A document that was made lately is not drawn again; anything it shows differently makes another."""

from dataclasses import replace

import pytest

from tests.factories import make_legal_warband, record_of
from tests.warbands.print_sheets import watch
from warbands.pdf import documents
from warbands.pdf.documents import KEPT_BYTES, kept_roster_pdf
from warbands.queries.warbands import sheet_of


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each sheet that was drawn."""
    names: list[str] = []

    def draw(sheet, paper, parts, *, big):
        names.append(sheet.name)
        return f"{sheet.name} {paper} {parts} {big}".encode()

    monkeypatch.setattr(documents, "roster_pdf", draw)
    return names


@pytest.mark.django_db
def test_same_warband_loaded_twice_is_drawn_once(drawn: list[str]) -> None:
    warband = make_legal_warband()
    first = kept_roster_pdf(sheet_of(record_of(warband)))
    assert kept_roster_pdf(sheet_of(record_of(warband))) == first
    assert len(drawn) == 1


def test_everything_shown_is_part_of_the_key(drawn: list[str]) -> None:
    sheet = watch()
    kept_roster_pdf(sheet)
    kept_roster_pdf(replace(sheet, name="Another"))
    kept_roster_pdf(replace(sheet, warriors=sheet.warriors[1:]))
    kept_roster_pdf(sheet, "letter")
    kept_roster_pdf(sheet, parts=("roster",))
    kept_roster_pdf(sheet, big=True)
    assert len(drawn) == 6


def test_document_too_large_to_keep_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet, sizes = watch(), []
    for size in (KEPT_BYTES + 1, KEPT_BYTES, 1):
        monkeypatch.setattr(
            documents, "roster_pdf", lambda *_, size=size, **__: b"." * size
        )
        sizes.append(len(kept_roster_pdf(sheet)))
    assert sizes == [KEPT_BYTES + 1, KEPT_BYTES, KEPT_BYTES]
