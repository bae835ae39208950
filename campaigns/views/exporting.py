"""A battle as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.exporting import KINDS
from campaigns.views.asking import battle_for
from warbands.views.copies import as_file, file_name

ATTACHED = ("json", "csv")


@require_safe
def battle_export(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """Text, Markdown, JSON or CSV."""
    _, _, record = battle_for(request, token)
    write, media_type = KINDS[kind]
    body = write(record).encode("utf-8", "replace")
    return as_file(
        body,
        f"{media_type}; charset=utf-8",
        file_name(record.title, kind),
        attached=kind in ATTACHED,
    )
