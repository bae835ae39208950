"""The warband pages: who sees what, and how a roster is shown that is empty or hostile."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from engine.roster import MAX_LIMIT
from tests.factories import make_person, make_warband, make_warrior, record_of
from tests.warbands.conftest import first, url
from warbands.models import Warband, WarbandVisibility
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import change_warrior

pytestmark = pytest.mark.django_db

READING = [
    "warband-read", "sheet-read", "sheet-reference", "sheet-cards", "sheet-opponent",
    "sheet-blank", "roster-text", "roster-markdown", "roster-compact", "roster-json",
]  # fmt: skip
PRINTING = ["sheet-pdf", "blank-pdf"]
OWNERS_PAGES = ["warband-change", "warband-share", "warband-delete"]
OWNERS_CHANGES = [
    "warrior-add", "roster-sort", "finding-fix", "change-undo", "warband-archive",
    "warband-restore",
]  # fmt: skip
WARRIOR_CHANGES = [
    "warrior-change", "warrior-options", "warrior-lead", "warrior-duplicate",
    "warrior-split", "warrior-remove",
]  # fmt: skip


@pytest.mark.parametrize("unit, is_told", [("steam-tank", True), ("halberdiers", False)])
def test_builder_tells_the_special_rules_that_the_book_knows(warband, owner, unit, is_told):
    page = owner.get(url("unit-about", warband), {"unit": unit}).content.decode()
    assert ("the unbreakable and those immune to psychology" in page) is is_told


# Who sees what


def test_reading_is_for_the_owner_alone_and_kept_from_search_engines(warband, owner):
    for name in READING + PRINTING + OWNERS_PAGES:
        answer = owner.get(url(name, warband))
        assert answer.status_code == 200, name
        assert "noindex" in answer.headers["X-Robots-Tag"], name
        assert Client().get(url(name, warband)).status_code == 404, name


def test_link_opens_reading_to_everybody(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=WarbandVisibility.LINK)
    for name in READING:
        assert Client().get(url(name, warband)).status_code == 200, name


def test_readers_open_no_page_of_the_owner_and_change_nothing(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=WarbandVisibility.PUBLIC)
    reader = Client()
    for name in OWNERS_PAGES:
        assert reader.get(url(name, warband)).status_code == 404, name
        assert reader.post(url(name, warband)).status_code == 404, name
    sent = {"profile": "halberdiers", "action": "lead"}
    for name in OWNERS_CHANGES:
        assert reader.post(url(name, warband), sent).status_code in (400, 404), name
    for name in WARRIOR_CHANGES:
        answer = reader.post(url(name, warband, first(warband).pk), {"name": "Mine"})
        assert answer.status_code == 404, name
    assert record_of(warband).version == warband.version


def test_reader_gets_no_builder_and_may_take_a_copy(warband: Warband) -> None:
    Warband.objects.filter(pk=warband.pk).update(visibility=WarbandVisibility.LINK)
    reader = Client()
    page = reader.get(url("warband-read", warband)).content.decode()
    assert "Make my own copy" in page
    assert "Add Captain" not in page
    answer = reader.post(url("warband-duplicate", warband))
    assert answer.status_code == 302
    assert answer.headers["Location"] != url("warband-read", warband)
    assert "Add Captain" in reader.get(answer.headers["Location"]).content.decode()


def test_without_account_the_page_says_when_it_goes() -> None:
    client = Client()
    answer = client.post(
        reverse("warband-new"),
        {"system": "warhammer-skirmish", "army": "the-empire", "limit": "150"},
    )
    assert "Will be deleted on" in client.get(answer.headers["Location"]).content.decode()


# States


def test_empty_roster_offers_leaders(owner: Client, hanna: User) -> None:
    warband = make_warband(actor=make_person(user=hanna))
    page = " ".join(owner.get(url("warband-read", warband)).content.decode().split())
    assert "Add a leader first" in page
    assert "Captain, 50 pts" in page
    for name in READING:
        assert owner.get(url(name, warband)).status_code == 200


def test_hostile_texts_stay_text(owner: Client, hanna: User) -> None:
    hostile = "<script>alert(1)</script>{{7*7}}{% load x %}\" onclick='x'"
    warband = make_warband(actor=make_person(user=hanna), name=hostile, note=hostile)
    warrior = make_warrior(warband=warband, name=hostile)
    change_warrior(
        WriteContext(make_person(user=hanna), warband.token), warrior.pk, note=hostile
    )
    pages = [
        owner.get(url(name, warband)).content.decode()
        for name in [*READING[:6], *OWNERS_PAGES]
    ]
    pages.append(owner.get(url("warrior-read", warband, warrior.pk)).content.decode())
    for page in pages:
        assert "<script>alert" not in page
        assert "onclick='x'" not in page
        assert "{{7*7}}" in page


@pytest.mark.parametrize("asked, chosen", [
    ("250", "250"), ("230", "other"), (str(MAX_LIMIT + 1), "150"), ("-1", "150"),
    ("", "150"),
])  # fmt: skip
def test_a_link_may_ask_for_a_points_limit(client: Client, asked: str, chosen: str) -> None:
    page = client.get(reverse("warband-new"), {"points_limit": asked}).content.decode()
    inputs = re.findall(r'<input[^>]*name="limit"[^>]*>', page)
    assert [one for one in inputs if f'value="{chosen}"' in one and "checked" in one]
    assert ('value="230"' in page) == (asked == "230")
