"""The list to pin up says where everybody sits, by name and by table."""

from __future__ import annotations

import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from battles.pdf import pack_documents
from campaigns.operations.results import open_fixture
from campaigns.pdf import Slip, slip_html
from campaigns.queries.table_packs import load_pack
from tests.campaigns.leagues import make_league
from tests.campaigns.results import put_up
from warbands.pdf import pages_pdf

pytestmark = pytest.mark.django_db


def test_list_to_pin_up_is_by_name_and_by_table() -> None:
    league = make_league(players=5, visibility="link")
    put_up(league, 1, [("Dora", "Ben"), ("Cleo", "Ada"), ("Emil",)])
    first, second, _ = league.fixtures(1)
    type(first).objects.filter(pk=first.pk).update(table=2, scenario_name="The Quay")
    type(first).objects.filter(pk=second.pk).update(table=1)
    page = Client().get(reverse("round-seats", args=[league.token, 1])).content.decode()
    cells = [
        re.sub(r"<[^>]+>|\s+", " ", row).split()
        for row in re.findall(r"<tr>(.*?)</tr>", page, re.S)
    ]
    assert cells[1:6] == [
        ["Ada", "1", "Cleo"],
        ["Ben", "2", "Dora"],
        ["Cleo", "1", "Ada"],
        ["Dora", "2", "Ben"],
        ["Emil", "Bye", "–"],
    ]
    assert [row[0] for row in cells[7:]] == ["1", "2"]
    assert cells[8][-2:] == ["The", "Quay"]


def test_draft_is_not_pinned_up_by_players() -> None:
    league = make_league(players=2, visibility="link")
    put_up(league, 1, [("Ada", "Ben")])
    league.event.rounds.update(status="draft")
    page = Client().get(reverse("round-seats", args=[league.token, 1])).content.decode()
    assert "No pairings yet" in page
    assert "Ada" not in page


def test_slip_asks_how_it_was_won() -> None:
    slip = Slip(
        "League",
        ["Table 1"],
        [("Ada", ""), ("Ben", "")],
        "https://x.example/",
        endings=["Conceded", "Rout"],
    )
    html = slip_html(slip)
    assert "☐ Conceded" in html
    assert "☐ Rout" in html


def texts(pdf: bytes) -> list[str]:
    return [
        " ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages
    ]


def test_slips_of_a_round_come_four_to_a_page() -> None:
    league = make_league(players=11, visibility="link")
    names = [one.name for one in league.entries]
    put_up(league, 1, [*zip(names[:8:2], names[1:8:2], strict=True), tuple(names[8:11])])
    found = Client().get(reverse("round-slips", args=[league.token, 1]))
    pages = texts(found.content)
    assert [page.count("Result slip") for page in pages] == [4, 1]
    assert names[6] in pages[0]
    assert all(name in pages[1] for name in names[8:11])
    assert pages[0].count("How it was won") == 4
    league.event.rounds.update(status="draft")
    assert Client().get(reverse("round-slips", args=[league.token, 1])).status_code == 404


def test_sheets_of_the_evening_name_player_opponent_table_and_scenario() -> None:
    league = make_league(players=2, with_warbands=True)
    (game,) = put_up(
        league, 1, [("Ada", "Ben")], table=7, scenario="raid", scenario_name="The Quay"
    )
    for is_set_up in (False, True):
        if is_set_up:
            open_fixture(league.ask(), game.token)
        pack = load_pack(game.token, "https://x.example")
        assert pack
        first, *others = texts(pages_pdf(pack_documents(pack)))
        assert "Ada against Ben" in first
        assert "How it was won" in first
        sheets = [page for page in others if "Opponent" in page]
        for page, player, other in zip(sheets, ("Ada", "Ben"), ("Ben", "Ada"), strict=True):
            assert f"Opponent {other} Scenario The Quay Table 7 Date" in page
            assert player in page
