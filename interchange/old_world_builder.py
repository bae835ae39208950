"""Lists of Old World Builder: a list object whose units are whole copies of its data records."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import re2

from engine.records import NamedValues, Texts
from interchange.files import refusal
from interchange.pasted import TOOLS
from interchange.tree import (
    ZERO,
    Force,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    names_leader,
    own_id,
    read_price,
    storable,
)

# Where our own files keep the key of a unit or an option.
OUR_KEY = "muster_roll"
GROUPS = (
    "characters", "lords", "heroes", "core", "special", "rare", "mercenaries", "allies",
)  # fmt: skip
CHOICES = ("equipment", "armor", "mounts")
CHARACTERS = frozenset({"characters", "lords", "heroes"})
_SUFFIX = re2.compile(r"\s*\{[^}]*\}|\s*\((?:champion|Champion)\)")
# A unit's id is the slug of its record and a random ending behind a full stop.
_SLUG = re2.compile(r"([a-z0-9-]+)(?:\.[a-z0-9]+)?")


def is_old_world_list(data: object) -> bool:
    """Return whether a JSON value is a list of Old World Builder."""
    return isinstance(data, dict) and "army" in data and any(key in data for key in GROUPS)


def read_old_world(data: NamedValues) -> ForeignRoster:
    """Return the list of its object, which names the limit and states no total."""
    reader = _UnitReader(data)
    units: list[ForeignUnit] = []
    sections = []
    for group in GROUPS:
        records = _objects(data.get(group))
        if records:
            sections.append(Force(group, _text(data, "army"), _text(data, "army")))
        for record in records:
            units.extend(reader.units(record, group, len(units) + 1))
    limit = _number(data.get("points"))
    return ForeignRoster(
        "owb",
        Source(
            TOOLS["owb-text"],
            "",
            _text(data, "game").replace("-", " ").title(),
            _text(data, "game"),
        ),
        _text(data, "name"),
        limit or None,
        None,
        tuple(sections),
        tuple(units),
        remarks=tuple(reader.remarks),
        note=storable(data.get("description") or "", 4000, many_lines=True),
    )


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; nothing of what is no list."""
    return (
        [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    )


def _text(data: NamedValues, key: str) -> str:
    """Return a text of a record; empty where something else stands there."""
    value = data.get(key)
    return storable(value) if isinstance(value, str) else ""


def _number(value: object) -> int:
    """Return a whole number above 0, or 0 for anything else."""
    price = read_price(value) if isinstance(value, int | float) else None
    return int(price) if price is not None and price > 0 else 0


def _name(record: NamedValues) -> str:
    """Return the English name of a record without the marks in brackets."""
    found = _text(record, "name_en") or _text(record, "name")
    return _SUFFIX.sub("", found).strip() or "Unnamed"


def _ids(record: NamedValues) -> Texts:
    """Return the key of ours that our own files hold, and the record's slug."""
    own = record.get(OUR_KEY)
    return (*((own_id(own[:120]),) if isinstance(own, str) else ()), *_slug(record))


def _slug(record: NamedValues) -> Texts:
    """Return the name within a record's id: each unit of a list has a random ending too."""
    plain = str(record.get("id", ""))[:120].encode("ascii", "replace").decode()
    found = _SLUG.fullmatch(plain)
    return (f"owb:{found[1]}",) if found else ()


class _UnitReader:
    """Reads units of one list; what is active may depend on its army and composition."""

    def __init__(self, data: NamedValues) -> None:
        self.lists = {_text(data, "army"), _text(data, "armyComposition")} - {""}
        self.remarks: list[str] = []

    def units(self, record: NamedValues, group: str, line: int) -> Iterator[ForeignUnit]:
        """Yield a unit, and its detachments as units of their own."""
        yield self.unit(record, group, line)
        for detachment in _objects(record.get("detachments")):
            line += 1
            yield self.unit(detachment, group, line)

    def unit(self, record: NamedValues, group: str, line: int) -> ForeignUnit:
        """Return one record as a line.

        The tool states no total; the price comes from the record and what is active in it.
        """
        count = _number(record.get("strength")) or _number(record.get("minimum")) or 1
        parts = tuple(self.parts(record, count, group))
        price = self.price(record) * count
        return ForeignUnit(
            line,
            _name(record),
            count,
            price + sum((part.points for part in parts), ZERO),
            group,
            _text(record, "customName"),
            group,
            ids=_ids(record),
            parts=parts,
            notes=storable(record.get("customNote") or "", 2000, many_lines=True),
            spells=_text(record, "activeLore"),
            is_leader=names_leader(parts),
        )

    def parts(self, record: NamedValues, count: int, group: str) -> Iterator[ForeignPart]:
        """Yield everything a unit has, in the order in which the tool shows it."""
        found = []
        for holder in _objects(record.get("items")):
            found += [_name(item).lower() for item in _objects(holder.get("selected"))]
        carried = frozenset(found)
        for key in CHOICES:
            for choice in _objects(record.get(key)):
                if choice.get("active") and _has_its_item(choice, carried):
                    yield from self.choice(choice, count, key)
                    yield from self.options(choice, count, _name(choice))
        yield from self.options(record, count, "options")
        yield from self.command(record)
        yield from self.items(record, count, group)

    def price(self, choice: NamedValues, key: str = "points") -> Decimal:
        """Return the points of a choice; remark where they are no number."""
        value = choice.get(key) or 0
        points = read_price(value) if isinstance(value, int | float) else None
        if points is None:
            self.remarks.append(
                f"The price “{storable(value, 20)}” of {_name(choice)} is no number, so it "
                "counts as 0."
            )
        return points or ZERO

    def choice(
        self, choice: NamedValues, count: int, group: str, pieces: int = 1
    ) -> Iterator[ForeignPart]:
        """Yield a choice of the whole unit, each thing in its name by itself."""
        # What is not priced by the model is paid once, and all of them have it.
        times = count if choice.get("perModel") else 1
        points = self.price(choice) * times * pieces
        for name in filter(None, (one.strip() for one in _name(choice).split(","))):
            yield ForeignPart(name, count * pieces, points, _ids(choice), group)
            # The first name has the price of all of them.
            points = ZERO

    def options(self, owner: NamedValues, count: int, group: str) -> Iterator[ForeignPart]:
        """Yield the options that are active, and those below them."""
        for option in _objects(owner.get("options")):
            if self.is_active(option):
                pieces = 1
                if option.get("stackable"):
                    pieces = _number(option.get("stackableCount")) or _number(
                        option.get("minimum")
                    )
                if pieces:
                    yield from self.choice(option, count, group, pieces)
                yield from self.options(option, count, group)

    def is_active(self, option: NamedValues) -> bool:
        """Return whether an option counts.

        One that can be taken several times is asked for its number by whoever calls this.
        """
        always = option.get("alwaysActive")
        if isinstance(always, list):
            return bool(option.get("active")) or bool(self.lists & set(map(str, always)))
        return bool(option.get("active")) or bool(always) or bool(option.get("stackable"))

    def command(self, record: NamedValues) -> Iterator[ForeignPart]:
        """Yield champion, musician and standard bearer, one of each, with what they carry."""
        # Detachments have no command of their own.
        options = _objects(record.get("options"))
        if any(one.get("active") and _name(one) == "Detachment" for one in options):
            return
        for member in _objects(record.get("command")):
            if member.get("active"):
                yield from self.member(member)

    def member(self, member: NamedValues) -> Iterator[ForeignPart]:
        """Yield one member of a command, then its magic items and its options."""
        title = _text(member, "name_en") or _text(member, "name")
        name = _name(member)
        group = "champion" if "(champion)" in title.lower() else "command"
        yield ForeignPart(name, 1, self.price(member), _ids(member), group)
        magic = member.get("magic")
        if isinstance(magic, dict):
            yield from self.selected(magic, name)
        for option in _objects(member.get("options")):
            if option.get("active"):
                yield ForeignPart(_name(option), 1, self.price(option), group=name)

    def items(self, record: NamedValues, count: int, group: str) -> Iterator[ForeignPart]:
        """Yield the magic items of a unit, priced by what sort of unit carries them."""
        is_character = group in CHARACTERS
        for holder in _objects(record.get("items")):
            for item in _objects(holder.get("selected")):
                amount = _number(item.get("amount")) or 1
                points = self.price(item) * amount
                if not is_character and item.get("perModel"):
                    amount, points = count, self.price(item, "perModelPoints") * count
                elif not is_character and item.get("perUnitPoints"):
                    points = self.price(item, "perUnitPoints")
                yield ForeignPart(_name(item), amount, points, _ids(item), _name(holder))

    def selected(self, magic: Mapping[str, Any], group: str) -> Iterator[ForeignPart]:
        """Yield the magic items of a member of a command."""
        for item in _objects(magic.get("selected")):
            amount = _number(item.get("amount")) or 1
            yield ForeignPart(_name(item), amount, self.price(item) * amount, group=group)


def _has_its_item(choice: NamedValues, carried: frozenset[str]) -> bool:
    """Return whether a choice is there at all: some come with a magic item."""
    wanted = _text(choice, "requiredMagicItem").lower()
    return not wanted or wanted in carried


def only_list(data: object) -> NamedValues:
    """Return the one list of a file that may hold several; raises Refusal where it does."""
    lists = (
        [one for one in data if is_old_world_list(one)] if isinstance(data, list) else []
    )
    if len(lists) != 1:
        raise refusal(
            f"This file holds {len(lists)} lists of Old World Builder. Export the one you want by "
            "itself."
        )
    return lists[0]
