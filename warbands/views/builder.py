"""The page of one warband: the builder for its owner, the roster to read for everybody else who may see it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.owners import without_robots
from warbands import queries
from warbands.queries.records import WarbandRecord
from warbands.views.asking import open_warriors, own_record_for, record_for
from warbands.views.drawing import ChangeNotice, army_line, roster_context

PANES = ("roster", "army")


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def warband_read(request: HttpRequest, token: str) -> HttpResponse:
    """The builder, or what a reader sees of it."""
    _, record = record_for(request, token)
    return without_robots(draw_page(request, record, open_warriors(request)))


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def warrior_read(request: HttpRequest, token: str, warrior_id: int) -> HttpResponse:
    """The builder with one warrior's options open; for htmx only that warrior's line (``?fold=1``: closed again)."""
    _, record = own_record_for(request, token)
    if record.index_of(warrior_id) is None or record.archived_at:
        raise Http404
    if not request.htmx:  # type: ignore[attr-defined]
        return without_robots(draw_page(request, record, (warrior_id,)))
    shown = () if request.GET.get("fold") else (warrior_id,)
    context = roster_context(request, record, opened=shown)
    row = next(row for row in context["rows"] if row.warrior.id == warrior_id)
    return without_robots(render(request, "warbands/builder/row.html", {**context, "row": row}))


def draw_page(
    request: HttpRequest,
    record: WarbandRecord,
    shown: Iterable[int] = (),
    *,
    notice: ChangeNotice | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page of a warband, with a notice on top where a change was not made."""
    context: dict[str, Any] = roster_context(request, record, opened=shown, notice=notice)
    if not record.may_change or record.archived_at:
        return render(request, "warbands/read.html", context, status=status)
    pane = request.GET.get("pane", "")
    categories, is_priced = queries.load_picker(record), context["sheet"].shows_points
    profiles = [profile for category in categories for profile in category.profiles]
    context |= {
        "pane": pane if pane in PANES else "roster",
        "categories": [c for c in categories if any(p.is_offered for p in c.profiles)],
        "offered": [army_line(p, is_priced) for p in profiles if p.is_offered],
        "kept_back": [army_line(p, is_priced) for p in profiles if not p.is_offered],
        "last_change": queries.last_change(record),
        "left": context["sheet"].left,
    }
    return render(request, "warbands/builder.html", context, status=status)
