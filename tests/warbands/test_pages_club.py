"""The history of a warband, and pages that are fetched anew."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.factories import make_legal_warband, make_person, make_warband
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import WarriorDraft, add_warrior, change_warrior

pytestmark = pytest.mark.django_db


def test_history_lists_the_changes_and_undoes_the_last(owner: Client, hanna: User) -> None:
    person = make_person(user=hanna)
    warband = make_warband(actor=person)
    add_warrior(WriteContext(person, warband.token), WarriorDraft("captain"))
    address = reverse("warband-history", args=[warband.token])
    page = owner.get(address).content.decode()
    assert page.count("Added Captain") == 1
    assert page.count(">Undo<") == 1
    sent = {"pane": "history", "version": "2"}
    answer = owner.post(reverse("change-undo", args=[warband.token]), sent)
    assert answer.headers["Location"] == address
    assert Warband.objects.get(pk=warband.pk).miniatures == 0
    assert "Undid" in owner.get(address).content.decode()


def test_history_is_the_owners_alone() -> None:
    warband = make_legal_warband(actor=make_person(), visibility="public")
    assert Client().get(reverse("warband-history", args=[warband.token])).status_code == 404


def test_adding_troops_again_raises_their_number(owner: Client, hanna: User) -> None:
    person = make_person(user=hanna)
    warband = make_warband(actor=person)
    address = reverse("warrior-add", args=[warband.token])
    for profile in ("archers", "archers", "captain", "captain"):
        owner.post(address, {"profile": profile})
    found = warband.warriors.order_by("position").values_list("profile", "count")
    assert list(found) == [("archers", 2), ("captain", 1), ("captain", 1)]
    archers = warband.warriors.earliest("position")
    change_warrior(WriteContext(person, warband.token), archers.pk, name="Lutz")
    owner.post(address, {"profile": "archers"})
    assert warband.warriors.filter(profile="archers").count() == 2


def test_pages_that_change_are_fetched_anew_on_going_back(owner, hanna):
    warband = make_warband(actor=make_person(user=hanna))
    for address in (reverse("warband-list"), reverse("warband-read", args=[warband.token])):
        assert "no-store" in owner.get(address).headers["Cache-Control"]


def test_details_saved_as_they_are_agree_on_nothing_new(owner: Client, hanna: User) -> None:
    warband = make_warband(actor=make_person(user=hanna), name="Boatmen")
    owner.post(
        reverse("warband-change", args=[warband.token]), {"name": "Boatmen", "limit": "150"}
    )
    warband.refresh_from_db()
    assert (warband.house_rules, warband.version) == ({}, 1)
