"""What the forms of a club's records begin with, and what a record will look like before it is
kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter

from accounts.owner import Owner
from engine.records import ChoiceList, Fields, NamedValues, frozen_dataclass
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata import registry
from rulesdata.builders.system import with_system_equipment
from rulesdata.own_lists import OwnList, build_army, document_digest, dump
from rulesdata.own_store import parse_own_list
from rulesdata.pack_files.yaml_files import Document
from rulesdata.queries.clubs import ClubHead, load_club_list, load_list_to_write, read_own
from rulesdata.queries.lookup import NotInRuleBook
from rulesdata.queries.tables import ItemLine, armour_line, weapon_line
from rulesdata.queries.units import UnitView
from rulesdata.schema.equipment import CLASSIC_TROOP_TYPES

PARTS = {
    "units": "profile",
    "weapons": "weapon",
    "armour": "piece of armour",
    "equipment": "equipment list",
}
"""What a record of each part of a list is called on its form."""


@frozen_dataclass
class RecordDraft:
    """A record of a list as its form begins.

    ``key`` is empty for a new one, ``printed`` the army's own it corrects.
    """

    club: ClubHead
    own: OwnList
    system: System
    army: Army
    part: str
    raw: NamedValues
    key: str = ""
    seen: str = ""
    printed: NamedValues | None = None

    @property
    def choices(self) -> dict[str, ChoiceList]:
        """What may be chosen for the keys of a record that name something of its list."""
        army = self.army
        shelf = registry.find_printed_lists(self.own.collection, self.own.base)
        troop_types = dict.fromkeys([*CLASSIC_TROOP_TYPES, *shelf.common.troop_types])
        gear = [(item.key, item.name) for item in army.weapons.values()]
        gear += [(item.key, item.name) for item in army.armour.values()]
        printed = shelf.army.equipment if shelf.army else ()
        shared = {
            shared_list.id: shared_list.name
            for shared_list in (*printed, *self.own.file.equipment)
        }
        return {
            "category": [(category.key, category.name) for category in army.categories],
            "troop_type": [
                (key, key.replace("-", " ").capitalize()) for key in troop_types
            ],
            "default_equipment": sorted(gear, key=itemgetter(1)),
            "equipment": list(shared.items()),
        }


def load_own_unit(actor: Owner, slug: str, token: str, key: str) -> Fields:
    """One profile of a list, its own or of the army it lies over. Raises NotInRuleBook."""
    club, own_list = load_club_list(actor, slug, token)
    system, army, _ = read_own(own_list)
    profile = army.ridden(key)
    if profile is None:
        raise NotInRuleBook(f"This list has no unit '{key[:60]}'.")
    is_own = key in {unit.id for unit in own_list.file.units}
    unit = UnitView(system, army, profile)
    return {"club": club, "own": own_list, "unit": unit, "is_own": is_own}


@frozen_dataclass
class RecordPlace:
    """Where a record stands: in which part of which list, under which key (empty: a new one)."""

    token: str
    part: str
    key: str = ""


def load_draft(
    actor: Owner, slug: str, place: RecordPlace, source: str = ""
) -> RecordDraft:
    """The form of a record: one of the list, a correction of the printed one of that key, a copy
    (``source``), or new.

    Raises NotAllowed for members who do not run the club, NotInRuleBook for everybody else and for
    what is not there.
    """
    club, own_list = load_list_to_write(actor, slug, place.token)
    system, army, _ = read_own(own_list)
    key, part = place.key, place.part
    shelf = registry.find_printed_lists(own_list.collection, own_list.base)
    below = shelf.common if part in ("weapons", "armour") else shelf.army
    printed = {record.id: dump(record) for record in getattr(below, part, ())}
    mine = {record.id: dump(record) for record in getattr(own_list.file, part)}
    draft = RecordDraft(club, own_list, system, army, part, {})
    if not key:
        return replace(draft, raw=_copy(source, {**printed, **mine}) if source else {})
    if key not in mine and key not in printed:
        raise NotInRuleBook(f"This list has no {PARTS[part]} '{key[:60]}'.")
    seen = document_digest(mine[key]) if key in mine else ""
    raw = mine.get(key) or printed[key]
    return replace(draft, raw=raw, key=key, seen=seen, printed=printed.get(key))


def _copy(source: str, records: Mapping[str, NamedValues]) -> Fields:
    """A record without its key, called a copy. Raises NotInRuleBook."""
    if source not in records:
        raise NotInRuleBook(f"This list has no unit '{source[:60]}' to copy.")
    raw = {name: value for name, value in records[source].items() if name != "id"}
    return {**raw, "name": f"{raw['name']} (copy)"[:120]}


def preview_record(draft: RecordDraft, raw: NamedValues) -> UnitView | ItemLine | None:
    """A unit, or the line of a weapon or a piece of armour, as it will look when this record is
    saved; None for an equipment list. Raises FaultyList.
    """
    if draft.part == "equipment":
        return None
    # A new record has no key yet; this one is never stored.
    key = draft.key or "new-record"
    # The list with one record more, or another one in its place.
    data = dump(draft.own.file)
    records = [record for record in data.get(draft.part, []) if record["id"] != key]
    document = Document({**data, draft.part: [*records, {**raw, "id": key}]})
    shelf = registry.find_printed_lists(draft.own.collection, draft.own.base)
    own_list = replace(draft.own, stamp="", file=parse_own_list(document, shelf))
    army = with_system_equipment(build_army(own_list, shelf), draft.system)
    if draft.part == "weapons":
        return weapon_line(army.weapons[key])
    if draft.part == "armour":
        return armour_line(army.armour[key])
    profile = army.ridden(key)
    assert profile
    return UnitView(draft.system, army, profile)
