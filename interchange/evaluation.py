"""What a place costs and whether it is shown, with so many miniatures and these things chosen.

Only what is inside a unit is looked at. Whatever else a figure depends on is told by a trace.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

import re2

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

Numbers = Mapping[Place, Decimal]
"""How many there are of each place that a unit has."""
COMPARED: Mapping[str, Callable[[Decimal, Decimal], bool]] = {
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
class Trace:
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
        self.tagged: dict[str, list[Place]] = {}
        for place in root.walk():
            if not place.is_group:
                for tag in place.tags:
                    self.tagged.setdefault(tag, []).append(place)

    def price(self, place: Place, kind: str, numbers: Numbers, trace: Trace) -> Decimal:
        """Return the price of one piece; the entry's changes come before the link's."""
        self.steps.take()
        value = place.price(kind) or _NOTHING
        for element in place.elements:
            for change in element.changes_of(kind):
                value = self._changed(value, change, View(place, numbers, trace))
        return value

    def is_hidden(self, place: Place, numbers: Numbers, trace: Trace) -> bool:
        """Whether a place is not shown; an entry and the link to it may each be hidden."""
        self.steps.take()
        view = View(place, numbers, trace)
        found = [self._is_element_hidden(element, view) for element in place.elements]
        return True in found

    def _is_element_hidden(self, element: Element, view: "View") -> bool:
        """Whether an element is hidden once its changes that apply are made."""
        hidden = element.is_hidden
        for change in element.changes_of("hidden"):
            if change.type == "set" and self._holds_all(change.tests, view):
                hidden = change.value == "true"
        return hidden

    def limit(
        self, place: Place, constraint: Constraint, numbers: Numbers, trace: Trace
    ) -> Decimal:
        """Return what a limit comes to; below 0 there is none."""
        value = constraint.value
        for element in place.elements:
            for change in element.changes_of(constraint.id):
                value = self._changed(value, change, View(place, numbers, trace))
        return value

    def figure(self, text: str, key: str, element: Element, view: "View") -> str:
        """Return a figure of a stat line with the changes that hold; text stays text."""
        for change in element.changes_of(key):
            if change.type == "set":
                if self._holds_all(change.tests, view):
                    text = change.value
            elif _WHOLE.fullmatch(text.strip()):
                value = self._changed(Decimal(text.strip()), change, view)
                text = number_text(value)
        return text

    def holds(self, change: Change, view: "View") -> bool:
        """Whether a change is made: all its conditions hold."""
        return self._holds_all(change.tests, view)

    def _changed(self, value: Decimal, change: Change, view: "View") -> Decimal:
        """Return a value after one change, where its conditions hold."""
        if not self._holds_all(change.tests, view):
            return value
        if not change.repeats:
            times = Decimal(1)
        else:
            times = sum(
                (one.of(self._count(one.count, view)) for one in change.repeats), _NOTHING
            )
        amount = _amount(change.value)
        if amount is None:
            view.trace.unread.add(f"a change by “{change.value[:20]}”")
            return value
        calculate = CALCULATED.get(change.type)
        if calculate is None:
            view.trace.unread.add(f"a change “{change.type[:20]}”")
            return value
        changed = calculate(value, amount, times)
        if abs(changed) > _HIGHEST_FIGURE:
            view.trace.unread.add(f"a figure above {_HIGHEST_FIGURE:,}")
            return value
        return changed

    def _holds_all(self, tests: Iterable[Test], view: "View") -> bool:
        # Every test is asked, so that the trace knows all that it depends on.
        found = [self._holds(test, view) for test in tests]
        return False not in found

    def _holds(self, test: Test, view: "View") -> bool:
        """Whether a group of conditions holds."""
        found = [self._is_met(one, view) for one in test.conditions]
        found += [self._holds(one, view) for one in test.tests]
        if not found:
            return True
        if test.type == "or":
            return any(found)
        if test.type == "not":
            return not any(found)
        if test.type != "and":
            view.trace.unread.add(f"a group “{test.type[:20]}”")
        return all(found)

    def _is_met(self, condition: Condition, view: "View") -> bool:
        """Whether one condition is met; one that cannot be read is not, and is noted."""
        kind = condition.type
        if kind in ("always", "never"):
            return kind == "always"
        if kind in ("instanceOf", "notInstanceOf"):
            return self._is_instance(condition, view) == (kind == "instanceOf")
        compare = COMPARED.get(kind)
        if compare is None:
            view.trace.unread.add(f"a condition “{kind[:20]}”")
            return False
        return compare(self._count(condition, view), condition.value)

    def _is_instance(self, condition: Condition, view: "View") -> bool:
        """Whether what a scope names is of a kind."""
        child, place = condition.child, view.place
        if condition.scope == "self":
            return child in place.tags
        if condition.scope == "ancestor":
            above = [one for one in place.path if one is not place]
            # A group or a link around it counts too.
            return any(child in one.tags for one in above) or child in self.around
        if condition.scope in OUTER_SCOPES:
            return child in self.around or child == self.root.primary
        scope = self.scope_of(condition.scope, place)
        return scope is not None and child in scope.tags

    def scope_of(self, name: str, place: Place) -> Place | None:
        """Return the place a scope names, None for the whole list."""
        if name == "self":
            return place
        if name == "parent":
            return place.entry
        if name == "root-entry":
            return self.root
        if name in ("model", "unit", "upgrade", "model-or-unit"):
            wanted = MODEL_TYPES | {"unit"} if name == "model-or-unit" else {name}
            return next((one for one in place.path if one.type in wanted), None)
        return next((one for one in place.path if name in one.tags), None)

    def _count(self, count: Condition, view: "View") -> Decimal:
        """Return how many of something stand inside a scope; the scope itself never counts."""
        if count.field != "selections" or count.is_percent:
            if count.field == "forces" and not count.is_percent:
                return Decimal(1)
            view.trace.unread.add("a count of points or of shares")
            return _NOTHING
        self.steps.take(len(view.numbers) + len(self.tagged.get(count.child, ())))
        scope = None
        if count.scope not in OUTER_SCOPES:
            scope = self.scope_of(count.scope, view.place)
        if scope is None:
            view.trace.is_list = True
        self._note_options(count, scope, view)
        return sum(
            (
                number
                for place, number in view.numbers.items()
                if _is_counted(place, count, scope)
            ),
            _NOTHING,
        )

    def _note_options(self, count: Condition, scope: Place | None, view: "View") -> None:
        """Note what of the unit would be counted if it were chosen."""
        for place in self.tagged.get(count.child, ()):
            is_other = place not in view.numbers and place is not view.place
            if is_other and _is_counted(place, count, scope):
                view.trace.options.add(place)


# What is asked of a place


@dataclass(slots=True)
class View:
    """Where a condition is asked, and what there is."""

    place: Place
    numbers: Numbers
    trace: Trace


def view(place: Place, numbers: Numbers) -> View:
    """Return where a figure is asked for, without anybody to tell what it depends on."""
    return View(place, numbers, Trace())


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


def _amount(text: str) -> Decimal | None:
    """Return the value of a change, None for what is no figure of a game."""
    try:
        amount = Decimal(text.strip())
    except ArithmeticError:
        return None
    is_read = amount.is_finite() and (
        not amount or _LEAST_AMOUNT <= abs(amount) < 1_000_000
    )
    return amount if is_read else None
