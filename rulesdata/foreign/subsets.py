"""What the prices of a catalogue depend on: by how much of its conditions each comes through.

A subset says what is evaluated, and each holds those before it. We evaluate up to S4.
"""

from collections import Counter
from collections.abc import Iterator

from engine.records import frozen_dataclass
from rulesdata.foreign.catalogues import Closure
from rulesdata.foreign.entries import Change, Condition, Test
from rulesdata.foreign.evaluation import (
    CALCULATED,
    COMPARED,
    OUTER_SCOPES,
    Evaluation,
    StepCount,
)
from rulesdata.foreign.places import MODEL_TYPES, Place, Unfolding
from rulesdata.foreign.prices import choose_prices, price_names
from rulesdata.foreign.stat_lines import StatLines
from rulesdata.foreign.translation import is_of_campaign, surroundings
from rulesdata.foreign.units import Kind, kinds_of
from rulesdata.schema.lists import CLASSIC_STATS

NOTHING, UNCONDITIONAL, STATIC, OWN_OPTIONS, MODELS, LIST, BEYOND = range(7)
WORDS = (
    "nothing",
    "changes without conditions",
    "what is static",
    "own options",
    "models, and repeats",
    "the rest of the list",
    "what nobody evaluates",
)


@frozen_dataclass
class PriceLevels:
    """How many units, and places of options, need which subset for their prices."""

    units: Counter[int]
    places: Counter[int]


def measure(closure: Closure) -> PriceLevels:
    """Return what the prices of a catalogue's units and options depend on.

    A unit needs what the most demanding of its prices needs. Raises Refusal as a reading does.
    """
    unfolding = Unfolding(closure, is_of_campaign)
    columns = [one.id for one in CLASSIC_STATS]
    lines = StatLines(closure, unfolding.index, columns)
    price = choose_prices(price_names(closure)).first
    steps, found = StepCount(), PriceLevels(Counter(), Counter())
    for node in unfolding.roots():
        root = unfolding.unfold(node)
        kinds = kinds_of(root, surroundings(closure), lines, steps) if root else []
        for kind in kinds:
            levels = dict(_place_levels(kind, price))
            found.units[max(levels.values())] += 1
            found.places.update(
                level for place, level in levels.items() if place is not kind.root
            )
    return found


def _place_levels(kind: Kind, price: str) -> Iterator[tuple[Place, int]]:
    """Yield what the price of each place of a unit needs, groups left out."""
    for place in kind.root.walk():
        if not place.is_group and not kind.is_of_other(place):
            changes = [one for each in place.elements for one in each.changes_of(price)]
            levels = (change_level(kind.evaluation, place, one) for one in changes)
            yield place, max(levels, default=NOTHING)


def change_level(evaluation: Evaluation, place: Place, change: Change) -> int:
    """Return the subset that one change of a price needs."""
    if change.type not in CALCULATED:
        return BEYOND
    levels = [UNCONDITIONAL]
    for test in change.tests:
        levels += [condition_level(evaluation, place, one) for one in _all_conditions(test)]
    for repeat in change.repeats:
        level = condition_level(evaluation, place, repeat.count)
        # How often an own option is bought is a number, as that of the models.
        levels.append(MODELS if level == OWN_OPTIONS else level)
    return max(levels)


def _all_conditions(test: Test) -> Iterator[Condition]:
    """Yield the conditions of a group and of the groups in it."""
    yield from test.conditions
    for inner in test.tests:
        yield from _all_conditions(inner)


def condition_level(evaluation: Evaluation, place: Place, asked: Condition) -> int:
    """Return the subset that one condition needs."""
    if asked.type in ("always", "never"):
        return UNCONDITIONAL
    if asked.type in ("instanceOf", "notInstanceOf"):
        return STATIC
    if asked.field == "forces":
        return STATIC
    # A repeat counts without comparing.
    is_read = asked.type in COMPARED or not asked.type
    if not is_read or asked.field != "selections" or asked.is_percent:
        return BEYOND
    return _count_level(evaluation, place, asked)


def _count_level(evaluation: Evaluation, place: Place, asked: Condition) -> int:
    """Return the subset that a count of selections needs, by what it counts and where."""
    if asked.scope in OUTER_SCOPES or evaluation.scope_of(asked.scope, place) is None:
        return LIST
    counted = evaluation.tagged.get(asked.child, ())
    if not counted:
        return STATIC
    return MODELS if any(one.type in MODEL_TYPES for one in counted) else OWN_OPTIONS
