"""The warband pages: what bad input gets."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import record_of
from tests.warbands.conftest import first, url
from warbands.models import Warband, WarbandVisibility

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("count", ["-1", "1e3", "٣", "²", "NaN", "", "true", "9" * 5000])
def test_count_must_be_a_whole_number(count: str, warband: Warband, owner: Client) -> None:
    answer = owner.post(url("warrior-count", warband, first(warband).pk), {"count": count})
    assert answer.status_code == 400
    assert record_of(warband).version == warband.version


@pytest.mark.parametrize("limit", ["-1", "100001", "9" * 30, "1e9", "NaN", ""])
def test_limit_must_be_in_range(limit: str, warband: Warband, owner: Client) -> None:
    sent = {"name": "x", "limit": "other", "other_limit": limit}
    answer = owner.post(url("warband-change", warband), sent)
    assert answer.status_code == 400
    assert record_of(warband).roster.name == "Ferrymen"


@pytest.mark.parametrize(
    "name,sent",
    [
        ("warrior-add", {"profile": "dragon\0"}),
        ("warrior-add", {"profile": "x" * 5000}),
        ("warrior-add", {}),
        ("finding-fix", {"action": "explode"}),
        ("finding-fix", {"action": "lead", "warrior": "x"}),
        ("roster-sort", {"version": "x"}),
        ("roster-sort", {"key": "k" * 101}),
    ],
)
def test_rubbish_is_refused(
    name: str, sent: dict[str, str], warband: Warband, owner: Client
) -> None:
    assert owner.post(url(name, warband), sent).status_code == 400
    assert record_of(warband).version == warband.version


@pytest.mark.parametrize("name", ["warrior-lead", "warrior-remove", "warrior-duplicate"])
def test_unknown_warrior_is_404(name: str, warband: Warband, owner: Client) -> None:
    assert owner.post(url(name, warband, 10**17)).status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=x",
        "points_from=-1",
        "points_to=1e5",
        "army=none",
        "search=" + "x" * 201,
    ],
)
def test_public_list_refuses_rubbish(query: str) -> None:
    assert Client().get(f"{reverse('warband-public')}?{query}").status_code == 400


@pytest.mark.parametrize("query", ["paper=a5", "parts=roster,cover", "copy=mine", "big=2"])
def test_pdf_refuses_rubbish(query: str, warband: Warband, owner: Client) -> None:
    answer = owner.get(f"{url('sheet-pdf', warband)}?{query}")
    assert answer.status_code == 400


def test_public_list_finds_by_army_points_and_name(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=WarbandVisibility.PUBLIC)
    where, client = reverse("warband-public"), Client()
    assert "Ferrymen" in client.get(where).content.decode()
    found = client.get(
        where,
        {"army": "warhammer-skirmish/the-empire", "search": "ferry", "points_from": "50"},
    )
    assert "Ferrymen" in found.content.decode()
    for asked in (
        {"search": "xyz"},
        {"points_from": "5000"},
        {"army": "warhammer-skirmish/skaven"},
    ):
        assert "Ferrymen" not in client.get(where, asked).content.decode()
