"""What a place costs and whether it is shown, with so many miniatures and these things chosen.

Only what is inside a unit is looked at. Whatever else a figure depends on is noted.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import re2

from engine.records import grouped
from interchange.entries import (
    MODEL_TYPES,
    Change,
    Condition,
    Constraint,
    Element,
    Place,
    Test,
)
from interchange.files import refusal

Counts = dict[Place, Decimal]
"""How many there are of each place that a unit has."""
COMPARED = {
    "atLeast": operator.ge,
    "greaterThan": operator.gt,
    "atMost": operator.le,
    "lessThan": operator.lt,
    "equalTo": operator.eq,
    "notEqualTo": operator.ne,
}
CALCULATED: Mapping[str, Callable[[Decimal, Decimal, Decimal], Decimal]] = {
    "set": lambda value, amount, times: amount if times else value,
    "increment": lambda value, amount, times: value + amount * times,
    "decrement": lambda value, amount, times: value - amount * times,
    "multiply": lambda value, amount, times: value * amount if times else value,
    "divide": lambda value, amount, times: value / amount if amount and times else value,
}
OUTER_SCOPES = frozenset(
    ("force", "roster", "primary-category", "primary-catalogue", "faction")
)
_NOTHING = Decimal(0)
STEPS_MAX = 5_000_000
_HIGHEST_FIGURE = 1_000_000_000
_LEAST_AMOUNT = Decimal("0.0001")
_WHOLE = re2.compile(r"-?[0-9]{1,6}")


@dataclass(slots=True)
class Dependencies:
    """What a figure depended on.

    ``options`` are things of the same unit that were not chosen, ``is_list`` the rest of the list,
    ``unread`` what is not evaluated.
    """

    options: set[Place] = field(default_factory=set)
    is_list: bool = False
    unread: set[str] = field(default_factory=set)

    @property
    def is_certain(self) -> bool:
        return not (self.is_list or self.unread)


class StepCount:
    """Counts what is evaluated in a whole catalogue, so that no file takes for ever."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, number: int = 1) -> None:
        """Count so many steps. Raises Refusal for one too many."""
        self.taken += number
        if self.taken > STEPS_MAX:
            raise refusal(
                f"This catalogue takes more than {STEPS_MAX:,} steps to work out its prices. "
                "Send one catalogue with what it needs."
            )


class Evaluation:
    """Evaluates within one unit. ``around`` are the ids of its catalogue, game and force."""

    def __init__(self, root: Place, around: frozenset[str], steps: StepCount) -> None:
        """Index the places of a unit by their tags, except its groups."""
        self.steps = steps
        self.root = root
        self.around = around
        entries = (place for place in root.walk() if not place.is_group)
        self.tagged = grouped((tag, place) for place in entries for tag in place.tags)

    def at(
        self, place: Place, counts: Counts, dependencies: Dependencies | None = None
    ) -> "PlaceEvaluation":
        """Return what answers questions about a place in a unit that has so many of each.

        What the answers depend on is noted in ``dependencies``.
        """
        return PlaceEvaluation(self, place, counts, dependencies or Dependencies())


@dataclass(slots=True)
class PlaceEvaluation:
    """Evaluates at one place of a unit."""

    unit: Evaluation
    place: Place
    counts: Counts
    dependencies: Dependencies

    def price(self, kind: str) -> Decimal:
        """Return the price of one piece; the entry's changes come before the link's."""
        self.unit.steps.take()
        value = self.place.price(kind) or _NOTHING
        return self._changed_by(value, kind)

    def is_hidden(self) -> bool:
        """Whether a place is not shown; an entry and the link to it may each be hidden."""
        self.unit.steps.take()
        is_any_hidden = False
        for element in self.place.elements:
            hidden = element.is_hidden
            for change in element.changes_to("hidden"):
                if change.type == "set" and self.holds(change):
                    hidden = change.value == "true"
            is_any_hidden = is_any_hidden or hidden
        return is_any_hidden

    def limit(self, constraint: Constraint) -> Decimal:
        """Return what a limit comes to; below 0 there is none."""
        return self._changed_by(constraint.value, constraint.id)

    def figure(self, text: str, key: str, element: Element) -> str:
        """Return a figure of a stat line with the changes that hold; text stays text."""
        for change in element.changes_to(key):
            if change.type == "set":
                if self.holds(change):
                    text = change.value
            elif _WHOLE.fullmatch(text.strip()):
                text = number_text(self._changed(Decimal(text.strip()), change))
        return text

    def holds(self, change: Change) -> bool:
        """Whether a change is made: all its conditions hold."""
        # Every test is made, so that all that it depends on is noted.
        results = [self._holds(test) for test in change.tests]
        return all(results)

    def _changed_by(self, value: Decimal, name: str) -> Decimal:
        """Return a value after all changes of a field."""
        for element in self.place.elements:
            for change in element.changes_to(name):
                value = self._changed(value, change)
        return value

    def _changed(self, value: Decimal, change: Change) -> Decimal:
        """Return a value after one change, where its conditions hold."""
        if not self.holds(change):
            return value
        times = Decimal(1)
        if change.repeats:
            counted = (
                repeat.times_for(self._count(repeat.count)) for repeat in change.repeats
            )
            times = sum(counted, _NOTHING)
        amount = _read_amount(change.value)
        calculate = CALCULATED.get(change.type)
        if amount is None:
            self.dependencies.unread.add(f"a change by “{change.value[:20]}”")
        elif calculate is None:
            self.dependencies.unread.add(f"a change “{change.type[:20]}”")
        elif abs(changed := calculate(value, amount, times)) > _HIGHEST_FIGURE:
            self.dependencies.unread.add(f"a figure above {_HIGHEST_FIGURE:,}")
        else:
            return changed
        return value

    def _holds(self, test: Test) -> bool:
        """Whether a group of conditions holds."""
        results = [self._is_met(condition) for condition in test.conditions]
        results += [self._holds(inner) for inner in test.tests]
        if not results:
            return True
        if test.type == "or":
            return any(results)
        if test.type == "not":
            return not any(results)
        if test.type != "and":
            self.dependencies.unread.add(f"a group “{test.type[:20]}”")
        return all(results)

    def _is_met(self, condition: Condition) -> bool:
        """Whether one condition is met; one that cannot be read is not, and is noted."""
        kind = condition.type
        if kind in ("always", "never"):
            return kind == "always"
        if kind in ("instanceOf", "notInstanceOf"):
            return self._is_instance(condition) == (kind == "instanceOf")
        compare = COMPARED.get(kind)
        if compare is None:
            self.dependencies.unread.add(f"a condition “{kind[:20]}”")
            return False
        return compare(self._count(condition), condition.value)

    def _is_instance(self, condition: Condition) -> bool:
        """Whether what a scope names is of a kind."""
        child, place, unit = condition.child, self.place, self.unit
        if condition.scope == "ancestor":
            above = [ancestor for ancestor in place.path if ancestor is not place]
            # A group or a link around it counts too.
            return any(child in ancestor.tags for ancestor in above) or child in unit.around
        if condition.scope in OUTER_SCOPES:
            return child in unit.around or child == unit.root.primary
        scope = self._find_scope(condition.scope)
        return scope is not None and child in scope.tags

    def _find_scope(self, name: str) -> Place | None:
        """Return the place a scope names, None for the whole list."""
        place = self.place
        if name == "self":
            return place
        if name == "parent":
            return place.entry
        if name == "root-entry":
            return self.unit.root
        if name in ("model", "unit", "upgrade", "model-or-unit"):
            types = MODEL_TYPES | {"unit"} if name == "model-or-unit" else {name}
            return next(
                (ancestor for ancestor in place.path if ancestor.type in types), None
            )
        return next((ancestor for ancestor in place.path if name in ancestor.tags), None)

    def _count(self, count: Condition) -> Decimal:
        """Return how many of something stand inside a scope; the scope itself never counts."""
        if count.field == "forces" and not count.is_percent:
            return Decimal(1)
        if count.field != "selections" or count.is_percent:
            self.dependencies.unread.add("a count of points or of shares")
            return _NOTHING
        tagged = self.unit.tagged.get(count.child, ())
        self.unit.steps.take(len(self.counts) + len(tagged))
        scope = None
        if count.scope not in OUTER_SCOPES:
            scope = self._find_scope(count.scope)
        if scope is None:
            self.dependencies.is_list = True
        self._note_options(count, scope)
        counted = (
            number
            for place, number in self.counts.items()
            if _is_counted(place, count, scope)
        )
        return sum(counted, _NOTHING)

    def _note_options(self, count: Condition, scope: Place | None) -> None:
        """Note what of the unit would be counted if it were chosen."""
        for place in self.unit.tagged.get(count.child, ()):
            is_other = place not in self.counts and place is not self.place
            if is_other and _is_counted(place, count, scope):
                self.dependencies.options.add(place)


def _is_counted(place: Place, count: Condition, scope: Place | None) -> bool:
    """Whether a place counts for a condition within its scope; None is the whole list."""
    if count.child not in place.tags and count.child not in ("", "any"):
        return False
    if scope is None:
        return count.is_deep or place.parent is None
    if count.is_deep:
        return place.is_below(scope)
    return place.is_below(scope) and (place.entry is scope or scope.is_group)


# Numbers as the files write them


def number_text(value: Decimal) -> str:
    """Return a number as people write it: 4, not 4.0000."""
    return f"{value.normalize():f}"


def _read_amount(text: str) -> Decimal | None:
    """Return the value of a change, None for what is no figure of a game."""
    try:
        amount = Decimal(text.strip())
    except ArithmeticError:
        return None
    is_read = amount.is_finite() and (
        not amount or _LEAST_AMOUNT <= abs(amount) < 1_000_000
    )
    return amount if is_read else None
