"""What an operation on clubs and events refuses, as an answer; and how a body is read, key by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from django.utils.dateparse import parse_datetime
from rest_framework import exceptions

from accounts.api_tokens.http import PreconditionFailed
from accounts.errors import KeyReused, NotAllowed, NotFound, Refusal, Stale, StaleResult
from battles.api.authentication import Conflict, Unprocessable

T = TypeVar("T")
FIELDS = {"Club name": "name", "Description": "description"}
NOT_THERE = "There is no such {}, or it is not shared with you."


def refusing(what: str, call: Callable[[], T]) -> T:
    """The call's answer; what it refuses becomes a status and a sentence.

    ``what`` is the thing asked for.
    """
    try:
        return call()
    except NotFound as error:
        named = str(error) or what
        raise exceptions.NotFound(NOT_THERE.format(named if named.isalpha() else what)) from None
    except NotAllowed as refusal:
        raise exceptions.PermissionDenied(refusal.message) from None
    except KeyReused as refusal:
        raise Unprocessable(refusal.message) from None
    except StaleResult as stale:
        raise Conflict(stale.message) from None
    except Stale as stale:
        raise PreconditionFailed(stale.message) from None
    except Refusal as refusal:
        if refusal.field == "status":
            raise Conflict(refusal.message) from None
        raise exceptions.ValidationError(
            {FIELDS.get(refusal.field, refusal.field): [refusal.message]}
        ) from None


def found(what: str, record: T | None) -> T:
    """The record; raises 404 where there is none."""
    if record is None:
        raise exceptions.NotFound(NOT_THERE.format(what))
    return record


def texts(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A list of texts of the body; raises 400."""
    value = body[name]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise exceptions.ValidationError({name: [f"{name} must be a list of texts."]})
    return tuple(value)


def flag(body: Mapping[str, Any], name: str) -> bool:
    """True or false of the body; raises 400."""
    value = body[name]
    if not isinstance(value, bool):
        raise exceptions.ValidationError({name: [f"{name} must be true or false."]})
    return value


def mapping(body: Mapping[str, Any], name: str, kind: type, words: str) -> dict[str, Any]:
    """An object of the body whose values are all of a kind; raises 400. ``words`` name the kind."""
    value = body[name]
    if not isinstance(value, Mapping) or not all(isinstance(one, kind) for one in value.values()):
        raise exceptions.ValidationError({name: [f"{name} must be an object of {words}."]})
    return dict(value)


def moment(body: Mapping[str, Any], name: str) -> datetime | None:
    """A moment of the body with its offset from UTC, None for null; raises 400."""
    value = body[name]
    if value is None:
        return None
    try:
        read = parse_datetime(value) if isinstance(value, str) and len(value) <= 40 else None
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        sentence = (
            f"{name} must be a moment with its offset, such as 2026-05-01T19:30:00+01:00, or null."
        )
        raise exceptions.ValidationError({name: [sentence]})
    return read


def choice(value: str, name: str, known: tuple[str, ...]) -> str:
    """One of the values a parameter may have; raises 400 naming them."""
    if value not in known:
        raise exceptions.ValidationError({name: [f"{name} must be {' or '.join(known)}."]})
    return value
