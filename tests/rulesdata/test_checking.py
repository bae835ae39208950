"""The work list of damaged packs: every fault with its file, its key and what was expected."""

import pytest

from engine.findings.checks import KINDS
from rulesdata.checks import check_folder, check_packs
from rulesdata.management.commands.check_rules import is_table_current, kinds_table

EMPIRE, SKIRMISH, LIST = (
    "lists/whfb6/armies/the-empire.yaml",
    "systems/warhammer-skirmish",
    "lists/whfb6",
)
DAMAGE = [
    (
        EMPIRE,
        "points: 80",
        "points: '80'",
        "elector-count/points: expected a valid integer, found '80'",
    ),
    (
        EMPIRE,
        "points: 80",
        "points: true",
        "elector-count/points: expected a valid integer, found true",
    ),
    (
        EMPIRE,
        "points: 80",
        "points: -1",
        "elector-count/points: expected greater than or equal to 0, found -1",
    ),
    (
        EMPIRE,
        "points: 80",
        "points: 81",
        "the-empire/unit_points: the files add up to 3439, the totals say 3438",
    ),
    (EMPIRE, "points: 80", "prize: 80", "elector-count/prize: this key is not known here"),
    (EMPIRE, "  points: 80\n", "", "elector-count/points: a value is needed here"),
    (
        EMPIRE,
        "items: [lance]",
        "items: [lanse]",
        "elector-count/options/lance/items: 'lanse' is no weapon or armour",
    ),
    (
        EMPIRE,
        "mount: griffon",
        "mount: grifon",
        "elector-count/options/griffon/mount: 'grifon' is no unit or mount",
    ),
    (
        EMPIRE,
        "id: griffon, name: Griffon",
        "id: pegasus, name: Griffon",
        "'pegasus' stands twice",
    ),
    (
        EMPIRE,
        "troop_type: infantry",
        "troop_type: infantrie",
        "elector-count/troop_type: 'infantrie' is no troop type of this collection: cavalry, ",
    ),
    (
        EMPIRE,
        "miniatures: 1",
        "miniatures: 0",
        "elector-count/miniatures: expected greater than or equal to 1",
    ),
    (
        EMPIRE,
        "WS: 5",
        "WS: five",
        "the-empire.yaml:17: units/elector-count/profiles/Elector Count/WS: ",
    ),
    (
        EMPIRE,
        "army: the-empire",
        "army: empire",
        "army: expected 'the-empire', as the file is named",
    ),
    (EMPIRE, "flags: []", "flags: [fliess]", "elector-count/flags: 'fliess' is no flag"),
    (
        EMPIRE,
        "excludes: [mortar-and",
        "excludes: [motar-and",
        "'motar-and-swivel-guns' is no option of this unit",
    ),
    (
        f"{LIST}/magic-items/chaos.yaml",
        "id: axe-of-khorne-25",
        "id: axe-of-khorne",
        "'axe-of-khorne' stands twice",
    ),
    (
        f"{LIST}/collection.yaml",
        "- dwarfs\n",
        "",
        "armies/dwarfs.yaml is not listed: add 'dwarfs'",
    ),
    (
        f"{LIST}/collection.yaml",
        "id: whfb6",
        "id: whfb7",
        "id: expected 'whfb6', the name of its folder",
    ),
    (
        f"{SKIRMISH}/system.yaml",
        "[whfb6]",
        "[whfb9]",
        "collections: 'whfb9' is no collection",
    ),
    (
        f"{SKIRMISH}/charts.yaml",
        "first: 3",
        "first: 2",
        "two rows for a roll of 2: Knocked down and Stunned",
    ),
    (f"{SKIRMISH}/charts.yaml", "last: 4", "last: 3", "no row for a roll of 4"),
    (
        f"{SKIRMISH}/charts.yaml",
        "    2: [3, 4, 4, 4, 5, 5, 5, 5, 5, 5]\n",
        "",
        "row 1 is followed by 3",
    ),
    (f"{SKIRMISH}/charts.yaml", "ruling: G01", "ruling: G99", "'G99' is no ruling"),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "kind: models_max",
        "kind: models_most",
        "'models_most' is no kind the engine",
    ),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "{total} of",
        "{sum} of",
        "'sum' is no field of total_over_limit",
    ),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "{maximum: 15}",
        "{minimum: 15}",
        "models_max needs 'maximum'",
    ),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "{over} over",
        "{over over",
        "guidelines/points.over_limit/message: the braces",
    ),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "{count:model|models}",
        "{count:a|b|c}",
        "the sentence cannot be filled in",
    ),
    (
        f"{SKIRMISH}/guidelines.yaml",
        "({names})",
        "({names:one|two})",
        "the sentence cannot be filled in",
    ),
    (f"{SKIRMISH}/states.yaml", "after: stunned", "after: asleep", "'asleep' is no state"),
    (
        f"{SKIRMISH}/scenarios.yaml",
        "waives: [category.lord]",
        "waives: [option.unknown]",
        "is no guideline that may be waived",
    ),
    (
        f"{SKIRMISH}/scenarios.yaml",
        "- {id: the-beast, takes_rout",
        "- {id: the-beest, takes_rout",
        "'the-beest' is no side of a scenario (under scenario/hunt-the-troll)",
    ),
    (
        f"{SKIRMISH}/scenarios.yaml",
        "waits_for: kept_aside",
        "waits_for: kept_back",
        "'kept_back' is no state of this system",
    ),
    (
        f"{SKIRMISH}/alternatives.yaml",
        "- id: edition_1",
        "- id: edition_9",
        "'edition_9' is no alternative or house rule",
    ),
    (f"{LIST}/aliases/skaven.yaml", "army: skaven", "army: rats", "expected 'skaven'"),
    (
        f"{LIST}/aliases/skaven.yaml",
        "Slaves: clanrat-slaves",
        "Slaves: ratkin",
        "'ratkin' is no unit of this list",
    ),
    (
        f"{LIST}/aliases/skaven.yaml",
        "Cavalry spears: spears",
        "Cavalry spears: level-9",
        "'level-9' is no option of this list",
    ),
]


@pytest.mark.parametrize("name,old,new,expected", DAMAGE)
def test_damage_is_found_with_file_and_key(packs, name, old, new, expected):
    packs.change(name, old, new)
    damaged = packs.path("/".join(name.split("/")[:2]))
    found = [str(fault) for fault in check_folder(damaged)]
    assert any(expected in fault for fault in found), found


def test_aliases_of_no_army_are_a_fault(packs):
    text = packs.path(f"{LIST}/aliases/skaven.yaml").read_text(encoding="utf-8")
    packs.path(f"{LIST}/aliases/rats.yaml").write_text(text, encoding="utf-8")
    found = [str(fault) for fault in check_folder(packs.path(LIST))]
    assert any("no army of this collection has this key" in fault for fault in found), found


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
    keys = [
        fault.key
        for fault in check_packs(packs.root)
        if fault.file.endswith("the-empire.yaml")
    ]
    assert keys == ["units/elector-count/category", "units/elector-count/points"]


def test_outside_folder_of_either_kind_may_be_checked(small_packs):
    assert check_folder(small_packs.root) == []
    assert check_folder(small_packs.path("lists/small")) == []
    assert check_folder(small_packs.path("systems/warhammer-skirmish")) == []
    assert "no pack here" in str(check_folder(small_packs.path("lists/small/armies"))[0])


def test_every_kind_of_the_engine_stands_in_the_table_of_the_guide(project_root):
    assert all(f"| `{name}` | Find " in kinds_table() for name in KINDS)
    assert is_table_current(project_root / "docs" / "adding-a-system.md")


def test_guide_without_the_table_of_kinds_is_outdated(tmp_path):
    guide = tmp_path / "guide.md"
    assert not is_table_current(guide)
    guide.write_text("No table here.\n", encoding="utf-8")
    assert not is_table_current(guide)
