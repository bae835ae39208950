"""The check of a roster: every guideline asked of it, and prices it was allowed to keep."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.findings import composition, equipment, warband
from engine.findings.case import Case, Finding, Occurrence, sentence
from engine.findings.growth import growth_findings
from engine.findings.kinds import GuidelineKind, kinds_of
from engine.findings.limits import broken_limits, second_above, traded_gear
from engine.findings.policy import NO_POLICY, Policy, judged
from engine.findings.warband import kept_prices
from engine.records import copy_fields
from engine.roster import Roster
from engine.selection import select_all
from engine.types.lists import Army, Currency
from engine.types.mechanics import Guideline
from engine.types.systems import Scenario, System

# The table of kinds in docs/adding-a-system.md has them in this order.
KINDS: Mapping[str, GuidelineKind] = kinds_of((warband, composition, equipment))


def check(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> tuple[Finding, ...]:
    """Return all findings of a roster: a missing leader first, then errors, then in
    order of the guidelines.

    ``scenario`` may waive guidelines, ``policy`` holds an event's levels and allowances.
    """
    case = Case(roster, select_all(army, roster.warriors), system, army)
    return check_case(case, scenario, policy)


def check_case(
    case: Case, scenario: Scenario | None = None, policy: Policy = NO_POLICY
) -> tuple[Finding, ...]:
    """Return all findings of a roster that is read against its list already."""
    found = [
        *_broken_guidelines(case),
        *broken_limits(case),
        *second_above(case),
        *traded_gear(case),
        *growth_findings(case),
        *kept_prices(case.selections),
    ]
    told = [_priced(one, case.army.currency) for one in found]
    return _leader_first(judged(told, scenario, policy), case.system)


def _broken_guidelines(case: Case) -> Iterator[Finding]:
    """Yield a finding for each occurrence of a guideline, in the order of the guidelines."""
    for guideline in case.system.guidelines:
        for hit in KINDS[guideline.kind].find(case, guideline):
            yield _finding(guideline, hit, case.system)


def _priced(finding: Finding, currency: Currency) -> Finding:
    """Return the finding in the words that its list has for its prices."""
    message = currency.amounts_in(finding.message)
    # Most lists count points, and keep the finding as it is.
    return finding if message == finding.message else replace(finding, message=message)


def _leader_first(found: tuple[Finding, ...], system: System) -> tuple[Finding, ...]:
    """Return the findings with a missing leader before all others.

    Who leads decides on the rest.
    """
    codes = {one.code for one in system.guidelines if one.kind == "leader_missing"}
    return tuple(
        sorted(found, key=lambda one: one.code not in codes or one.level == "note")
    )


def _finding(guideline: Guideline, hit: Occurrence, system: System) -> Finding:
    """Return what a guideline says of one occurrence, with its source and fixes."""
    return copy_fields(
        Finding,
        guideline,
        message=sentence(guideline.message, hit.fields),
        warriors=hit.warriors,
        source=_source(guideline, system),
        fixes=hit.fixes,
    )


def _source(guideline: Guideline, system: System) -> str:
    """Return the text and section a guideline is from, with the refs of its rulings."""
    if not guideline.source:
        return system.full_name
    refs = f" ({', '.join(guideline.refs)})" if guideline.refs else ""
    return f"{system.full_name}, {guideline.source}{refs}"
