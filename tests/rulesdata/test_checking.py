"""The work list of damaged packs: every fault with its file, its key and what was expected."""

from engine.findings.checks import KINDS
from rulesdata.checks import check_folder, check_packs
from rulesdata.management.commands.check_rules import kinds_table

EMPIRE, SKIRMISH, LIST = (
    "lists/whfb6/armies/the-empire.yaml", "systems/warhammer-skirmish", "lists/whfb6",
)  # fmt: skip


def test_aliases_of_no_army_are_a_fault(packs):
    text = packs.path(f"{LIST}/aliases/skaven.yaml").read_text(encoding="utf-8")
    packs.path(f"{LIST}/aliases/rats.yaml").write_text(text, encoding="utf-8")
    found = [str(fault) for fault in check_folder(packs.path(LIST))]
    assert any("no army of this collection has this key" in fault for fault in found), found


def test_other_name_of_an_option_that_no_list_sells_is_a_fault(packs):
    packs.change("lists/mordheim/option-aliases.yaml", "Mace: hammer", "Mace: mace")
    (fault,) = check_folder(packs.path("lists/mordheim"))
    assert (fault.file, fault.key) == ("mordheim/option-aliases.yaml", "options")


def test_every_fault_of_every_file_is_listed(packs):
    packs.change(EMPIRE, "points: 80", "points: x")
    packs.change(EMPIRE, "category: lord", "category: king")
    packs.change(f"{LIST}/armies/dwarfs.yaml", "units:", "unit:")
    packs.path(f"{SKIRMISH}/states.yaml").write_text("states: [\n", encoding="utf-8")
    packs.path(f"{LIST}/magic-items/skaven.yaml").unlink()
    faults = check_packs(packs.root)
    assert {fault.file for fault in faults} >= {
        "whfb6/armies/the-empire.yaml", "whfb6/armies/dwarfs.yaml", "whfb6/collection.yaml",
        "warhammer-skirmish/states.yaml",
    }  # fmt: skip
    keys = [fault.key for fault in faults if fault.file.endswith("the-empire.yaml")]
    assert keys == ["units/elector-count/category", "units/elector-count/points"]


def test_outside_folder_of_either_kind_may_be_checked(small_packs):
    assert check_folder(small_packs.root) == []
    assert check_folder(small_packs.path("lists/small")) == []
    assert check_folder(small_packs.path("systems/warhammer-skirmish")) == []
    assert "no pack here" in str(check_folder(small_packs.path("lists/small/armies"))[0])


def test_every_kind_of_the_engine_stands_in_the_table():
    assert all(f"| `{name}` | Find " in kinds_table() for name in KINDS)
