"""Policies of events: the level of each guideline, and what the organisers let pass.

A guideline has the level its system gives it, unless the event sets another, unless the scenario
waives it. An army list's own rules are nobody's to set: a list that breaks them is not what it
says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.findings.case import Finding
from engine.types.mechanics import LEVELS, Level
from engine.types.systems import Scenario

SetLevel = Literal["error", "warning", "note", "off"]
RANK: Mapping[Level, int] = {level: rank for rank, level in enumerate(LEVELS)}


@dataclass(frozen=True, slots=True)
class Allowance:
    """A finding that ``who`` lets pass for one warband, and why."""

    code: str
    who: str
    reason: str


@dataclass(frozen=True, slots=True)
class Policy:
    """What an event says of one warband.

    ``levels`` are by a guideline's code, ``allowed`` what this warband is let pass, ``further`` the
    event's own findings.
    """

    levels: Mapping[str, SetLevel] = field(default_factory=dict)
    allowed: tuple[Allowance, ...] = ()
    further: tuple[Finding, ...] = ()


NO_POLICY = Policy()


def judged(
    found: Iterable[Finding], scenario: Scenario | None = None, policy: Policy = NO_POLICY
) -> tuple[Finding, ...]:
    """Return findings at the levels that hold here, with what is waived; errors first."""
    allowed = {one.code: one for one in policy.allowed}
    told = []
    for finding in (*found, *policy.further):
        level = _level(finding, policy)
        if level != "off":
            # Most findings keep their level, and a copy of each would cost time.
            set_so = finding if level == finding.level else replace(finding, level=level)
            told.append(_waived(set_so, scenario, allowed))
    return tuple(sorted(told, key=lambda finding: RANK[finding.level]))


def _level(finding: Finding, policy: Policy) -> SetLevel:
    if not finding.is_waivable:
        return finding.level
    return policy.levels.get(finding.code, finding.level)


def _waived(
    finding: Finding, scenario: Scenario | None, allowed: Mapping[str, Allowance]
) -> Finding:
    """Return a finding, lowered to a note that says who lets it pass if anybody does."""
    # The list's own rules cannot be waived.
    if not finding.is_waivable:
        return finding
    if scenario and finding.code in scenario.waives:
        return _lowered(finding, f"the scenario “{scenario.name}” waives it.", scenario.name)
    if one := allowed.get(finding.code):
        return _lowered(finding, f"{one.who} lets it pass, because “{one.reason}”.", one.who)
    return finding


def _lowered(finding: Finding, why: str, who: str) -> Finding:
    return replace(
        finding,
        level="note",
        message=f"{finding.message} Allowed here: {why}",
        waived_by=who,
        fixes=(),
    )
