"""Who is in an event: entries, entering, dropping out, challenges."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.errors import NotAllowed, Refusal
from accounts.owner import Owner
from accounts.requests import (
    accept_invitation,
    form_data,
    form_page,
    read_page,
    record_or_404,
    redirect_with_message,
    refused,
    refused_as_message,
)
from campaigns.forms.entries import (
    AddForm,
    ChallengeForm,
    DropForm,
    EnterForm,
    EntryForm,
)
from campaigns.models import EventVisibility
from campaigns.operations import challenges
from campaigns.operations import entries as entering
from campaigns.operations.log import ChangeRequest
from campaigns.queries.challenges import load_challenges
from campaigns.queries.entries import load_candidates, load_choices, load_player
from campaigns.queries.events import load_entries
from campaigns.queries.records import ClubEventRecord, EntryRecord
from campaigns.views.requests import draw_page, entry_or_404, event_for

ANSWERS: dict[str, tuple[Callable[..., None], str]] = {
    "accept": (
        challenges.accept_challenge,
        "Challenge accepted. The game is in the open round.",
    ),
    "decline": (challenges.decline_challenge, "Declined."),
    "withdraw": (challenges.withdraw_challenge, "Challenge withdrawn."),
}


@form_page
def event_entries(request: HttpRequest, token: str) -> HttpResponse:
    """Show who is in; organisers tick members and type guests here."""
    owner, event = event_for(request, token)
    data = form_data(request)
    if data is not None and not event.may_organise:
        raise PermissionDenied
    if event.is_over or not event.may_organise:
        return _over_page(request, owner, event)
    form = AddForm(data, candidates=load_candidates(event))
    if form.is_valid():
        with refused(form):
            added = len(
                entering.add_entries(ChangeRequest(owner, token), **form.operation_kwargs)
            )
            words = "1 player added." if added == 1 else f"{added} players added."
            return redirect_with_message(request, words, "event-entries", token)
    return _draw_entries(request, owner, event, form)


def _over_page(request: HttpRequest, owner: Owner, event: ClubEventRecord) -> HttpResponse:
    """Show who is in to somebody who enters nobody."""
    if request.method != "POST":
        return _draw_entries(request, owner, event, None)
    # A page that was opened before the event ended still sends its form.
    messages.error(request, entering.OVER)
    return redirect("event-entries", event.token)


def _draw_entries(
    request: HttpRequest, owner: Owner, event: ClubEventRecord, form: AddForm | None
) -> HttpResponse:
    """Draw the page of players, dropouts apart, with the form to add some."""
    entries = load_entries(owner, event)
    return draw_page(
        request,
        "entries",
        event=event,
        form=form,
        playing=[one for one in entries if not one.is_dropped],
        dropped=[one for one in entries if one.is_dropped],
        has_play_off=any(one.play_off for one in entries),
        may_enter=event.takes_entries and not event.mine,
        enter_address=request.build_absolute_uri(
            reverse("event-enter", args=[event.token])
        ),
    )


def _accept_invitation(request: HttpRequest, event: ClubEventRecord) -> None:
    """Take the link of an event for an invitation, unless everybody finds it in the public list."""
    if event.visibility == EventVisibility.LINK:
        accept_invitation(request)


@form_page
def event_enter(request: HttpRequest, token: str) -> HttpResponse:
    """Enter oneself; who comes by the link without an account is shown the door first."""
    owner, event = event_for(request, token)
    _accept_invitation(request, event)
    if event.mine and event.is_playing:
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
            entering.enter_event(ChangeRequest(owner, token), **form.operation_kwargs)
            return redirect_with_message(
                request, "You have joined the event.", "event-read", token
            )
        # What no other answer would change is told as a message, the rest at its field.
        if form.is_valid():
            return redirect("event-enter", token)
    return draw_page(request, "join", event=event, form=form, is_open=event.takes_entries)


@form_page
def entry_edit(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Change what an entry is called and brings, by whose it is or an organiser."""
    owner, event, record = _changed_entry_for(request, token, entry)
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
        request, "entry", event=event, entry=record, form=form, drop_form=DropForm()
    )


@require_POST
def entry_drop(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Pair an entry no more."""
    owner, _, record = _changed_entry_for(request, token, entry)
    form = DropForm(request.POST)
    with refused_as_message(request):
        if not form.is_valid():
            raise Refusal(str(form.errors["reason"][0]))
        asked = ChangeRequest(owner, token, reason=form.cleaned_data["reason"])
        entering.drop_entry(asked, entry)
        words = f"{record.name} is no longer paired. Results so far stay."
        return redirect_with_message(request, words, "event-entries", token)
    return redirect("entry-edit", token, entry)


@require_POST
def entry_rejoin(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Pair an entry again that dropped out."""
    owner, _, record = _changed_entry_for(request, token, entry)
    with refused_as_message(request):
        entering.rejoin_entry(ChangeRequest(owner, token), entry)
        messages.success(
            request, f"{record.name} rejoined and is paired from the next round on."
        )
    return redirect("event-entries", token)


def _changed_entry_for(
    request: HttpRequest, token: str, entry: str
) -> tuple[Owner, ClubEventRecord, EntryRecord]:
    """Return who asks, the event and an entry they may change.

    Raises Http404 for what they may not read, PermissionDenied for what is not theirs.
    """
    owner, event = event_for(request, token)
    record = entry_or_404(owner, event, entry)
    if not (record.is_mine or event.may_organise):
        raise PermissionDenied
    return owner, event, record


@read_page
def entry_read(request: HttpRequest, token: str, entry: str) -> HttpResponse:
    """Show lists by round with what changed, games, waivers, and what came after battles."""
    _, page = record_or_404(load_player, request, token, entry)
    return draw_page(request, "player", page=page, event=page.event, entry=page.entry)


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
        messages.error(request, "Choose a player you have no game with.")
        return redirect("event-read", token)
    with refused_as_message(request):
        challenges.create_challenge(ChangeRequest(owner, token), form.cleaned_data["other"])
        messages.success(request, "Challenge sent. Your opponent must accept it.")
    return redirect("event-read", token)


@require_POST
def challenge_answer(
    request: HttpRequest, token: str, fixture: str, answer: str
) -> HttpResponse:
    """Accept or decline a challenge, or take one's own back."""
    owner, _ = event_for(request, token)
    do, words = ANSWERS[answer]
    with refused_as_message(request, passing=NotAllowed):
        do(ChangeRequest(owner, token), fixture)
        messages.success(request, words)
    return redirect("event-read", token)
