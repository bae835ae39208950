"""Columns, constraints and indexes that the models of every app share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from engine.records import Fields

TOKEN_LENGTH = 16

KEPT_WITHOUT: Fields = {"on_delete": models.SET_NULL, "blank": True}
"""Options of a foreign key (beside ``null=True``) whose row outlives what it names."""
PART_OF: Fields = {"on_delete": models.CASCADE, "db_index": False}
"""Options of a foreign key to the whole; an index of the model begins with that column."""
PART_OF_SOME: Fields = {"on_delete": models.CASCADE, "blank": True}
"""Options of a foreign key (beside ``null=True``) to the whole, for rows that may stand alone."""


class LowerCaseEmailField(models.EmailField):
    """An email address stored in lower case, so that a plain unique index ignores case."""

    def to_python(self, value: Any) -> Any:
        value = super().to_python(value)
        return value.strip().lower() if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value.lower() if isinstance(value, str) else value


def optional_text(max_length: int, **options: Any) -> models.CharField[str, str]:
    """Return the column of a short text that may be empty."""
    return models.CharField(max_length=max_length, blank=True, default="", **options)


def optional_moment(**options: Any) -> models.DateTimeField[Any, datetime | None]:
    """Return the column of a moment that may not have come."""
    return models.DateTimeField(null=True, blank=True, **options)


def moment_of_creation() -> models.DateTimeField[Any, datetime]:
    """Return the column of the moment at which the row is made."""
    return models.DateTimeField(default=timezone.now, editable=False)


def optional_user(related_name: str = "+") -> models.ForeignKey[Any, Any]:
    """Return the column of a person, whom the row outlives."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, related_name=related_name, null=True, **KEPT_WITHOUT
    )


def token_field(make: Callable[[], str]) -> models.CharField[str, str]:
    """Return the column of the opaque text by which addresses name a row."""
    return models.CharField(
        max_length=TOKEN_LENGTH, unique=True, default=make, editable=False
    )


def choice_field(
    default: models.TextChoices, max_length: int
) -> models.CharField[str, str]:
    """Return the column of one of some choices, which begins with ``default``."""
    kinds = type(default)
    return models.CharField(max_length=max_length, choices=kinds.choices, default=default)


def index(name: str, *fields: str) -> models.Index:
    """Return an index over these columns, a minus before those that fall."""
    return models.Index(fields=fields, name=name)


def unique(name: str, *fields: str, **options: Any) -> models.UniqueConstraint:
    """Return the constraint that these columns together stand once."""
    return models.UniqueConstraint(fields=fields, name=name, **options)


def check(name: str, condition: Q) -> models.CheckConstraint:
    """Return the constraint that every row meets a condition."""
    return models.CheckConstraint(condition=condition, name=name)


def check_choice(
    name: str, column: str, choices: type[models.Choices]
) -> models.CheckConstraint:
    """Return the constraint that a column holds one of its choices."""
    return check(name, Q(**{f"{column}__in": choices.values}))
