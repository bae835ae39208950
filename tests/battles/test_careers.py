"""What battles come to: records, careers of warriors, opponents, and what a correction would change
before it does.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.errors import NotAllowed, Refusal, StaleResult
from accounts.owner import NOBODY, Owner
from battles.models import Battle
from battles.operations import ownership
from battles.operations.sides import QuickSide, WarbandSide
from battles.queries.battles import load_battle, load_sheets, load_state
from battles.queries.careers import load_career
from battles.queries.index import own_battles, public_battles, waiting_for
from battles.results import CareerTotals
from tests.battles import steps as results
from tests.battles.ledger import faults
from tests.battles.pages import browser_of
from tests.battles.steps import preview_consequences
from tests.database import statements
from tests.factories import (
    battle_record,
    make_battle,
    make_duel,
    make_event,
    make_legal_warband,
    make_person,
    make_warrior,
)
from warbands.models import Warband
from warbands.operations.transaction import WriteContext
from warbands.operations.warriors import change_warrior, remove_warrior

pytestmark = pytest.mark.django_db

WON = {"winner": "a", "how": "conceded"}
LOST = {"winner": "b", "how": "objective"}
KILL = {"combatant": "b1", "to": "out_of_action", "by": "a1"}
FALL = {"combatant": "a2", "to": "out_of_action", "by": "b2"}


@pytest.fixture
def warband(ada: Owner) -> Warband:
    return make_legal_warband(actor=ada, name="The Ferrymen", visibility="public")


def fight(
    ada: Owner,
    warband: Warband,
    result: dict[str, Any],
    *falls: dict[str, Any],
    **fields: Any,
) -> Battle:
    battle = make_battle(
        actor=ada,
        sides=(WarbandSide(warband.token), QuickSide("Night Watch", 8, 7)),
        **fields,
    )
    events = [make_event("state", seq=seq, **fall) for seq, fall in enumerate(falls, 1)]
    results.propose_result(ada, battle.token, **result, events=events)
    assert faults(battle) == []
    return battle


def career(ada: Owner, warband: Warband) -> dict[str, Any]:
    found = load_career(ada, warband.token)
    assert found is not None
    return found


def test_career_counts_battles_kills_and_times_out(ada: Owner, warband: Warband) -> None:
    fight(ada, warband, WON, KILL, FALL, fought_date=date(2024, 5, 1))
    fight(ada, warband, LOST, FALL, fought_date=date(2024, 6, 1))
    fight(ada, warband, {"how": "drawn"}, fought_date=date(2024, 4, 1))
    make_battle(actor=ada, sides=(WarbandSide(warband.token), QuickSide("Not fought", 3)))
    found = career(ada, warband)
    assert found["tally"] == CareerTotals(battles=3, won=1, drawn=1, lost=1, kills=1, out=2)
    assert found["tally"].summary == "1 win, 1 draw, 1 loss"
    by_name = {one["fighter"].name: one["tally"] for one in found["warriors"]}
    assert by_name["Captain"] == CareerTotals(3, 1, 1, 1, kills=1, out=0)
    assert by_name["Halberdier 1"] == CareerTotals(3, 1, 1, 1, kills=0, out=2)
    assert by_name["Crossbowman 3"] == CareerTotals(3, 1, 1, 1)
    assert [one["fighter"].name for one in found["warriors"]][:2] == [
        "Captain",
        "Halberdier 1",
    ]
    assert all(one["is_there"] for one in found["warriors"])
    assert [
        (b["battle"].fought_date.month, b["tally"].result, b["tally"])
        for b in found["battles"]
    ] == [
        (6, "lost", CareerTotals(1, lost=1, out=1)),
        (5, "won", CareerTotals(1, won=1, out=1, kills=1)),
        (4, "drawn", CareerTotals(1, drawn=1)),
    ]
    assert [b["opponents"] for b in found["battles"]] == [["Night Watch"]] * 3


def test_career_claims_casualties_only_of_battles_where_they_were_recorded(
    ada: Owner, warband: Warband
) -> None:
    address = reverse("warband-career", args=[warband.token])
    fight(ada, warband, WON, fought_date=date(2024, 4, 1))
    found = career(ada, warband)
    assert (found["recorded"], found["battles"][0]["is_recorded"]) == (0, False)
    assert {one["recorded"] for one in found["warriors"]} == {0}
    shown = Client().get(address).content.decode()
    assert "Casualties were not recorded." in shown
    assert "Times out</dt>" not in shown
    fight(ada, warband, WON, KILL, fought_date=date(2024, 5, 1))
    found = career(ada, warband)
    assert found["recorded"] == 1
    assert [one["is_recorded"] for one in found["battles"]] == [True, False]
    assert {one["recorded"] for one in found["warriors"]} == {1}
    shown = Client().get(address).content.decode()
    assert "Casualties were recorded in 1 of 2 battles." in shown
    own = browser_of(ada).get(address).content.decode()
    assert own.count(">0 of 8<") == 1
    assert "not recorded" in own


def test_warrior_who_left_keeps_the_career_and_a_new_name_is_told(
    ada: Owner, warband: Warband
) -> None:
    fight(ada, warband, WON)
    captain, halberdiers = warband.warriors.order_by("position")[:2]
    remove_warrior(WriteContext(ada, warband.token), halberdiers.pk)
    change_warrior(WriteContext(ada, warband.token), captain.pk, name="Ostwin")
    fight(ada, warband, WON)
    found = career(ada, warband)
    told = {
        one["fighter"].name: (one["tally"].battles, one["is_there"])
        for one in found["warriors"]
    }
    assert (told["Ostwin"], told["Halberdier 1"]) == ((2, True), (1, False))
    assert not found["warriors"][-1]["is_there"]
    assert found["battles"][0]["changes"] == (
        "−4 Halberdier",
        "Captain: now called “Ostwin”",
        "24 pts less",
    )
    assert found["battles"][1]["changes"] == ()


def test_only_results_that_stand_are_counted(ada: Owner, warband: Warband) -> None:
    ben = make_person()
    theirs = make_legal_warband(actor=ben, visibility="link")
    battle = make_battle(
        actor=ada, sides=(WarbandSide(warband.token), WarbandSide(theirs.token))
    )
    counts = []

    def look() -> None:
        counts.append(
            (career(ada, warband)["tally"].battles, career(ben, theirs)["tally"].battles)
        )

    look()
    results.propose_result(ada, battle.token, **WON)
    look()
    results.dispute_result(ben, battle.token, reason="No.")
    look()
    results.correct_result(ada, battle.token, reason="Once more.", **WON)
    Battle.objects.update(confirm_by=timezone.now() - timedelta(seconds=1))
    look()
    ownership.settle_overdue(timezone.now())
    look()
    results.void_result(ada, battle.token, reason="-")
    look()
    results.restore_result(ada, battle.token)
    look()
    assert counts == [(n, n) for n in (0, 0, 0, 1, 1, 0, 1)]
    assert career(ben, theirs)["tally"] == CareerTotals(1, 0, 0, 1)


def test_other_readers_are_named_only_what_lists_may_name(
    ada: Owner, warband: Warband
) -> None:
    stranger = make_person()
    tokens = {
        v: fight(ada, warband, WON, KILL, visibility=v).token
        for v in ("private", "link", "public")
    }
    mine, theirs = career(ada, warband), career(stranger, warband)
    assert (mine["tally"].battles, len(mine["battles"]), mine["hidden"]) == (3, 3, 0)
    assert (
        theirs["tally"].battles,
        [b["battle"].token for b in theirs["battles"]],
        theirs["hidden"],
    ) == (
        2,
        [tokens["public"]],
        1,
    )
    assert theirs["tally"].kills == 2
    hidden = make_legal_warband(actor=ada)
    assert load_career(stranger, hidden.token) is None
    assert load_career(NOBODY, "x") is None


def test_head_to_head_by_opponent(ada: Owner, warband: Warband) -> None:
    ben = make_person()
    theirs = make_legal_warband(actor=ben, name="Grudge", visibility="public")
    for result in (WON, LOST):
        battle = make_battle(
            actor=ada, sides=(WarbandSide(warband.token), WarbandSide(theirs.token))
        )
        results.propose_result(ada, battle.token, **result)
        results.confirm_result(ben, battle.token)
    fight(ada, warband, WON)
    fight(ada, warband, {"how": "drawn"})
    three = make_battle(
        actor=ada,
        sides=(
            WarbandSide(warband.token),
            QuickSide("night watch", 3),
            QuickSide("Rats", 3),
        ),
    )
    results.propose_result(ada, three.token, winner="c", how="objective")
    career = load_career(ada, warband.token)
    assert career is not None
    rows = career["opponents"]
    told = {
        row["name"].lower(): (
            row["warband"],
            row["tally"].battles,
            row["tally"].won,
            row["tally"].drawn,
            row["tally"].lost,
        )
        for row in rows
    }
    assert told == {
        "night watch": ("", 3, 1, 2, 0),
        "grudge": (theirs.token, 2, 1, 0, 1),
        "rats": ("", 1, 0, 0, 1),
    }
    assert rows[0]["tally"].battles == 3
    mirrored = load_career(ben, theirs.token)
    assert mirrored is not None
    assert [
        (row["name"], row["tally"].won, row["tally"].lost) for row in mirrored["opponents"]
    ] == [("The Ferrymen", 1, 1)]


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_statements_for_one_battle_as_for_three(
    ada: Owner, warband: Warband, count: int
) -> None:
    for _ in range(count):
        make_warrior(warband=warband)
        battle = fight(ada, warband, WON, KILL, FALL, visibility="public")
        make_battle(actor=ada, sides=(WarbandSide(warband.token), QuickSide("Later", 3)))
    duel = make_duel(ada=ada)
    for name, call, expected in (
        # The warband, its sides, the others, who is there, the combatants, the snapshots.
        ("career", lambda: load_career(ada, warband.token), 6),
        ("mine", lambda: own_battles(ada), 2),
        ("confirmed", lambda: own_battles(ada, status="confirmed"), 2),
        ("public", lambda: public_battles(NOBODY), 2),
        ("waiting", lambda: waiting_for(ada), 1),
        # The battle, its sides, its steps, its events.
        ("battle", lambda: load_battle(ada, battle.token), 4),
        ("duel", lambda: load_battle(ada, duel.token), 4),
        ("state", lambda: load_state(ada, battle.token), 2),
        ("sheets", lambda: load_sheets(battle_record(duel)), 5),
        # The battle, its sides, its steps; the counted sides, their combatants; later battles,
        # their sides.
        ("preview", lambda: preview_consequences(ada, battle.token, verb="void"), 7),
    ):
        assert statements(call) == expected, name


@pytest.mark.parametrize("warriors", [5, 50])
def test_battle_takes_as_many_statements_whoever_fights(ada: Owner, warriors: int) -> None:
    warband = make_legal_warband(actor=ada, points_limit=None)
    make_warrior(warband=warband, count=warriors)
    battle = fight(ada, warband, WON, KILL)
    assert statements(lambda: load_battle(ada, battle.token)) == 4
    assert statements(lambda: load_career(ada, warband.token)) == 6


def test_lists_are_narrowed_by_status_and_paged(ada: Owner, warband: Warband) -> None:
    for result in (WON, LOST):
        fight(ada, warband, result)
    make_battle(actor=ada)
    assert [row.status for row in own_battles(ada).rows] == [
        "open",
        "confirmed",
        "confirmed",
    ]
    assert len(own_battles(ada, status="confirmed").rows) == 2
    assert (
        own_battles(ada, status="void").rows
        == own_battles(ada, status="nonsense").rows
        == ()
    )
    first, last = own_battles(ada, per_page=2), own_battles(ada, per_page=2, page=2)
    assert (len(first.rows), first.has_next(), len(last.rows), last.has_next()) == (
        2,
        True,
        1,
        False,
    )
    assert ((last.number - 1) * last.per_page, len(last.rows)) == (2, 1)
    row = own_battles(ada, status="confirmed").rows[0]
    assert (row.title, row.winner, row.how_name, row.system_name) == (
        "The Ferrymen against Night Watch",
        "b",
        "Objective",
        "Warhammer Skirmish",
    )
    assert [(side.name, side.is_winner, side.is_mine) for side in row.sides] == [
        ("The Ferrymen", False, True),
        ("Night Watch", True, False),
    ]


# Before it happens


def now(ada: Owner, ben: Owner, tokens: tuple[str, str]) -> dict[str, Any]:
    """The careers as they are: of both warbands, and of each warrior."""
    found: dict[str, Any] = {}
    for side, actor, token in zip("ab", (ada, ben), tokens, strict=True):
        one = load_career(actor, token)
        assert one is not None
        found[side] = one["tally"]
        found |= {f"{side} {w['fighter'].name}": w["tally"] for w in one["warriors"]}
    return found


@pytest.mark.parametrize(
    "visibility", ["private", pytest.param("link", marks=pytest.mark.soak), "public"]
)
def test_preview_is_what_happens(ada: Owner, visibility: str) -> None:
    ben = make_person()
    mine = make_legal_warband(actor=ada, name="The Ferrymen", visibility="public")
    theirs = make_legal_warband(actor=ben, name="Grudge", visibility="public")
    tokens, empty = (mine.token, theirs.token), CareerTotals()
    for result in (WON, LOST):  # records there are already
        fight(ada, mine, result, KILL, FALL, visibility="private")
    battle = make_battle(
        actor=ada,
        sides=(WarbandSide(mine.token), WarbandSide(theirs.token)),
        visibility=visibility,
    )
    steps: list[tuple[Owner, str, dict[str, Any]]] = [
        (ada, "propose", {**WON, "events": [make_event("state", seq=1, **KILL)]}),
        (ben, "confirm", {}),
        (
            ada,
            "correct",
            {**LOST, "reason": "-", "events": [make_event("state", seq=2, **FALL)]},
        ),
        (ada, "void", {"reason": "-"}),
        (ada, "restore", {}),
    ]
    changed = []
    for actor, verb, said in steps:
        before = now(ada, ben, tokens)
        preview = preview_consequences(actor, battle.token, verb=verb, **said)
        again = preview_consequences(actor, battle.token, verb=verb, **said)
        assert again | {"confirm_by": preview["confirm_by"]} == preview
        assert now(ada, ben, tokens) == before
        getattr(results, f"{verb}_result")(actor, battle.token, **said)
        after = now(ada, ben, tokens)
        expected = dict(before)
        for change in (*preview["warbands"], *preview["warriors"]):
            name = (
                change.side
                if change in preview["warbands"]
                else f"{change.side} {change.name}"
            )
            # A reader's own records hold their own private battles, those of others only what they
            # may open.
            if change.side == ("a" if actor == ada else "b"):
                assert change.before == before.get(name, empty), (verb, name)
                assert change.after == after.get(name, empty), (verb, name)
                expected[name] = change.after
        own = "a" if actor == ada else "b"
        for name in {*after, *expected}:
            if name.startswith(own):
                assert after.get(name, empty) == expected.get(name, empty), (verb, name)
        assert preview["after"]["status"] == battle_record(battle, actor=ada).result.status
        changed.append((verb, len(preview["warbands"]), len(preview["warriors"])))
    assert changed == [
        ("propose", 0, 0),
        ("confirm", 2, 16),
        ("correct", 2, 16),
        ("void", 2, 16),
        ("restore", 2, 16),
    ]
    assert faults(battle) == []


def test_preview_tells_in_words_and_names_later_battles(
    ada: Owner, warband: Warband
) -> None:
    battle = fight(ada, warband, WON)
    later = make_battle(actor=ada, sides=(WarbandSide(warband.token), QuickSide("Rats", 3)))
    found = preview_consequences(ada, battle.token, verb="correct", **LOST)
    assert found["sentences"] == [
        (
            "Result: confirmed, Night Watch won, objective (was confirmed, The Ferrymen "
            "won, conceded)."
        ),
        "The Ferrymen: 1 loss (was 1 win).",
        "8 battle records of models changed.",
    ]
    assert [(one["side"], one["token"], one["title"]) for one in found["later"]] == [
        ("a", later.token, "The Ferrymen against Rats")
    ]
    assert (found["before"], found["after"]) == (
        {"status": "confirmed", "winner": "a", "how": "conceded"},
        {"status": "confirmed", "winner": "b", "how": "objective"},
    )
    same = preview_consequences(ada, battle.token, verb="correct", **WON)
    assert same["sentences"][-1] == "No battle records change."


def test_preview_refuses_what_the_step_would_refuse(ada: Owner, warband: Warband) -> None:
    battle = fight(ada, warband, WON)
    for said, error in (
        ({"verb": "propose", **WON}, Refusal),
        ({"verb": "correct", "winner": "z", "how": "conceded"}, Refusal),
        ({"verb": "correct", **WON, "events": [make_event("dance")]}, Refusal),
        ({"verb": "correct", **WON, "reason": "x" * 501}, Refusal),
        ({"verb": "void", "expected": 7}, StaleResult),
    ):
        with pytest.raises(error):
            preview_consequences(ada, battle.token, **said)
    with pytest.raises(NotAllowed):
        preview_consequences(make_person(), battle.token, verb="void")
    assert (battle.events.count(), battle.results.count()) == (0, 1)
