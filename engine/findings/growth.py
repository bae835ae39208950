"""What is unusual about a warband that grew in a campaign: figures of its rules that it is beyond.

What is looked for is the same in every campaign; the figures are the campaign's own.
"""

from collections.abc import Iterator

from engine.findings.case import Case, Finding, Number, count
from engine.records import Numbers, grouped
from engine.roster import RosterGrowth
from engine.text import in_number
from engine.types.mechanics import Level

Parts = tuple[str, Level, str, str, Numbers]
"""Of a finding: code, level, title, message and warriors."""


def growth_findings(case: Case) -> Iterator[Finding]:
    """Yield what is unusual about a campaign's warband; nothing about any other."""
    growth = case.roster.growth
    if growth is None:
        return
    parts = (*_of_warband(case, growth), *_of_entries(case, growth))
    for code, level, title, message, warriors in parts:
        # The place to look it up is the campaign's rules, not the book of the system.
        yield Finding(code, level, message, warriors, growth.rules, title=title)


def _of_warband(case: Case, growth: RosterGrowth) -> Iterator[Parts]:
    if not growth.has_leader:
        message = "The leader is gone. Choose a successor in the campaign."
        yield "growth_no_leader", "warning", "Leader", message, ()
    for currency, amount in growth.treasury:
        # A correction can leave it below nothing.
        if amount < 0:
            message = f"The treasury is {-amount} {in_number(currency, amount)} below 0."
            message += " Nothing can be bought until that is paid."
            yield "growth_treasury_below", "warning", "Treasury", message, ()
    if message := _too_many_models(case, growth):
        yield "growth_models_most", "warning", "Models", message, ()
    most = growth.recruits_most
    if most is not None and growth.recruits > most:
        recruits = f"{Number(growth.recruits):model|models}"
        message = f"{recruits} recruited since the last battle, {most} at most."
        yield "growth_recruits_most", "warning", "Recruits", message, ()
    if growth.dues:
        dues = f"{Number(growth.dues):roll or choice is|rolls and choices are}"
        message = f"{dues} open. Resolve before the next game."
        yield "growth_dues", "note", "Open rolls", message, ()
    # Answers and acts, most of them set aside by a correction.
    if growth.aside:
        entries = f"{Number(growth.aside):ledger entry does|ledger entries do}"
        message = f"{entries} not count now. The ledger says why."
        yield "growth_aside", "note", "Not counted", message, ()


def _too_many_models(case: Case, growth: RosterGrowth) -> str:
    """Return the sentence on more models than the campaign's rules advise, empty for none.

    They are counted as the campaign counts them: captives are of the warband still.
    """
    most, selections = growth.models_most, case.selections
    if growth.models_of:
        growths = ((selection, selection.entry.growth) for selection in selections)
        selections = tuple(s for s, of in growths if of and of.kind in growth.models_of)
    models = count(selections)
    # Where the list has the same limit, its own finding tells of it.
    if most is None or models <= most or most in _limits_of_list(case):
        return ""
    return f"{Number(models):model|models}, {most} at most in this campaign."


def _limits_of_list(case: Case) -> list[int | None]:
    limits = case.army.limits
    return [x.maximum for x in limits if not (x.units or x.category or x.options)]


def _of_entries(case: Case, growth: RosterGrowth) -> Iterator[Parts]:
    grown = [(s, s.entry.growth) for s in case.selections if s.entry.growth]
    # A group counts once, and captives count.
    of_kind = grouped((gains.kind, selection.index) for selection, gains in grown)
    for kind, most in growth.kinds_most:
        indexes = tuple(of_kind.get(kind, ()))
        if len(indexes) > most:
            units = f"{Number(len(indexes)):unit|units}"
            message = f"{kind}: {units}, {most} at most in this campaign."
            yield "growth_kind_most", "warning", "Kind", message, indexes
    for selection, gains in grown:
        who, warriors = selection.label, (selection.index,)
        # Captives do not roll.
        if gains.old_wound and not gains.captor:
            message = f"{who} has an old wound. Roll before the next game: {who} misses it"
            message += f" on a {gains.old_wound}."
            yield "growth_old_wound", "warning", "Old wound", message, warriors
        if why := gains.describe_absence(selection.entry.count):
            # Absences end by themselves. What stands behind a name begins small.
            message = f"{who}: {why[0].lower()}{why[1:]}."
            yield "growth_absent", "note", "Absent", message, warriors
