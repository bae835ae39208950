"""Each step of a result through its page: what it asks for, what it says first, and who may take
it.
"""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.owner import Owner
from battles.models import Battle
from battles.operations.sides import QuickSide
from battles.queries.careers import load_career
from tests.battles.ledger import faults
from tests.battles.pages import browser_of, fields, page, send, url
from tests.battles.steps import append_events, confirm_result, propose_result, void_result
from tests.factories import battle_record, make_battle, make_event, make_owner, make_person

pytestmark = pytest.mark.django_db

WON = {"winner": "a", "how": "objective"}


def take(client: Client, battle: Battle, verb: str, **changes: str | None) -> HttpResponse:
    """A step by its own button, after its preview where it has one."""
    return send(client, url("battle-result", battle, verb), go="1", **changes)


def told(battle: Battle) -> tuple[str, str | None, str]:
    assert faults(battle) == []
    result = battle_record(battle).result
    return result.status, result.winner, result.how


def test_all_steps_one_after_the_other(ada: Owner, ben: Owner, battle: Battle) -> None:
    """Reported, disputed, put right, confirmed; then corrected, made void and restored, each with
    its preview.
    """
    mine, theirs = browser_of(ada), browser_of(ben)
    append_events(
        ada,
        battle.token,
        events=[make_event("state", combatant="b1", to="out_of_action", by="a1")],
    )
    answer = take(mine, battle, "propose", **WON)
    assert (answer.status_code, answer["Location"]) == (302, url("battle-read", battle))
    assert told(battle) == ("proposed", "a", "objective")
    take(theirs, battle, "dispute", reason="It was a draw.", winner="nobody:drawn")
    assert told(battle)[0] == "disputed"
    take(mine, battle, "correct", reason="So it was.", winner="nobody:drawn", how="")
    assert told(battle) == ("proposed", None, "drawn")
    take(theirs, battle, "confirm")
    assert told(battle) == ("confirmed", None, "drawn")
    sentences = {
        "correct": "The Ferrymen: 1 win (was 1 draw).",
        "void": "The Ferrymen: no battles (was 1 win).",
        "restore": "The Ferrymen: 1 win (was no battles).",
    }
    warband = battle_record(battle).sides[0].warband
    for verb, sentence in sentences.items():
        address, before = url("battle-result", battle, verb), told(battle)
        sent = {**fields(page(mine, address), address), "reason": "Looked at again."}
        sent |= WON if verb == "correct" else {}
        preview = mine.post(address, sent)
        html = preview.content.decode()
        assert preview.status_code == 200
        assert "Changes" in html
        assert sentence in html
        assert told(battle) == before
        assert mine.post(address, {**fields(html, address), "go": "1"}).status_code == 302
        expected = {"void": ("void", "a")}.get(verb, ("confirmed", "a"))
        assert told(battle)[:2] == expected
        career = load_career(ada, warband)
        assert career is not None
        assert (career["tally"].won, career["tally"].kills) == (
            (0, 0) if verb == "void" else (1, 1)
        )
    verbs = ["propose", "dispute", "correct", "confirm", "correct", "void", "restore"]
    assert [step.verb for step in battle_record(battle).result.steps] == verbs


def test_what_the_events_say_stands_in_the_form(ada: Owner, battle: Battle) -> None:
    append_events(ada, battle.token, events=[make_event("end", winner="b", how="conceded")])
    address = url("battle-result", battle, "propose")
    shown = fields(page(browser_of(ada), address), address)
    assert (shown["winner"], shown["how"]) == ("b", "conceded")


BAD: list[tuple[str, dict[str, str | None], str]] = [
    ("propose", {}, "winner"),
    ("propose", {"winner": "z", "how": "objective"}, "winner"),
    ("propose", {"winner": "a", "how": "magic"}, "how"),
    ("propose", {**WON, "reason": "x" * 501}, "reason"),
    ("propose", {**WON, "reason": "a\u202eb"}, "reason"),
    ("dispute", {}, "reason"),
    ("dispute", {"reason": " \r\n "}, "reason"),
    ("correct", {"winner": "b"}, "reason"),
    ("correct", {"reason": "No.", "winner": None}, "winner"),
    ("void", {}, "reason"),
]


def test_bad_input_names_its_field(ada: Owner, ben: Owner, battle: Battle) -> None:
    for verb, changes, named in BAD:
        if verb != "propose" and told(battle)[0] == "open":
            propose_result(ada, battle.token, **WON)
        before = told(battle)
        client = browser_of(ben if verb == "dispute" else ada)
        answer = take(client, battle, verb, **changes)
        assert answer.status_code == 400, (verb, changes)
        assert list(answer.context["form"].errors) == [named], (verb, changes)
        assert told(battle) == before
        if changes.get("winner") in ("a", "b"):
            address = url("battle-result", battle, verb)
            assert fields(answer.content.decode(), address)["winner"] == changes["winner"]


def test_sent_twice_is_one_step(ada: Owner, battle: Battle) -> None:
    client, address = browser_of(ada), url("battle-result", battle, "propose")
    sent = {**fields(page(client, address), address), **WON, "go": "1"}
    assert [client.post(address, sent).status_code for _ in range(2)] == [302, 302]
    assert battle.results.count() == 1


def test_step_on_a_result_that_has_changed_is_not_taken(
    ada: Owner, ben: Owner, battle: Battle
) -> None:
    propose_result(ada, battle.token, **WON)
    client, address = browser_of(ben), url("battle-result", battle, "confirm")
    sent = {**fields(page(client, address), address), "go": "1"}
    take(
        browser_of(ada),
        battle,
        "correct",
        reason="The other way round.",
        winner="b",
        how="objective",
    )
    answer = client.post(address, sent, follow=True)
    assert "Somebody changed the result after you opened it" in answer.content.decode()
    assert told(battle) == ("proposed", "b", "objective")


def test_reason_of_many_lines_is_one_paragraph(ada: Owner, battle: Battle) -> None:
    propose_result(ada, battle.token, **WON)
    take(browser_of(ada), battle, "void", reason="Twice\r\nentered.")
    assert battle_record(battle).result.steps[-1].reason == "Twice entered."


def test_holder_of_the_key_says_their_name(battle: Battle) -> None:
    take(browser_of(battle=battle), battle, "propose", author="Ilse", **WON)
    step = battle_record(battle).result.steps[0]
    assert step.author == "Ilse"


def test_quick_sides_stand_at_once(ada: Owner) -> None:
    battle = make_battle(
        actor=ada, sides=[QuickSide("Reds", 3, 7), QuickSide("Blues", 3, 7)]
    )
    take(browser_of(ada), battle, "propose", winner="b", how="conceded")
    assert told(battle) == ("confirmed", "b", "conceded")


def test_who_may_take_which_step(ada: Owner, ben: Owner, battle: Battle) -> None:
    """Those who take no part learn of no page; the others are told why not."""
    strangers = [browser_of(), browser_of(make_person()), browser_of(make_owner())]
    verbs = ("propose", "confirm", "dispute", "correct", "void", "restore")
    for verb in verbs:
        for client in strangers:
            assert client.get(url("battle-result", battle, verb)).status_code == 404
            assert (
                client.post(url("battle-result", battle, verb), {"go": "1"}).status_code
                == 404
            )
    assert (
        browser_of(ada).get(url("battle-read", battle) + "result/win/").status_code == 404
    )
    propose_result(ada, battle.token, **WON)
    open_to = {
        verb: [
            c.get(url("battle-result", battle, verb)).status_code
            for c in map(browser_of, (ada, ben))
        ]
        for verb in verbs
    }
    assert open_to == {
        "propose": [302, 302],
        "confirm": [302, 200],
        "dispute": [302, 200],
        "correct": [200, 200],
        "void": [200, 200],
        "restore": [302, 302],
    }
    confirm_result(ben, battle.token)
    answer = browser_of(ben).post(
        url("battle-result", battle, "void"), {"reason": "-", "go": "1"}, follow=True
    )
    assert "That cannot be done now: the result is confirmed." in answer.content.decode()
    void_result(ada, battle.token, reason="-")
    assert browser_of(ada).get(url("battle-result", battle, "restore")).status_code == 200
