"""Limits that an army list brings along: how many it must and may have of something."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.findings.case import (
    FIXES_SHOWN,
    Case,
    Finding,
    Fix,
    count,
    indexes,
    removals,
)
from engine.second_price import total_second
from engine.selection import Selection
from engine.types.lists import ListLimit, Option

SOURCE = "Army list"
# No system prints these, so they are no guidelines of one.
MINIMUM, MAXIMUM, RATIO = "list.minimum", "list.maximum", "list.ratio"
ABOVE = "list.second"
TRADE = "list.trade"
TITLES = {
    MINIMUM: "Fewer than the list needs",
    MAXIMUM: "More than the list allows",
    RATIO: "Too many beside the others",
    TRADE: "Sold in campaigns only",
}


def broken_limits(case: Case) -> Iterator[Finding]:
    """Yield a finding for each limit of the list that a roster breaks.

    Nobody is told what is missing before the first warrior has joined.
    """
    if not case.selections:
        return
    for limit in case.army.limits:
        if limit.per == "each-unit":
            yield from _of_each(case, limit)
        else:
            yield from _of_list(case, limit)


def traded_gear(case: Case) -> Iterator[Finding]:
    """Yield a note for each entry with something that campaigns alone sell.

    In a campaign it was bought there.
    """
    if case.roster.growth is not None:
        return
    for one in case.selections:
        bought = [
            option
            for option in (*one.options, *one.champions_options)
            if option.is_trade_only
        ]
        if bought:
            names = ", ".join(option.name for option in bought)
            yield Finding(
                code=TRADE,
                level="note",
                message=f"{one.label}: {names}. The army list sells this in campaigns only.",
                warriors=(one.index,),
                source=SOURCE,
                fixes=tuple(_removed(one, option) for option in bought[:FIXES_SHOWN]),
                title=TITLES[TRADE],
            )


def _removed(one: Selection, option: Option) -> Fix:
    return Fix(f"Remove {option.name}", "remove_option", one.index, option.key)


def _of_list(case: Case, limit: ListLimit) -> Iterator[Finding]:
    """Yield what breaks a limit, counted over the whole list."""
    found = [one for one in case.selections if _is_counted(one, limit)]
    number = _number(case, found, limit)
    if limit.per == "each" and limit.maximum is not None:
        # What is allowed for each of them is allowed so often as there are of them.
        beside = [one for one in case.selections if _is_of(one, limit.per_of)]
        limit = replace(limit, maximum=limit.maximum * (count(beside) // limit.per_number))
    for code, bound in _bounds(limit, number):
        message = f"{number} of {limit.name}; the army list {bound}{_beside(limit)}."
        yield _finding(code, limit, message, found if code == MAXIMUM else ())


def _of_each(case: Case, limit: ListLimit) -> Iterator[Finding]:
    """Yield a finding for each entry that buys too many or too few of the options."""
    offering = set(limit.options)
    for one in case.selections:
        sold = {option.key for option in one.profile.all_options} if one.profile else set()
        if not offering & sold or not _is_counted(one, limit):
            continue
        number = _bought(one, limit)
        for code, bound in _bounds(limit, number):
            message = f"{one.label}: {number} of {limit.name}; the army list {bound}."
            yield _finding(code, limit, message, (one,))


def _bounds(limit: ListLimit, number: int) -> Iterator[tuple[str, str]]:
    """Yield the bound that a number breaks: its code and words."""
    if limit.maximum is not None and number > limit.maximum:
        yield MAXIMUM, f"allows {limit.maximum}"
    if limit.minimum is not None and number < limit.minimum:
        yield MINIMUM, f"needs {limit.minimum}"


def _number(case: Case, found: Sequence[Selection], limit: ListLimit) -> int:
    """Return what is counted: options by the piece, units as their system has them, or models."""
    if limit.options:
        return sum(_bought(one, limit) * one.entry.count for one in found)
    return len(found) if case.system.regiments else count(found)


def _bought(one: Selection, limit: ListLimit) -> int:
    return sum(one.bought.get(key, 0) for key in limit.options)


def _is_counted(one: Selection, limit: ListLimit) -> bool:
    """Whether an entry is of the units and the category of a limit, where it names any."""
    profile = one.profile
    if profile is None:
        return False
    if limit.units and profile.key not in limit.units:
        return False
    return not limit.category or profile.category == limit.category


def _is_of(one: Selection, key: str) -> bool:
    return one.profile is not None and key in (one.profile.key, one.profile.category)


def _beside(limit: ListLimit) -> str:
    if limit.per != "each":
        return ""
    return f" beside so many of {limit.per_of.replace('-', ' ')}"


def _finding(
    code: str, limit: ListLimit, message: str, found: Sequence[Selection]
) -> Finding:
    """Return what is found; where the source has exceptions it is a note that says so."""
    if limit.per == "each" and code == MAXIMUM:
        code = RATIO
    if limit.depends:
        message = f"{message} Some lists of this source have another limit."
    return Finding(
        code=code,
        level="note" if limit.depends else limit.level,
        message=message,
        warriors=indexes(found),
        source=SOURCE,
        fixes=() if code == MINIMUM else removals(found),
        title=TITLES[code],
    )


def second_above(case: Case) -> Iterator[Finding]:
    """Yield a finding where a roster adds up to more than its list allows."""
    price = case.army.second_price
    if price is None or price.maximum is None:
        return
    total = total_second(case.selections, case.army)
    if total > price.maximum:
        yield Finding(
            code=ABOVE,
            level=price.level,
            message=f"{price.name} {total}; the army list allows {price.maximum}.",
            source=SOURCE,
            title=f"{price.name} too high",
        )
