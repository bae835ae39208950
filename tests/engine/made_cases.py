"""What one kind of guideline finds in a small roster of the Empire."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.findings.case import Case, Occurrence
from engine.findings.checks import KINDS
from engine.roster import RosterEntry
from engine.selection import select_all
from engine.types.lists import Army
from engine.types.mechanics import Guideline
from engine.types.systems import System
from tests.factories import make_entry, make_roster

CAPTAIN = make_entry(profile="captain")
HALBERDIERS = make_entry(count=4)
STRANGER = make_entry(profile="space-captain")


def hits(
    kind: str,
    system: System,
    army: Army,
    entries: Sequence[RosterEntry],
    *,
    limit: int | None = None,
    **parameters: Any,
) -> list[Occurrence]:
    roster = make_roster(warriors=entries, points_limit=limit)
    case = Case(roster, select_all(army, roster.warriors), system, army)
    guideline = Guideline("code", kind, "warning", "", parameters=parameters)
    return list(KINDS[kind].find(case, guideline))


def with_profile(army: Army, key: str, **fields: Any) -> Army:
    profiles = {**army.profiles, key: replace(army.profiles[key], **fields)}
    return replace(army, profiles=profiles)
