"""The warband as a whole: its points, who leads it, and the limits that its army list
brings along.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from engine.findings.case import (
    FIXES_SHOWN,
    Case,
    Finding,
    Fix,
    Occurrence,
    Occurrences,
    Parameter,
    change_words,
    count,
    indexes,
    kind,
    names,
    removals,
)
from engine.selection import Selection, points_over, price_kept, total_second
from engine.types.lists import ListLimit
from engine.types.mechanics import Guideline
from engine.types.systems import System

# Limits that an army list brings along: how many it must and may have of something.

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
    for entry in case.selections:
        bought = [
            option
            for option in (*entry.options, *entry.champions_options)
            if option.is_trade_only
        ]
        if bought:
            names = ", ".join(option.name for option in bought)
            yield Finding(
                code=TRADE,
                level="note",
                message=f"{entry.label}: {names}. The army list sells this in campaigns only.",
                warriors=(entry.index,),
                source=SOURCE,
                fixes=tuple(
                    Fix(f"Remove {option.name}", "remove_option", entry.index, option.key)
                    for option in bought[:FIXES_SHOWN]
                ),
                title=TITLES[TRADE],
            )


def _of_list(case: Case, limit: ListLimit) -> Iterator[Finding]:
    """Yield what breaks a limit, counted over the whole list."""
    counted = [entry for entry in case.selections if _is_counted(entry, limit)]
    if limit.options:
        number = sum(_bought(each, limit) * each.entry.count for each in counted)
    else:
        number = len(counted) if case.system.regiments else count(counted)
    if limit.per == "each" and limit.maximum is not None:
        # What is allowed for each of them is allowed so often as there are of them.
        beside = [entry for entry in case.selections if _is_named(entry, limit.per_of)]
        limit = replace(limit, maximum=limit.maximum * (count(beside) // limit.per_number))
    for code, bound in _bounds(limit, number):
        message = f"{number} of {limit.name}; the army list {bound}{_beside(limit)}."
        yield _finding(code, limit, message, counted if code == MAXIMUM else ())


def _of_each(case: Case, limit: ListLimit) -> Iterator[Finding]:
    """Yield a finding for each entry that buys too many or too few of the options."""
    offering = set(limit.options)
    for entry in case.selections:
        profile = entry.profile
        sold = {option.key for option in profile.all_options} if profile else set()
        if not offering & sold or not _is_counted(entry, limit):
            continue
        number = _bought(entry, limit)
        for code, bound in _bounds(limit, number):
            message = f"{entry.label}: {number} of {limit.name}; the army list {bound}."
            yield _finding(code, limit, message, (entry,))


def _bounds(limit: ListLimit, number: int) -> Iterator[tuple[str, str]]:
    """Yield the bound that a number breaks: its code and words."""
    if limit.maximum is not None and number > limit.maximum:
        yield MAXIMUM, f"allows {limit.maximum}"
    if limit.minimum is not None and number < limit.minimum:
        yield MINIMUM, f"needs {limit.minimum}"


def _bought(entry: Selection, limit: ListLimit) -> int:
    return sum(entry.bought.get(key, 0) for key in limit.options)


def _is_counted(entry: Selection, limit: ListLimit) -> bool:
    """Whether an entry is of the units and the category of a limit, where it names any."""
    profile = entry.profile
    if profile is None:
        return False
    if limit.units and profile.key not in limit.units:
        return False
    return not limit.category or profile.category == limit.category


def _is_named(entry: Selection, key: str) -> bool:
    profile = entry.profile
    return profile is not None and key in (profile.key, profile.category)


def _beside(limit: ListLimit) -> str:
    if limit.per != "each":
        return ""
    return f" beside so many of {limit.per_of.replace('-', ' ')}"


def _finding(
    code: str, limit: ListLimit, message: str, entries: Sequence[Selection]
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
        warriors=indexes(entries),
        source=SOURCE,
        fixes=() if code == MINIMUM else removals(entries),
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


# The warband as a whole: its points against its limit, who leads it, prices kept from
# before.

LEADERS_OFFERED = 4  # remedies that a finding about the leader offers at most
# No guideline has this code, so no system and no event can leave the note out.
PRICE_KEPT = "price.kept"


@kind(fields={"total": int, "limit": int, "over": int})
def total_over_limit(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that costs more points than its limit."""
    total, limit = case.total, case.roster.points_limit
    if limit is not None and (over := points_over(limit, total)):
        fix = Fix(f"Raise the limit to {total}", "set_limit", value=total)
        yield Occurrence({"total": total, "limit": limit, "over": over}, fixes=(fix,))


@kind(
    fields={"limit": int, "minimum": int, "maximum": int},
    needs=(Parameter.MINIMUM, Parameter.MAXIMUM),
)
def limit_outside(case: Case, guideline: Guideline) -> Occurrences:
    """Find a limit below the minimum or above the maximum, but that of the army list itself."""
    limit = case.roster.points_limit
    if limit is None or limit == case.army.default_limit:
        return
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    if not low <= limit <= high:
        nearest = low if limit < low else high
        fix = Fix(f"Set the limit to {nearest}", "set_limit", value=nearest)
        yield Occurrence({"limit": limit, "minimum": low, "maximum": high}, fixes=(fix,))


@kind(
    fields={"total": int, "minimum": int, "maximum": int},
    needs=(Parameter.MINIMUM, Parameter.MAXIMUM),
)
def total_outside(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband without a limit whose points are below the minimum or above the maximum."""
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    # Nobody is told to spend points before the first warrior has joined.
    if case.roster.points_limit is None and case.total and not low <= case.total <= high:
        yield Occurrence({"total": case.total, "minimum": low, "maximum": high})


@kind(fields={"total": int, "limit": int, "left": int}, needs=(Parameter.PART,))
def total_under_limit(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that leaves more of its limit unspent than a part (10: a tenth)."""
    limit = case.roster.points_limit
    if limit is not None and (limit - case.total) * guideline.parameters["part"] > limit:
        yield Occurrence({"total": case.total, "limit": limit, "left": limit - case.total})


def _best_leaders(selections: Sequence[Selection]) -> list[Selection]:
    """Return those of the highest Leadership."""
    able = [s for s in selections if s.leadership is not None]
    best = max((s.leadership or 0 for s in able), default=0)
    return [s for s in able if s.leadership == best]


def lead_fixes(candidates: Sequence[Selection], system: System) -> tuple[Fix, ...]:
    """Return the remedies of making one of the first candidates the leader."""
    word = "leader" if system.leader_name == "Leader" else system.leader_name
    return tuple(
        Fix(f"Choose {s.label} as {word}", "lead", s.index)
        for s in candidates[:LEADERS_OFFERED]
    )


def _advised(case: Case) -> list[Selection]:
    """Return who should lead: the highest Leadership among the advised categories."""
    best = _best_leaders(case.selections)
    # Where nobody may outrank the leader, the highest of those who count has to lead.
    for bar in case.system.guidelines:
        if bar.kind == "leader_outranked":
            return _best_leaders(_rivals(case, bar)) or best
    for advice in case.system.guidelines:
        if advice.kind == "leader_category":
            wanted = advice.parameters["categories"]
            best = _best_leaders([s for s in case.selections if _is_in_category(s, wanted)])
    return best


def _rivals(case: Case, guideline: Guideline) -> list[Selection]:
    """Return those whose Leadership a leader is measured by: all, or those of some categories."""
    wanted = guideline.parameters.get("categories")
    return [s for s in case.selections if wanted is None or _is_in_category(s, wanted)]


def _is_in_category(selection: Selection, categories: Container[str]) -> bool:
    return selection.profile is not None and selection.profile.category in categories


@kind(fields={})
def leader_missing(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that nobody leads."""
    if not case.leaders:
        best = _advised(case)
        characters = [s for s in best if _is_in_category(s, case.army.characters)]
        yield Occurrence({}, indexes(best), lead_fixes(characters or best, case.system))


@kind(fields={"count": int})
def leader_many(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that several lead."""
    leaders = case.leaders
    if len(leaders) > 1:
        yield Occurrence(
            {"count": len(leaders)}, indexes(leaders), lead_fixes(leaders, case.system)
        )


# The leader's Leadership may be a dash, told as none, so it is no number in the sentence.
@kind(
    fields={"leader": str, "leadership": str, "names": str, "highest": int},
    may=(Parameter.CATEGORIES,),
)
def leader_outranked(case: Case, guideline: Guideline) -> Occurrences:
    """Find warriors, of these categories if any are named, of higher Leadership than the leader's."""
    if not case.leaders:
        return
    leader = max(case.leaders, key=_leadership)
    rivals = _rivals(case, guideline)
    higher = [s for s in rivals if _leadership(s) > _leadership(leader)]
    if higher:
        fields = {
            "leader": leader.label,
            "leadership": "none" if leader.leadership is None else leader.leadership,
            "names": names(higher),
            "highest": max(map(_leadership, higher)),
        }
        best = _best_leaders(higher)
        yield Occurrence(fields, indexes(higher), lead_fixes(best, case.system))


def _leadership(selection: Selection) -> int:
    return selection.leadership or 0


@kind(fields={"leader": str, "category": str}, needs=(Parameter.CATEGORIES,))
def leader_category(case: Case, guideline: Guideline) -> Occurrences:
    """Find leaders of other categories than these, in a list that has units of these."""
    wanted = guideline.parameters["categories"]
    if all(profile.category not in wanted for profile in case.army.profiles.values()):
        return
    for leader in case.leaders:
        if leader.profile and leader.profile.category not in wanted:
            category = case.army.category(leader.profile.category)
            name = category.name if category else leader.profile.category
            fields = {"leader": leader.label, "category": name}
            yield Occurrence(fields, (leader.index,))


def kept_prices(selections: Iterable[Selection]) -> list[Finding]:
    """Return one note about the entries that paid another price than today's, if any."""
    repriced = [selection for selection in selections if price_kept(selection)]
    if not repriced:
        return []
    prices = "; ".join(
        f"{s.label} {s.points_each} each, now {s.points_each - price_kept(s)} in the list"
        for s in repriced
    )
    return [
        Finding(
            code=PRICE_KEPT,
            level="note",
            message=f"Old prices: {prices}.",
            warriors=tuple(s.index for s in repriced),
            source="Uses the old price until you update it",
            fixes=tuple(_new_price(s) for s in repriced[:FIXES_SHOWN]),
            title="Old price",
            is_waivable=False,
        )
    ]


def _new_price(selection: Selection) -> Fix:
    """Return the remedy of paying what the list asks today."""
    points = -price_kept(selection) * selection.entry.count
    label = f"Update price of {selection.label}{change_words(points)}"
    return Fix(label, "take_price", selection.index)
