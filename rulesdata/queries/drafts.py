"""What the forms of a club's records begin with, and what a record will look like before it is
kept.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from accounts.errors import NotAllowed
from accounts.owner import Owner
from engine.records import frozen_dataclass
from engine.types.lists import Army
from engine.types.systems import System
from rulesdata import registry
from rulesdata.builders.system import with_system_equipment
from rulesdata.errors import FaultyList
from rulesdata.own_lists import OwnList, build_army, digest, dump, read_own_list, with_own_gear
from rulesdata.pack_files.yaml_files import Document
from rulesdata.queries.clubs import (
    NOT_THEIRS,
    ClubHead,
    OwnListPage,
    load_club_list,
    load_list,
    read_own,
)
from rulesdata.queries.gear import ItemLine, armour_line, weapon_line
from rulesdata.queries.lookup import NotInRuleBook, Unit
from rulesdata.queries.units import UnitPage, page_of
from rulesdata.schema.equipment import CLASSIC_TROOP_TYPES

Raw = Mapping[str, Any]
GEAR = {"weapons": "weapon", "armour": "piece of armour"}


@frozen_dataclass
class RecordDraft:
    """A record of a list as its form begins.

    ``key`` is empty for a new one, ``was`` the army's own it corrects.
    """

    club: ClubHead
    own: OwnList
    system: System
    army: Army
    part: str
    raw: Raw
    key: str = ""
    seen: str = ""
    was: Raw | None = None

    @property
    def troop_types(self) -> tuple[str, ...]:
        common = registry.find_printed_lists(self.own.collection).common.troop_types
        return tuple(dict.fromkeys([*CLASSIC_TROOP_TYPES, *common]))

    @property
    def gear(self) -> tuple[tuple[str, str], ...]:
        """Key and name of everything that may be carried or worn, by name."""
        weapons = [(weapon.key, weapon.name) for weapon in self.army.weapons.values()]
        armour = [(piece.key, piece.name) for piece in self.army.armour.values()]
        return tuple(sorted([*weapons, *armour], key=lambda pair: pair[1]))


def load_list_to_write(actor: Owner, slug: str, token: str) -> OwnListPage:
    """One list, for those who run its club.

    Raises NotAllowed for its other members, else NotInTheBook.
    """
    page = load_list(actor, slug, token)
    if not page.club.may_write:
        raise NotAllowed(NOT_THEIRS)
    return page


@frozen_dataclass
class OwnUnitPage:
    """One profile of a club's list, as its own page shows it; ``is_own`` where the list writes it."""

    club: ClubHead
    own: OwnList
    unit: UnitPage
    is_own: bool


def load_own_unit(actor: Owner, slug: str, token: str, key: str) -> OwnUnitPage:
    """One profile of a list, its own or of the army it lies over. Raises NotInTheBook."""
    club, own = load_club_list(actor, slug, token)
    system, army, _ = read_own(own)
    profile = army.ridden(key)
    if profile is None:
        raise NotInRuleBook(f"This list has no profile '{key[:60]}'.")
    return OwnUnitPage(
        club, own, page_of(Unit(system, army, profile)), key in {unit.id for unit in own.file.units}
    )


def load_unit_draft(
    actor: Owner, slug: str, token: str, key: str = "", source: str = ""
) -> RecordDraft:
    """The form of a profile: one of the list, a correction of the army's own of that key, a copy
    (``source``), or new.

    Raises NotAllowed for members who do not run the club, NotInTheBook for everybody else and for
    what is not there.
    """
    club, own = _written(actor, slug, token)
    system, army, _ = read_own(own)
    printed = {unit.id: dump(unit) for unit in _printed_units(own)}
    mine = {unit.id: dump(unit) for unit in own.file.units}
    draft = RecordDraft(club, own, system, army, "units", {})
    if key:
        if key not in mine and key not in printed:
            raise NotInRuleBook(f"This list has no profile '{key[:60]}'.")
        return _draft_of(draft, key, mine, printed)
    return replace(draft, raw=_copy(source, {**printed, **mine}) if source else {})


def _draft_of(
    draft: RecordDraft, key: str, mine: Mapping[str, Raw], printed: Mapping[str, Raw]
) -> RecordDraft:
    """The draft of a record of the list, or of the correction of a printed one."""
    seen = digest(mine[key]) if key in mine else ""
    raw = mine.get(key) or printed[key]
    return replace(draft, raw=raw, key=key, seen=seen, was=printed.get(key))


def _copy(source: str, records: Mapping[str, Raw]) -> dict[str, Any]:
    """A record without its key, called a copy. Raises NotInRuleBook."""
    if source not in records:
        raise NotInRuleBook(f"This list has no profile '{source[:60]}' to copy.")
    raw = {name: value for name, value in records[source].items() if name != "id"}
    return {**raw, "name": f"{raw['name']} (copy)"[:120]}


def load_gear_draft(actor: Owner, slug: str, token: str, part: str, key: str = "") -> RecordDraft:
    """The form of a weapon or a piece of armour: one of the list, a correction of the collection's,
    or new.

    Raises as load_unit_draft.
    """
    club, own = _written(actor, slug, token)
    system, army, _ = read_own(own)
    common = registry.find_printed_lists(own.collection).common
    printed = {record.id: dump(record) for record in getattr(common, part)}
    mine = {record.id: dump(record) for record in getattr(own.file, part)}
    draft = RecordDraft(club, own, system, army, part, {})
    if not key:
        return draft
    if key not in mine and key not in printed:
        raise NotInRuleBook(f"This list has no {GEAR[part]} '{key[:60]}'.")
    return _draft_of(draft, key, mine, printed)


def _written(actor: Owner, slug: str, token: str) -> tuple[ClubHead, OwnList]:
    club, own = load_club_list(actor, slug, token)
    if not club.may_write:
        raise NotAllowed(NOT_THEIRS)
    return club, own


def _printed_units(own: OwnList) -> list[Any]:
    army = registry.find_printed_lists(own.collection, own.base).army
    return list(army.units) if army else []


def preview_unit(draft: RecordDraft, raw: Raw) -> UnitPage:
    """The page of a profile as it will look when this record is kept. Raises FaultyList."""
    # A new record has no key yet; this one is never stored.
    key = draft.key or "new-profile"
    army = _with_record(draft, {**raw, "id": key})
    profile = army.ridden(key)
    assert profile
    return page_of(Unit(draft.system, army, profile))


def preview_gear(draft: RecordDraft, raw: Raw) -> ItemLine:
    """The line of a weapon or a piece of armour as it will look. Raises FaultyList."""
    key = draft.key or "new-item"
    army = _with_record(draft, {**raw, "id": key})
    return (
        weapon_line(army.weapons[key]) if draft.part == "weapons" else armour_line(army.armour[key])
    )


def _with_record(draft: RecordDraft, raw: Raw) -> Army:
    """The list with one record more, or another one in its place; nothing is kept of it."""
    data = dump(draft.own.file)
    records = [record for record in data.get(draft.part, []) if record["id"] != raw["id"]]
    shelf = registry.find_printed_lists(draft.own.collection, draft.own.base)
    file, faults = read_own_list(Document({**data, draft.part: [*records, raw]}), shelf)
    if file is None or faults:
        raise FaultyList(faults)
    own = replace(draft.own, stamp="", file=file)
    return with_own_gear(with_system_equipment(build_army(own, shelf), draft.system), own, shelf)
