"""Inviting people to a club, and joining one with its code."""

from __future__ import annotations

from urllib.parse import quote

from allauth.core.internal.ratelimit import RateLimitUsage, consume, respond_429
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import operations
from accounts.codes import read_code, spelt_code
from accounts.errors import UnknownCode
from accounts.owners import owner_of, without_robots
from accounts.queries import ClubRecord, load_club_of_code
from campaigns.addresses import qr_code
from campaigns.errors import Refusal
from campaigns.forms.clubs import CodeForm
from campaigns.views.clubs.asking import answering_strangers, organised_club_for

# Wrong codes from one address. Right ones do not count: a whole club may join behind one router on one evening.
RATES = {"club_code": "10/5m/ip"}


@require_safe
@never_cache
def club_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """The link, its QR code and the short code, to send or to print."""
    _, club = organised_club_for(request, slug)
    address = request.build_absolute_uri(reverse("club-join", args=[club.code]))
    context = {
        "club": club,
        "address": address,
        "qr": qr_code(address, title="QR code to join this club"),
        "code": spelt_code(club.code),
        "typed_at": request.build_absolute_uri(reverse("club-find")),
    }
    return without_robots(render(request, "clubs/invite.html", context))


@require_POST
def club_renew(request: HttpRequest, slug: str) -> HttpResponse:
    """Another code; what was handed out before lets nobody in any more."""
    owner, _ = organised_club_for(request, slug)
    with answering_strangers():
        operations.new_code(owner, slug)
    messages.success(request, "The club has a new code. Links and codes given out before are void.")
    return redirect("club-invite", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_find(request: HttpRequest) -> HttpResponse:
    """Type the code of a club, or paste its link; the next page says which club that is."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                club, code = _club_of(request, form.cleaned_data["code"])
                return redirect("club-join", code) if club else respond_429(request)
            except Refusal as refusal:
                form.add_refusal(refusal)
    return without_robots(render(request, "clubs/find.html", {"form": form}, status=status))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_join(request: HttpRequest, code: str) -> HttpResponse:
    """Which club this code is for, and the button that joins it. Without an account the way to one, and back here."""
    try:
        club, code = _club_of(request, code)
    except Refusal as refusal:
        form = CodeForm({"code": code[:60]})
        form.is_valid()
        form.add_refusal(refusal)
        return without_robots(render(request, "clubs/find.html", {"form": form}, status=404))
    if club is None:
        return respond_429(request)
    owner = owner_of(request)
    if request.method == "POST" and not owner.is_person:
        return redirect_to_login(request.path)
    if request.method == "POST":
        try:
            joined = operations.join_club(owner, code)
            said = (
                f"Welcome to {joined.name}."
                if joined.is_new
                else f"You belong to {joined.name} already."
            )
            messages.success(request, said)
            return redirect("club-read", joined.slug)
        except Refusal as refusal:
            messages.error(request, refusal.message)
            return redirect("club-find")
    context = {
        "club": club,
        "code": spelt_code(code),
        "back": f"?next={quote(request.path, safe='')}",
    }
    return without_robots(render(request, "clubs/join.html", context))


def _club_of(request: HttpRequest, typed: str) -> tuple[ClubRecord | None, str]:
    """The club of a code and the code itself; None once too many wrong ones came from this address.

    Raises Refusal for what can be no code, UnknownCode for one that no club has. Only wrong ones count.
    """
    code = read_code(typed)
    usage: RateLimitUsage | None = consume(
        request, app="campaigns", action="club_code", config=RATES, limit_get=True
    )
    if usage is None:
        return None, code
    club = load_club_of_code(owner_of(request), code)
    if club is None:
        raise UnknownCode(operations.NO_SUCH_CODE, field="code")
    usage.rollback()
    return club, code
