"""What belongs to a unit rather than to its kind: lists of skills, race, rating, growth."""

from typing import Any

import pytest

from engine.growth.acts import AdjustExperienceAct
from engine.growth.campaign_fold import fold
from engine.growth.faults import FaultyRules
from engine.growth.log import CampaignLog, merged
from engine.growth.rules import HiredSword
from engine.growth.slots import earned_so_far
from engine.growth.state import CampaignState
from rulesdata.campaign_documents import read_rules
from tests.engine.growth.campaigns import joiner
from tests.engine.growth.seasons import STATS
from tests.engine.growth.two_warbands import (
    DOCUMENT,
    LINE,
    answer,
    begin,
    group,
    leader,
    owed,
    play,
    red,
    result,
)

SKILL = [{"least": 1, "most": 6, "name": "A skill", "effect": {"skill": True}}]
TABLES = {"tables": {"hero-advance": {"rows": SKILL}}}


def skills(*rules: Any, **unit: Any) -> list[str]:
    """The skills that a leader of this unit may choose of."""
    log = begin(leader(**unit), change=TABLES | {"lists_for": list(rules)})
    log = log.with_entries(AdjustExperienceAct(1, "red", "w1", 4))
    state = play(log, answer("advance/w1/1", 3))
    due = state.find_due("red", "advance/w1/1")
    return [key for key, _ in due.choices] if due else []


def listed(*lists: str) -> list[str]:
    return [skill["id"] for key in lists for skill in DOCUMENT["skills"][key]]


def test_skills_are_of_the_rules_of_the_unit_or_of_the_kind() -> None:
    assert skills() == listed("arms", "eye", "road")
    assert skills(skill_lists=("road", "magic")) == listed("road")
    assert skills(skill_lists=("magic",)) == listed("arms", "eye", "road")
    rule = {"profiles": ["someone"], "lists": ["eye"]}
    assert skills(rule, skill_lists=("road",)) == listed("eye")
    assert skills({"promoted": True, "lists": ["eye"]}) == listed("arms", "eye", "road")


def promoted(*answers: Any, lists: Any = (), **choice: Any) -> CampaignState:
    """One of a group is promoted, who chooses two lists before anything else."""
    rule = {"promoted": True, "choose": 2} | choice
    promote = {"promote": {"kind": "hero", "advances": 1}}
    row = {"least": 1, "most": 6, "name": "Promoted", "effect": promote}
    tables = TABLES["tables"] | {"soldier-advance": {"rows": [row]}}
    log: CampaignLog = begin(
        leader(skill_lists=lists),
        group(name="Pikes"),
        change={"tables": tables, "lists_for": [rule]},
    )
    log = log.with_entries(AdjustExperienceAct(1, "red", "w2", 4))
    return play(log, answer("advance/w2/1", 1), *answers)


def test_who_is_promoted_chooses_lists_before_an_advance() -> None:
    first = answer("advance/w2.1/skill-list/1", choice="road")
    second = answer("advance/w2.1/skill-list/2", choice="arms")
    of = ["arms", "eye", "road"]
    assert owed(promoted(of=of)) == {"advance/w2.1/skill-list/1": False}
    assert owed(promoted(first, of=of)) == {"advance/w2.1/skill-list/2": False}
    twice = answer("advance/w2.1/skill-list/2", choice="road")
    assert owed(promoted(first, twice, of=of)) == {"advance/w2.1/skill-list/2": True}
    state = promoted(first, second, answer("advance/w2/1/hero", 3), of=of)
    assert red(state, "w2.1").joined.name == "Pikes, hero"
    due = state.find_due("red", "advance/w2/1/hero")
    assert due
    assert [key for key, _ in due.choices] == listed("road", "arms")


def test_who_is_promoted_chooses_of_the_lists_of_those_it_joins() -> None:
    due = promoted(lists=("road", "eye", "no-such")).find_due(
        "red", "advance/w2.1/skill-list/1"
    )
    assert due
    assert [key for key, _ in due.choices] == ["eye", "road"]
    # Where there is one list, one is chosen.
    chosen = answer("advance/w2.1/skill-list/1", choice="road")
    assert owed(promoted(chosen, lists=("road",))) == {"advance/w2/1/hero": False}


def test_maxima_are_by_race() -> None:
    change = {"maxima": {"for": [{"races": ["dwarf"], "most": {"T": 5}}]}}
    rules = read_rules(merged(DOCUMENT, change), STATS)
    assert rules.maxima.most_for("x", "y", "dwarf")["T"] == 5
    assert rules.maxima.most_for("x", "y", "elf") == rules.maxima.most_for("x", "y")


def test_a_sword_serves_neither_armies_nor_races_that_it_is_not_for() -> None:
    sword = HiredSword("x", "X", 1, 1, (), {}, (), not_for=("skaven", "undead"))
    assert sword.serves("the-empire", {"human"})
    assert not sword.serves("skaven", set())
    assert not sword.serves("risen", {"human", "undead"})


def test_who_does_not_learn_earns_nothing_and_is_not_promoted() -> None:
    state = play(begin(leader(), group(learns=False)), result())
    dull = red(state, "w2")
    assert (dull.experience, red(state).experience > 0) == (0, True)
    rules = begin(leader()).rules
    assert [bool(earned_so_far(rules, unit, 1)) for unit in (dull, red(state))] == [
        False,
        True,
    ]
    log = begin(leader(), group(is_promotable=False))
    log = log.with_entries(
        AdjustExperienceAct(1, "red", "w2", 4), answer("advance/w2/1", 6)
    )
    assert list(red(fold(log), "w2").joined.skill_lists) == []
    assert "w2.1" not in fold(log).warbands["red"].warriors


def test_a_rating_may_count_what_the_list_says() -> None:
    change = {"rating": [{"of": "rating"}, {"of": "models", "times": [5, 1]}]}
    hired = joiner("w3", LINE, 30, rating=22)
    state = fold(begin(leader(rating=3), hired, change=change))
    assert state.warbands["red"].rating == 35


@pytest.mark.parametrize(
    "rule, path",
    [
        ({"lists": ["magic"]}, "lists_for[0].lists"),
        ({"choose": 2, "of": ["arms"]}, "lists_for[0].of"),
        ({"choose": 7, "of": ["arms"]}, "lists_for[0].choose"),
        ({"of": ["arms"]}, "lists_for[0].of"),
    ],
)
def test_a_rule_of_lists_that_cannot_be_read_is_refused(rule: Any, path: str) -> None:
    with pytest.raises(FaultyRules) as error:
        read_rules(merged(DOCUMENT, {"lists_for": [rule]}), STATS)
    assert error.value.faults[0].path == path
