"""What rosters without an account may take: those of one address in a day, and all of the site."""

import json

import pytest
from django.core.cache import cache
from django.db.models import Sum
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tests.factories import make_user
from warbands.models import Warband, WarbandEvent, Warrior
from warbands.operations.rows import SITE_KEY

pytestmark = pytest.mark.django_db

DOCUMENT = {
    "format": "muster-roll/1",
    "system": "warhammer-skirmish",
    "army": "the-empire",
    "warriors": [{"profile": "halberdiers", "note": "n" * 2000}] * 5,
}


def make_roster(client: Client) -> int:
    sent = {"text": json.dumps(DOCUMENT)}
    return client.post(reverse("warband-import"), sent).status_code


def change_roster(client: Client, count: int) -> int:
    """Change how many the newest unit has; return the status for a script."""
    unit = Warrior.objects.latest("pk")
    address = reverse("warrior-count", args=[unit.warband.token, unit.pk])
    return client.post(
        address, {"count": count}, headers={"hx-request": "true"}
    ).status_code


def stored_bytes() -> int:
    return int(Warband.objects.aggregate(total=Sum("stored_bytes"))["total"])


def test_each_version_counts_with_the_roster_it_keeps(client: Client) -> None:
    assert make_roster(client) == 302
    made = stored_bytes()
    assert made > 30_000
    assert change_roster(client, 2) == 200
    before = json.dumps(WarbandEvent.objects.latest("pk").before)
    assert stored_bytes() - made > len(before)


def test_address_stores_so_much_a_day(client: Client, settings: Settings) -> None:
    settings.UNCLAIMED_ADDRESS_BYTES = 80_000
    assert make_roster(client) == 302
    statuses = [change_roster(client, count) for count in range(2, 7)]
    assert statuses == [200] * 4 + [429]
    # Another browser has the same address.
    assert make_roster(Client()) == 429
    assert make_roster(Client(REMOTE_ADDR="192.0.2.9")) == 302


def test_site_holds_so_much(client: Client, settings: Settings) -> None:
    settings.UNCLAIMED_SITE_BYTES = 50_000
    assert make_roster(client) == 302
    assert make_roster(Client(REMOTE_ADDR="192.0.2.9")) == 507
    Warband.objects.all().delete()
    cache.delete(SITE_KEY)
    assert make_roster(client) == 302


def test_rosters_of_people_are_not_counted(client: Client, settings: Settings) -> None:
    settings.UNCLAIMED_ADDRESS_BYTES = settings.UNCLAIMED_SITE_BYTES = 1
    client.force_login(make_user())
    assert make_roster(client) == 302
    assert change_roster(client, 2) == 200
    assert stored_bytes() == 0
