"""The regiments of the Civil War: charts cell by cell, prices, ranks, findings."""

import pytest

from engine.equipment import armour_save, carried_weapons
from engine.findings.checks import check
from engine.roster import Roster, RosterEntry
from engine.rules import CombatRules
from engine.selection import select
from engine.starters import build_starter
from rulesdata import registry
from rulesdata.checks import check_folder
from warbands.sheet.build import build_sheet

SYSTEM = "english-civil-war"


@pytest.fixture(scope="module")
def system():
    return registry.load_system(SYSTEM)


@pytest.fixture(scope="module")
def royalists():
    return registry.load_army(SYSTEM, "royalists")


def codes(system, army, *entries, limit=500, scenario=None):
    roster = Roster(SYSTEM, army.key, points_limit=limit, warriors=entries)
    return {f.code: f for f in check(roster, system, army, scenario)}


GENERAL = RosterEntry("general", is_leader=True)


def test_no_chart_is_borrowed(system):
    assert not any(chart.borrowed_from for chart in system.charts.values())


def test_odds_are_read_with_the_charts_of_the_text(system):
    rules = CombatRules.from_mapping(system.combat)
    assert rules.charts
    assert rules.units
    assert rules.charts.to_hit_melee[2][3] == 4
    assert rules.units.armour["cuirassier"].mounted == 3


@pytest.mark.parametrize(
    "profile,options,save",
    [
        ("pikemen", (), None), ("pikemen", ("light-armour",), 6), ("pikemen", ("heavy-armour",), 5),
        ("harquebusiers", (), 6), ("harquebusiers", ("light-armour",), 5), ("harquebusiers", ("heavy-armour",), 4),
        ("cuirassiers", (), 3), ("colonel", ("cuirassier-armour",), 4), ("colonel", ("cuirassier-armour", "horse"), 3),
    ],
)  # fmt: skip
def test_armour_saves_are_those_of_the_chart(system, royalists, profile, options, save):
    assert (
        armour_save(
            select(royalists, RosterEntry(profile, options=options)),
            royalists,
            system.saves,
        ).number
        == save
    )


def test_a_target_helps_in_close_combat_only(system, royalists):
    save = armour_save(
        select(royalists, RosterEntry("colonel", options=("target",))),
        royalists,
        system.saves,
    )
    assert save.number is None
    assert save.situational == ("target: 1 better in close combat",)


def test_firearms_tell_range_strength_and_their_whole_save_modifier(royalists):
    musket = next(
        a
        for a in carried_weapons(select(royalists, RosterEntry("musketeers")), royalists)
        if a.key == "musket"
    )
    assert (musket.range, musket.strength, musket.notes, musket.is_missile) == (
        24,
        4,
        ("save −2 in all",),
        True,
    )
    assert royalists.weapons["grenadoes"].traits["template"] == "3″"


def test_command_is_paid_once_for_a_regiment(royalists):
    selection = select(
        royalists,
        RosterEntry(
            "pikemen", count=20, options=("musician", "standard-bearer", "light-armour")
        ),
    )
    assert (selection.points_each, selection.points_once, selection.points) == (7, 20, 160)


def test_command_is_paid_by_each_where_every_model_is_a_unit():
    army = registry.load_army("warhammer-skirmish", "the-empire")
    selection = select(army, RosterEntry("halberdiers", count=3, options=("musician",)))
    assert selection.points_once == 0
    assert selection.points == 3 * selection.points_each


def test_a_regiment_stands_in_ranks_and_a_general_alone(system, royalists):
    entries = (
        GENERAL, RosterEntry("pikemen", count=18), RosterEntry("cavaliers", count=12),
        RosterEntry("musketeers", count=5),
    )  # fmt: skip
    sheet = build_sheet(
        Roster(SYSTEM, "royalists", points_limit=None, warriors=entries), system, royalists
    )
    general, pikes, horse, shot = sheet.warriors
    assert general.ranks is None
    assert (pikes.ranks.ranks, pikes.ranks.bonus) == (4, 3)
    assert (horse.ranks.ranks, horse.ranks.bonus) == (3, 0)
    assert (shot.ranks.ranks, shot.ranks.bonus) == (1, 0)
    assert [w.number for w in sheet.warriors] == [1, 2, 3, 4]


def test_flight_and_march_go_by_the_saddle(system, royalists):
    entries = (RosterEntry("pikemen", count=5), RosterEntry("dragoons", count=5))
    foot, horse = build_sheet(
        Roster(SYSTEM, "royalists", warriors=entries), system, royalists
    ).warriors
    assert (foot.run, foot.charge, foot.flight, foot.run_name) == (8, 8, "2D6", "March")
    assert (horse.run, horse.flight) == (14, "3D6")


def test_a_unit_under_five_is_a_warning_and_a_character_is_exempt(system, royalists):
    found = codes(system, royalists, GENERAL, RosterEntry("pikemen", count=4))[
        "unit.too_small"
    ]
    assert found.level == "warning"
    assert found.warriors == (1,)
    assert "4 models" in found.message
    assert [(fix.action, fix.value) for fix in found.fixes] == [("set_count", 5)]
    assert "unit.too_small" not in codes(
        system, royalists, GENERAL, RosterEntry("colonel"), RosterEntry("pikemen", count=5)
    )


def test_no_general_is_a_warning_that_a_scenario_may_waive(system, royalists):
    assert (
        codes(system, royalists, RosterEntry("pikemen", count=5))["leader.missing"].level
        == "warning"
    )
    assert "leader.missing" not in codes(
        system, royalists, GENERAL, RosterEntry("pikemen", count=5)
    )
    # The rearguard may be without one; the pursuers may not.
    bridge = system.scenario("hold-the-bridge@rearguard")
    assert (
        codes(system, royalists, RosterEntry("pikemen", count=5), scenario=bridge)[
            "leader.missing"
        ].level
        == "note"
    )


def test_only_officers_are_named_to_lead(system, royalists):
    foot = RosterEntry("pikemen", count=5)
    alone = codes(system, royalists, foot)["leader.missing"]
    assert (alone.fixes, alone.warriors) == ((), ())
    found = codes(system, royalists, foot, RosterEntry("captain"), RosterEntry("colonel"))[
        "leader.missing"
    ]
    assert [fix.label for fix in found.fixes] == [
        "Choose Captain as General",
        "Choose Colonel as General",
    ]


def test_other_findings_of_the_list(system, royalists):
    assert "leader.not_character" in codes(
        system, royalists, RosterEntry("pikemen", count=5, is_leader=True)
    )
    assert "profile.army_max" in codes(system, royalists, GENERAL, RosterEntry("general"))
    assert "option.unknown" in codes(system, royalists, replace_options(GENERAL, "wings"))
    assert "points.over_limit" in codes(system, royalists, GENERAL, limit=50)
    assert "points.over_limit" not in codes(system, royalists, GENERAL, limit=None)


def replace_options(entry, *options):
    return RosterEntry(entry.profile, is_leader=entry.is_leader, options=options)


@pytest.mark.parametrize("key", ["royalists", "parliament"])
def test_ready_armies_have_no_findings(system, key):
    army = registry.load_army(SYSTEM, key)
    roster = build_starter(system, army)
    assert check(roster, system, army) == ()
    assert "our own" in army.note


def test_without_a_limit_nothing_is_counted(system, royalists):
    roster = Roster(SYSTEM, "royalists", points_limit=None, warriors=(GENERAL,))
    sheet = build_sheet(roster, system, royalists)
    assert (sheet.shows_points, sheet.points) == (False, 0)
    skirmish = registry.load_system("warhammer-skirmish")
    assert skirmish.are_points_optional is False


def test_scenarios_are_ours_one_even_and_one_not(system):
    assert [s.source for s in system.scenarios.values()] == [
        "By Muster Roll, balanced",
        "By Muster Roll, asymmetrical",
    ]


@pytest.mark.parametrize(
    "stat,expected",
    [("Ld: 9", "a value is needed here"), ("Mv: 3, Ld: 9", "this key is not known here")],
)
def test_a_stat_line_has_the_figures_of_its_collection(packs, stat, expected):
    name = "lists/ecw/armies/royalists.yaml"
    packs.change(name, "A: 3, Ld: 9", "A: 3" if "Mv" not in stat else f"A: 3, {stat}")
    assert expected in [fault.message for fault in check_folder(packs.path("lists/ecw"))]


def test_a_category_belongs_to_its_collection(packs):
    packs.change("lists/ecw/armies/royalists.yaml", "category: officer", "category: hero")
    (fault,) = check_folder(packs.path("lists/ecw"))
    assert fault.key == "units/general/category"
    assert (
        fault.message
        == "'hero' is no category of this collection: foot, horse, mount, officer"
    )


def test_a_ready_army_buys_what_its_list_sells(packs):
    packs.change(
        "lists/ecw/armies/royalists.yaml",
        "options: [horse, heavy-armour",
        "options: [camel, heavy-armour",
    )
    assert [f.message for f in check_folder(packs.path("lists/ecw"))] == [
        "'camel' is no option of this unit"
    ]
