"""What battles of nobody may hold: each, of one address in a day, and all of them on the site."""

import importlib
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.errors import NoRoom, Refusal, ShareUsed
from accounts.owner import NOBODY
from battles.access import BattleCall
from battles.models import Battle
from battles.operations.log import (
    EVENT_ROW_BYTES,
    SITE_KEY,
    append_events,
    events_size,
    recount_battles,
)
from battles.operations.ownership import claim_battles, purge_unclaimed_battles
from tests.factories import make_battle, make_event, make_owner, make_person

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NOTE = {"text": "n" * 88}
SIZE = EVENT_ROW_BYTES + 100
"""The bytes of an event with that note, whose JSON has 100."""


@pytest.fixture
def battle() -> Battle:
    return make_battle(actor=make_owner())


def note(battle: Battle, *, address: str = "192.0.2.1", count: int = 1) -> None:
    """Record notes of ``SIZE`` bytes each, as somebody who holds nothing but the key."""
    seq = Battle.objects.get(pk=battle.pk).events_count
    events = [make_event("note", seq=seq + n, **NOTE) for n in range(1, count + 1)]
    append_events(BattleCall(NOBODY, battle.token, battle.key, address=address), events)


def used() -> int:
    """What battles of nobody hold, as it is counted anew."""
    rows = Battle.objects.filter(owner=None)
    return sum(row.setup_bytes + row.events_bytes for row in rows)


def is_refused(kind: type[Refusal], call: Callable[[], Any]) -> bool:
    try:
        call()
    except kind:
        return True
    return False


def test_size_of_an_event_is_its_payload_and_its_row(battle: Battle) -> None:
    assert events_size([NOTE, {"text": "é"}]) == SIZE + EVENT_ROW_BYTES + 14
    note(battle, count=3)
    battle.refresh_from_db()
    assert battle.events_bytes == 3 * SIZE
    assert battle.setup_bytes > 500
    assert recount_battles() == 0
    Battle.objects.update(events_bytes=1)
    assert recount_battles() == 1
    assert Battle.objects.get().events_bytes == 3 * SIZE


def test_battle_holds_so_much(battle: Battle, settings: Settings) -> None:
    settings.UNCLAIMED_BATTLE_BYTES = 3 * SIZE
    note(battle, count=3)
    assert is_refused(NoRoom, lambda: note(battle))
    assert battle.events.count() == 3
    # What is there already is no news, and takes nothing.
    row = battle.events.first()
    again = make_event("note", seq=row.seq, device=row.device, **NOTE)
    again |= {"id": str(row.uuid), "at": row.at.isoformat()}
    call = BattleCall(NOBODY, battle.token, battle.key)
    assert append_events(call, [again]).answers[0].outcome == "duplicate"


def test_address_stores_so_much_a_day(battle: Battle, settings: Settings) -> None:
    settings.UNCLAIMED_ADDRESS_BYTES = 3 * SIZE
    other = make_battle(actor=make_owner())
    note(battle, count=2)
    assert is_refused(ShareUsed, lambda: note(other, count=2))
    # What was refused does not count.
    note(other)
    assert is_refused(ShareUsed, lambda: note(battle))
    note(battle, address="192.0.2.2")
    assert (battle.events.count(), other.events.count()) == (3, 1)


def test_site_holds_so_much(battle: Battle, settings: Settings) -> None:
    # Half an event more: rows of another battle may have longer numbers.
    settings.UNCLAIMED_SITE_BYTES = used() + 2 * SIZE + SIZE // 2
    note(battle, address="192.0.2.1")
    note(battle, address="192.0.2.2")
    assert is_refused(NoRoom, lambda: note(battle, address="192.0.2.3"))
    # It is added up anew, so what went makes room.
    make_battle(actor=make_person())
    Battle.objects.filter(pk=battle.pk).delete()
    cache.delete(SITE_KEY)
    note(make_battle(actor=make_owner()), count=2)


def test_battles_of_people_are_not_counted(battle: Battle, settings: Settings) -> None:
    settings.UNCLAIMED_BATTLE_BYTES = settings.UNCLAIMED_ADDRESS_BYTES = SIZE
    settings.UNCLAIMED_SITE_BYTES = used() + SIZE
    note(battle)
    note(make_battle(), count=5)
    assert is_refused(Refusal, lambda: note(battle))
    claim_battles(battle.owner_key, make_person().user_id or 0)
    note(battle, count=5)


def test_setting_up_is_refused_on_pages_and_in_the_api(settings: Settings) -> None:
    body = {
        "system": "warhammer-skirmish",
        "sides": [{"quick": {"name": name, "models": 3}} for name in "AB"],
    }
    form = {
        "system": "warhammer-skirmish",
        "sides": "2",
        "fought_date": "2025-05-01",
        "visibility": "link",
        "confirm_days": "3",
        **{f"side{n}-kind": "quick" for n in range(2)},
        **{f"side{n}-quick_name": f"Side {n}" for n in range(2)},
        **{f"side{n}-quick_models": "3" for n in range(2)},
    }
    calls = (
        lambda: Client().post(reverse("api-battle-open"), body, "application/json"),
        lambda: Client().post(reverse("battle-new"), form),
    )
    assert [call().status_code for call in calls] == [201, 302]
    count = Battle.objects.count()
    for setting, status in (("ADDRESS", 429), ("SITE", 507)):
        before = getattr(settings, f"UNCLAIMED_{setting}_BYTES")
        setattr(settings, f"UNCLAIMED_{setting}_BYTES", used())
        for call in calls:
            answer = call()
            assert answer.status_code == status
            assert b"without an account" in answer.content
            assert "Retry-After" not in answer.headers
        setattr(settings, f"UNCLAIMED_{setting}_BYTES", before)
    assert Battle.objects.count() == count


@pytest.mark.parametrize("setting, status", [("ADDRESS", 429), ("SITE", 507)])
def test_recording_is_refused_in_the_api(battle, settings, setting, status):
    setattr(settings, f"UNCLAIMED_{setting}_BYTES", 1)
    body = {"key": battle.key, "events": [make_event("note", **NOTE)]}
    address = reverse("api-battle-events", args=[battle.token])
    answer = Client().post(address, body, "application/json")
    assert answer.status_code == status
    assert "Sign in" in answer.json()["detail"]
    assert not battle.events.exists()


def test_update_counts_what_is_there_and_begins_the_days_anew(battle: Battle) -> None:
    sizes = importlib.import_module("battles.migrations.0009_sizes")
    owned, now = make_battle(), timezone.now()
    note(battle, count=2)
    Battle.objects.update(updated_at=now - timedelta(days=80), events_bytes=0)
    editor = SimpleNamespace(connection=connection)
    sizes.count_events(apps, editor)
    sizes.begin_again(apps, editor)
    assert recount_battles() == 0
    assert Battle.objects.get(pk=battle.pk).events_bytes == 2 * SIZE
    assert purge_unclaimed_battles(now + timedelta(days=29)) == 0
    assert purge_unclaimed_battles(now + timedelta(days=31)) == 1
    owned.refresh_from_db()
    assert owned.updated_at == now - timedelta(days=80)
