"""The browser's fold is held to the shared cases, and to the server's fold on battles made up at
random.
"""

from itertools import islice

import pytest
from playwright.sync_api import Page

from engine.battles.event_fold import fold
from engine.battles.payloads import check_event
from engine.battles.types import Combatant, Field, Side
from rulesdata import registry
from tests.browser.folding import checked, folded, open_fold, recorded_as
from tests.engine.battles.making import battles
from tests.engine.battles.suggestions import suggestions
from tests.engine.oracle.moments import TEXTS, rules_of, trials
from tests.vectors.battle_cases import cases, checks, falls_short
from tests.vectors.whole_games import games

pytestmark = pytest.mark.browser


def test_shared_cases_come_to_what_is_written(page: Page) -> None:
    open_fold(page)
    written = list(cases())
    assert len(written) > 60
    faults = []
    for case, found in zip(
        written, folded(page, [(c.rules, c.field, c.events) for c in written]), strict=True
    ):
        wrong = falls_short(case.expect, found["state"])
        if found["state"]["verdicts"] != case.verdicts():
            wrong.append(f"verdicts: {found['state']['verdicts']}")
        if case.suggests is not None and found["suggested"] != case.suggests:
            wrong.append(f"suggested: {found['suggested']}")
        if case.likely_end != "unsaid" and found["end"] != case.likely_end:
            wrong.append(f"likely end: {found['end']}")
        if found["state"] != fold(case.rules, case.field, case.events).to_json():
            wrong.append("not the server's state")
        faults += [f"{case.name}: {fault}" for fault in wrong]
    assert faults == []


def test_shared_events_are_answered_as_written(page: Page) -> None:
    open_fold(page)
    written = list(checks())
    answers = checked(page, [(c.rules, c.field, c.event) for c in written])
    assert [(c.name, answer) for c, answer in zip(written, answers, strict=True)] == [
        (c.name, c.says) for c in written
    ]


def test_act_says_that_the_device_does_not_know_who_it_is_about(page: Page) -> None:
    open_fold(page)
    men = (Combatant("a1", "a", "Model 1", is_hidden=True), Combatant("a2", "a", "Ada"))
    field = Field((Side("a", "Ferrymen", 2, None, men),)).to_json()
    rules = registry.battle_rules("warhammer-skirmish").to_json()
    for man, extra in (("a1", {"unseen": True}), ("a2", {})):
        for kind, payload in (
            ("mark", {"combatant": man, "mark": "has_shot"}),
            ("test", {"combatant": man, "test": "panic"}),
            ("state", {"combatant": man, "to": "hidden"}),
        ):
            assert recorded_as(page, rules, field, kind, payload) == payload | extra
        wounds = {"combatant": man, "to": 0}
        assert recorded_as(page, rules, field, "wounds", wounds) == wounds


def test_whole_games_come_to_the_servers_state(page: Page) -> None:
    """At their end, and wherever they ask for something. The server's answers are held to the lines
    in ``engine/battles/test_whole_games.py``.
    """
    open_fold(page)
    logs = [
        (game.rules, game.field, log)
        for game in games()
        for step, log in game.logs()
        if step.line.startswith("?") or step is game.steps[-1]
    ]
    for log, found in zip(logs, folded(page, logs), strict=True):
        assert found["state"] == fold(*log).to_json()
        suggested = [[s.prompt.text, [*s.sides], [*s.who]] for s in suggestions(*log)]
        assert found["suggested"] == suggested


def test_battles_made_up_come_to_the_servers_state(page, soak):
    open_fold(page)
    made = battles(seed=4, count=soak(40, 600))
    verdicts = set()
    while batch := list(islice(made, 60)):
        for log, found in zip(batch, folded(page, batch), strict=True):
            state = fold(*log)
            verdicts |= {verdict[:9] for verdict in state.verdicts.values()}
            assert found["state"] == state.to_json()
            suggested = suggestions(*log)
            assert found["suggested"] == [
                [s.prompt.text, list(s.sides), list(s.who)] for s in suggested
            ]
    assert {"", "undone"} < verdicts
    assert len(verdicts) > 10


def test_events_made_up_are_answered_alike(page, soak):
    open_fold(page)
    made = [
        (rules, field, event)
        for rules, field, log in battles(seed=5, count=soak(10, 100))
        for event in log
    ]
    ours = [check_event(*one) for one in made]
    assert checked(page, made) == ours
    assert "" in ours
    assert len(set(ours)) > 20


def test_every_act_counts_or_not_as_on_the_server(page, soak):
    """The server's answers are held to the texts in ``engine/battles/test_who_may_when.py``."""
    open_fold(page)
    for name in TEXTS:
        tried = trials(rules_of(name), seed=2, count=soak(20, 3_000))
        made = (
            ((t.game.rules, t.game.field, [*t.game.events, t.event]), t.state)
            for t in tried
        )
        while part := list(islice(made, 300)):
            logs = [log for log, _ in part]
            states = [found["state"] for found in folded(page, logs)]
            assert states == [state.to_json() for _, state in part]
