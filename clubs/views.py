"""The pages of clubs. They stand here because a club's page shows leagues, battles and warbands."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any
from urllib.parse import quote

from allauth.core.internal.ratelimit import respond_429
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed, Refusal
from accounts.forms import PageForm
from accounts.models import Role
from accounts.operations.clubs import (
    change_club,
    change_role,
    hand_over,
    join_club,
    leave_club,
    new_code,
    remove_member,
)
from accounts.owner import Owner
from accounts.queries import (
    ClubRecord,
    clubs_joined,
    clubs_listed,
    load_club,
    load_club_choice,
    load_member,
    load_members,
)
from accounts.requests import (
    TellRefusal,
    accept_invitation,
    form_data,
    form_page,
    owner_of,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
    without_robots,
)
from accounts.tokens import spelt_code
from battles.keys import qr_code
from campaigns.models.leagues import Season
from campaigns.operations.seasons import (
    SeasonDraft,
    change_season,
    create_season,
    remove_season,
)
from campaigns.queries.seasons import (
    load_chosen,
    load_club_to_play,
    load_event_choices,
    load_player_record,
    load_season,
    load_season_table,
)
from clubs.codes import find_club
from clubs.forms import (
    FILTERS,
    ClubEditForm,
    ClubListForm,
    ClubTextForm,
    ClubWarbandsForm,
    CodeForm,
    RulingsForm,
    SeasonForm,
)
from clubs.operations import change_rulings, found_club
from clubs.queries import load_club_page
from engine.records import Texts, copy_fields
from rulesdata import registry
from rulesdata.queries.lookup import NotInRuleBook, find_system
from warbands.views.presenters import form_key


def club_for(
    request: HttpRequest, slug: str, is_allowed: Callable[[ClubRecord], bool] = bool
) -> tuple[Owner, ClubRecord]:
    """Who asks and the club they may see; a 404 for everybody else.

    A 403 for those who may see it and do not meet ``is_allowed``, which all meet by default.
    """
    owner, club = record_or_404(load_club, request, slug)
    if not is_allowed(club):
        raise PermissionDenied
    return owner, club


MEMBERS = attrgetter("is_member")
ORGANISERS = attrgetter("is_organiser")
OWNERS = attrgetter("is_owner")


@read_page
def club_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """The link, its QR code and the short code, to send or to print."""
    _, club = club_for(request, slug, ORGANISERS)
    address = request.build_absolute_uri(reverse("club-join", args=[club.code]))
    return _draw(
        request,
        "invite",
        club=club,
        address=address,
        qr=qr_code(address, title="QR code to join this club"),
        code=spelt_code(club.code),
        typed_at=request.build_absolute_uri(reverse("club-find")),
    )


def _draw(
    request: HttpRequest, name: str, status: int = 200, **context: Any
) -> HttpResponse:
    """Draw a page of a club that search engines are told to leave alone."""
    return without_robots(render(request, f"clubs/{name}.html", context, status=status))


@require_POST
def club_renew(request: HttpRequest, slug: str) -> HttpResponse:
    """Another code; what was handed out before lets nobody in any more."""
    new_code(owner_of(request), slug)
    message = "The club has a new code. Old links and codes no longer work."
    return redirect_with_message(request, message, "club-invite", slug)


@form_page
def club_find(request: HttpRequest) -> HttpResponse:
    """Type the code of a club, or paste its link; the next page says which club that is."""
    form = CodeForm(form_data(request))
    if form.is_valid():
        with refused(form):
            club, code = find_club(request, owner_of(request), form.cleaned_data["code"])
            return redirect("club-join", code) if club else respond_429(request)
    return _draw(request, "find", form.status, form=form)


@form_page
def club_join(request: HttpRequest, code: str) -> HttpResponse:
    """Which club this code is for, and the button that joins it.

    Without an account the way to one, and back here.
    """
    # The form of the page for typing shows the code again when it is wrong.
    form = CodeForm({"code": code[:60]})
    form.is_valid()
    club = None
    with refused(form):
        club, code = find_club(request, owner_of(request), code)
    if form.errors:
        return _draw(request, "find", 404, form=form)
    if club is None:
        return respond_429(request)
    if request.method == "POST":
        owner = owner_of(request)
        if not owner.is_person:
            return redirect_to_login(request.path)
        with refused_as_message(request):
            joined, is_new = join_club(owner, code)
            greeting = "Welcome to" if is_new else "You are already a member of"
            return redirect_with_message(
                request, f"{greeting} {joined.name}.", "club-read", joined.slug
            )
        return redirect("club-find")
    accept_invitation(request)
    back = f"?next={quote(request.path, safe='')}"
    return _draw(request, "join", club=club, code=spelt_code(code), back=back)


@read_page
def club_list(request: HttpRequest) -> HttpResponse:
    """The clubs somebody belongs to, then those that everybody may find; ``?search=`` looks for a
    part of a name.
    """
    form = ClubListForm(request.GET)
    owner = owner_of(request)
    search = form.cleaned_data["search"] if form.is_valid() else ""
    page = form.load_page(clubs_listed, owner, search=search)
    mine = clubs_joined(owner) if owner.is_person else ()
    context = {
        "form": form,
        "page": page,
        "mine": mine,
        "is_asked": bool(request.GET.get("search")),
    }
    return render(request, "clubs/list.html", context, status=200 if page else 400)


@login_required
@form_page
def club_new(request: HttpRequest) -> HttpResponse:
    """Found a club, and be its owner."""
    form = ClubTextForm(form_data(request))
    if form.is_valid():
        with refused(form):
            key = request_key(request)
            slug = found_club(owner_of(request), **form.cleaned_data, request_key=key)
            return redirect_with_message(
                request, "Club created. Now invite people.", "club-invite", slug
            )
    context = {"form": form, "key": form_key(request)}
    return render(request, "clubs/new.html", context, status=form.status)


A_ROLE = {Role.OWNER: "an owner", Role.ORGANISER: "an organiser", Role.MEMBER: "a member"}


@form_page
def club_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Name, description and whether it is listed; its address stays.

    A form that is sent after another change says what that changed.
    """
    owner, club = club_for(request, slug, ORGANISERS)
    form = ClubEditForm(form_data(request), club=club)
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            change_club(owner, slug, **form.operation_kwargs())
            return redirect_with_message(request, "Saved.", "club-read", slug)
    systems = registry.rulesets()
    return _draw(request, "edit", form.status, club=club, form=form, systems=systems)


@form_page
def club_rulings(request: HttpRequest, slug: str, system: str) -> HttpResponse:
    """The rulings and house rules that the club's events under a rule system begin with."""
    owner, club = club_for(request, slug, ORGANISERS)
    try:
        book = find_system(system)
    except NotInRuleBook:
        raise Http404 from None
    form = RulingsForm(
        form_data(request),
        system=book,
        played=load_club_choice(club.id, "rulings", book.address),
        house_rules=load_club_choice(club.id, "house_rules", book.address),
    )
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            change_rulings(owner, slug, book, **form.operation_kwargs())
            return redirect_with_message(request, "Rules saved.", "club-edit", slug)
    return _draw(request, "rulings", form.status, club=club, form=form, system=book)


@read_page
def season_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The seasons of a club."""
    _, club = club_for(request, slug)
    return _draw(request, "seasons", club=club, seasons=Season.objects.filter(club=club.id))


@form_page
def season_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a season of a club."""
    owner, club = club_for(request, slug, ORGANISERS)
    return _edit_season(request, owner, club, None)


@read_page
def season_read(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """The table of a season, from the events that the reader may open."""
    owner, club = record_or_404(load_club_to_play, request, slug)
    record = load_season(club.id, season)
    table = load_season_table(owner, record)
    return _draw(request, "season", club=club, season=record, table=table)


@form_page
def season_edit(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """Change which events a season counts, and how."""
    owner, club = club_for(request, slug, ORGANISERS)
    record = load_season(club.id, season)
    return _edit_season(request, owner, club, record)


def _edit_season(
    request: HttpRequest, owner: Owner, club: ClubRecord, season: Season | None
) -> HttpResponse:
    """Draw or save the form of a season; None is a new one."""
    chosen: Texts = ()
    draft, slug = SeasonDraft(""), club.slug
    if season:
        chosen = tuple(load_chosen(season))
        draft = copy_fields(SeasonDraft, season, events=chosen)
    form = SeasonForm(
        form_data(request),
        offered=load_event_choices(club.id, chosen),
        draft=draft,
        seen=season.version if season else None,
    )
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            if season:
                seen, token = form.cleaned_data["seen"], season.token
                change_season(owner, slug, token, form.draft, expected=seen)
                messages.success(request, "Season saved.")
            else:
                key = request_key(request)
                token = create_season(owner, slug, form.draft, request_key=key)
            return redirect("season-read", slug, token)
    context = {"club": club, "form": form, "season": season, "key": form_key(request)}
    return _draw(request, "season_form", form.status, **context)


@require_POST
def season_remove(request: HttpRequest, slug: str, season: str) -> HttpResponse:
    """Take a season away; its events stay."""
    owner, club = club_for(request, slug, ORGANISERS)
    record = load_season(club.id, season)
    with refused_as_message(request, passing=NotAllowed):
        remove_season(owner, slug, season)
        messages.success(request, f"Season “{record.name}” deleted. Its events stay.")
    return redirect("season-list", slug)


@read_page
def player_record(request: HttpRequest, slug: str, entry: str) -> HttpResponse:
    """What a player did over all events of the club that the reader may open."""
    owner, club = record_or_404(load_club_to_play, request, slug)
    record = load_player_record(owner, club.id, entry)
    return _draw(request, "player", club=club, record=record)


@read_page
def club_members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who belongs to the club and as what, for its members, with what the reader may do about each."""
    owner, club = club_for(request, slug, MEMBERS)
    form = PageForm(request.GET)
    page = form.load_page(load_members, owner, club.id)
    status = 200 if page else 400
    return _draw(request, "members", status, club=club, page=page, form=form)


@require_POST
def member_role(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Give somebody another role."""
    owner, club = club_for(request, slug, OWNERS)
    role = request.POST.get("role", "")
    with refused_as_message(request, passing=NotAllowed):
        name = change_role(owner, slug, member_id, role)
        messages.success(request, f"{name} is now {A_ROLE[Role(role)]}.")
    return redirect("club-members", club.slug)


@form_page
def member_hand_over(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Make somebody else the owner and step back, after a look at what that means."""
    owner, club = club_for(request, slug, OWNERS)
    _, member = record_or_404(load_member, request, club.id, member_id)
    operation = partial(hand_over, owner, slug, member_id)
    message = f"{member.name} now owns the club. You are an organiser."
    context = {"club": club, "member": member}
    return _confirm(request, "hand_over", operation, message, **context)


@form_page
def member_remove(request: HttpRequest, slug: str, member_id: int) -> HttpResponse:
    """Take somebody out of the club, after a look at what that means."""
    owner, club = club_for(request, slug, ORGANISERS)
    _, member = record_or_404(load_member, request, club.id, member_id)
    # Leaving has rules of its own, for the last owner above all.
    if member.is_me:
        return redirect("club-leave", slug)
    if member.is_organiser and not club.is_owner:
        raise PermissionDenied
    operation = partial(remove_member, owner, slug, member_id)
    message = f"{member.name} is no longer a member of the club."
    context = {"club": club, "member": member}
    return _confirm(request, "remove", operation, message, **context)


@form_page
def club_leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave the club, after a look at what that means."""
    owner, club = club_for(request, slug, MEMBERS)
    operation = partial(leave_club, owner, slug)
    return _confirm(request, "leave", operation, f"You have left {club.name}.", club=club)


def _confirm(
    request: HttpRequest,
    name: str,
    operation: Callable[[], Any],
    message: str,
    **context: Any,
) -> HttpResponse:
    """The page that says what an operation means, and the operation once it is sent: on to a list
    with its message, or back with why not.
    """
    refusals: list[Refusal] = []
    if request.method == "POST":
        with TellRefusal(refusals.append, passing=NotAllowed):
            operation()
            messages.success(request, message)
            # Whoever left the club goes to the list of their clubs.
            if "member" in context:
                return redirect("club-members", context["club"].slug)
            return redirect("club-list")
    reason = refusals[0].message if refusals else ""
    return _draw(request, name, 422 if reason else 200, refused=reason, **context)


@read_page
def club_read(request: HttpRequest, slug: str) -> HttpResponse:
    """What a club says, when it meets next, and what its members bring, by army, points and
    findings.

    A listed club shows everybody what is public of it; another one is seen by its members alone.
    """
    form = ClubWarbandsForm(request.GET)
    wanted = form.read_filter() if form.is_valid() else None
    _, page = record_or_404(load_club_page, request, slug, wanted)
    is_asked = any(request.GET.get(name) for name in FILTERS)
    context = {"page": page, "club": page.club, "form": form, "is_asked": is_asked}
    status = 200 if page.warbands else 400
    response = render(request, "clubs/read.html", context, status=status)
    return response if page.club.is_public else without_robots(response)
