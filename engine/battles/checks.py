"""What can be said against one event by itself, whatever the others are."""

import re
from collections.abc import Mapping
from datetime import datetime

from engine.battles.ground import FoldContext
from engine.battles.payloads import InvalidPayload, read_payload, winner_fault
from engine.battles.rules import BattleRules
from engine.battles.sentences import LIMITS, message
from engine.battles.types import Event, Field
from engine.records import is_int_within

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
    return fault_of(event.id, event.device, event.seq, event.at, event.payload) or _unsound(
        rules, field, event
    )


def _unsound(rules: BattleRules, field: Field, event: Event) -> str:
    """Return why the payload of a new event cannot be taken, or "" where it can."""
    ground = FoldContext(rules, field)
    try:
        said = read_payload(ground, event.id, event.kind, event.payload)
    except InvalidPayload as error:
        return str(error)
    return winner_fault(ground, event.kind, said)


def fault_of(
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
        for one in (key, value):
            if isinstance(one, str):
                total += len(one.encode("utf-8", "surrogatepass"))
            elif isinstance(one, (list, tuple, Mapping)):
                total += len(one)
    return total
