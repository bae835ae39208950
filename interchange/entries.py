"""Entries of a catalogue, and the places where a list may have them, with all links followed.

Each element is read once, however often links lead to it; a shared entry that ten units may buy has
ten places. Raises Refusal for links that go in circles.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from engine.records import Texts, frozen_dataclass
from interchange.catalogues import Closure
from interchange.files import refusal
from interchange.names import clean_name
from interchange.nodes import Node

OF_OTHERS = "of other entries"
_NOTHING = Decimal(0)


def as_number(text: str) -> Decimal:
    """Return a number of a file, rounded to four places; 0 where it is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return _NOTHING
    if not number.is_finite() or abs(number) > 1_000_000:
        return _NOTHING
    return round(number, 4)


@frozen_dataclass
class Condition:
    """One comparison.

    ``scope`` says where is counted, ``child`` what. ``is_deep`` counts what is below that too.
    """

    type: str
    field: str
    scope: str
    child: str
    value: Decimal
    is_deep: bool
    is_percent: bool


_LOCAL_GROUP = Condition(
    "localConditionGroup",
    "selections",
    "self",
    "",
    Decimal(0),
    is_deep=False,
    is_percent=False,
)


@frozen_dataclass
class Test:
    """Conditions and further tests of which all, one (``or``) or none (``not``) hold."""

    type: str
    conditions: tuple[Condition, ...]
    tests: tuple["Test", ...]


@frozen_dataclass
class Repeat:
    """How often a change is made: ``times`` for every ``count.value`` that is counted."""

    count: Condition
    times: Decimal
    is_rounded_up: bool

    def of(self, counted: Decimal) -> Decimal:
        """Return how often the change is made for so many."""
        if self.count.value <= 0:
            return _NOTHING
        share = counted / self.count.value
        whole = math.ceil(share) if self.is_rounded_up else math.floor(share)
        return self.times * whole


@frozen_dataclass
class Change:
    """A modifier: ``type`` and ``value`` for a field, where all its tests hold."""

    type: str
    field: str
    value: str
    tests: tuple[Test, ...]
    repeats: tuple[Repeat, ...]


@frozen_dataclass
class Constraint:
    """A limit of an entry or a group: ``type`` is min or max."""

    id: str
    type: str
    field: str
    scope: str
    value: Decimal
    is_percent: bool


@frozen_dataclass
class Element:
    """What an entry, a group, a profile or a link to one says by itself."""

    node: Node
    is_hidden: bool
    costs: dict[str, Decimal]
    constraints: tuple[Constraint, ...]
    changes: tuple[Change, ...]

    def changes_of(self, name: str) -> Iterator[Change]:
        """Yield the changes of one field, in the order of the file."""
        return (one for one in self.changes if one.field == name)


class Elements:
    """Reads elements, each once."""

    def __init__(self) -> None:
        self._read: dict[int, Element] = {}

    def of(self, node: Node) -> Element:
        """Return the element of a node."""
        found = self._read.get(id(node))
        if found is None:
            found = Element(
                node=node,
                is_hidden=node.get("hidden") == "true",
                costs=_costs(node),
                constraints=tuple(_constraints(node)),
                changes=tuple(_changes(node, (), ())),
            )
            self._read[id(node)] = found
        return found


def _costs(node: Node) -> dict[str, Decimal]:
    costs = node.listed("costs", "cost")
    return {cost.get("typeId"): as_number(cost.get("value")) for cost in costs}


def _constraints(node: Node) -> Iterator[Constraint]:
    """Yield the constraints of a node, each with one kind."""
    for one in node.listed("constraints", "constraint"):
        # "exactly" is a tool's short form for both.
        kinds = ("min", "max") if one.get("type") == "exactly" else (one.get("type"),)
        for kind in kinds:
            yield Constraint(
                one.get("id"),
                kind,
                one.get("field", "selections"),
                one.get("scope", "parent"),
                as_number(one.get("value")),
                one.get("percentValue") == "true",
            )


def _changes(
    node: Node, tests: tuple[Test, ...], repeats: tuple[Repeat, ...]
) -> Iterator[Change]:
    """Yield the changes of a node, and those of its groups under the tests of the group."""
    for one in node.listed("modifiers", "modifier"):
        yield Change(
            _change_type(one),
            one.get("field"),
            one.get("value"),
            (*tests, _test(one, "and")),
            (*repeats, *_repeats(one)),
        )
    for group in node.listed("modifierGroups", "modifierGroup"):
        yield from _changes(
            group, (*tests, _test(group, "and")), (*repeats, *_repeats(group))
        )


def _change_type(modifier: Node) -> str:
    """Return how a modifier changes what it stands at; one that changes other entries does not."""
    reaches = (modifier.get("affects"), modifier.get("scope"))
    return modifier.get("type") if set(reaches) <= {"", "self"} else OF_OTHERS


def _test(node: Node, kind: str) -> Test:
    """Return a group of conditions, with the groups inside it."""
    groups = node.listed("conditionGroups", "conditionGroup")
    # A tool's own sort of groups, which ask about each of several things by itself.
    local = node.listed("localConditionGroups", "localConditionGroup")
    conditions = [*_conditions(node.listed("conditions", "condition"))]
    conditions += [_LOCAL_GROUP for _ in local]
    return Test(
        kind,
        tuple(conditions),
        tuple(_test(group, group.get("type", "and")) for group in groups),
    )


def _conditions(nodes: Iterable[Node]) -> Iterator[Condition]:
    """Yield the conditions of these nodes."""
    for one in nodes:
        yield Condition(
            one.get("type"),
            one.get("field", "selections"),
            one.get("scope", "parent"),
            one.get("childId"),
            as_number(one.get("value")),
            one.get("includeChildSelections") == "true",
            one.get("percentValue") == "true",
        )


def _repeats(node: Node) -> Iterator[Repeat]:
    found = list(node.listed("repeats", "repeat"))
    for one, count in zip(found, _conditions(found), strict=True):
        times = as_number(one.get("repeats", "1"))
        yield Repeat(count, times, one.get("roundUp") == "true")


def names_of(nodes: Iterable[Node]) -> Texts:
    """Return the names of nodes, each once, as pages show them."""
    return tuple(
        dict.fromkeys(name for node in nodes if (name := clean_name(node.get("name"))))
    )


UNFOLD_LEVELS_MAX = 14
PLACES_MAX = 100_000
EXPERIENCE = "experience"
MODEL_TYPES = frozenset(("model", "mount", "crew"))
UNIT_TYPES = MODEL_TYPES | {"unit", "unit-group"}
_CHILDREN = (
    ("selectionEntries", "selectionEntry"),
    ("selectionEntryGroups", "selectionEntryGroup"),
    ("entryLinks", "entryLink"),
)

SharedGroup = tuple[str, str]
"""Id and name of a group that several units reach by a link."""


# Where an entry stands


@dataclass(slots=True, eq=False)
class Place:
    """An entry or a group where it stands.

    ``elements`` are the entry and the links to it, the entry first: limits and changes of all hold.
    ``tags`` is all a condition may call it by: ids, categories, its type, groups around it.
    ``experience`` is what it begins a campaign with.
    """

    name: str
    type: str
    ids: Texts
    parent: "Place | None"
    elements: tuple[Element, ...]
    is_group: bool
    categories: Texts = ()
    primary: str = ""
    tags: frozenset[str] = frozenset()
    children: list["Place"] = field(default_factory=list)
    experience: int = 0

    @property
    def entry(self) -> "Place | None":
        """The entry that this stands in; groups are no selections."""
        above = self.parent
        while above is not None and above.is_group:
            above = above.parent
        return above

    @property
    def path(self) -> Iterator["Place"]:
        """This place and all above it, groups too."""
        at: Place | None = self
        while at is not None:
            yield at
            at = at.parent

    @property
    def root(self) -> "Place":
        *_, last = self.path
        return last

    def walk(self) -> Iterator["Place"]:
        """Yield this place and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            place = waiting.pop()
            yield place
            waiting.extend(reversed(place.children))

    def is_below(self, other: "Place") -> bool:
        """Whether it stands somewhere within another place, and is not that place."""
        return self is not other and any(above is other for above in self.path)

    def price(self, kind: str) -> Decimal | None:
        """Return the stated price of this type: a link's stands for its target's."""
        # Most links with a price differ from what they lead to, and mean their own.
        for element in reversed(self.elements):
            if kind in element.costs:
                return element.costs[kind]
        return None


# Following the links


class Unfolding:
    """Follows the links of one closure. ``left_out`` says whose places are not looked at."""

    def __init__(
        self, closure: Closure, left_out: Callable[[str], bool] = lambda name: False
    ) -> None:
        """Take the files and what to leave out of them; no link is followed yet."""
        self.closure = closure
        self.index = closure.index()
        self.elements = Elements()
        self.left_out = left_out
        self.dropped: dict[str, int] = {}
        self.to_nowhere: list[str] = []
        self.count = 0

    def roots(self) -> Iterator[Node]:
        """Yield what a list may have at its top: the catalogue's own, and what it takes over."""
        closure = self.closure
        systems = [file for file in closure.files if file.is_system]
        for file in (closure.main, *closure.imported, *systems):
            for wrapper, name in (_CHILDREN[0], _CHILDREN[2]):
                yield from file.root.listed(wrapper, name)

    def unfold(self, node: Node) -> Place | None:
        """Return the place of a root with all below it, None for a link to nowhere."""
        return self._place(node, None, ())

    def _place(self, node: Node, parent: Place | None, way: Texts) -> Place | None:
        """Return the place of a node. ``way`` are the ids of the entries around it."""
        chain = self._chain(node)
        if chain is None:
            return None
        entry = chain[0]
        key = entry.get("id")
        self._check(entry, key, way)
        place = self._bare(chain, parent)
        for one in chain:
            for child in _children(one):
                self._add_child(place, child, (*way, key))
        return place

    def _chain(self, node: Node) -> list[Node] | None:
        """Return the entry a node stands for and then the links to it, None for nowhere."""
        chain = [node]
        while chain[0].name == "entryLink":
            target = self.index.get(chain[0].get("targetId"))
            if target is None or len(chain) > UNFOLD_LEVELS_MAX:
                self.to_nowhere.append(clean_name(node.get("name")))
                return None
            chain.insert(0, target)
        return chain

    def _check(self, entry: Node, key: str, way: Texts) -> None:
        """Refuse a link that leads back to itself, and too many or too deep entries."""
        self.count += 1
        name = clean_name(entry.get("name"))[:60]
        if key and key in way:
            raise refusal(
                f"“{name}” holds a link that leads back to itself, so it would go on for ever. "
                "Take that link out of the catalogue, then send it again."
            )
        if len(way) > UNFOLD_LEVELS_MAX:
            raise refusal(
                f"“{name}” is nested deeper than {UNFOLD_LEVELS_MAX} levels, which no list needs."
            )
        if self.count > PLACES_MAX:
            raise refusal(
                f"This catalogue has more than {PLACES_MAX:,} places where something may be "
                "chosen. Send one catalogue with what it needs."
            )

    def _bare(self, chain: list[Node], parent: Place | None) -> Place:
        """Return a place without what is below it."""
        entry = chain[0]
        is_group = entry.name == "selectionEntryGroup"
        ids = tuple(one.get("id") for one in reversed(chain) if one.get("id"))
        categories, primary = _categories(chain)
        type_ = "" if is_group else entry.get("type", "upgrade")
        name = chain[-1].get("name") or entry.get("name")
        return Place(
            name=clean_name(name),
            type=type_,
            ids=ids,
            parent=parent,
            elements=tuple(self.elements.of(one) for one in chain),
            is_group=is_group,
            categories=categories,
            primary=primary,
            tags=frozenset((*ids, *categories, type_, *_group_tags(parent))),
        )

    def _add_child(self, place: Place, node: Node, way: Texts) -> None:
        """Place an entry below another one, unless it is left out."""
        name = clean_name(node.get("name"))
        if self.left_out(name):
            self.dropped[name] = self.dropped.get(name, 0) + 1
            if name.lower().startswith(EXPERIENCE):
                least = 0
                for one in self._chain(node) or ():
                    limits = self.elements.of(one).constraints
                    values = (int(limit.value) for limit in limits if limit.type == "min")
                    least = max(least, *values, 0)
                place.experience = max(place.experience, least)
            return
        child = self._place(node, place, way)
        if child is not None:
            place.children.append(child)


# Parts of an entry


def _children(node: Node) -> Iterator[Node]:
    for wrapper, name in _CHILDREN:
        yield from node.listed(wrapper, name)


def _categories(chain: list[Node]) -> tuple[Texts, str]:
    """Return the ids of the categories of an entry and its links, and the one it stands under."""
    found: dict[str, None] = {}
    primary = ""
    for node in chain:
        for link in node.listed("categoryLinks", "categoryLink"):
            found[link.get("targetId")] = None
            if link.get("primary") == "true":
                primary = link.get("targetId")
    return tuple(found), primary or next(iter(found), "")


def _group_tags(parent: Place | None) -> Texts:
    """Return the ids of the groups between a place and the entry above it."""
    return tuple(parent.tags) if parent is not None and parent.is_group else ()


def shared_groups(place: Place) -> tuple[SharedGroup, ...]:
    """Return what a place stands in that a link leads to, the outermost first."""
    found = [
        (above.ids[-1], above.name)
        for above in place.path
        if above is not place and _is_shared(above)
    ]
    return tuple(reversed(found))


def _is_shared(place: Place) -> bool:
    """Whether a group or a container below a unit was reached by a link."""
    is_opened = place.is_group or place.type == "upgrade"
    return is_opened and len(place.elements) > 1 and place.parent is not None
