"""What becomes of warbands when a club changes prices of its list: each stays as it was, or takes the new ones."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.owners import owner_of, parse_int
from rulesdata.queries import NotInRuleBook
from warbands import operations
from warbands.errors import Refusal
from warbands.operations.prices import TAKEN_MAX
from warbands.queries.prices import PricesPage, load_prices


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def content_prices(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The warbands of a list that keep a price; those ticked take today's."""
    owner = owner_of(request)
    try:
        page = load_prices(owner, slug, token)
    except NotInRuleBook as error:
        raise Http404(str(error)) from None
    if not page.club.may_write:
        raise PermissionDenied(
            "Only organisers of the club decide here. In your own warband you may take new prices."
        )
    fault = ""
    if request.method == "POST":
        try:
            return _taken(
                request, page, operations.take_prices(owner, token, page.club.id, _chosen(request))
            )
        except Refusal as refusal:
            fault = refusal.message
    context = {"page": page, "fault": fault, "ticked": request.POST.getlist("warband")}
    return render(request, "warbands/prices.html", context, status=422 if fault else 200)


def _chosen(request: HttpRequest) -> dict[str, int]:
    """Token to version of each warband that was ticked."""
    found = {}
    for sent in request.POST.getlist("warband")[: TAKEN_MAX + 1]:
        token, _, version = sent.rpartition(":")
        found[token] = parse_int(version, "warband")
    return found


def _taken(request: HttpRequest, page: PricesPage, done: operations.RenewedPrices) -> HttpResponse:
    if done.changed:
        count = len(done.changed)
        messages.success(
            request, f"{count} {'warband' if count == 1 else 'warbands'} took the new prices."
        )
    if done.stale:
        names = ", ".join(done.stale[:5])
        messages.warning(
            request,
            f"Changed by somebody else meanwhile, and left alone: {names}. Look at them again.",
        )
    return redirect("content-prices", page.club.slug, page.list_token)
