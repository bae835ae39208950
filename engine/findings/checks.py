"""The check of a roster: every guideline asked of it, under the policy of an event where
it is brought to one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from operator import attrgetter
from typing import Literal

from engine.findings import composition, equipment, warband
from engine.findings.case import Case, Finding, collect_kinds, sentence
from engine.findings.growth import growth_findings
from engine.findings.warband import (
    broken_limits,
    group_sizes,
    hired_swords,
    kept_prices,
    second_above,
    traded_gear,
)
from engine.records import copy_fields, frozen_dataclass
from engine.roster import Roster
from engine.selection import select_all
from engine.types.lists import Army
from engine.types.mechanics import LEVELS, Guideline
from engine.types.systems import Scenario, System

# Policies of events: levels of guidelines, what is let pass, and the core of a campaign's
# lists.
#
# A guideline has the level its system gives it, unless the event sets another, unless the
# scenario waives it. An army list's own rules are nobody's to set: a list that breaks
# them is not what it says.

SetLevel = Literal["error", "warning", "note", "off"]
RANK = {level: rank for rank, level in enumerate(LEVELS)}


@frozen_dataclass
class Allowance:
    """A finding that ``who`` lets pass for one warband, and why."""

    code: str
    who: str
    reason: str


@frozen_dataclass
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
    findings: Iterable[Finding], scenario: Scenario | None, policy: Policy
) -> tuple[Finding, ...]:
    """Return findings at the levels that hold here, with what is waived; errors first."""
    allowed = {allowance.code: allowance for allowance in policy.allowed}
    judged_findings = []
    for finding in (*findings, *policy.further):
        level = policy.levels.get(finding.code, finding.level)
        # An event sets no level of a list's own rules.
        if not finding.is_waivable:
            level = finding.level
        if level != "off":
            # Most findings keep their level, and a copy of each would cost time.
            set_so = finding if level == finding.level else replace(finding, level=level)
            judged_findings.append(_waived(set_so, scenario, allowed))
    return tuple(sorted(judged_findings, key=lambda finding: RANK[finding.level]))


def _waived(
    finding: Finding, scenario: Scenario | None, allowed: Mapping[str, Allowance]
) -> Finding:
    """Return a finding, lowered to a note that says who lets it pass if anybody does."""
    # The list's own rules cannot be waived.
    if not finding.is_waivable:
        return finding
    if scenario and finding.code in scenario.waives:
        return _lowered(
            finding, f"the scenario “{scenario.name}” allows it.", scenario.name
        )
    if allowance := allowed.get(finding.code):
        why = f"{allowance.who} waived it, because “{allowance.reason}”."
        return _lowered(finding, why, allowance.who)
    # Whoever has chosen a side knows that it is not the other.
    if scenario is None or scenario.part:
        return finding
    sides = scenario.allowed_to(finding.code)
    if not sides:
        return finding
    hint = f"“{scenario.name}” allows it to {' and '.join(sides)}: choose that side."
    return replace(finding, message=f"{finding.message} {hint}")


def _lowered(finding: Finding, why: str, who: str) -> Finding:
    """Return a finding as a note without fixes, with who waived it and why."""
    return replace(
        finding,
        level="note",
        message=f"{finding.message} Waived: {why}",
        waived_by=who,
        fixes=(),
    )


CORE = Guideline(
    code="core.changed",
    kind="",
    level="warning",
    message="Missing: {names}. Every model of the last list must be in this one.",
    title="The core stays",
    source="Rule of this campaign",
)


def guidelines_of(system: System) -> tuple[Guideline, ...]:
    """Return what an event may check a list for: the system's guidelines and the core."""
    return (*system.guidelines, CORE)


@frozen_dataclass
class ListEntry:
    """One entry of a list: its ``id`` in its warband, so many of a profile, its name."""

    id: int | None
    profile: str
    name: str
    count: int = 1


@frozen_dataclass
class Core:
    """Two lists of one player, the one before and this one."""

    before: Sequence[ListEntry]
    after: Sequence[ListEntry]


def core_changed(core: Core) -> tuple[Finding, ...]:
    """Return the finding that names everybody who is missing, or nothing."""
    # The same warband is compared by its entries. Another one has none of them: then so many of
    # each profile will do.
    ids = {entry.id for entry in core.before} & {entry.id for entry in core.after} - {None}
    get_key = attrgetter("id" if ids else "profile")
    left = Counter[object]()
    for entry in core.after:
        left[get_key(entry)] += entry.count
    names = []
    for entry in core.before:
        key = get_key(entry)
        # No warrior is counted twice.
        missing = entry.count - min(left[key], entry.count)
        left[key] -= entry.count - missing
        if missing:
            names.append(f"{missing}x {entry.name}" if missing > 1 else entry.name)
    if not names:
        return ()
    message = sentence(CORE.message, {"names": ", ".join(names)})
    return (Finding(CORE.code, CORE.level, message, source=CORE.source, title=CORE.title),)


# The check of a roster: every guideline asked of it, and prices it was allowed to keep.

# `check_rules --kinds` prints them in this order.
KINDS = collect_kinds((warband, composition, equipment))


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
    findings = [
        *chain.from_iterable(
            _of_guideline(case, guideline) for guideline in case.system.guidelines
        ),
        *broken_limits(case),
        *second_above(case),
        *hired_swords(case),
        *group_sizes(case),
        *traded_gear(case),
        *growth_findings(case),
        *kept_prices(case.selections),
    ]
    priced = []
    for finding in findings:
        # Most lists count points, and keep the finding as it is.
        message = case.army.currency.amounts_in(finding.message)
        is_same = message == finding.message
        priced.append(finding if is_same else replace(finding, message=message))
    # Who leads decides on the rest, so a missing leader comes before all others.
    leading = {r.code for r in case.system.guidelines if r.kind == "leader_missing"}
    ranked = sorted(
        judged(priced, scenario, policy),
        key=lambda item: item.code not in leading or item.level == "note",
    )
    return tuple(ranked)


def _of_guideline(case: Case, guideline: Guideline) -> Iterator[Finding]:
    """Yield a finding for each occurrence of a guideline, with its place in the text."""
    source = case.system.full_name
    if guideline.source:
        # With the refs of its rulings.
        refs = f" ({', '.join(guideline.refs)})" if guideline.refs else ""
        source = f"{source}, {guideline.source}{refs}"
    for hit in KINDS[guideline.kind].find(case, guideline):
        yield copy_fields(
            Finding,
            guideline,
            message=sentence(guideline.message, hit.fields),
            warriors=hit.warriors,
            source=source,
            fixes=hit.fixes,
        )
