"""The packs hold what was counted when they were made: units, lines, options, prices, references, wording."""

import json
import re

import jsonschema
import pytest

from engine.charts import chart_faults, table_faults
from engine.findings import KINDS
from engine.findings.cases import sentence
from engine.roster import Entry, Roster
from engine.selection import select
from rulesdata import registry, shapes
from rulesdata.checking import FIELDS_OF_KINDS, NUMBERS, PARAMETERS_OF_KINDS, check_folder, check_packs, count_totals
from rulesdata.folders import PACKS, read_collection, read_system
from rulesdata.schema import FILES

SYSTEM = "warhammer-skirmish"

# army: units, mounts, stat lines with champions', options without champions', incomplete, corrected units, magic items
COUNTED = {
    "the-empire": (27, 4, 55, 65, 0, 0, 57),
    "orcs-and-goblins": (55, 4, 92, 152, 0, 3, 54),
    "dwarfs": (23, 0, 38, 50, 0, 0, 55),
    "high-elves": (17, 6, 41, 53, 0, 0, 60),
    "dark-elves": (33, 7, 62, 103, 1, 2, 95),
    "wood-elves": (22, 6, 42, 43, 0, 0, 63),
    "bretonnians": (17, 4, 36, 36, 0, 3, 102),
    "skaven": (33, 1, 45, 57, 0, 3, 50),
    "lizardmen": (16, 2, 27, 74, 1, 0, 39),
    "vampire-counts": (18, 4, 30, 50, 0, 0, 74),
    "tomb-kings": (19, 2, 34, 27, 0, 0, 45),
    "ogre-kingdoms": (20, 1, 31, 40, 0, 1, 47),
    "dogs-of-war": (70, 3, 103, 75, 2, 13, 8),
    "chaos": (50, 6, 75, 189, 2, 3, 98),
    "daemonic-legions": (26, 5, 43, 30, 1, 0, 20),
    "chaos-dwarfs": (19, 3, 35, 57, 0, 2, 20),
}
ALL = (465, 58, 789, 1101, 7, 30, 887)


@pytest.fixture(scope="module")
def collection():
    return read_collection(PACKS / "lists" / "whfb6")


@pytest.fixture(scope="module")
def mechanics():
    return registry.load_system(SYSTEM)


def armies():
    return [registry.load_army(SYSTEM, key) for key in registry.armies_of(SYSTEM)]


def test_every_pack_is_in_order():
    assert check_packs() == []


def test_all_sixteen_armies_are_there(collection):
    assert set(collection.armies) == set(COUNTED) == set(registry.armies_of(SYSTEM))


@pytest.mark.parametrize("key", COUNTED)
def test_army_holds_what_was_counted(key, collection):
    army, items = collection.armies[key], collection.magic_items[key]
    totals = count_totals(army, items)
    counted = (
        totals["units"],
        totals["mounts"],
        totals["profiles"],
        totals["options"],
        sum(bool(unit.incomplete) for unit in army.units),
        sum(bool(unit.corrected) for unit in army.units),
        totals["magic_items"],
    )
    assert counted == COUNTED[key]


@pytest.mark.parametrize("key", COUNTED)
def test_every_price_adds_up_to_the_stated_totals(key, collection):
    stated = collection.collection.totals[key].model_dump()
    assert count_totals(collection.armies[key], collection.magic_items[key]) == stated


def test_counts_of_all_armies_add_up():
    assert tuple(map(sum, zip(*COUNTED.values(), strict=True))) == ALL


def test_engine_values_carry_every_unit_price_and_option(collection):
    for army in armies():
        records = {**army.profiles, **army.mounts}
        assert len(records) == len(collection.armies[army.key].units)
        for unit in collection.armies[army.key].units:
            profile = records[unit.id]
            assert profile.points == unit.points
            assert [(o.key, o.points) for o in profile.options] == [(o.id, o.points) for o in unit.options]
            champions = unit.champion.options if unit.champion else []
            assert [(o.key, o.points) for o in profile.all_options[len(unit.options) :]] == [
                (o.id, o.points) for o in champions
            ]
        stated = collection.collection.totals[army.key]
        assert sum(i.points for i in army.magic_items.values()) == stated.magic_item_points


@pytest.mark.parametrize(
    "army,profile,options,points",
    [
        ("the-empire", "steam-tank", (), 250),
        ("the-empire", "steam-tank", ("main-cannon", "steam-gun"), 300),
        ("the-empire", "steam-tank", ("volley-gun", "steam-gun"), 325),
        ("the-empire", "steam-tank", ("mortar-and-swivel-guns",), 200),
        ("the-empire", "emperor-karl-franz", (), 765),
        ("the-empire", "emperor-karl-franz", ("reikland-runefang",), 765),
        ("the-empire", "emperor-karl-franz", ("ghal-maraz",), 845),
        ("daemonic-legions", "chariot-of-khorne", (), 170),
        ("daemonic-legions", "chariot-of-nurgle", (), 150),
        ("bretonnians", "the-fay-enchantress", (), 545),
        ("bretonnians", "paladin", (), 60),
        ("bretonnians", "paladin", ("barded-warhorse",), 74),
        ("bretonnians", "bretonnian-lord", ("barded-warhorse",), 131),
        ("bretonnians", "paladin", ("magic/virtue-of-audacity-60",), 120),
        ("chaos", "daemon-prince", ("wizard-level", "wizard-level"), 380),
        ("orcs-and-goblins", "goblin-wolf-chariots", ("spears", "extra-goblin-crewman"), None),
        ("the-empire", "halberdiers", ("champion", "musician", "standard-bearer", "shields"), 32),
    ],
)
def test_price_of_a_choice(army, profile, options, points):
    selection = select(registry.load_army(SYSTEM, army), Entry(profile, options=options))
    assert selection.unknown == ()
    if points is None:  # the two crew-dependent prices: 4 for spears beside an extra goblin
        assert [line.points for line in selection.receipt if line.key == "spears"] == [4]
    else:
        assert selection.points_each == points


@pytest.mark.parametrize(
    "army,profile,miniatures",
    [
        ("skaven", "giant-rats", 7),
        ("skaven", "rat-ogres", 2),
        ("skaven", "warplock-jezzails", 1),
        ("skaven", "ratling-gun", 1),
        ("lizardmen", "salamander-hunting-pack", 4),
        ("lizardmen", "stegadon", 1),
        ("dark-elves", "war-hydra", 3),
        ("dark-elves", "cauldron-of-blood", 1),
        ("the-empire", "great-cannon", 1),
        ("tomb-kings", "chariots", 1),
        ("the-empire", "halberdiers", 1),
    ],
)
def test_miniatures_of_packs_teams_and_machines(army, profile, miniatures):
    assert registry.load_army(SYSTEM, army).profiles[profile].miniatures == miniatures


def test_figures_that_an_option_brings_along_are_counted():
    army = registry.load_army(SYSTEM, "orcs-and-goblins")
    assert select(army, Entry("night-goblins", count=3)).miniatures == 3
    assert select(army, Entry("night-goblins", options=("fanatics", "fanatics"))).miniatures == 3
    bully = select(army, Entry("goblin-rock-lobber", options=("orc-bully",)))
    assert bully.miniatures == 1  # one more for the crew of a machine


def test_what_no_skirmish_can_use_is_kept_but_not_offered():
    hidden = [p for army in armies() for p in army.profiles.values() if not p.is_offered]
    assert all(p.not_offered_because for p in hidden)
    for army in armies():
        for p in army.profiles.values():
            unfit = p.is_special_character or p.is_regiment_of_renown or p.incomplete or p.upgrade_of or p.requires_army
            assert p.is_offered == (not unfit and p.points > 0 and p.key != "scrag-the-slaughterer"), p.key


def test_every_army_offers_a_hero_and_core_troops():
    for army in armies():
        offered = [p for p in army.profiles.values() if p.is_offered]
        categories = {p.category for p in offered} | {other for p in offered for other, _ in p.category_when}
        assert {"hero", "core"} <= categories, army.key  # Chaos troops are core under a General of their kind


def test_wizard_levels_of_one_choice_are_never_required():
    found = [o for army in armies() for p in army.profiles.values() for o in p.options if o.group == "wizard-level"]
    assert len(found) >= 31
    assert not any(o.is_required for o in found)


def test_unstated_wizard_levels_stay_unstated():
    unstated = [p for army in armies() for p in army.profiles.values() if p.is_wizard and p.wizard_level is None]
    assert "butcher" in {p.key for p in unstated}
    assert len([p for p in unstated if not p.is_special_character]) == 16


def test_mount_options_may_point_to_other_records():
    pairs = [(army, o) for army in armies() for p in army.profiles.values() for o in p.options if o.mount]
    assert all(army.ridden(o.mount) for army, o in pairs)
    assert len([o for army, o in pairs if o.mount not in army.mounts]) == 25


def test_magic_item_keys_are_unique():
    for army in armies():
        assert len(army.magic_items) == COUNTED[army.key][6]


def test_doubts_and_corrections_stay_visible():
    profiles = [p for army in armies() for p in {**army.profiles, **army.mounts}.values()]
    assert sum(bool(p.doubts) for p in profiles) >= 120
    assert sum(bool(p.corrected) for p in profiles) == ALL[5]
    assert all(text.endswith(".") for p in profiles for text in (*p.doubts, *p.corrected))


# The rule system ------------------------------------------------------------------------------------------------------

CODES = {
    "points.over_limit": "error", "points.limit_range": "warning", "points.under_limit": "note",
    "leader.missing": "error", "leader.many": "error", "leader.not_highest_leadership": "error",
    "leader.not_character": "warning", "wizard.level": "error", "wizard.count": "warning", "magic_items": "warning",
    "models.too_many": "warning", "type.cavalry": "warning", "type.monster": "warning", "type.war_machine": "warning",
    "type.chariot": "warning", "type.flyer": "warning", "type.swarm": "warning", "type.not_infantry": "note",
    "category.special": "warning", "category.rare": "warning", "category.lord": "warning",
    "command.standard": "warning", "command.musician": "warning", "profile.special_character": "warning",
    "profile.incomplete": "warning", "profile.army_max": "note", "option.conflict": "error",
    "option.requirement": "error", "option.unknown": "error", "profile.unknown": "error",
}  # fmt: skip


def test_guidelines_have_the_agreed_codes_and_levels(mechanics):
    assert {g.code: g.level for g in mechanics.guidelines} == CODES


def test_every_kind_of_the_engine_has_its_fields_written_down():
    assert set(FIELDS_OF_KINDS) == set(KINDS)
    assert set(PARAMETERS_OF_KINDS) <= set(KINDS)


def test_messages_are_sentences_that_can_be_filled_in(mechanics):
    for guideline in mechanics.guidelines:
        for number in (1, 2):
            fields = {name: number if name in NUMBERS else "Somebody" for name in FIELDS_OF_KINDS[guideline.kind]}
            text = sentence(guideline.message, fields)
            assert text.endswith("."), guideline.code
            assert not set("{}|") & set(text)


def test_charts_and_tables_have_no_gap(mechanics):
    assert len(mechanics.charts) == 6
    assert not [f for chart in mechanics.charts.values() for f in chart_faults(chart)]
    assert not [f for table in mechanics.tables.values() for f in table_faults(table)]


@pytest.mark.parametrize(
    "chart,row,column,figure",
    [
        ("to-hit-melee", 3, 3, 4), ("to-hit-melee", 1, 10, 5), ("to-hit-melee", 10, 1, 3), ("to-hit-melee", 2, 5, 5),
        ("to-wound", 3, 3, 4), ("to-wound", 1, 5, None), ("to-wound", 3, 6, 6), ("to-wound", 10, 1, 2),
        ("to-hit-shooting", 3, "Needs", 4), ("to-hit-shooting", 6, "Needs", 1), ("save-modifiers", 10, "Modifier", -7),
        ("save-modifiers", 3, "Modifier", 0), ("saving-throws", "Heavy armour", "Mounted", 4),
        ("shooting-modifiers", "A large target", "Modifier", 1),
    ],
)  # fmt: skip
def test_borrowed_figures(mechanics, chart, row, column, figure):
    found = mechanics.charts[chart]
    assert found.at(row, column) == figure
    assert found.borrowed_from.startswith("Warhammer English Civil War")
    assert found.ruling in {"G01", "G02", "G03", "G04"}


def test_injuries_cover_the_die(mechanics):
    rows = mechanics.tables["injury"].rows
    assert [(r.first, r.last, r.result) for r in rows] == [
        (1, 2, "knocked-down"),
        (3, 4, "stunned"),
        (5, 6, "out-of-action"),
    ]


def test_system_has_its_parts(mechanics):
    assert [s.key for s in mechanics.stats] == ["M", "WS", "BS", "S", "T", "W", "I", "A", "Ld"]
    assert [p.key for p in mechanics.phases] == ["recovery", "movement", "magic", "shooting", "close-combat"]
    assert len(mechanics.house_rules) == 5
    assert not any(rule.default for rule in mechanics.house_rules)
    assert len(mechanics.rulings) == 74
    assert {r.ref for r in mechanics.rulings if r.is_outside_texts} == {"G10", "G23", "G24"}
    assert mechanics.movement.flight == ((6, "2D6"), (None, "3D6"))
    assert (mechanics.rout.numerator, mechanics.rout.denominator) == (1, 4)
    assert (mechanics.saves["best"], mechanics.saves["mounted"], mechanics.saves["thick_skinned"]) == (1, 1, 2)


def test_states_and_transitions_belong_together(mechanics):
    keys = {state.key for state in mechanics.states}
    used = {key for move in mechanics.transitions for key in (*move.source_states, move.to)}
    assert used == keys
    assert {s.key for s in mechanics.states if s.is_ticked} == {"knocked-down", "stunned", "out-of-action"}


def test_twelve_scenarios_with_everything_a_table_needs(mechanics):
    assert set(mechanics.scenarios) == {
        "border-skirmish", "scouting-parties-meet", "militia-defends-the-village", "raid-on-the-tomb",
        "hunt-the-troll", "a-lord-against-many", "swap-sides-rematch", "straight-fight", "rescue", "treasure",
        "ambush", "hold-the-building",
    }  # fmt: skip
    for scenario in mechanics.scenarios.values():
        assert len(scenario.sides) == 2
        assert all((scenario.setup, scenario.objectives, scenario.length, scenario.source))
    assert "type.monster" in mechanics.scenarios["hunt-the-troll"].waives
    assert "category.lord" in mechanics.scenarios["a-lord-against-many"].waives


def test_registry_names_what_it_does_not_know():
    with pytest.raises(registry.UnknownSystem, match="no rule system 'chess'"):
        registry.load_system("chess")
    with pytest.raises(registry.UnknownArmy, match="no army 'romans'"):
        registry.load_army(SYSTEM, "romans")
    with pytest.raises(LookupError):
        registry.load_army(SYSTEM, "../the-empire")


def test_registry_reads_once_until_it_is_told_to_forget():
    first = registry.load_army(SYSTEM, "dwarfs")
    assert registry.load_army(SYSTEM, "dwarfs") is first
    registry.clear_cache()
    assert registry.load_army(SYSTEM, "dwarfs") is not first
    assert Roster(SYSTEM, "dwarfs").army in registry.army_names(SYSTEM)


# Damage ---------------------------------------------------------------------------------------------------------------

EMPIRE, SKIRMISH, LIST = "lists/whfb6/armies/the-empire.yaml", "systems/warhammer-skirmish", "lists/whfb6"
DAMAGE = [
    (EMPIRE, "points: 80", "points: '80'", "elector-count/points: expected a valid integer, found '80'"),
    (EMPIRE, "points: 80", "points: true", "elector-count/points: expected a valid integer, found true"),
    (EMPIRE, "points: 80", "points: -1", "elector-count/points: expected greater than or equal to 0, found -1"),
    (EMPIRE, "points: 80", "points: 81", "the-empire/unit_points: the files add up to 3439, the totals say 3438"),
    (EMPIRE, "points: 80", "prize: 80", "elector-count/prize: this key is not known here"),
    (EMPIRE, "  points: 80\n", "", "elector-count/points: a value is needed here"),
    (EMPIRE, "items: [lance]", "items: [lanse]", "elector-count/options/lance/items: 'lanse' is no weapon or armour"),
    (EMPIRE, "mount: griffon", "mount: grifon", "elector-count/options/griffon/mount: 'grifon' is no unit or mount"),
    (EMPIRE, "id: griffon, name: Griffon", "id: pegasus, name: Griffon", "'pegasus' stands twice"),
    (EMPIRE, "troop_type: infantry", "troop_type: infantrie", "elector-count/troop_type: expected 'cavalry', "),
    (EMPIRE, "miniatures: 1", "miniatures: 0", "elector-count/miniatures: expected greater than or equal to 1"),
    (EMPIRE, "WS: 5", "WS: five", "the-empire.yaml:17: units/elector-count/profiles/Elector Count/WS: "),
    (EMPIRE, "army: the-empire", "army: empire", "army: expected 'the-empire', as the file is named"),
    (EMPIRE, "flags: []", "flags: [fliess]", "elector-count/flags: 'fliess' is no flag"),
    (EMPIRE, "excludes: [mortar-and", "excludes: [motar-and", "'motar-and-swivel-guns' is no option of this unit"),
    (f"{LIST}/magic-items/chaos.yaml", "id: axe-of-khorne-25", "id: axe-of-khorne", "'axe-of-khorne' stands twice"),
    (f"{LIST}/collection.yaml", "- dwarfs\n", "", "armies/dwarfs.yaml is not listed: add 'dwarfs'"),
    (f"{LIST}/collection.yaml", "id: whfb6", "id: whfb7", "id: expected 'whfb6', the name of its folder"),
    (f"{SKIRMISH}/system.yaml", "[whfb6]", "[whfb9]", "collections: 'whfb9' is no collection"),
    (f"{SKIRMISH}/charts.yaml", "first: 3", "first: 2", "two rows for a roll of 2: Knocked down and Stunned"),
    (f"{SKIRMISH}/charts.yaml", "last: 4", "last: 3", "no row for a roll of 4"),
    (f"{SKIRMISH}/charts.yaml", "    2: [3, 4, 4, 4, 5, 5, 5, 5, 5, 5]\n", "", "row 1 is followed by 3"),
    (f"{SKIRMISH}/charts.yaml", "ruling: G01", "ruling: G99", "'G99' is no ruling"),
    (f"{SKIRMISH}/guidelines.yaml", "kind: models_max", "kind: models_most", "'models_most' is no kind the engine"),
    (f"{SKIRMISH}/guidelines.yaml", "{total} points", "{sum} points", "'sum' is no field of total_over_limit"),
    (f"{SKIRMISH}/guidelines.yaml", "{maximum: 15}", "{minimum: 15}", "models_max needs 'maximum'"),
    (f"{SKIRMISH}/guidelines.yaml", "{over} more", "{over more", "guidelines/points.over_limit/message: the braces"),
    (f"{SKIRMISH}/guidelines.yaml", "{count:model|models}", "{count:a|b|c}", "the sentence cannot be filled in"),
    (f"{SKIRMISH}/guidelines.yaml", "({names})", "({names:one|two})", "the sentence cannot be filled in"),
    (f"{SKIRMISH}/states.yaml", "after: stunned", "after: asleep", "'asleep' is no state"),
    (f"{SKIRMISH}/scenarios.yaml", "[category.lord,", "[option.unknown,", "is no guideline that may be waived"),
]


@pytest.mark.parametrize("name,old,new,expected", DAMAGE)
def test_damage_is_found_with_file_and_key(packs, name, old, new, expected):
    packs.change(name, old, new)
    damaged = packs.path("/".join(name.split("/")[:2]))
    found = [str(fault) for fault in check_folder(damaged)]
    assert any(expected in fault for fault in found), found


def test_every_fault_of_every_file_is_listed(packs):
    packs.change(EMPIRE, "points: 80", "points: x")
    packs.change(EMPIRE, "category: lord", "category: king")
    packs.change(f"{LIST}/armies/dwarfs.yaml", "units:", "unit:")
    packs.path(f"{SKIRMISH}/states.yaml").write_text("states: [\n", encoding="utf-8")
    packs.path(f"{LIST}/magic-items/skaven.yaml").unlink()
    files = {fault.file for fault in check_packs(packs.root)}
    assert files >= {
        "whfb6/armies/the-empire.yaml",
        "whfb6/armies/dwarfs.yaml",
        "whfb6/magic-items/skaven.yaml",
        "warhammer-skirmish/states.yaml",
    }
    keys = [fault.key for fault in check_packs(packs.root) if fault.file.endswith("the-empire.yaml")]
    assert keys == ["units/elector-count/category", "units/elector-count/points"]


def test_outside_folder_of_either_kind_may_be_checked(small_packs):
    assert check_folder(small_packs.root) == []
    assert check_folder(small_packs.path("lists/small")) == []
    assert check_folder(small_packs.path("systems/warhammer-skirmish")) == []
    assert "no pack here" in str(check_folder(small_packs.path("lists/small/armies"))[0])


# Published shapes -----------------------------------------------------------------------------------------------------


def test_published_schemas_are_current(project_root):
    assert shapes.outdated(project_root / "docs" / "schema") == []


def test_published_schemas_accept_the_packs(project_root):
    published = {p.stem: json.loads(p.read_text()) for p in (project_root / "docs" / "schema").glob("*.json")}
    assert set(published) == set(FILES)
    lists, system = read_collection(PACKS / "lists" / "whfb6").reader, read_system(PACKS / "systems" / SYSTEM).reader
    kinds = {"house_rules": "house-rules", "reference": "notes", "armies": "army"}
    for reader in (lists, system):
        for name, document in reader.documents.items():
            word = re.sub(r"\.yaml$", "", name.split("/")[0])
            jsonschema.validate(document.data, published[kinds.get(word, word)])
