"""Every way the dice can fall, played one by one, against the exact odds: all calls of all systems,
on small cases.

Nothing of the odds is used here but their answer: a play is asked for, says which die is missing,
and is played again with each face of it.
"""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from engine.calls import CALLS, evaluate, question
from engine.calls.questions import Casualties, OutcomeTable, Spread
from engine.dice import GivenDice, MissingDie
from tests.engine.combat_rules import WARRIOR_SYSTEMS, rules
from tests.engine.questions import CORNERS, DISTINCT_PAIRS, PAIRS, fits

MAN, TOUGH = {"ws": 3, "strength": 3}, {"ws": 3, "toughness": 3, "wounds": 2}
PARRIED = {**MAN, "parry": {"defender_strength": 3, "reroll": True}}
SMALL = {
    "hit": [
        {"strength": 4, "toughness": 3, "save": 5, "helmet": True},
        {"strength": 3, "toughness": 4, "wounds": 2, "hits": 2, "injury_table": "stun_2_4"},
    ],
    "melee": [
        {"attacker": {**MAN, "poison": True, "killing_blow": True}, "defender": {**TOUGH, "save": 5}},
        {"attacker": {**PARRIED, "attacks": 2}, "defender": {"ws": 7, "toughness": 6, "wounds": 3}},
    ],
    "melee_sequence": [
        {"attackers": [MAN, MAN], "defender": {**TOUGH, "ws": 7}},
        {"attackers": [PARRIED, PARRIED], "defender": {"ws": 4, "toughness": 7}},
    ],
    "attack_downed": [
        {"attacker": {**MAN, "attacks": 2}, "defender": {"ws": 3, "toughness": 3, "save": 5}},
        {"attacker": MAN, "defender": TOUGH, "target_state": "stunned"},
    ],
    "shoot": [{"bs": 3, "modifiers": [-1], "strength": 4, "toughness": 3, "save": 5}],
    "swarm_hits": [{"strength": 3, "toughness": 3, "wounds": 3, "hits": 2, "save": 5}],
    "cavalry_hit": [{"strength": 3, "toughness": 3, "save": 5}],
    "fall": [{"height": 3.5, "toughness": 4}, {"height": 4, "toughness": 3, "wounds": 3}],
    "jump_down": [{"height": 2, "initiative": 3, "toughness": 4}],
    "fall_003a": [{"height": 2, "initiative": 3, "toughness": 4}],
    "fall_from_edge": [{"initiative": 4, "height": 2, "toughness": 4, "state": "stunned"}],
    "diving_charge": [{"height": 4, "initiative": 3, "attacker": MAN, "defender": TOUGH}],
    "all_alone": [{"leadership": 9, "opponents": [3, 4], "toughness": 3, "wounds": 2}],
    "initiative_test": [{"initiative": 6}],
    "initiative_table": [{"values": [2, 6]}],
    "leadership_test": [{"leadership": 6, "reroll_failed": True}],
    "leadership_table": [{"values": [5, 10]}],
    "rout_test": [
        {"force_size": 5, "out_of_action": 2, "leader": {"leadership": 8}, "turns": 2},
        {"force_size": 5, "out_of_action": 1},
        {"force_size": 5, "out_of_action": 4},
    ],
    "stupidity": [{"leadership": 5}],
    "unit_attacks": [{
        "attacks": 2, "ws_attacker": 3, "ws_defender": 4, "strength": 4, "toughness": 3, "armour": "heavy",
        "at_least": 1,
    }],
    "volley": [{"shots": 2, "bs": 2, "strength": 3, "toughness": 3, "armour": "light", "unit_size": 5}],
    "combat_result": [{"side_a": {"rank": 2}, "side_b": {"rear": True, "flank": True}, "loser_leadership": 8}],
    "break_test": [{"leadership": 8, "lost_by": 1, "reroll_failed": True}],
    "pursuit": [{"pursuer_dice": 3, "fleer_dice": 2}],
    "duel_ranged": [{"attack_bonus_dice": 1, "defence_modifier": 2}, {"shots": 2}],
    "duel_melee": [{"attack_modifier": 1, "defence_bonus_dice": 1}],
    "casualty_test": [{"bonus_dice": 2}],
    "big_casualty_test": [{"bonus_dice": 1}],
    "ranged_then_casualty": [{"casualty_bonus_dice": 1}],
    "affordable_bonus_dice": [{}],
    "action_points_at_least": [{"points": 7}],
    "round_length": [{"turns": 3}],
}  # fmt: skip


def all_plays(asked):
    """What came out of each play, with how likely that play is."""
    waiting = [((), Fraction(1))]
    while waiting:
        faces, chance = waiting.pop()
        dice = GivenDice(faces)
        try:
            played = asked.play(dice)
        except MissingDie as missing:
            waiting += [
                ((*faces, face), chance / missing.sides)
                for face in range(1, missing.sides + 1)
            ]
            continue
        assert not dice.left_over
        yield played, chance


def counted(asked):
    """The answer out of all plays: by outcome, or what each value comes to where the outcomes are
    counts.
    """
    found = Counter()
    for (outcome, values), chance in all_plays(asked):
        if isinstance(asked, Spread):
            found[outcome] += chance
            continue
        for name, value in values.items():
            found[name] += chance * value
    if isinstance(asked, Casualties):
        found["expected_casualties"] = found.pop("casualties")
        found[asked.per] = found["expected_casualties"] / asked.count
    return found


def test_every_call_has_a_small_case():
    assert set(SMALL) == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_all_sequences_of_dice_add_up_to_the_odds(call, share):
    systems = [system for system, known in DISTINCT_PAIRS if known == call]
    cases = [
        (system, inputs)
        for inputs in SMALL[call]
        for system in systems
        if fits(system, call, inputs)
    ]
    assert {system for system, _ in cases} == set(systems)
    # One system in three, each call beginning with another one.
    for system, inputs in share(cases, 3, min(list(CALLS).index(call) % 3, len(cases) - 1)):
        one = question(rules(system), call, inputs)
        assert isinstance(one, Spread | OutcomeTable | Casualties)
        assert dict(counted(one)) == evaluate(rules(system), call, inputs).outcomes


# Order


def turned_round(inputs):
    """The same inputs with the names of every mapping in the opposite order."""
    if isinstance(inputs, dict):
        return {name: turned_round(inputs[name]) for name in reversed(inputs)}
    return [turned_round(one) for one in inputs] if isinstance(inputs, list) else inputs


@pytest.mark.parametrize("system,call", PAIRS)
def test_the_order_of_names_means_nothing(system, call):
    inputs = next(
        inputs for inputs in reversed(CORNERS[call]) if fits(system, call, inputs)
    )
    assert evaluate(rules(system), call, inputs) == evaluate(
        rules(system), call, turned_round(inputs)
    )


LISTS = [
    ("shoot", {"bs": 4, "strength": 3, "toughness": 3}, "modifiers", [-1, -2, 1]),
    ("volley", {"bs": 4, "strength": 3, "toughness": 3}, "modifiers", [-1, -2, 1]),
    ("all_alone", {"leadership": 6, "toughness": 3, "wounds": 2, "save": 5}, "opponents", [2, 4, 6]),
    ("leadership_table", {}, "values", [3, 7, 9]),
    ("initiative_table", {}, "values", [3, 6, 1]),
    (
        "rout_test", {"force_size": 9, "out_of_action": 3}, "others",
        [{"leadership": 6}, {"leadership": 9, "state": "stunned"}, {"leadership": 7, "state": "fleeing"}],
    ),
]  # fmt: skip


@pytest.mark.parametrize("call,inputs,name,items", LISTS, ids=[case[0] for case in LISTS])
def test_the_order_of_a_list_means_nothing(call, inputs, name, items):
    for system in [system for system, known in PAIRS if known == call]:
        answers = [
            evaluate(rules(system), call, {**inputs, name: list(order)})
            for order in permutations(items)
        ]
        assert len(answers) == 6
        assert all(
            (a.outcomes, a.values) == (answers[0].outcomes, answers[0].values)
            for a in answers
        )


@pytest.mark.parametrize("system", WARRIOR_SYSTEMS)
def test_equal_attackers_may_change_places(system):
    one, other = {**MAN, "attacks": 2}, {"ws": 4, "strength": 4}
    fresh = dict(reversed(one.items()))
    there = evaluate(
        rules(system),
        "melee_sequence",
        {"attackers": [one, other, fresh], "defender": TOUGH},
    )
    back = evaluate(
        rules(system),
        "melee_sequence",
        {"attackers": [fresh, other, one], "defender": TOUGH},
    )
    assert there == back


def test_a_duel_is_the_same_from_the_other_side():
    there = {
        "attack_modifier": 2,
        "defence_modifier": -1,
        "attack_bonus_dice": 1,
        "defence_bonus_dice": 2,
    }
    back = {
        "attack_modifier": -1,
        "defence_modifier": 2,
        "attack_bonus_dice": 2,
        "defence_bonus_dice": 1,
    }
    one, other = (
        evaluate(rules("d10-skirmish"), "duel_melee", inputs).outcomes
        for inputs in (there, back)
    )
    assert one["defender_loses"] == other["attacker_loses"]
    assert one["tie_no_effect"] == other["tie_no_effect"]
