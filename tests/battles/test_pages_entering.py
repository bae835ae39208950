"""The form after the battle: a whole battle at once, mixed with what was recorded live, corrected
once reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from accounts.owner import Owner
from battles.after_battle import AfterBattleReport, ReportedCasualty
from battles.forms.after_battle import DETAILED_MAX
from battles.models import Battle
from battles.operations.sides import QuickSide, RosterSide
from battles.queries.careers import load_career
from battles.queries.index import BattleRecord
from tests.battles.ledger import faults
from tests.battles.pages import browser_of, fields, page, send, url
from tests.battles.steps import (
    append_events,
    confirm_result,
    propose_result,
    report_after_battle,
    void_result,
)
from tests.factories import battle_record, make_battle, make_event, make_owner, make_person
from warbands.exchange.document import to_document
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db
OUT = "out_of_action"
WON = {"winner": "a", "how": "objective"}


@pytest.fixture
def client(ada: Owner, battle: Battle) -> Client:
    return browser_of(ada)


@pytest.fixture
def enter(client: Client, battle: Battle) -> Callable[..., Any]:
    """Send the form with these changes."""
    return lambda **changes: send(client, url("battle-enter", battle), **changes)


def told(battle: Battle, actor: Owner | None = None) -> BattleRecord:
    """The battle as it stands, its stored totals looked at as well."""
    assert faults(battle) == []
    return battle_record(battle, actor=actor)


def test_whole_battle_at_once(enter: Callable[..., Any], battle: Battle) -> None:
    sent = {
        "out-b1": "on",
        "by-b1": "a3",
        "out-b2": "on",
        "how-b2": "left_table",
        "state-a2": "stunned",
        "wounds-a1": "1",
    }
    answer = enter(**sent, turns="5", **WON, note="A wet evening.\nNobody cared.")
    assert (answer.status_code, answer["Location"]) == (302, url("battle-read", battle))
    record = told(battle)
    states = record.state.combatants
    assert (states["b1"].state, states["b1"].put_out_by, states["a3"].kills) == (
        OUT,
        "a3",
        1,
    )
    assert (states["b2"].state, states["b2"].put_out_by) == ("left_table", None)
    assert (states["a2"].state, states["a1"].wounds, record.state.turn) == ("stunned", 1, 5)
    assert record.state.end is not None
    assert (record.result.status, record.result.winner, record.result.how) == (
        "proposed",
        "a",
        "objective",
    )
    assert [event.payload["text"] for event in record.events if event.kind == "note"] == [
        "A wet evening.\nNobody cared."
    ]
    html = page(browser_of(), url("battle-read", battle))
    assert "Entered after the battle" in html
    assert "Forced" not in html
    assert "turn 5, by" not in html  # the form does not ask when


def test_untouched_form_changes_nothing(enter: Callable[..., Any], battle: Battle) -> None:
    assert enter().status_code == 302
    record = told(battle)
    assert (record.position, record.version, record.result.status) == (0, 1, "open")


def test_battle_that_goes_on_is_not_reported(
    enter: Callable[..., Any], battle: Battle
) -> None:
    enter(**{"out-b1": "on"})
    record = told(battle)
    assert (record.result.status, record.sides[1].out) == ("open", 1)


def test_nobody_won(enter: Callable[..., Any], battle: Battle) -> None:
    enter(winner="nobody:drawn", how="objective")
    record = told(battle)
    assert (record.result.winner, record.result.how, record.result.status) == (
        None,
        "drawn",
        "proposed",
    )


def test_failed_rout_test_ends_and_reports_it(
    enter: Callable[..., Any], battle: Battle
) -> None:
    enter(**{"out-b1": "on", "out-b2": "on", "rout-b": "failed", "rout-a": "passed"})
    record = told(battle)
    assert (record.result.status, record.result.winner, record.result.how) == (
        "proposed",
        "a",
        "rout",
    )
    assert (record.state.sides["a"].rout.passed, record.state.sides["b"].rout.passed) == (
        True,
        False,
    )


def test_live_record_stands_in_the_form(
    ada: Owner, client: Client, enter: Callable[..., Any], battle: Battle
) -> None:
    """Half recorded on a phone, the rest entered: only what is new is said."""
    live = [
        make_event("turn", seq=1, number=3, side="b"),
        make_event("state", seq=2, combatant="b1", to=OUT, by="a1"),
        make_event("state", seq=3, combatant="a2", to="fleeing"),
    ]
    append_events(ada, battle.token, events=live)
    html = page(client, url("battle-enter", battle))
    shown = fields(html, url("battle-enter", battle))
    assert (shown["turns"], shown["out-b1"], shown["by-b1"], shown["state-a2"]) == (
        "3",
        "on",
        "a1",
        "fleeing",
    )
    assert "Fleeing" in html
    enter(**{"out-b2": "on", "by-b2": "a2"}, **WON)
    record = told(battle)
    assert [event.kind for event in record.events] == [
        "turn",
        "state",
        "state",
        "state",
        "end",
    ]
    assert {key for key, one in record.state.combatants.items() if one.is_out} == {
        "b1",
        "b2",
    }


def test_what_others_recorded_while_it_was_filled_in_stays(
    ada: Owner, ben: Owner, client: Client, battle: Battle
) -> None:
    address = url("battle-enter", battle)
    sent = fields(page(client, address), address)
    append_events(
        ben, battle.token, events=[make_event("state", combatant="a4", to=OUT, by="b4")]
    )
    assert client.post(address, {**sent, "out-b1": "on"}).status_code == 302
    record = told(battle)
    assert {key for key, one in record.state.combatants.items() if one.is_out} == {
        "a4",
        "b1",
    }


def test_form_sent_twice_has_one_effect(client: Client, battle: Battle) -> None:
    address = url("battle-enter", battle)
    sent = {
        **fields(page(client, address), address),
        "out-b1": "on",
        "note": "Once.",
        **WON,
    }
    answers = [client.post(address, sent) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    record = told(battle)
    assert [event.kind for event in record.events] == ["state", "note", "end"]
    assert record.result.number == 1


BAD: list[tuple[dict[str, str], str]] = [
    ({"turns": "0"}, "turns"),
    ({"turns": "100"}, "turns"),
    ({"turns": "many"}, "turns"),
    ({"winner": "z"}, "winner"),
    ({"how": "objective"}, "winner"),
    ({"how": "magic", "winner": "a"}, "how"),
    ({"rout-a": "failed", **WON}, "winner"),
    ({"note": "x" * 501}, "note"),
    ({"note": "\u202eevil"}, "note"),
    ({"by-b1": "b2"}, "by-b1"),
    ({"state-b1": "asleep"}, "state-b1"),
    ({"how-b1": "standing"}, "how-b1"),
    ({"wounds-a1": "9"}, "wounds-a1"),
    ({"rout-b": "maybe"}, "rout-b"),
]


def test_bad_input_names_its_field_and_loses_nothing(
    client: Client, battle: Battle
) -> None:
    address = url("battle-enter", battle)
    sent = {**fields(page(client, address), address), "out-b3": "on", "by-b3": "a5"}
    for changes, named in BAD:
        answer = client.post(address, {**sent, "note": "Kept.", **changes})
        html = answer.content.decode()
        assert answer.status_code == 400, changes
        assert named in answer.context["form"].errors, changes
        assert escape(answer.context["form"].errors[named][0][:20]) in html, changes
        typed = fields(html, address)
        assert (typed["out-b3"], typed["by-b3"]) == ("on", "a5")
        assert typed["note"] == changes.get("note", "Kept.")
    assert battle.events.count() == 0


def test_regiments_are_counted(ada: Owner) -> None:
    """Models left stand in the form; none left is destroyed, and whoever is ticked has none left."""
    found = list(starters("english-civil-war"))[:2]
    battle = make_battle(
        actor=ada,
        system="english-civil-war",
        sides=[RosterSide(to_document(one.roster)) for one in found],
    )
    client, address = browser_of(ada), url("battle-enter", battle)
    sent = fields(page(client, address), address)
    regiments = {
        name.removeprefix("models-"): int(value)
        for name, value in sent.items()
        if name.startswith("models-")
    }
    (one, many), *_ = [key for key in regiments if key.startswith("a")][:2], None
    foe = next(key for key in regiments if key.startswith("b"))
    assert min(regiments.values()) > 1  # nobody counts the one model of a general
    send(
        client,
        address,
        **{
            f"models-{one}": "0",
            f"models-{many}": "3",
            f"out-{foe}": "on",
            f"by-{foe}": many,
        },
    )
    states = told(battle).state.combatants
    assert (states[one].state, states[many].counters["models"], states[many].kills) == (
        "destroyed",
        3,
        1,
    )
    assert (states[foe].state, states[foe].counters["models"], states[foe].put_out_by) == (
        "destroyed",
        0,
        many,
    )


def test_many_combatants_are_only_asked_who_is_out(ada: Owner) -> None:
    half = DETAILED_MAX // 2 + 1
    battle = make_battle(
        actor=ada, sides=[QuickSide("Many", half, 7), QuickSide("More", half, 7)]
    )
    client, address = browser_of(ada), url("battle-enter", battle)
    append_events(
        ada, battle.token, events=[make_event("state", combatant="a2", to="stunned")]
    )
    html = page(client, address)
    assert "by-a1" not in html
    assert len(html) < 200_000
    send(client, address, **{"out-b7": "on"}, **WON)
    record = told(battle)
    assert (record.state.combatants["b7"].state, record.state.combatants["a2"].state) == (
        OUT,
        "stunned",
    )


# Who may


def test_only_those_who_take_part_enter(battle: Battle, ben: Owner) -> None:
    address = url("battle-enter", battle)
    for client in (browser_of(), browser_of(make_person()), browser_of(make_owner())):
        assert client.get(address).status_code == 404
        assert client.post(address, {"turns": "3"}).status_code == 404
    for client in (browser_of(ben), browser_of(battle=battle)):
        assert client.get(address).status_code == 200


def test_holder_of_the_key_is_told_by_name(battle: Battle) -> None:
    client = browser_of(battle=battle)
    send(client, url("battle-enter", battle), **{"out-b1": "on"}, author="Ilse", **WON)
    record = told(battle)
    assert {event.author for event in record.events} == {"Ilse"}
    assert record.result.steps[0].author == "Ilse"


# Once it is reported


def reported(battle: Battle, ada: Owner, ben: Owner) -> None:
    events = [make_event("state", combatant="b1", to=OUT, by="a1")]
    propose_result(ada, battle.token, **WON, events=events)
    confirm_result(ben, battle.token)


def test_confirmed_battle_is_corrected_with_a_preview(
    ada: Owner, ben: Owner, client: Client, battle: Battle
) -> None:
    reported(battle, ada, ben)
    address = url("battle-enter", battle)
    sent = {
        **fields(page(client, address), address),
        "out-b1": "",
        "out-b4": "on",
        "by-b4": "a3",
        "winner": "b",
    }
    sent = {name: value for name, value in sent.items() if name != "out-b1"} | {
        "reason": "It was the\r\nother one."
    }
    answer = client.post(address, sent)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "Changes" in html
    assert (
        "Result: confirmed, Night Watch won, objective (was confirmed, The Ferrymen "
        "won, objective)."
    ) in html
    assert told(battle).result.winner == "a"
    again = {**fields(html, address), "go": "1"}
    assert client.post(address, again).status_code == 302
    record = told(battle)
    assert {key for key, one in record.state.combatants.items() if one.is_out} == {"b4"}
    assert (record.result.status, record.result.winner, record.result.steps[-1].reason) == (
        "confirmed",
        "b",
        "It was the other one.",
    )
    career = load_career(ada, record.sides[0].warband)
    assert career is not None
    assert (career["tally"].lost, career["tally"].kills) == (1, 1)


def test_correction_needs_a_reason_and_a_winner(
    ada: Owner, ben: Owner, client: Client, battle: Battle
) -> None:
    reported(battle, ada, ben)
    answer = send(client, url("battle-enter", battle), winner=None, how="")
    assert answer.status_code == 400
    assert set(answer.context["form"].errors) == {"winner", "reason"}


def test_correction_after_silence(ada: Owner, client: Client, battle: Battle) -> None:
    """Nobody answered and nobody wrote that down yet: the page shows it confirmed, and corrects it."""
    propose_result(ada, battle.token, **WON)
    for rows in (Battle.objects.filter(pk=battle.pk), battle.results.all()):
        rows.update(confirm_by="2025-01-01T00:00:00Z")
    sent = {"reason": "Counted again.", "winner": "b", "go": "1"}
    assert send(client, url("battle-enter", battle), **sent)["Location"] == url(
        "battle-read", battle
    )
    record = told(battle)
    assert (record.result.status, record.result.winner) == ("confirmed", "b")
    assert [(step.verb, step.is_silent) for step in record.result.steps] == [
        ("propose", False),
        ("confirm", True),
        ("correct", False),
    ]


def test_somebody_decided_while_it_was_filled_in(
    ada: Owner, ben: Owner, client: Client, battle: Battle
) -> None:
    reported(battle, ada, ben)
    address = url("battle-enter", battle)
    sent = {
        **fields(page(client, address), address),
        "reason": "-",
        "winner": "b",
        "go": "1",
    }
    void_result(ada, battle.token, reason="Twice entered.")
    for sentence in (
        "Somebody changed the result after you opened it: you saw step 2, now it is step 3.",
        "Restore the result first",
    ):
        answer = client.post(address, sent)
        html = answer.content.decode()
        assert (answer.status_code, sentence in html) == (400, True)
        sent = {**fields(html, address), "go": "1"}
        assert sent["winner"] == "b"
    assert told(battle).result.status == "void"


def test_somebody_reported_while_it_was_filled_in(
    ben: Owner, client: Client, battle: Battle
) -> None:
    """What was typed stays in the form, which corrects the report now."""
    address = url("battle-enter", battle)
    sent = {**fields(page(client, address), address), "out-b1": "on", **WON}
    propose_result(ben, battle.token, winner="b", how="conceded")
    answer = client.post(address, sent)
    assert (answer.status_code, told(battle).position) == (400, 0)
    again = fields(answer.content.decode(), address)
    assert (again["out-b1"], again["winner"]) == ("on", "a")
    assert (
        client.post(address, {**again, "reason": "You mean us.", "go": "1"}).status_code
        == 302
    )
    record = told(battle)
    assert (record.result.winner, record.result.status, record.sides[1].out) == (
        "a",
        "proposed",
        1,
    )


def test_others_do_not_correct_what_is_confirmed(
    ada: Owner, ben: Owner, battle: Battle
) -> None:
    reported(battle, ada, ben)
    answer = browser_of(ben).get(url("battle-enter", battle), follow=True)
    assert (
        "Only an organiser of its club, or the creator of the battle, can correct it."
        in answer.content.decode()
    )


def test_telling_without_a_request_key_twice(ada: Owner, battle: Battle) -> None:
    """Two forms without keys are two forms: no id of the first is used again."""
    for number, who in enumerate(("b1", "b2")):
        report_after_battle(
            ada,
            battle.token,
            told=AfterBattleReport(number, 1, {who: ReportedCasualty(OUT)}),
        )
    assert battle_record(battle).sides[1].out == 2
