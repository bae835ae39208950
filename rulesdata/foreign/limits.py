"""Which limits stand at a place of a catalogue: of its parent, of the whole list, of points."""

from collections.abc import Iterator

from rulesdata.foreign.entries import Constraint
from rulesdata.foreign.places import Place

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
