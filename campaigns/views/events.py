"""Events: lists of them, making and changing one, its page, standings and log."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.errors import NotAllowed
from accounts.forms import PageForm
from accounts.owner import Owner
from accounts.queries import load_clubs_of
from accounts.requests import (
    form_data,
    form_page,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
    request_key,
    without_robots,
)
from battles.views.battles import system_asked
from campaigns.charts import draw_place_chart
from campaigns.forms.events import CopyForm, EventForm, EventListForm, EventRulesForm
from campaigns.growth.operations.setup import RulesDraft, set_growth_rules
from campaigns.growth.queries.figures import load_grown_standings
from campaigns.growth.queries.setup import load_rules_choices
from campaigns.models import EventKind, Season
from campaigns.operations import events
from campaigns.operations.copies import CopyDraft, copy_event
from campaigns.operations.log import ChangeRequest
from campaigns.queries.event_page import load_event_page, load_log, load_unsettled
from campaigns.queries.events import events_in_own_clubs, own_events, public_events
from campaigns.queries.records import ClubEventRecord, EventRows
from campaigns.views.requests import (
    change_request,
    draw_page,
    event_for,
    organised_event_for,
)
from engine.records import Fields
from engine.tournament.types import Scoring
from engine.types.systems import System
from rulesdata import registry
from rulesdata.queries.scenarios import scenario_choices
from warbands.views.presenters import form_key

MINE, CLUBS, ARCHIVE = "", "clubs", "archived"
READERS: dict[str, Callable[..., EventRows]] = {
    MINE: own_events,
    CLUBS: events_in_own_clubs,
    ARCHIVE: partial(own_events, archived=True),
}


@read_page
def event_list(request: HttpRequest) -> HttpResponse:
    """Show what somebody is in or runs.

    ``?show=clubs`` asks for all of their clubs', ``?show=archived`` for the archive. Without an
    account there is nothing of one's own, and the page says how there would be.
    """
    form, owner = EventListForm(request.GET), owner_of(request)
    clubs = load_clubs_of(owner.user_id) if owner.user_id is not None else ()
    show = form.cleaned_data["show"] if form.is_valid() else MINE
    page = form.load_page(READERS[show], owner)
    context = {
        "form": form,
        "page": page,
        "clubs": clubs,
        "organised": [club for club in clubs if club.is_organiser],
        "show": show,
        "tabs": _tabs(show, has_clubs=bool(clubs)),
    }
    return render(request, "campaigns/list.html", context, status=200 if page else 400)


@require_safe
def event_public(request: HttpRequest) -> HttpResponse:
    """Show the events everybody may find."""
    form, owner = PageForm(request.GET), owner_of(request)
    page = form.load_page(public_events, owner)
    context = {
        "form": form,
        "page": page,
        "tabs": _tabs("public", has_clubs=owner.is_person),
    }
    return render(request, "campaigns/public.html", context, status=200 if page else 400)


def _tabs(current: str, *, has_clubs: bool) -> list[Fields]:
    """Return the tabs above lists of events."""
    home = reverse("event-list")
    tabs = [
        ("Yours", home, MINE),
        ("Your clubs", f"{home}?show={CLUBS}", CLUBS),
        ("Public", reverse("event-public"), "public"),
    ]
    return [
        {"label": label, "url": url, "current": key == current}
        for label, url, key in tabs
        if key != CLUBS or has_clubs
    ]


KINDS = (
    (
        EventKind.LEAGUE,
        "Fixed players over weeks: round robin or Swiss, with standings.",
    ),
    (
        EventKind.NIGHT,
        "Open to everyone who turns up: tick who came and get tables, scenarios and new opponents.",
    ),
    (
        EventKind.CAMPAIGN,
        "Injuries and recruits carry over: linked battles, by challenge or in rounds.",
    ),
    (
        EventKind.ONE_DAY,
        "A tournament in one day: Swiss rounds, one list each, results count at once.",
    ),
)
STEPS = {
    "archive": "Event archived. Nothing was deleted.",
    "restore": "Event restored from the archive.",
    "finish": "Event finished. Results can still be corrected.",
    "reopen": "Event reopened.",
}


@login_required
@form_page
def event_new(request: HttpRequest) -> HttpResponse:
    """Make an event of a club.

    ``?kind=`` and ``?club=`` are asked for first, ``?system=`` chooses another rule system.
    """
    owner = owner_of(request)
    clubs = [club for club in load_clubs_of(owner.user_id or 0) if club.is_organiser]
    # Without a name it is the first club that the person runs.
    slug = _form_or_query(request, "club")
    club = next((club for club in clubs if slug in ("", club.slug)), None)
    kind = _form_or_query(request, "kind")
    if kind not in EventKind.values:
        if request.method == "POST":
            raise BadRequest(f"“kind” must be one of {', '.join(EventKind.values)}.")
        context = {
            "clubs": clubs,
            "club": club,
            "kinds": KINDS,
            "system": system_asked(request),
            "systems": registry.rulesets(),
        }
        return render(request, "campaigns/event_choose_club.html", context)
    if club is None:
        raise Http404
    form = _form(request, owner, kind, system_asked(request))
    # Warbands grow in campaigns alone.
    if form.kind == EventKind.CAMPAIGN:
        form.offer_growth(load_rules_choices(owner, form.system))
    if form.is_valid():
        with refused(form):
            key, page = request_key(request), "event-entries"
            token = events.create_event(owner, club.slug, form.draft, request_key=key)
            if rules := form.cleaned_data.get("growth"):
                # Rules that are refused are explained on the page where others may be chosen.
                page = "growth-rules"
                with refused_as_message(request):
                    set_growth_rules(ChangeRequest(owner, token), RulesDraft(rules))
                    page = "event-entries"
            return redirect(page, token)
    return _draw_form(request, form, club=club, club_slug=club.slug, club_name=club.name)


def _form_or_query(request: HttpRequest, name: str) -> str:
    return request.POST.get(name) or request.GET.get(name, "")


PARTS = {"scenarios": "scenarios", "ties": "tie"}
"""The parts of the form with a page of their own, and the field of each."""
CARRIED = ("kind", "club", "system", "version", "key", "tie")
"""What the form sends beside its fields."""


@form_page
def event_edit(request: HttpRequest, token: str) -> HttpResponse:
    """Change what was agreed on; the log keeps what was.

    ``?system=`` chooses another rule system.
    """
    owner, event = organised_event_for(request, token)
    system = system_asked(request, event.load_system())
    form = _form(request, owner, event.kind, system, event)
    if form.is_valid():
        with refused(form):
            events.change_event(change_request(request, owner, token, form), form.draft)
            return redirect_with_message(request, "Settings saved.", "event-read", token)
    return _draw_form(
        request,
        form,
        event=event,
        unsettled=load_unsettled(owner, event),
        club_slug=event.club_slug,
        club_name=event.club_name,
        version=form.version,
    )


@form_page
def event_rules(request: HttpRequest, token: str) -> HttpResponse:
    """Change the house rules, rulings and levels that the event took over from its club."""
    owner, event = organised_event_for(request, token)
    form = EventRulesForm(form_data(request), event=event)
    if form.is_valid():
        with refused(form):
            events.change_event(change_request(request, owner, token, form), form.draft)
            return redirect_with_message(request, "Rules saved.", "event-edit", token)
    systems = registry.rulesets()
    context = {"form": form, "event": event, "version": form.version, "systems": systems}
    return draw_page(request, "event_rules", status=form.status, **context)


@form_page
def event_copy(request: HttpRequest, token: str) -> HttpResponse:
    """Make another event with the same settings, rules and, if asked for, players."""
    owner, event = organised_event_for(request, token)
    form = CopyForm(form_data(request), initial={"name": event.name})
    if form.is_valid():
        with refused(form):
            change = ChangeRequest(owner, token, key=request_key(request))
            copy = copy_event(change, CopyDraft(**form.cleaned_data))
            message = "Event copied. Check its settings."
            return redirect_with_message(request, message, "event-read", copy)
    context = {"form": form, "event": event, "key": form_key(request)}
    return draw_page(request, "event_copy", status=form.status, **context)


@require_POST
def event_settle(request: HttpRequest, token: str, verb: str) -> HttpResponse:
    """Archive, restore, finish or reopen an event."""
    owner, event = organised_event_for(request, token)
    with refused_as_message(request, passing=NotAllowed):
        events.settle_event(change_request(request, owner, event.token), verb)
        messages.success(request, STEPS[verb])
        if verb == "finish" and load_unsettled(owner, event):
            return redirect(f"{reverse('event-edit', args=[token])}#settle")
    return redirect("event-read", token)


def _form(
    request: HttpRequest,
    owner: Owner,
    kind: str,
    system: System,
    event: ClubEventRecord | None = None,
) -> EventForm:
    """Return the form as it was sent.

    A button of its scenarios or tie-breaks sends it only to be shown again: nothing is checked or
    saved then.
    """
    is_shown_again = "part" in request.POST or "tie_move" in request.POST
    form = EventForm(
        None if is_shown_again else form_data(request),
        kind=kind,
        system=system,
        pool=scenario_choices(system.key, owner),
        event=event,
    )
    if is_shown_again:
        form.show_typed(request.POST)
        form.move_tie(request.POST.get("tie_move", ""))
    return form


def _draw_form(request: HttpRequest, form: EventForm, **more: Any) -> HttpResponse:
    """Draw the form for a new or changed event, or a part of it on a page of its own.

    ``more`` adds to the context. A part brings along all that was typed into the form.
    """
    part = "ties" if "tie_move" in request.POST else request.POST.get("part")
    if part in PARTS:
        names = {*form.fields, *CARRIED} - {PARTS[part]}
        typed = [
            (name, value)
            for name, values in request.POST.lists()
            if name in names
            for value in values
        ]
        context = {"form": form, "part": part, "typed": typed, **more}
        return render(request, "campaigns/policy_part.html", context)
    context = {
        "form": form,
        "system": form.system,
        "kind": EventKind(form.kind),
        "key": form_key(request),
        **more,
    }
    return render(request, "campaigns/policy.html", context, status=form.status)


@read_page
def event_read(request: HttpRequest, token: str) -> HttpResponse:
    """Show the standings, the next games, summaries of rounds, and awards."""
    page = load_event_page(owner_of(request), token)
    event = page.event
    plural = "" if page.games == 1 else "s"
    context: Fields = {
        "page": page,
        "event": event,
        "table": page.table,
        "bump": draw_place_chart(page.courses) if page.courses else None,
        "matrix": page.matrix,
        "scoring": scoring_words(event.scoring),
        "games": f"{page.games} battle{plural}" if page.games else "",
        "preview_text": f"{event.kind_name}, {event.system_name}. "
        + (page.table.after_words if page.table.round else event.status_name),
        "rounds": [row for row in page.rounds if row.is_shown or event.may_organise],
    }
    # A growing campaign has no query to spare, and hardly ever counts for a season.
    if (event.opens_club or event.mine) and not event.growth_position:
        context["seasons"] = Season.objects.filter(events=event.id)
    return _draw_listed(request, "read", event, context)


@read_page
def standings_read(request: HttpRequest, token: str) -> HttpResponse:
    """Show the table alone, with every place explained; for a wall, a phone, a printer."""
    table = load_grown_standings(owner_of(request), token)
    event = table.event
    context = {"event": event, "table": table, "scoring": scoring_words(event.scoring)}
    return _draw_listed(request, "standings", event, context)


@read_page
def event_log(request: HttpRequest, token: str) -> HttpResponse:
    """Show who changed what, when and why."""
    _, event = event_for(request, token)
    form = PageForm(request.GET)
    page = form.load_page(load_log, event)
    return draw_page(
        request,
        "log",
        event=event,
        form=form,
        page=page,
        lead=LEADS[event.reads_reasons],
        status=200 if page else 400,
    )


LEADS = {
    True: "Who changed what, when and why. Entries are never deleted.",
    False: "Who changed what and when. Only members of the club and players can read the reasons.",
}


def scoring_words(scoring: Scoring) -> str:
    """Return what results are worth: "Win 3, draw 1"; a loss only where it is worth anything."""
    sentence = f"Win {scoring.win}, draw {scoring.draw}"
    return f"{sentence}, loss {scoring.loss}" if scoring.loss else sentence


def _draw_listed(
    request: HttpRequest, name: str, event: ClubEventRecord, context: Fields
) -> HttpResponse:
    """Search engines may keep what everybody may find, and nothing else."""
    response = render(request, f"campaigns/{name}.html", context)
    return response if event.visibility == "public" else without_robots(response)
