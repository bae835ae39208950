"""The hall screen of an event and its channel of Discord, with the pages that run them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.errors import NotAllowed
from accounts.requests import (
    form_data,
    form_page,
    read_page,
    redirect_with_message,
    refused,
)
from battles.keys import qr_code
from campaigns.forms.events import DiscordForm, ScreenForm
from campaigns.operations.log import ChangeRequest
from campaigns.operations.screens import step_screen, step_webhook
from campaigns.queries.event_page import load_discord
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
    return draw_page(request, "screen", screen=load_watched_screen(screen))


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


POSTED = {
    "set": "Address saved. Send a test to see whether it works.",
    "test": "Test sent. Its state is in the list of posts.",
    "remove": "Webhook removed. Nothing is posted any more.",
}


@form_page
def event_discord(request: HttpRequest, token: str) -> HttpResponse:
    """Set the webhook of an event, test it or remove it, and see what was posted."""
    owner, event = organised_event_for(request, token)
    form = DiscordForm(form_data(request))
    if form.is_valid():
        with refused(form, passing=NotAllowed):
            step_webhook(ChangeRequest(owner, token), **form.cleaned_data)
            message = POSTED[form.cleaned_data["step"]]
            return redirect_with_message(request, message, "event-discord", token)
    discord = load_discord(event)
    return draw_page(request, "discord", event=event, discord=discord, form=form)
