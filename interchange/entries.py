"""Entries of a catalogue, and the places where a list may have them, with all links followed.

Each element is read once, however often links lead to it; a shared entry that ten units may buy has
ten places. Raises Refusal for links that go in circles.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from engine.records import Texts, frozen_dataclass
from interchange.catalogues import Closure, clean_name
from interchange.files import refusal
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

    def times_for(self, counted: Decimal) -> Decimal:
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

    def changes_to(self, name: str) -> Iterator[Change]:
        """Yield the changes of one field, in the order of the file."""
        return (change for change in self.changes if change.field == name)


class Elements:
    """Reads elements, each once."""

    def __init__(self) -> None:
        self._elements: dict[int, Element] = {}

    def read(self, node: Node) -> Element:
        """Return the element of a node."""
        element = self._elements.get(id(node))
        if element is None:
            costs = node.listed("costs", "cost")
            element = self._elements[id(node)] = Element(
                node=node,
                is_hidden=node.get("hidden") == "true",
                costs={cost.get("typeId"): as_number(cost.get("value")) for cost in costs},
                constraints=tuple(_constraints(node)),
                changes=tuple(_changes(node, (), ())),
            )
        return element


def _constraints(node: Node) -> Iterator[Constraint]:
    """Yield the constraints of a node, each with one kind."""
    for limit in node.listed("constraints", "constraint"):
        # "exactly" is a tool's short form for both.
        is_both = limit.get("type") == "exactly"
        for kind in ("min", "max") if is_both else (limit.get("type"),):
            yield Constraint(
                limit.get("id"),
                kind,
                limit.get("field", "selections"),
                limit.get("scope", "parent"),
                as_number(limit.get("value")),
                limit.get("percentValue") == "true",
            )


def _changes(
    node: Node, tests: tuple[Test, ...], repeats: tuple[Repeat, ...]
) -> Iterator[Change]:
    """Yield the changes of a node, and those of its groups under the tests of the group."""
    for modifier in node.listed("modifiers", "modifier"):
        # One that changes other entries does not change what it stands at.
        reaches = {modifier.get("affects"), modifier.get("scope")}
        yield Change(
            modifier.get("type") if reaches <= {"", "self"} else OF_OTHERS,
            modifier.get("field"),
            modifier.get("value"),
            (*tests, _test(modifier, "and")),
            (*repeats, *_repeats(modifier)),
        )
    for group in node.listed("modifierGroups", "modifierGroup"):
        yield from _changes(
            group, (*tests, _test(group, "and")), (*repeats, *_repeats(group))
        )


def _test(node: Node, kind: str) -> Test:
    """Return a group of conditions, with the groups inside it."""
    groups = node.listed("conditionGroups", "conditionGroup")
    conditions = [
        *node.listed("conditions", "condition"),
        # A tool's own sort of groups, which ask about each of several things by itself.
        *node.listed("localConditionGroups", "localConditionGroup"),
    ]
    return Test(
        kind,
        tuple(map(_condition, conditions)),
        tuple(_test(group, group.get("type", "and")) for group in groups),
    )


def _condition(node: Node) -> Condition:
    return Condition(
        node.name if node.name == "localConditionGroup" else node.get("type"),
        node.get("field", "selections"),
        node.get("scope", "parent"),
        node.get("childId"),
        as_number(node.get("value")),
        node.get("includeChildSelections") == "true",
        node.get("percentValue") == "true",
    )


def _repeats(node: Node) -> Iterator[Repeat]:
    for repeat in node.listed("repeats", "repeat"):
        times = as_number(repeat.get("repeats", "1"))
        yield Repeat(_condition(repeat), times, repeat.get("roundUp") == "true")


def list_names(nodes: Iterable[Node]) -> Texts:
    """Return the names of nodes, each once, as pages show them."""
    names = (clean_name(node.get("name")) for node in nodes)
    return tuple(dict.fromkeys(filter(None, names)))


UNFOLD_LEVELS_MAX = 14
PLACES_MAX = 100_000
EXPERIENCE = "experience"
LIST_SCOPES = frozenset(("roster", "force"))
MODEL_TYPES = frozenset(("model", "mount", "crew"))
UNIT_TYPES = MODEL_TYPES | {"unit", "unit-group"}
# What the editor calls a link until its author gives it a name.
_UNNAMED_LINK = "New EntryLink"
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

    def limits(self, kind: str) -> list[Constraint]:
        """The limits of a kind that count within the parent; percentages are none of them."""
        return [
            limit
            for limit in self._limits(kind, "selections")
            if limit.scope not in LIST_SCOPES and not limit.is_percent
        ]

    def list_limits(self, kind: str) -> list[Constraint]:
        """The limits of a kind that count in the whole list."""
        limits = self._limits(kind, "selections")
        return [limit for limit in limits if limit.scope in LIST_SCOPES]

    def points_limit(self, price: str) -> Constraint | None:
        """The limit of what its content may cost together, None where it has none.

        ``price`` is the id of a type of price. A negative figure means no limit.
        """
        for limit in self._limits("max", price):
            if limit.scope not in LIST_SCOPES and limit.value >= 0 and not limit.is_percent:
                return limit
        return None

    def _limits(self, kind: str, name: str) -> Iterator[Constraint]:
        for element in self.elements:
            for limit in element.constraints:
                if limit.type == kind and limit.field == name:
                    yield limit

    def price(self, kind: str) -> Decimal | None:
        """Return the stated price of this type: a link's stands for its target's."""
        # Most links with a price differ from what they lead to, and mean their own.
        for element in reversed(self.elements):
            if kind in element.costs:
                return element.costs[kind]
        return None


# Following the links


class Unfolding:
    """Follows the links of one closure. Places whose names hold a word of ``left_out`` are not
    looked at.
    """

    def __init__(self, closure: Closure, left_out: Sequence[str]) -> None:
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
        is_group = entry.name == "selectionEntryGroup"
        type_ = "" if is_group else entry.get("type", "upgrade")
        ids = tuple(link.get("id") for link in reversed(chain) if link.get("id"))
        categories, primary = _categories(chain)
        # The groups between a place and the entry above it are tags of it too.
        around = parent.tags if parent is not None and parent.is_group else ()
        place = Place(
            name=_name_of(chain),
            type=type_,
            ids=ids,
            parent=parent,
            elements=tuple(map(self.elements.read, chain)),
            is_group=is_group,
            categories=categories,
            primary=primary,
            tags=frozenset((*ids, *categories, type_, *around)),
        )
        for link in chain:
            for wrapper, name in _CHILDREN:
                for child in link.listed(wrapper, name):
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

    def _add_child(self, place: Place, node: Node, way: Texts) -> None:
        """Place an entry below another one, unless it is left out."""
        name = _name_of(self._chain(node) or [node])
        if any(word in name.lower() for word in self.left_out):
            self.dropped[name] = self.dropped.get(name, 0) + 1
            if name.lower().startswith(EXPERIENCE):
                least = 0
                for link in self._chain(node) or ():
                    limits = self.elements.read(link).constraints
                    values = (int(limit.value) for limit in limits if limit.type == "min")
                    least = max(least, *values, 0)
                place.experience = max(place.experience, least)
            return
        child = self._place(node, place, way)
        if child is not None:
            place.children.append(child)


def _name_of(chain: list[Node]) -> str:
    """Return the name of the last link, or of the entry where no link has one of its own."""
    names = (clean_name(node.get("name")) for node in reversed(chain))
    return next((name for name in names if name and name != _UNNAMED_LINK), "")


def _categories(chain: list[Node]) -> tuple[Texts, str]:
    """Return the ids of the categories of an entry and its links, and the one it stands under."""
    ids: dict[str, None] = {}
    primary = ""
    for node in chain:
        for link in node.listed("categoryLinks", "categoryLink"):
            ids[link.get("targetId")] = None
            if link.get("primary") == "true":
                primary = link.get("targetId")
    return tuple(ids), primary or next(iter(ids), "")


def shared_groups(place: Place) -> tuple[SharedGroup, ...]:
    """Return what a place stands in that a link leads to, the outermost first."""
    groups = []
    for above in place.path:
        is_opened = above.is_group or above.type == "upgrade"
        # A group or a container below a unit that was reached by a link.
        is_shared = is_opened and len(above.elements) > 1 and above.parent is not None
        if above is not place and is_shared:
            groups.append((above.ids[-1], above.name))
    return tuple(reversed(groups))
