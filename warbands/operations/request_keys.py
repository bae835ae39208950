"""Request keys: the same request sent twice has one effect and gets the same answer.

Kept for seven days.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from accounts.errors import KeyReused, Refusal
from accounts.owner import Owner
from accounts.text import text_fault
from engine.records import Fields
from warbands.models import KEY_MAX, RequestKey

KEPT = timedelta(days=7)


def fingerprint(*parts: Any) -> str:
    """What tells one request from another: a hash of everything it asks for."""
    # Sorted, for two clients may send the same keys in another order.
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def stored_answer(actor: Owner, key: str, printed: str) -> Fields | None:
    """The answer this key got before, or None.

    Raises KeyReused when it was used for something else.
    """
    if not key:
        return None
    if fault := text_fault(key, KEY_MAX):
        raise Refusal(f"The request key {fault}.", field="key")
    # A key is the sender's own: another person may use the same one.
    row = RequestKey.objects.filter(scope=_scope(actor), key=key).first()
    if row is None:
        return None
    if row.fingerprint != printed:
        raise KeyReused
    return dict(row.answer)


def store_answer(actor: Owner, key: str, printed: str, given: Fields) -> None:
    """Keep an answer for the next time the same request comes."""
    if key:
        RequestKey.objects.create(
            scope=_scope(actor), key=key, fingerprint=printed, answer=given
        )


def answer_once(
    actor: Owner, key: str, printed: str, make: Callable[[], Fields]
) -> tuple[Fields, bool]:
    """Carry out a request in a transaction and return its answer, and whether it was a repeat.

    A request that came before gets the answer it got then. Raises KeyReused, and what ``make``
    raises.
    """
    try:
        with transaction.atomic():
            if (earlier := stored_answer(actor, key, printed)) is not None:
                return earlier, True
            given = make()
            store_answer(actor, key, printed, given)
            return given, False
    except IntegrityError:
        # The same request came twice at once and the other one was first.
        if (earlier := stored_answer(actor, key, printed)) is None:
            raise
        return earlier, True


def delete_old_keys(now: datetime) -> int:
    """Delete the keys that are older than seven days; returns how many."""
    return RequestKey.objects.filter(at__lt=now - KEPT).delete()[0]


def _scope(actor: Owner) -> str:
    return f"user:{actor.user_id}" if actor.is_person else f"key:{actor.key}"
