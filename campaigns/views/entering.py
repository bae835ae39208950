"""The form after the battle. It writes the events a recorder would have written, and reports the result with them.

Once a result is reported the same form corrects it: what that changes is told first.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.owner import Owner
from accounts.owners import request_key
from campaigns import operations, queries
from campaigns.aftermath import AfterBattleReport, report_events
from campaigns.errors import Refusal, StaleResult
from campaigns.forms import AftermathForm
from campaigns.models import BattleStatus, ResultVerb
from campaigns.queries import BattleRecord, Consequences
from campaigns.views.asking import battle_for
from warbands.views.drawing import page_key


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def battle_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter the result for both sides at once."""
    owner, key, record = battle_for(request, token)
    if not record.may_record:
        raise Http404
    if request.method != "POST" and (reason := _shut(record)):
        messages.error(request, reason)
        return redirect("battle-read", token)
    form = AftermathForm(request.POST or None, record=record, owner=owner)
    preview: Consequences | None = None
    if request.method == "POST" and form.is_valid():
        try:
            if form.is_correction and "go" not in request.POST:
                preview = _preview(owner, key, record, form)
            else:
                _store(request, owner, key, form)
                return redirect("battle-read", token)
        except Refusal as refusal:
            form.add_refusal(refusal)
        except StaleResult as stale:
            # What was typed stays; sent once more it corrects the result as it is now.
            form = AftermathForm(
                request.POST, record=record, owner=owner, seen=record.result.number
            )
            form.add_error(None, stale.message)
    page = {
        "record": record,
        "form": form,
        "preview": preview,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "campaigns/enter.html", page, status=400 if form.errors else 200)


def _shut(record: BattleRecord) -> str:
    """Why this reader enters nothing now, "" where they may."""
    if record.result.status == BattleStatus.OPEN or record.result.may_correct:
        return ""
    if record.result.status == BattleStatus.VOID:
        return "This battle is void; nothing more is entered. Restore it first."
    return "The result is confirmed. Only whoever decides about this battle corrects it."


def _store(request: HttpRequest, owner: Owner, key: str, form: AftermathForm) -> None:
    operations.report_after_battle(
        owner,
        form.record.token,
        key,
        told=form.told,
        reason=form.cleaned_data.get("reason", ""),
        author=form.cleaned_data.get("author", ""),
        expected=form.seen,
        request_key=request_key(request),
    )


def _preview(owner: Owner, key: str, record: BattleRecord, form: AftermathForm) -> Consequences:
    told: AfterBattleReport = form.told
    events = report_events(
        record.rules, record.field, record.log, told, name=page_key(), at=timezone.now()
    )
    return queries.preview_consequences(
        owner,
        record.token,
        key,
        verb=ResultVerb.CORRECT,
        winner=told.winner,
        how=told.how,
        reason=form.cleaned_data["reason"],
        events=events,
        expected=form.seen,
    )
