"""The fifteen Mordheim warbands: what their starters cost and break, and what all of them share."""

from __future__ import annotations

import pytest

from engine.choices import picker
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.selection import select, select_all
from rulesdata import registry
from rulesdata.checks.systems import check_variants
from rulesdata.pack_files.folders import PACKS
from tests.rulesdata.test_mordheim import BOOKS, DRAFT, RULINGS

COLLECTION = "mordheim"
STARTERS = {
    "averlanders": (485, 10),
    "beastmen-raiders": (499, 13),
    "carnival-of-chaos": (497, 12),
    "cult-of-the-possessed": (487, 9),
    "dwarf-treasure-hunters": (496, 8),
    "kislevites": (495, 9),
    "marienburgers": (595, 11),
    "middenheimers": (493, 12),
    "orc-mob": (498, 14),
    "ostlanders": (494, 11),
    "reiklanders": (493, 11),
    "sisters-of-sigmar": (493, 14),
    "skaven-clan-eshin": (489, 16),
    "undead": (491, 13),
    "witch-hunters": (491, 12),
}
"""Gold crowns and models, summed up by hand."""


@pytest.mark.parametrize("key", STARTERS)
def test_starter_costs_its_sum_and_breaks_nothing_in_any_text(key: str) -> None:
    for system_key, variant in BOOKS:
        system = registry.load_system(system_key, variant)
        army = registry.load_army(system_key, key, variant)
        ready = army.starter
        assert ready
        assert (army.currency.short, army.default_limit) == ("gc", ready.limit)
        selections = select_all(army, ready.warriors)
        points = sum(entry.points for entry in selections)
        models = sum(entry.miniatures for entry in selections)
        assert (points, models) == STARTERS[key]
        roster = Roster(system_key, key, warriors=ready.warriors, points_limit=ready.limit)
        findings = check(roster, system, army)
        assert {finding.level for finding in findings} <= {"note"}


def test_both_systems_field_all_of_them_beside_the_armies() -> None:
    assert set(registry.collection_file(COLLECTION).armies) == set(STARTERS)
    for system in ("mordheim-draft", "mordheim-rulings"):
        assert set(STARTERS) < set(registry.list_army_keys(system))
        assert "skaven" in registry.list_army_keys(system)


def test_hired_swords_are_offered_where_they_may_be_hired() -> None:
    for key, offers in (("reiklanders", True), ("beastmen-raiders", False)):
        sword = registry.load_army(DRAFT, key).profiles["hired-warlock"]
        assert (sword.is_offered, sword.joining.upkeep) == (offers, 15)
    assert sword.not_offered_because == "Beastmen Raiders may not hire it."


def test_units_say_what_they_are_in_a_campaign() -> None:
    mob = registry.load_army(DRAFT, "orc-mob").profiles
    assert (mob["orc-boss"].is_leader, mob["orc-boss"].joining.race) == (True, "orc")
    assert "orcs" in mob["orc-shaman"].joining.skill_lists
    squig = mob["cave-squig"].joining
    assert (squig.gains_experience, squig.is_promotable, squig.race) == (False, False, "")
    assert mob["orc-boy"].joining.is_promotable


def test_an_army_key_of_two_collections_of_a_system_is_refused() -> None:
    system = PACKS / "systems" / DRAFT
    armies = {"whfb6": ("skaven", "chaos"), "mordheim": ("skaven", "undead")}
    faults = check_variants(system, armies)
    assert [fault.key for fault in faults] == ["collections"]
    armies = {"whfb6": ("skaven",), "mordheim": ("skaven-clan-eshin",)}
    assert check_variants(system, armies) == []


@pytest.mark.parametrize("variant", ["A", "B"])
def test_nothing_of_the_text_is_free_beside_a_priced_list(variant: str) -> None:
    free = {option.key for option in registry.load_system(RULINGS, variant).options}
    assert "own-sword" in free
    for key in STARTERS:
        for profile in registry.load_army(RULINGS, key, variant).profiles.values():
            assert free.isdisjoint(option.key for option in profile.options)


def test_a_piece_that_the_list_sells_is_not_offered_twice() -> None:
    army = registry.load_army(RULINGS, "bretonnians", "B")
    bare, armed = (
        {
            choice.key
            for group in picker(select(army, RosterEntry("men-at-arms", options=had)), army)
            for choice in group.choices
        }
        for had in ((), ("own-spear",))
    )
    assert {"own-spear", "own-sword"} & bare == {"own-sword"}
    # Whoever took it before keeps it.
    assert "own-spear" in armed
