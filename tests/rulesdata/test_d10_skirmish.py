"""The d10 skirmish: prices in action points, casualty tables, armoury, traits, armour values,
findings.
"""

import pytest

from engine.choices import picker
from engine.equipment import carried_weapons
from engine.findings.checks import check
from engine.option_rules import with_option
from engine.roster import Agreement, Roster, RosterEntry
from engine.selection import select
from engine.starters import build_starter
from engine.stat_lines import carried_items, stat_lines
from rulesdata import registry
from rulesdata.queries.tables import load_weapons
from warbands.sheet.build import build_sheet

SYSTEM = "d10-skirmish"


@pytest.fixture(scope="module")
def system():
    return registry.load_system(SYSTEM)


@pytest.fixture(scope="module")
def army():
    return registry.load_army(SYSTEM, "starter-list")


def line(army, profile, *options):
    return stat_lines(select(army, RosterEntry(profile, options=options)), army)[0].stats


def codes(system, army, *entries, limit=None):
    return {
        f.code: f
        for f in check(
            Roster(SYSTEM, army.key, points_limit=limit, warriors=entries), system, army
        )
    }


def test_casualties_are_rolled_for_with_their_own_dice(system):
    """The rows of the tables are in test_charts.py."""
    assert [table.die for table in system.tables.values()] == ["D10", "D4"]


@pytest.mark.parametrize(
    "key,reach,shots,penetration",
    [
        ("pistol", 6, 1, None), ("rifle", 18, 1, None), ("sub-machine-gun", 18, 1, None),
        ("light-machine-gun", 24, 2, None), ("laser-pistol", "infinite", 1, None), ("laser-rifle", "infinite", 2, 1),
        ("plasma-pistol", 6, 1, 2), ("plasma-rifle", 18, 1, 2), ("rocket-launcher", 24, 1, 8),
    ],
)  # fmt: skip
def test_ranged_armoury(army, key, reach, shots, penetration):
    weapon = army.weapons[key]
    assert (
        weapon.range, weapon.traits["shots"], weapon.traits.get("armour_penetration"),
    ) == (reach, shots, penetration)  # fmt: skip
    assert weapon.source.startswith("Generic d10 Skirmish")


def test_melee_armoury(army):
    assert {key: army.weapons[key].traits["melee_attack"] for key in ("knife", "sword", "spear", "rending-claws")} == {
        "knife": 1, "sword": 2, "spear": 1, "rending-claws": 2,
    }  # fmt: skip
    spear = next(
        a
        for a in carried_weapons(
            select(army, RosterEntry("soldier", options=("spear",))), army
        )
        if a.key == "spear"
    )
    assert (spear.range, spear.is_missile) == (1, False)
    # Of the weapons for a melee a spear alone has a range, which the page of weapons tells.
    (table,) = (t for t in load_weapons(SYSTEM)["tables"] if t.name == "Close combat")
    column = table.heads.index("Range")
    reach = {line.item.key: line.figures[column] for line in table.lines}
    assert (reach["spear"], reach["knife"]) == ('1"', "–")


def test_a_sub_machine_gun_tells_both_ways_to_fire(army):
    gun = next(
        a
        for a in carried_weapons(select(army, RosterEntry("veteran")), army)
        if a.key == "sub-machine-gun"
    )
    assert gun.notes == ("1 shot", "or 2 shots up to 6″")


def test_traits_and_armour_work_on_the_stat_line(army):
    assert line(army, "soldier") == {
        "Mv": 6, "Sh": 1, "Me": 0, "Df": 0, "Fr": None, "Si": None, "Re": None,
    }  # fmt: skip
    made = line(army, "soldier", "fast", "tough-2", "martial-training-1", "carapace")
    assert (made["Mv"], made["Me"], made["Df"]) == (9, 3, 4)
    powered = line(army, "soldier", "powered-armour")
    assert (powered["Fr"], powered["Si"], powered["Re"]) == (1, 1, 1)


def test_big_models_move_12_and_small_ones_6(army):
    assert {
        p.lines[0].stats["Mv"] for p in army.profiles.values() if p.category == "big"
    } == {12}
    assert {
        p.lines[0].stats["Mv"] for p in army.profiles.values() if p.troop_type == "soldier"
    } == {6}


def test_a_big_model_needs_three_armour_values(system, army):
    found = codes(system, army, RosterEntry("great-beast"))["profile.armour_values"]
    assert (found.level, found.warriors) == ("error", (0,))
    assert "front armour value, side armour value, rear armour value" in found.message
    assert [fix.option for fix in found.fixes] == ["soft-hide", "thick-hide", "plated-hide"]
    for entry in (
        RosterEntry("great-beast", options=("soft-hide",)),
        RosterEntry("truck"),
        RosterEntry("soldier"),
    ):
        assert "profile.armour_values" not in codes(system, army, entry)


def test_more_models_than_advised_are_a_warning(system, army):
    assert (
        codes(system, army, RosterEntry("recruit", count=13))["models.too_many"].level
        == "warning"
    )
    assert "models.too_many" not in codes(system, army, RosterEntry("recruit", count=12))


def test_nobody_leads_and_nobody_counts(system, army):
    assert system.leader_name == ""
    assert system.default_limit is None
    assert not [g for g in system.guidelines if g.kind.startswith("leader")]
    assert army.has_points is False
    assert select(army, RosterEntry("soldier")).leadership is None


def test_the_ready_patrol_has_no_findings(system, army):
    roster = build_starter(system, army)
    sheet = build_sheet(roster, system, army)
    assert sheet.findings == ()
    assert (
        sheet.shows_points, sheet.shows_saves, sheet.shows_wounds, sheet.leader_name,
    ) == (False, False, False, "")  # fmt: skip


def test_quick_reference_speaks_of_big_models_only_where_there_are_any(system, army):
    def titles(*entries):
        reference = build_sheet(
            Roster(SYSTEM, army.key, warriors=entries), system, army
        ).reference
        return {note.title for _, notes in reference.sections for note in notes}

    assert "Big models" in titles(RosterEntry("truck"))
    assert "Big models" not in titles(RosterEntry("soldier"))


def test_scenarios_are_ours_one_even_and_one_not(system):
    assert [s.source for s in system.scenarios.values()] == [
        "By Muster Roll, balanced",
        "By Muster Roll, asymmetrical",
    ]


BOTH = ("flak-jacket", "carapace", "pistol", "rifle")


def test_equipment_shuts_nothing_out_but_by_the_house_rule(army):
    entry = RosterEntry("soldier", options=BOTH)
    found = {}
    for house in ((), ("one_of_each",)):
        system = registry.load_system(SYSTEM, None, Agreement((), house))
        fielded = registry.fielded_army(system, army.key)
        roster = Roster(SYSTEM, army.key, warriors=(entry,))
        found[house] = [f.message for f in check(roster, system, fielded)]
    assert found == {
        (): [],
        ("one_of_each",): [
            "Soldier: only one of Flak jacket and Full carapace may be taken.",
            "Soldier: only one of Pistol and Rifle may be taken.",
        ],
    }
    assert line(army, "soldier", *BOTH)["Df"] == 3


def test_a_trait_is_still_taken_once(system, army):
    found = codes(system, army, RosterEntry("soldier", options=("tough-1", "tough-2")))
    assert "option.conflict" in found


def test_another_weapon_takes_the_defaults_place_until_both_are_ticked(army):
    armed = with_option(RosterEntry("soldier"), "pistol", army)
    assert carried_items(select(army, armed)) == ("knife", "pistol")
    both = with_option(armed, "rifle", army)
    assert both.options == ("pistol", "rifle")
    assert set(carried_items(select(army, both))) == {"knife", "pistol", "rifle"}
    # What stands there by itself is not listed.
    assert with_option(RosterEntry("soldier"), "rifle", army).options == ()


def test_the_builder_lets_several_be_ticked(army):
    groups = {g.key: g for g in picker(select(army, RosterEntry("soldier")), army)}
    assert groups["armour"].is_exclusive is False
    assert groups["tough"].is_exclusive is True
