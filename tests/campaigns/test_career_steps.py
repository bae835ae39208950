"""What older campaigns wrote down after battles: read on a page, by player and in careers."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.owner import Owner
from battles.queries.careers import career_of
from campaigns.models import CareerStep, ClubEvent, Fixture, StepKind
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import hand_in_list
from campaigns.queries.career_steps import StepLedger
from campaigns.queries.entries import event_files, load_player
from tests.campaigns.leagues import League, make_campaign, make_round
from tests.campaigns.results import fresh, put_up, report
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import change_warrior

pytestmark = pytest.mark.django_db

AGREED = {
    "fate": {
        "dice": "D6",
        "rows": [
            {"least": 1, "most": 3, "name": "Dead or retired", "is_gone": True},
            {"least": 4, "most": 6, "name": "Full recovery", "is_gone": False},
        ],
    },
    "pay": {"unit": "gold", "won": 20, "drawn": 15, "lost": 10},
    "recruits": {"most": 1},
}


@pytest.fixture
def winter() -> League:
    """A campaign that agreed on steps when they could still be taken."""
    league = make_campaign(players=3, with_warbands=True)
    ClubEvent.objects.filter(pk=league.event.pk).update(steps=AGREED)
    return league


@pytest.fixture
def fought(winter: League) -> Fixture:
    """Ada's battle against Ben, which Ben won."""
    (fixture,) = put_up(winter, 1, [("Ada", "Ben")])
    open_fixture(ChangeRequest(winter.organiser, winter.token), fixture.token)
    report(winter, fixture, "Ben")
    return fresh(fixture)


def write_step(league: League, fixture: Fixture, kind: str, **columns: Any) -> CareerStep:
    """A row as older releases wrote it for Ada."""
    return CareerStep.objects.create(
        entry=league.entry("Ada"),
        fixture=fixture,
        kind=kind,
        author_id=league.organiser.user_id,
        **columns,
    )


def write_fate(league: League, fixture: Fixture, number: int = 1) -> CareerStep:
    warband = league.entry("Ada").warband
    assert warband is not None
    what = {
        "who": f"Halberdier {number}",
        "combatant": f"a{number + 1}",
        "number": number,
        "name": "Dead or retired",
        "is_gone": True,
        "words": f"Halberdier {number} of Ada: Dead or retired (rolled 1 on D6).",
    }
    guard = warband.warriors.get(profile="halberdiers")
    return write_step(league, fixture, StepKind.FATE, what=what, warrior_id=guard.pk)


def write_pay(league: League, fixture: Fixture) -> CareerStep:
    words = "Ada earned 10 gold for a battle lost."
    what = {"unit": "gold", "result": "lost", "words": words}
    return write_step(league, fixture, StepKind.PAY, amount=10, what=what)


def ledger_of(league: League) -> StepLedger:
    page = load_player(league.player("Cleo"), league.token, league.entry("Ada").token)
    assert page is not None
    return page.ledger


def seen(league: League, name: str, *args: Any, query: str = "") -> str:
    client = Client()
    client.force_login(User.objects.get(pk=league.player("Ada").user_id))
    found = client.get(reverse(name, args=[league.token, *args]) + query)
    assert found.status_code == 200
    return found.content.decode()


def test_steps_are_counted_until_they_were_taken_back(
    winter: League, fought: Fixture
) -> None:
    write_fate(winter, fought)
    paid = write_pay(winter, fought)
    ledger = ledger_of(winter)
    assert [row.kind_name for row in ledger.rows] == ["Income", "Injury"]
    assert (ledger.total, ledger.unit, ledger.gone) == (10, "gold", ("Halberdier 1",))
    paid.what = {**paid.what, "revoked": "Paid in beer"}
    paid.revoked_at = timezone.now()
    paid.save()
    ledger = ledger_of(winter)
    assert (ledger.total, ledger.rows[0].revoked) == (0, "Paid in beer")
    assert "Reversed: Paid in beer" in seen(winter, "event-steps")


def test_pay_for_a_result_that_was_corrected_says_so(
    winter: League, fought: Fixture
) -> None:
    write_pay(winter, fought)
    assert not ledger_of(winter).rows[0].is_stale
    assert "has changed since" not in seen(winter, "event-steps")
    report(winter, fought, "Ada", reason="Told the wrong way round")
    assert ledger_of(winter).rows[0].is_stale
    assert "has changed since" in seen(winter, "event-steps")


def test_who_is_gone_may_be_missing_from_the_core_and_keeps_a_career(
    winter: League, fought: Fixture
) -> None:
    ClubEvent.objects.filter(pk=winter.event.pk).update(needs_list=True, has_core=True)
    make_round(winter)
    make_round(winter)
    ada, warband = winter.player("Ada"), winter.entry("Ada").warband
    assert warband is not None
    asked = ChangeRequest(ada, winter.token)
    hand_in_list(asked, 2, warband.token)
    guard = warband.warriors.get(profile="halberdiers")
    change_warrior(WriteContext(ada, warband.token), guard.pk, count=2)
    write_fate(winter, fought)
    assert hand_in_list(asked, 3, warband.token).warnings == 1
    write_fate(winter, fought, 2)
    assert hand_in_list(asked, 3, warband.token).warnings == 0
    assert fates_of(ada, warband.token) == {
        "Halberdier 1": ("Dead or retired",),
        "Halberdier 2": ("Dead or retired",),
    }


def fates_of(actor: Owner, token: str) -> dict[str, Any]:
    career = career_of(actor, token)
    assert career is not None
    return {one.name: one.fates for one in career.warriors if one.fates}


def test_page_holds_rules_and_entries_of_everybody(winter: League, fought: Fixture) -> None:
    write_fate(winter, fought)
    write_pay(winter, fought)
    page = seen(winter, "event-steps")
    for words in (
        "Ada earned 10 gold for a battle lost.",
        "rolled 1 on D6",
        "Dead or retired, leaves the warband",
        "10 for a loss",
        "At most 1 recruit after",
    ):
        assert words in " ".join(page.split())
    assert "<form" not in page.split("<main", 1)[1]
    assert reverse("event-steps", args=[winter.token]) in seen(winter, "event-read")
    assert "Nobody entered anything" in seen(winter, "event-steps", query="?page=7")


def test_page_is_linked_from_a_player_where_the_rules_were_removed(
    winter: League, fought: Fixture
) -> None:
    ClubEvent.objects.filter(pk=winter.event.pk).update(steps={})
    write_pay(winter, fought)
    address = reverse("event-steps", args=[winter.token])
    assert address not in seen(winter, "event-read")
    assert address in seen(winter, "entry-read", winter.entry("Ada").token)
    assert "Ada earned 10 gold" in seen(winter, "event-steps")


def test_campaign_without_steps_has_no_such_page() -> None:
    plain = make_campaign(players=2)
    address = reverse("event-steps", args=[plain.token])
    client = Client()
    client.force_login(User.objects.get(pk=plain.organiser.user_id))
    assert client.get(address).status_code == 404
    event = client.get(reverse("event-read", args=[plain.token])).content.decode()
    assert address not in event
    player = reverse("entry-read", args=[plain.token, plain.entry("Ada").token])
    assert address not in client.get(player).content.decode()


def test_steps_are_in_what_somebody_takes_along(winter: League, fought: Fixture) -> None:
    write_pay(winter, fought)
    user_id = winter.player("Ada").user_id
    assert user_id is not None
    ((_, told),) = event_files(user_id)
    assert [one["amount"] for one in told["steps"]] == [10]
