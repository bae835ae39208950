"""Battles for programs, and for the recorder: set up, read, record, settle."""

from dataclasses import replace
from typing import Any

import re2
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.settings import api_settings

from accounts.api.endpoints import (
    FLAG,
    ApiCall,
    Endpoint,
    Section,
    choice_in_query,
    found,
    token_in_path,
)
from accounts.api_tokens.http import ToldRate, Visitor, is_foreign, is_program
from accounts.models import Scope
from accounts.requests import client_address
from battles import request_keys
from battles.access import BattleCall
from battles.api import serializers
from battles.exports import build_bundle, first_events
from battles.models import BattleStatus, ResultVerb
from battles.operations import setup
from battles.operations.log import RecordedEvents
from battles.operations.log import append_events as op_append
from battles.operations.results import take_step
from battles.queries.battles import load_battle, load_events, load_state
from battles.queries.index import BattleRecord, own_battles, public_battles
from battles.queries.previews import preview_consequences
from battles.result_rules import Claim
from engine.records import JsonObject

# Who calls about a battle, with which key and how often

Strict: Any = api_settings.DEFAULT_PARSER_CLASSES[0]
EVENTS_BODY_MAX = 4 * 1024 * 1024  # bytes
_TOKEN = re2.compile(r"[\w-]{16}")


class Recorder(Visitor):
    """Whoever records or reads a battle: a battle's key may stand where a program has its token."""

    def sent(self, request: Request) -> str:
        text = super().sent(request)
        return "" if request_keys.read_key(text) else text


class PerBattle(ToldRate):
    """So many calls a minute for each battle from one address: a club's phones share theirs."""

    scope = "address"

    def get_cache_key(self, request: Request, view: Any) -> str:
        """Return a rate limit key for a caller and a battle; bad tokens share one."""
        token = view.kwargs.get("token", "")
        battle = token if _TOKEN.fullmatch(token) else "none"
        return str(
            self.cache_format
            % {"scope": "battle", "ident": f"{self.get_ident(request)}-{battle}"}
        )


class BatchParser(Strict):
    """JSON of at most 4 MiB whose texts are looked at event by event, so that one bad event spoils
    no other.
    """

    max_body = EVENTS_BODY_MAX
    refuses_texts = False


def find_key(request: Request, token: str) -> str:
    """The battle's key: in the body, in a header, or kept by the session of a browser that joined."""
    data: Any = request.data
    sent = data.get("key") if request.method == "POST" else None
    if sent is not None:
        return request_keys.read_key(sent)
    if is_foreign(request) or is_program(request):
        return request_keys.sent_key(request._request)
    return request_keys.find_key(request._request, token)


BATTLES = Section("battles", noun="battle", scope=Scope.BATTLES, authentication=Recorder)
ONE_BATTLE = replace(BATTLES, settings={"throttle_classes": [PerBattle]})
EVENTS = replace(
    BATTLES, settings={"throttle_classes": [PerBattle], "parser_classes": [BatchParser]}
)
TOKEN = token_in_path("token", "The battle's id.")
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
    "verb", {"type": "string", "enum": ResultVerb.values}, OpenApiParameter.PATH
)
PREVIEW = choice_in_query(
    "preview", FLAG, "1 answers what it would change, and changes nothing."
)


SHOWS = ("mine", "public")
SHOW = choice_in_query("show", SHOWS, "Your own battles, or the public ones.")
ANY = "any"
STATUS = choice_in_query(
    "status", (ANY, *BattleStatus.values), "Your own battles with this status."
)


@Endpoint("GET", serializers.BattleRowAnswer, parameters=(SHOW, STATUS), is_paged=True)
def list_battles(call: ApiCall) -> Any:
    """List your battles, or the public ones, the last changed first."""
    page, status = call.page, call.choice("status", (ANY, *BattleStatus.values))
    # What everybody may find is not narrowed down, here as on its page.
    if call.choice("show", SHOWS) == "public":
        return public_battles(call.actor, **page)
    return own_battles(call.person(), status="" if status == ANY else status, **page)


@Endpoint(
    "POST",
    serializers.OpenedBattleAnswer,
    serializers.BattleBody,
    status=201,
    refusals=(404, 507),
)
def open_battle(call: ApiCall) -> BattleRecord:
    """Set up a battle of two to eight sides, each locked as it is now.

    The key lets its holder record it.
    """
    keys = {name: call.body.get(name) or None for name in ("variant", "scenario")}
    opened = setup.open_battle(
        call.actor,
        setup.BattleDraft(**call.body | keys),
        request_key=call.key,
        address=client_address(call.request._request),
    )
    return _battle(call, opened.token, opened.key)


@Endpoint("GET", serializers.BattleAnswer, parameters=(TOKEN, KEY))
def read_battle(call: ApiCall, token: str) -> JsonObject:
    """Read a battle: its rules, sides, models, events and result.

    A long battle has the first megabyte of events; `more` says to ask for those after `position`.
    """
    record = _battle(call, token, find_key(call.request, token))
    return {
        **build_bundle(record),
        "result": record.result,
        "may_record": record.may_record,
    }


@Endpoint("GET", serializers.StateAnswer, parameters=(TOKEN, KEY))
def read_state(call: ApiCall, token: str) -> JsonObject:
    """Read the state of a battle: the turn, every model, each side with its Rout, the end."""
    state = found("battle", load_state(call.actor, token, find_key(call.request, token)))
    return state.to_json()


@Endpoint(
    "GET",
    serializers.LaterEventsAnswer,
    parameters=(TOKEN, KEY, AFTER),
)
def list_events(call: ApiCall, token: str) -> JsonObject:
    """List the events that arrived after a position, up to a megabyte; `more` says to ask again."""
    key, after = find_key(call.request, token), call.request.query_params.get("after", "0")
    if not (len(after) <= 9 and after.isascii() and after.isdigit()):
        raise ValidationError({"after": ["after must be a whole number from 0."]})
    events, position = found(
        "battle", load_events(call.actor, token, key, after=int(after))
    )
    answer = first_events(events)
    return answer if answer["more"] else {**answer, "position": position}


@Endpoint(
    "POST",
    serializers.TakenEventsAnswer,
    serializers.EventsBody,
    refusals=(507,),
    parameters=(TOKEN, KEY),
)
def append_events(call: ApiCall, token: str) -> RecordedEvents:
    """Add events to a battle. Each is accepted, a duplicate, or refused by itself."""
    return op_append(_battle_call(call, token), call.body["events"])


@Endpoint(
    "POST",
    serializers.DECIDED,
    serializers.ResultBody,
    refusals=(409, 422, 507),
    parameters=(TOKEN, KEY, VERB, PREVIEW),
    takes_key=True,
)
def decide_result(call: ApiCall, token: str, verb: str) -> JsonObject:
    """Take one step of the result: propose, confirm, dispute, correct, void or restore."""
    battle_call, takes = _battle_call(call, token), serializers.TAKES.get(verb, ())
    names = ("reason", "side", *takes)
    body = {name: call.body[name] for name in names if name in call.body}
    events = body.pop("events", ())
    claim = Claim(**body | {"winner": body.get("winner") or None})
    step = (battle_call, verb, claim, events)
    if call.flag("preview"):
        return serializers.PreviewAnswer.show(preview_consequences(*step))
    take_step(*step)
    return serializers.ResultAnswer.show(_battle(call, token, battle_call.key).result)


def _battle_call(call: ApiCall, token: str) -> BattleCall:
    """Return what a request asks of a battle: by whom, with which keys, after how many steps."""
    return BattleCall(
        call.actor,
        token,
        find_key(call.request, token),
        expected=call.body.get("number"),
        request_key=call.key,
        author=call.body.get("author", ""),
        address=client_address(call.request._request),
    )


def _battle(call: ApiCall, token: str, key: str) -> BattleRecord:
    return found("battle", load_battle(call.actor, token, key))


urlpatterns = [
    BATTLES.address("battles/", list_battles, open_battle, name="api-battle-open"),
    ONE_BATTLE.address("battles/<str:token>/", read_battle, name="api-battle-read"),
    ONE_BATTLE.address("battles/<str:token>/state/", read_state, name="api-battle-state"),
    EVENTS.address(
        "battles/<str:token>/events/", list_events, append_events, name="api-battle-events"
    ),
    ONE_BATTLE.address(
        "battles/<str:token>/result/<str:verb>/", decide_result, name="api-battle-result"
    ),
]
