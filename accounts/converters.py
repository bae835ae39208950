"""Converters of addresses that every app uses: the token of a row, and a row's number."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter


class TokenConverter(StringConverter):
    """The 16 URL-safe characters of a row's token."""

    regex = "[A-Za-z0-9_-]{16}"


class RowIdConverter:
    """A row's number; longer ones than any database holds match nothing."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


def connect() -> None:
    """Register both; called when the app is ready, before any address is read."""
    register_converter(TokenConverter, "token")
    register_converter(RowIdConverter, "rowid")
