"""The figure that a list adds up beside its points, such as a warband rating."""

from collections.abc import Iterable

from engine.selection import Selection
from engine.types.lists import Army, Option


def second_of(selection: Selection, army: Army) -> int:
    """Return the second price of an entry: of each miniature with what it bought, and what the
    entry pays once.
    """
    if selection.profile is None:
        return 0
    own = (*selection.options, *selection.champions_options)
    once = [one for one in own if army.sells_once(one)]
    each = [one for one in own if one not in once]
    bought = _sum(each, selection) + selection.profile.base_terms.second
    return bought * selection.entry.count + _sum(once, selection)


def _sum(options: Iterable[Option], selection: Selection) -> int:
    return sum(option.terms.second * selection.bought[option.key] for option in options)


def total_second(selections: Iterable[Selection], army: Army) -> int:
    """Return the second price of a roster, 0 where its list has none."""
    if army.second_price is None:
        return 0
    return sum(second_of(one, army) for one in selections)
