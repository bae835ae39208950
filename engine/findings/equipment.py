"""An army list's own rules: options it does not know, that clash, that need another."""

from __future__ import annotations

from collections.abc import Iterator

from engine import choices
from engine.findings.cases import FIXES_SHOWN, Case, Fix, Occurrence
from engine.findings.kinds import kind
from engine.selection import Selection
from engine.types import Army, Guideline


@kind(fields={"name": str, "option": str})
def option_unknown(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find options that the army list does not know."""
    for s in case.selections:
        # Of an unknown profile every option is unknown, and profile_unknown says that once.
        for key in s.unknown if s.profile else ():
            fix = Fix(f"Remove {key}", "remove_option", s.index, key)
            yield Occurrence({"name": s.label, "option": key}, (s.index,), (fix,))


@kind(fields={"name": str, "reason": str})
def option_conflict(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find options that may not stand together, and too many of one."""
    bearers = choices.bearers_of(case.selections)
    for s in case.selections:
        for fault in choices.conflicts(s, case.army, bearers):
            yield _hit(s, fault, case.army)


@kind(fields={"name": str, "reason": str})
def option_requirement(case: Case, guideline: Guideline) -> Iterator[Occurrence]:
    """Find options that need another, and groups of which one must be taken."""
    for s in case.selections:
        for fault in choices.missing(s, case.army):
            yield _hit(s, fault, case.army)


def _hit(selection: Selection, fault: choices.OptionFault, army: Army) -> Occurrence:
    fields = {"name": selection.label, "reason": fault.reason}
    return Occurrence(fields, (selection.index,), _fault_fixes(selection, fault, army))


def _fault_fixes(selection: Selection, fault: choices.OptionFault, army: Army) -> tuple[Fix, ...]:
    profile = selection.profile
    assert profile is not None
    names = {key: choices.name_of(key, profile, army) for key in (*fault.add, *fault.remove)}
    index = selection.index
    adds = [Fix(f"Add {names[key]}", "add_option", index, key) for key in fault.add]
    removed = fault.remove[:FIXES_SHOWN]
    removes = [Fix(f"Remove {names[key]}", "remove_option", index, key) for key in removed]
    return (*adds, *removes)
