"""What is unusual about a warband that grew in a campaign: figures of its rules that it is beyond.

The guidelines are those of every campaign; their figures are the campaign's own.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

from engine.findings.case import (
    Case,
    Finding,
    Occurrence,
    Occurrences,
    collect_kinds,
    count,
    kind,
    sentence,
)
from engine.records import copy_fields
from engine.roster import RosterGrowth
from engine.types.lists import Army
from engine.types.mechanics import Guideline

# Absences are told of as a note: they end by themselves.
ABSENT = "growth_absent"


# Each kind


@kind(fields={"amount": int, "currency": str})
def growth_treasury_below(case: Case, guideline: Guideline) -> Occurrences:
    """Find a treasury below nothing, which a correction can leave behind."""
    for currency, amount in _growth(case).treasury:
        if amount < 0:
            yield Occurrence({"amount": -amount, "currency": currency})


@kind(fields={"count": int, "most": int})
def growth_models_most(case: Case, guideline: Guideline) -> Occurrences:
    """Find more models than the campaign's rules advise."""
    # Counted as the campaign counts them: captives are of the warband still.
    most, kinds = _growth(case).models_most, _growth(case).models_of
    selections = case.selections
    if kinds:
        growths = ((selection, selection.entry.growth) for selection in selections)
        selections = tuple(s for s, growth in growths if growth and growth.kind in kinds)
    models = count(selections)
    if most is not None and models > most and not _limits_models(case.army, most):
        yield Occurrence({"count": models, "most": most})


def _limits_models(army: Army, most: int) -> bool:
    """Return whether the list has the same limit, for its own finding then tells of it."""
    limits = (x for x in army.limits if not (x.units or x.category or x.options))
    return any(limit.maximum == most for limit in limits)


@kind(fields={"count": int, "most": int})
def growth_recruits_most(case: Case, guideline: Guideline) -> Occurrences:
    """Find more recruits since the last battle than the campaign's rules advise."""
    growth = _growth(case)
    if growth.recruits_most is not None and growth.recruits > growth.recruits_most:
        yield Occurrence({"count": growth.recruits, "most": growth.recruits_most})


@kind(fields={"kind": str, "count": int, "most": int})
def growth_kind_most(case: Case, guideline: Guideline) -> Occurrences:
    """Find more of a kind than its most; a group counts once, and captives count."""
    of_kind: dict[str, list[int]] = {}
    for selection in case.selections:
        if growth := selection.entry.growth:
            of_kind.setdefault(growth.kind, []).append(selection.index)
    for name, most in _growth(case).kinds_most:
        indexes = of_kind.get(name, [])
        if len(indexes) > most:
            fields = {"kind": name, "count": len(indexes), "most": most}
            yield Occurrence(fields, tuple(indexes))


@kind(fields={})
def growth_no_leader(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband whose leader is gone and which has chosen nobody else."""
    if not _growth(case).has_leader:
        yield Occurrence({})


@kind(fields={"who": str, "roll": str})
def growth_old_wound(case: Case, guideline: Guideline) -> Occurrences:
    """Find those who roll for an old wound before the next battle; captives do not."""
    for selection in case.selections:
        growth = selection.entry.growth
        if growth and growth.old_wound and not growth.captor:
            fields = {"who": selection.label, "roll": growth.old_wound}
            yield Occurrence(fields, (selection.index,))


@kind(fields={"count": int})
def growth_dues(case: Case, guideline: Guideline) -> Occurrences:
    """Find rolls and choices that are open before the next battle."""
    if dues := _growth(case).dues:
        yield Occurrence({"count": dues})


@kind(fields={"count": int})
def growth_aside(case: Case, guideline: Guideline) -> Occurrences:
    """Find answers and acts that were set aside, most of them by a correction."""
    if superseded := _growth(case).aside:
        yield Occurrence({"count": superseded})


@kind(fields={"who": str, "why": str})
def growth_absent(case: Case, guideline: Guideline) -> Occurrences:
    """Find those who miss battles, and those whom another warband holds."""
    for selection in case.selections:
        growth = selection.entry.growth
        why = growth.describe_absence(selection.entry.count) if growth else ""
        if why:
            # What stands behind a name begins small.
            fields = {"who": selection.label, "why": f"{why[0].lower()}{why[1:]}"}
            yield Occurrence(fields, (selection.index,))


def _growth(case: Case) -> RosterGrowth:
    return case.roster.growth or RosterGrowth()


GUIDELINES = (
    Guideline(
        "growth_no_leader",
        "growth_no_leader",
        "warning",
        "The leader is gone. Choose a successor in the campaign.",
        "Leader",
    ),
    Guideline(
        "growth_treasury_below",
        "growth_treasury_below",
        "warning",
        "The treasury is {amount} {currency} below 0. Nothing can be bought until that is paid.",
        "Treasury",
    ),
    Guideline(
        "growth_models_most",
        "growth_models_most",
        "warning",
        "{count:model|models}, {most} at most in this campaign.",
        "Models",
    ),
    Guideline(
        "growth_recruits_most",
        "growth_recruits_most",
        "warning",
        "{count:model|models} recruited since the last battle, {most} at most.",
        "Recruits",
    ),
    Guideline(
        "growth_kind_most",
        "growth_kind_most",
        "warning",
        "{kind}: {count:unit|units}, {most} at most in this campaign.",
        "Kind",
    ),
    Guideline(
        "growth_old_wound",
        "growth_old_wound",
        "warning",
        "{who} has an old wound. Roll before the next game: {who} misses it on a {roll}.",
        "Old wound",
    ),
    Guideline(
        "growth_dues",
        "growth_dues",
        "note",
        "{count:roll or choice is|rolls and choices are} open. Resolve before the next game.",
        "Open rolls",
    ),
    Guideline(
        "growth_aside",
        "growth_aside",
        "note",
        "{count:ledger entry does|ledger entries do} not count now. The ledger says why.",
        "Not counted",
    ),
    Guideline(ABSENT, ABSENT, "note", "{who}: {why}.", "Absent"),
)
FINDERS = collect_kinds((sys.modules[__name__],))


def growth_findings(case: Case) -> Iterator[Finding]:
    """Yield what is unusual about a campaign's warband; nothing about any other."""
    if case.roster.growth is None:
        return
    # The place to look it up is the campaign's rules, not the book of the system.
    source = case.roster.growth.rules
    for guideline in GUIDELINES:
        for hit in FINDERS[guideline.kind].find(case, guideline):
            finding = copy_fields(
                Finding, guideline, message=sentence(guideline.message, hit.fields)
            )
            yield replace(finding, warriors=hit.warriors, source=source)
