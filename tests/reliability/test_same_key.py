"""R5: a form that is sent twice, or twelve times at once, has one effect and one answer."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.errors import KeyReused
from accounts.models import User
from tests.factories import (
    EMPIRE,
    SYSTEM,
    make_person,
    make_user,
    make_warband,
    make_warrior,
    owner_of,
    record_of,
)
from tests.reliability.threads import at_once
from warbands.models import RequestKey, Warband, WarbandEvent, Warrior
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import WarriorDraft, add_warrior
from warbands.queries.warbands import sheet_of

pytestmark = pytest.mark.django_db(transaction=True)
TIMES = 12
Send = Callable[[Callable[[int], Any]], list[Any]]


def in_series(work: Callable[[int], Any]) -> list[Any]:
    return [work(number) for number in range(TIMES)]


def together(work: Callable[[int], Any]) -> list[Any]:
    return list(at_once(TIMES, work))


SENDS = [pytest.param(in_series, marks=pytest.mark.soak), together]


@pytest.fixture
def user() -> User:
    return make_user()


def browser(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def models(warband: Warband) -> int:
    """How many miniatures there are, in however many entries."""
    return sum(Warrior.objects.filter(warband=warband).values_list("count", flat=True))


def is_sound(warband: Warband) -> bool:
    """Whether what is stored is what the engine says, and every version has its event."""
    warband.refresh_from_db()
    record = record_of(warband)
    sheet = sheet_of(record)
    events = WarbandEvent.objects.filter(warband=warband).count()
    return (sheet.points, sheet.models, events) == (
        record.points, record.models, record.version,
    )  # fmt: skip


@pytest.mark.parametrize("send", SENDS)
def test_form_sent_twelve_times_adds_one_warrior(user: User, send: Send) -> None:
    warband = make_warband(actor=make_person(user=user))
    address = reverse("warrior-add", args=[warband.token])
    form = {"profile": "halberdiers", "version": str(warband.version), "key": "page-1"}
    clients = [browser(user) for _ in range(TIMES)]
    answers = send(lambda number: clients[number].post(address, form))
    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {
        (302, reverse("warband-read", args=[warband.token]))
    }
    assert models(warband) == 1
    assert RequestKey.objects.count() == 1
    assert is_sound(warband)


@pytest.mark.parametrize("send", SENDS)
def test_new_warband_sent_twelve_times_is_made_once(user: User, send: Send) -> None:
    form = {
        "system": SYSTEM,
        "army": EMPIRE,
        "name": "Ferrymen",
        "limit": "150",
        "key": "k1",
    }
    clients = [browser(user) for _ in range(TIMES)]
    answers = send(lambda number: clients[number].post(reverse("warband-new"), form))
    warband = Warband.objects.get()
    assert {(answer.status_code, answer.headers.get("Location")) for answer in answers} == {
        (302, reverse("warband-read", args=[warband.token]))
    }
    assert is_sound(warband)


@pytest.mark.parametrize("send", SENDS)
def test_operation_called_twelve_times_gives_one_answer(send: Send) -> None:
    warband = make_warband()
    done = send(
        lambda _: add_warrior(
            WriteContext(owner_of(warband), warband.token, key="k1"),
            WarriorDraft("archers", count=3),
        )
    )
    assert {(d.token, d.version, d.summary, d.warrior_id) for d in done} == {
        (warband.token, 2, done[0].summary, Warrior.objects.get(warband=warband).pk)
    }
    assert sum(not d.is_repeat for d in done) == 1
    assert is_sound(warband)


def test_without_a_key_every_time_counts() -> None:
    warband = make_warband()
    together(
        lambda _: add_warrior(
            WriteContext(owner_of(warband), warband.token), WarriorDraft("archers")
        )
    )
    assert models(warband) == TIMES
    assert is_sound(warband)


def test_same_key_for_something_else_is_refused(user: User) -> None:
    warband = make_warband(actor=make_person(user=user))
    owner, token = owner_of(warband), warband.token
    add_warrior(WriteContext(owner, token, key="k1"), WarriorDraft("archers"))
    with pytest.raises(KeyReused):
        add_warrior(WriteContext(owner, token, key="k1"), WarriorDraft("halberdiers"))
    address, form = (
        reverse("warrior-add", args=[token]),
        {"profile": "archers", "key": "page-1"},
    )
    client = browser(user)
    assert client.post(address, {**form, "version": "2"}).status_code == 302
    answer = client.post(address, {**form, "version": "1"}, headers={"HX-Request": "true"})
    assert (answer.status_code, "key" in answer.text) == (422, True)
    assert models(warband) == 2
    assert is_sound(warband)


def test_keys_of_two_people_are_two_keys() -> None:
    for _ in range(2):
        warband = make_warband()
        make_warrior(warband=warband, key="k1")
        assert models(warband) == 1
