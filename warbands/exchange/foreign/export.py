"""A roster written in the form of another tool, and what that form loses."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from xml.sax.saxutils import escape, quoteattr

import re2

from engine.records import Fields, Texts, frozen_dataclass
from engine.roster import Roster
from engine.selection import ReceiptLine, Selection, select_all
from engine.stat_lines import stat_lines
from engine.types.lists import COMMAND, MAGIC_PREFIX, Army
from engine.types.systems import System
from interchange.battlescribe import OUR_NAME
from interchange.nodes import ONE_OF, Node
from interchange.old_world_builder import OUR_KEY
from warbands.exchange.foreign.matches import Aliases, id_of

VERSION = "2.03"
NAMESPACE = "http://www.battlescribe.net/schema/rosterSchema"
POINTS = "points"
OWB_ARMY = "owb:"
OLD_WORLD = "owb-json"
_NUMBERS = frozenset({"number", "value", "gameSystemRevision", "catalogueRevision"})
_NO_XML = re2.compile(r"[^\t\n\r\x{20}-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}]")
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


@frozen_dataclass
class ForeignFile:
    """A file for another tool, and what its form has ``lost``, as sentences.

    ``is_complete``: the tool knows every unit. ``write`` makes the file, which a page that offers
    it need not wait for.
    """

    ending: str
    media_type: str
    write: Callable[[], bytes]
    is_complete: bool
    lost: Texts


WRITTEN_MAX = 2_500
"""How many options a file holds, or it has megabytes: each unit an equal share."""


@dataclass(frozen=True)
class OutgoingRoster:
    """A roster with its system, army and what other tools call their entries."""

    roster: Roster
    system: System
    army: Army
    aliases: Aliases

    @cached_property
    def selections(self) -> tuple[Selection, ...]:
        """Return its entries read against the army, at today's prices: no form holds others."""
        today = tuple(replace(entry, kept=None) for entry in self.roster.warriors)
        return select_all(self.army, today)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Return the id of another tool by the key of a profile."""
        return {key: origin for origin, key in self.aliases.origins.items()}

    @cached_property
    def option_origins(self) -> dict[tuple[str, str], str]:
        """Return the id of another tool by the keys of a profile and of its option."""
        origins = self.aliases.option_origins.items()
        return {(profile, key): origin for (profile, origin), key in origins}

    @property
    def parts_most(self) -> int:
        """Return how many options of a unit are written."""
        return WRITTEN_MAX // max(1, len(self.roster.warriors))

    @property
    def old_world_army(self) -> str:
        """Return the army's id in Old World Builder; empty where it has none."""
        ids = (name for name in self.aliases.known_as if name.startswith(OWB_ARMY))
        return next(ids, "").removeprefix(OWB_ARMY)

    @property
    def forms(self) -> Texts:
        """Return the forms it can be written in.

        Old World Builder opens a list only of an army that it knows.
        """
        return tuple(form for form in FORMS if form != OLD_WORLD or self.old_world_army)


# BattleScribe, New Recruit and Old World Builder as files


def _ros(out: OutgoingRoster) -> bytes:
    """Return the roster as BattleScribe and New Recruit save it."""
    text = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    text += "\n".join(_xml(_roster_node(out), 0)) + "\n"
    return text.encode("utf-8")


def _rosz(out: OutgoingRoster) -> bytes:
    """Return the same in a zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        # A day of its own would make another file of the same roster each time.
        member = zipfile.ZipInfo("roster.ros", _FIRST_DAY)
        archive.writestr(member, _ros(out), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _old_world(out: OutgoingRoster) -> bytes:
    """Return the roster as a list of Old World Builder, whatever it calls the army."""
    # The tool has a list for each heading; ours are parted into two of them.
    characters: list[Fields] = []
    others: list[Fields] = []
    for chosen in out.selections:
        profile = chosen.profile
        is_character = profile is not None and profile.category in out.army.characters
        group = characters if is_character else others
        group.append(_old_world_unit(out, chosen))
    data = {
        "id": f"{OUR_NAME}.{id_of(out.army)[:8]}",
        "name": out.roster.name,
        "description": out.roster.note,
        "game": "the-old-world",
        "army": out.old_world_army or out.army.key,
        "points": out.roster.points_limit or 0,
        "characters": characters,
        "core": others,
    }
    return _json_bytes(data)


FORMS: Mapping[str, tuple[str, str, Callable[[OutgoingRoster], bytes]]] = {
    "ros": ("ros", "application/xml", _ros),
    "rosz": ("rosz", "application/zip", _rosz),
    "newrecruit-json": (
        "newrecruit.json",
        "application/json",
        lambda out: _json_bytes({"roster": _json(_roster_node(out))}),
    ),
    OLD_WORLD: ("owb.json", "application/json", _old_world),
}
"""The ending of each form's files, their type, and what writes one."""


def write_roster(out: OutgoingRoster, form: str) -> ForeignFile:
    """Return the roster in a form of `FORMS`, with what the form loses."""
    ending, media_type, write = FORMS[form]
    roster, lost = out.roster, _lost(out)
    # Only a tool that knows every unit can change the list, and not merely show it.
    is_complete = bool(roster.warriors) and all(
        entry.profile in out.origins for entry in roster.warriors
    )
    if form == OLD_WORLD:
        is_complete = False
        lost += (
            "Figures of the units, options that were not bought, and limits of the army list.",
        )
    return ForeignFile(ending, media_type, partial(write, out), is_complete, lost)


def _json_bytes(data: object) -> bytes:
    """Return a JSON document as its file has it."""
    return json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8")


def _lost(out: OutgoingRoster) -> Texts:
    """Return what this roster has and no other tool's form holds."""
    roster = out.roster
    unknown = sum(len(chosen.unknown) for chosen in out.selections)
    unknown_options = "1 option that the army list does not have: its name is written."
    if unknown != 1:
        unknown_options = (
            f"{unknown} options that the army list does not have: their names are written."
        )
    losses = {
        "The scenario.": roster.scenario,
        "Rulings.": roster.rulings,
        "House rules.": any(roster.house_rules.values()),
        "Tags of the warband.": roster.tags,
        "The variant of the rules.": roster.variant,
        "Old prices: today's prices are written.": any(
            entry.kept is not None for entry in roster.warriors
        ),
        unknown_options: unknown,
        f"Options of a unit after the first {out.parts_most}.": any(
            len(chosen.bought) > out.parts_most for chosen in out.selections
        ),
    }
    return tuple(sentence for sentence, is_lost in losses.items() if is_lost)


# BattleScribe and New Recruit


def _roster_node(out: OutgoingRoster) -> Node:
    """Return the whole list as a tree: its costs, its limit, and one force."""
    roster, system, army = out.roster, out.system, out.army
    node = Node(
        "roster",
        {
            "id": id_of(army, "roster"),
            "name": roster.name,
            "battleScribeVersion": VERSION,
            "generatedBy": OUR_NAME,
            "gameSystemId": id_of(army, "system", system.key),
            "gameSystemName": system.name,
            "gameSystemRevision": "1",
            "xmlns": NAMESPACE,
        },
    )
    total = sum(chosen.points for chosen in out.selections)
    node.children.append(Node("costs", {}, [_cost(total)]))
    if roster.points_limit is not None:
        limit = Node("costLimit", dict(_cost(roster.points_limit).attributes))
        node.children.append(Node("costLimits", {}, [limit]))
    force = Node(
        "force",
        {
            "id": id_of(army, "force"),
            "entryId": id_of(army, "force-entry"),
            "name": army.name,
            "catalogueId": id_of(army),
            "catalogueName": army.name,
            "catalogueRevision": "1",
        },
        [Node("selections", {}, [_unit_node(out, chosen) for chosen in out.selections])],
    )
    node.children.append(Node("forces", {}, [force]))
    node.children += _note_nodes(roster.note)
    return node


def _cost(points: int) -> Node:
    """Return a price in points."""
    return Node("cost", {"name": "pts", "typeId": POINTS, "value": str(points)})


def _note_nodes(note: str) -> list[Node]:
    """Return what was written to a roster or a unit, where there is anything."""
    return [Node("customNotes", {}, [], note)] if note else []


def _unit_node(out: OutgoingRoster, chosen: Selection) -> Node:
    """Return an entry as a selection of the type model.

    Prices are those of all its pieces without what stands below, as the tools count.
    """
    entry, profile = chosen.entry, chosen.profile
    place = f"{chosen.index}"
    node = Node(
        "selection",
        {
            "id": id_of(out.army, "line", place),
            "name": profile.name if profile else entry.profile,
            "entryId": out.origins.get(entry.profile) or id_of(out.army, entry.profile),
            "number": str(entry.count),
            "type": "model",
        },
    )
    if entry.name:
        node.attributes["customName"] = entry.name
    # What was bought comes in the order of purchase.
    parts = []
    for line in _bought(out, chosen):
        number = chosen.bought.get(line.key, 1) * (1 if line.is_once else entry.count)
        figures = (number, line.total(entry.count))
        parts.append(_upgrade(out, (entry.profile, line.key), line.label, figures))
    if entry.lore:
        parts.append(_upgrade(out, (place, "lore"), entry.lore, (1, 0)))
    base = chosen.receipt[0].points if chosen.receipt else 0
    node.children = [
        Node("selections", {}, parts),
        Node("costs", {}, [_cost(base * entry.count)]),
        Node("categories", {}, list(_categories(out, chosen))),
        Node("profiles", {}, list(_profiles(out, chosen))),
        *_note_nodes(entry.note),
    ]
    # Empty wrappers are left out, as the tools do.
    node.children = [child for child in node.children if child.children or child.text]
    return node


def _bought(out: OutgoingRoster, chosen: Selection) -> list[ReceiptLine]:
    """Return the lines of what was bought, without the price of the unit itself."""
    lines = list(chosen.receipt[1:])
    if chosen.profile is None:
        lines = [ReceiptLine(key, key, 0, n) for key, n in chosen.bought.items()]
    return lines[: out.parts_most]


def _upgrade(out: OutgoingRoster, keys: Texts, name: str, figures: tuple[int, int]) -> Node:
    """Return an option as a selection; ``figures`` are its number and its price."""
    number, points = figures
    our_id = id_of(out.army, *keys)
    entry_id = out.option_origins.get((keys[0], keys[-1]), our_id)
    attributes = {"id": our_id, "name": name, "entryId": entry_id}
    attributes |= {"number": str(number), "type": "upgrade"}
    return Node("selection", attributes, [Node("costs", {}, [_cost(points)])])


def _categories(out: OutgoingRoster, chosen: Selection) -> Iterator[Node]:
    """Yield the unit's category, and one called Leader for whoever leads."""
    if chosen.profile:
        names = {category.key: category.name for category in out.army.categories}
        key = chosen.profile.category
        yield _category(out, names.get(key, key), "true")
    if chosen.entry.is_leader:
        yield _category(out, "Leader", "false")


def _category(out: OutgoingRoster, name: str, primary: str) -> Node:
    entry_id = id_of(out.army, "category", name)
    attributes = {"id": entry_id, "name": name, "entryId": entry_id, "primary": primary}
    return Node("category", attributes)


def _profiles(out: OutgoingRoster, chosen: Selection) -> Iterator[Node]:
    """Yield the stat lines of an entry with their figures, and without any rule's text."""
    type_id = id_of(out.army, "stats")
    for number, line in enumerate(stat_lines(chosen, out.army)):
        figures = []
        for stat in out.army.stats:
            value = line.stats.get(stat.key)
            text = "-" if value is None else str(value)
            attributes = {"name": stat.key, "typeId": id_of(out.army, "stat", stat.key)}
            figures.append(Node("characteristic", attributes, [], text))
        keys = (chosen.entry.profile, "stat-line", str(number))
        attributes = {"id": id_of(out.army, *keys), "name": line.name}
        attributes |= {"typeId": type_id, "typeName": "Model"}
        yield Node("profile", attributes, [Node("characteristics", {}, figures)])


def _xml(node: Node, level: int) -> Iterator[str]:
    """Yield the lines of an element; every value is escaped."""
    pad = "  " * level
    # quoteattr escapes and puts the quotes around.
    pairs = (f" {key}={quoteattr(_legal(text))}" for key, text in node.attributes.items())
    head = f"{pad}<{node.name}{''.join(pairs)}"
    if not node.children and not node.text:
        yield f"{head}/>"
    elif not node.children:
        yield f"{head}>{escape(_legal(node.text))}</{node.name}>"
    else:
        yield f"{head}>"
        for child in node.children:
            yield from _xml(child, level + 1)
        yield f"{pad}</{node.name}>"


def _legal(text: str) -> str:
    """Return the text without the signs that no XML file may hold."""
    return _NO_XML.sub("", text)


def _json(node: Node) -> Fields:
    """Return a node as New Recruit writes it: wrappers are lists, figures are numbers."""
    values: Fields = {}
    for key, text in node.attributes.items():
        if key == "battleScribeVersion":
            values[key] = float(text)
        elif key == "primary":
            values[key] = text == "true"
        else:
            values[key] = int(text) if key in _NUMBERS else text
    if node.text:
        values["$text"] = node.text
    for child in node.children:
        if child.name in ONE_OF or child.name == "characteristics":
            values[child.name] = [_json(cell) for cell in child.children]
        else:
            values[child.name] = child.text
    return values


# Old World Builder


def _old_world_unit(out: OutgoingRoster, chosen: Selection) -> Fields:
    """Return a unit with everything that was bought; our key stands in each record, so that we
    read it back without a guess.
    """
    entry, profile = chosen.entry, chosen.profile
    options: list[Fields] = []
    command: list[Fields] = []
    items: list[Fields] = []
    for line in _bought(out, chosen):
        times = chosen.bought.get(line.key, 1)
        record: Fields = {
            OUR_KEY: line.key,
            # The tool reads a comma as the end of one name.
            "name_en": line.label.replace(",", " +"),
            "points": line.each,
        }
        if line.key.startswith(MAGIC_PREFIX):
            items.append({**record, "amount": times * entry.count})
            continue
        is_command = line.key in COMMAND and (line.is_once or entry.count == 1)
        record |= {"active": True, "perModel": not line.is_once and not is_command}
        if times > 1:
            # The tool counts the pieces of the whole unit, whatever their price is for.
            models = entry.count if record["perModel"] else 1
            record |= {"stackable": True, "stackableCount": times * models}
        (command if is_command else options).append(record)
    options += [{"name_en": "General", "points": 0, "active": True}] * entry.is_leader
    return {
        "id": f"{re2.sub(r'[^a-z0-9]+', '-', entry.profile.lower())}.mr{chosen.index}",
        OUR_KEY: entry.profile,
        "name_en": profile.name if profile else entry.profile,
        "customName": entry.name,
        "customNote": entry.note,
        "points": chosen.receipt[0].points if chosen.receipt else 0,
        "strength": entry.count,
        "activeLore": entry.lore,
        "options": options,
        "command": command,
        "items": [{"name_en": "Magic Items", "selected": items}] if items else [],
    }
