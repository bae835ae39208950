"""Uncertain figures of a roster: which there are, and which its owner has acknowledged."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.findings.case import Finding
from engine.findings.composition import open_points
from engine.findings.policy import RANK
from engine.records import TextPairs
from engine.roster import Roster
from engine.selection import Selection
from engine.types.lists import Profile
from engine.types.systems import System
from rulesdata import registry
from warbands.checks import CheckedRoster
from warbands.models import FIGURE_MAX, AcknowledgedFigure
from warbands.queries.records import Acknowledgement

KIND = "incomplete"
OWNER = "The owner"


def load_acknowledged(warband_id: int, roster: Roster) -> tuple[Acknowledgement, ...]:
    """The figures acknowledged of a warband. One query, none where no figure can be uncertain."""
    # Few units have an uncertain figure, so nearly every page goes without this query.
    if not _may_be_uncertain(roster):
        return ()
    rows = AcknowledgedFigure.objects.filter(warband_id=warband_id).select_related("author")
    return tuple(
        Acknowledgement(
            row.profile,
            row.figure,
            row.author.display_name if row.author else OWNER,
            row.at,
        )
        for row in rows.order_by("pk")
    )


def _may_be_uncertain(roster: Roster) -> bool:
    try:
        army = registry.load_army(roster.system, roster.army, roster.variant)
    except registry.UnknownKey:
        return False
    held = (army.profiles.get(entry.profile) for entry in roster.warriors)
    return any(profile is not None and _is_open(profile) for profile in held)


def _is_open(profile: Profile) -> bool:
    is_open_wizard = profile.is_wizard and profile.wizard_level is None
    return bool(profile.incomplete) or is_open_wizard


def is_about_figures(finding: Finding, system: System) -> bool:
    """Whether a finding tells uncertain figures."""
    return any(one.kind == KIND for one in system.guidelines if one.code == finding.code)


def uncertain_figures(selections: Iterable[Selection]) -> TextPairs:
    """(profile, figure) of everything that is uncertain, each once."""
    found = [(one.entry.profile, open_points(one)) for one in selections]
    pairs = [(profile, text[:FIGURE_MAX]) for profile, texts in found for text in texts]
    return tuple(dict.fromkeys(pairs))


def with_acknowledged(
    checked: CheckedRoster, known: Sequence[Acknowledgement]
) -> CheckedRoster:
    """The check with its uncertain figures as a note, where every one of them is acknowledged."""
    by_figure = {(one.profile, one.figure): one for one in known}
    pairs = uncertain_figures(checked.selections) if known else ()
    if not pairs or not set(pairs) <= by_figure.keys():
        return checked
    words = max((by_figure[pair] for pair in pairs), key=lambda one: one.at).words
    # The message names all figures at once, so one that is new makes it a warning again.
    told = (
        replace(one, level="note", acknowledged_by=words, fixes=())
        if is_about_figures(one, checked.system)
        else one
        for one in checked.findings
    )
    return replace(checked, findings=tuple(sorted(told, key=lambda one: RANK[one.level])))
