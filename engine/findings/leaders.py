"""The leader: exactly one, nobody above it in Leadership, a character by choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.findings.cases import Case, Fix, Occurrence, indexes, names
from engine.selection import Selection
from engine.types import Guideline


def _best_leaders(selections: Sequence[Selection]) -> list[Selection]:
    able = [s for s in selections if s.leadership is not None]
    best = max((s.leadership or 0 for s in able), default=0)
    return [s for s in able if s.leadership == best]


def lead_fixes(candidates: Sequence[Selection]) -> tuple[Fix, ...]:
    return tuple(Fix(f"{s.label} leads", "lead", s.index) for s in candidates[:4])


def _advised(case: Case) -> list[Selection]:
    """Who should lead: the highest Leadership, among the advised categories unless the highest of all has to."""
    best = _best_leaders(case.selections)
    if any(other.kind == "leader_outranked" for other in case.system.guidelines):
        return best
    for advice in case.system.guidelines:
        if advice.kind == "leader_category":
            wanted = advice.parameters["categories"]
            best = _best_leaders(
                [s for s in case.selections if s.profile and s.profile.category in wanted]
            )
    return best


def leader_missing(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    if not case.leaders:
        best = _advised(case)
        characters = [s for s in best if s.profile and s.profile.category in case.army.characters]
        yield Occurrence({}, indexes(best), lead_fixes(characters or best))


def leader_many(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    if len(case.leaders) > 1:
        yield Occurrence(
            {"count": len(case.leaders)}, indexes(case.leaders), lead_fixes(list(case.leaders))
        )


def leader_outranked(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    if not case.leaders:
        return
    leader = max(case.leaders, key=lambda s: s.leadership or 0)
    higher = [s for s in case.selections if (s.leadership or 0) > (leader.leadership or 0)]
    if higher:
        best = max(s.leadership or 0 for s in higher)
        fields = {
            "leader": leader.label,
            "leadership": "none" if leader.leadership is None else leader.leadership,
            "names": names(higher),
            "highest": best,
        }
        yield Occurrence(
            fields, indexes(higher), lead_fixes([s for s in higher if s.leadership == best])
        )


def leader_category(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    for leader in case.leaders:
        if leader.profile and leader.profile.category not in guideline.parameters["categories"]:
            fields = {"leader": leader.label, "category": leader.profile.category}
            yield Occurrence(fields, (leader.index,))
