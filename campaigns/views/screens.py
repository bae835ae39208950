"""The hall screen of an event, and the page from which organisers run it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.errors import NotAllowed
from accounts.requests import form_data, form_page, read_page, refused
from battles.keys import qr_code
from campaigns.forms.events import ScreenForm
from campaigns.operations.log import ChangeRequest
from campaigns.operations.screens import step_screen
from campaigns.queries.screens import load_screen, load_watched_screen
from campaigns.views.requests import draw_page, organised_event_for

DONE = {
    "on": "Hall screen turned on.",
    "off": "Hall screen turned off. Its address leads nowhere now.",
    "start": "Clock started.",
    "stop": "Clock stopped.",
    "resume": "Clock running.",
    "extend": "Time added.",
}


@read_page
def screen_read(request: HttpRequest, screen: str) -> HttpResponse:
    """Show the hall screen to whoever has its address; scripts fetch the same page again."""
    watched = load_watched_screen(screen)
    if watched is None:
        raise Http404
    return draw_page(request, "screen", screen=watched)


@form_page
def event_screen(request: HttpRequest, token: str) -> HttpResponse:
    """Turn the hall screen on or off, and run its clock."""
    owner, event = organised_event_for(request, token)
    form = ScreenForm(form_data(request))
    if form.is_valid():
        step, change = form.cleaned_data["step"], ChangeRequest(owner, token)
        with refused(form, passing=NotAllowed):
            step_screen(change, step, form.cleaned_data["minutes"])
            messages.success(request, DONE[step])
            return redirect("event-screen", token)
    screen = load_screen(owner, token)
    if screen is None:
        raise Http404
    address = ""
    if screen.token:
        path = reverse("screen-read", args=[screen.token])
        address = request.build_absolute_uri(path)
    return draw_page(
        request,
        "screen_control",
        event=event,
        screen=screen,
        form=form,
        address=address,
        qr=qr_code(address, title="QR code of the hall screen") if address else "",
    )
