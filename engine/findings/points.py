"""Points: the total against the limit, and the limit against the guideline."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.cases import Case, Fix, Occurrence
from engine.types import Guideline


def total_over_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    limit = case.roster.points_limit
    if limit is not None and case.total > limit:
        over = case.total - limit
        fix = Fix(f"Raise the limit to {case.total}", "set_limit", value=case.total)
        yield Occurrence({"total": case.total, "limit": limit, "over": over}, fixes=(fix,))


def limit_outside(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    limit = case.roster.points_limit
    low, high = guideline.parameters["minimum"], guideline.parameters["maximum"]
    if limit is not None and not low <= limit <= high:
        nearest = low if limit < low else high
        fix = Fix(f"Set the limit to {nearest}", "set_limit", value=nearest)
        yield Occurrence({"limit": limit, "minimum": low, "maximum": high}, fixes=(fix,))


def total_under_limit(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    limit = case.roster.points_limit
    if limit is not None and (limit - case.total) * guideline.parameters["part"] > limit:
        yield Occurrence({"total": case.total, "limit": limit, "left": limit - case.total})
