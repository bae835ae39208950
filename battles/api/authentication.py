"""Who calls about a battle, with which key and how often."""

from __future__ import annotations

import re
from typing import Any

from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import AnonRateThrottle

from accounts.api_tokens.authentication import Visitor, is_foreign, is_program
from battles import request_keys

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
    data: Any = request.data
    sent = data.get("key") if request.method == "POST" else None
    if sent is not None:
        return request_keys.read_key(sent)
    if is_foreign(request) or is_program(request):
        return request_keys.sent_key(request._request)
    return request_keys.key_of(request._request, token)
