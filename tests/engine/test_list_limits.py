"""Limits that an army list brings along: each sort at both ends."""

from dataclasses import replace

import pytest

from engine.findings.case import Finding
from engine.findings.checks import check
from engine.roster import RosterGrowth
from engine.types.lists import Army, ListLimit
from engine.types.systems import System
from tests.factories import make_entry, make_roster

CAPTAIN = make_entry(profile="captain", options=["halberd"], is_leader=True)
HALBERDIERS = make_entry(profile="halberdiers", options=["shields"], count=4)
ARCHERS = make_entry(profile="archers", count=2)
MANY, FEW, BESIDE = "list.maximum", "list.minimum", "list.ratio"


def broken(system: System, army: Army, *limits: ListLimit) -> list[Finding]:
    roster = make_roster(warriors=[CAPTAIN, HALBERDIERS, ARCHERS])
    found = check(roster, system, replace(army, limits=limits))
    return [one for one in found if one.code.startswith("list.")]


MODELS = ListLimit("a", "Models")
TROOPS = ListLimit("a", "Troops", units=("halberdiers", "archers"))
HEROES = ListLimit("a", "Heroes", category="hero")
SHIELDS = ListLimit("a", "Shields", options=("shields",))
EACH = replace(SHIELDS, per="each-unit")
OF_OTHERS = replace(EACH, units=("archers", "captain"))
BOWS = replace(TROOPS, units=("archers",), per="each", per_of=("halberdiers",))
HEROES_BESIDE = replace(HEROES, per="each", per_of=("archers",), per_number=2)


@pytest.mark.parametrize("limit, codes", [
    (replace(MODELS, maximum=7), []),
    (replace(MODELS, maximum=6), [MANY]),
    (replace(MODELS, minimum=7), []),
    (replace(MODELS, minimum=8), [FEW]),
    (replace(TROOPS, maximum=6), []),
    (replace(TROOPS, maximum=5), [MANY]),
    (replace(HEROES, minimum=1, maximum=1), []),
    (replace(HEROES, minimum=2), [FEW]),
    (replace(HEROES, maximum=0), [MANY]),
    (replace(SHIELDS, maximum=4), []),
    (replace(SHIELDS, maximum=3), [MANY]),
    (replace(EACH, maximum=1), []),
    (replace(EACH, maximum=0), [MANY]),
    (replace(OF_OTHERS, maximum=0), []),
    (replace(BOWS, per_number=2, maximum=1), []),
    (replace(BOWS, per_number=3, maximum=2), []),
    (replace(BOWS, per_number=3, maximum=1), [BESIDE]),
    (replace(HEROES_BESIDE, maximum=1), []),
    (replace(HEROES_BESIDE, per_of=("no-such-unit",), maximum=1), [BESIDE]),
    (replace(HEROES_BESIDE, minimum=2), [FEW]),
])  # fmt: skip
def test_each_sort_of_limit(system, empire, limit, codes):
    assert [one.code for one in broken(system, empire, limit)] == codes


def test_nothing_is_missing_in_a_campaign(system: System, empire: Army) -> None:
    warriors, limits = [CAPTAIN, ARCHERS], (replace(MODELS, minimum=8, maximum=1),)
    roster = make_roster(warriors=warriors, growth=RosterGrowth())
    found = check(roster, system, replace(empire, limits=limits))
    assert [one.code for one in found if one.code.startswith("list.")] == [MANY]


def test_sentences_give_number_and_bound(system: System, empire: Army) -> None:
    limits = [
        replace(MODELS, maximum=6), replace(MODELS, minimum=8), replace(EACH, maximum=0),
        replace(BOWS, per_number=3, maximum=1),
    ]  # fmt: skip
    assert [one.message for one in broken(system, empire, *limits)] == [
        "7 of Models; the army list allows 6.",
        "7 of Models; the army list needs 8.",
        "Halberdier: 1 of Shields; the army list allows 0.",
        "2 of Troops; the army list allows 1 beside so many of halberdiers.",
    ]


def test_what_is_too_many_can_be_removed(system: System, empire: Army) -> None:
    limits = [
        replace(TROOPS, maximum=1), replace(EACH, maximum=0), replace(MODELS, minimum=8),
    ]  # fmt: skip
    troops, shields, missing = broken(system, empire, *limits)
    assert (troops.warriors, len(troops.fixes)) == ((1, 2), 2)
    assert (shields.warriors, len(shields.fixes)) == ((1,), 1)
    assert (missing.warriors, missing.fixes) == ((), ())


def test_a_limit_with_exceptions_is_a_note(system: System, empire: Army) -> None:
    strict, loose = broken(
        system,
        empire,
        replace(MODELS, maximum=1, level="error"),
        replace(MODELS, maximum=1, level="error", depends=True),
    )
    assert (strict.level, loose.level) == ("error", "note")
    assert "Some lists of this source" not in strict.message
    assert loose.message.endswith("Some lists of this source have another limit.")


def test_nothing_is_missing_before_the_first_warrior(system: System, empire: Army) -> None:
    limited = replace(empire, limits=(replace(MODELS, minimum=1),))
    codes = {one.code for one in check(make_roster(warriors=[]), system, limited)}
    assert FEW not in codes


def test_units_the_list_does_not_know_are_in_no_limit(system: System, empire: Army) -> None:
    roster = make_roster(warriors=[make_entry(profile="no-such-unit", options=["shields"])])
    limits = (
        replace(HEROES, maximum=0), replace(EACH, maximum=0), replace(MODELS, maximum=0),
    )  # fmt: skip
    found = check(roster, system, replace(empire, limits=limits))
    assert not {one.code for one in found} & {MANY, BESIDE}


@pytest.mark.parametrize("own, is_found", [(None, True), (499, True), (500, False)])
def test_the_lists_own_limit_is_not_unusual(system, empire, own, is_found):
    roster = make_roster(warriors=[CAPTAIN], points_limit=500)
    found = check(roster, system, replace(empire, default_limit=own))
    assert ("points.limit_range" in {one.code for one in found}) is is_found


@pytest.mark.parametrize("kept, is_found", [({"captain"}, True), (set(), False)])
def test_a_list_without_characters_has_no_leader_who_should_be_one(
    system: System, empire: Army, kept: set[str], is_found: bool
) -> None:
    few = {key: empire.profiles[key] for key in {"halberdiers", *kept}}
    leader = replace(HALBERDIERS, is_leader=True)
    found = check(make_roster(warriors=[leader]), system, replace(empire, profiles=few))
    assert ("leader.not_character" in {one.code for one in found}) is is_found


def test_a_broken_limit_names_the_list_and_what_is_wrong(system, empire):
    limits = [
        replace(MODELS, maximum=1, level="error"),
        replace(MODELS, minimum=8),
        replace(BOWS, per_number=3, maximum=1, level="note"),
    ]
    found = broken(system, empire, *limits)
    assert [(one.code, one.level, one.title) for one in found] == [
        (MANY, "error", "More than the list allows"),
        (FEW, "warning", "Fewer than the list needs"),
        (BESIDE, "note", "Too many beside the others"),
    ]
    assert {one.source for one in found} == {"Army list"}
