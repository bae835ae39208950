"""One whole game of each text, played again by its lines: what counts, what is refused, what is asked."""

import pytest

from engine.battles.event_fold import fold
from tests.engine.battles.suggestions import suggestions
from tests.systems import systems_with
from tests.vectors.whole_games import Game, games

GAMES = list(games())


def test_there_is_a_game_of_each_text() -> None:
    played = {(game.system, game.variant) for game in GAMES}
    assert played == {(system.key, system.variant) for system in systems_with("battle")}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_game_is_played_as_its_lines_say(game: Game) -> None:
    faults = []
    for step, log in game.logs():
        if step.line.startswith("?"):
            asked = suggestions(game.rules, game.field, log)
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
        state = fold(game.rules, game.field, log)
        if step.line.startswith("="):
            now = state.combatants[step.who[0]]
            if now.state != step.prompt:
                faults.append(f"{step.line}: {now.state}")
            continue
        verdict = state.verdicts[log[-1].id]
        if not verdict.endswith(step.refusal) or bool(verdict) != bool(step.refusal):
            faults.append(f"{step.line}: {verdict or 'counts'}")
    assert faults == []
    assert state.end
