"""The steps of a result on pages: say it, look at what it changes, then do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.owner import Owner
from accounts.requests import refused, request_key
from battles.after_battle import AfterBattleReport, report_events
from battles.forms.after_battle import AftermathForm
from battles.forms.results import ResultForm
from battles.models import BattleStatus, ResultVerb
from battles.operations.after_battle import report_after_battle
from battles.operations.results import (
    StepOutcome,
    confirm_result,
    correct_result,
    dispute_result,
    propose_result,
    restore_result,
    void_result,
)
from battles.queries.previews import preview_consequences
from battles.queries.records import BattleRecord
from battles.tallies import Consequences
from battles.views.battles import battle_for
from engine.battles import BattleLog
from warbands.views.presenters import page_key


@dataclass(frozen=True, slots=True)
class ResultAction:
    """A step as its page words it; ``asks_first``: its consequences are shown before it is taken."""

    do: Callable[..., StepOutcome]
    title: str
    button: str
    lead: str
    asks_first: bool = True


STEPS: dict[str, ResultAction] = {
    ResultVerb.PROPOSE: ResultAction(
        propose_result,
        "Report the result",
        "Report it",
        "The other side will confirm.",
        asks_first=False,
    ),
    ResultVerb.CONFIRM: ResultAction(
        confirm_result,
        "Confirm the result",
        "Confirm it",
        "It counts from then on.",
        asks_first=True,
    ),
    ResultVerb.DISPUTE: ResultAction(
        dispute_result,
        "Dispute the result",
        "Dispute it",
        "Both versions are kept until one is agreed on.",
        asks_first=False,
    ),
    ResultVerb.CORRECT: ResultAction(
        correct_result,
        "Correct the result",
        "Correct it",
        "The version before stays in the history.",
    ),
    ResultVerb.VOID: ResultAction(
        void_result,
        "Make the battle void",
        "Make it void",
        "It counts for nothing, and can be restored.",
    ),
    ResultVerb.RESTORE: ResultAction(
        restore_result,
        "Restore the battle",
        "Restore it",
        "It counts again as it did before.",
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def result_decide(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """One step of the result. What it would change is told first; the second button takes it."""
    owner, key, record = battle_for(request, token)
    if not getattr(record.result, f"may_{verb}"):
        if request.method == "POST" or not record.may_record:
            return _not_now(request, record)
        return redirect("battle-read", token)
    form = ResultForm(request.POST or None, record=record, verb=verb, owner=owner)
    if request.method != "POST":
        return _step_page(request, form)
    preview: Consequences | None = None
    if form.is_valid():
        with refused(form):
            if STEPS[verb].asks_first and "go" not in request.POST:
                preview = preview_consequences(
                    owner, token, key, verb=verb, **form.preview_kwargs()
                )
            else:
                wanted = form.operation_kwargs()
                STEPS[verb].do(owner, token, key, **wanted, request_key=request_key(request))
                return redirect("battle-read", token)
    if form.is_stale:
        messages.error(request, str(form.non_field_errors()[0]))
        return redirect("battle-read", token)
    return _step_page(request, form, preview)


def _step_page(
    request: HttpRequest, form: ResultForm, preview: Consequences | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "record": form.record,
        "step": STEPS[form.verb],
        "verb": form.verb,
        "form": form,
        "preview": preview,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "battles/result.html", context, status=400 if form.errors else 200)


def _not_now(request: HttpRequest, record: BattleRecord) -> HttpResponse:
    """A step that is not to be taken by this reader, or no more: strangers learn of no page, others
    why not.
    """
    if not record.may_record:
        raise Http404
    messages.error(
        request, f"That cannot be done now: the result is {record.result.status_label.lower()}."
    )
    return redirect("battle-read", record.token)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def battle_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter the result for both sides at once."""
    owner, key, record = battle_for(request, token)
    if not (record.may_record and record.rules.can_record):
        raise Http404
    if request.method == "POST":
        return _post_entry(request, owner, key, record)
    if reason := _shut(record):
        messages.error(request, reason)
        return redirect("battle-read", token)
    return _entry_page(request, AftermathForm(None, record=record, owner=owner))


def _post_entry(request: HttpRequest, owner: Owner, key: str, record: BattleRecord) -> HttpResponse:
    form = AftermathForm(request.POST or None, record=record, owner=owner)
    preview: Consequences | None = None
    if form.is_valid():
        with refused(form):
            if form.is_correction and "go" not in request.POST:
                preview = _preview(owner, key, record, form)
            else:
                _store(request, owner, key, form)
                return redirect("battle-read", record.token)
    if form.is_stale:
        # What was typed stays; sent once more it corrects the result as it is now.
        stale, now = form.non_field_errors()[0], record.result.number
        form = AftermathForm(request.POST, record=record, owner=owner, seen=now)
        form.add_error(None, stale)
    return _entry_page(request, form, preview)


def _entry_page(
    request: HttpRequest, form: AftermathForm, preview: Consequences | None = None
) -> HttpResponse:
    page = {
        "record": form.record,
        "form": form,
        "preview": preview,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "battles/enter.html", page, status=400 if form.errors else 200)


def _shut(record: BattleRecord) -> str:
    """Why this reader enters nothing now, "" where they may."""
    if record.result.status == BattleStatus.OPEN or record.result.may_correct:
        return ""
    if record.result.status == BattleStatus.VOID:
        return "This battle is void; nothing more is entered. Restore it first."
    return "The result is confirmed. Only whoever decides about this battle corrects it."


def _store(request: HttpRequest, owner: Owner, key: str, form: AftermathForm) -> None:
    report_after_battle(
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
    log = BattleLog(record.rules, record.field, record.log)
    events = report_events(log, told, name=page_key(), at=timezone.now())
    return preview_consequences(
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
