"""Lists of Old World Builder: a list object whose units are whole copies of its data records."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import re2

from engine.records import Fields, NamedValues, Texts
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
            # Detachments are units of their own.
            for unit in (record, *_objects(record.get("detachments"))):
                units.append(reader.unit(unit, group, len(units) + 1))
    game, limit = _text(data, "game"), _number(data.get("points"))
    return ForeignRoster(
        "owb",
        Source(TOOLS["owb-text"], "", game.replace("-", " ").title(), game),
        _text(data, "name"),
        limit or None,
        None,
        tuple(sections),
        tuple(units),
        remarks=tuple(reader.remarks),
        note=storable(data.get("description") or "", 4000, many_lines=True),
    )


def _objects(value: object) -> list[Fields]:
    """Return the objects in a list; nothing of what is no list."""
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


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
    name = _text(record, "name_en") or _text(record, "name")
    return _SUFFIX.sub("", name).strip() or "Unnamed"


def _ids(record: NamedValues) -> Texts:
    """Return the key of ours that our own files hold, and the name within the record's id: each
    unit of a list has a random ending too.
    """
    our_key = record.get(OUR_KEY)
    ids = [own_id(our_key[:120])] if isinstance(our_key, str) else []
    plain = str(record.get("id", ""))[:120].encode("ascii", "replace").decode()
    if slug := _SLUG.fullmatch(plain):
        ids.append(f"owb:{slug[1]}")
    return tuple(ids)


class _UnitReader:
    """Reads units of one list; what is active may depend on its army and composition."""

    def __init__(self, data: NamedValues) -> None:
        self.lists = {_text(data, "army"), _text(data, "armyComposition")} - {""}
        self.remarks: list[str] = []

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
        holders = _objects(record.get("items"))
        items = [item for holder in holders for item in _objects(holder.get("selected"))]
        carried = {_name(item).lower() for item in items}
        for key in CHOICES:
            for choice in _objects(record.get(key)):
                # Some are there only with a magic item.
                item_name = _text(choice, "requiredMagicItem").lower()
                if choice.get("active") and (not item_name or item_name in carried):
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
        self, choice: NamedValues, count: int, group: str, pieces: int | None = None
    ) -> Iterator[ForeignPart]:
        """Yield a choice of the whole unit, or so many pieces of it, each thing in its name by
        itself.
        """
        # What is not priced by the model is paid once, and all of them have it.
        is_per_model = bool(choice.get("perModel"))
        points = self.price(choice) * (pieces or (count if is_per_model else 1))
        number = pieces if pieces and is_per_model else count * (pieces or 1)
        for name in filter(None, (part.strip() for part in _name(choice).split(","))):
            yield ForeignPart(name, number, points, _ids(choice), group)
            # The first name has the price of all of them.
            points = ZERO

    def options(self, owner: NamedValues, count: int, group: str) -> Iterator[ForeignPart]:
        """Yield the options that are active, and those below them."""
        for option in _objects(owner.get("options")):
            always = option.get("alwaysActive")
            if isinstance(always, list):
                always = not self.lists.isdisjoint(map(str, always))
            elif composition := _text(option, "armyComposition"):
                always = always and composition in self.lists
            if option.get("stackable"):
                number = _number(option.get("stackableCount"))
                if pieces := number or _number(option.get("minimum")):
                    yield from self.choice(option, count, group, pieces)
            elif option.get("active") or always:
                yield from self.choice(option, count, group)
            else:
                continue
            yield from self.options(option, count, group)

    def command(self, record: NamedValues) -> Iterator[ForeignPart]:
        """Yield champion, musician and standard bearer, one of each, with what they carry."""
        # Detachments have no command of their own.
        options = _objects(record.get("options"))
        if any(
            option.get("active") and _name(option) == "Detachment" for option in options
        ):
            return
        for member in _objects(record.get("command")):
            if not member.get("active"):
                continue
            title = _text(member, "name_en") or _text(member, "name")
            name = _name(member)
            group = "champion" if "(champion)" in title.lower() else "command"
            yield ForeignPart(name, 1, self.price(member), _ids(member), group)
            yield from self.magic(member, name)
            for option in _objects(member.get("options")):
                if option.get("active"):
                    yield ForeignPart(_name(option), 1, self.price(option), group=name)

    def magic(self, member: NamedValues, group: str) -> Iterator[ForeignPart]:
        """Yield the magic items of a member of a command."""
        magic = member.get("magic")
        for item in _objects(magic.get("selected") if isinstance(magic, dict) else None):
            amount = _number(item.get("amount")) or 1
            yield ForeignPart(_name(item), amount, self.price(item) * amount, group=group)

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


def only_list(data: list[Any]) -> NamedValues:
    """Return the one list of a file that may hold several; raises Refusal where it does."""
    lists = [item for item in data if is_old_world_list(item)]
    if len(lists) != 1:
        raise refusal(
            f"This file holds {len(lists)} lists of Old World Builder. Export the one you want by "
            "itself."
        )
    return lists[0]
