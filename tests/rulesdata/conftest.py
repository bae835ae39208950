"""Copies of the packs that a test may damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdata.pack_files.folders import PACKS


class PackCopy:
    """A tree of packs in a folder of the test's own."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, name: str) -> Path:
        return self.root / name

    def change(self, name: str, old: str, new: str) -> None:
        """Replace the first ``old`` in a file; the text must be there."""
        text = self.path(name).read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        self.path(name).write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def packs(tmp_path: Path) -> PackCopy:
    return PackCopy(Path(shutil.copytree(PACKS, tmp_path / "packs")))


SMALL_ARMY = """army: watch
name: The Watch
edition: 6
army_rules: []
units:
- id: captain
  name: Captain
  category: hero
  troop_type: infantry
  points: 50
  points_basis: model
  miniatures: 1
  profiles:
  - {name: Captain, role: model, M: 4, WS: 5, BS: 5, S: 4, T: 4, W: 2, I: 5, A: 3, Ld: 8}
  default_equipment: [hand-weapon]
  equipment_source: first
  options:
  - {id: sword, name: Sword, points: 3, per: model, kind: weapon, items: [hand-weapon], group: arms, exclusive: true}
  - {id: horse, name: Horse, points: 10, per: model, kind: mount, mount: horse}
  flags: []
  special_rules: []
- id: horse
  name: Horse
  category: mount
  troop_type: war-beast
  points: 10
  points_basis: model
  profiles:
  - {name: Horse, role: mount, M: 8, WS: 3, BS: 0, S: 3, T: 3, W: 1, I: 3, A: 1, Ld: 5}
  default_equipment: []
  equipment_source: none
  options: []
  flags: []
  special_rules: []
"""
SMALL_FILES = {
    "lists/small/armies/watch.yaml": SMALL_ARMY,
    "lists/small/magic-items/watch.yaml": "army: watch\nitems:\n- {id: ring, name: Ring, type: talisman, points: 10}\n",
    "lists/small/common.yaml": """edition: 6
units_of_range: inches
weapons:
- {id: hand-weapon, name: Hand weapon, type: melee, hands: 1, strength: user, sources: [first]}
armour:
- {id: shield, name: Shield, improves: 1, sources: [first]}
save_modifiers: []
rules_with_figures: []
rules_in_several_armies: []
flags: []
troop_types: [infantry]
""",
    "lists/small/collection.yaml": """id: small
name: Small lists
summary: One army for tests.
edition: 6
sources:
- {id: first, name: Tests, note: Made up.}
armies: [watch]
totals:
  watch: {units: 1, mounts: 1, profiles: 2, options: 2, magic_items: 1, unit_points: 50, mount_points: 10, \
option_points: 13, champion_points: 0, command_points: 0, magic_item_points: 10}
""",
}


@pytest.fixture
def small_packs(tmp_path: Path) -> PackCopy:
    """One army of one hero and one horse, and the real rule system fielding it."""
    root = tmp_path / "small"
    for name, text in SMALL_FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    shutil.copytree(
        PACKS / "systems" / "warhammer-skirmish", root / "systems" / "warhammer-skirmish"
    )
    copy = PackCopy(root)
    copy.change(
        "systems/warhammer-skirmish/system.yaml",
        "collections: [whfb6]",
        "collections: [small]",
    )
    return copy


@pytest.fixture
def write_yaml(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "input.yaml"
        path.write_bytes(
            content
            if isinstance(content, bytes)
            else content.encode("utf-8", "surrogatepass")
        )
        return path

    return write
