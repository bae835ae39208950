"""What a club says about itself, and who does what in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import operations
from accounts.errors import StaleClub
from accounts.forms import PageForm
from accounts.models import Role
from accounts.owner import Owner
from accounts.owners import without_robots
from accounts.queries import ClubMember, ClubRecord, load_member, load_members
from campaigns.errors import Refusal
from campaigns.forms.clubs import ClubEditForm
from campaigns.views.clubs.asking import (
    answering_strangers,
    club_for,
    joined_club_for,
    organised_club_for,
)

A_ROLE = {Role.OWNER: "an owner", Role.ORGANISER: "an organiser", Role.MEMBER: "a member"}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Name, description and whether it is listed; its address stays. What is sent late is told what changed."""
    owner, club = organised_club_for(request, slug)
    form = ClubEditForm(request.POST if request.method == "POST" else None, club=club)
    status = 200 if request.method != "POST" else 422
    if request.method == "POST" and form.is_valid():
        try:
            with answering_strangers():
                operations.change_club(owner, slug, **form.operation_kwargs())
            messages.success(request, "Saved.")
            return redirect("club-read", slug)
        except StaleClub as refusal:
            form = ClubEditForm(
                request.POST, club=club, seen=club.text_hash
            )  # sent again, it is sent knowingly
            form.add_refusal(refusal)
            status = 409
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"club": club, "form": form}
    return without_robots(render(request, "clubs/edit.html", context, status=status))


@require_safe
@never_cache
def club_members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who belongs to the club and as what, for its members, with what the reader may do about each."""
    owner, club = joined_club_for(request, slug)
    form = PageForm(request.GET)
    page = (
        load_members(owner, club.id, page=form.cleaned_data["page"] or 1)
        if form.is_valid()
        else None
    )
    context = {"club": club, "page": page, "form": form}
    return without_robots(
        render(request, "clubs/members.html", context, status=200 if page else 400)
    )


@require_POST
def member_role(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Give somebody another role."""
    owner, club = _club_of_roles(request, slug)
    role = request.POST.get("role", "")
    try:
        with answering_strangers():
            name = operations.change_role(owner, slug, member_id, role)
        messages.success(request, f"{name} is {A_ROLE[Role(role)]} now.")
    except Refusal as refusal:
        messages.error(request, refusal.message)
    return redirect("club-members", club.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def member_hand_over(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Make somebody else the owner and step back, after a look at what that means."""
    owner, club = _club_of_roles(request, slug)
    context = {"club": club, "member": _member(owner, club, member_id)}

    def act() -> str:
        name = operations.hand_over(owner, slug, member_id)
        return f"{name} owns the club now. You stay as an organiser."

    return _after_a_look(
        request, "clubs/hand_over.html", context, act, reverse("club-members", args=[slug])
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def member_remove(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Take somebody out of the club, after a look at what that means."""
    owner, club = organised_club_for(request, slug)
    member = _member(owner, club, member_id)
    if member.is_me:
        return redirect("club-leave", slug)
    if member.is_organiser and not club.is_owner:
        raise PermissionDenied

    def act() -> str:
        return f"{operations.remove_member(owner, slug, member_id)} belongs to the club no more."

    context = {"club": club, "member": member}
    return _after_a_look(
        request, "clubs/remove.html", context, act, reverse("club-members", args=[slug])
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave the club, after a look at what that means."""
    owner, club = joined_club_for(request, slug)

    def act() -> str:
        operations.leave_club(owner, slug)
        return f"You have left {club.name}."

    return _after_a_look(request, "clubs/leave.html", {"club": club}, act, reverse("club-list"))


def _after_a_look(
    request: HttpRequest, template: str, context: dict[str, Any], act: Callable[[], str], done: str
) -> HttpResponse:
    """The page that says what an act means, and the act once it is sent: on to ``done``, or back with why not."""
    refused = ""
    if request.method == "POST":
        try:
            with answering_strangers():
                messages.success(request, act())
            return redirect(done)
        except Refusal as refusal:
            refused = refusal.message
    return without_robots(
        render(request, template, {**context, "refused": refused}, status=422 if refused else 200)
    )


def _club_of_roles(request: HttpRequest, slug: str) -> tuple[Owner, ClubRecord]:
    owner, club = club_for(request, slug)
    if not club.is_owner:
        raise PermissionDenied
    return owner, club


def _member(owner: Owner, club: ClubRecord, member_id: int) -> ClubMember:
    member = load_member(owner, club.id, member_id)
    if member is None:
        raise Http404
    return member
