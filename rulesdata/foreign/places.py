"""The places of a catalogue: an entry where a list may have it, with all links followed.

A shared entry that ten units may buy has ten places. Raises Refusal for links that go in circles.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from engine.records import Texts
from rulesdata.foreign.catalogues import Closure
from rulesdata.foreign.entries import Element, Elements
from rulesdata.foreign.files import refusal
from rulesdata.foreign.keys import clean_name
from rulesdata.foreign.nodes import Node

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
        self,
        closure: Closure,
        left_out: Callable[[str], bool] = lambda name: False,
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
        return self._place(
            node,
            None,
            (),
        )

    def _place(
        self,
        node: Node,
        parent: Place | None,
        way: Texts,
    ) -> Place | None:
        """Return the place of a node. ``way`` are the ids of the entries around it."""
        chain = self._chain(node)
        if chain is None:
            return None
        entry = chain[0]
        key = entry.get("id")
        self._check(
            entry,
            key,
            way,
        )
        place = self._bare(chain, parent)
        for one in chain:
            for child in _children(one):
                self._add_child(
                    place,
                    child,
                    (*way, key),
                )
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

    def _check(
        self,
        entry: Node,
        key: str,
        way: Texts,
    ) -> None:
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

    def _add_child(
        self,
        place: Place,
        node: Node,
        way: Texts,
    ) -> None:
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
        child = self._place(
            node,
            place,
            way,
        )
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
