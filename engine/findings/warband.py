"""The warband as a whole: its points against its limit, who leads it, prices kept from before."""

from collections.abc import (
    Container,
    Iterable,
    Sequence,
)

from engine.findings.case import (
    FIXES_SHOWN,
    Case,
    Finding,
    Fix,
    Occurrence,
    Occurrences,
    change_words,
    indexes,
    names,
)
from engine.findings.kinds import kind
from engine.findings.parameters import Parameter
from engine.selection import Selection, points_over, price_kept
from engine.types.mechanics import Guideline
from engine.types.systems import System

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
            best = _best_leaders([s for s in case.selections if _is_of(s, wanted)])
    return best


def _rivals(case: Case, guideline: Guideline) -> list[Selection]:
    """Return those whose Leadership a leader is measured by: all, or those of some categories."""
    wanted = guideline.parameters.get("categories")
    return [s for s in case.selections if wanted is None or _is_of(s, wanted)]


def _is_of(selection: Selection, categories: Container[str]) -> bool:
    return selection.profile is not None and selection.profile.category in categories


@kind(fields={})
def leader_missing(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband that nobody leads."""
    if not case.leaders:
        best = _advised(case)
        characters = [s for s in best if _is_of(s, case.army.characters)]
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
            own = case.army.category(leader.profile.category)
            name = own.name if own else leader.profile.category
            fields = {"leader": leader.label, "category": name}
            yield Occurrence(fields, (leader.index,))


def kept_prices(selections: Iterable[Selection]) -> list[Finding]:
    """Return one note about the entries that paid another price than today's, if any."""
    found = [selection for selection in selections if price_kept(selection)]
    if not found:
        return []
    words = "; ".join(
        f"{s.label} {s.points_each} each, now {s.points_each - price_kept(s)} in the list"
        for s in found
    )
    return [
        Finding(
            code=PRICE_KEPT,
            level="note",
            message=f"Old prices: {words}.",
            warriors=tuple(s.index for s in found),
            source="Uses the old price until you update it",
            fixes=tuple(_new_price(s) for s in found[:FIXES_SHOWN]),
            title="Old price",
            is_waivable=False,
        )
    ]


def _new_price(selection: Selection) -> Fix:
    """Return the remedy of paying what the list asks today."""
    points = -price_kept(selection) * selection.entry.count
    label = f"Update price of {selection.label}{change_words(points)}"
    return Fix(label, "take_price", selection.index)
