"""Drafts an alias file: which ids catalogues and lists of other apps give the units of an army.

Only units that carry the army's own names are taken. A person checks the draft before it is kept.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine.records import Texts
from rulesdata import registry
from rulesdata.foreign.files import open_file
from rulesdata.foreign.nodes import Node, parse_xml
from rulesdata.management.refusals import refused_as_error
from rulesdata.pack_files.yaml_files import yaml_text
from warbands.exchange.foreign.names import ArmyNames, NameIndex
from warbands.exchange.foreign.reader import read_list
from warbands.exchange.foreign.tree import ForeignUnit, last_first

CATALOGUES = ("catalogue", "gameSystem")
# Where the units of a catalogue stand: themselves, shared, and as links to shared ones.
PLACES = (
    ("selectionEntries", "selectionEntry"),
    ("sharedSelectionEntries", "selectionEntry"),
    ("entryLinks", "entryLink"),
)


class Command(BaseCommand):
    help = (
        "Print a draft of aliases/ARMY.yaml with the ids that files of other apps give its units. "
        "Check it by hand, then add it to the file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path)
        parser.add_argument("--army", required=True, help="key of an army of the packs")

    def handle(self, *args: Any, **options: Any) -> None:
        index = _index(options["army"])
        origins: dict[str, str] = {}
        for file in options["files"]:
            with refused_as_error():
                units = list(_units(file.name, file.read_bytes()))
            for unit in units:
                match = index.unit(unit)
                if match.how == "name":
                    origins |= dict.fromkeys(unit.ids[:1], match.key)
        self.stdout.write(yaml_text({"army": options["army"], "origins": origins}))


def _index(army: str) -> NameIndex:
    """Return the names of an army, without any id, so that only names decide."""
    for system in registry.systems():
        if army in registry.armies_of(system):
            collection = registry.collection_of(system, army)
            head = registry.head_of(collection, army)
            return NameIndex(ArmyNames(army, head.name, collection, head.units))
    raise CommandError(f"No collection has the army {army[:60]}.")


def _units(name: str, data: bytes) -> Iterator[ForeignUnit]:
    """Yield the units of a catalogue, or of a list; raises Refusal."""
    opened = open_file(name, data)
    root = parse_xml(opened.text, name) if opened.form == "xml" else None
    if root is not None and root.name in CATALOGUES:
        yield from _entries(root)
    else:
        yield from read_list(name, data).units


def _entries(root: Node) -> Iterator[ForeignUnit]:
    """Yield what a catalogue offers at its top, by name and id."""
    for wrapper, name in PLACES:
        for node in root.listed(wrapper, name):
            ids: Texts = last_first(node.get("id"))
            yield ForeignUnit(0, node.get("name"), ids=ids)
