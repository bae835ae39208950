"""Pricing and checking a roster with the data loaded: the engine alone, without a database."""

from engine.findings.case import Case
from engine.findings.checks import check_case
from engine.roster import Roster
from engine.selection import select_all
from rulesdata import registry
from tests.bench.measure import interleaved, table, verdict
from tests.bench.rosters import document
from warbands.exchange.document import parse
from warbands.sheet.build import build_sheet

BUDGET_MS = 1.0


def main() -> None:
    rosters = {size: parse(document(size)) for size in (3, 15, 50, 200)}
    system = registry.load_system("warhammer-skirmish")
    army = registry.load_army("warhammer-skirmish", "the-empire")
    tasks = {}
    for size, roster in rosters.items():

        def check(roster: Roster = roster) -> object:
            return check_case(Case(roster, select_all(army, roster.warriors), system, army))

        tasks[f"check {size} warriors"] = check
    tasks["the sheet's structure, 15 warriors"] = lambda: build_sheet(
        rosters[15], system, army
    )
    tasks["read a document of 15 warriors"] = lambda: parse(document(15))
    times = interleaved(tasks, rounds=200, warm_rounds=20)
    rows: list[list[object]] = [[name, ms, None, None] for name, ms in times.items()]
    rows[1][2:] = [BUDGET_MS, verdict(times["check 15 warriors"], BUDGET_MS)]
    table(["data loaded", "ms", "budget ms", ""], rows)
