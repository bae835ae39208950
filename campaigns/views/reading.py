"""A battle to read: what came of it, who did what to whom, how the dice fell."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.owners import without_robots
from campaigns.addresses import join_address, qr_code, spell_key
from campaigns.drawing import (
    dice_rows,
    losses_sentence,
    outcome_words,
    result_step_lines,
    set_aside_lines,
    side_tables,
    turn_blocks,
)
from campaigns.hooks import battle_follower
from campaigns.models import BattleVisibility
from campaigns.queries import BattleRecord
from campaigns.views.asking import battle_for

EXPORTS = (
    ("txt", "Copy as text", True),
    ("md", "Markdown", True),
    ("json", "JSON", False),
    ("csv", "CSV", False),
)
"""The kind of file, its label, and whether it is copied rather than saved."""


@require_safe
@never_cache
def battle_read(request: HttpRequest, token: str) -> HttpResponse:
    """Summary, result, casualties, timeline and dice of a battle."""
    owner, _, record = battle_for(request, token)
    context = {
        **battle_context(record),
        **_sharing(request, record),
        "game": battle_follower().event_of(owner, record.token),
    }
    return without_robots(render(request, "campaigns/read.html", context))


@require_safe
@never_cache
def battle_report(request: HttpRequest, token: str) -> HttpResponse:
    """The same to print."""
    _, _, record = battle_for(request, token)
    return without_robots(render(request, "campaigns/report.html", battle_context(record)))


def _sharing(request: HttpRequest, record: BattleRecord) -> dict[str, Any]:
    """The key and its QR code, for those who record."""
    if not record.key:
        return {}
    return {
        "key_shown": spell_key(record.key),
        "qr": qr_code(request.build_absolute_uri(join_address(record))),
        "visibilities": BattleVisibility.choices,
    }


def battle_context(record: BattleRecord) -> dict[str, Any]:
    """Everything both pages draw."""
    sides, end = side_tables(record), record.state.end
    return {
        "record": record,
        "sides": sides,
        "losses": losses_sentence(sides),
        "ended": outcome_words(record, end.winner, end.how) if end else "",
        "turns": turn_blocks(record),
        "aside": set_aside_lines(record),
        "dice": dice_rows(record),
        "steps": result_step_lines(record),
        "exports": [
            (reverse("battle-export", args=[record.token, kind]), *rest) for kind, *rest in EXPORTS
        ],
    }
