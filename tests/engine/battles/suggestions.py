"""What a phase asks for, in its order: tests that are due, states that change, reminders.

And an end at hand.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.battles.event_fold import fold
from engine.battles.guard_rules import Prompt
from engine.battles.guards import refusal
from engine.battles.rout import rout_state
from engine.battles.rules import BattleRules
from engine.battles.sentences import message
from engine.battles.state import BattleInPlay, CombatantInPlay, FoldContext, SideInPlay
from engine.battles.types import BattleState, Event, Field, Side


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
    rules: BattleRules, field: Field, events: Iterable[Event]
) -> tuple[Suggestion, ...]:
    """What the present phase asks for, in the order of the rules; nothing once the battle has
    ended. Nobody is asked for what the guards refuse.
    """
    seen = [BattleInPlay(FoldContext(rules, field))]
    fold(rules, field, events, lambda *heard: seen.append(heard[-1]))
    game = seen[-1]
    if game.end:
        return ()
    asked = {test.asks for test in rules.tests.values() if test.asks}
    found = (
        _suggestion(game, prompt, asked)
        for prompt in rules.prompts
        if prompt.phase in ("", game.phase)
    )
    return tuple(one for one in found if one)


def _suggestion(game: BattleInPlay, prompt: Prompt, asked: set[str]) -> Suggestion | None:
    """Return what one prompt asks for now, None where it asks nobody."""
    flanks = [
        flank
        for flank in game.flanks.values()
        if prompt.whose == "all" or game.side in (None, flank.side.id)
    ]
    if prompt.test and game.rules.tests[prompt.test].of == "side":
        due = (flank.side.id for flank in flanks if _is_due(game, flank, prompt.test))
        return _if_any(prompt, sides=tuple(due))
    waits = bool(prompt.after or prompt.after_row or prompt.quarter)
    is_for_some = (
        waits
        or prompt.when
        or prompt.test in asked
        or prompt.traits
        or prompt.enemies
        or prompt.friends
    )
    if prompt.to or prompt.mark or (prompt.test and is_for_some):
        who = (
            man.combatant.id
            for flank in flanks
            if not flank.has_routed and _concerns(game, prompt, flank)
            for man in flank.men
            if not game.is_gone(man)
            and _is_meant(prompt, man)
            and _takes(prompt, man, asked, waits)
            and not _refused(game, prompt, man)
        )
        return _if_any(prompt, who=tuple(who))
    return Suggestion(prompt)


def _if_any(
    prompt: Prompt, sides: tuple[str, ...] = (), who: tuple[str, ...] = ()
) -> Suggestion | None:
    return Suggestion(prompt, sides, who) if sides or who else None


def _is_due(game: BattleInPlay, flank: SideInPlay, test: str) -> bool:
    if game.rules.rout and test == game.rules.rout.test:
        return rout_state(game, flank).due
    return test not in flank.taken and not flank.has_routed


def _refused(game: BattleInPlay, prompt: Prompt, man: CombatantInPlay) -> bool:
    kind, key = next(
        (kind, value)
        for kind, value in (("test", prompt.test), ("to", prompt.to), ("mark", prompt.mark))
        if value
    )
    payload = {kind: key, "combatant": man.combatant.id}
    return bool(refusal(game, "state" if kind == "to" else kind, payload))


def _concerns(game: BattleInPlay, prompt: Prompt, flank: SideInPlay) -> bool:
    """Whether what a prompt waits for has happened in this phase, or whom it fears is there."""
    reached = flank.led_to if prompt.is_leader else flank.reached
    foes = (
        man for other in game.flanks.values() if other is not flank for man in other.men
    )
    return (
        (not prompt.after or bool(reached & set(prompt.after)))
        and (not prompt.after_row or prompt.after_row in game.rows)
        and (not prompt.friends or any(man.state in prompt.friends for man in flank.men))
        and (
            not prompt.enemies
            or any(
                set(prompt.enemies) & set(man.combatant.traits) and not game.is_gone(man)
                for man in foes
            )
        )
    )


def _is_meant(prompt: Prompt, man: CombatantInPlay) -> bool:
    quarter = prompt.quarter
    began, left = man.phase_began.get(quarter, 0), man.counters.get(quarter, 0)
    if quarter == "wounds":
        began, left = man.wounds_began or 0, man.wounds or 0
    return (
        (not prompt.traits or bool(set(prompt.traits) & set(man.combatant.traits)))
        and not set(prompt.others) & set(man.combatant.kinds)
        and man.marks.isdisjoint(prompt.not_with)
        and (not prompt.below or man.counters[prompt.below[0]] < prompt.below[1])
        and (not quarter or (began > left and (began - left) * 4 >= began))
    )


def _takes(prompt: Prompt, man: CombatantInPlay, asked: set[str], waits: bool) -> bool:
    """Those whom another test has sent to this one, or in its states who have not taken it; for a
    step of the side on turn, who was in the state when that turn began (ruling G15).
    """
    if prompt.mark:
        return prompt.mark not in man.marks
    if prompt.to:
        return man.state in prompt.when and (
            man.turn_began == man.state or prompt.whose == "all"
        )
    if man.asks:
        return man.asks == prompt.test
    is_open = prompt.test not in (man.phase_taken if waits else man.taken)
    is_asked = prompt.test in asked
    return is_open and (man.state in prompt.when if prompt.when else not is_asked)


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
