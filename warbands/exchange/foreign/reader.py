"""Any file or text of a list, read into the neutral tree by what it holds."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine.errors import refused_at
from engine.roster import Roster, RosterEntry
from engine.selection import select
from rulesdata import registry
from rulesdata.foreign.files import (
    FILE_MAX,
    OpenedFile,
    form_of,
    megabytes,
    open_file,
    refusal,
)
from rulesdata.foreign.nodes import LEVELS_MAX, from_json, parse_xml
from warbands.exchange import document, json_text
from warbands.exchange.foreign.battlescribe import read_battlescribe
from warbands.exchange.foreign.old_world_builder import (
    is_old_world_list,
    only_list,
    read_old_world,
)
from warbands.exchange.foreign.pasted import read_pasted
from warbands.exchange.foreign.tree import (
    Force,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    checked_tree,
    own_id,
    read_price,
    storable,
)

FILE_NAME_SHOWN = 80


def read_list(name: str, data: bytes) -> ForeignRoster:
    """Return the list in a file; raises Refusal with what is wrong and the limit."""
    return _read(open_file(name, data))


def read_text(text: str) -> ForeignRoster:
    """Return the list in a pasted text, whatever its form."""
    if len(text.encode("utf-8", "surrogatepass")) > FILE_MAX:
        raise refusal(
            f"This text is larger than {megabytes(FILE_MAX)}. Paste a shorter one."
        )
    if not text.strip():
        raise refusal("Paste a list here, or choose a file.")
    return _read(OpenedFile("", form_of(text), text))


def _read(opened: OpenedFile) -> ForeignRoster:
    """Return the list in an opened file; every refusal names the file as what to correct."""
    with refused_at("file"):
        if opened.form == "xml":
            root = parse_xml(opened.text, storable(opened.name, FILE_NAME_SHOWN))
            tree = read_battlescribe(root, "battlescribe")
        elif opened.form == "json":
            tree = _read_json(opened.text)
        else:
            tree = read_pasted(opened.text)
        return checked_tree(tree)


def _read_json(text: str) -> ForeignRoster:
    """Return the list in a JSON file, by the keys that its tool writes."""
    data = json_text.decode(text, most=FILE_MAX, levels=LEVELS_MAX)
    if is_old_world_list(data):
        return read_old_world(data)
    # The tool saves all lists of somebody as an array.
    if isinstance(data, list):
        return read_old_world(only_list(data))
    if isinstance(data, dict) and isinstance(data.get("roster"), dict):
        return read_battlescribe(from_json("roster", data["roster"]), "nr-json")
    if isinstance(data, dict) and "format" in data:
        return tree_of(document.parse_stored(data))
    raise refusal(
        "This JSON is no list of New Recruit, Old World Builder or Muster Roll. Export the list "
        "again and send the new file."
    )


def tree_of(roster: Roster) -> ForeignRoster:
    """Return our own roster as the neutral tree."""
    units = tuple(
        _unit(roster, number, one) for number, one in enumerate(roster.warriors, 1)
    )
    source = Source(
        "Muster Roll",
        document.FORMAT,
        roster.system,
        roster.system,
    )
    return ForeignRoster(
        "muster-roll",
        source,
        roster.name,
        roster.points_limit,
        sections=(Force("", roster.army, roster.army),),
        units=units,
        note=roster.note,
    )


def _unit(
    roster: Roster,
    line: int,
    entry: RosterEntry,
) -> ForeignUnit:
    """Return one of our entries as a line, with the names and prices of its army list."""
    try:
        army = registry.load_army(roster.system, roster.army, roster.variant)
    except registry.UnknownKey:
        return _unnamed(line, entry)
    chosen = select(army, entry)
    parts = []
    for receipt in chosen.receipt[1:]:
        times = chosen.bought.get(receipt.key, 0) * entry.count
        points = receipt.total(entry.count)
        if times:
            ids = (own_id(receipt.key),)
            parts.append(
                ForeignPart(
                    receipt.label,
                    times,
                    _price(points),
                    ids,
                )
            )
    profile = chosen.profile
    return ForeignUnit(
        line,
        profile.name if profile else entry.profile,
        entry.count,
        _price(chosen.points),
        custom=entry.name,
        heading=profile.category if profile else "",
        ids=(own_id(entry.profile),),
        parts=tuple(parts),
        notes=entry.note,
        spells=entry.lore,
        is_leader=entry.is_leader,
    )


def _unnamed(line: int, entry: RosterEntry) -> ForeignUnit:
    """Return an entry of an army that is not known here, by its keys."""
    bought: Mapping[str, Any] = Counter(entry.options)
    parts = tuple(
        ForeignPart(key, times * entry.count, ids=(own_id(key),))
        for key, times in bought.items()
    )
    ids = (own_id(entry.profile),)
    return ForeignUnit(
        line,
        entry.profile,
        entry.count,
        custom=entry.name,
        ids=ids,
        parts=parts,
    )


def _price(points: int) -> Any:
    """Return whole points as a price of the tree."""
    return read_price(points) or read_price(0)
