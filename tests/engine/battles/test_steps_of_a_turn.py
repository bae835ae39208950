"""What a turn allows once: one Rally, one step up for the stunned; and who rallies alone."""

from dataclasses import replace
from typing import Any

import pytest

from engine.battles.event_fold import fold
from engine.battles.rules import BattleTest
from engine.battles.types import BattleState, Combatant, Event, Field, Side
from engine.roster import Agreement
from rulesdata import registry

ECW, SKIRMISH = "english-civil-war", "warhammer-skirmish"


def played(rules, men, *said) -> BattleState:
    sides = (Side("a", "A", len(men), None, tuple(men)), Side("b", "B", 1, 7, ()))
    events = [
        Event(
            f"00000000-0000-4000-8000-{number:012}",
            "d",
            number,
            "2026-03-01T19:30:00Z",
            kind,
            payload,
        )
        for number, (kind, payload) in enumerate(said)
    ]
    return fold(rules, Field(sides), events)


def turn(number: int, side: str = "a") -> tuple[str, dict[str, Any]]:
    return "turn", {"number": number, "side": side}


def to(state: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "state", {"combatant": "a1", "to": state, **more}


RALLY = ("test", {"combatant": "a1", "test": "rally", "dice": [6, 6]})
RISES = "stood_up_this_turn"
MOVEMENT = ("phase", {"phase": "movement"})


@pytest.mark.parametrize(
    "kinds, models, is_set_aside",
    [(("officer",), 1, False), (("foot",), 4, True), (("foot",), 5, False)],
)
def test_an_officer_rallies_alone_and_a_unit_needs_five(kinds, models, is_set_aside):
    rules = registry.battle_rules(ECW)
    man = Combatant("a1", "a", "Sir John", None, 7, False, models, kinds)
    flees = to("fleeing", forced=True, note="Broken")
    state = played(rules, [man], turn(1), flees, MOVEMENT, RALLY)
    told = list(state.verdicts.values())[-1]
    assert bool(told) is is_set_aside
    if is_set_aside:
        assert "needs 5 or more" in told


@pytest.mark.parametrize("system", [ECW, SKIRMISH])
def test_a_second_rally_in_a_turn_is_against_the_rules(system: str) -> None:
    rules = registry.battle_rules(system)
    man = Combatant("a1", "a", "Sir John", None, 7, False, 6, ("foot",))
    flees = to("fleeing", forced=True, note="Broken")
    begun = (turn(1), MOVEMENT) if system == ECW else (turn(1), turn(1))
    later = (turn(2), MOVEMENT) if system == ECW else (turn(2), turn(2))
    state = played(rules, [man], *begun, flees, RALLY, RALLY, *later, RALLY)
    verdicts = list(state.verdicts.values())
    assert (
        verdicts[4] == "Sir John: Rally was taken this turn already; the rules allow one."
    )
    assert (verdicts[3], verdicts[7]) == ("", "")


def test_who_was_stunned_as_the_turn_began_gets_up_in_the_next() -> None:
    rules = registry.battle_rules(SKIRMISH)
    man = Combatant("a1", "a", "Ostwin", 1, 7)
    stunned = to("stunned", forced=True, note="A blow")
    said = (turn(1, "b"), stunned, turn(2), to("knocked_down"), to(RISES))
    state = played(rules, [man], *said)
    assert list(state.verdicts.values())[-1] == (
        "Ostwin was stunned as the turn began, so the rules allow one step: not just stood up yet."
    )
    assert state.combatants["a1"].state == "knocked_down"
    # In the next turn, or where the players agree to take it all the same, it may.
    later = played(rules, [man], *said, turn(3, "b"), turn(4), to(RISES))
    assert later.combatants["a1"].state == RISES
    agreed = played(rules, [man], *said[:4], to(RISES, forced=True, note="Agreed"))
    assert agreed.combatants["a1"].state == RISES


def test_both_steps_may_be_agreed_on() -> None:
    rules = registry.battle_rules(SKIRMISH, None, Agreement((("G15", 1),)))
    man = Combatant("a1", "a", "Ostwin", 1, 7)
    stunned = to("stunned", forced=True, note="A blow")
    said = (turn(1, "b"), stunned, turn(2), to("knocked_down"), to(RISES))
    assert played(rules, [man], *said).combatants["a1"].state == RISES


def wounds(left: int) -> tuple[str, dict[str, Any]]:
    return "wounds", {"combatant": "a1", "to": left}


@pytest.mark.parametrize("said, asks", [
    ([wounds(1)], None), ([wounds(0)], "injury"),
    # Told again it is still owed, and with a Wound back it is not.
    ([wounds(0), wounds(0)], "injury"),
    ([wounds(0), wounds(1)], None),
    ([wounds(0), wounds(1), wounds(0)], "injury"),
    # Whoever lies as an injury left it has been decided on.
    ([to("stunned", forced=True, note="A blow"), wounds(0)], None),
])  # fmt: skip
def test_whoever_loses_the_last_wound_owes_an_injury(said, asks):
    man = Combatant("a1", "a", "Ostwin", 2, 7)
    state = played(registry.battle_rules(SKIRMISH), [man], turn(1), *said)
    assert state.combatants["a1"].asks == asks


def test_another_test_that_is_owed_stays_when_wounds_are_told() -> None:
    rules = registry.battle_rules(SKIRMISH)
    follows = replace(rules.tests["injury"], id="follows", at_last_wound=False)
    nerve = BattleTest(
        "nerve", "Nerve", "combatant", (6, 6), "at_most", needs=7, asks="follows"
    )
    tests = {**rules.tests, "nerve": nerve, "follows": follows}
    fails = ("test", {"combatant": "a1", "test": "nerve", "dice": [6, 6]})
    man = Combatant("a1", "a", "Ostwin", 2, 7)
    state = played(replace(rules, tests=tests), [man], turn(1), fails, wounds(1))
    assert set(state.verdicts.values()) == {""}
    assert state.combatants["a1"].asks == "follows"


def test_without_a_test_of_the_last_wound_none_is_owed() -> None:
    rules = registry.battle_rules(SKIRMISH)
    tests = {key: one for key, one in rules.tests.items() if not one.at_last_wound}
    man = Combatant("a1", "a", "Ostwin", 2, 7)
    state = played(replace(rules, tests=tests), [man], turn(1), wounds(0))
    assert (state.combatants["a1"].wounds, state.combatants["a1"].asks) == (0, None)
