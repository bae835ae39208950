"""Payloads of events, each read by itself: its keys, their types and limits, known words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from engine.battles.ground import FoldContext, Words, comparison_key, lowered
from engine.battles.rules import BattleTest
from engine.battles.sentences import LIMITS, message
from engine.battles.throws import has_figure, leadership_of, result_of, score_of
from engine.battles.types import KINDS

Payload = dict[str, Any]
"""A payload as it was understood: only the keys that were given, words as the tables write them."""

SOURCES = {"app": "app", "typed": "typed"}
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class InvalidPayload(ValueError):
    """The event is impossible whatever the others are; the text says why."""


def read_payload(ground: FoldContext, event_id: str, kind: object, payload: object) -> Payload:
    """Return the payload of an event with its words as the tables write them.

    Raises InvalidPayload with the sentence to tell.
    """
    if not isinstance(kind, str) or kind not in _KEYS:
        raise InvalidPayload(message("kind", value=_quote_value(kind), known=", ".join(KINDS)))
    if not isinstance(payload, Mapping):
        raise InvalidPayload(message("payload"))
    keys = _KEYS[kind]
    for key in payload:
        if key not in keys:
            raise _unknown_key(kind, key)
    said: Payload = {}
    for key, (reader, is_needed) in keys.items():
        value = payload.get(key)
        if value is not None:
            said[key] = reader(ground, key, value)
        elif is_needed:
            raise InvalidPayload(message("missing", key=key))
    if further := _FURTHER.get(kind):
        further(ground, event_id, said)
    return said


def _unknown_key(kind: str, key: object) -> InvalidPayload:
    known = ", ".join(_KEYS[kind])
    return InvalidPayload(message("unknown_key", value=_quote_value(key), kind=kind, known=known))


def _quote_value(value: object) -> str:
    """A wrong value told back, as far as it is a text, and not too long."""
    return value[: LIMITS["shown"]] if isinstance(value, str) else "?"


def _read_word(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidPayload(message("word", key=key))
    return value


def _read_combatant(ground: FoldContext, key: str, value: object) -> str:
    word = _read_word(key, value)
    if word not in ground.combatants:
        raise InvalidPayload(message("nobody", key=key, value=_quote_value(word)))
    return word


def _read_side(ground: FoldContext, key: str, value: object) -> str:
    word = _read_word(key, value)
    if word not in ground.sides:
        raise InvalidPayload(message("no_side", key=key, value=_quote_value(word)))
    return word


def _read_known_key(words: Words, key: str, value: object) -> str:
    word = _read_word(key, value)
    found = words.get(word) or words.get(comparison_key(word))
    if found is None:
        known = ", ".join(dict.fromkeys(words.values()))
        raise InvalidPayload(
            message(
                "unknown" if known else "none_known", key=key, value=_quote_value(word), known=known
            )
        )
    return found


def _read_state(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.states, key, value)


def _read_phase(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.phases, key, value)


def _read_mark(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.marks, key, value)


def _read_counter(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.counters, key, value)


def _read_test(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.tests, key, value)


def _read_ending(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(ground.tables.endings, key, value)


def _read_source(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(SOURCES, key, value)


def _read_int(key: str, value: object, least: int, most: int) -> int:
    if not _is_whole(value) or not least <= value <= most:
        raise InvalidPayload(message("whole", key=key, least=least, most=most))
    return value


def _read_number(ground: FoldContext, key: str, value: object) -> int:
    return _read_int(key, value, 1, LIMITS["turn"])


def _read_count(ground: FoldContext, key: str, value: object) -> int:
    return _read_int(key, value, 0, 9999)


def _read_score(ground: FoldContext, key: str, value: object) -> int:
    return _read_int(key, value, 0, LIMITS["score"])


def _read_modifier(ground: FoldContext, key: str, value: object) -> int:
    return _read_int(key, value, -LIMITS["modifier"], LIMITS["modifier"])


def _read_flag(ground: FoldContext, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidPayload(message("flag", key=key))
    return value


def _read_text(ground: FoldContext, key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip(" \t\n") or len(value) > LIMITS["text"]:
        raise InvalidPayload(message("text", key=key, most=LIMITS["text"]))
    if _UNWANTED.search(value):
        raise InvalidPayload(message("characters", key=key))
    return value


def _read_event_id(ground: FoldContext, key: str, value: object) -> str:
    return event_key(_read_word(key, value))


def _read_dice(ground: FoldContext, key: str, value: object) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidPayload(message("dice_list"))
    return tuple(value)


def event_key(text: str) -> str:
    """An event's id as it is compared: small letters, with hyphens where a UUID has them."""
    bare = text.lower().replace("-", "")
    return (
        "-".join((bare[:8], bare[8:12], bare[12:16], bare[16:20], bare[20:]))
        if len(bare) == 32
        else text
    )


def _check_state(ground: FoldContext, event_id: str, said: Payload) -> None:
    _check_forced(said)
    _check_by(said)


def _check_forced(said: Payload) -> None:
    if said.get("forced") and not said.get("note"):
        raise InvalidPayload(message("note_needed"))


def _check_by(said: Payload) -> None:
    if "by" in said and said["by"] == said.get("combatant"):
        raise InvalidPayload(message("by_itself"))


def _check_wounds(ground: FoldContext, event_id: str, said: Payload) -> None:
    one = ground.combatants[said["combatant"]]
    if one.wounds is None:
        raise InvalidPayload(message("no_wounds", name=one.name))
    _read_int("to", said["to"], 0, one.wounds)
    _check_by(said)


def _check_of(said: Payload, of: str, name: str) -> None:
    other = "side" if of == "combatant" else "combatant"
    if of not in said or other in said:
        raise InvalidPayload(message(f"of_{of}", value=name))


def _check_counter(ground: FoldContext, event_id: str, said: Payload) -> None:
    rule = ground.rules.counters[said["counter"]]
    _check_of(said, rule.of, rule.id)
    most = rule.most
    if most is None:
        most = ground.combatants[said["combatant"]].models if rule.of == "combatant" else 9999
    _read_int("to", said["to"], rule.least, most)
    _check_by(said)


def _check_test(ground: FoldContext, event_id: str, said: Payload) -> None:
    rule = ground.rules.tests[said["test"]]
    _check_of(said, rule.of, rule.id)
    _check_forced(said)
    _check_by(said)
    if said.get("dice"):
        _check_dice(rule, said["dice"])
    if rule.passes in ("table", "none"):
        _check_table_test(rule, said)
    else:
        _check_score_test(ground, rule, said)


def _check_table_test(rule: BattleTest, said: Payload) -> None:
    """A test that is only looked up has dice, and is neither passed nor failed."""
    if not said.get("dice"):
        raise InvalidPayload(message("table_dice", name=rule.name))
    if "passed" in said:
        raise InvalidPayload(message("table_passed", name=rule.name))


def _check_score_test(ground: FoldContext, rule: BattleTest, said: Payload) -> None:
    """A test against a score says what it came to by its dice, by a word, or by both alike."""
    need = said.get("need", rule.needs)
    if need is None:
        need = leadership_of(ground, rule, said)
    if need is None and "passed" not in said and not _may_be_lent(ground, rule, said):
        raise InvalidPayload(message("need_or_passed"))
    if not said.get("dice"):
        if "passed" not in said:
            raise InvalidPayload(message("missing", key="passed"))
    elif need is not None and "passed" in said:
        _check_agreement(rule, said, need)


def _may_be_lent(ground: FoldContext, rule: BattleTest, said: Payload) -> bool:
    """Return whether the fold may find a Leadership: only Rout borrows one from its side."""
    return bool(rule.loses) and has_figure(ground.sides[said["side"]])


def _check_agreement(rule: BattleTest, said: Payload, need: int) -> None:
    passed = result_of(rule, said["dice"], need, said.get("modifier", 0))
    if passed != said["passed"]:
        score = score_of(rule, said["dice"])
        result = "passed" if passed else "failed"
        raise InvalidPayload(message("disagree", score=score, need=need, result=result))


def _check_dice(rule: BattleTest, dice: tuple[Any, ...]) -> None:
    """Raise InvalidPayload unless the test throws so many dice and they have these faces."""
    sides = _sides_of_dice(rule, len(dice))
    if len(dice) != len(sides):
        raise InvalidPayload(message("dice_count", name=rule.name, dice=describe_dice(rule)))
    for face, most in zip(dice, sides, strict=True):
        if not _is_whole(face) or not 1 <= face <= most:
            raise InvalidPayload(message("die_face", sides=most))


def _sides_of_dice(rule: BattleTest, count: int) -> list[int]:
    """Return the sides of each die of a test, with a second throw or further dice if so many."""
    sides = list(rule.dice)
    further = count - len(sides)
    if rule.rerolls and further == len(sides):
        return sides * 2
    if rule.extra_most and 0 <= further <= rule.extra_most:
        return sides + [rule.extra] * further
    return sides


def _is_whole(value: object) -> TypeGuard[int]:
    # To Python true and false are whole numbers, to JSON they are not.
    return isinstance(value, int) and not isinstance(value, bool)


def describe_dice(rule: BattleTest) -> str:
    """The dice of a test in words: 2D6, or D10 and up to 6 D6."""
    count = len(rule.dice)
    told = f"{count if count > 1 else ''}D{rule.dice[0]}"
    if rule.rerolls:
        told += f", or twice as many: the second {told} counts"
    if rule.extra_most:
        told += f" and up to {rule.extra_most} D{rule.extra} more"
    return told


def _check_end(ground: FoldContext, event_id: str, said: Payload) -> None:
    ending = ground.rules.endings[said["how"]]
    if "winner" in said and not ending.has_winner:
        raise InvalidPayload(message("winner_none", how=lowered(ending.name)))


def _check_undo(ground: FoldContext, event_id: str, said: Payload) -> None:
    if said["event"] == event_key(event_id):
        raise InvalidPayload(message("undo_self"))


Reader = Callable[[FoldContext, str, object], Any]
_FORCED: dict[str, tuple[Reader, bool]] = {
    "by": (_read_combatant, False),
    "forced": (_read_flag, False),
    "note": (_read_text, False),
}
_KEYS: dict[str, dict[str, tuple[Reader, bool]]] = {
    "turn": {"number": (_read_number, True), "side": (_read_side, False)},
    "phase": {"phase": (_read_phase, True)},
    "state": {"combatant": (_read_combatant, True), "to": (_read_state, True), **_FORCED},
    "wounds": {
        "combatant": (_read_combatant, True),
        "to": (_read_count, True),
        "by": (_read_combatant, False),
    },
    "mark": {
        "combatant": (_read_combatant, True),
        "mark": (_read_mark, True),
        "on": (_read_flag, False),
    },
    "counter": {
        "combatant": (_read_combatant, False),
        "side": (_read_side, False),
        "counter": (_read_counter, True),
        "to": (_read_count, True),
        "by": (_read_combatant, False),
    },
    "test": {
        "test": (_read_test, True),
        "combatant": (_read_combatant, False),
        "side": (_read_side, False),
        "dice": (_read_dice, False),
        "source": (_read_source, False),
        "need": (_read_score, False),
        "passed": (_read_flag, False),
        "modifier": (_read_modifier, False),
        **_FORCED,
    },
    "note": {"text": (_read_text, True), "combatant": (_read_combatant, False)},
    "end": {
        "winner": (_read_side, False),
        "how": (_read_ending, True),
        "note": (_read_text, False),
    },
    "undo": {"event": (_read_event_id, True)},
}
_FURTHER: dict[str, Callable[[FoldContext, str, Payload], None]] = {
    "state": _check_state,
    "wounds": _check_wounds,
    "counter": _check_counter,
    "test": _check_test,
    "end": _check_end,
    "undo": _check_undo,
}
assert tuple(_KEYS) == KINDS
