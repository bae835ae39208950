"""Which side plays which part of a scenario, and what the rules spare that side."""

import pytest

from accounts.errors import Refusal
from battles.access import BattleCall
from battles.models import Battle
from battles.operations.sides import QuickSide, WarbandSide, take_side
from rulesdata import registry
from tests.battles.steps import append_events
from tests.factories import (
    battle_owner,
    battle_record,
    make_battle,
    make_event,
    make_legal_warband,
    make_person,
)

pytestmark = pytest.mark.django_db

HUNT = "hunt-the-troll"


def parts_of(battle: Battle) -> list[str]:
    battle.refresh_from_db()
    return [side["part"] for side in battle.locked["sides"]]


def test_sides_play_the_parts_in_their_order_and_the_beast_takes_no_rout_test() -> None:
    battle = make_battle(scenario=HUNT)
    assert parts_of(battle) == ["", "the-beast"]
    events = [
        make_event("state", seq=n, combatant=f"b{n}", to="out_of_action") for n in (1, 2)
    ]
    events.append(make_event("turn", seq=3, number=1, side="b"))
    append_events(battle_owner(battle), battle.token, events=events)
    rout = battle_record(battle).state.sides["b"].rout
    assert (rout.due, rout.may_ask) == (False, False)
    assert rout.why == "Night Watch: the scenario spares this side its Rout tests."


def test_side_that_a_warband_has_chosen_is_its_own() -> None:
    ada = make_person()
    beast = make_legal_warband(actor=ada, name="Beasts", scenario=f"{HUNT}@the-beast")
    hunters = QuickSide("Hunters", 6, 7)
    battle = make_battle(
        actor=ada, sides=(WarbandSide(beast.token), hunters), scenario=HUNT
    )
    assert parts_of(battle) == ["the-beast", ""]
    # In another scenario it is nobody's business.
    plain = make_battle(actor=ada, sides=(WarbandSide(beast.token), hunters))
    assert parts_of(plain) == ["", ""]


def test_whoever_takes_a_side_plays_its_part() -> None:
    ada = make_person()
    battle = make_battle(
        actor=ada,
        sides=(QuickSide("Hunters", 6, 7), QuickSide("Beast", 1, 4)),
        scenario=HUNT,
    )
    mine = make_legal_warband(actor=ada)
    take_side(BattleCall(ada, battle.token, ""), "b", mine.token)
    assert parts_of(battle) == ["", "the-beast"]


def test_battle_is_of_a_whole_scenario() -> None:
    with pytest.raises(Refusal) as refused:
        make_battle(scenario=f"{HUNT}@the-beast")
    assert refused.value.field == "scenario"


def test_battles_of_the_first_edition_have_no_rules_of_scenarios() -> None:
    battle = make_battle(scenario=HUNT)
    assert registry.rules_of(battle).parts.keys() == {"the-beast"}
    battle.rules_edition = 1
    assert not registry.rules_of(battle).parts
