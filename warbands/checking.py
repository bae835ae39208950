"""What a program is told about a roster: prices, saves, Leadership and findings, without drawing a
sheet.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.equipment import armour_save
from engine.findings import NO_POLICY, Finding, Policy, check_selections
from engine.roster import Roster
from engine.selection import counts_points, select_all, total_points
from engine.types import Army, Scenario, System


@dataclass(frozen=True, slots=True)
class CheckedWarrior:
    """One entry: ``points`` of all its miniatures, ``armour_save`` 5 for 5+, ``leadership`` its
    own.
    """

    points: int
    armour_save: int | None
    leadership: int | None


@dataclass(frozen=True, slots=True)
class CheckedRoster:
    """The whole roster: ``points`` and ``models`` are totals, ``warriors`` stand in the roster's
    order.
    """

    points: int
    models: int
    findings: tuple[Finding, ...]
    warriors: tuple[CheckedWarrior, ...]


def check_roster(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    policy: Policy = NO_POLICY,
) -> CheckedRoster:
    """Price and check a roster under a system and an army list, with an event's policy and the
    scenario's waivers.
    """
    selections = select_all(army, roster.warriors)
    counted = counts_points(roster.points_limit, system)
    return CheckedRoster(
        points=total_points(selections, roster.points_limit, system),
        models=sum(s.miniatures for s in selections),
        findings=check_selections(roster, selections, system, army, scenario, policy),
        warriors=tuple(
            CheckedWarrior(
                s.points if counted else 0, armour_save(s, army, system.saves).number, s.leadership
            )
            for s in selections
        ),
    )
