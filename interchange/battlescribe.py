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
            "list saved as .ros or .rosz."
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
        used: Counter[str] = Counter()
        names: dict[str, str] = {}
        for cost in (node for node in roster.walk() if node.name == "cost"):
            names.setdefault(cost.get("typeId"), cost.get("name").lower())
            used[cost.get("typeId")] += 1 if read_price(cost.get("value")) else 0
        # Python's sort keeps what is used as often in the order of the file.
        order = sorted(names, key=lambda one: (names[one] not in PRICE_NAMES, -used[one]))
        self.price_type, self.second_type = (
            order[0] if order else "",
            order[1] if len(order) > 1 else "",
        )
        self.remarks: list[str] = []
        self.settings: list[str] = []
        self.settings_points = ZERO
        self.units: list[ForeignUnit] = []
        self.sections: list[Force] = []

    def roster(self) -> ForeignRoster:
        """Return the whole list.

        Forces come first, because settings and remarks are collected while they are read.
        """
        root = self.root
        for force in _forces(root):
            self.force(force)
        maker = root.get("generatedBy")
        form = (
            "new-recruit-text" if maker or self.form == "nr-json" else "battlescribe-text"
        )
        tool = TOOLS[form]
        if OUR_NAME in maker:
            tool = "Muster Roll"
        version = storable(root.get("battleScribeVersion"), 20)
        game, game_id = storable(root.get("gameSystemName")), root.get("gameSystemId")[:120]
        return ForeignRoster(
            self.form,
            Source(tool, version, game, game_id),
            storable(root.get("name")),
            self.limit(),
            self.stated_total(),
            tuple(self.sections),
            tuple(self.units),
            tuple(self.settings),
            self.settings_points,
            tuple(self.remarks),
            storable(_notes(root), 4000, many_lines=True),
        )

    def limit(self) -> int | None:
        """Return the limit of the price type; -1 and 0 mean that there is none."""
        for limit in self.root.listed("costLimits", "costLimit"):
            points = read_price(limit.get("value"))
            if limit.get("typeId") == self.price_type and points and points > 0:
                return int(points)
        return None

    def stated_total(self) -> Decimal | None:
        """Return the total that the file itself states, or None."""
        for cost in self.root.listed("costs", "cost"):
            if cost.get("typeId") == self.price_type:
                return read_price(cost.get("value"))
        return None

    def force(self, force: Node) -> None:
        """Read one force: what is a unit becomes a line, the rest are settings."""
        name = storable(force.get("customName") or force.get("name"))
        army = storable(force.get("catalogueName"))
        self.sections.append(Force(name, army, force.get("catalogueId")[:120]))
        for selection in selections_of(force):
            if self.is_unit(selection):
                self.units.append(self.unit(selection, name))
            else:
                names = [one.get("name") for one in _below(selection)]
                self.settings.append(
                    storable(": ".join(dict.fromkeys(filter(None, names))))
                )
                self.settings_points += self.points_of(selection)

    def is_unit(self, selection: Node) -> bool:
        """Return whether a choice at the root of a force puts miniatures on the table.

        Some catalogues have units of the type upgrade: those have a price and a profile.
        """
        below = _below(selection)
        if any(one.get("type") in MINIATURES for one in below):
            return True
        has_profile = any(selection.listed("profiles", "profile"))
        return has_profile and self.points_of(selection) != 0

    def unit(self, selection: Node, section: str) -> ForeignUnit:
        """Return a choice at the root of a force as a line."""
        models = tuple(self.model(one) for one in _nearest_models(selection))
        name = storable(selection.get("name")) or "Unnamed unit"
        # A unit has several categories; the primary one is its heading.
        categories = list(selection.listed("categories", "category"))
        primary = (one.get("name") for one in categories if one.get("primary") == "true")
        parts = tuple(self.parts(selection))
        headings = {one.get("name").strip().lower() for one in categories}
        return ForeignUnit(
            len(self.units) + 1,
            name,
            self.count(selection, models, name),
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

    def count(self, selection: Node, models: tuple[ForeignModel, ...], name: str) -> int:
        """Return how many miniatures a unit has."""
        number = self.number(selection)
        if selection.get("type") == "model":
            return number
        if models:
            return sum(model.count for model in models)
        self.remarks.append(
            f"{name} names no model, so its number {number} is taken as its models."
        )
        return number

    def model(self, selection: Node) -> ForeignModel:
        """Return one kind of miniature of a unit."""
        own_points = self.points_of(selection)
        return ForeignModel(
            storable(selection.get("name")) or "Unnamed model",
            self.number(selection),
            last_first(selection.get("entryId")),
            own_points,
            tuple(self.parts(selection)),
        )

    def parts(self, selection: Node, group: str = "") -> Iterator[ForeignPart]:
        """Yield what is chosen below, but for other models and what those carry."""
        for child in selections_of(selection):
            if child.get("type") == "model":
                continue
            part = self.part(child, group)
            has_children = bool(selections_of(child))
            if part.points or not has_children or child.get("type") in MINIATURES:
                yield part
            # A choice without a price that holds others is only their heading.
            yield from self.parts(child, part.name)

    def part(self, selection: Node, group: str) -> ForeignPart:
        """Return one choice below a unit."""
        points = self.own_points(selection, self.price_type)
        return ForeignPart(
            storable(selection.get("name")) or "Unnamed option",
            max(1, self.number(selection)),
            points,
            last_first(selection.get("entryId")),
            storable(selection.get("group")) or group,
        )

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
        return whole(sum((self.own_points(one, wanted) for one in _below(selection)), ZERO))

    def own_points(self, selection: Node, price_type: str) -> Decimal:
        """Return a choice's own price, which is that of all its pieces."""
        total = ZERO
        for cost in selection.listed("costs", "cost"):
            if price_type and cost.get("typeId") == price_type:
                points = read_price(cost.get("value"))
                if points is None:
                    self.unreadable(selection, cost)
                total += points or ZERO
        return total

    def unreadable(self, selection: Node, cost: Node) -> None:
        """Remark once that a price is no number."""
        name, value = storable(selection.get("name"), 60), storable(cost.get("value"), 20)
        sentence = f"The price “{value}” of {name} is no number, so it counts as 0."
        if sentence not in self.remarks:
            self.remarks.append(sentence)


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
