"""What an event says in a sentence, in pieces, so that a page may set the names apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.battles.ground import lowered
from engine.battles.payloads import Payload
from engine.battles.rules import BattleTest
from engine.battles.state import BattleInPlay, TestResult
from engine.battles.types import Event


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of a sentence; ``combatant`` or ``side`` is the id of whose name it is."""

    text: str
    combatant: str | None = None
    side: str | None = None


Parts = tuple[TextPart, ...]
_DIRECTIONS = {"at_most": "less", "at_least": "more"}  # how a test passes, and what it asks for


def parts_of(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    """The sentence of an event as the battle stands after it; ``said`` is empty for one that could
    not be read.
    """
    return (
        WORDS[event.kind](game, event, said)
        if said
        else (TextPart(f"Cannot be read: {str(event.kind)[:20]}"),)
    )


def _name(game: BattleInPlay, combatant: str) -> TextPart:
    return TextPart(game.men[combatant].combatant.name, combatant=combatant)


def _side_name(game: BattleInPlay, side: str) -> TextPart:
    return TextPart(game.flanks[side].side.name, side=side)


def _whose(game: BattleInPlay, said: Payload) -> TextPart:
    return _name(game, said["combatant"]) if "combatant" in said else _side_name(game, said["side"])


def _by(game: BattleInPlay, said: Payload) -> Parts:
    return (TextPart(", by "), _name(game, said["by"])) if "by" in said else ()


def _turn(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    turn = f"{game.rules.turn_name} {said['number']}"
    return (
        (TextPart(f"{turn}: "), _side_name(game, said["side"]))
        if "side" in said
        else (TextPart(turn),)
    )


def _phase(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    return (TextPart(next(phase.name for phase in game.rules.phases if phase.id == said["phase"])),)


def _state(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    return (
        _name(game, said["combatant"]),
        TextPart(f": {game.tables.names[said['to']]}"),
        *_by(game, said),
    )


def _wounds(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    most = game.men[said["combatant"]].combatant.wounds
    return (
        _name(game, said["combatant"]),
        TextPart(f": {said['to']} of {most} Wounds left"),
        *_by(game, said),
    )


def _mark(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    mark = lowered(game.rules.marks[said["mark"]].name)
    return _name(game, said["combatant"]), TextPart(
        f": {mark if said.get('on', True) else f'no longer {mark}'}"
    )


def _counter(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    name = lowered(game.rules.counters[said["counter"]].name)
    return _whose(game, said), TextPart(f": {name} {said['to']}"), *_by(game, said)


def _test(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    rule = game.rules.tests[said["test"]]
    told = "".join((f": {rule.name}", *_came_to(rule, said, game.result)))
    moved = game.before is not None and "combatant" in said
    state = f"; now {game.state_name(game.men[said['combatant']])}" if moved else ""
    end = (TextPart("; the battle is lost"),) if game.end and game.end.event == event.id else ()
    return _whose(game, said), TextPart(told + state), *_by(game, said), *end


def _came_to(rule: BattleTest, said: Payload, result: TestResult | None) -> tuple[str, ...]:
    """Return the dice, what was needed, and what it came to, as far as each is known."""
    dice = said.get("dice", ())
    found = [f", {' and '.join(map(str, dice))}"] if dice else []
    if result and _is_sum(rule, dice, result):
        found.append(f" make {result.score}")
    if "modifier" in said:
        found.append(f" ({said['modifier']:+d})".replace("-", "−"))
    return *found, *(_result_words(rule, result) if result else ())


def _is_sum(rule: BattleTest, dice: tuple[int, ...], result: TestResult) -> bool:
    """Return whether the dice are added up, so that their sum is worth telling."""
    is_added = rule.takes == "sum" and not _is_again(rule, dice)
    return is_added and len(dice) > 1 and result.score is not None


def _result_words(rule: BattleTest, result: TestResult) -> tuple[str, ...]:
    found = []
    if result.need is not None and rule.passes in _DIRECTIONS:
        found.append(f", {result.need} or {_DIRECTIONS[rule.passes]} needed")
    if result.row:
        found.append(f": {lowered(result.row.name)}")
    if result.passed is not None:
        found.append(": passed" if result.passed else ": failed")
    return tuple(found)


def _is_again(rule: BattleTest, dice: tuple[int, ...]) -> bool:
    return rule.rerolls and len(dice) > len(rule.dice)


def _note(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    about = (_name(game, said["combatant"]), TextPart(": ")) if "combatant" in said else ()
    return *about, TextPart(said["text"])


def _end(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    how = f"The battle ends: {lowered(game.rules.endings[said['how']].name)}"
    return (
        (TextPart(f"{how}, won by "), _side_name(game, said["winner"]))
        if "winner" in said
        else (TextPart(how),)
    )


def _undo(game: BattleInPlay, event: Event, said: Payload) -> Parts:
    return (TextPart("Undo"),)


WORDS: dict[str, Callable[[BattleInPlay, Event, Payload], Parts]] = {
    "turn": _turn,
    "phase": _phase,
    "state": _state,
    "wounds": _wounds,
    "mark": _mark,
    "counter": _counter,
    "test": _test,
    "note": _note,
    "end": _end,
    "undo": _undo,
}
