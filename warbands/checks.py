"""What the engine says of a roster: what each entry comes to, its price and its findings."""

from engine.equipment import armour_save
from engine.findings.case import Case, Finding
from engine.findings.checks import check_case
from engine.records import Fields, frozen_dataclass
from engine.roster import Roster
from engine.selection import (
    Selection,
    counts_points,
    select_all,
    total_models,
    total_points,
    total_second,
)
from engine.types.lists import Army
from engine.types.systems import Scenario, System

ANSWERED_FINDINGS = 1000  # in one answer of the API


@frozen_dataclass
class CheckedRoster:
    """A roster with a selection for each of its entries, in order, and its findings."""

    roster: Roster
    system: System
    army: Army
    scenario: Scenario | None
    selections: tuple[Selection, ...]
    findings: tuple[Finding, ...]

    @property
    def first_findings(self) -> tuple[Finding, ...]:
        """As many findings as one answer holds, the gravest first as always."""
        return self.findings[:ANSWERED_FINDINGS]

    @property
    def findings_left(self) -> int:
        """How many findings one answer leaves out."""
        return len(self.findings) - len(self.first_findings)

    @property
    def counts_points(self) -> bool:
        return counts_points(self.roster.points_limit, self.system)

    @property
    def points(self) -> int:
        """The points of the whole roster."""
        return total_points(self.selections, self.roster.points_limit, self.system)

    @property
    def second_price(self) -> int | None:
        """What it comes to in the second price of its list; None where that has none."""
        if self.army.second_price is None:
            return None
        return total_second(self.selections, self.army)

    @property
    def models(self) -> int:
        """The miniatures on the table."""
        return total_models(self.selections)

    @property
    def warriors(self) -> list[Fields]:
        """What each entry comes to, in order: ``points`` of all its miniatures, ``armour_save`` 5
        for 5+, its own Leadership.
        """
        return [
            {
                "points": selection.points if self.counts_points else 0,
                "armour_save": armour_save(selection, self.army, self.system.saves).number,
                "leadership": selection.leadership,
            }
            for selection in self.selections
        ]


def check_roster(
    roster: Roster,
    system: System,
    army: Army,
    scenario: Scenario | None = None,
    findings: tuple[Finding, ...] | None = None,
) -> CheckedRoster:
    """Price and check a roster under a system and an army list; a scenario waives what it names.

    ``findings`` are those of this very roster where they were asked for already.
    """
    selections = select_all(army, roster.warriors)
    # They were asked for when the roster was written, and nothing else may change them.
    if findings is None:
        findings = check_case(Case(roster, selections, system, army), scenario)
    return CheckedRoster(roster, system, army, scenario, selections, findings)
