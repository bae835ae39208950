"""The army list's own rules: what it does not know, what clashes, what something needs."""

from __future__ import annotations

from collections.abc import Iterator

from engine import choices
from engine.findings.cases import Case, Fix, Occurrence
from engine.selection import Selection
from engine.types import Army, Guideline


def option_unknown(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    for s in case.selections:
        if s.profile is None:
            continue
        for key in s.unknown:
            fix = Fix(f"Remove {key}", "remove_option", s.index, key)
            yield Occurrence({"name": s.label, "option": key}, (s.index,), (fix,))


def option_conflict(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    bearers = choices.bearers_of(case.selections)
    for s in case.selections:
        for fault in choices.conflicts(s, case.army, bearers):
            yield Occurrence(
                {"name": s.label, "reason": fault.reason},
                (s.index,),
                _fault_fixes(s, fault, case.army),
            )


def option_requirement(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    for s in case.selections:
        for fault in choices.missing(s, case.army):
            yield Occurrence(
                {"name": s.label, "reason": fault.reason},
                (s.index,),
                _fault_fixes(s, fault, case.army),
            )


def _fault_fixes(selection: Selection, fault: choices.OptionFault, army: Army) -> tuple[Fix, ...]:
    profile = selection.profile
    assert profile is not None
    adds = [
        Fix(f"Add {choices.name_of(key, profile, army)}", "add_option", selection.index, key)
        for key in fault.add
    ]
    removes = [
        Fix(f"Remove {choices.name_of(key, profile, army)}", "remove_option", selection.index, key)
        for key in fault.remove[:3]
    ]
    return (*adds, *removes)
