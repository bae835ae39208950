"""What a phase asks for, in its order: tests that are due, states that change, reminders.

And an end at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.battles.rules import BattleRules, Prompt, message
from engine.battles.types import BattleState, CombatantState, Field, Side


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One line: the prompt, the sides that should take its test, or the combatants it is for;
    neither: a reminder.
    """

    prompt: Prompt
    sides: tuple[str, ...] = ()
    who: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LikelyEnd:
    """How the battle would end if somebody said so now, and why."""

    how: str
    winner: str | None
    why: str


def suggestions(
    rules: BattleRules, field: Field, state: BattleState
) -> tuple[Suggestion, ...]:
    """What the present phase asks for, in the order of the rules; nothing once the battle has
    ended.
    """
    if state.end:
        return ()
    asked = {test.asks for test in rules.tests.values() if test.asks}
    found = (
        _suggestion(rules, field, state, prompt, asked)
        for prompt in rules.prompts
        if prompt.phase == state.phase
    )
    return tuple(one for one in found if one)


def _suggestion(
    rules: BattleRules, field: Field, state: BattleState, prompt: Prompt, asked: set[str]
) -> Suggestion | None:
    """Return what one prompt asks for now, None where it asks nobody."""
    sides = [side for side in field.sides if _is_for(prompt, side, state)]
    if prompt.test and rules.tests[prompt.test].of == "side":
        return _if_any(prompt, sides=tuple(_sides_due(rules, state, sides, prompt.test)))
    if prompt.test and (prompt.when or prompt.test in asked):
        return _if_any(prompt, who=tuple(_combatants_due(rules, state, sides, prompt)))
    if prompt.to:
        return _if_any(
            prompt, who=tuple(_combatants_to_change(rules, state, sides, prompt))
        )
    return Suggestion(prompt)


def _sides_due(
    rules: BattleRules, state: BattleState, sides: list[Side], test: str
) -> Iterator[str]:
    is_rout = rules.rout is not None and test == rules.rout.test
    return (side.id for side in sides if _is_due(state, side, test, is_rout))


def _is_for(prompt: Prompt, side: Side, state: BattleState) -> bool:
    return prompt.whose == "all" or state.side in (None, side.id)


def _if_any(
    prompt: Prompt, sides: tuple[str, ...] = (), who: tuple[str, ...] = ()
) -> Suggestion | None:
    return Suggestion(prompt, sides, who) if sides or who else None


def _is_due(state: BattleState, side: Side, test: str, is_rout: bool) -> bool:
    now = state.sides[side.id]
    return now.rout.due if is_rout else test not in now.taken and not now.has_routed


def _combatants_due(
    rules: BattleRules, state: BattleState, sides: list[Side], prompt: Prompt
) -> Iterator[str]:
    """Those whom another test has sent to this one; or those in its states who have not taken it
    this turn.
    """
    for key, now in _combatants_in_play(rules, state, sides):
        if now.asks == prompt.test or (
            not now.asks and now.state in prompt.when and prompt.test not in now.taken
        ):
            yield key


def _combatants_to_change(
    rules: BattleRules, state: BattleState, sides: list[Side], prompt: Prompt
) -> Iterator[str]:
    """Those in the state it starts from: for the side on turn, only who was in it when that turn
    began (ruling G15).
    """
    for key, now in _combatants_in_play(rules, state, sides):
        if now.state in prompt.when and (
            now.turn_began == now.state or prompt.whose == "all"
        ):
            yield key


def _combatants_in_play(
    rules: BattleRules, state: BattleState, sides: list[Side]
) -> Iterator[tuple[str, CombatantState]]:
    for side in sides:
        if not state.sides[side.id].has_routed:
            for one in side.combatants:
                now = state.combatants[one.id]
                if not (now.is_out or rules.states[now.state].is_away):
                    yield one.id, now


def likely_end(rules: BattleRules, field: Field, state: BattleState) -> LikelyEnd | None:
    """Return the end that is at hand, None while the battle goes on.

    It is at hand when everybody of all sides but one, or of all, is out.
    """
    if state.end or len(field.sides) < 2:
        return None
    left = [side for side in field.sides if _is_standing(side, state)]
    if len(left) == 1 and "wiped_out" in rules.endings:
        return LikelyEnd("wiped_out", left[0].id, message("suggest_end", side=left[0].name))
    if not left and "drawn" in rules.endings:
        return LikelyEnd("drawn", None, message("suggest_drawn"))
    return None


def _is_standing(side: Side, state: BattleState) -> bool:
    return any(not state.combatants[one.id].is_out for one in side.combatants)
