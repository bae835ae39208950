"""One whole game of each text, played again by its lines: what counts, what is refused, what is asked."""

from __future__ import annotations

import uuid

import pytest

from engine.battles.event_fold import fold
from engine.battles.types import Event
from tests.engine.battles.suggestions import suggestions
from tests.systems import systems_with
from tests.vectors.whole_games import WHY, Game, games

GAMES = list(games())


def test_there_is_a_game_of_each_text() -> None:
    played = {(game.system, game.variant) for game in GAMES}
    assert played == {(system.key, system.variant) for system in systems_with("battle")}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_game_is_played_as_its_lines_say(game: Game) -> None:
    events: list[Event] = []
    faults = []
    for step in game.steps:
        if step.line.startswith("?"):
            asked = suggestions(game.rules, game.field, events)
            found = [
                {*one.sides, *one.who}
                for one in asked
                if one.prompt.text.startswith(step.prompt)
            ]
            if found != ([] if step.line.endswith("::") else [set(step.who)]):
                faults.append(
                    f"{step.line}: {found} of {[one.prompt.text for one in asked]}"
                )
            continue
        if step.line.startswith("="):
            now = fold(game.rules, game.field, events).combatants[step.who[0]]
            if now.state != step.prompt:
                faults.append(f"{step.line}: {now.state}")
            continue
        event = event_of(step.kind, step.payload, len(events) + 1)
        verdict = fold(game.rules, game.field, [*events, event]).verdicts[event.id]
        if not step.refusal and not verdict:
            events.append(event)
        elif not verdict.endswith(step.refusal) or not step.refusal:
            faults.append(f"{step.line}: {verdict or 'counts'}")
        elif step.is_forced:
            payload = {**step.payload, "forced": True, "note": WHY}
            events.append(event_of(step.kind, payload, len(events) + 1))
    state = fold(game.rules, game.field, events)
    assert faults == []
    assert set(state.verdicts.values()) == {""}
    assert state.end


def event_of(kind: str, payload: dict[str, object], seq: int) -> Event:
    return Event(
        str(uuid.UUID(int=seq, version=4)), "p", seq, "2026-03-01T19:30:00Z", kind, payload
    )
