"""What a list handed in for a round is checked by: what the round agrees on, the event's policy, the core before it.

No rows are read or written here. What the system finds is kept as it is; levels and waivers are laid over it whenever
it is told, so that a waiver given later, or taken back, changes what is said and never what was brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from campaigns.errors import Refusal
from campaigns.lineup import sheet_lineup
from campaigns.models import Round
from engine.findings import Allowance, Finding, Policy, SetLevel, check_selections, judged
from engine.findings.core import Core, ListEntry, core_changed
from engine.roster import Roster
from engine.selection import select_all
from engine.types import Scenario, System
from rulesdata import registry
from warbands import scenarios
from warbands.sheet import (
    RosterSheet,
    SnapshotMismatch,
    build_sheet,
    from_json,
    to_json,
    with_findings,
)


class RoundTerms(Protocol):
    """What an event agrees on, of its row or of its record."""

    @property
    def system(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def points_limit(self) -> int | None: ...
    @property
    def scenarios(self) -> Sequence[str]: ...
    @property
    def house_rules(self) -> Mapping[str, bool]: ...
    @property
    def levels(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class AgreedTerms:
    """What a round agrees on. ``limit`` None leaves each list its own; ``scenario`` only where there is just one."""

    system: System
    limit: int | None
    scenario: Scenario | None
    house_rules: Mapping[str, bool]
    levels: Mapping[str, SetLevel]

    def policy(self, allowed: Iterable[Allowance] = ()) -> Policy:
        """The event's levels with the waivers of one entry."""
        return Policy(self.levels, tuple(allowed))


@dataclass(frozen=True, slots=True)
class CheckedList:
    """A list as it would be handed in: its roster and sheet, and ``found`` before levels and waivers."""

    roster: Roster
    sheet: RosterSheet
    found: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class PreviousList:
    """The list before this one where the core must stay, and whom a battle's fate took since, by entry."""

    sheet: RosterSheet
    lost: Mapping[int, int] = field(default_factory=dict)


def load_terms(event: RoundTerms, round_row: Round) -> AgreedTerms:
    """What holds in a round. One query where its only scenario is a person's own, else none."""
    pool = round_row.scenarios or event.scenarios
    scenario = scenarios.load_scenario(event.system, pool[0]) if len(pool) == 1 else None
    limit = event.points_limit if round_row.points_limit is None else round_row.points_limit
    system = registry.load_system(event.system, event.variant or None)
    return AgreedTerms(system, limit, scenario, event.house_rules, event.levels)


def check_list(
    roster: Roster,
    agreed: AgreedTerms,
    allowed: Iterable[Allowance] = (),
    before: PreviousList | None = None,
) -> CheckedList:
    """The roster under what the round agrees on. Raises Refusal for one of nobody, or of more than fit on a side."""
    taken = apply_terms(roster, agreed)
    system, army = registry.load_ruleset(taken)
    selections = select_all(army, taken.warriors)
    found = check_selections(taken, selections, system, army)
    sheet = build_sheet(taken, system, army, agreed.scenario, findings=found)
    if not sheet.models:
        raise Refusal(
            f"{sheet.name} has no warriors yet. Add some, then hand it in.", field="warband"
        )
    try:
        sheet_lineup("a", sheet, army)
    except Refusal as refusal:
        raise Refusal(refusal.message, field="warband") from None
    if before is not None:
        found = (
            *found,
            *core_changed(Core(list_entries(before.sheet), list_entries(sheet), before.lost)),
        )
    told = judged(found, agreed.scenario, agreed.policy(allowed))
    return CheckedList(taken, with_findings(sheet, told), found)


def apply_terms(roster: Roster, agreed: AgreedTerms) -> Roster:
    """The roster with the round's limit, house rules and scenario instead of its own."""
    return replace(
        roster,
        points_limit=roster.points_limit if agreed.limit is None else agreed.limit,
        scenario=agreed.scenario.key if agreed.scenario else None,
        house_rules={**roster.house_rules, **agreed.house_rules},
    )


def list_entries(sheet: RosterSheet) -> list[ListEntry]:
    """The entries of a sheet as the core looks at them."""
    return [
        ListEntry(one.id, one.profile_key, one.name or one.title, one.count)
        for one in sheet.warriors
    ]


def findings_to_json(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings as a row keeps them; their fixes are for a warband that can still be changed."""
    return [to_json(replace(finding, fixes=())) for finding in found]


def findings_from_json(data: Sequence[Any]) -> tuple[Finding, ...]:
    """What a row keeps, those left out that this release cannot read any more."""
    found = []
    for one in data:
        try:
            found.append(from_json(one, Finding))
        except SnapshotMismatch:
            continue
    return tuple(found)
