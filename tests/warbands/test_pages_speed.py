"""How many queries each warband page takes: at most ten, and the same for five warriors as for
fifty.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from engine.roster import Roster, RosterEntry
from rulesdata import registry
from tests.factories import EMPIRE, SYSTEM, make_person, make_user, make_warband
from warbands.checks import check_roster
from warbands.models import Warband, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warbands import change_warband, import_document
from warbands.sheet.build import sheet_of_check

pytestmark = pytest.mark.django_db

PAGES = [
    "warband-read", "warband-change", "warband-share", "warband-delete", "sheet-read",
    "sheet-reference", "sheet-cards", "sheet-opponent", "sheet-blank", "sheet-pdf",
    "blank-pdf", "roster-text", "roster-markdown", "roster-compact", "roster-json",
]  # fmt: skip


def roster(count: int) -> dict[str, Any]:
    entries: list[dict[str, Any]] = [
        {"profile": "captain", "leader": True, "options": ["halberd", "light-armour"]}
    ]
    entries += [{"profile": "archers"}] * (count - 1)
    return {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "warriors": entries,
    }


def warband_of(user: User, count: int) -> Warband:
    done = import_document(WriteContext(make_person(user=user)), roster(count))
    change_warband(
        WriteContext(make_person(user=user), done.token), name="Ferrymen", visibility="link"
    )
    return Warband.objects.get(token=done.token)


def taken(client: Client, url: str, **kwargs: Any) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        answer = (
            client.post(url, kwargs["sent"], headers={"HX-Request": "true"})
            if kwargs
            else client.get(url)
        )
    assert answer.status_code == 200, url
    return [query["sql"] for query in queries.captured_queries]


def test_pages_take_ten_queries_at_most() -> None:
    user = make_user()
    client = Client()
    client.force_login(user)
    few, many = (warband_of(user, count) for count in (5, 50))
    for name in PAGES:
        numbers = []
        for warband in (few, many):
            address = reverse(name, args=[warband.token])
            client.get(address)
            numbers.append(len(taken(client, address)))
        assert numbers[0] == numbers[1] <= 10, (name, numbers)


def test_warrior_page_takes_ten_queries_at_most() -> None:
    user = make_user()
    client = Client()
    client.force_login(user)
    numbers = []
    for count in (5, 50):
        warband = warband_of(user, count)
        warrior = Warrior.objects.filter(warband=warband).earliest("position")
        client.get(reverse("warband-list"))  # the number of notices is kept from now on
        address = reverse("warrior-read", args=[warband.token, warrior.pk])
        numbers.append(len(taken(client, address)))
    assert numbers[0] == numbers[1] <= 10


LISTS = ["warband-list", "warband-public", "starter-list", "warband-new", "warband-import"]


def test_lists_take_the_same_for_one_and_three() -> None:
    user = make_user()
    client = Client()
    client.force_login(user)

    def count() -> list[int]:
        make_warband(actor=make_person(user=user), visibility="public")
        for name in LISTS:
            client.get(reverse(name))
        return [len(taken(client, reverse(name))) for name in LISTS]

    one, _, three = (count() for _ in range(3))
    assert one == three
    assert max(three) <= 10


@pytest.mark.parametrize("name,sent", [
    ("warrior-add", {"profile": "halberdiers"}),
    ("warrior-count", {"count": "3"}),
    ("warrior-options", {"group": "armour", "option": "heavy-armour"}),
    ("warrior-lead", {}),
    ("warrior-move", {"to": "down"}),
])  # fmt: skip
def test_changes_take_as_many_for_fifty_as_for_five(name, sent):
    user = make_user()
    client = Client()
    client.force_login(user)
    numbers = {}
    for count in (5, 50):
        warband = warband_of(user, count)
        warrior = Warrior.objects.filter(warband=warband).earliest("position")
        more = [] if name == "warrior-add" else [warrior.pk]
        numbers[count] = taken(
            client, reverse(name, args=[warband.token, *more]), sent=sent
        )
    assert len(numbers[5]) == len(numbers[50]), "\n".join(numbers[50])


class CountedUnits(tuple[int, ...]):
    """The units of a finding, which count how often they are looked through."""

    looks = 0

    def __contains__(self, unit: object) -> bool:
        type(self).looks += 1
        return super().__contains__(unit)

    def __iter__(self) -> Iterator[int]:
        type(self).looks += 1
        return super().__iter__()


def test_each_finding_of_a_sheet_is_looked_at_once() -> None:
    entry = RosterEntry("halberdiers", options=tuple(f"x{n}" for n in range(5)))
    roster = Roster(SYSTEM, EMPIRE, warriors=(entry,) * 50)
    system, army = registry.load_ruleset(roster)
    checked = check_roster(roster, system, army)
    counted = tuple(
        replace(one, warriors=CountedUnits(one.warriors)) for one in checked.findings
    )
    sheet = sheet_of_check(replace(checked, findings=counted))
    assert CountedUnits.looks == len(counted) > 250
    for unit in sheet.warriors:
        own = [one for one in checked.findings if unit.index in one.warriors]
        assert [one.message for one in unit.findings] == [one.message for one in own]
        assert len(own) >= 5
