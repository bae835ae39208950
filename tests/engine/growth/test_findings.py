"""Issues of a warband in a campaign: each at the figure that brings it, and not one below."""

from dataclasses import replace

import pytest

from engine.findings.checks import check
from engine.roster import EntryGrowth, Roster, RosterEntry, RosterGrowth
from rulesdata import registry
from tests.factories import make_entry, make_roster

Told = dict[str, tuple[str, tuple[int, ...]]]
HERO = EntryGrowth(kind="Hero")


def found(growth: RosterGrowth | None, *entries: EntryGrowth | None) -> Told:
    """The issues of growth by code: level and whom they are about.

    The warband has a captain and four halberdiers.
    """
    warriors = [
        make_entry(profile="captain", name="Ada", is_leader=True),
        make_entry(name="Watch", count=4),
    ]
    for place, one in enumerate(entries):
        warriors[place] = replace(warriors[place], growth=one)
    roster = make_roster(warriors=warriors, points_limit=None, growth=growth)
    system = registry.load_system(roster.system)
    told = check(roster, system, registry.load_army(roster.system, roster.army))
    return {
        one.code: (one.level, one.warriors)
        for one in told
        if one.code.startswith("growth_")
    }


@pytest.mark.parametrize("growth, code, level", [
    (
        RosterGrowth(treasury=(("crowns", 0), ("renown", -1))),
        "growth_treasury_below",
        "warning",
    ),
    (RosterGrowth(models_most=4), "growth_models_most", "warning"),
    (RosterGrowth(models_most=0, models_of=("Hero",)), "growth_models_most", "warning"),
    (RosterGrowth(recruits=1, recruits_most=0), "growth_recruits_most", "warning"),
    (RosterGrowth(has_leader=False), "growth_no_leader", "warning"),
    (RosterGrowth(dues=1), "growth_dues", "note"),
    (RosterGrowth(aside=2), "growth_aside", "note"),
])  # fmt: skip
def test_a_figure_beyond_the_campaigns_is_told(growth, code, level):
    assert found(growth, HERO) == {code: (level, ())}


@pytest.mark.parametrize("growth", [
    None, RosterGrowth(),
    RosterGrowth(treasury=(("crowns", 0),)),
    RosterGrowth(models_most=5),
    RosterGrowth(models_most=1, models_of=("Hero",)),
    RosterGrowth(recruits=1, recruits_most=1),
    RosterGrowth(recruits=9),
    RosterGrowth(kinds_most=(("Hero", 1),)),
])  # fmt: skip
def test_a_figure_that_is_just_reached_is_not_told(growth: RosterGrowth | None) -> None:
    assert found(growth, HERO) == {}


@pytest.mark.parametrize("most, is_told", [(15, False), (12, True)])
def test_a_limit_that_the_list_has_too_is_told_once(most: int, is_told: bool) -> None:
    system = registry.load_system("mordheim-draft")
    groups = [RosterEntry("warrior", count=5)] * 3
    entries = (RosterEntry("mercenary-captain", is_leader=True), *groups)
    growth = RosterGrowth(models_most=most)
    roster = Roster(system.key, "reiklanders", warriors=entries, growth=growth)
    findings = check(roster, system, registry.fielded_army(system, "reiklanders"))
    codes = [finding.code for finding in findings]
    assert "list.maximum" in codes
    assert ("growth_models_most" in codes) is is_told


def test_more_units_of_a_kind_than_its_most_are_told() -> None:
    growth = RosterGrowth(kinds_most=(("Hero", 1), ("Soldier", 0)))
    assert found(growth, HERO, HERO) == {"growth_kind_most": ("warning", (0, 1))}


def test_who_rolls_before_the_next_battle_and_who_is_away_is_told() -> None:
    wounded = EntryGrowth(old_wound="D6 of 1")
    assert found(RosterGrowth(), None, wounded) == {"growth_old_wound": ("warning", (1,))}
    held = EntryGrowth(old_wound="D6 of 1", captor="The Blues")
    assert found(RosterGrowth(), held) == {"growth_absent": ("note", (0,))}
    away = EntryGrowth(misses=(1,))
    assert found(RosterGrowth(), None, away) == {"growth_absent": ("note", (1,))}


def test_the_source_of_an_issue_are_the_campaigns_rules() -> None:
    roster = make_roster(points_limit=None, growth=RosterGrowth(rules="House set", dues=1))
    system = registry.load_system(roster.system)
    told = check(roster, system, registry.load_army(roster.system, roster.army))
    assert [one.source for one in told if one.code == "growth_dues"] == ["House set"]
