"""What a request wrote: its statements, and the rows of people's tables before and after."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction
from django.http import HttpResponse

ANSWER_MAX = 64_000  # bytes of a refusal
_LOCKS = ("BEGIN", "SAVEPOINT")
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
# A page that is only read may touch a session: allauth keeps the secret of a second step there
# until it is used.
_SESSIONS = '"django_session"'
# Rows that no person writes: the packs, and what Django fills at migrate.
_NOT_PEOPLES = {"rulesdata", "contenttypes", "sessions"}
PACK_FREE = {"rulesdata.Scenario"}


@contextmanager
def statements_that_write() -> Iterator[list[str]]:
    """The INSERT, UPDATE and DELETE statements of the block, those about sessions left out."""
    found: list[str] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith(_WRITES) and _SESSIONS not in sql:
            found.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield found


@dataclass
class Fate:
    """Whether what a block wrote stays."""

    is_kept: bool = False


@contextmanager
def taken_back() -> Iterator[Fate]:
    """Whatever the block writes is rolled back at its end, unless it says ``is_kept``."""
    fate = Fate()
    with transaction.atomic():
        yield fate
        if not fate.is_kept:
            transaction.set_rollback(True)


def peoples_models() -> list[type[models.Model]]:
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in _NOT_PEOPLES or model._meta.label in PACK_FREE
    ]


def rows() -> dict[str, list[dict[str, Any]]]:
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in peoples_models()
    }


@contextmanager
def locks_taken() -> Iterator[list[str]]:
    """The statements of the block that begin a change or lock a row."""
    found: list[str] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(_LOCKS) or "FOR UPDATE" in sql:
            found.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield found


def fault_of(answer: HttpResponse, locks: list[str]) -> str:
    """What is wrong with the answer to too much; "" when nothing is."""
    if not 400 <= answer.status_code < 500:
        return f"{answer.status_code}"
    if len(answer.content) >= ANSWER_MAX:
        return f"{answer.status_code} and an answer of {len(answer.content):,} bytes"
    return f"{answer.status_code} and took a lock: {locks[0][:60]}" if locks else ""
