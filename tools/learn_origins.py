"""Draft an alias file: the ids that catalogues and lists of other apps give the units of an army.

    python tools/learn_origins.py --army the-empire a.cat list.ros

Only units that carry the army's own names are taken. Check the draft by hand, then add it to
aliases/ARMY.yaml.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from engine.errors import Refusal  # noqa: E402
from interchange.files import open_file  # noqa: E402
from interchange.nodes import parse_xml  # noqa: E402
from interchange.tree import ForeignUnit, last_first  # noqa: E402
from rulesdata import registry  # noqa: E402
from rulesdata.pack_files.yaml_files import yaml_text  # noqa: E402
from rulesdata.schema.lists import unit_names  # noqa: E402
from warbands.exchange.foreign.matches import ArmyNames, NameIndex  # noqa: E402
from warbands.exchange.foreign.reader import read_list  # noqa: E402

CATALOGUES = ("catalogue", "gameSystem")
# Where the units of a catalogue stand: themselves, shared, and as links to shared ones.
PLACES = (
    ("selectionEntries", "selectionEntry"),
    ("sharedSelectionEntries", "selectionEntry"),
    ("entryLinks", "entryLink"),
)


def main(arguments: list[str] | None = None) -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--army", required=True, help="key of an army of the packs")
    options = parser.parse_args(arguments)
    index = find_names(options.army)
    if index is None:
        parser.error(f"No collection has the army {options.army[:60]}.")
    origins: dict[str, str] = {}
    try:
        for file in options.files:
            for unit in read_units(file.name, file.read_bytes()):
                match = index.unit(unit)
                if match.how == "name":
                    origins |= dict.fromkeys(unit.ids[:1], match.key)
    except Refusal as refusal:
        parser.error(str(refusal))
    print(yaml_text({"army": options.army, "origins": origins}), end="")
    return 0


def find_names(army: str) -> NameIndex | None:
    """Return the names of an army without any id, so that only names decide."""
    for system in registry.systems():
        if army in registry.list_army_keys(system):
            collection = registry.find_collection_key(system, army)
            file = registry.army_file(collection, army)
            return NameIndex(ArmyNames(army, file.name, collection, unit_names(file.units)))
    return None


def read_units(name: str, data: bytes) -> Iterator[ForeignUnit]:
    """Yield the units of a catalogue or of a list; raises Refusal."""
    opened = open_file(name, data)
    root = parse_xml(opened.text, name) if opened.form == "xml" else None
    if root is None or root.name not in CATALOGUES:
        yield from read_list(name, data).units
        return
    for wrapper, tag in PLACES:
        for node in root.listed(wrapper, tag):
            yield ForeignUnit(0, node.get("name"), ids=last_first(node.get("id")))


if __name__ == "__main__":
    sys.exit(main())
