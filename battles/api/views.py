"""Battles for programs, and for the recorder: set up, read, record, settle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from accounts.api.endpoints import Call, Endpoint, Section, found
from accounts.models import Scope
from battles.api import serializers
from battles.api.authentication import BatchParser, PerBattle, Recorder, key_of
from battles.models import ResultVerb
from battles.operations import setup
from battles.operations.events import RecordedEvents
from battles.operations.events import append_events as op_append
from battles.operations.results import (
    StepOutcome,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from battles.queries.battles import load_battle, load_events, load_state
from battles.queries.previews import preview_consequences
from battles.queries.records import BattleRecord
from battles.recorder import bundle_of, event_data

BATTLES = Section("battles", noun="battle", scope=Scope.BATTLES, authentication=Recorder)
ONE_BATTLE = replace(BATTLES, settings={"throttle_classes": [PerBattle]})
EVENTS = replace(
    BATTLES, settings={"throttle_classes": [PerBattle], "parser_classes": [BatchParser]}
)
WRITERS: dict[str, Callable[..., StepOutcome]] = {
    ResultVerb.PROPOSE: propose_result,
    ResultVerb.CONFIRM: confirm_result,
    ResultVerb.DISPUTE: dispute_result,
    ResultVerb.CORRECT: correct_result,
    ResultVerb.VOID: void_result,
    ResultVerb.RESTORE: restore_result,
}
TOKEN = OpenApiParameter(
    "token",
    {"type": "string", "pattern": "^[A-Za-z0-9_-]{16}$"},
    OpenApiParameter.PATH,
    description="The battle's id.",
)
KEY = OpenApiParameter(
    "X-Battle-Key",
    str,
    OpenApiParameter.HEADER,
    description="The battle's key, where the body does not hold it.",
)
AFTER = OpenApiParameter(
    "after", {"type": "integer", "minimum": 0, "default": 0}, description="A position."
)
VERB = OpenApiParameter(
    "verb", {"type": "string", "enum": [str(verb) for verb in WRITERS]}, OpenApiParameter.PATH
)
PREVIEW = OpenApiParameter(
    "preview",
    {"type": "string", "enum": ["0", "1"], "default": "0"},
    description="1 answers what it would change, and changes nothing.",
)


@Endpoint(
    "POST", serializers.OpenedBattleAnswer, serializers.BattleBody, status=201, refusals=(404,)
)
def open_battle(call: Call) -> BattleRecord:
    """Set a battle up: two to eight sides, each locked as it is now.

    The key lets its holder record it.
    """
    said = call.body | {name: call.body.get(name) or None for name in ("variant", "scenario")}
    done = setup.open_battle(call.actor, setup.BattleDraft(**said), request_key=call.key)
    return _battle(call, done.token, done.key)


@Endpoint("GET", serializers.BattleAnswer, refusals=(404,), parameters=(TOKEN, KEY))
def read_battle(call: Call, token: str) -> dict[str, Any]:
    """A whole battle: its rules, everybody in it, its events and its result."""
    record = _battle(call, token, key_of(call.request, token))
    return {**bundle_of(record), "result": record.result, "may_record": record.may_record}


@Endpoint("GET", serializers.StateAnswer, refusals=(404,), parameters=(TOKEN, KEY))
def read_state(call: Call, token: str) -> dict[str, Any]:
    """What the events come to: the turn, every combatant, each side with its Rout, the end."""
    state = found("battle", load_state(call.actor, token, key_of(call.request, token)))
    return state.to_json()


@Endpoint("GET", serializers.LaterEventsAnswer, refusals=(400, 404), parameters=(TOKEN, KEY, AFTER))
def list_events(call: Call, token: str) -> dict[str, Any]:
    """The events that arrived after a position."""
    key, after = key_of(call.request, token), _after(call.request)
    events, position = found("battle", load_events(call.actor, token, key, after=after))
    return {"events": [event_data(event) for event in events], "position": position}


@Endpoint(
    "POST",
    serializers.TakenEventsAnswer,
    serializers.EventsBody,
    refusals=(404,),
    parameters=(TOKEN, KEY),
)
def append_events(call: Call, token: str) -> RecordedEvents:
    """More events, each accepted, known already, or refused by itself."""
    key, author = key_of(call.request, token), call.body.get("author", "")
    return op_append(call.actor, token, key, call.body["events"], author=author)


@Endpoint(
    "POST",
    serializers.DECIDED,
    serializers.ResultBody,
    refusals=(404, 409, 422),
    parameters=(TOKEN, KEY, VERB, PREVIEW),
    takes_key=True,
)
def decide_result(call: Call, token: str, verb: str) -> dict[str, Any]:
    """One step of the result: propose, confirm, dispute, correct, void or restore it."""
    key, takes = key_of(call.request, token), serializers.TAKES.get(verb, ())
    said = {name: call.body.get(name, "") for name in ("side", "reason")}
    said |= {name: call.body[name] for name in takes if name in call.body}
    said["expected"] = call.body.get("number")
    if "winner" in said:
        said["winner"] = said["winner"] or None
    if call.flag("preview"):
        told = preview_consequences(call.actor, token, key, verb=verb, **said)
        return serializers.PreviewAnswer.show(told)
    kept = {"request_key": call.key, "author": call.body.get("author", "")}
    WRITERS[verb](call.actor, token, key, **said, **kept)
    return serializers.ResultAnswer.show(_battle(call, token, key).result)


def _battle(call: Call, token: str, key: str) -> BattleRecord:
    return found("battle", load_battle(call.actor, token, key))


def _after(request: Request) -> int:
    asked = request.query_params.get("after", "0")
    if not (len(asked) <= 9 and asked.isascii() and asked.isdigit()):
        raise ValidationError({"after": ["after must be a whole number from 0."]})
    return int(asked)


urlpatterns = [
    BATTLES.address("battles/", open_battle, name="api-battle-open"),
    ONE_BATTLE.address("battles/<str:token>/", read_battle, name="api-battle-read"),
    ONE_BATTLE.address("battles/<str:token>/state/", read_state, name="api-battle-state"),
    EVENTS.address(
        "battles/<str:token>/events/", list_events, append_events, name="api-battle-events"
    ),
    ONE_BATTLE.address(
        "battles/<str:token>/result/<str:verb>/", decide_result, name="api-battle-result"
    ),
]
