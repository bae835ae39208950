"""Findings: what a roster does that a guideline or its own army list advises against.

Guidelines are data (code, kind, level, figures, sentence); there is one small function for each *kind*. A finding never
blocks anything. Each function takes the case and the guideline and yields hits; the sentence is the guideline's.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.findings import arms, equipment, force, leaders, points
from engine.findings.cases import Case, Finding, Fix, Kind, Occurrence, sentence
from engine.findings.force import category_of
from engine.findings.policy import NO_POLICY, Allowance, Policy, SetLevel, judged
from engine.findings.prices import kept_prices
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
    "Kind",
    "Occurrence",
    "Policy",
    "SetLevel",
    "category_of",
    "check",
    "check_selections",
    "judged",
]

KINDS: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (
        points.total_over_limit,
        points.limit_outside,
        points.total_under_limit,
        leaders.leader_missing,
        leaders.leader_many,
        leaders.leader_outranked,
        leaders.leader_category,
        force.wizard_level,
        force.wizard_count,
        force.magic_items,
        force.models_max,
        force.unit_small,
        force.stats_missing,
        force.troop_type,
        force.category,
        force.command,
        force.special_character,
        force.incomplete,
        force.army_max,
        force.profile_unknown,
        equipment.option_unknown,
        equipment.option_conflict,
        equipment.option_requirement,
        arms.difficult_weapon,
        arms.armour_only_for,
        arms.unpriced,
    )
}


def check(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> tuple[Finding, ...]:
    """All findings of a roster, in the order of the guidelines, errors first."""
    return check_selections(
        roster, select_all(army, roster.warriors), system, army, scenario, policy
    )


def check_selections(
    roster: Roster,
    selections: tuple[Selection, ...],
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> tuple[Finding, ...]:
    """The same for a roster already read against its list."""
    case = Case(roster, selections, system, army)
    found = [
        _finding(guideline, hit, system)
        for guideline in system.guidelines
        for hit in KINDS[guideline.kind](case, guideline)
    ]
    return judged([*found, *kept_prices(selections)], scenario, policy)


def _finding(guideline: Guideline, hit: Occurrence, system: System) -> Finding:
    refs = f" ({', '.join(guideline.refs)})" if guideline.refs else ""
    return Finding(
        code=guideline.code,
        level=guideline.level,
        message=sentence(guideline.message, hit.fields),
        warriors=hit.warriors,
        source=f"{system.full_name}, {guideline.source}{refs}"
        if guideline.source
        else system.full_name,
        fixes=hit.fixes,
        title=guideline.title,
        is_waivable=guideline.is_waivable,
    )
