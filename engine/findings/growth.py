"""What is unusual about a warband that grew in a campaign: figures of its rules that it is beyond.

The guidelines are those of every campaign; their figures are the campaign's own.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

from engine.findings.case import Case, Finding, Occurrence, Occurrences, sentence
from engine.findings.kinds import kind, kinds_of
from engine.records import copy_fields
from engine.roster import RosterGrowth
from engine.selection import Selection, total_models
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
    count, most = total_models(case.selections), _growth(case).models_most
    if most is not None and count > most:
        yield Occurrence({"count": count, "most": most})


@kind(fields={"count": int, "most": int})
def growth_recruits_most(case: Case, guideline: Guideline) -> Occurrences:
    """Find more recruits since the last battle than the campaign's rules advise."""
    growth = _growth(case)
    if growth.recruits_most is not None and growth.recruits > growth.recruits_most:
        yield Occurrence({"count": growth.recruits, "most": growth.recruits_most})


@kind(fields={})
def growth_no_leader(case: Case, guideline: Guideline) -> Occurrences:
    """Find a warband whose leader is gone and which has chosen nobody else."""
    if not _growth(case).has_leader:
        yield Occurrence({})


@kind(fields={"who": str, "why": str})
def growth_absent(case: Case, guideline: Guideline) -> Occurrences:
    """Find those who miss battles, and those whom another warband holds."""
    for selection in case.selections:
        if why := _absence(selection):
            fields = {"who": selection.label, "why": why}
            yield Occurrence(fields, (selection.index,))


def _absence(selection: Selection) -> str:
    """Return why an entry, or some of its models, will not fight; "" for those who will."""
    growth = selection.entry.growth
    if growth is None:
        return ""
    if growth.captor:
        return f"is held by {growth.captor}"
    # A group goes with those of its models that miss nothing.
    who = len(growth.misses)
    if not who:
        return ""
    some = "" if who >= selection.entry.count else f"with {who} of {selection.entry.count} "
    battles = max(growth.misses)
    return f"{some}misses " + ("a battle" if battles == 1 else f"up to {battles} battles")


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
    Guideline(ABSENT, ABSENT, "note", "{who} {why}.", "Absent"),
)
FINDERS = kinds_of((sys.modules[__name__],))


def growth_findings(case: Case) -> Iterator[Finding]:
    """Yield what is unusual about a campaign's warband; nothing about any other."""
    if case.roster.growth is None:
        return
    # The place to look it up is the campaign's rules, not the book of the system.
    source = case.roster.growth.rules
    for guideline in GUIDELINES:
        for hit in FINDERS[guideline.kind].find(case, guideline):
            told = copy_fields(
                Finding, guideline, message=sentence(guideline.message, hit.fields)
            )
            yield replace(told, warriors=hit.warriors, source=source)
