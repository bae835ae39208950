"""The warband pages: what bad input gets."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import record_of
from tests.warbands.conftest import first, url
from warbands.models import Warband, WarbandVisibility

pytestmark = pytest.mark.django_db


def test_count_must_be_a_whole_number(warband: Warband, owner: Client) -> None:
    address = url("warrior-count", warband, first(warband).pk)
    for count in ("-1", "1e3", "٣", "²", "NaN", "", "true", "9" * 5000):
        assert owner.post(address, {"count": count}).status_code == 400, count
    assert record_of(warband).version == warband.version


def test_limit_must_be_in_range(warband: Warband, owner: Client) -> None:
    for limit in ("-1", "100001", "9" * 30, "1e9", "NaN", ""):
        sent = {"name": "x", "limit": "other", "other_limit": limit}
        assert owner.post(url("warband-change", warband), sent).status_code == 400, limit
    assert record_of(warband).roster.name == "Ferrymen"


def test_rubbish_is_refused(warband: Warband, owner: Client) -> None:
    for name, sent in (
        ("warrior-add", {"profile": "dragon\0"}),
        ("warrior-add", {"profile": "x" * 5000}),
        ("warrior-add", {}),
        ("finding-fix", {"action": "explode"}),
        ("finding-fix", {"action": "lead", "warrior": "x"}),
        ("roster-sort", {"version": "x"}),
        ("roster-sort", {"key": "k" * 101}),
    ):
        assert owner.post(url(name, warband), sent).status_code == 400, (name, sent)
    assert record_of(warband).version == warband.version
    for query in ("paper=a5", "parts=roster,cover", "copy=mine", "big=2"):
        assert owner.get(f"{url('sheet-pdf', warband)}?{query}").status_code == 400, query
    for name in ("warrior-lead", "warrior-remove", "warrior-duplicate"):
        assert owner.post(url(name, warband, 10**17)).status_code == 404, name


def test_public_list_refuses_rubbish() -> None:
    wrong = ("page=0", "page=x", "points_from=-1", "points_to=1e5", "army=none")
    for query in (*wrong, "search=" + "x" * 201):
        address = f"{reverse('warband-public')}?{query}"
        assert Client().get(address).status_code == 400, query


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
