"""The browser's fold alone in a page: its modules served from their files, with no site and no
database behind them.
"""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from playwright.sync_api import Page, Route

from engine.battles.rules import BattleRules, to_json
from engine.battles.types import Event, Field

ORIGIN = "http://fold.test"
MODULE = f"{ORIGIN}/static/js/battle/fold.js"

FOLDED = """async ([module, rules, fields, batch]) => {
  const { fold, suggestions, likelyEnd } = await import(module);
  return batch.map(([rule, place, events]) => {
    const field = fields[place];
    const state = fold(rules[rule], field, events);
    const suggested = suggestions(rules[rule], field, state).map((one) => [one.prompt.text, one.sides, one.who]);
    return { state, suggested, end: likelyEnd(rules[rule], field, state) };
  });
}"""
CHECKED = """async ([module, rules, fields, batch]) => {
  const { check } = await import(module);
  return batch.map(([rule, place, event]) => check(rules[rule], fields[place], event));
}"""

RECORDED_AS = """async ([module, rules, field, kind, payload]) => {
  const { fold } = await import(module);
  const { withMoment } = await import(module.replace("fold.js", "guards.js"));
  return withMoment(fold(rules, field, []), kind, payload);
}"""


def open_fold(page: Page) -> None:
    """Put an empty page in front of us that may import the modules."""

    def serve(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        if path.startswith("/static/"):
            source = (settings.BASE_DIR / path.lstrip("/")).read_text()
            route.fulfill(body=source, content_type="text/javascript")
        else:
            route.fulfill(
                body="<!doctype html><title>fold</title>", content_type="text/html"
            )

    page.route(f"{ORIGIN}/**", serve)
    page.goto(f"{ORIGIN}/")


def folded(
    page: Page, logs: Iterable[tuple[BattleRules, Field, Iterable[Event]]]
) -> list[dict[str, Any]]:
    """What the browser makes of each log: its ``state``, what it ``suggested`` and the likely
    ``end``.
    """
    rules, fields, batch = _shared(logs)
    batch = [
        [rule, place, [to_json(event) for event in events]] for rule, place, events in batch
    ]
    return page.evaluate(FOLDED, [MODULE, rules, fields, batch])


def recorded_as(
    page: Page, rules: Any, field: Any, kind: str, payload: dict[str, Any]
) -> dict[str, Any]:
    """The payload that the browser records for an act before the first turn."""
    return page.evaluate(RECORDED_AS, [MODULE, rules, field, kind, payload])


def checked(page: Page, events: Iterable[tuple[BattleRules, Field, Event]]) -> list[str]:
    """What the browser says against each event by itself."""
    rules, fields, batch = _shared(events)
    return page.evaluate(
        CHECKED, [MODULE, rules, fields, [[r, f, to_json(event)] for r, f, event in batch]]
    )


def _shared(
    given: Iterable[tuple[BattleRules, Field, Any]],
) -> tuple[list[Any], list[Any], list[Any]]:
    """Rules and fields once each, and the batch naming them by place."""
    rules: dict[int, tuple[int, BattleRules]] = {}
    fields: dict[int, tuple[int, Field]] = {}
    batch = []
    for rule, field, rest in given:
        rules.setdefault(id(rule), (len(rules), rule))
        fields.setdefault(id(field), (len(fields), field))
        batch.append([rules[id(rule)][0], fields[id(field)][0], rest])
    return (
        [r.to_json() for _, r in rules.values()],
        [f.to_json() for _, f in fields.values()],
        batch,
    )
