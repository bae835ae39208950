"""An entry of a catalogue as the rest reads it: its prices, limits, changes and conditions.

Each element is read once, however often links lead to it.
"""

import math
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation

from engine.records import Texts, frozen_dataclass
from rulesdata.foreign.keys import clean_name
from rulesdata.foreign.nodes import Node

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
    node: Node,
    tests: tuple[Test, ...],
    repeats: tuple[Repeat, ...],
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
            group,
            (*tests, _test(group, "and")),
            (*repeats, *_repeats(group)),
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
