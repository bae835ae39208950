"""Database fields of this app."""

from typing import Any

from django.db import models


class LowerCaseEmailField(models.EmailField):
    """An email address stored in lower case, so that a plain unique index ignores case."""

    def to_python(self, value: Any) -> Any:
        value = super().to_python(value)
        return value.strip().lower() if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return value.lower() if isinstance(value, str) else value
