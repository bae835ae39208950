"""A starter for every army: legal, near its limit, and as mild as its list allows."""

from dataclasses import replace

import pytest

from engine.findings.checks import check
from engine.roster import Roster
from engine.selection import select_all
from engine.starters import build_starter
from engine.types.systems import System
from rulesdata import registry
from tests.vectors.recorded import check_recorded

# What no warband of these lists can avoid: everybody worth leading is outranked, no ogre is
# infantry, or the figures of all heroes but a wizard are in doubt.
UNAVOIDABLE = {
    "bretonnians": {"wizard.few"},
    "chaos": {"wizard.few"},
    "daemonic-legions": {"leader.not_character"},
    "ogre-kingdoms": {"type.not_infantry"},
}
ARMIES = registry.list_army_keys("warhammer-skirmish")


def test_there_are_sixteen_armies() -> None:
    assert len(ARMIES) == 16


@pytest.mark.parametrize("army", ARMIES)
def test_starter_is_legal_and_spends_its_points(system: System, army: str) -> None:
    found = registry.load_army(system.key, army)
    roster = build_starter(system, found, 150)
    findings = check(roster, system, found)
    selections = select_all(found, roster.warriors)
    assert {f.code for f in findings} <= UNAVOIDABLE.get(army, set())
    assert not [f for f in findings if f.level == "error"]
    assert 135 <= sum(s.points for s in selections) <= 150
    assert sum(s.miniatures for s in selections) <= 15
    assert len(roster.warriors) >= 2


@pytest.mark.parametrize("limit", [100, 200, 250])
def test_starter_keeps_to_other_limits(system: System, limit: int) -> None:
    army = registry.load_army(system.key, "the-empire")
    roster = build_starter(system, army, limit)
    assert not [f for f in check(roster, system, army) if f.level != "note"]


def test_starter_is_the_same_every_time(system: System) -> None:
    army = registry.load_army(system.key, "skaven")
    assert build_starter(system, army) == build_starter(system, army)


def test_a_limit_that_buys_nobody_gives_nobody(system: System) -> None:
    roster = build_starter(system, registry.load_army(system.key, "the-empire"), 3)
    assert isinstance(roster, Roster)
    assert roster.warriors == ()


def told(roster: Roster) -> list[str]:
    return [
        f"{one.count} {one.profile}{' leads' if one.is_leader else ''}: {', '.join(one.options)}"
        for one in roster.warriors
    ]


@pytest.mark.parametrize("army", ARMIES)
def test_starter_is_as_recorded(system: System, army: str) -> None:
    """A change that is meant, of a list or of the choice, is recorded with RECORD_VECTORS=1."""
    found = replace(registry.load_army(system.key, army), starter=None)
    starters = {
        str(limit): told(build_starter(system, found, limit))
        for limit in (20, 60, 100, 150, 300)
    }
    check_recorded("starters.json", starters, part=army)
