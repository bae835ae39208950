"""Rosters of BattleScribe and New Recruit: one tree, whether it was XML or JSON."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from interchange.files import refusal
from interchange.nodes import Node
from interchange.pasted import TOOLS
from interchange.tree import (
    LEADER_HEADINGS,
    ZERO,
    Force,
    ForeignModel,
    ForeignPart,
    ForeignRoster,
    ForeignUnit,
    Source,
    last_first,
    names_leader,
    read_price,
    storable,
    whole,
)

PRICE_NAMES = frozenset({"pts", "points", "gc", "pts."})
MINIATURES = frozenset({"model", "unit", "mount", "crew"})
# What our own files say they were made by.
OUR_NAME = "muster-roll"
OLD_VERSIONS = ("1.",)
NUMBER_DIGITS = 9


def read_battlescribe(roster: Node, form: str) -> ForeignRoster:
    """Return the list of a ``roster`` element; raises Refusal for what is none."""
    if roster.name in {"catalogue", "gameSystem"}:
        raise refusal(
            f"“{storable(roster.get('name'), 60)}” is a catalogue of a game, not a list. Choose a "
            "list saved as .ros or .rosz. An organiser can bring a catalogue to “Club lists” of a "
            "club."
        )
    if roster.name != "roster":
        raise refusal(
            f"This XML file begins with <{roster.name[:60]}>, not with <roster>. Choose a list "
            "saved as .ros or .rosz."
        )
    version = roster.get("battleScribeVersion")
    if version.startswith(OLD_VERSIONS):
        raise refusal(
            f"This list has the old format {version[:20]}; 2.00 to 2.03 are read. Open it in "
            "BattleScribe 2.03 and save it again."
        )
    return _RosterReader(roster, form).roster()


def selections_of(node: Node) -> list[Node]:
    """Return the choices directly below a node."""
    return list(node.listed("selections", "selection"))


class _RosterReader:
    """Reads one roster; collects its units, settings and what seemed odd on the way."""

    def __init__(self, roster: Node, form: str) -> None:
        self.root, self.form = roster, form
        # The ids of the price type and of a second one; empty where there is none.
        # A cost's name may be stale, so types are told apart by their ids.
        uses = Counter[str]()
        names: dict[str, str] = {}
        for cost in (node for node in roster.walk() if node.name == "cost"):
            names.setdefault(cost.get("typeId"), cost.get("name").lower())
            uses[cost.get("typeId")] += 1 if read_price(cost.get("value")) else 0
        # Python's sort keeps what is used as often in the order of the file.
        order = sorted(names, key=lambda key: (names[key] not in PRICE_NAMES, -uses[key]))
        self.price_type, self.second_type = (*order, "", "")[:2]
        self.remarks: list[str] = []
        self.settings: list[str] = []
        self.settings_points = ZERO
        self.units: list[ForeignUnit] = []
        self.sections: list[Force] = []

    def roster(self) -> ForeignRoster:
        """Return the whole list."""
        root = self.root
        # Settings and remarks are collected while forces are read.
        for force in _forces(root):
            self.force(force)
        maker = root.get("generatedBy")
        is_new = maker or self.form == "nr-json"
        tool = TOOLS["new-recruit-text" if is_new else "battlescribe-text"]
        if OUR_NAME in maker:
            tool = "Muster Roll"
        version = storable(root.get("battleScribeVersion"), 20)
        game, game_id = storable(root.get("gameSystemName")), root.get("gameSystemId")[:120]
        # A limit of -1 or 0 means that there is none.
        limits = self._priced(root.listed("costLimits", "costLimit"))
        points = (limit for limit in limits if limit and limit > 0)
        return ForeignRoster(
            self.form,
            Source(tool, version, game, game_id),
            storable(root.get("name")),
            next(map(int, points), None),
            next(self._priced(root.listed("costs", "cost")), None),
            tuple(self.sections),
            tuple(self.units),
            tuple(self.settings),
            self.settings_points,
            tuple(self.remarks),
            storable(_notes(root), 4000, many_lines=True),
        )

    def _priced(self, costs: Iterator[Node]) -> Iterator[Decimal | None]:
        """Yield the figures of the type of price that counts."""
        for cost in costs:
            if cost.get("typeId") == self.price_type:
                yield read_price(cost.get("value"))

    def force(self, force: Node) -> None:
        """Read one force: what is a unit becomes a line, the rest are settings."""
        name = storable(force.get("customName") or force.get("name"))
        army = storable(force.get("catalogueName"))
        self.sections.append(Force(name, army, force.get("catalogueId")[:120]))
        for selection in selections_of(force):
            below = list(_below(selection))
            # What puts miniatures on the table is a unit. Some catalogues have units of the type
            # upgrade: those have a price and a profile.
            has_profile = any(selection.listed("profiles", "profile"))
            has_miniatures = any(self.is_miniature(choice, selection) for choice in below)
            if has_miniatures or (has_profile and self.points_of(selection) != 0):
                self.units.append(self.unit(selection, name))
            else:
                names = dict.fromkeys(choice.get("name") for choice in below)
                self.settings.append(storable(": ".join(filter(None, names))))
                self.settings_points += self.points_of(selection)

    def is_miniature(self, choice: Node, selection: Node) -> bool:
        """Return whether a choice at or below another puts miniatures on the table.

        A unit for nothing within a setting is what that may bring later.
        """
        is_summoned = choice.get("type") == "unit" and choice is not selection
        if is_summoned and not self.points_of(choice):
            return False
        return choice.get("type") in MINIATURES

    def unit(self, selection: Node, section: str) -> ForeignUnit:
        """Return a choice at the root of a force as a line."""
        models = tuple(
            ForeignModel(
                storable(model.get("name")) or "Unnamed model",
                self.number(model),
                last_first(model.get("entryId")),
                self.points_of(model),
                tuple(self.parts(model)),
            )
            for model in _nearest_models(selection)
        )
        name = storable(selection.get("name")) or "Unnamed unit"
        count = self.number(selection)
        if models and selection.get("type") != "model":
            count = sum(model.count for model in models)
        elif selection.get("type") != "model":
            self.remarks.append(
                f"{name} names no model, so its number {count} is taken as its models."
            )
        # A unit has several categories; the primary one is its heading.
        categories = list(selection.listed("categories", "category"))
        primary = (
            category.get("name")
            for category in categories
            if category.get("primary") == "true"
        )
        parts = tuple(self.parts(selection))
        headings = {category.get("name").strip().lower() for category in categories}
        return ForeignUnit(
            len(self.units) + 1,
            name,
            count,
            self.points_of(selection),
            section,
            storable(selection.get("customName")),
            storable(next(primary, "")),
            self.points_of(selection, self.second_type),
            last_first(selection.get("entryId")),
            parts,
            models,
            storable(_notes(selection), 2000, many_lines=True),
            is_leader=bool(headings & LEADER_HEADINGS) or names_leader(parts),
        )

    def parts(self, selection: Node, group: str = "") -> Iterator[ForeignPart]:
        """Yield what is chosen below, but for other models and what those carry."""
        for child in selections_of(selection):
            if child.get("type") == "model":
                continue
            part = ForeignPart(
                storable(child.get("name")) or "Unnamed option",
                max(1, self.number(child)),
                self.own_points(child, self.price_type),
                last_first(child.get("entryId")),
                storable(child.get("group")) or group,
            )
            has_children = bool(selections_of(child))
            if part.points or not has_children or child.get("type") in MINIATURES:
                yield part
            # A choice without a price that holds others is only their heading.
            yield from self.parts(child, part.name)

    def number(self, selection: Node) -> int:
        """Return the number of a choice, which is multiplied through all its parents already."""
        text = selection.get("number", "1").removesuffix(".0") or "1"
        if text.isdecimal() and len(text) <= NUMBER_DIGITS:
            return int(text)
        name = storable(selection.get("name"), 60)
        raise refusal(
            f"The number of {name} must be a whole number, not “{storable(text, 20)}”."
        )

    def points_of(self, selection: Node, price_type: str | None = None) -> Decimal:
        """Return the price of a choice with everything below it."""
        wanted = self.price_type if price_type is None else price_type
        return whole(
            sum((self.own_points(choice, wanted) for choice in _below(selection)), ZERO)
        )

    def own_points(self, selection: Node, price_type: str) -> Decimal:
        """Return a choice's own price, which is that of all its pieces; remark once that one is no
        number.
        """
        total = ZERO
        for cost in selection.listed("costs", "cost"):
            if price_type and cost.get("typeId") == price_type:
                points = read_price(cost.get("value"))
                total += points or ZERO
                name = storable(selection.get("name"), 60)
                value = storable(cost.get("value"), 20)
                remark = f"The price “{value}” of {name} is no number, so it counts as 0."
                if points is None and remark not in self.remarks:
                    self.remarks.append(remark)
        return total


def _forces(node: Node) -> Iterator[Node]:
    """Yield the forces of a list, and those that stand within another."""
    for force in node.listed("forces", "force"):
        yield force
        yield from _forces(force)


def _below(selection: Node) -> Iterator[Node]:
    """Yield a choice and everything chosen below it."""
    yield selection
    for child in selections_of(selection):
        yield from _below(child)


def _nearest_models(selection: Node) -> Iterator[Node]:
    """Yield the models below a choice that is none itself, not looking within them."""
    if selection.get("type") == "model":
        return
    for child in selections_of(selection):
        if child.get("type") == "model":
            yield child
        else:
            yield from _nearest_models(child)


def _notes(node: Node) -> str:
    """Return what somebody wrote to a choice: an attribute or an element, by the tool."""
    inner = (child.text for child in node.children if child.name == "customNotes")
    return node.get("customNotes") or "\n".join(inner)
