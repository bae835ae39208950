"""A roster to take elsewhere: as text, as Markdown, in one line, as an open document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from accounts.owners import without_robots
from warbands import queries
from warbands.exchange import text
from warbands.exchange.document import to_document
from warbands.sheet import RosterSheet
from warbands.views.asking import record_for

_NAME_MAX = 60


def file_name(name: str, ending: str) -> str:
    """A file name from a warband's: letters and figures of any script, never a path, never empty."""
    words = re.findall(r"\w+", name)
    return f"{'-'.join(words)[:_NAME_MAX].strip('-') or 'warband'}.{ending}"


def as_file(body: bytes, kind: str, name: str, *, attached: bool) -> HttpResponse:
    """A file to keep (``attached``) or to look at."""
    response = HttpResponse(body, content_type=kind)
    response.headers["Content-Disposition"] = content_disposition_header(attached, name) or "inline"
    return without_robots(response)


def _text(request: HttpRequest, token: str, draw: Callable[[RosterSheet], str]) -> HttpResponse:
    _, record = record_for(request, token)
    body = draw(queries.sheet_of(record)).encode("utf-8", "replace")
    return without_robots(HttpResponse(body, content_type="text/plain; charset=utf-8"))


@require_safe
def roster_text(request: HttpRequest, token: str) -> HttpResponse:
    """The roster as plain text."""
    return _text(request, token, text.as_text)


@require_safe
def roster_markdown(request: HttpRequest, token: str) -> HttpResponse:
    """The roster as Markdown."""
    return _text(request, token, text.as_markdown)


@require_safe
def roster_compact(request: HttpRequest, token: str) -> HttpResponse:
    """The roster in as few lines as possible, for a chat."""
    return _text(request, token, text.as_compact)


@require_safe
def roster_json(request: HttpRequest, token: str) -> HttpResponse:
    """The open roster document, to keep or to bring in elsewhere."""
    _, record = record_for(request, token)
    body = json.dumps(to_document(record.roster), ensure_ascii=False, indent=2).encode(
        "utf-8", "replace"
    )
    return as_file(body, "application/json", file_name(record.display_name, "json"), attached=True)
