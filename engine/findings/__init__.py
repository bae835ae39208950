"""Findings: what a roster does that a guideline or its own army list advises against.

Guidelines are data (code, kind, level, parameters, sentence); there is one small function for each
*kind*. It takes the case and the guideline and yields hits; the sentence is the guideline's. A
finding never blocks anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.findings import composition, equipment, leaders, points
from engine.findings.case import Case, Finding, Fix, Occurrence, sentence
from engine.findings.composition import category_of
from engine.findings.kinds import GuidelineKind, kinds_of
from engine.findings.points import kept_prices
from engine.findings.policy import NO_POLICY, Allowance, Policy, SetLevel, judged
from engine.roster import Roster
from engine.selection import Selection, select_all
from engine.types import Army, Guideline, Scenario, System

__all__ = [
    "KINDS",
    "NO_POLICY",
    "Allowance",
    "Case",
    "Finding",
    "Fix",
    "GuidelineKind",
    "Occurrence",
    "Policy",
    "SetLevel",
    "category_of",
    "check",
    "check_selections",
    "judged",
]

KINDS: Mapping[str, GuidelineKind] = kinds_of((points, leaders, composition, equipment))


def check(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> tuple[Finding, ...]:
    """Return all findings of a roster: errors first, then in order of the guidelines.

    ``scenario`` may waive guidelines, ``policy`` holds an event's levels and allowances.
    """
    selections = select_all(army, roster.warriors)
    return check_selections(roster, selections, system, army, scenario, policy)


def check_selections(
    roster: Roster,
    selections: tuple[Selection, ...],
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> tuple[Finding, ...]:
    """Return all findings of a roster that is read against its list already."""
    case = Case(roster, selections, system, army)
    found: list[Finding] = []
    for guideline in system.guidelines:
        hits = KINDS[guideline.kind].find(case, guideline)
        found.extend(_finding(guideline, hit, system) for hit in hits)
    found.extend(kept_prices(selections))
    return judged(found, scenario, policy)


def _finding(guideline: Guideline, hit: Occurrence, system: System) -> Finding:
    return Finding(
        code=guideline.code,
        level=guideline.level,
        message=sentence(guideline.message, hit.fields),
        warriors=hit.warriors,
        source=_source(guideline, system),
        fixes=hit.fixes,
        title=guideline.title,
        is_waivable=guideline.is_waivable,
    )


def _source(guideline: Guideline, system: System) -> str:
    """Return the text and section a guideline is from, with the refs of its rulings."""
    if not guideline.source:
        return system.full_name
    refs = f" ({', '.join(guideline.refs)})" if guideline.refs else ""
    return f"{system.full_name}, {guideline.source}{refs}"
