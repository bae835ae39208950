"""Blows and shots: every face looked at, dice thrown, and what each text does its own way."""

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.calls import evaluate, play, question
from engine.calls.questions import Spread
from engine.combat.attacks import build_sequence
from engine.combat.fighters import (
    Attacker,
    CasualtyCount,
    Target,
    effective_save,
    name_outcome,
)
from engine.combat.hits import (
    HitResult,
    UnsavedWounds,
    build_shot,
    hit_with,
    injury_roll,
    system_helmet,
)
from engine.dice import Dice, GivenDice, as_series
from engine.errors import Refusal
from engine.odds import distribution_of
from engine.rules import INJURIES, CombatRules
from tests.engine.combat_rules import (
    DRAFT_KEY,
    PAGE_KEY,
    RETYPED_KEY,
    SKIRMISH_KEY,
    SUMMARY_KEY,
    WARRIOR_SYSTEMS,
    AttackResult,
    rules,
)
from tests.engine.every_face import chances_by_face

FIGURE = st.integers(1, 10)
SAVE = st.one_of(st.none(), st.integers(2, 6))
SYSTEM = st.sampled_from(WARRIOR_SYSTEMS)
ATTACKER = st.fixed_dictionaries(
    {
        "ws": FIGURE,
        "strength": FIGURE,
        "attacks": st.integers(0, 3),
        "to_hit_bonus": st.integers(-2, 2),
    },
    optional={"killing_blow": st.booleans(), "poison": st.booleans()},
)
DEFENDER = st.fixed_dictionaries(
    {"ws": FIGURE, "toughness": FIGURE, "wounds": st.integers(1, 3), "save": SAVE}
)


@settings(max_examples=20)
@given(SYSTEM, st.lists(ATTACKER, min_size=1, max_size=2), DEFENDER)
def test_rules_decide_by_their_cuts_alone(system, attackers, defender):
    asked = question(
        rules(system), "melee_sequence", {"attackers": attackers, "defender": defender}
    )
    assert isinstance(asked, Spread)
    assert chances_by_face(asked.rule) == distribution_of(asked.rule, None).chances()


@settings(max_examples=20)
@given(
    st.sampled_from([DRAFT_KEY, SUMMARY_KEY]),
    st.lists(ATTACKER, min_size=2, max_size=3),
    DEFENDER,
)
def test_where_nobody_finishes_the_order_of_attackers_means_nothing(
    system, attackers, defender
):
    defender = {**defender, "wounds": 1}
    there = evaluate(
        rules(system), "melee_sequence", {"attackers": attackers, "defender": defender}
    ).outcomes
    back = evaluate(
        rules(system),
        "melee_sequence",
        {"attackers": attackers[::-1], "defender": defender},
    ).outcomes
    assert there == back


@settings(max_examples=20)
@given(st.sampled_from([SKIRMISH_KEY, PAGE_KEY]), ATTACKER, DEFENDER)
def test_a_second_attacker_never_helps_the_target(system, attacker, defender):
    one = evaluate(
        rules(system), "melee", {"attacker": attacker, "defender": defender}
    ).outcomes
    two = evaluate(
        rules(system), "melee_sequence", {"attackers": [attacker] * 2, "defender": defender}
    ).outcomes
    assert two.get("out_of_action", 0) >= one.get("out_of_action", 0)
    assert two.get("unhurt", 0) <= one.get("unhurt", 0)


@pytest.mark.parametrize("state,system,chance", [
    ("stunned", SKIRMISH_KEY, F(1)), ("stunned", DRAFT_KEY, F(1)), ("stunned", PAGE_KEY, F(1)),
    ("knocked_down", PAGE_KEY, F(2, 9) + F(1, 6) * (F(1, 3) * F(2, 3) + F(2, 3))),
    ("knocked_down", RETYPED_KEY, F(1, 2)),
])  # fmt: skip
def test_one_who_is_down_is_finished_by_the_system_s_own_rule(state, system, chance):
    inputs = {
        "target_state": state, "attacker": {"ws": 3, "strength": 3}, "defender": {"ws": 3, "toughness": 3, "save": 5},
    }  # fmt: skip
    assert (
        evaluate(rules(system), "attack_downed", inputs).outcomes["out_of_action"] == chance
    )


@pytest.mark.parametrize("state", ["knocked_down", "stunned"])
def test_no_attacks_leave_one_who_is_down_as_he_is(state):
    inputs = {
        "target_state": state,
        "attacker": {"ws": 3, "strength": 3, "attacks": 0},
        "defender": {"ws": 3, "toughness": 3},
    }
    assert evaluate(rules(SKIRMISH_KEY), "attack_downed", inputs).outcomes == {state: F(1)}


def test_finishing_asks_only_for_what_is_rolled():
    assert evaluate(
        rules(SKIRMISH_KEY),
        "attack_downed",
        {"target_state": "stunned", "attacker": {}, "defender": {}},
    )
    with pytest.raises(Refusal, match=r"attacker\.strength: this is needed"):
        evaluate(
            rules(SKIRMISH_KEY),
            "attack_downed",
            {"attacker": {"ws": 3}, "defender": {"ws": 3, "toughness": 3}},
        )
    with pytest.raises(Refusal, match=r"defender\.ws: this is needed"):
        evaluate(
            rules(DRAFT_KEY),
            "attack_downed",
            {"attacker": {"ws": 3}, "defender": {"toughness": 3}},
        )


def test_a_parry_is_refused_where_nobody_parries():
    attacker = {"ws": 3, "strength": 3, "parry": {"defender_strength": 3}}
    with pytest.raises(Refusal, match="Nobody parries"):
        evaluate(
            rules(DRAFT_KEY),
            "melee",
            {"attacker": attacker, "defender": {"ws": 3, "toughness": 3}},
        )


def test_a_parry_is_spent_once_in_a_phase():
    attacker = {"ws": 3, "strength": 3, "parry": {"defender_strength": 3}}
    inputs = {
        "attackers": [attacker, attacker],
        "defender": {"ws": 3, "toughness": 9, "wounds": 3},
    }
    dice = GivenDice([4, 5, 4])
    record = play(rules(SUMMARY_KEY), "melee_sequence", inputs, dice)
    assert [thrown.why for thrown in record.dice] == ["to hit", "parry", "to hit"]


def test_a_parry_that_cannot_succeed_waits_for_the_next_attacker():
    attacker = {"ws": 3, "strength": 3, "parry": {"defender_strength": 3}}
    inputs = {"attackers": [attacker, attacker], "defender": {"ws": 3, "toughness": 9}}
    record = play(rules(SUMMARY_KEY), "melee_sequence", inputs, GivenDice([6, 4, 6]))
    assert [thrown.why for thrown in record.dice] == ["to hit", "to hit", "parry"]


@pytest.mark.parametrize("to_hit, parried", [(0, 0), (-2, F(1, 6))])
def test_a_six_is_parried_by_a_six_where_nothing_less_would_have_hit(to_hit, parried):
    # Mordheim rulings, variant A, L218: WS 3 against WS 3 needs 4, and 6 with two taken off.
    blow = {"ws": 3, "strength": 3, "to_hit_bonus": to_hit}
    target = {"ws": 3, "toughness": 3}
    free = evaluate(rules(PAGE_KEY), "melee", {"attacker": blow, "defender": target})
    parry = {**blow, "parry": {"defender_strength": 3}}
    met = evaluate(rules(PAGE_KEY), "melee", {"attacker": parry, "defender": target})
    hurt = [1 - found.outcomes["unhurt"] for found in (free, met)]
    if to_hit:
        assert hurt[1] == hurt[0] * (1 - parried)
    # Of the hits on 4, 5 and 6 the first two are parried on 5 and 6, and on 6.
    else:
        assert hurt[1] == hurt[0] * F(1, 3) * (F(4, 6) + F(5, 6) + 1)


@pytest.mark.parametrize("mode, is_parried", [("page", True), ("strict", False)])
def test_who_never_parries_a_six_keeps_the_die(mode, is_parried):
    attacker = {
        "ws": 3,
        "strength": 3,
        "to_hit_bonus": -2,
        "parry": {"defender_strength": 3},
    }
    inputs = {"attacker": attacker, "defender": {"ws": 3, "toughness": 9}}
    book = rules(PAGE_KEY).with_rulings({"parry": mode})
    record = play(book, "melee", inputs, GivenDice([6, 6] if is_parried else [6]))
    assert ["parry" in thrown.why for thrown in record.dice] == [False] + [
        True
    ] * is_parried


def test_poisoned_sixes_are_parried_too_where_all_hits_are_sixes():
    attacker = {
        "ws": 3,
        "strength": 3,
        "to_hit_bonus": -2,
        "poison": True,
        "parry": {"defender_strength": 3},
    }
    inputs = {"attacker": attacker, "defender": {"ws": 3, "toughness": 3}}
    assert play(rules(PAGE_KEY), "melee", inputs, GivenDice([6, 6])).outcome == "unhurt"


@pytest.mark.parametrize(
    "bonus,unhurt", [(1, F(2, 3)), (5, F(7, 12)), (-2, F(11, 12)), (-5, F(11, 12))]
)
def test_bonuses_to_hit_stop_at_two_and_six(bonus, unhurt):
    inputs = {
        "attacker": {"ws": 3, "strength": 3, "to_hit_bonus": bonus},
        "defender": {"ws": 3, "toughness": 3},
    }
    assert evaluate(rules(SKIRMISH_KEY), "melee", inputs).outcomes["unhurt"] == unhurt


@pytest.mark.parametrize("bs,modifiers,hits", [
    (3, [], F(1, 2)), (3, [-1, -2], F(0)), (3, [1], F(2, 3)), (10, [], F(5, 6)), (6, [-1], F(5, 6)), (8, [-9], F(0)),
])  # fmt: skip
def test_a_shot_hits_by_its_score_and_never_on_a_one(bs, modifiers, hits):
    inputs = {"bs": bs, "modifiers": modifiers, "strength": 3, "toughness": 3}
    for system in WARRIOR_SYSTEMS:
        assert 1 - evaluate(rules(system), "shoot", inputs).outcomes["unhurt"] == hits / 2


def test_strength_ten_takes_less_off_a_save_on_the_rulings_page():
    assert [effective_save(rules(SKIRMISH_KEY), 2, s) for s in range(1, 11)] == [
        2,
        2,
        2,
        3,
        4,
        5,
        6,
        None,
        None,
        None,
    ]
    assert effective_save(rules(PAGE_KEY), 2, 10) == effective_save(rules(PAGE_KEY), 2, 9)
    assert rules(PAGE_KEY).charts.save_modifier[9] == 6
    assert rules(SKIRMISH_KEY).charts.save_modifier[9] == 7


def test_a_swarm_loses_two_wounds_to_a_critical():
    inputs = {"strength": 3, "toughness": 3, "wounds": 3, "hits": 2}
    assert evaluate(rules(SKIRMISH_KEY), "swarm_hits", inputs).outcomes == {
        "wounds_left_3": F(1, 4),
        "wounds_left_2": F(1, 3),
        "wounds_left_1": F(1, 9) + F(1, 6),
        "removed": 1 - F(1, 4) - F(1, 3) - F(1, 9) - F(1, 6),
    }


def test_a_critical_only_denies_the_save_of_a_mount():
    inputs = {"strength": 3, "toughness": 5, "save": 4}
    assert evaluate(rules(SKIRMISH_KEY), "cavalry_hit", inputs).outcomes[
        "mount_killed_rider_unhurt"
    ] == F(1, 12)


def test_a_killing_blow_needs_a_roll_to_wound():
    inputs = {
        "attacker": {"ws": 3, "strength": 1, "killing_blow": True},
        "defender": {"ws": 3, "toughness": 5},
    }
    assert evaluate(rules(SKIRMISH_KEY), "melee", inputs).outcomes == {"unhurt": F(1)}
    inputs["attacker"]["poison"] = True
    assert evaluate(rules(SKIRMISH_KEY), "melee", inputs).outcomes["unhurt"] == F(5, 6)


def resolve_hit(
    rules: CombatRules,
    dice: Dice,
    strength: int,
    toughness: int,
    save: int | None,
    *,
    critical_available: bool = True,
    killing_blow: bool = False,
    poisoned: bool = False,
) -> HitResult:
    """One hit that landed: the unsaved wounds with their bonuses of injury, critical used, killed.

    Source: Warhammer Skirmish, CRITICAL HITS, POISON ATTACKS, KILLING BLOW; the critical tables of
    the Mordheim texts.
    """
    attacker = Attacker(1, strength, killing_blow=killing_blow)
    target = Target(1, toughness, save=save)
    hit = hit_with(
        rules,
        attacker,
        target,
        critical_available=critical_available,
        is_poisoned=poisoned,
    )
    return dice.run(hit, False)


def resolve_injury(
    rules: CombatRules,
    dice: Dice,
    wounds_left: int,
    bonuses: tuple[int, ...],
    helmet: bool = False,
    table: str = "standard",
) -> tuple[str, int]:
    """What unsaved wounds do to a standing model: the state it ends in (empty for none) and its
    Wounds left.

    ``bonuses`` is one number for each wound, added to its die of injury. Source: as for InjuryRoll
    and Helmet.
    """
    wounds, injury = dice.run(
        injury_roll(rules, table), UnsavedWounds(wounds_left, 0, bonuses)
    )
    tally = CasualtyCount(wounds, injury)
    if helmet:
        tally = dice.run(system_helmet(rules), tally)
    return INJURIES[tally.injury], tally.wounds


def resolve_attacks(
    rules: CombatRules, dice: Dice, attacker: Attacker, target: Target
) -> AttackResult:
    """All attacks of one warrior on one that stands. Source: as for Turn, Strike and Hit."""
    return resolve_sequence(rules, dice, (attacker,), target)


def resolve_sequence(
    rules: CombatRules, dice: Dice, attackers: tuple[Attacker, ...], target: Target
) -> AttackResult:
    """The attacks of several warriors in turn on one that stands when the phase begins, as NextTurn
    tells.
    """
    tally = dice.series(
        as_series(build_sequence(rules, attackers, target)), CasualtyCount(target.wounds)
    )
    if target.helmet:
        tally = dice.run(system_helmet(rules), tally)
    return AttackResult(name_outcome(tally, target.wounds), tally)


def test_every_shot_may_be_critical():
    shot = build_shot(rules(DRAFT_KEY), 4, (), Attacker(3, 3), Target(3, 3, 9))
    dice = GivenDice([6, 6, 5] * 2)
    once = shot.play(dice, CasualtyCount(9))
    assert shot.play(dice, once).wounds == 2 * once.wounds - 9 < once.wounds < 9
    assert not once.critical_used


def test_one_hit_tells_bonuses_critical_and_killing():
    assert resolve_hit(rules(SKIRMISH_KEY), GivenDice([6]), 3, 3, 4) == HitResult(
        (0, 0), critical=True
    )
    assert resolve_hit(rules(DRAFT_KEY), GivenDice([6, 5]), 3, 3, 4) == HitResult(
        (2, 2), critical=True
    )
    assert resolve_hit(rules(PAGE_KEY), GivenDice([6, 1, 4]), 3, 3, 4) == HitResult(
        (), critical=True
    )
    assert resolve_hit(
        rules(SKIRMISH_KEY), GivenDice([6]), 3, 3, 4, killing_blow=True
    ) == HitResult(killed=True)
    assert resolve_hit(
        rules(SKIRMISH_KEY), GivenDice([1, 3]), 3, 3, 4, poisoned=True
    ) == HitResult((0,))


def test_injuries_are_rolled_from_the_last_wound_on():
    assert resolve_injury(rules(SKIRMISH_KEY), GivenDice([]), 3, (0, 0)) == ("", 1)
    assert resolve_injury(rules(SKIRMISH_KEY), GivenDice([3, 2]), 2, (0, 0, 0)) == (
        "stunned",
        0,
    )
    assert resolve_injury(
        rules(SUMMARY_KEY), GivenDice([2, 4]), 1, (0,), True, "stun_2_4"
    ) == (
        "knocked_down",
        0,
    )
    assert resolve_injury(rules(DRAFT_KEY), GivenDice([3]), 0, (2,)) == ("out_of_action", 0)


def test_all_attacks_of_one_warrior_are_played_at_once():
    result = resolve_attacks(
        rules(SKIRMISH_KEY), GivenDice([5, 5, 4, 2, 4, 4]), Attacker(4, 4, 2), Target(3, 3)
    )
    assert result.outcome == "stunned"
    assert result.target.wounds == 0


@given(st.permutations(["standing", "stunned", "fleeing"]), st.permutations([3, 4, 5]))
def test_equal_inputs_may_come_in_any_order(states, opponents):
    others = [
        {"leadership": n + 5, "state": state}
        for n, state in zip((1, 2, 3), states, strict=True)
    ]
    inputs = {"force_size": 4, "out_of_action": 2, "others": others}
    assert evaluate(rules(SKIRMISH_KEY), "rout_test", inputs) == evaluate(
        rules(SKIRMISH_KEY), "rout_test", {**inputs, "others": others[::-1]}
    )
    alone = {"leadership": 7, "toughness": 3, "opponents": opponents}
    assert evaluate(rules(SKIRMISH_KEY), "all_alone", alone) == evaluate(
        rules(SKIRMISH_KEY), "all_alone", {**alone, "opponents": sorted(opponents)}
    )


@pytest.mark.parametrize(
    "bonus, outcomes", [(0, {1: "knocked down", 3: "stunned"}), (5, {})]
)
def test_record_names_an_injury_that_every_face_leads_to(bonus, outcomes):
    rule = injury_roll(rules(SKIRMISH_KEY))
    for face in range(1, 7):
        dice = GivenDice([face])
        wounds, injury = rule.play(dice, UnsavedWounds(1, 0, (bonus,)))
        (die,) = dice.record
        assert (wounds, die.outcome) == (0, INJURIES[injury].replace("_", " "))
        assert die.outcome == outcomes.get(face, die.outcome)
        assert bonus == 0 or die.outcome == "out of action"
        assert die.why == ("injury, +5" if bonus else "injury")
