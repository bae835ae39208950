"""Units of a catalogue: one for each kind of miniature, with price, limits and options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from itertools import chain

from engine.errors import Refusal
from engine.records import Texts, frozen_dataclass
from engine.types.lists import OWN_UNITS_MAX
from interchange.entries import (
    MODEL_TYPES,
    Change,
    Condition,
    Constraint,
    Element,
    Place,
    Test,
    names_of,
)
from interchange.evaluation import Evaluation, StepCount, Trace, View, number_text
from interchange.names import clean_name
from interchange.nodes import Node
from interchange.stat_lines import StatLines

LIST_SCOPES = frozenset(("roster", "force"))


def limits(place: Place, kind: str) -> Iterator[Constraint]:
    """Yield the limits of a kind that count within the parent; percentages are none of them."""
    for element in place.elements:
        for one in element.constraints:
            if one.type == kind and one.field == "selections" and not one.is_percent:
                if one.scope not in LIST_SCOPES:
                    yield one


def list_limits(place: Place, kind: str) -> Iterator[Constraint]:
    """Yield the limits of a kind that count in the whole list."""
    for element in place.elements:
        for one in element.constraints:
            if one.type == kind and one.field == "selections" and one.scope in LIST_SCOPES:
                yield one


def is_one_per_list(place: Place) -> bool:
    """Whether a list may have a place once: an item that exists only once."""
    return any(one.value == 1 for one in list_limits(place, "max"))


def points_limit(place: Place, price: str) -> Constraint | None:
    """Return the limit of what the content of a place may cost together, None where it has none.

    ``price`` is the id of a type of price. A negative figure means no limit.
    """
    for element in place.elements:
        for one in element.constraints:
            if one.type == "max" and one.field == price and one.scope not in LIST_SCOPES:
                if one.value >= 0 and not one.is_percent:
                    return one
    return None


# Units

PIECES_HELD = 200
Counts = dict[Place, Decimal]
_ONE = Decimal(1)


@dataclass(slots=True)
class Kind:
    """A kind of miniature: the entry at the top of the list, and the model in it.

    They are the same where a single miniature is chosen.
    """

    root: Place
    model: Place
    name: str
    evaluation: Evaluation
    others: frozenset[Place] = frozenset()
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    limited: dict[Place, list[Place]] = field(default_factory=dict)

    @property
    def is_single(self) -> bool:
        """Whether the entry itself is the miniature."""
        return self.root is self.model

    def note(self, what: str, why: str, figure: str = "") -> None:
        """Write down a doubt: what, why, the figure as it stands in the file."""
        self.notes.append((what, why, figure))

    def is_of_other(self, place: Place) -> bool:
        """Whether a place belongs to another kind of miniature of the same unit."""
        return not self.others.isdisjoint(place.path)

    def counts(self, models: int) -> Counts:
        """Return what a unit of so many has with nothing chosen: itself and what it must have."""
        found: Counts = {self.root: _ONE}
        if not self.is_single:
            self._add_way(found, self.model, Decimal(models))
        self.add_compulsory(found, self.root)
        return found

    def _add_way(self, found: Counts, place: Place, number: Decimal) -> None:
        """Add a place, and the entries around it as often as what they stand in."""
        above = place.entry
        if above is not None and above not in found:
            self._add_way(found, above, found.get(self.root, _ONE))
        found[place] = number

    def add_chosen(self, found: Counts, place: Place) -> None:
        """Add a place that is chosen once for each of what it stands in."""
        # Most stand in the unit itself, and what that must have is there already.
        if place in found:
            return
        for above in reversed([one for one in place.path if not one.is_group]):
            if above not in found:
                found[above] = found[above.entry] if above.entry else _ONE
        self.add_compulsory(found, place)

    def add_compulsory(self, found: Counts, below: Place) -> None:
        """Add what must be taken below a place, as often as it must."""
        for place in self._limited_below(below):
            if place in found or place.entry not in found:
                continue
            least = self.least(place, found)
            if least >= 1 and self.is_visible(place, found, Trace()):
                found[place] = least * found[place.entry]

    def _limited_below(self, below: Place) -> list[Place]:
        """Return the places below one that might have to be taken, looked for only once."""
        if below not in self.limited:
            self.limited[below] = [
                place
                for place in below.walk()
                if not place.is_group
                and place.type != "model"
                and any(limits(place, "min"))
                and not self.is_of_other(place)
            ]
        return self.limited[below]

    def least(self, place: Place, counts: Counts) -> Decimal:
        """Return how many of a place its parent must have."""
        values = [
            self.evaluation.limit(place, one, counts, Trace())
            for one in limits(place, "min")
        ]
        return max(values, default=Decimal(0))

    def most(self, place: Place, counts: Counts) -> Decimal | None:
        """Return how many of a place, or of a group's content, its parent may have."""
        values = [
            self.evaluation.limit(place, one, counts, Trace())
            for one in limits(place, "max")
        ]
        return min((value for value in values if value >= 0), default=None)

    def is_visible(self, place: Place, counts: Counts, trace: Trace) -> bool:
        """Whether a place and all around it but the root are shown."""
        around = (one for one in place.path if one is not self.root)
        return not any(self.evaluation.is_hidden(one, counts, trace) for one in around)

    def total(self, counts: Counts, price: str, trace: Trace) -> Decimal:
        """Return what everything there costs: the price of each by how many there are."""
        prices = [
            number * self.evaluation.price(place, price, counts, trace)
            for place, number in counts.items()
        ]
        return sum(prices, Decimal(0))


def check_unit_count(number: int) -> None:
    """Refuse more units than a club's list may have."""
    if number > OWN_UNITS_MAX:
        raise Refusal(
            f"This catalogue has more than {OWN_UNITS_MAX} units, the most of a list.",
            field="files",
        )


def kinds_of(
    root: Place, around: frozenset[str], lines: StatLines, steps: StepCount
) -> list[Kind]:
    """Return the kinds of miniatures of a root; none where it is only a setting."""
    evaluation = Evaluation(root, around, steps)
    if root.type in MODEL_TYPES:
        return [Kind(root, root, root.name, evaluation)]
    models = list(_models_in(root, "model")) or list(_models_in(root, "crew"))
    models = models or list(_models_in(root, "mount"))
    if not models:
        is_unit = root.type in ("unit", "unit-group") or lines.line_of(root) is not None
        return [Kind(root, root, root.name, evaluation)] if is_unit else []
    check_unit_count(len(models))
    kinds = []
    for model in models:
        name = root.name if len(models) == 1 else clean_name(f"{root.name}: {model.name}")
        others = frozenset(models) - {model}
        kinds.append(Kind(root, model, name, evaluation, others))
    # Whoever must be there comes first: the list begins with the usual miniature.
    return sorted(kinds, key=lambda one: not any(limits(one.model, "min")))


def _models_in(place: Place, type_: str) -> Iterator[Place]:
    """Yield the nearest models below a place, not those within a model."""
    for child in place.children:
        if child.type == type_:
            yield child
        else:
            yield from _models_in(child, type_)


def list_limit(kind: Kind, type_: str) -> tuple[int | None, bool]:
    """Return how many a list must or may have, and whether that depends on the list."""
    trace = Trace()
    counts = kind.counts(1)
    values = []
    for place in dict.fromkeys((kind.root, kind.model)):
        for one in list_limits(place, type_):
            if one.is_percent:
                kind.note(
                    "Limit", "a share of the list is not checked", number_text(one.value)
                )
                continue
            value = kind.evaluation.limit(place, one, counts, trace)
            values.append(int(value))
    kept = [value for value in values if value >= (0 if type_ == "max" else 1)]
    if not kept:
        return None, False
    return (min(kept) if type_ == "max" else max(kept)), trace.is_list


def group_bounds(
    kind: Kind, group: Place, counts: Counts
) -> tuple[int | None, int | None, bool]:
    """Return how many of a group a unit must and may take, and whether that depends on the list.

    None stands for no limit. A share is none, and one that nobody can reach neither.
    """
    trace = Trace()
    found: dict[str, list[int]] = {"min": [], "max": []}
    for type_, values in found.items():
        for one in limits(group, type_):
            values.append(int(kind.evaluation.limit(group, one, counts, trace)))
    least = max((value for value in found["min"] if value > 0), default=None)
    most = min((value for value in found["max"] if value >= 0), default=None)
    if most is not None and most > PIECES_HELD:
        most = None
    return least, most, trace.is_list


def size_of(kind: Kind) -> tuple[int | None, int | None]:
    """Return how many miniatures the unit has in the catalogue, at least and at most."""
    if kind.is_single:
        return None, None
    counts = kind.counts(1)
    least = int(kind.least(kind.model, counts))
    most = kind.most(kind.model, counts)
    return (least if 1 <= least <= 200 else None), (
        int(most) if most is not None and 1 <= most <= 200 else None
    )


def stats_of(kind: Kind, lines: StatLines) -> dict[str, int | str | None]:
    """Return the figures of the miniature, empty where the file has none, which is noted."""
    counts = kind.counts(1)
    for place in dict.fromkeys((kind.model, kind.root)):
        if stats := line_stats(kind, lines, place, counts):
            return stats
    kind.note("Stat line", "the catalogue has none for it")
    return {}


def line_stats(
    kind: Kind, lines: StatLines, place: Place, counts: Counts
) -> dict[str, int | str | None]:
    """Return the figures of a place with so many of each, empty where it has no stat line."""
    profile = lines.line_of(place)
    if profile is None:
        return {}
    changed = partial(_figure, kind, View(place, counts, Trace()))
    stats, strange = lines.stats(profile, changed)
    for figure in strange:
        kind.note("Stat line", "a figure is no number", figure)
    return stats


def rules_of(kind: Kind, lines: StatLines) -> Texts:
    """Return the names of the unit's rules; their words are not kept."""
    places = dict.fromkeys((kind.root, kind.model))
    return names_of(node for place in places for node in lines.rules(place))


def _figure(kind: Kind, view: View, text: str, key: str, element: Element) -> str:
    """Return a figure of a stat line after the changes of the catalogue."""
    return kind.evaluation.figure(text, key, element, view)


# The heading of a unit


@frozen_dataclass
class Heading:
    """The id of a unit's category, and the ids of others with the names of what brings them."""

    category: str
    others: tuple[tuple[str, Texts], ...] = ()


def heading_of(kind: Kind, index: Mapping[str, Node]) -> Heading:
    """Return under which category a unit stands, after the changes of the catalogue.

    A change that one entry of the list decides is kept with its name; others are noted. ``index``
    is what ids stand for.
    """
    category, others = kind.root.primary or kind.model.primary, []
    for place, change in _category_changes(kind):
        trace = Trace()
        holds = kind.evaluation.holds(change, View(place, kind.counts(1), trace))
        if trace.is_certain and holds:
            category = change.value
        elif trace.is_list and (names := _deciding(change, index)):
            others.append((change.value, names))
        elif trace.is_list:
            kind.note("Category", "in some lists it stands under another one")
    return Heading(category, tuple(others))


def _category_changes(kind: Kind) -> Iterator[tuple[Place, Change]]:
    """Yield the changes that put a unit under another category, with the place they stand at."""
    for place in dict.fromkeys((kind.root, kind.model)):
        for change in chain.from_iterable(
            one.changes_of("category") for one in place.elements
        ):
            if change.type == "set-primary":
                yield place, change


def _deciding(change: Change, index: Mapping[str, Node]) -> Texts:
    """Return the names of the entries of which one alone decides a change; empty for all else."""
    test = _only_test(change.tests)
    if test is None or (len(test.conditions) > 1 and test.type != "or"):
        return ()
    nodes = [index.get(one.child) for one in test.conditions if _is_presence(one)]
    entries = [one for one in nodes if one is not None and one.name == "selectionEntry"]
    return names_of(entries) if len(entries) == len(test.conditions) else ()


def _only_test(tests: tuple[Test, ...]) -> Test | None:
    """Return the only group that has conditions, None where there are several or none."""
    asked = [one for one in tests if one.conditions or one.tests]
    if len(asked) != 1 or (asked[0].conditions and asked[0].tests):
        return None
    # A group may hold nothing but another group.
    return asked[0] if asked[0].conditions else _only_test(asked[0].tests)


def _is_presence(condition: Condition) -> bool:
    """Whether a condition asks for one or more of something, no matter how many."""
    least = {"atLeast": 1, "greaterThan": 0, "notEqualTo": 0, "instanceOf": condition.value}
    return least.get(condition.type) == condition.value and not condition.is_percent
