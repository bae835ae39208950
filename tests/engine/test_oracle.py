"""Every call of every system against the same rules written another way: the awkward corners, and
cases made up.
"""

import random

import pytest

from engine.calls import CALLS, evaluate
from rulesdata import registry
from tests.engine import oracle
from tests.engine.combat_rules import RETYPED_KEY, rules
from tests.engine.questions import CORNERS, DISTINCT_PAIRS, PAIRS, fits, made_up

BOOKS = {
    " ".join(filter(None, (book.key, book.variant))): book for book in registry.rulesets()
}
RULED = [
    (name, ruling.key, value)
    for name, book in BOOKS.items()
    for ruling in book.rulings
    for value in ruling.values[1:]
    if value is not None
]
# The calls in which a ruling shows; a ruling about who may be hurt, or may test, turns no die.
SHOWN_BY = {
    "attack_knocked_down": "attack_downed", "attack_stunned": "melee_sequence",
    "best_save": "hit", "bonus_dice_cost": "affordable_bonus_dice",
    "critical_double": "hit", "critical_if_six_needed": "hit", "critical_limit": "hit",
    "critical_mode": "hit", "diving_strength": "diving_charge",
    "downed_hurt_again": "fall_from_edge", "equal_pursuit_catches": "pursuit",
    "fall_003a_initiative_tests": "fall_003a", "fall_hits": "fall", "fall_rounding": "fall",
    "height_test_rounding": "jump_down", "helmet_turns_stunned_into": "hit",
    "injury_worst_stands": "hit", "killing_blow_if_six_needed": "melee",
    "leader_down_lends": "rout_test", "leadership_dice": "leadership_test",
    "melee_ties": "duel_melee", "natural_1_misses": "shoot",
    "natural_6_fails_initiative": "initiative_test", "parry": "melee",
    "parting_criticals": "all_alone", "poison_respects_critical_bar": "melee",
    "rout_every_turn": "rout_test", "rout_test": "rout_test",
    "same_phase_finish_by_second_model": "melee_sequence", "seven_plus_to_hit": "shoot",
    "weapon_save_adds": "volley",
}  # fmt: skip
IN_A_REGIMENT = {"seven_plus_to_hit": "volley", "natural_1_misses": "volley"}
WITHOUT_DICE = {
    "armour_guards_attacker", "frenzy_and_hatred", "voluntary_rout_test",
    "low_av_melee_only", "penetration_must_reach", "melee_weapon_defends",
}  # fmt: skip
# A ruling that shows only where another one lets it.
TOGETHER = {
    "attack_stunned": {"same_phase_finish_by_second_model": True},
    "poison_respects_critical_bar": {"poison_auto_wound_may_crit": True},
}


def differs(system, call, inputs, rulings=None):
    """What the engine says where the other way says something else; None where both agree."""
    found = evaluate(rules(system).with_rulings(rulings or {}), call, inputs)
    outcomes, values = oracle.answer(system, call, inputs, rulings)
    if (found.outcomes, found.values) == (outcomes, values):
        return None
    return inputs, rulings, found.outcomes, outcomes, found.values, values


def test_both_ways_know_the_same_calls():
    assert set(oracle.CALLS) == set(CALLS) == set(CORNERS)


@pytest.mark.parametrize("system,call", DISTINCT_PAIRS)
def test_corners_come_out_the_same(system, call, share):
    corners = [inputs for inputs in CORNERS[call] if fits(system, call, inputs)]
    # Each system begins at another corner, so that together they meet them all.
    start = DISTINCT_PAIRS.index((system, call))
    asked = share(corners, 5, start) if len(corners) > 30 else corners
    assert asked
    assert not [told for inputs in asked if (told := differs(system, call, inputs))]


@pytest.mark.parametrize("system,call", DISTINCT_PAIRS)
def test_cases_made_up_come_out_the_same(system, call, soak):
    source = random.Random(f"{system} {call}")
    asked = [made_up(system, call, source) for _ in range(soak(5, 1000))]
    asked = [inputs for inputs in asked if fits(system, call, inputs)]
    assert asked
    assert not [told for inputs in asked if (told := differs(system, call, inputs))]


def test_every_ruling_of_the_rule_books_is_looked_at():
    assert {key for _, key, _ in RULED} == {*SHOWN_BY, *WITHOUT_DICE}


@pytest.mark.parametrize(
    "system,key,value",
    [case for case in RULED if case[1] not in WITHOUT_DICE and case[0] != RETYPED_KEY],
)
def test_each_alternative_of_each_text_changes_figures_as_it_says(
    system, key, value, soak, share
):
    before = TOGETHER.get(key, {})
    after = {**before, key: value}
    call = SHOWN_BY[key] if (system, SHOWN_BY[key]) in PAIRS else IN_A_REGIMENT[key]
    asked = [
        inputs
        for inputs in share(CORNERS[call], 5)
        if fits(system, call, inputs, after) and fits(system, call, inputs)
    ]
    there, here = (
        [evaluate(ruled, call, inputs).outcomes for inputs in asked]
        for ruled in map(rules(system).with_rulings, (before, after))
    )
    changed = [
        inputs
        for inputs, one, other in zip(asked, there, here, strict=True)
        if one != other
    ]
    assert changed
    step = max(1, len(changed) // soak(8, 1000))
    assert not [
        told for inputs in changed[::step] if (told := differs(system, call, inputs, after))
    ]
