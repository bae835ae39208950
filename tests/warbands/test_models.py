"""What the database itself refuses, whoever writes."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from accounts.tokens import new_token
from tests.factories import make_legal_warband, make_person, make_user, make_warband
from warbands.models import Warband, WarbandEvent, WarbandVisibility, Warrior, name_key

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("fields", [
    {"owner_key": "k", "owner": True},
    {"points_limit": 100_001}, {"points_limit": -1}, {"visibility": "world"},
    {"version": 0},
])  # fmt: skip
def test_impossible_warbands_are_refused(fields: dict[str, Any]) -> None:
    if fields.pop("owner", False):
        fields["owner"] = make_user()
    with pytest.raises(IntegrityError), transaction.atomic():
        Warband.objects.create(system="s", army="a", **fields)


@pytest.mark.parametrize(
    "fields", [{"count": 0}, {"count": 201}, {"count": 2, "is_leader": True}]
)
def test_impossible_warriors_are_refused(fields: dict[str, Any]) -> None:
    warband = make_warband()
    with pytest.raises(IntegrityError), transaction.atomic():
        Warrior.objects.create(warband=warband, position=0, profile="captain", **fields)


def test_a_version_has_one_event() -> None:
    warband = make_warband()
    with pytest.raises(IntegrityError), transaction.atomic():
        WarbandEvent.objects.create(warband=warband, version=1, verb="x", summary="x")


def test_tokens_are_short_opaque_and_different() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {16}


@pytest.mark.parametrize(
    "name,same",
    [("The Ferrymen", "ferrymen"), ("  FERRY   men", "ferry men"), ("STRASSE", "straße")],
)
def test_names_are_filed_alike(name: str, same: str) -> None:
    assert name_key(name) == name_key(same)


def test_visibility_fits_its_constraint() -> None:
    assert set(WarbandVisibility.values) == {"private", "link", "club", "public"}


def test_staff_may_look_at_warbands_and_change_none() -> None:
    warband = make_legal_warband(actor=make_person(), name="The Ferrymen")
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True))
    listing = client.get(reverse("admin:warbands_warband_changelist"), {"q": warband.token})
    page = client.get(reverse("admin:warbands_warband_change", args=[warband.pk]))
    assert (listing.status_code, page.status_code) == (200, 200)
    assert "The Ferrymen" in listing.content.decode()
    assert (
        client.post(
            reverse("admin:warbands_warband_change", args=[warband.pk]), {"name": "x"}
        ).status_code
        == 403
    )
    assert client.get(reverse("admin:warbands_warband_add")).status_code == 403
