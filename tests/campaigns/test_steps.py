"""After a battle of a campaign: fates rolled or typed, pay, recruits; each a row that can be taken
back.
"""

from __future__ import annotations

from typing import Any

import pytest

from accounts.errors import NotAllowed, NotFound, Refusal, Stale
from battles.queries.careers import career_of
from campaigns.models import CareerStep, EventLog, Fixture
from campaigns.operations.log import ChangeRequest
from campaigns.operations.results import open_fixture
from campaigns.operations.round_lists import hand_in_list
from campaigns.operations.steps import (
    add_recruit,
    collect_pay,
    revoke_step,
    roll_fate,
    set_steps,
)
from campaigns.queries.entries import PlayerPage, load_player
from engine.tournament.campaign_steps import EXAMPLE
from tests.battles.steps import append_events
from tests.campaigns.leagues import League, make_campaign, make_league, make_round
from tests.campaigns.results import fresh, put_up, report
from tests.factories import make_event, make_person
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import change_warrior

pytestmark = pytest.mark.django_db

FELL = {"to": "out_of_action", "by": "b1"}


@pytest.fixture
def winter() -> League:
    """A campaign whose first round Ada and Ben have to play, with the example's steps."""
    return make_campaign(players=3, with_warbands=True, steps=EXAMPLE)


@pytest.fixture
def fought(winter: League) -> Fixture:
    """Their battle: two halberdiers of Ada's went out, and Ben won."""
    (fixture,) = put_up(winter, 1, [("Ada", "Ben")])
    battle = open_fixture(ChangeRequest(winter.organiser, winter.token), fixture.token)
    events = [
        make_event("state", seq=seq, combatant=key, **FELL)
        for seq, key in enumerate(("a2", "a3"), 1)
    ]
    append_events(winter.player("Ada"), battle, "", events)
    report(winter, fixture, "Ben")
    return fresh(fixture)


def page_of(winter: League, name: str, **which: Any) -> PlayerPage:
    page = load_player(
        which.get("actor", winter.player(name)), winter.token, winter.entry(name).token
    )
    assert page is not None
    return page


def fate(winter: League, fixture: Fixture, combatant: str = "a2", **how: Any) -> Any:
    return roll_fate(
        ChangeRequest(winter.player("Ada"), winter.token),
        fixture.token,
        winter.entry("Ada").token,
        combatant,
        **how,
    )


def test_what_is_due_is_taken_step_by_step(winter: League, fought: Fixture) -> None:
    ada, entry = winter.player("Ada"), winter.entry("Ada").token
    (due,) = page_of(winter, "Ada").ledger.due
    assert (due.fallen, due.pay, due.recruits) == (
        (("a2", "Halberdier 1"), ("a3", "Halberdier 2")),
        10,
        1,
    )
    assert (
        fate(winter, fought, typed=1).words
        == "Halberdier 1 of Ada: Dead or retired (rolled 1 on D6)."
    )
    rolled = CareerStep.objects.get(pk=fate(winter, fought, "a3").id)
    assert (len(rolled.what["faces"]), rolled.what["roll"]) == (1, rolled.what["faces"][0])
    assert (
        collect_pay(ChangeRequest(ada, winter.token), fought.token, entry).words
        == "Ada earned 10 gold for a battle lost."
    )
    done = add_recruit(
        ChangeRequest(ada, winter.token, key="k"), fought.token, entry, "Young Karl"
    )
    assert (
        add_recruit(
            ChangeRequest(ada, winter.token, key="k"), fought.token, entry, "Young Karl"
        ).id
        == done.id
    )
    ledger = page_of(winter, "Ada").ledger
    gone = (
        ("Halberdier 2", "Halberdier 1") if rolled.what["roll"] == 1 else ("Halberdier 1",)
    )
    assert (ledger.due, ledger.total, ledger.unit, ledger.gone) == ((), 10, "gold", gone)
    assert [row.kind for row in ledger.rows] == ["recruits", "pay", "fate", "fate"]
    assert page_of(winter, "Ben").ledger.due[0].pay == 20
    # Others read the ledger and are asked for nothing.
    cleo = page_of(winter, "Ada", actor=winter.player("Cleo"))
    assert (len(cleo.ledger.rows), cleo.ledger.due, cleo.may_take) == (4, (), False)


def test_each_step_is_taken_once_until_it_is_taken_back(
    winter: League, fought: Fixture
) -> None:
    ada, entry = winter.player("Ada"), winter.entry("Ada").token
    first = fate(winter, fought, typed=6)
    collect_pay(ChangeRequest(ada, winter.token), fought.token, entry)
    add_recruit(ChangeRequest(ada, winter.token), fought.token, entry, "Young Karl")
    for again, words in (
        (lambda: fate(winter, fought), "already rolled"),
        (
            lambda: collect_pay(ChangeRequest(ada, winter.token), fought.token, entry),
            "income",
        ),
        (
            lambda: add_recruit(
                ChangeRequest(ada, winter.token), fought.token, entry, "Old Karl"
            ),
            "At most 1",
        ),
    ):
        with pytest.raises(Refusal, match=words):
            again()
    revoke_step(
        ChangeRequest(winter.organiser, winter.token, reason="The  wrong die"),
        entry,
        first.id,
    )
    with pytest.raises(Refusal, match="already reversed"):
        revoke_step(ChangeRequest(ada, winter.token, reason="Again"), entry, first.id)
    fate(winter, fought, typed=2)
    rows = page_of(winter, "Ada").ledger.rows
    assert [(row.is_revoked, row.revoked) for row in rows if row.kind == "fate"] == [
        (False, ""),
        (True, "The wrong die"),
    ]
    assert EventLog.objects.filter(verb="revoke_step").get().reason == "The wrong die"


def test_who_is_gone_may_be_missing_from_the_core_and_keeps_a_career(
    winter: League, fought: Fixture
) -> None:
    winter.event.__class__.objects.filter(pk=winter.event.pk).update(
        needs_list=True, has_core=True
    )
    make_round(winter)
    make_round(winter)
    ada, warband = winter.player("Ada"), winter.entry("Ada").warband
    assert warband is not None
    hand_in_list(ChangeRequest(ada, winter.token), 2, warband.token)
    guard = warband.warriors.get(profile="halberdiers")
    change_warrior(WriteContext(ada, warband.token), guard.pk, count=2)
    assert hand_in_list(ChangeRequest(ada, winter.token), 3, warband.token).warnings == 1
    fate(winter, fought, "a2", typed=1)
    assert hand_in_list(ChangeRequest(ada, winter.token), 3, warband.token).warnings == 1
    fate(winter, fought, "a3", typed=1)
    assert hand_in_list(ChangeRequest(ada, winter.token), 3, warband.token).warnings == 0
    career = career_of(ada, warband.token)
    assert career is not None
    assert {one.name: one.fates for one in career.warriors if one.fates} == {
        "Halberdier 1": ("Dead or retired",),
        "Halberdier 2": ("Dead or retired",),
    }
    changes = [one.changes for one in page_of(winter, "Ada").lists]
    assert changes[0] is not None
    assert (changes[0][0], changes[-1]) == ("−2 Halberdier", None)


def test_pay_for_a_result_that_was_corrected_says_so(
    winter: League, fought: Fixture
) -> None:
    collect_pay(
        ChangeRequest(winter.player("Ada"), winter.token),
        fought.token,
        winter.entry("Ada").token,
    )
    assert not page_of(winter, "Ada").ledger.rows[0].is_stale
    report(winter, fought, "Ada", reason="Told the wrong way round")
    assert page_of(winter, "Ada").ledger.rows[0].is_stale


def test_steps_that_cannot_be_taken(winter: League, fought: Fixture) -> None:
    ada, entry = winter.player("Ada"), winter.entry("Ada").token
    with pytest.raises(Refusal, match="not 7"):
        fate(winter, fought, typed=7)
    for combatant in ("a1", "b1", "zz", ""):
        with pytest.raises(Refusal, match="was taken out of action"):
            fate(winter, fought, combatant)
    with pytest.raises(Refusal, match="recruit"):
        add_recruit(ChangeRequest(ada, winter.token), fought.token, entry, "  ")
    with pytest.raises(NotAllowed):
        collect_pay(ChangeRequest(winter.player("Ben"), winter.token), fought.token, entry)
    with pytest.raises(NotFound):
        collect_pay(ChangeRequest(make_person(), winter.token), fought.token, entry)
    with pytest.raises(NotFound):
        collect_pay(
            ChangeRequest(winter.player("Cleo"), winter.token),
            fought.token,
            winter.entry("Cleo").token,
        )
    (open_one,) = put_up(winter, 2, [("Ada", "Cleo")])
    with pytest.raises(Refusal, match="The result is not confirmed"):
        collect_pay(ChangeRequest(ada, winter.token), open_one.token, entry)
    set_steps(ChangeRequest(winter.organiser, winter.token, reason="Too much to write"), {})
    for kind in (
        lambda: fate(winter, fought),
        lambda: collect_pay(ChangeRequest(ada, winter.token), fought.token, entry),
    ):
        with pytest.raises(Refusal, match="This campaign"):
            kind()
    assert not CareerStep.objects.exists()


def test_steps_are_set_by_organisers_of_campaigns(winter: League) -> None:
    set_steps(ChangeRequest(winter.organiser, winter.token), {"recruits": {"most": 3}})
    version = winter.fresh().version
    again = ChangeRequest(winter.organiser, winter.token, expected=version)
    set_steps(again, {"recruits": {"most": 3}})
    assert winter.fresh().version == version
    with pytest.raises(Stale):
        set_steps(ChangeRequest(winter.organiser, winter.token, expected=version - 1), {})
    with pytest.raises(NotAllowed):
        set_steps(ChangeRequest(winter.player("Ada"), winter.token), {})
    rows = [{"least": 1, "most": 1, "name": "Gone"}]
    with pytest.raises(Refusal, match="has no row for a roll of 2"):
        set_steps(
            ChangeRequest(winter.organiser, winter.token),
            {"fate": {"dice": "D6", "rows": rows}},
        )
    league = make_league(players=1)
    with pytest.raises(Refusal, match="Only campaigns have"):
        set_steps(ChangeRequest(league.organiser, league.token), EXAMPLE)
