"""Points: the total against the limit, and the limit against the guideline."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.cases import Case, Fix, Occurrence
from engine.findings.kinds import kind
from engine.findings.parameters import Parameter
from engine.types import Guideline


@kind(fields={"total": int, "limit": int, "over": int})
def total_over_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that costs more points than its limit."""
    limit = case.roster.points_limit
    if limit is not None and case.total > limit:
        over = case.total - limit
        fix = Fix(f"Raise the limit to {case.total}", "set_limit", value=case.total)
        yield Occurrence({"total": case.total, "limit": limit, "over": over}, fixes=(fix,))


@kind(
    fields={"limit": int, "minimum": int, "maximum": int},
    needs=(Parameter.MINIMUM, Parameter.MAXIMUM),
)
def limit_outside(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a limit below the minimum or above the maximum."""
    limit = case.roster.points_limit
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    if limit is not None and not low <= limit <= high:
        nearest = low if limit < low else high
        fix = Fix(f"Set the limit to {nearest}", "set_limit", value=nearest)
        yield Occurrence({"limit": limit, "minimum": low, "maximum": high}, fixes=(fix,))


@kind(fields={"total": int, "limit": int, "left": int}, needs=(Parameter.PART,))
def total_under_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find a warband that leaves more of its limit unspent than a part (10: a tenth)."""
    limit = case.roster.points_limit
    if limit is not None and (limit - case.total) * guideline.parameters["part"] > limit:
        yield Occurrence({"total": case.total, "limit": limit, "left": limit - case.total})
