"""The leader: exactly one, nobody above it in Leadership, of the categories that may lead."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from engine.findings.case import Case, Fix, Occurrence, indexes, names
from engine.findings.kinds import kind
from engine.findings.parameters import Parameter
from engine.selection import Selection
from engine.types.mechanics import Guideline

LEADERS_OFFERED = 4  # remedies that a finding about the leader offers at most


def _best_leaders(selections: Sequence[Selection]) -> list[Selection]:
    """Return those of the highest Leadership."""
    able = [s for s in selections if s.leadership is not None]
    best = max((s.leadership or 0 for s in able), default=0)
    return [s for s in able if s.leadership == best]


def lead_fixes(candidates: Sequence[Selection]) -> tuple[Fix, ...]:
    """Return the remedies of making one of the first candidates the leader."""
    return tuple(Fix(f"{s.label} leads", "lead", s.index) for s in candidates[:LEADERS_OFFERED])


def _advised(case: Case) -> list[Selection]:
    """Return who should lead: the highest Leadership among the advised categories."""
    best = _best_leaders(case.selections)
    # Where nobody may outrank the leader, the highest of all has to lead, of whatever category.
    if any(other.kind == "leader_outranked" for other in case.system.guidelines):
        return best
    for advice in case.system.guidelines:
        if advice.kind == "leader_category":
            wanted = advice.parameters["categories"]
            best = _best_leaders([s for s in case.selections if _is_of(s, wanted)])
    return best


def _is_of(selection: Selection, categories: Container[str]) -> bool:
    return selection.profile is not None and selection.profile.category in categories


@kind(fields={})
def leader_missing(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that nobody leads."""
    if not case.leaders:
        best = _advised(case)
        characters = [s for s in best if _is_of(s, case.army.characters)]
        yield Occurrence({}, indexes(best), lead_fixes(characters or best))


@kind(fields={"count": int})
def leader_many(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that several lead."""
    leaders = case.leaders
    if len(leaders) > 1:
        yield Occurrence({"count": len(leaders)}, indexes(leaders), lead_fixes(leaders))


# The leader's Leadership may be a dash, told as none, so it is no number in the sentence.
@kind(fields={"leader": str, "leadership": str, "names": str, "highest": int})
def leader_outranked(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find warriors of higher Leadership than the leader's."""
    if not case.leaders:
        return
    leader = max(case.leaders, key=_leadership)
    higher = [s for s in case.selections if _leadership(s) > _leadership(leader)]
    if higher:
        best = _best_leaders(higher)
        fields = {
            "leader": leader.label,
            "leadership": "none" if leader.leadership is None else leader.leadership,
            "names": names(higher),
            "highest": _leadership(best[0]),
        }
        yield Occurrence(fields, indexes(higher), lead_fixes(best))


def _leadership(selection: Selection) -> int:
    return selection.leadership or 0


@kind(fields={"leader": str, "category": str}, needs=(Parameter.CATEGORIES,))
def leader_category(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find leaders of other categories than these."""
    for leader in case.leaders:
        if leader.profile and leader.profile.category not in guideline.parameters["categories"]:
            fields = {"leader": leader.label, "category": leader.profile.category}
            yield Occurrence(fields, (leader.index,))
