"""Folding the growth of whole campaigns out of their logs."""

import random

from engine.growth.campaign_fold import fold
from engine.growth.differences import difference
from engine.growth.log import CampaignLog
from rulesdata.campaign_documents import read_rules
from tests.bench.measure import interleaved, sized, table, verdict
from tests.engine.growth.campaigns import corrected_first, long_log
from tests.engine.growth.seasons import muster_document

BUDGETS_MS = {(40, 8): 30.0, (400, 32): 500.0}
SIZES = sized(tuple(BUDGETS_MS), ((4, 2),))
ROUNDS = sized(15, 1)


def main() -> None:
    document = muster_document()
    rules = read_rules(document)
    logs = {size: long_log(random.Random(1), rules, *size) for size in SIZES}
    tasks = {name_of(size): lambda log=log: fold(log) for size, log in logs.items()}
    budgets = {name_of(size): BUDGETS_MS.get(size) for size in SIZES}
    log = logs[SIZES[0]]
    tasks["preview of a correction of the first battle"] = lambda: preview(log)
    budgets["preview of a correction of the first battle"] = 500.0
    tasks["read the rules"] = lambda: read_rules(document)
    times = interleaved(tasks, rounds=ROUNDS)
    # The work of this thread is judged: it is the same while others use the machine.
    rows = []
    for name, ms in times.cpu.items():
        budget = budgets.get(name)
        word = verdict(ms, budget) if budget else None
        rows.append([name, times[name], ms, budget, word])
    table(["growth", "ms", "cpu ms", "budget ms", ""], rows)


def name_of(size: tuple[int, int]) -> str:
    battles, warbands = size
    return f"fold {battles} battles of {warbands} warbands"


def preview(log: CampaignLog) -> object:
    return difference(fold(log), fold(corrected_first(log)))
