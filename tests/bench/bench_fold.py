"""Folding a battle's events to its state: in Python, and in a browser."""

import random

from engine.battles.battle_summary import summary
from engine.battles.event_fold import fold
from engine.battles.payloads import check_event
from engine.battles.rules import BattleRules
from engine.battles.types import Combatant, Event, Field, Side
from rulesdata import registry
from tests.bench.measure import interleaved, sized, table, verdict
from tests.engine.battles.making import Made, log
from tests.engine.battles.suggestions import suggestions

BUDGET_MS = 20.0
SIZES = sized((100, 500, 2_000, 10_000), (100, 500))
ROUNDS = sized(25, 1)
TIMED = """async ([module, rules, field, events, rounds]) => {
  const { fold, suggestions } = await import(module);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    suggestions(rules, field, fold(rules, field, events));
    times.push(performance.now() - start);
  }
  return [times[0], times.sort((one, other) => one - other)[rounds >> 1]];
}"""


def main() -> None:
    logs = {size: made(size) for size in SIZES}
    rules, field, events = logs[500]
    tasks = {
        f"fold {size} events": lambda given=given: fold(*given)
        for size, given in logs.items()
    }
    tasks["summary of 500"] = lambda: summary(rules, field, events)
    tasks["check one event by itself"] = lambda: check_event(rules, field, events[0])
    tasks["fold and what the phase asks for"] = lambda: suggestions(rules, field, events)
    times = interleaved(tasks, rounds=15)
    rows = [[name, ms, *_budget(name, ms)] for name, ms in times.items()]
    table(["Python, two sides of 12", "ms", "budget ms", ""], rows)
    in_browser(logs)


def _budget(name: str, ms: float) -> tuple[float | None, str | None]:
    return (
        (BUDGET_MS, verdict(ms, BUDGET_MS)) if name == "fold 500 events" else (None, None)
    )


def made(size: int) -> Made:
    """So many events of a battle of two sides of 12 that goes on to its last event."""
    rules = registry.battle_rules("warhammer-skirmish")
    field = Field(tuple(_side(key) for key in "ab"))
    return (
        rules,
        field,
        [
            event
            for event in log(random.Random(size), rules, field, size)
            if _goes_on(rules, event)
        ],
    )


def _side(key: str) -> Side:
    men = (
        Combatant(
            f"{key}{n}", key, f"{key.upper()} {n}", 1 + (n == 1), 7 + (n == 1), n == 1
        )
        for n in range(1, 13)
    )
    return Side(key, key.upper(), 12, None, tuple(men))


def _goes_on(rules: BattleRules, event: Event) -> bool:
    return event.kind != "end" and not (
        rules.rout and event.payload.get("test") == rules.rout.test
    )


def in_browser(logs: dict[int, Made]) -> None:
    """The same logs in Chromium: the very first fold of a page, and the median of many."""
    from tests.conftest import chromium

    path = chromium()
    if path is None:
        print("no Chromium here: the browser's fold was not timed")
        return
    from playwright.sync_api import sync_playwright

    from engine.battles.rules import to_json
    from tests.browser.folding import MODULE, open_fold

    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for size, (rules, field, events) in logs.items():
            page = browser.new_page()
            open_fold(page)
            given = [
                MODULE,
                rules.to_json(),
                field.to_json(),
                [to_json(event) for event in events],
                ROUNDS,
            ]
            first, median = page.evaluate(TIMED, given)
            name = f"fold {size} events"
            rows.append([name, first, median, *_budget(name, max(first, median))])
            page.close()
        browser.close()
    table(["Chromium, suggestions included", "first ms", "ms", "budget ms", ""], rows)
