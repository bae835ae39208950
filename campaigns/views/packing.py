"""The table pack on paper."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns import queries
from campaigns.addresses import join_address
from campaigns.pdf import table_pack
from campaigns.views.asking import battle_for
from warbands.pdf import PAPERS
from warbands.views.copies import file_name
from warbands.views.sheets import as_pdf


@require_safe
def battle_table_pack(request: HttpRequest, token: str) -> HttpResponse:
    """Scenario, result slip, every side's sheet and quick reference. ``?paper=a4|letter``."""
    _, _, record = battle_for(request, token)
    paper: Any = request.GET.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    join_url = request.build_absolute_uri(join_address(record)) if record.key else ""
    return as_pdf(
        request,
        lambda: table_pack(record, queries.load_sheets(record), join_url=join_url, paper=paper),
        file_name(record.title, "pdf"),
        (reverse("battle-read", args=[token]), record.title),
    )
