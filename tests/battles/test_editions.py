"""A battle is folded by the edition it was set up under: a later correction of the rules changes
nothing that was recorded before it.
"""

from typing import Any

import pytest

from battles.models import Battle
from battles.operations.log import recount_battles
from engine.roster import EDITION
from rulesdata import registry
from tests.battles.steps import append_events
from tests.factories import battle_owner, battle_record, make_battle, make_event
from tests.systems import systems_with

pytestmark = pytest.mark.django_db

RALLY = {"combatant": "a2", "test": "rally"}


def two_rallies() -> list[dict[str, Any]]:
    """A warrior fails to rally and tries again in the same turn (Warhammer Skirmish, THE RECOVERY
    PHASE allows one test).
    """
    told: list[tuple[str, dict[str, Any]]] = [
        ("turn", {"number": 1, "side": "a"}),
        ("state", {"combatant": "a2", "to": "fleeing"}),
        ("test", {**RALLY, "dice": [6, 6]}),
        ("test", {**RALLY, "dice": [1, 1]}),
        # The second is a step that the rules of today bar: up in the turn that found it stunned.
        ("state", {"combatant": "a3", "to": "stunned"}),
        ("turn", {"number": 2, "side": "a"}),
        ("state", {"combatant": "a3", "to": "knocked_down"}),
        ("state", {"combatant": "a3", "to": "stood_up_this_turn"}),
        # And a shot after a run.
        ("mark", {"combatant": "a4", "mark": "ran"}),
        ("mark", {"combatant": "a4", "mark": "has_shot"}),
    ]
    return [
        make_event(kind, seq=seq, **payload)
        for seq, (kind, payload) in enumerate(told, start=1)
    ]


def fate_of(battle: Battle, *keys: str) -> list[str]:
    battle.refresh_from_db()
    return [battle.state["combatants"][key]["state"] for key in keys]


def test_old_battle_keeps_what_was_recorded_in_it() -> None:
    battle = make_battle()
    Battle.objects.filter(pk=battle.pk).update(rules_edition=1)
    done = append_events(battle_owner(battle), battle.token, events=two_rallies())
    assert [answer.reason for answer in done.answers] == [""] * 10
    assert fate_of(battle, "a2", "a3") == ["standing", "stood_up_this_turn"]
    assert battle.state["combatants"]["a4"]["marks"] == ["has_shot", "ran"]
    before = battle.state
    assert recount_battles() == 0
    battle.refresh_from_db()
    assert battle.state == before
    # Its page tells the same, and so does the browser, which is sent these rules.
    rules = battle_record(battle).rules
    assert (rules.bars, rules.tests["rally"].once, rules.marks["has_shot"].not_with) == (
        (),
        False,
        (),
    )


def test_new_battle_is_of_the_latest_edition() -> None:
    battle = make_battle()
    assert battle.rules_edition == EDITION
    done = append_events(battle_owner(battle), battle.token, events=two_rallies())
    refused = [place for place, answer in enumerate(done.answers) if answer.reason]
    assert refused == [3, 7, 8, 9]
    assert fate_of(battle, "a2", "a3") == ["fleeing", "knocked_down"]


def test_battle_of_the_second_edition_knows_no_guards() -> None:
    """What the guards of today forbid counted in a battle that was set up before them."""
    battle = make_battle()
    Battle.objects.filter(pk=battle.pk).update(rules_edition=2)
    acts = [
        ("turn", {"number": 1, "side": "a"}),
        ("test", {"combatant": "a3", "test": "injury", "dice": [4]}),
        ("test", {"combatant": "a3", "test": "injury", "dice": [1]}),
        ("phase", {"phase": "shooting"}),
        ("mark", {"combatant": "a2", "mark": "charged"}),
    ]
    events = [make_event(kind, seq=seq, **said) for seq, (kind, said) in enumerate(acts, 1)]
    done = append_events(battle_owner(battle), battle.token, events=events)
    assert [answer.reason for answer in done.answers] == [""] * 5
    assert fate_of(battle, "a3") == ["knocked_down"]
    rules = battle_record(battle).rules
    assert (rules.guards, rules.hurts, rules.tests["injury"].worsens) == ((), (), False)


FELLED_AGAIN = [
    ("turn", {"number": 1, "side": "b"}),
    ("state", {"combatant": "a3", "to": "knocked_down"}),
    ("turn", {"number": 2, "side": "a"}),
    ("state", {"combatant": "a3", "to": "stood_up_this_turn"}),
    ("state", {"combatant": "a3", "to": "knocked_down"}),
    ("state", {"combatant": "a3", "to": "stood_up_this_turn"}),
    ("phase", {"phase": "shooting"}),
    ("phase", {"phase": "movement"}),
]


@pytest.mark.parametrize("edition, refused", [(3, []), (4, [5]), (5, [5, 7])])
def test_battle_keeps_the_guards_of_its_edition(edition: int, refused: list[int]) -> None:
    """The fourth edition bars standing up again, the fifth a phase that was before."""
    battle = make_battle()
    Battle.objects.filter(pk=battle.pk).update(rules_edition=edition)
    events = [
        make_event(kind, seq=seq, **payload)
        for seq, (kind, payload) in enumerate(FELLED_AGAIN, start=1)
    ]
    done = append_events(battle_owner(battle), battle.token, events=events)
    assert [at for at, answer in enumerate(done.answers) if answer.reason] == refused
    state = "knocked_down" if 5 in refused else "stood_up_this_turn"
    assert fate_of(battle, "a3") == [state]
    assert battle.phase == ("shooting" if 7 in refused else "movement")


def test_each_system_says_what_the_first_edition_lacked() -> None:
    for system in systems_with("battle"):
        now = registry.battle_rules(system.key, system.variant)
        old = registry.rules_of(
            Battle(system=system.key, variant=system.variant or "", rules_edition=1)
        )
        assert not old.bars
        assert not any(test.once for test in old.tests.values())
        assert not any(mark.not_with for mark in old.marks.values())
        assert (old.states, old.tests.keys()) == (now.states, now.tests.keys())
