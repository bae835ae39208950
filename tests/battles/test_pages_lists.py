"""Lists of battles, the front page, careers; and how often each page asks the database."""

import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.owner import Owner
from battles.models import Battle
from battles.operations.sides import QuickSide, RosterSide, WarbandSide
from battles.views import battles as views
from tests.battles.pages import browser_of, page, url
from tests.battles.steps import append_events, confirm_result, propose_result
from tests.battles.test_pages_reading import OUT, WON, events, text_of
from tests.factories import (
    make_battle,
    make_duel,
    make_event,
    make_legal_warband,
    make_person,
)

pytestmark = pytest.mark.django_db

EXPORTS = ["txt", "md", "json", "csv"]


# Lists


def rows(html: str) -> list[str]:
    return re.findall(r'<h2><a href="/battles/[^"]+">([^<]+)</a></h2>', html)


def test_list_with_none_one_and_many(ada: Owner) -> None:
    client, address = browser_of(ada), reverse("battle-list")
    assert "No battles yet." in page(client, address)
    battle = make_battle(actor=ada, sides=[QuickSide("Reds", 3), QuickSide("Blues", 4)])
    assert rows(page(client, address)) == ["Reds against Blues"]
    for number in range(20):
        make_battle(
            actor=ada, sides=[QuickSide(f"Side {number}", 3), QuickSide("Blues", 4)]
        )
    first, second = page(client, address), page(client, f"{address}?page=2")
    assert (len(rows(first)), rows(second)) == (20, ["Reds against Blues"])
    assert rows(first)[0] == "Side 19 against Blues"
    assert rows(page(client, f"{address}?page=99999")) == []
    assert battle.token not in page(browser_of(), address)


def test_list_by_status(ada: Owner, ben: Owner, battle: Battle) -> None:
    client, address = browser_of(ben), reverse("battle-list")
    make_battle(actor=ben, sides=[QuickSide("Reds", 3), QuickSide("Blues", 4)])
    propose_result(ada, battle.token, **WON)
    assert rows(page(client, f"{address}?status=proposed")) == [
        "The Ferrymen against Night Watch"
    ]
    assert rows(page(client, f"{address}?status=open")) == ["Reds against Blues"]
    assert "No battles with this status." in page(client, f"{address}?status=void")
    html = " ".join(page(client, address).split())
    assert "1 result waits for your answer" in html
    assert "Waiting for your answer" in html
    assert "Waiting for your answer" not in page(browser_of(ada), address)


@pytest.mark.parametrize(
    "asked", ["?page=0", "?page=x", "?page=" + "9" * 400, "?status=lost"]
)
def test_bad_questions_to_a_list_are_named(ada: Owner, asked: str) -> None:
    answer = browser_of(ada).get(reverse("battle-list") + asked)
    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == [asked[1:].partition("=")[0]]


def test_public_list(ada: Owner, ben: Owner, battle: Battle) -> None:
    address = reverse("battle-public")
    assert "No public battles yet." in page(browser_of(), address)
    shown = make_duel(ada=ada, ben=ben, visibility="public")
    html = page(browser_of(), address)
    assert shown.token in html
    assert battle.token not in html


def test_front_page_says_what_waits_and_what_is_played(ada, ben, battle):
    home = reverse("home")
    assert "Waiting for you" not in page(browser_of(ben), home)
    told = text_of(page(browser_of(ben), home))
    assert "Battles in progress" in told
    assert "Set up, not started." in told
    propose_result(ada, battle.token, **WON)
    told = text_of(page(browser_of(ben), home))
    assert "Waiting for you" in told
    assert "The Ferrymen won, objective. Confirm or dispute it by" in told
    assert url("battle-result", battle, "confirm") in page(browser_of(ben), home)
    assert "Waiting for you" not in page(browser_of(ada), home)
    assert "against" not in text_of(page(browser_of(), home))


# Careers


def test_career_with_none_one_and_many(ada: Owner, ben: Owner, battle: Battle) -> None:
    warband = battle.sides.get(key="a").warband
    assert warband is not None
    address = reverse("warband-career", args=[warband.token])
    assert "No confirmed battles yet." in page(browser_of(ada), address)
    append_events(ada, battle.token, events=events())
    propose_result(ada, battle.token, **WON)
    confirm_result(ben, battle.token)
    told = text_of(page(browser_of(ada), address))
    assert "Battles 1 Won 1 Drawn 0 Lost 0 Took out 1 Times out 1" in told
    assert re.search(r"Night Watch \d+ \w+ 20\d\d Won Objective 1 of 8 1", told)
    assert "Captain 1 1" in told
    theirs = battle.sides.get(key="b").warband
    assert theirs is not None
    for number in range(3):
        sides = [WarbandSide(warband.token), WarbandSide(theirs.token)]
        more = make_battle(actor=ada, sides=sides, fought_date=date(2024, 1, 1 + number))
        propose_result(ada, more.token, winner=None, how="drawn")
        confirm_result(ben, more.token)
    told = text_of(page(browser_of(ada), address))
    assert "Battles 4 Won 1 Drawn 3 Lost 0" in told
    assert told.count("Drawn – not recorded – not recorded") == 3


def test_career_is_for_those_who_may_read_the_warband(ada: Owner) -> None:
    hidden = make_legal_warband(actor=ada)
    address = reverse("warband-career", args=[hidden.token])
    assert browser_of(ada).get(address).status_code == 200
    assert browser_of().get(address).status_code == 404


def test_warband_pages_lead_to_battles(ada: Owner) -> None:
    warband = make_legal_warband(actor=ada, visibility="link")
    for name in ("warband-read", "sheet-read"):
        for client in (browser_of(ada), browser_of()):
            assert f"/battles/new/?warband={warband.token}" in page(
                client, reverse(name, args=[warband.token])
            )
    assert reverse("warband-career", args=[warband.token]) in page(
        browser_of(ada), reverse("warband-read", args=[warband.token])
    )


# Speed


def statements(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200, address
    return len(queries)


def test_pages_ask_as_often_for_fifty_warriors_as_for_five(monkeypatch):
    """And for a long log as for a short one: each page of a battle, at most ten questions."""
    monkeypatch.setattr(views, "table_pack", lambda *args, **options: b"%PDF-")
    counts: dict[str, list[int]] = {}
    for size in (5, 50):
        ada = make_person()
        many = RosterSide(document(size))
        battle = make_battle(
            actor=ada, sides=[many, many, QuickSide("Night Watch", size, 7)]
        )
        told = [
            make_event("state", seq=n, combatant=f"a{n}", to=OUT, by="b1")
            for n in range(1, size - 3)
        ]
        append_events(ada, battle.token, events=told)
        propose_result(ada, battle.token, winner="b", how="conceded")
        client = browser_of(ada)
        names = [
            "battle-read", "battle-report", "battle-enter", "battle-join", "battle-record",
            "battle-table-pack",
        ]  # fmt: skip
        addresses = [url(name, battle) for name in names] + [
            url("battle-export", battle, kind) for kind in EXPORTS
        ]
        addresses += [url("battle-result", battle, verb) for verb in ("correct", "void")]
        for address in addresses:
            counts.setdefault(address.replace(battle.token, "…"), []).append(
                statements(client, address)
            )
    assert {
        name: found
        for name, found in counts.items()
        if found[0] != found[1] or found[0] > 10
    } == {}


def document(size: int) -> dict[str, object]:
    warriors: list[dict[str, object]] = [{"profile": "captain", "leader": True}]
    warriors += [{"profile": "archers"} for _ in range(size - 1)]
    return {
        "format": "muster-roll/1",
        "system": "warhammer-skirmish",
        "army": "the-empire",
        "warriors": warriors,
    }


def test_lists_ask_as_often_for_one_as_for_three(ada: Owner, ben: Owner) -> None:
    counts: dict[str, list[int]] = {}
    first = make_duel(ada=ada, ben=ben, visibility="public")
    warband = first.sides.get(key="a").warband
    assert warband is not None
    addresses = {
        reverse("battle-list"): 4,
        reverse("battle-public"): 3,
        reverse("home"): 5,
        reverse("warband-career", args=[warband.token]): 7,
        reverse("battle-new") + f"?warband={warband.token}": 7,
    }
    for _ in range(3):
        sides = [WarbandSide(warband.token), QuickSide("Night Watch", 5, 7)]
        one = make_battle(actor=ada, sides=sides, visibility="public")
        propose_result(ada, one.token, **WON)
        make_duel(ada=ada, ben=ben, visibility="public")
        for address in addresses:
            counts.setdefault(address, []).append(statements(browser_of(ada), address))
    assert counts == {address: [count] * 3 for address, count in addresses.items()}
