"""The same battle twice, recorded event by event and told in the form: in every system both records
agree.
"""

from typing import Any

import pytest

from accounts.owner import Owner
from battles.models import Battle
from battles.operations.sides import QuickSide, RosterSide, SideChoice
from battles.queries.index import BattleRecord
from engine.battles.rules import BattleRules
from rulesdata import registry
from tests.battles.ledger import faults
from tests.battles.pages import browser_of, send, url
from tests.battles.steps import append_events, propose_result
from tests.factories import battle_record, make_battle, make_event, make_person
from tests.systems import some_of, systems_with
from warbands.exchange.document import to_document
from warbands.queries.lists import starters

pytestmark = pytest.mark.django_db


def sides_of(address: str) -> list[SideChoice]:
    found = [RosterSide(to_document(one.roster)) for one in starters(address)][:2]
    return [*found, QuickSide("Night Watch", 7, 7)][:2]


def live(rules: BattleRules) -> list[dict[str, Any]]:
    """Three turns: two of b fall by named hands, one of a by nobody's; a test where the system
    knows Rout; the end.
    """
    out = next(key for key, rule in rules.states.items() if rule.is_out)
    last = next((rule for rule in rules.counters.values() if rule.out_to == out), None)

    def falls(who: str, **by: str) -> tuple[str, dict[str, Any]]:
        if last is not None:
            return "counter", {
                "combatant": who,
                "counter": last.id,
                "to": last.out_at,
                **by,
            }
        return "state", {"combatant": who, "to": out, "forced": True, "note": "-", **by}

    told = [
        ("turn", {"number": 1, "side": "a"}),
        falls("b2", by="a1"),
        ("turn", {"number": 2, "side": "b"}),
        falls("a3"),
        ("turn", {"number": 3, "side": "a"}),
        falls("b3", by="a1"),
    ]
    if rules.rout is not None:
        told.append(
            (
                "test",
                {
                    "test": rules.rout.test,
                    "side": "b",
                    "passed": True,
                    "forced": True,
                    "note": "-",
                },
            )
        )
    told.append(("end", {"winner": "a", "how": "objective"}))
    return [
        make_event(kind, seq=number, **payload)
        for number, (kind, payload) in enumerate(told, 1)
    ]


def digest(battle: Battle, actor: Owner) -> dict[str, Any]:
    """Everything both ways tell: who ended how and by whose hand, the sides, the tests, the end and
    the result.
    """
    assert faults(battle) == []
    record: BattleRecord = battle_record(battle, actor=actor)
    state = record.state
    return {
        "turn": state.turn,
        "fates": {
            key: (one.state, one.wounds, one.kills, one.put_out_by, dict(one.counters))
            for key, one in state.combatants.items()
        },
        "sides": {
            key: (one.out, one.size, one.rout.passed, one.has_routed)
            for key, one in state.sides.items()
        },
        "end": (state.end.winner, state.end.how) if state.end else None,
        "result": (record.result.status, record.result.winner, record.result.how),
    }


@some_of(systems_with("battle"), of=3)
def test_recorded_live_and_told_afterwards_agree(book: Any) -> None:
    rules, ada = registry.battle_rules(book.key, book.variant), make_person()
    made = [
        make_battle(
            actor=ada, system=book.key, variant=book.variant, sides=sides_of(book.address)
        )
        for _ in "12"
    ]
    recorded, entered = made
    answers = append_events(ada, recorded.token, events=live(rules)).answers
    assert [answer.reason for answer in answers] == [""] * len(answers)
    propose_result(ada, recorded.token)
    out = {"out-b2": "on", "by-b2": "a1", "out-a3": "on", "out-b3": "on", "by-b3": "a1"}
    rout = {"rout-b": "passed"} if rules.rout else {}
    answer = send(
        browser_of(ada),
        url("battle-enter", entered),
        turns="3",
        winner="a",
        how="objective",
        **out,
        **rout,
    )
    assert answer.status_code == 302
    assert digest(entered, ada) == digest(recorded, ada)
