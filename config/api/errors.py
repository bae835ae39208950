"""Every refusal as one shape of answer, with the status and the code that its class has here."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from django.utils.encoding import force_str
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as stock_handler

from accounts import errors
from accounts.api.endpoints import Section
from accounts.forms import LIMIT_STATUSES
from config.api.base import PerAddress, words_of_rate
from engine.records import JsonObject, TextByKey

# What an operation refuses: its class, status and code; the first that fits counts.
STATUSES = (
    (errors.NotFound, 404, "not_found"),
    (errors.NotAllowed, 403, "forbidden"),
    (errors.KeyReused, 422, "key_reused"),
    (errors.StaleResult, 409, "stale"),
    (errors.Stale, 412, "stale"),
    (errors.WrongState, 409, "conflict"),
    (errors.ShareUsed, LIMIT_STATUSES[errors.ShareUsed], "rate_limited"),
    (errors.NoRoom, LIMIT_STATUSES[errors.NoRoom], "no_room"),
    (errors.Refusal, 400, "invalid"),
)
CODES = {
    **{status: code for _, status, code in STATUSES},
    401: "unauthenticated",
    405: "method_not_allowed",
    413: "too_large",
    414: "too_large",
    415: "not_json",
    428: "version_missing",
    429: "rate_limited",
    431: "too_large",
    500: "server_error",
    503: "unavailable",
}
"""The code of what is refused before or beside an operation, by status."""


def exception_handler(error: Exception, context: JsonObject) -> Response | None:
    """Return every refusal in one shape.

    ``detail`` is the first sentence, ``errors`` a list of field and message, ``code`` for programs.
    """
    refusal = as_answer(error, getattr(context["view"], "section", None))
    response = stock_handler(refusal, context)
    if response is None:
        return None
    if isinstance(refusal, exceptions.ValidationError):
        faults = flat_errors(response.data)
    else:
        faults = flat_errors(_sentence(error) or response.data["detail"])
    first = faults[0]
    is_named = not first["field"] or first["message"].startswith(first["field"])
    detail = first["message"] if is_named else f"{first['field']}: {first['message']}"
    code = next((code for kind, _, code in STATUSES if isinstance(error, kind)), "")
    response.data = {
        "detail": detail,
        "errors": faults,
        "code": code or CODES[response.status_code],
    }
    return response


def as_answer(error: Any, section: Section | None) -> Any:
    """Return what an operation refused as the framework's exception, any other error as it is."""
    status = next((status for kind, status, _ in STATUSES if isinstance(error, kind)), 0)
    if not status or section is None:
        return error
    if isinstance(error, errors.NotFound):
        noun = str(error) if str(error).isalpha() else section.noun
        return exceptions.NotFound(
            f"There is no such {noun}, or it is not shared with you."
        )
    if isinstance(error, errors.FaultyDocument):
        return exceptions.ValidationError(
            [{fault.path: [fault.message]} for fault in error.faults]
        )
    if status == 400:
        field = section.fields.get(error.field, error.field)
        return exceptions.ValidationError({field: [error.message]})
    refusal = exceptions.APIException(error.message)
    refusal.status_code = status
    return refusal


def _sentence(error: Exception) -> str:
    """What to do, where the framework only says that it will not."""
    if isinstance(error, exceptions.Throttled):
        rate = words_of_rate(str(PerAddress.THROTTLE_RATES["address"]))
        seconds = max(1, round(getattr(error, "wait", None) or 1))
        return f"At most {rate} from one address or person. Try again in {seconds} seconds."
    if isinstance(error, exceptions.UnsupportedMediaType):
        return "Send JSON, with the header Content-Type: application/json."
    return ""


def flat_errors(data: Any, field: str = "") -> list[TextByKey]:
    """Return what the framework nests as ``{"field", "message"}``; a field is a whole path."""
    if isinstance(data, Mapping):
        lists = [flat_errors(value, _below(field, key)) for key, value in data.items()]
    elif isinstance(data, list | tuple):
        lists = [flat_errors(value, field) for value in data]
    else:
        lists = [[{"field": field, "message": force_str(data)}]]
    return list(chain.from_iterable(lists)) or [
        {"field": field, "message": "The request was refused."}
    ]


def _below(field: str, key: Any) -> str:
    """Return the path of a key, or of a place in a list, below another one."""
    if isinstance(key, int):
        return f"{field}[{key}]"
    return f"{field}.{key}" if field and key else f"{field}{key}"
