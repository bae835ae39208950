"""R26: a disk without room. What cannot be stored is answered 503 and leaves nothing, what is there
can be read, and all is well once there is room again.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from engine.roster import MAX_ENTRIES
from tests.conftest import is_postgres
from tests.factories import EMPIRE, SYSTEM, make_legal_warband, make_person, make_user
from warbands.models import Warband, Warrior

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(is_postgres(), reason="SQLite can be told how large it may grow"),
]
MOST_PAGES = 1_073_741_823
ENTRY = {"profile": "halberdiers", "note": "They ran for the river. " * 80}
DOCUMENT = {
    "format": "muster-roll/1",
    "system": SYSTEM,
    "army": EMPIRE,
    "warriors": [ENTRY] * MAX_ENTRIES,
}


def limit_pages(most: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count={most}")


@contextmanager
def full_disk() -> Iterator[None]:
    """The file may not grow, and has no room left inside."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    limit_pages(1)  # SQLite takes what the file has now
    try:
        yield
    finally:
        limit_pages(MOST_PAGES)


def test_full_disk_is_told_and_leaves_nothing_half_written() -> None:
    user = make_user()
    warband = make_legal_warband(actor=make_person(user=user))
    client = Client(raise_request_exception=False)
    client.force_login(user)
    sent = {"text": json.dumps(DOCUMENT)}
    address = reverse("warband-import")
    before = Warband.objects.count(), Warrior.objects.count()
    with full_disk():
        refused = client.post(address, sent)
        read = client.get(reverse("warband-read", args=[warband.token]))
    assert refused.status_code == 503
    assert "cannot reach its data" in refused.content.decode()
    assert read.status_code == 200
    assert (Warband.objects.count(), Warrior.objects.count()) == before
    assert client.post(address, sent).status_code == 302
    assert Warrior.objects.count() == before[1] + MAX_ENTRIES
