"""One event read by itself: what can be wrong with it, its payload's keys, types and
limits.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from engine.battles.rules import BattleRules, BattleTest
from engine.battles.sentences import LIMITS, message
from engine.battles.state import FoldContext, Words, comparison_key, lowered
from engine.battles.types import KINDS, Event, Field
from engine.records import Fields, Numbers, is_int_within

# Payloads of events, each read by itself: its keys, their types and limits, known words.

Payload = Fields
"""A payload as it was understood: only the keys that were given, words as the tables write them."""

Reader = Callable[[FoldContext, str, object], Any]

COUNT_MAX = 9999  # of a counter that its rule sets no end to
SOURCES = {"app": "app", "typed": "typed"}
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class InvalidPayload(ValueError):
    """The event is impossible whatever the others are; the text says why."""

    def __init__(self, sentence: str, /, **fields: object) -> None:
        super().__init__(message(sentence, **fields))


def read_payload(
    ground: FoldContext, event_id: str, kind: object, payload: object
) -> Payload:
    """Return the payload of an event with its words as the tables write them.

    Raises InvalidPayload with the sentence to tell.
    """
    if not isinstance(kind, str) or kind not in _KEYS:
        raise InvalidPayload("kind", value=_quote_value(kind), known=", ".join(KINDS))
    if not isinstance(payload, dict):
        raise InvalidPayload("payload")
    keys, needed = _KEYS[kind], _NEEDED[kind]
    for key in payload:
        if key not in keys:
            raise InvalidPayload(
                "unknown_key", value=_quote_value(key), kind=kind, known=", ".join(keys)
            )
    fields: Payload = {}
    for key, read in keys.items():
        if key in payload and (value := payload[key]) is not None:
            fields[key] = read(ground, key, value)
        elif key in needed:
            raise InvalidPayload("missing", key=key)
    _check_together(ground, event_id, kind, fields)
    return fields


def _check_together(ground: FoldContext, event_id: str, kind: str, fields: Payload) -> None:
    """Raise InvalidPayload where values that are each right do not go together."""
    if fields.get("forced") and not fields.get("note"):
        raise InvalidPayload("note_needed")
    match kind:
        case "state":
            _check_by(fields)
        case "wounds":
            combatant = ground.combatants[fields["combatant"]]
            if combatant.wounds is None:
                raise InvalidPayload("no_wounds", name=combatant.name)
            _read_int("to", fields["to"], 0, combatant.wounds)
            _check_by(fields)
        case "counter":
            _check_counter(ground, fields)
        case "test":
            _check_test(ground, fields)
        case "end":
            ending = ground.rules.endings[fields["how"]]
            if "winner" in fields and not ending.has_winner:
                raise InvalidPayload("winner_none", how=lowered(ending.name))
        case "undo" if fields["event"] == event_key(event_id):
            raise InvalidPayload("undo_self")


def _quote_value(value: object) -> str:
    """A wrong value told back, as far as it is a text, and not too long."""
    return value[: LIMITS["shown"]] if isinstance(value, str) else "?"


def _read_word(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidPayload("word", key=key)
    return value


def _id_in(index: str, fault: str) -> Reader:
    """Return the reader of an id: of the ``combatants`` or the ``sides`` of the battle."""

    def read(ground: FoldContext, key: str, value: object) -> str:
        word = _read_word(key, value)
        if word not in getattr(ground, index):
            raise InvalidPayload(fault, key=key, value=_quote_value(word))
        return word

    return read


def _word_in(table: str) -> Reader:
    """Return the reader of a word that one of the system's tables knows, by the table's name."""
    return lambda ground, key, value: _read_known_key(
        getattr(ground.tables, table), key, value
    )


def _read_known_key(vocabulary: Words, key: str, value: object) -> str:
    """Return a known word as the tables spell it; raise InvalidPayload for any other."""
    word = _read_word(key, value)
    meant = vocabulary.get(word) or vocabulary.get(comparison_key(word))
    if meant is None:
        choices = ", ".join(dict.fromkeys(vocabulary.values()))
        fault = "unknown" if choices else "none_known"
        raise InvalidPayload(fault, key=key, value=_quote_value(word), known=choices)
    return meant


def _read_source(ground: FoldContext, key: str, value: object) -> str:
    return _read_known_key(SOURCES, key, value)


def _whole(least: int, most: int) -> Reader:
    """Return the reader of a whole number within these limits."""
    return lambda ground, key, value: _read_int(key, value, least, most)


def _read_int(key: str, value: object, least: int, most: int) -> int:
    if not is_int_within(value, least, most):
        raise InvalidPayload("whole", key=key, least=least, most=most)
    return value


def _read_flag(ground: FoldContext, key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidPayload("flag", key=key)
    return value


def _read_text(ground: FoldContext, key: str, value: object) -> str:
    """Return a text; raise InvalidPayload where it is empty, too long or unprintable."""
    if (
        not isinstance(value, str)
        or not value.strip(" \t\n")
        or len(value) > LIMITS["text"]
    ):
        raise InvalidPayload("text", key=key, most=LIMITS["text"])
    if _UNWANTED.search(value):
        raise InvalidPayload("characters", key=key)
    return value


def _read_event_id(ground: FoldContext, key: str, value: object) -> str:
    return event_key(_read_word(key, value))


def _read_dice(ground: FoldContext, key: str, value: object) -> Numbers:
    if not isinstance(value, (list, tuple)):
        raise InvalidPayload("dice_list")
    return tuple(value)


def event_key(text: str) -> str:
    """An event's id as it is compared: small letters, with hyphens where a UUID has them."""
    bare = text.lower().replace("-", "")
    if len(bare) != 32:
        return text
    return "-".join((bare[:8], bare[8:12], bare[12:16], bare[16:20], bare[20:]))


def _check_by(fields: Payload) -> None:
    if "by" in fields and fields["by"] == fields.get("combatant"):
        raise InvalidPayload("by_itself")


def _check_subject(fields: Payload, of: str, name: str) -> None:
    other = "side" if of == "combatant" else "combatant"
    if of not in fields or other in fields:
        raise InvalidPayload(f"of_{of}", value=name)


def _check_counter(ground: FoldContext, fields: Payload) -> None:
    """Raise InvalidPayload unless the count is within the limits of its counter.

    A combatant's counter without a limit goes up to its number of models.
    """
    rule = ground.rules.counters[fields["counter"]]
    _check_subject(fields, rule.of, rule.id)
    most = rule.most
    if most is None:
        most = (
            ground.combatants[fields["combatant"]].models
            if rule.of == "combatant"
            else COUNT_MAX
        )
    _read_int("to", fields["to"], rule.least, most)
    _check_by(fields)


def _check_test(ground: FoldContext, fields: Payload) -> None:
    """Raise InvalidPayload where a test's taker, dice or result do not fit it."""
    rule = ground.rules.tests[fields["test"]]
    _check_subject(fields, rule.of, rule.id)
    _check_by(fields)
    if "cause" in fields:
        causes = {cause.id: cause.id for cause in rule.causes}
        fields["cause"] = _read_known_key(causes, "cause", fields["cause"])
    if "lent_by" in fields and not ground.may_be_lent(rule, fields):
        raise InvalidPayload("no_lender")
    dice = fields.get("dice", ())
    sides = rule.die_sides(len(dice))
    if len(dice) != len(sides):
        raise InvalidPayload("dice_count", name=rule.name, dice=describe_dice(rule))
    for face, most in zip(dice, sides, strict=True):
        if not is_int_within(face, 1, most):
            raise InvalidPayload("die_face", sides=most)
    if rule.passes in ("table", "none"):
        if not dice:
            raise InvalidPayload("table_dice", name=rule.name)
        if "passed" in fields:
            raise InvalidPayload("table_passed", name=rule.name)
    else:
        if rule.subtracts:
            _read_int("modifier", fields.get("modifier", 0), -LIMITS["modifier"], 0)
        _check_score_test(ground, rule, fields)


def _check_score_test(ground: FoldContext, rule: BattleTest, fields: Payload) -> None:
    """A test against a score says what it came to by its dice, by a word, or by both alike."""
    need = fields.get("need", rule.needs)
    if need is None:
        need = ground.own_figure(rule, fields)
    if need is None and "passed" not in fields and not _may_find_need(ground, rule, fields):
        raise InvalidPayload("need_or_passed")
    if not fields.get("dice"):
        if "passed" not in fields:
            raise InvalidPayload("missing", key="passed")
    elif need is not None and "passed" in fields:
        passed = rule.is_passed(fields["dice"], need, fields.get("modifier", 0))
        if passed != fields["passed"]:
            score = rule.score(fields["dice"])
            result = "passed" if passed else "failed"
            raise InvalidPayload("disagree", score=score, need=need, result=result)


def _may_find_need(ground: FoldContext, rule: BattleTest, fields: Payload) -> bool:
    """Whether a fold may find the score needed: for Rout, which borrows a Leadership from its
    side, and for who is hidden here and known to others.
    """
    if rule.of == "combatant":
        return ground.combatants[fields["combatant"]].is_hidden
    return bool(rule.loses) and ground.sides[fields["side"]].has_figure


def describe_dice(rule: BattleTest) -> str:
    """The dice of a test in words: 2D6, or D10 and up to 6 D6."""
    count = len(rule.dice)
    text = f"{count if count > 1 else ''}D{rule.dice[0]}"
    if rule.rerolls:
        text += f", or twice as many: the second {text} counts"
    if rule.extra_most:
        text += f" and up to {rule.extra_most} D{rule.extra} more"
    return text


def winner_fault(ground: FoldContext, kind: str, fields: Payload) -> str:
    """What keeps a readable event from being new: an end that leaves out who won; "" for nothing.

    Ends without their winner that were stored before are still read.
    """
    if kind != "end" or "winner" in fields:
        return ""
    ending = ground.rules.endings[fields["how"]]
    return message("winner_needed", how=ending.name) if ending.has_winner else ""


_combatant, _side = _id_in("combatants", "nobody"), _id_in("sides", "no_side")
_OF = {"combatant": _combatant, "side": _side}
_BY = {"by": _combatant}
_FORCE = {"forced": _read_flag, "note": _read_text}
# What a device showed when the act was recorded, for moments that others had passed by then;
# and whether the combatant's traits, Initiative and dice were kept from it.
_SEEN = {"in_phase": _word_in("phases"), "in_turn_of": _side, "unseen": _read_flag}
_FORCED = {**_BY, **_FORCE, **_SEEN}
# How each key of a kind is read; any other key is refused.
_KEYS: dict[str, dict[str, Reader]] = {
    "turn": {"number": _whole(1, LIMITS["turn"]), "side": _side, **_FORCE},
    "phase": {"phase": _word_in("phases"), **_FORCE},
    "state": {"combatant": _combatant, "to": _word_in("states"), **_FORCED},
    "wounds": {"combatant": _combatant, "to": _whole(0, COUNT_MAX), **_BY},
    "mark": {
        "combatant": _combatant,
        "mark": _word_in("marks"),
        "on": _read_flag,
        **_FORCE,
        **_SEEN,
    },
    "counter": {
        **_OF,
        "counter": _word_in("counters"),
        "to": _whole(0, COUNT_MAX),
        **_FORCED,
    },
    "test": {
        "test": _word_in("tests"),
        **_OF,
        "dice": _read_dice,
        "source": _read_source,
        "need": _whole(0, LIMITS["score"]),
        "passed": _read_flag,
        "modifier": _whole(-LIMITS["modifier"], LIMITS["modifier"]),
        "cause": _read_text,
        "lent_by": _combatant,
        **_FORCED,
    },
    "note": {"text": _read_text, "combatant": _combatant},
    "end": {"winner": _side, "how": _word_in("endings"), "note": _read_text},
    "undo": {"event": _read_event_id},
}
# Keys that an event of a kind may not leave out.
_NEEDED = {
    "turn": ("number",),
    "phase": ("phase",),
    "state": ("combatant", "to"),
    "wounds": ("combatant", "to"),
    "mark": ("combatant", "mark"),
    "counter": ("counter", "to"),
    "test": ("test",),
    "note": ("text",),
    "end": ("how",),
    "undo": ("event",),
}
assert tuple(_KEYS) == KINDS


# What can be wrong with one event by itself, whatever the others are.

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_UNPRINTED = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}[0-9:.+Zz-]*\Z", re.ASCII
)


def check_event(rules: BattleRules, field: Field, event: Event) -> str:
    """Why the event is impossible, naming field and limit; "" when it is sound.

    A sound event may still be set aside by the fold, which alone knows what came before it. ``id``
    is a UUID in small letters with hyphens, ``at`` a time with or without a zone, which nothing is
    ordered by.
    """
    if fault := envelope_fault(event.id, event.device, event.seq, event.at, event.payload):
        return fault
    ground = FoldContext(rules, field)
    try:
        fields = read_payload(ground, event.id, event.kind, event.payload)
    except InvalidPayload as error:
        return str(error)
    return winner_fault(ground, event.kind, fields)


def envelope_fault(
    event_id: object, device: object, seq: object, at: object, payload: object
) -> str:
    """Return why an event without its kind cannot be kept, "" when it can.

    Of the payload only the size is looked at.
    """
    if not isinstance(event_id, str) or not _ID.match(event_id):
        return message("id")
    if not _is_device(device):
        return message("device", most=LIMITS["device"])
    if not is_int_within(seq, 0, LIMITS["seq"]):
        return message("seq", most=LIMITS["seq"])
    if not _is_moment(at):
        return message("at")
    if isinstance(payload, Mapping) and _weight(payload) > LIMITS["payload"]:
        return message("payload_large", most=LIMITS["payload"])
    return ""


def _is_device(device: object) -> bool:
    if not isinstance(device, str) or not 1 <= len(device) <= LIMITS["device"]:
        return False
    return not _UNPRINTED.search(device)


def _is_moment(at: object) -> bool:
    """Whether a value is the text of a date and time that the calendar has."""
    if not isinstance(at, str) or not _MOMENT.match(at):
        return False
    # The pattern leaves the day and the hour to be checked, and fromisoformat takes more spellings.
    try:
        datetime.fromisoformat(at)
    except ValueError:
        return False
    return True


def _weight(payload: Mapping[object, object]) -> int:
    """The bytes of texts and the lengths of lists in it: what could be large.

    Whatever lies deeper is no value here.
    """
    total = 0
    for key, value in payload.items():
        for part in (key, value):
            if isinstance(part, str):
                total += len(part.encode("utf-8", "surrogatepass"))
            elif isinstance(part, (list, tuple, Mapping)):
                total += len(part)
    return total
