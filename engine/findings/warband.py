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
    without,
)
from engine.option_rules import listed_on_purchase
from engine.selection import (
    KEPT,
    ReceiptLine,
    Selection,
    points_over,
    price_kept,
    total_second,
)
from engine.text import join_words, signed
from engine.types.lists import ListLimit
from engine.types.mechanics import Guideline, Level
from engine.types.systems import System

# Limits that an army list brings along: how many it must and may have of something.

SOURCE = "Army list"
# No system prints these, so they are no guidelines of one.
MINIMUM, MAXIMUM, RATIO = "list.minimum", "list.maximum", "list.ratio"
ABOVE = "list.second"
TRADE = "list.trade"
HIRED, BESIDE, GROUP = "list.hired", "list.beside", "list.group"
TITLES = {
    MINIMUM: "Fewer than the list needs",
    MAXIMUM: "More than the list allows",
    RATIO: "Too many beside the others",
    TRADE: "Sold in campaigns only",
    HIRED: "Hired by others",
    BESIDE: "Hired beside the limit",
    GROUP: "Size of a group",
}


def broken_limits(case: Case) -> Iterator[Finding]:
    """Yield a finding for each limit of the list that a roster breaks.

    Nobody is told what is missing before the first warrior has joined, nor what a campaign took.
    """
    if not case.selections:
        return
    for limit in case.army.limits:
        if case.roster.growth is not None:
            limit = replace(limit, minimum=None)
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
            message = f"{entry.label}: {names}. The army list sells this in campaigns only."
            fixes = (
                Fix(f"Remove {option.name}", "remove_option", entry.index, option.key)
                for option in bought[:FIXES_SHOWN]
            )
            yield _of_army(TRADE, "note", message, [entry], fixes)


def hired_swords(case: Case) -> Iterator[Finding]:
    """Yield an error for each hired sword of others, a note on what is paid beside the limit."""
    for entry in case.selections:
        profile = entry.profile
        if profile and profile.is_refused:
            message = f"{entry.label}: {profile.not_offered_because}"
            yield _of_army(HIRED, "error", message, [entry], removals([entry]))
    beside = [entry for entry in case.selections if entry.is_beside and entry.points]
    if beside and case.roster.points_limit is not None:
        points = sum(entry.points for entry in beside)
        message = f"{names(beside)}: {points} points beside the limit."
        yield _of_army(BESIDE, "note", message, beside)


def group_sizes(case: Case) -> Iterator[Finding]:
    """Yield an error for each group that is smaller or larger than its unit may be.

    Groups are of the categories whose models buy alike. Where entries are regiments the system says
    how large they are.
    """
    alike = {category.key for category in case.army.categories if category.is_alike}
    for entry in case.selections:
        profile = entry.profile
        if case.system.regiments or profile is None or profile.category not in alike:
            continue
        low, high = profile.unit_size or (None, None)
        size = entry.entry.count
        enough = min(max(size, low or size), high or size)
        if size != enough:
            bound = f"at least {enough}" if size < enough else f"at most {enough}"
            label = f"{entry.label}: {enough} instead of {size}"
            message = f"{entry.label}: {size} in a group; the army list allows {bound}."
            fix = Fix(label, "set_count", entry.index, value=enough)
            yield _of_army(GROUP, "error", message, [entry], (fix,))


def _of_army(
    code: str,
    level: Level,
    message: str,
    entries: Sequence[Selection],
    fixes: Iterable[Fix] = (),
) -> Finding:
    """Return what is found against the army list itself."""
    title = TITLES[code]
    return Finding(code, level, message, indexes(entries), SOURCE, tuple(fixes), title)


def _of_list(case: Case, limit: ListLimit) -> Iterator[Finding]:
    """Yield what breaks a limit, counted over the whole list."""
    counted = [entry for entry in case.selections if _is_counted(entry, limit)]
    if limit.options:
        number = sum(_bought(each, limit) * each.entry.count for each in counted)
    else:
        number = len(counted) if case.system.regiments else count(counted)
    if limit.per == "each" and limit.maximum is not None:
        # What is allowed for each of them is allowed so often as there are of them.
        beside = [s for s in case.selections if _is_among(s, limit)]
        limit = replace(limit, maximum=limit.maximum * (count(beside) // limit.per_number))
    for code, bound in _bounds(limit, number):
        message = f"{number} of {limit.name}; the army list {bound}{_beside(limit)}."
        yield _finding(case, limit, (code, message), counted if code == MAXIMUM else ())


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
            yield _finding(case, limit, (code, message), (entry,))


def _bounds(limit: ListLimit, number: int) -> Iterator[tuple[str, str]]:
    """Yield the bound that a number breaks: its code and words."""
    if limit.maximum is not None and number > limit.maximum:
        yield MAXIMUM, f"allows {limit.maximum}"
    if limit.minimum is not None and number < limit.minimum:
        yield MINIMUM, f"needs {limit.minimum}"


def _beside(limit: ListLimit) -> str:
    if limit.per != "each":
        return ""
    others = (key.replace("-", " ") for key in limit.per_of)
    return f" beside so many of {join_words(others, 'and')}"


def _is_among(entry: Selection, limit: ListLimit) -> bool:
    profile = entry.profile
    keys = {profile.key, profile.category} if profile else set()
    return not keys.isdisjoint(limit.per_of)


def _bought(entry: Selection, limit: ListLimit) -> int:
    return sum(entry.bought.get(key, 0) for key in limit.options)


def _is_counted(entry: Selection, limit: ListLimit) -> bool:
    """Whether an entry is of the units and the category of a limit, where it names any; where it
    names nothing at all, hired swords are counted only if it says so.
    """
    profile = entry.profile
    if profile is None:
        return False
    if not (limit.units or limit.category or limit.options):
        return limit.counts_hired or not profile.is_hired
    if limit.units and profile.key not in limit.units:
        return False
    return not limit.category or profile.category == limit.category


def _finding(
    case: Case, limit: ListLimit, broken: tuple[str, str], entries: Sequence[Selection]
) -> Finding:
    """Return what is found by its code and sentence; where the source has exceptions it is a note
    that says so.
    """
    code, message = broken
    if code == MINIMUM:
        fixes: tuple[Fix, ...] = ()
    elif limit.options:
        fixes = tuple(_option_fixes(case, limit, entries))[:FIXES_SHOWN]
    else:
        fixes = removals(entries)
    if limit.per == "each" and code == MAXIMUM:
        code = RATIO
    if limit.depends:
        message = f"{message} Some lists of this source have another limit."
    level: Level = "note" if limit.depends else limit.level
    return _of_army(code, level, message, entries, fixes)


def _option_fixes(
    case: Case, limit: ListLimit, entries: Sequence[Selection]
) -> Iterator[Fix]:
    """Yield the remedies of leaving one of the options of which there are too many."""
    for entry in entries:
        for option in (*entry.options, *entry.champions_options):
            if option.key in limit.options:
                yield without(case.army, entry, (entry.label, option.name), option.key)


def second_above(case: Case) -> Iterator[Finding]:
    """Yield a finding where a roster adds up to more than its list allows."""
    price = case.army.second_price
    if price is None or price.maximum is None:
        return
    total = total_second(case.selections, case.army)
    if total > price.maximum:
        message = f"{price.name} {total}; the army list allows {price.maximum}."
        title = f"{price.name} too high"
        yield Finding(ABOVE, price.level, message, source=SOURCE, title=title)


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
        raised = Fix(f"Raise the limit to {total}", "set_limit", value=total)
        fixes = (*_cheapest_removals(case, over), raised)
        yield Occurrence({"total": total, "limit": limit, "over": over}, fixes=fixes)


def _cheapest_removals(case: Case, over: int) -> Iterator[Fix]:
    """Yield the removals that spare so many points and lose the least.

    Where none does, those that spare the most come first. Leaders stay, and what a unit must buy.
    """
    entries = [entry for entry in case.selections if not entry.is_beside]
    possible = [(*removal, entry) for entry in entries for removal in _spared(entry, over)]
    if case.system.regiments:
        # A regiment has a smallest size: only the whole of it goes.
        possible = [each for each in possible if not each[2]]
    possible.sort(key=lambda each: (each[0] < over, abs(each[0] - over)))
    fixes: dict[str, Fix] = {}
    for loss, line, left, entry in possible:
        label = f"{entry.label}: {left} instead of {entry.entry.count}, {signed(-loss)}"
        fix = Fix(label, "set_count", entry.index, value=left)
        if line:
            fix = without(case.army, entry, (entry.label, line.label), line.key)
        elif not left:
            [fix] = removals([entry])
        # Of several that look alike the first is enough.
        fixes.setdefault(fix.label, fix)
        if len(fixes) == FIXES_SHOWN:
            break
    yield from fixes.values()


def _spared(entry: Selection, over: int) -> Iterator[tuple[int, ReceiptLine | None, int]]:
    """Yield what may go of an entry: its points, the purchase or None, how many are left."""
    must = listed_on_purchase(entry.profile) if entry.profile else ()
    for line in entry.receipt:
        if line.key not in ("", KEPT, *must) and line.points > 0:
            yield line.total(entry.entry.count), line, 0
    each = entry.points_each
    fewer = -(-over // each) if each > 0 else 0
    if 0 < fewer < entry.entry.count:
        yield each * fewer, None, entry.entry.count - fewer
    if not entry.entry.is_leader and entry.points > 0:
        yield entry.points, None, 0


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
    """Find points below the minimum or, without a limit, above the maximum."""
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    total, limit = case.total, case.roster.points_limit
    is_outside = total < low or (limit is None and total > high)
    # A limit that is outside itself is another finding; the army list's own is in order.
    is_limited = limit is not None and low <= limit <= high
    is_asked = limit is None or (is_limited and limit != case.army.default_limit)
    # Nobody is told to spend points before the first warrior has joined.
    if total and is_outside and is_asked:
        yield Occurrence({"total": total, "minimum": low, "maximum": high})


@kind(fields={"total": int, "limit": int, "left": int}, needs=(Parameter.PART,))
def total_under_limit(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that leaves more of its limit unspent than a part (10: a tenth)."""
    limit = case.roster.points_limit
    if limit is not None and (limit - case.total) * guideline.parameters["part"] > limit:
        yield Occurrence({"total": case.total, "limit": limit, "left": limit - case.total})


def _best_leaders(selections: Sequence[Selection]) -> list[Selection]:
    """Return those of the highest Leadership; hired swords lead nobody."""
    able = [
        s
        for s in selections
        if s.leadership is not None and not (s.profile and s.profile.is_hired)
    ]
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
    """Return who should lead: whom the list has for it, else the highest Leadership among the
    advised categories.
    """
    if called := [s for s in case.selections if s.profile and s.profile.is_leader]:
        return called
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
    higher = [s for s in _rivals(case, guideline) if _leadership(s) > _leadership(leader)]
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
            yield Occurrence({"leader": leader.label, "category": name}, (leader.index,))


def kept_prices(selections: Iterable[Selection]) -> list[Finding]:
    """Return one note about the entries that paid another price than today's, if any."""
    repriced = [selection for selection in selections if price_kept(selection)]
    if not repriced:
        return []
    prices = "; ".join(
        f"{s.label} {s.points_each} each, now {s.points_each - price_kept(s)} in the list"
        for s in repriced
    )
    fixes = []
    for selection in repriced[:FIXES_SHOWN]:
        points = -price_kept(selection) * selection.entry.count
        label = f"Update price of {selection.label}{change_words(points)}"
        fixes.append(Fix(label, "take_price", selection.index))
    return [
        Finding(
            code=PRICE_KEPT,
            level="note",
            message=f"Old prices: {prices}.",
            warriors=indexes(repriced),
            source="Uses the old price until you update it",
            fixes=tuple(fixes),
            title="Old price",
            is_waivable=False,
        )
    ]
