"""Who is in an event, on pages: entries, entering, dropping out, challenges, messages."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed, Refusal
from accounts.requests import (
    accept_invitation,
    form_data,
    form_page,
    owner_of,
    read_page,
    redirect_with_message,
    refused,
    refused_as_message,
)
from campaigns.forms.entries import (
    AddForm,
    EnterForm,
    EntryForm,
    MessageForm,
    ScoresForm,
)
from campaigns.forms.rounds import RemoveForm
from campaigns.models import EntryStatus, EventVisibility
from campaigns.operations import challenges
from campaigns.operations import entries as entering
from campaigns.operations.desk import score_players, tick_players
from campaigns.operations.log import ChangeRequest
from campaigns.operations.messages import send_message
from campaigns.queries.entries import (
    Desk,
    load_candidates,
    load_choices,
    load_desk,
    load_player,
)
from campaigns.queries.event_page import load_messages
from campaigns.queries.events import (
    Places,
    count_places,
    load_entries,
    load_entry,
    load_waiting,
)
from campaigns.queries.fixtures import (
    has_rounds,
    load_round_rows,
    load_rounds,
    load_schedule,
)
from campaigns.queries.pairing import build_challenges
from campaigns.views.requests import (
    draw_page,
    event_for,
    keyed_request,
    organised_event_for,
    organised_page,
    own_entry_for,
)
from engine.records import grouped, quantity
from warbands.views.presenters import form_key

ANSWERS = {
    "accept": "Challenge accepted. The game is in the open round.",
    "decline": "Declined.",
    "withdraw": "Challenge withdrawn.",
}


@form_page
def event_entries(request: HttpRequest, token: str) -> HttpResponse:
    """Show who is in; organisers tick members and type guests here."""
    owner, event = event_for(request, token)
    data = form_data(request)
    if data is not None and not event.may_organise:
        raise PermissionDenied
    if data is not None and event.is_over:
        # A page that was opened before the event ended still sends its form.
        messages.error(request, entering.OVER)
        return redirect("event-entries", event.token)
    form = None
    if event.may_organise and not event.is_over:
        form = AddForm(data, candidates=load_candidates(event))
        if form.is_valid():
            with refused(form):
                change = ChangeRequest(owner, token)
                added = len(entering.add_entries(change, **form.operation_kwargs))
                message = f"{quantity(added, 'player')} added."
                return redirect_with_message(request, message, "event-entries", token)
    entries = [*load_entries(owner, event), *load_waiting(owner, event)]
    by_status = grouped((entry.status, entry) for entry in entries)
    playing, waiting, dropped = (by_status.get(status, []) for status in EntryStatus)
    return draw_page(
        request,
        "entries",
        event=event,
        form=form,
        playing=playing,
        waiting=waiting,
        dropped=dropped,
        places=Places(len(playing), len(waiting), event.capacity),
        has_rounds=event.may_organise and has_rounds(event),
        may_enter=event.takes_entries and not event.mine,
        enter_address=request.build_absolute_uri(
            reverse("event-enter", args=[event.token])
        ),
    )


@form_page
def event_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter oneself; who comes by the link without an account is shown the door first."""
    owner, event = event_for(request, token)
    if event.visibility == EventVisibility.LINK:
        accept_invitation(request)
    if event.is_playing or event.is_waiting:
        return redirect("entry-edit", token, event.mine)
    form = None
    if owner.is_person:
        choices = load_choices(owner, event)
        usual = choices[0][0] if choices else ""
        form = EnterForm(form_data(request), choices=choices, initial={"warband": usual})
    if form is None and request.method == "POST":
        with refused_as_message(request):
            entering.enter_event(ChangeRequest(owner, token))
        return redirect("event-enter", token)
    if form and form.is_valid():
        with refused_as_message(request), refused(form, passing=NotAllowed):
            change = ChangeRequest(owner, token)
            entering.enter_event(change, **form.operation_kwargs)
            message = "You have joined the event."
            if event_for(request, token)[1].is_waiting:
                message = "You are on the waiting list. We tell you when you have a place."
            return redirect_with_message(request, message, "event-read", token)
        # What no other answer would change is told as a message, the rest at its field.
        if form.is_valid():
            return redirect("event-enter", token)
    return draw_page(
        request,
        "join",
        event=event,
        form=form,
        is_open=event.takes_entries,
        places=count_places(event),
        rounds=load_rounds(event),
    )


@form_page
def event_scores(request: HttpRequest, token: str) -> HttpResponse:
    """Give all players their scores, such as for painting."""
    owner, event = organised_event_for(request, token)
    if not event.player_score_name:
        raise Http404
    entries = load_entries(owner, event)
    form = ScoresForm(form_data(request), entries=entries)
    if form.is_valid():
        with refused(form):
            count = score_players(ChangeRequest(owner, token), form.scores)
            message = f"{quantity(count, 'score')} saved."
            return redirect_with_message(request, message, "event-scores", token)
    return draw_page(request, "scores", event=event, form=form)


@form_page
def entry_edit(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Change what an entry is called and brings, by whose it is or an organiser."""
    owner, event, record = own_entry_for(request, token, entry)
    form = EntryForm(
        form_data(request),
        entry=record,
        choices=load_choices(owner, event, record),
        may_organise=event.may_organise,
    )
    if form.is_valid():
        with refused(form):
            entering.change_entry(
                ChangeRequest(owner, token), entry, **form.operation_kwargs
            )
            return redirect_with_message(request, "Changed.", "event-entries", token)
    return draw_page(
        request, "entry", event=event, entry=record, form=form, drop_form=RemoveForm()
    )


@require_POST
def entry_drop(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Pair an entry no more."""
    owner, _, record = own_entry_for(request, token, entry)
    change = ChangeRequest(owner, token, reason=request.POST.get("reason", ""))
    with refused_as_message(request):
        entering.drop_entry(change, entry)
        message = f"{record.name} is no longer paired. Results so far stay."
        return redirect_with_message(request, message, "event-entries", token)
    return redirect("entry-edit", token, entry)


@require_POST
def entry_rejoin(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Pair an entry again that dropped out."""
    owner, event, record = own_entry_for(request, token, entry)
    with refused_as_message(request):
        entering.rejoin_entry(ChangeRequest(owner, token), entry)
        row = load_entry(owner, event, entry)
        message = f"{record.name} rejoined and is paired from the next round on."
        if row.is_waiting:
            message = f"All places are taken. {record.name} is on the waiting list."
        messages.success(request, message)
    return redirect("event-entries", token)


@require_POST
def entry_admit(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Give somebody who waits a free place."""
    owner, event = organised_event_for(request, token)
    record = load_entry(owner, event, entry)
    with refused_as_message(request):
        entering.admit_entry(ChangeRequest(owner, token), entry)
        messages.success(request, f"{record.name} has a place.")
    return redirect("event-entries", token)


@form_page
def event_desk(request: HttpRequest, token: str) -> HttpResponse:
    """Tick who has paid and who is here; a single tick (``one``) or a whole form.

    ``all`` ticks everybody, or marks as away whoever is not ticked.
    """
    owner, desk = organised_page(load_desk, request, token)
    if request.method == "POST":
        with refused_as_message(request):
            ticks = _desk_ticks(request.POST, desk)
            tick_players(ChangeRequest(owner, token), **ticks)
        if not request.htmx:  # type: ignore[attr-defined]
            return redirect("event-desk", token)
        desk = load_desk(owner_of(request), token)
        return draw_page(request, "desk_count", event=desk.event, desk=desk)
    return draw_page(request, "desk", event=desk.event, desk=desk)


def _desk_ticks(post: QueryDict, desk: Desk) -> dict[str, dict[str, bool]]:
    """What was ticked, by "paid" and "here" and by entry; only what changed since ``was``."""
    tokens = {entry.token for entry, _ in desk.rows}
    single, every = post.get("one", "").partition(" "), post.get("all", "")
    ticks: dict[str, dict[str, bool]] = {}
    for kind in ("paid", "here"):
        ticked, before = set(post.getlist(kind)), set(post.getlist(f"was_{kind}"))
        changed = ticked ^ before
        if single[1]:
            changed = {single[2]} if kind == single[0] else set()
        if every == kind:
            changed = ticked = tokens
        elif every == "away" and kind == "here":
            changed = tokens - ticked
        ticks[kind] = {token: token in ticked for token in changed & tokens}
    return ticks


@read_page
def entry_read(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Show lists by round with what changed, games, waivers, and what came after battles."""
    page = load_player(owner_of(request), token, entry)
    return draw_page(request, "player", page=page, event=page.event, entry=page.entry)


@require_POST
def challenge_new(request: HttpRequest, token: str) -> HttpResponse:
    """Challenge another player in the round that is open."""
    owner = owner_of(request)
    page = build_challenges(load_schedule(owner, token))
    if page is None:
        raise Http404
    if not page.is_entered:
        raise PermissionDenied
    with refused_as_message(request):
        other = request.POST.get("other")
        if not other:
            raise Refusal("Choose a player.")
        challenges.create_challenge(ChangeRequest(owner, token), other)
        messages.success(request, "Challenge sent. Your opponent must accept it.")
    return redirect("event-read", token)


@require_POST
def challenge_answer(
    request: HttpRequest, token: str, fixture: str, answer: str
) -> HttpResponse:
    """Accept or decline a challenge, or take one's own back."""
    owner, _ = event_for(request, token)
    with refused_as_message(request, passing=NotAllowed):
        challenges.answer_challenge(ChangeRequest(owner, token), fixture, answer)
        messages.success(request, ANSWERS[answer])
    return redirect("event-read", token)


@form_page
def event_messages(request: HttpRequest, token: str) -> HttpResponse:
    """Write to the players as an organiser, and see what was written."""
    owner, event = organised_event_for(request, token)
    latest = [row for row in load_round_rows(event.id) if row.is_shown]
    choices = [("all", "All players")]
    if latest:
        choices.append(("round", f"Players of {latest[-1].title}"))
    if event.needs_list:
        choices.append(("lists_missing", "Players without a list"))
    form = MessageForm(form_data(request), choices=choices)
    if form.is_valid():
        with refused(form):
            count = send_message(keyed_request(request, owner, token), **form.cleaned_data)
            return redirect_with_message(
                request,
                f"Message sent to {quantity(count, 'player')}.",
                "event-messages",
                token,
            )
    return draw_page(
        request,
        "messages",
        event=event,
        form=form,
        sent=load_messages(event),
        key=form_key(request),
    )
