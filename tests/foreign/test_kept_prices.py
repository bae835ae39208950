"""A newer catalogue changes prices; warbands keep those that they paid, and say so."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Club, User
from tests.factories import make_person, make_warband, make_warrior
from tests.foreign.test_catalogue_pages import (  # noqa: F401  (fixtures)
    club,
    committed,
    make_list,
    send,
    take,
    wardens,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_warbands_keep_the_prices_that_they_paid(
    client: Client,
    club: Club,  # noqa: F811  (a fixture)
    send: Any,  # noqa: F811
) -> None:
    token = make_list(client, club, send)
    actor = make_person(user=User.objects.get())
    warband = make_warband(actor=actor, army=token)
    make_warrior(warband=warband, profile="lamp-captain")
    send(club, token, file=wardens(('value="60"/>', 'value="45"/>')))
    take(client, club)
    warband.refresh_from_db()
    assert warband.points == 60
    page = client.get(f"/warbands/{warband.token}/").content.decode()
    assert "Lamp Captain 60 each, now 45 in the list" in page
    # A captain who is recruited now costs what the list says now.
    make_warrior(warband=warband, profile="lamp-captain")
    warband.refresh_from_db()
    assert warband.points == 60 + 45
