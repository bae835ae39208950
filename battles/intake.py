"""The events of a battle: what devices send, each read by itself, and its rows as the
engine takes them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from accounts.owner import Owner
from battles import access
from battles.combatants import build_field, from_locked
from battles.models import (
    DEVICE_MAX,
    EVENTS_MAX,
    WORD_MAX,
    Battle,
    BattleEvent,
    BattleSide,
    BattleStatus,
    ResultEntry,
)
from battles.result_rules import ResultContext
from battles.results import ResultStep, fold_result, is_silent
from engine.battles.event_fold import BattleLog
from engine.battles.payloads import check_event, envelope_fault
from engine.battles.rules import BattleRules
from engine.battles.sentences import LIMITS
from engine.battles.types import KINDS, UNDONE, BattleState, Event
from engine.errors import Refusal
from engine.records import JsonObject, NamedValues, copy_fields
from engine.text import text_fault
from rulesdata import registry
from warbands.exchange.document import shown

# What devices send: each event read by itself, sorted into new ones, repeats and
# refusals.
#
# Nothing is written here.

BATCH_MAX = 500
PAYLOAD_MAX = LIMITS["payload"]
SEQ_AHEAD = 20_000
FUTURE = timedelta(hours=48)
KEYS = ("id", "device", "seq", "at", "kind", "payload")
EARLIEST = 2000  # a year

Outcome = Literal["accepted", "duplicate", "refused"]


class IntakeAnswer(NamedTuple):
    """What became of one event. ``id`` as it was sent, "" where it was no text.

    ``stored``: a refused one that is sound by itself is kept and told of, and has no effect where
    it stands.
    """

    id: str
    outcome: Outcome
    reason: str = ""
    stored: bool = False


class InvalidEvent(ValueError):
    """An event that cannot be stored, with the sentence that says why."""


def closed_reason(battle: Battle, now: datetime) -> str:
    """Why the battle takes no more events, "" while it does."""
    if battle.status == BattleStatus.VOID:
        return (
            "This battle is void, so you cannot record anything. Restore the result first."
        )
    if battle.status == BattleStatus.CONFIRMED or is_silent(battle, now):
        return (
            "The result of this battle is confirmed, so you cannot record anything. Correct the "
            "result instead."
        )
    return ""


def classify_events(
    log: BattleLog, events: Sequence[Any], now: datetime, reason: str = ""
) -> tuple[list[IntakeAnswer], list[Event]]:
    """Return what became of each of these events, and those that are new; nothing is written.

    ``reason`` refuses whatever is new.
    """
    events_by_id = {event.id: event for event in log.events}
    top = max((event.seq for event in log.events), default=0)
    answers: list[IntakeAnswer] = []
    new: list[Event] = []
    for raw in events:
        sent = raw.get("id") if isinstance(raw, Mapping) else None
        name = sent if isinstance(sent, str) else ""
        try:
            event = read_event(raw, now)
            stored = events_by_id.get(event.id)
            if stored == event:
                answers.append(IntakeAnswer(name, "duplicate", stored=True))
                continue
            if stored:
                raise InvalidEvent(
                    "This id was used before for another event. Give each event an id of its own."
                )
            fault = check_event(log.rules, log.field, event) or reason
            if fault := fault or _limit_reason(len(events_by_id), top, event):
                raise InvalidEvent(fault)
        except InvalidEvent as error:
            answers.append(IntakeAnswer(name[:DEVICE_MAX], "refused", str(error)))
            continue
        events_by_id[event.id] = event
        top = max(top, event.seq)
        new.append(event)
        answers.append(IntakeAnswer(name, "accepted", stored=True))
    return answers, new


def _limit_reason(count: int, top: int, event: Event) -> str:
    """Return why an event exceeds the limits, "" where it does not.

    ``count`` events are stored, and ``top`` is their highest ``seq``.
    """
    if count >= EVENTS_MAX:
        return f"A battle holds at most {EVENTS_MAX:,} events, and this one has them."
    if event.seq > top + SEQ_AHEAD:
        return (
            f"seq must be at most {top + SEQ_AHEAD:,} now, {SEQ_AHEAD:,} above the highest so "
            f"far, not {event.seq:,}."
        )
    return ""


def with_verdict(answer: IntakeAnswer, state: BattleState) -> IntakeAnswer:
    """An accepted event that the fold set aside is told of with the rule; an undone one was
    accepted.
    """
    verdict = state.verdicts.get(answer.id.lower(), "")
    if answer.outcome != "accepted" or verdict in ("", UNDONE):
        return answer
    return answer._replace(outcome="refused", reason=verdict)


def format_moment(at: datetime) -> str:
    """A moment as events carry it: UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Reading what a device sent


def read_event(raw: Any, now: datetime) -> Event:
    """Return the event that a JSON value describes.

    What its kind asks of its payload is the engine's to say (`engine.battles.check_event`). Raises
    InvalidEvent with a sentence that names the field and its limit.
    """
    keys = ", ".join(KEYS)
    if not isinstance(raw, Mapping):
        raise InvalidEvent(f"An event must be an object with the keys {keys}.")
    for key in raw:
        if key not in KEYS:
            raise InvalidEvent(
                f"{shown(key)} is not a key of an event; the keys are {keys}."
            )
    for key in KEYS:
        if key not in raw:
            raise InvalidEvent(f"{key} is missing; the keys are {keys}.")
    name, device, seq, at, kind, payload = (raw[key] for key in KEYS)
    # Ids are compared as text; a device may write a UUID in capitals.
    if isinstance(name, str):
        name = name.lower()
    if fault := envelope_fault(name, device, seq, at, payload):
        raise InvalidEvent(fault)
    if fault := text_fault(device, DEVICE_MAX):
        raise InvalidEvent(f"device {fault}.")
    if not isinstance(kind, str) or len(kind) > WORD_MAX:
        raise InvalidEvent(f"kind must be one of {', '.join(KINDS)}.")
    return Event(name, device, seq, _moment(at, now), kind, _payload(payload))


def _moment(value: str, now: datetime) -> str:
    """The moment in UTC, which a clock without a zone is taken to tell.

    What is two days ahead was never recorded.
    """
    try:
        at = datetime.fromisoformat(value)
        at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidEvent("at must be a moment such as 2025-05-01T18:30:00Z.") from None
    if at > now + FUTURE:
        raise InvalidEvent(
            f"at lies more than {FUTURE // timedelta(hours=1)} hours in the future. Set the "
            "device's clock."
        )
    if at.year < EARLIEST:
        raise InvalidEvent(f"at lies before the year {EARLIEST}. Set the device's clock.")
    return format_moment(at)


def _payload(value: Any) -> JsonObject:
    """Return the payload; raises InvalidEvent for no object or unclean text.

    Its JSON has at most ``PAYLOAD_MAX`` bytes.
    """
    if not isinstance(value, Mapping):
        raise InvalidEvent("payload must be an object.")
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > PAYLOAD_MAX:
        raise InvalidEvent(
            f"payload must have at most {PAYLOAD_MAX:,} bytes as JSON, not {size:,}."
        )
    for path, text in _texts(value):
        if fault := text_fault(text, PAYLOAD_MAX, many_lines=True):
            raise InvalidEvent(f"{path} {fault}.")
    return dict(value)


def _texts(value: Any, path: str = "payload") -> Iterator[tuple[str, str]]:
    """Every text of a JSON value with the way to it, keys included."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key in value:
            yield path, str(key)
        for key, inner in value.items():
            yield from _texts(inner, f"{path}.{shown(key)[1:-1]}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, path)


# The rows of a battle as the engine takes them: its rules, what was locked, and its log.


def rules_of(battle: Battle) -> BattleRules:
    """What the battle's system plays by. Raises Refusal where no pack knows the system any more."""
    try:
        return registry.rules_of(battle)
    except registry.UnknownKey as error:
        raise Refusal(str(error), field="system") from None


def load_log(battle: Battle) -> BattleLog:
    """Return the battle's log: every event stored when its row was read, in order of arrival.

    One query. Raises Refusal as ``rules_of``.
    """
    rows = BattleEvent.objects.filter(
        battle_id=battle.pk, position__lte=battle.events_count
    )
    columns = ("uuid", *KEYS[1:])
    events = rows.order_by("position").values_list(*columns, named=True)
    field = build_field(from_locked(battle.locked))
    return BattleLog(rules_of(battle), field, tuple(map(to_event, events)))


def to_event(row: Any) -> Event:
    """Return the event of a row, or of any record with the same columns, as the fold takes it."""
    at = format_moment(row.at)
    return Event(str(row.uuid), row.device, row.seq, at, row.kind, row.payload)


class ResultRows(NamedTuple):
    """A battle with its sides by position and the steps of its result by number."""

    battle: Battle
    sides: list[BattleSide]
    steps: list[ResultEntry]


def build_result_context(
    actor: Owner,
    key: str,
    rows: ResultRows,
    now: datetime,
    *,
    may_organise: bool | None = None,
) -> ResultContext:
    """Return what the rules of results look at.

    ``may_organise`` is what the caller knows already, and saves a query. One query where the battle
    has a club, none without.
    """
    battle, sides, steps = rows
    if may_organise is None:
        may_organise = access.may_organise(actor, battle, key)
    return ResultContext(
        actor=actor,
        key=key,
        battle=battle,
        sides=tuple(sides),
        standing=fold_result([copy_fields(ResultStep, row) for row in steps]).after_silence(
            now
        ),
        may_organise=may_organise,
        now=now,
    )


TOTALS = {"state": "", "is_out": False, "kills": 0, "put_out_by": ""}
"""The columns of a combatant's row that are totals, with what stands there for none."""
Totals = dict[str, JsonObject]


def stored_state(state: BattleState) -> JsonObject:
    """The state as a battle keeps it: plain JSON, without the verdicts of its events."""
    data = state.to_json()
    del data["verdicts"]
    return data


def combatant_totals(stored: NamedValues) -> Totals:
    """Combatant id to the columns of its row."""
    states = stored.get("combatants", {})
    return {
        key: {column: state[column] or empty for column, empty in TOTALS.items()}
        for key, state in states.items()
    }
