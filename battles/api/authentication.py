"""Who calls, with which key and how often; and what an operation refuses as an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle

from accounts.api_tokens.authentication import Visitor, is_foreign, is_program
from accounts.errors import FaultyDocument, KeyReused, NotAllowed, NotFound, Refusal, StaleResult
from battles import request_keys

T = TypeVar("T")
Strict: Any = api_settings.DEFAULT_PARSER_CLASSES[0]
EVENTS_BODY_MAX = 4 * 1024 * 1024  # bytes
_TOKEN = re.compile(r"[\w-]{16}", re.ASCII)


class Recorder(Visitor):
    """Whoever records or reads a battle: a battle's key may stand where a program has its token."""

    def sent(self, request: Request) -> str:
        text = super().sent(request)
        return "" if request_keys.read_key(text) else text


class PerBattle(AnonRateThrottle):
    """So many calls a minute for each battle from one address: a club's phones share theirs."""

    scope = "address"

    def get_cache_key(self, request: Request, view: Any) -> str:
        token = view.kwargs.get("token", "")
        battle = token if _TOKEN.fullmatch(token) else "none"
        return str(
            self.cache_format % {"scope": "battle", "ident": f"{self.get_ident(request)}-{battle}"}
        )


class BatchParser(Strict):
    """JSON of at most 4 MiB whose texts are looked at event by event, so that one bad event spoils
    no other.
    """

    max_body = EVENTS_BODY_MAX
    refuses_texts = False


def key_of(request: Request, token: str) -> str:
    """The battle's key: in the body, in a header, or kept by the session of a browser that joined."""
    sent = (
        request.data.get("key")
        if isinstance(request.data, Mapping) and request.method == "POST"
        else None
    )
    if sent is not None:
        if not isinstance(sent, str):
            raise exceptions.ValidationError({"key": ["key must be a text."]})
        return request_keys.read_key(sent)
    if is_foreign(request) or is_program(request):
        return request_keys.sent_key(request._request)
    return request_keys.key_of(request._request, token)


def body_of(
    request: Request, known: tuple[str, ...], required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The body, with no key that is not known and none missing that is required; raises 400 naming
    them all.
    """
    data = request.data if isinstance(request.data, Mapping) else {}
    wrong = {
        str(key): [f"is not a key here; the keys are {', '.join(known)}."]
        for key in data
        if key not in known
    }
    wrong |= {key: [f"{key} is missing."] for key in required if key not in data}
    if wrong:
        raise exceptions.ValidationError(wrong)
    return dict(data)


class Conflict(exceptions.APIException):
    """What is asked for does not go with how things stand."""

    status_code = status.HTTP_409_CONFLICT


class Unprocessable(exceptions.APIException):
    """A request key that was used for something else."""

    status_code = 422


def refusing(call: Callable[[], T]) -> T:
    """The call's answer; what it refuses becomes a status and a sentence."""
    try:
        return call()
    except NotFound:
        raise exceptions.NotFound(
            "There is no such battle, or it is not shared with you."
        ) from None
    except NotAllowed as refusal:
        raise exceptions.PermissionDenied(refusal.message) from None
    except KeyReused as refusal:
        raise Unprocessable(refusal.message) from None
    except StaleResult as stale:
        raise Conflict(stale.message) from None
    except FaultyDocument as error:
        raise exceptions.ValidationError(
            [{fault.path: [fault.message]} for fault in error.faults]
        ) from None
    except Refusal as refusal:
        if refusal.field == "status":
            raise Conflict(refusal.message) from None
        raise exceptions.ValidationError({refusal.field: [refusal.message]}) from None
