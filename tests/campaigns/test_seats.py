"""The list to pin up says where everybody sits, by name and by table."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.pdf import Slip, slip_html
from tests.campaigns.leagues import make_league
from tests.campaigns.results import put_up

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
