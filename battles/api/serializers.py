"""Answers of the battles' API: records as plain JSON. Nothing is worked out here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from battles.intake import BATCH_MAX
from battles.models import (
    AUTHOR_MAX,
    CONFIRM_DAYS,
    CONFIRM_DAYS_MAX,
    NOTE_MAX,
    QUICK_LEADERSHIP_MAX,
    QUICK_MODELS_MAX,
    REASON_MAX,
    SIDES_LEAST,
    SIDES_MOST,
    BattleStatus,
    BattleVisibility,
    ResultVerb,
)
from battles.operations.events import RecordedEvents
from battles.operations.setup import QuickSide, RosterSide, SideChoice, WarbandSide
from battles.queries.records import BattleRecord, EventRecord, ResultRecord, ResultStepRecord
from battles.recorder import bundle_of, event_data
from battles.tallies import CareerTotals, Consequences, TallyChange
from engine.battles.types import KINDS, BattleState
from warbands.api import RosterDocument
from warbands.models import KEY_MAX, NAME_MAX


def opened(record: BattleRecord) -> dict[str, Any]:
    """A battle that was set up."""
    return {
        "id": record.token,
        "key": record.key,
        "sides": [
            {
                "id": side.key,
                "name": side.name,
                "combatants": [
                    {"id": f.id, "name": f.name, "profile": f.profile} for f in side.fighters
                ],
            }
            for side in record.sides
        ],
    }


def bundle(record: BattleRecord) -> dict[str, Any]:
    """A whole battle, as a recorder goes on with it."""
    return {**bundle_of(record), "result": result(record.result), "may_record": record.may_record}


def recorded(done: RecordedEvents) -> dict[str, Any]:
    """What became of each event."""
    return {
        "events": [
            {"id": one.id, "status": one.outcome, "reason": one.reason, "stored": one.stored}
            for one in done.answers
        ],
        "position": done.position,
    }


def later(events: tuple[EventRecord, ...], position: int) -> dict[str, Any]:
    """Events that arrived after a position."""
    return {"events": [event_data(event) for event in events], "position": position}


def state(told: BattleState) -> dict[str, Any]:
    """What the events come to, without what was said about each of them."""
    data = told.to_json()
    del data["verdicts"]
    return data


def result(record: ResultRecord) -> dict[str, Any]:
    """The result with its history."""
    return {
        "status": str(record.status),
        "winner": record.winner,
        "how": record.how,
        "confirm_by": record.confirm_by,
        "number": record.number,
        "steps": [_step(step) for step in record.steps],
    }


def _step(step: ResultStepRecord) -> dict[str, Any]:
    return {
        "number": step.number,
        "verb": step.verb,
        "side": step.side or None,
        "winner": step.winner,
        "how": step.how,
        "reason": step.reason,
        "figures": step.figures,
        "is_silent": step.is_silent,
        "author": step.author,
        "at": step.at,
    }


def preview(told: Consequences) -> dict[str, Any]:
    """Everything a step would change."""
    return {
        "preview": True,
        "sentences": list(told.sentences),
        "before": _moment(told.before),
        "after": _moment(told.after),
        "warbands": [_change_answer(change) for change in told.warbands],
        "warriors": [
            {**_change_answer(change), "warrior": change.warrior_id} for change in told.warriors
        ],
        "standings": [],
        "later": [
            {"side": one.side, "id": one.token, "title": one.title, "fought_date": one.fought_date}
            for one in told.later
        ],
    }


def _moment(told: tuple[str, str | None, str]) -> dict[str, Any]:
    return dict(zip(("status", "winner", "how"), told, strict=True))


def _change_answer(change: TallyChange) -> dict[str, Any]:
    sides = {"side": change.side, "name": change.name}
    return {**sides, "before": _tally(change.before), "after": _tally(change.after)}


def _tally(tally: CareerTotals) -> dict[str, int]:
    return {
        name: getattr(tally, name) for name in ("battles", "won", "drawn", "lost", "kills", "out")
    }


OPENING = (
    "system",
    "variant",
    "scenario",
    "sides",
    "attacker",
    "first",
    "house_rules",
    "note",
    "visibility",
    "fought_date",
    "confirm_days",
)
NOT_NULL = ("note", "visibility", "house_rules", "fought_date", "confirm_days")
FORMS = ("roster", "warband", "quick")
QUICK = ("name", "models", "leadership")
TEXT_MAX = 10_000  # what no text of a body needs; each has its own, lower limit


def opening(body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``open_battle``; raises 400."""
    read: dict[str, Any] = {"system": text(body, "system"), "sides": _sides(body["sides"])}
    for name in ("variant", "scenario"):
        read[name] = text(body, name) or None
    for name in ("attacker", "first"):
        read[name] = parse_int(body, name)
    given = {name: body[name] for name in NOT_NULL if name in body}
    if nothing := [name for name, value in given.items() if value is None]:
        raise ValidationError(
            {name: [f"{name} must not be null: leave it out."] for name in nothing}
        )
    read |= {name: text(body, name) for name in ("note", "visibility") if name in given}
    if "confirm_days" in given:
        read["confirm_days"] = parse_int(body, "confirm_days")
    if "house_rules" in given:
        read["house_rules"] = _rules(given["house_rules"])
    if "fought_date" in given:
        read["fought_date"] = _day(text(body, "fought_date"))
    return read


def text(body: Mapping[str, Any], name: str) -> str:
    """A text of the body, "" where it is left out or null; raises 400."""
    value = body.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValidationError({name: [f"{name} must be a text."]})
    if len(value) > TEXT_MAX:
        raise ValidationError(
            {name: [f"{name} must have at most {TEXT_MAX:,} characters, not {len(value):,}."]}
        )
    return value


def parse_int(body: Mapping[str, Any], name: str) -> int | None:
    """A whole number of the body, None where it is left out or null; raises 400."""
    value = body.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValidationError({name: [f"{name} must be a whole number, or null."]})
    return value


def events(body: Mapping[str, Any]) -> list[Any]:
    """The list of events of the body, [] where it is left out; raises 400."""
    value = body.get("events", [])
    if not isinstance(value, list):
        raise ValidationError({"events": ["events must be a list of events."]})
    return value


def _sides(value: Any) -> list[SideChoice]:
    if not isinstance(value, list) or not SIDES_LEAST <= len(value) <= SIDES_MOST:
        raise ValidationError(
            {"sides": [f"sides must be a list of {SIDES_LEAST} to {SIDES_MOST} sides."]}
        )
    return [_side(f"sides[{place}]", one) for place, one in enumerate(value)]


def _side(path: str, value: Any) -> SideChoice:
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in FORMS:
        raise ValidationError(
            {path: [f"{path} must be an object with one of the keys {', '.join(FORMS)}."]}
        )
    form, inner = next(iter(value.items()))
    if form == "roster":
        return RosterSide(inner)
    if form == "warband":
        if not isinstance(inner, str):
            raise ValidationError(
                {f"{path}.warband": [f"{path}.warband must be the id of a warband, a text."]}
            )
        return WarbandSide(inner)
    return _quick(f"{path}.quick", inner)


def _quick(path: str, value: Any) -> QuickSide:
    if not isinstance(value, Mapping):
        raise ValidationError(
            {path: [f"{path} must be an object with the keys {', '.join(QUICK)}."]}
        )
    for key in value:
        if key not in QUICK:
            raise ValidationError(
                {path: [f"{path} has another key; its keys are {', '.join(QUICK)}."]}
            )
    for key in QUICK[:2]:
        if key not in value:
            raise ValidationError({f"{path}.{key}": [f"{path}.{key} is missing."]})
    if not isinstance(value["name"], str):
        raise ValidationError({f"{path}.name": [f"{path}.name must be a text."]})
    return QuickSide(value["name"], value["models"], value.get("leadership"))


def _rules(value: Any) -> dict[str, bool]:
    if not isinstance(value, Mapping):
        raise ValidationError({"house_rules": ["house_rules must be an object of true and false."]})
    return dict(value)


def _day(value: str) -> date:
    try:
        if len(value) != 10:
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise ValidationError(
            {"fought_date": ["fought_date must be a day such as 2025-05-01."]}
        ) from None


TEXT, WHOLE, YES = serializers.CharField, serializers.IntegerField, serializers.BooleanField
ANY = serializers.JSONField
KEY_HELP = "The battle's key; or in the header X-Battle-Key, or as Authorization: Bearer."
PLACE_HELP = "The place of a side in sides, from 0."


class QuickSideDocument(serializers.Serializer[Any]):
    """A side without a roster."""

    name = TEXT(max_length=NAME_MAX)
    models = WHOLE(min_value=1, max_value=QUICK_MODELS_MAX)
    leadership = WHOLE(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=QUICK_LEADERSHIP_MAX,
        help_text="Its leader's.",
    )


class SideDocument(serializers.Serializer[Any]):
    """One side: exactly one of the three."""

    roster = RosterDocument(required=False)
    warband = TEXT(required=False, help_text="The id of a warband that the caller may open.")
    quick = QuickSideDocument(required=False)


class BattleDocument(serializers.Serializer[Any]):
    """A battle to set up. Any other key is refused."""

    system = TEXT(max_length=KEY_MAX, help_text="Key of a rule system.")
    variant = TEXT(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Needed where the system has some.",
    )
    scenario = TEXT(
        required=False,
        allow_null=True,
        max_length=KEY_MAX,
        help_text="Key of a scenario of the system.",
    )
    sides = serializers.ListField(
        child=SideDocument(), min_length=SIDES_LEAST, max_length=SIDES_MOST
    )
    attacker = WHOLE(
        required=False, allow_null=True, min_value=0, max_value=SIDES_MOST - 1, help_text=PLACE_HELP
    )
    first = WHOLE(
        required=False, allow_null=True, min_value=0, max_value=SIDES_MOST - 1, help_text=PLACE_HELP
    )
    house_rules = serializers.DictField(
        child=YES(), required=False, help_text="Switches of the system, by key."
    )
    note = TEXT(
        required=False, allow_blank=True, max_length=NOTE_MAX, help_text="What else was agreed."
    )
    visibility = serializers.ChoiceField(
        choices=BattleVisibility.values, required=False, default=BattleVisibility.LINK.value
    )
    fought_date = serializers.DateField(required=False, help_text="Today if left out.")
    confirm_days = WHOLE(
        required=False,
        min_value=1,
        max_value=CONFIRM_DAYS_MAX,
        default=CONFIRM_DAYS,
        help_text="Days the other side has to answer a result before silence confirms it.",
    )


class CombatantAnswer(serializers.Serializer[Any]):
    """One miniature, or one regiment."""

    id = TEXT()
    name = TEXT()
    profile = TEXT(allow_blank=True, help_text="Key of its profile; empty on a quick side.")


class OpenedSideAnswer(serializers.Serializer[Any]):
    """A side with everybody in it."""

    id = TEXT()
    name = TEXT()
    combatants = CombatantAnswer(many=True)


class OpenedAnswer(serializers.Serializer[Any]):
    """A battle that was set up."""

    id = TEXT()
    key = TEXT(help_text="Lets its holder record.")
    sides = OpenedSideAnswer(many=True)


class EventsDocument(serializers.Serializer[Any]):
    """A batch of events."""

    events = serializers.ListField(
        child=serializers.DictField(),
        help_text=f"The first {BATCH_MAX} are looked at, each by itself. An event: id (a UUID of its "
        "own), device, seq "
        "(one more than the highest seen), at (what its clock said), kind "
        f"({', '.join(KINDS)}) and payload (an object by its kind, at most 4,096 bytes).",
    )
    key = TEXT(required=False, help_text=KEY_HELP)
    author = TEXT(
        required=False,
        allow_blank=True,
        max_length=AUTHOR_MAX,
        help_text="What a key's holder is called.",
    )


class EventAnswer(serializers.Serializer[Any]):
    """What became of one event."""

    id = TEXT(allow_blank=True)
    status = serializers.ChoiceField(choices=["accepted", "duplicate", "refused"])
    reason = TEXT(allow_blank=True, help_text="Why it was refused, with field and limit.")
    stored = YES(
        help_text="Whether it is kept; a refused one that is kept has no effect where it stands."
    )


class EventsAnswer(serializers.Serializer[Any]):
    """What became of each event, in their order."""

    events = EventAnswer(many=True)
    position = WHOLE(help_text="How many events the battle holds now.")


STORED_EVENT = inline_serializer(
    "StoredEvent",
    {
        **{name: TEXT() for name in ("id", "device", "at", "kind")},
        "seq": WHOLE(),
        "payload": ANY(),
        "position": WHOLE(help_text="Its place in the order of arrival."),
        "author": TEXT(allow_blank=True),
    },
    many=True,
)
LATER_EVENTS = inline_serializer("LaterEvents", {"events": STORED_EVENT, "position": WHOLE()})


class ResultDocument(serializers.Serializer[Any]):
    """What is said of the result; each step takes what it needs of it."""

    winner = TEXT(
        required=False, allow_null=True, help_text="The id of the side that won; null for nobody."
    )
    how = TEXT(
        required=False,
        help_text="rout, objective, wiped_out, conceded, time or drawn. Left out: as the events say.",
    )
    side = TEXT(
        required=False,
        help_text="The id of the side somebody speaks for, where they may speak for several.",
    )
    reason = TEXT(
        required=False,
        allow_blank=True,
        max_length=REASON_MAX,
        help_text="Needed to dispute, correct and make void.",
    )
    events = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="To propose and to correct: events to record with it, all of them or none.",
    )
    number = WHOLE(
        required=False,
        allow_null=True,
        help_text="How many steps the caller has seen; another number is a 409.",
    )
    key = TEXT(required=False, help_text=KEY_HELP)
    author = TEXT(
        required=False,
        allow_blank=True,
        max_length=AUTHOR_MAX,
        help_text="What a key's holder is called.",
    )


class ResultStepAnswer(serializers.Serializer[Any]):
    """One step of the history."""

    number = WHOLE()
    verb = serializers.ChoiceField(choices=ResultVerb.values)
    side = TEXT(allow_null=True)
    winner = TEXT(allow_null=True)
    how = TEXT(allow_blank=True)
    reason = TEXT(allow_blank=True)
    figures = ANY(help_text="What the events came to then.")
    is_silent = YES(help_text="Nobody objected in time.")
    author = TEXT(allow_blank=True)
    at = serializers.DateTimeField()


class ResultAnswer(serializers.Serializer[Any]):
    """The result as it is now."""

    status = serializers.ChoiceField(choices=BattleStatus.values)
    winner = TEXT(allow_null=True)
    how = TEXT(allow_blank=True)
    confirm_by = serializers.DateTimeField(allow_null=True, help_text="When silence confirms it.")
    number = WHOLE()
    steps = ResultStepAnswer(many=True)


TALLY = {name: WHOLE() for name in ("battles", "won", "drawn", "lost", "kills", "out")}


def _change(name: str, extra: dict[str, Any]) -> Any:
    fields = {"side": TEXT(), "name": TEXT(), **extra}
    before, after = (
        inline_serializer(f"{name}{moment}", dict(TALLY)) for moment in ("Before", "After")
    )
    return inline_serializer(name, {**fields, "before": before, "after": after}, many=True)


PREVIEW = inline_serializer(
    "Preview",
    {
        "preview": YES(),
        "sentences": serializers.ListField(child=TEXT(), help_text="Every consequence in words."),
        "before": ANY(help_text="status, winner and how."),
        "after": ANY(),
        "warbands": _change("WarbandChange", {}),
        "warriors": _change("WarriorChange", {"warrior": WHOLE(allow_null=True)}),
        "standings": serializers.ListField(
            child=ANY(), help_text="Of tables this battle counts in."
        ),
        "later": inline_serializer(
            "LaterBattle",
            {"side": TEXT(), "id": TEXT(), "title": TEXT(), "fought_date": serializers.DateField()},
            many=True,
        ),
    },
)

DECIDED = PolymorphicProxySerializer(
    "Decided", [ResultAnswer, PREVIEW], resource_type_field_name=None
)
STATE = inline_serializer(
    "StateAnswer",
    {
        "turn": WHOLE(),
        "side": TEXT(allow_null=True, help_text="Whose turn it is; null while it is everybody's."),
        "phase": TEXT(allow_blank=True),
        "combatants": ANY(
            help_text="By id: state, is_out, wounds (left; null where none are kept), marks, counters, "
            "kills, "
            "put_out_by, asks (the test it must take next)."
        ),
        "sides": ANY(
            help_text="By id: out, size, counters, has_routed, and rout: due, now, leadership (what it "
            "is taken on), "
            "taken_on (the id of whose it is), why, out_from, may_ask, taken, passed."
        ),
        "end": ANY(help_text="null while it goes on; then winner, how, side and event."),
    },
)
BUNDLE = inline_serializer(
    "BattleAnswer",
    {
        **{name: TEXT() for name in ("id", "title", "system", "scenario_name")},
        **{name: TEXT(allow_null=True) for name in ("variant", "scenario", "attacker", "first")},
        "rules": ANY(help_text="The tables the events are folded by."),
        "phases": ANY(help_text="id, name and summary of each."),
        "states": ANY(help_text="id, name, summary, pose and is_out of each."),
        "sides": ANY(help_text="id, name, size, leadership and combatants of each."),
        "house_rules": serializers.DictField(child=YES()),
        "events": STORED_EVENT,
        "position": WHOLE(),
        "result": ResultAnswer(),
        "may_record": YES(),
    },
)
