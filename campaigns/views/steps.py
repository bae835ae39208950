"""What only campaigns have: challenges, and the steps after a battle as their organisers set them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import NotAllowed
from accounts.requests import form_data, refused, refused_as_message, version_seen, without_robots
from campaigns.forms.steps import ChallengeForm, StepsForm, fields_of
from campaigns.models import EventKind
from campaigns.operations import challenges, steps
from campaigns.operations.log import ChangeRequest
from campaigns.queries.challenges import load_challenges
from campaigns.queries.events import load_entries
from campaigns.views.requests import event_for, organised_event_for
from engine.tournament.campaign_steps import EXAMPLE

ANSWERS: dict[str, tuple[Callable[..., None], str]] = {
    "accept": (challenges.accept_challenge, "Accepted: it is to be played."),
    "decline": (challenges.decline_challenge, "Declined."),
    "withdraw": (challenges.withdraw_challenge, "Taken back."),
}


@require_POST
def challenge_new(request: HttpRequest, token: str) -> HttpResponse:
    """Challenge another player in the round that is open."""
    owner, event = event_for(request, token)
    found = load_challenges(event, load_entries(owner, event))
    if found is None:
        raise Http404
    if not found.is_entered:
        raise PermissionDenied
    form = ChallengeForm(request.POST, others=found.others)
    if not form.is_valid():
        messages.error(request, "Choose somebody you are not to play already.")
        return redirect("event-read", token)
    with refused_as_message(request):
        challenges.create_challenge(ChangeRequest(owner, token), form.cleaned_data["other"])
        messages.success(request, "Challenged. They are asked to answer.")
    return redirect("event-read", token)


@require_POST
def challenge_answer(request: HttpRequest, token: str, fixture: str, answer: str) -> HttpResponse:
    """Accept or decline a challenge, or take one's own back."""
    owner, _ = event_for(request, token)
    do, words = ANSWERS[answer]
    with refused_as_message(request, passing=NotAllowed):
        do(ChangeRequest(owner, token), fixture)
        messages.success(request, words)
    return redirect("event-read", token)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def event_steps(request: HttpRequest, token: str) -> HttpResponse:
    """What comes after a battle; ``?example=1`` fills in something to start from."""
    owner, event = organised_event_for(request, token)
    if event.kind != EventKind.CAMPAIGN:
        raise Http404
    is_example = request.GET.get("example") == "1"
    form = StepsForm(
        form_data(request),
        initial=fields_of(EXAMPLE if is_example else event.steps),
    )
    if request.method == "POST" and form.is_valid():
        with refused(form):
            reason = form.cleaned_data["reason"]
            steps.set_steps(
                ChangeRequest(owner, token, expected=version_seen(request), reason=reason),
                form.event_steps,
            )
            messages.success(request, "Kept. What was taken already stays as it is.")
            return redirect("event-read", token)
    context: dict[str, Any] = {"event": event, "form": form, "is_example": is_example}
    return without_robots(render(request, "campaigns/steps.html", context, status=form.status))
