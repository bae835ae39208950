"""The steps of a result on pages: say it, look at what it changes, then do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.owners import request_key
from campaigns import operations, queries
from campaigns.errors import Refusal, StaleResult
from campaigns.forms import ResultForm
from campaigns.models import ResultVerb
from campaigns.operations import StepOutcome
from campaigns.queries import BattleRecord, Consequences
from campaigns.views.asking import battle_for
from warbands.views.drawing import page_key


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
        operations.propose_result,
        "Report the result",
        "Report it",
        "The other side will confirm.",
        asks_first=False,
    ),
    ResultVerb.CONFIRM: ResultAction(
        operations.confirm_result,
        "Confirm the result",
        "Confirm it",
        "It counts from then on.",
        asks_first=True,
    ),
    ResultVerb.DISPUTE: ResultAction(
        operations.dispute_result,
        "Dispute the result",
        "Dispute it",
        "Both versions are kept until one is agreed on.",
        asks_first=False,
    ),
    ResultVerb.CORRECT: ResultAction(
        operations.correct_result,
        "Correct the result",
        "Correct it",
        "The version before stays in the history.",
    ),
    ResultVerb.VOID: ResultAction(
        operations.void_result,
        "Make the battle void",
        "Make it void",
        "It counts for nothing, and can be restored.",
    ),
    ResultVerb.RESTORE: ResultAction(
        operations.restore_result,
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
    step = STEPS[verb]
    if not getattr(record.result, f"may_{verb}"):
        if request.method == "POST" or not record.may_record:
            return _not_now(request, record)
        return redirect("battle-read", token)
    form = ResultForm(request.POST or None, record=record, verb=verb, owner=owner)
    preview: Consequences | None = None
    if request.method == "POST" and form.is_valid():
        wanted = form.operation_kwargs()
        try:
            if step.asks_first and "go" not in request.POST:
                asked = {name: value for name, value in wanted.items() if name != "author"}
                preview = queries.preview_consequences(owner, token, key, verb=verb, **asked)
            else:
                step.do(owner, token, key, **wanted, request_key=request_key(request))
                return redirect("battle-read", token)
        except Refusal as refusal:
            form.add_refusal(refusal)
        except StaleResult as stale:
            messages.error(request, stale.message)
            return redirect("battle-read", token)
    context: dict[str, Any] = {
        "record": record,
        "step": step,
        "verb": verb,
        "form": form,
        "preview": preview,
        "key": request.POST.get("key") or page_key(),
    }
    return render(request, "campaigns/result.html", context, status=400 if form.errors else 200)


def _not_now(request: HttpRequest, record: BattleRecord) -> HttpResponse:
    """A step that is not to be taken by this reader, or no more: strangers learn of no page, others why not."""
    if not record.may_record:
        raise Http404
    messages.error(
        request, f"That cannot be done now: the result is {record.result.status_label.lower()}."
    )
    return redirect("battle-read", record.token)
