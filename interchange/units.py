"""Units of a catalogue: one for each kind of miniature, with price, limits and options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain

from engine.errors import Refusal
from engine.records import Fields, Texts
from engine.types.lists import OWN_UNITS_MAX
from interchange.catalogues import clean_name
from interchange.entries import (
    LIST_SCOPES,
    MODEL_TYPES,
    Change,
    Condition,
    Place,
    Test,
    as_number,
    list_names,
)
from interchange.evaluation import Counts, Dependencies, Evaluation, StepCount, number_text
from interchange.nodes import Node
from interchange.profiles import StatLines
from interchange.tree import name_stem

PIECES_HELD = 200
EVERY_MOST = 99
NO_TEST = Test("and", (), ())
_ONE = Decimal(1)


@dataclass(slots=True)
class Kind:
    """A kind of miniature: the entry at the top of the list, and the model in it.

    They are the same where a single miniature is chosen. Its price is worked out from ``minimum`` of
    them.
    """

    root: Place
    model: Place
    name: str
    evaluation: Evaluation
    others: frozenset[Place] = frozenset()
    minimum: int = 1
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
        counts: Counts = {self.root: _ONE}
        if not self.is_single:
            entries = [place for place in self.model.path if not place.is_group]
            # The entries around it are there as often as what they stand in.
            for entry in reversed(entries):
                counts.setdefault(entry, _ONE)
            counts[self.model] = Decimal(models)
        self.add_compulsory(counts, self.root)
        return counts

    def add_chosen(self, counts: Counts, place: Place) -> None:
        """Add a place that is chosen once for each of what it stands in."""
        # Most stand in the unit itself, and what that must have is there already.
        if place in counts:
            return
        for above in reversed([place for place in place.path if not place.is_group]):
            if above not in counts:
                counts[above] = counts[above.entry] if above.entry else _ONE
        self.add_compulsory(counts, place)

    def add_compulsory(self, counts: Counts, below: Place) -> None:
        """Add what must be taken below a place, as often as it must."""
        if below not in self.limited:
            # The places that might have to be taken are looked for only once.
            self.limited[below] = [
                place
                for place in below.walk()
                if not place.is_group
                and place.type != "model"
                and place.limits("min")
                and not self.is_of_other(place)
            ]
        for place in self.limited[below]:
            if place in counts or place.entry not in counts:
                continue
            least = self.least(place, counts)
            if least >= 1 and self.is_visible(place, counts):
                counts[place] = least * counts[place.entry]

    def least(self, place: Place, counts: Counts) -> Decimal:
        """Return how many of a place its parent must have."""
        return max(self._limits(place, "min", counts), default=Decimal(0))

    def most(self, place: Place, counts: Counts) -> Decimal | None:
        """Return how many of a place, or of a group's content, its parent may have."""
        values = self._limits(place, "max", counts)
        return min((value for value in values if value >= 0), default=None)

    def _limits(self, place: Place, kind: str, counts: Counts) -> list[Decimal]:
        at = self.evaluation.at(place, counts)
        return [at.limit(limit) for limit in place.limits(kind)]

    def is_visible(
        self, place: Place, counts: Counts, dependencies: Dependencies | None = None
    ) -> bool:
        """Whether a place and all around it but the root are shown."""
        around = (place for place in place.path if place is not self.root)
        at = self.evaluation.at
        return not any(at(place, counts, dependencies).is_hidden() for place in around)

    def total(
        self, counts: Counts, price: str, dependencies: Dependencies | None = None
    ) -> Decimal:
        """Return what everything there costs: the price of each by how many there are."""
        prices = (
            number * self.evaluation.at(place, counts, dependencies).price(price)
            for place, number in counts.items()
        )
        return sum(prices, Decimal(0))


def check_unit_count(number: int) -> None:
    """Refuse more units than a club's list may have."""
    if number > OWN_UNITS_MAX:
        raise Refusal(
            f"This catalogue has more than {OWN_UNITS_MAX} units, the most of a list.",
            field="files",
        )


def list_kinds(
    root: Place, around: frozenset[str], lines: StatLines, steps: StepCount
) -> list[Kind]:
    """Return the kinds of miniatures of a root; none where it is only a setting."""
    evaluation = Evaluation(root, around, steps)
    if root.type in MODEL_TYPES:
        return [Kind(root, root, root.name, evaluation)]
    models = list(_models_in(root, "model")) or list(_models_in(root, "crew"))
    models = models or list(_models_in(root, "mount"))
    minimum = dict.fromkeys(models, 1)
    if not models:
        is_unit = root.type in ("unit", "unit-group") or lines.find_line(root) is not None
        minimum = _upgrade_models(root, lines) if is_unit else _units_in(root, lines)
        if is_unit and not minimum:
            return [Kind(root, root, root.name, evaluation)]
        models = list(minimum)
    check_unit_count(len(models))
    kinds = []
    for model in models:
        name = root.name if len(models) == 1 else clean_name(f"{root.name}: {model.name}")
        others = frozenset(models) - {model}
        kinds.append(Kind(root, model, name, evaluation, others, minimum[model]))
    # Whoever must be there comes first: the list begins with the usual miniature.
    return sorted(kinds, key=lambda kind: not kind.model.limits("min"))


def _models_in(place: Place, type_: str) -> Iterator[Place]:
    """Yield the nearest models below a place, not those within a model."""
    for child in place.children:
        if child.type == type_:
            yield child
        else:
            yield from _models_in(child, type_)


def _units_in(root: Place, lines: StatLines) -> dict[Place, int]:
    """Return the units in a choice that is none; those without price and line are settings."""
    return {
        unit: 1
        for unit in _models_in(root, "unit")
        if lines.find_line(unit) is not None
        or any(any(element.costs.values()) for element in unit.elements)
    }


def _upgrade_models(root: Place, lines: StatLines) -> dict[Place, int]:
    """Return the choices of type upgrade that are a unit's miniatures, and how many it must have.

    They have a stat line or the unit's name, else it must have most of them, and may have more.
    """
    sure: dict[Place, int] = {}
    ranges: dict[Place, int] = {}
    for place in root.walk():
        if place.is_group or place.entry is not root:
            continue
        own = _base_limit(place, "min")
        least = max(own, _base_limit(place.parent or place, "min"))
        is_named = name_stem(place.name) == name_stem(root.name)
        if least > 1 and (is_named or lines.find_line(place)):
            sure[place] = least
        elif own > 1 and _base_limit(place, "max") != own:
            ranges[place] = own
    return sure or dict(sorted(ranges.items(), key=lambda pair: -pair[1])[:1])


def _base_limit(place: Place, kind: str) -> int:
    """Return a limit of a place as the file has it, without changes; 0 for none."""
    return max((int(limit.value) for limit in place.limits(kind)), default=0)


def list_limit(kind: Kind, type_: str) -> tuple[int | None, bool]:
    """Return how many a list must or may have, and whether that depends on the list."""
    dependencies = Dependencies()
    counts = kind.counts(1)
    values = []
    for place in dict.fromkeys((kind.root, kind.model)):
        for limit in place.list_limits(type_):
            if limit.is_percent:
                figure = number_text(limit.value)
                kind.note("Limit", "a share of the list is not checked", figure)
            else:
                value = kind.evaluation.at(place, counts, dependencies).limit(limit)
                values.append(int(value))
    values = [value for value in values if value >= (0 if type_ == "max" else 1)]
    if not values:
        return None, False
    return (min(values) if type_ == "max" else max(values)), dependencies.is_list


def list_ratio(kind: Kind) -> tuple[int, int, str] | None:
    """Return how many a list may have for every so many of another entry, and its id.

    None where the limit is another one.
    """
    places = dict.fromkeys((kind.root, kind.model))
    limits = [(place, limit) for place in places for limit in place.list_limits("max")]
    if len(limits) != 1:
        return None
    place, limit = limits[0]
    # From 0 it must be raised, once, by each of the others.
    changes = [c for element in place.elements for c in element.changes_to(limit.id)]
    if limit.value or limit.is_percent or len(changes) != 1:
        return None
    change, repeats = changes[0], tuple(changes[0].repeats)
    if len(repeats) != 1:
        return None
    repeat, count = repeats[0], repeats[0].count
    most, every = as_number(change.value) * repeat.times, count.value
    is_read = (
        change.type == "increment",
        all(test == NO_TEST for test in change.tests),
        count.scope in LIST_SCOPES,
        count.field == "selections",
        count.child,
        not count.is_percent,
        not repeat.is_rounded_up,
        most in range(1, PIECES_HELD + 1),
        every in range(1, EVERY_MOST + 1),
    )
    return (int(most), int(every), count.child) if all(is_read) else None


def group_bounds(
    kind: Kind, group: Place, counts: Counts
) -> tuple[int | None, int | None, bool]:
    """Return how many of a group a unit must and may take, and whether that depends on the list.

    None stands for no limit. A share is none, and one that nobody can reach neither.
    """
    dependencies = Dependencies()
    at = kind.evaluation.at(group, counts, dependencies)
    least_values = [int(at.limit(limit)) for limit in group.limits("min")]
    most_values = [int(at.limit(limit)) for limit in group.limits("max")]
    least = max((value for value in least_values if value > 0), default=None)
    most = min((value for value in most_values if value >= 0), default=None)
    if most is not None and most > PIECES_HELD:
        most = None
    return least, most, dependencies.is_list


def unit_size(kind: Kind) -> tuple[int | None, int | None]:
    """Return how many miniatures the unit has in the catalogue, at least and at most."""
    if kind.is_single:
        return None, None
    counts = kind.counts(1)
    least, most = int(kind.least(kind.model, counts)), kind.most(kind.model, counts)
    return (
        least if 1 <= least <= 200 else None,
        int(most) if most is not None and 1 <= most <= 200 else None,
    )


def unit_stats(kind: Kind, lines: StatLines) -> Fields:
    """Return the figures of the miniature, empty where the file has none, which is noted."""
    counts = kind.counts(1)
    for place in dict.fromkeys((kind.model, kind.root)):
        if stats := line_stats(kind, lines, place, counts):
            return stats
    kind.note("Stat line", "the catalogue has none for it")
    return {}


def line_stats(kind: Kind, lines: StatLines, place: Place, counts: Counts) -> Fields:
    """Return the figures of a place with so many of each, empty where it has no stat line."""
    profile = lines.find_line(place)
    if profile is None:
        return {}
    stats, strange = lines.stats(profile, kind.evaluation.at(place, counts).figure)
    for figure in strange:
        kind.note("Stat line", "a figure is no number", figure)
    return stats


def unit_rules(kind: Kind, lines: StatLines) -> Texts:
    """Return the names of the unit's rules; their words are not kept."""
    places = dict.fromkeys((kind.root, kind.model))
    return list_names(node for place in places for node in lines.rules(place))


# The heading of a unit


def unit_heading(
    kind: Kind, index: Mapping[str, Node]
) -> tuple[str, tuple[tuple[str, Texts], ...]]:
    """Return the id of the category a unit stands under, after the changes of the catalogue, and
    those of others with the names of what brings them.

    A change that one entry of the list decides is kept with its name; others are noted. ``index``
    is what ids stand for.
    """
    category, others = kind.root.primary or kind.model.primary, []
    for place in dict.fromkeys((kind.root, kind.model)):
        for change in chain.from_iterable(
            element.changes_to("category") for element in place.elements
        ):
            if change.type != "set-primary":
                continue
            dependencies = Dependencies()
            holds = kind.evaluation.at(place, kind.counts(1), dependencies).holds(change)
            if dependencies.is_certain and holds:
                category = change.value
            elif dependencies.is_list and (names := _deciding_names(change, index)):
                others.append((change.value, names))
            elif dependencies.is_list:
                kind.note("Category", "in some lists it stands under another one")
    return category, tuple(others)


def _deciding_names(change: Change, index: Mapping[str, Node]) -> Texts:
    """Return the names of the entries of which one alone decides a change; empty for all else."""
    test = _only_test(change.tests)
    if test is None or (len(test.conditions) > 1 and test.type != "or"):
        return ()
    nodes = [
        index.get(condition.child)
        for condition in test.conditions
        if _is_presence(condition)
    ]
    entries = [node for node in nodes if node is not None and node.name == "selectionEntry"]
    return list_names(entries) if len(entries) == len(test.conditions) else ()


def _only_test(tests: tuple[Test, ...]) -> Test | None:
    """Return the only group that has conditions, None where there are several or none."""
    filled = [test for test in tests if test.conditions or test.tests]
    if len(filled) != 1 or (filled[0].conditions and filled[0].tests):
        return None
    # A group may hold nothing but another group.
    return filled[0] if filled[0].conditions else _only_test(filled[0].tests)


def _is_presence(condition: Condition) -> bool:
    """Whether a condition asks for one or more of something, no matter how many."""
    least = {"atLeast": 1, "greaterThan": 0, "notEqualTo": 0, "instanceOf": condition.value}
    return least.get(condition.type) == condition.value and not condition.is_percent
