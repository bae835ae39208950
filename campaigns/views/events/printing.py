"""Print-all: the button on a round's page. What it makes stands on the page of its job."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from campaigns.errors import NotAllowed, NotFound, Refusal
from campaigns.operations.events.printing import print_round
from campaigns.views.events.asking import organised_event_for
from warbands.pdf import PAPERS


@require_POST
def round_print(request: HttpRequest, token: str, number: int) -> HttpResponse:
    """Begin to print every table of a round, then look how far it is. ``paper`` a4 or letter."""
    owner, _ = organised_event_for(request, token)
    paper = request.POST.get("paper") or "a4"
    if paper not in PAPERS:
        raise BadRequest(f"“paper” must be {' or '.join(PAPERS)}.")
    site = request.build_absolute_uri("/").rstrip("/")
    try:
        job = print_round(owner, token, number, paper=paper, site=site)
    except NotFound:
        raise Http404 from None
    except NotAllowed as refusal:
        raise PermissionDenied from refusal
    except Refusal as refusal:
        messages.error(request, refusal.message)
        return redirect("round-read", token, number)
    return redirect("job-read", job)
