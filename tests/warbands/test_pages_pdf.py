"""The PDFs of a warband: what they are called, how often, and what they leave out."""

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.factories import (
    make_legal_warband,
    make_person,
    make_warband,
    make_warrior,
    record_of,
)
from tests.warbands.conftest import url
from warbands.models import Warband
from warbands.pdf.cards import cards_body
from warbands.pdf.header import finding_lines
from warbands.pdf.measure import NBSP
from warbands.queries.warbands import sheet_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("query", ["", "?paper=letter&parts=cards", "?copy=opponent&big=1"])
def test_pdf(query: str, warband: Warband, owner: Client) -> None:
    answer = owner.get(url("sheet-pdf", warband) + query)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")
    assert 'filename="Ferrymen.pdf"' in answer.headers["Content-Disposition"]


@pytest.mark.parametrize("name,expected", [
    ("../../etc/passwd", "etc-passwd.json"),
    ('a"b\r\nX: y', "a-b-X-y.json"),
    ("", "warband"), ("Größe", "Gr"),
])  # fmt: skip
def test_file_name_is_safe(name: str, expected: str, owner: Client, hanna: User) -> None:
    warband = make_warband(actor=make_person(user=hanna))
    Warband.objects.filter(pk=warband.pk).update(name=name)
    header = owner.get(url("roster-json", warband)).headers["Content-Disposition"]
    assert expected.lower() in header.lower()
    assert "\n" not in header
    assert "/" not in header


def test_pdfs_are_rate_limited(warband, owner, monkeypatch):
    monkeypatch.setattr("accounts.requests.PRINT_RATES", {"pdf": "2/5m/ip"})
    monkeypatch.setattr("warbands.views.sheets.blank_pdf", lambda system, paper: b"%PDF-")
    answers = [owner.get(url("blank-pdf", warband)) for _ in range(3)]
    assert [a.status_code for a in answers] == [200, 200, 429]
    assert answers[-1].headers["Retry-After"]


def test_opponents_copy_names_no_points(warband: Warband, owner: Client) -> None:
    sheet = owner.get(url("sheet-opponent", warband)).content.decode()
    paper = sheet[sheet.index("<article") : sheet.index("</article>")]
    assert "Pts" not in paper
    assert "/ 150" not in paper
    assert "Pts" in owner.get(url("sheet-read", warband)).content.decode()


def test_opponents_copy_tells_issues_but_for_those_about_prices(owner, hanna):
    warband = make_warband(actor=make_person(user=hanna), points_limit=10)
    make_warrior(warband=warband, profile="captain", options=["halberd", "great-weapon"])
    mine, theirs = (
        owner.get(url(name, warband)).content.decode()
        for name in ("sheet-read", "sheet-opponent")
    )
    sheet = replace(sheet_of(record_of(warband)), is_opponents_copy=True)
    printed = NBSP.join(finding_lines(sheet, 8)).replace(NBSP, " ")
    for words, is_about_prices in (("only one of", False), ("over the limit", True)):
        assert words in mine
        assert [words in theirs, words in printed] == [not is_about_prices] * 2


def test_print_opens_the_pdf_of_the_same_page() -> None:
    """So that paper from the page and from the PDF is one paper."""
    warband = make_legal_warband(visibility="link")
    faces = (
        "sheet-read", "sheet-reference", "sheet-cards", "sheet-opponent", "sheet-blank",
    )  # fmt: skip
    for name in faces:
        html = Client().get(reverse(name, args=[warband.token])).content.decode()
        printed = re.search(r'<a class="btn pri" href="([^"]+)"', html)
        assert printed, name
        # The same address stands first in the menu of PDFs.
        assert html.count(f'href="{printed[1]}"') == 2, name
        assert "data-print" not in html


def test_cards_count_those_alike_from_one() -> None:
    warband = make_legal_warband()
    make_warrior(warband=warband, profile="swordsmen", count=6)
    html = cards_body(sheet_of(record_of(warband)))
    told = re.findall(r">(\d of 6)", html)
    assert told == [f"{number} of 6" for number in range(1, 7)]
